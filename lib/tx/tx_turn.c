/* SPDX-License-Identifier: BSD-3-Clause */
/* One turn of a task: build a burst, hand it to the driver or the receive graph, keep what was not
 * taken. Which function runs is chosen before the loop; none asks about a setting. */
#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "tx_priv.h"

// References of one buffer that may be out at once; the count has 16 bits.
#define CLONES_MAX (UINT16_MAX - PG_BURST_MAX)

enum sink { SINK_PORT, SINK_QUEUES, SINK_GRAPH, SINK_GRAPH_SHARED, SINK_GRAPH_VERIFIED };
enum paced { UNPACED, PACED, PACED_SIZES };

static inline void
wait_begin(struct pg_task *task, uint64_t now)
{
	if (task->wait_since == 0)
		task->wait_since = now;
}

static inline void
wait_end(struct pg_task *task, uint64_t now)
{
	pg_counter_add(&task->counters.idle_cycles, now - task->wait_since);
	task->wait_since = 0;
}

// Fragments for n packets lie in the stash. What was not used stays for the next ones.
static inline bool
take_frags(struct pg_task *task, unsigned int n)
{
	struct pg_frags *frags = task->state.frags;
	uint32_t need = n * task->prog->frags;

	if (frags->n < need) {
		if (unlikely(rte_mempool_get_bulk(task->frag_pool, (void **)frags->seg + frags->n,
				     need - frags->n) < 0))
			return false;
		frags->n = need;
	}
	return true;
}

static __rte_always_inline bool
take(struct pg_task *task, struct rte_mbuf **pkts, unsigned int n, const bool chained)
{
	if (chained && unlikely(!take_frags(task, n)))
		return false;
	return likely(rte_mempool_get_bulk(task->pool, (void **)pkts, n) == 0);
}

bool
tx_task_take(struct pg_task *task, struct rte_mbuf **pkts, unsigned int n)
{
	return take(task, pkts, n, task->frag_pool != NULL);
}

// Buffers for n packets, built. False: the pool is empty.
static __rte_always_inline bool
build_distinct(struct pg_task *task, unsigned int n, const bool chained)
{
	struct rte_mbuf **pkts = task->state.scratch->pkts;

	if (unlikely(!take(task, pkts, n, chained)))
		return false;
	pg_prog_run(task->prog, &task->state, pkts, n);
	pg_counter_add(&task->counters.built, n);
	return true;
}

// A fresh buffer with the next packet, or with the current one again when too many of its
// references are out.
static bool
clone_refill(struct pg_task *task, uint64_t due)
{
	struct rte_mbuf *fresh;

	if (unlikely(!take(task, &fresh, 1, task->frag_pool != NULL)))
		return false;
	if (task->clone != NULL) {
		rte_pktmbuf_free(task->clone);
		pg_prog_back(task->prog, &task->state);
	} else {
		task->clone_left = task->copies;
		pg_counter_add(&task->counters.built, 1);
	}
	task->state.scratch->due[0] = due;
	pg_prog_run(task->prog, &task->state, &fresh, 1);
	task->clone = fresh;
	return true;
}

// n packets, each built one repeated `copies` times by references. Fewer if the pool runs dry.
static __rte_always_inline unsigned int
build_clones(struct pg_task *task, unsigned int n, const enum paced paced, const bool chained)
{
	uint64_t due[PG_BURST_MAX];
	unsigned int k = 0;

	if (paced)
		memcpy(due, task->state.scratch->due, n * sizeof(due[0]));
	while (k < n) {
		struct rte_mbuf *clone = task->clone;
		unsigned int now;
		if (clone == NULL || rte_mbuf_refcnt_read(clone) > CLONES_MAX) {
			if (!clone_refill(task, paced ? due[k] : 0))
				break;
			clone = task->clone;
		}
		now = RTE_MIN(n - k, task->clone_left);
		task->clone_left -= now;
		task->clone_bytes += (uint64_t)now * clone->pkt_len;
		// The last of them takes our own reference along.
		if (task->clone_left == 0)
			task->clone = NULL;
		if (task->clone_left != 0 || now > 1) {
			int16_t more = (int16_t)(now - (task->clone_left == 0));

			if (chained)
				rte_pktmbuf_refcnt_update(clone, more);
			else
				rte_mbuf_refcnt_update(clone, more);
		}
		for (unsigned int i = 0; i < now; i++)
			task->state.scratch->pkts[k + i] = clone;
		k += now;
	}
	if (paced) // a refill has put its own time there
		task->state.scratch->due[0] = due[0];
	return k;
}

static __rte_always_inline unsigned int
take_due(struct pg_task *task, uint64_t now, unsigned int n, const enum paced paced)
{
	struct pg_prog_scratch *scratch = task->state.scratch;

	if (paced == PACED)
		return pg_pace_take(&task->pace, now, scratch->due, n);
	if ((int64_t)(now - task->pace.due) < 0 || n == 0)
		return 0;
	pg_prog_sizes(task->prog, &task->state, n);
	return pg_pace_take_sizes(&task->pace, now, scratch->due, scratch->length, n);
}

void
tx_task_schedule(struct pg_task *task, unsigned int n)
{
	uint64_t late = task->pace.due + INT64_MAX / 2; // everything is due then

	if (task->paced == UNPACED)
		memset(task->state.scratch->due, 0, n * sizeof(uint64_t));
	else
		take_due(task, late, n, task->paced);
}

unsigned int
tx_task_build(struct pg_task *task, unsigned int n)
{
	const bool chained = task->frag_pool != NULL;

	if (task->copies > 1)
		n = build_clones(task, n, PACED, chained);
	else if (!build_distinct(task, n, chained))
		n = 0;
	memcpy(task->pkts, task->state.scratch->pkts, n * sizeof(task->pkts[0]));
	return n;
}

static __rte_always_inline bool
build(struct pg_task *task, const enum paced paced, const bool cloned, const bool chained,
	const bool verified)
{
	struct pg_pace before;
	unsigned int n = RTE_MIN(task->burst, task->left), built;

	if (paced) {
		uint64_t now = rte_rdtsc();

		before = task->pace;
		n = take_due(task, now, n, paced);
		if (n == 0) {
			wait_begin(task, now);
			rte_pause();
			return false;
		}
		if (task->wait_since != 0)
			wait_end(task, now);
	}
	built = cloned                             ? build_clones(task, n, paced, chained)
		: build_distinct(task, n, chained) ? n
						   : 0;
	if (unlikely(built < n)) {
		pg_counter_add(&task->counters.pool_empty, 1);
		wait_begin(task, rte_rdtsc());
		if (paced) { // what was not built stays due
			task->pace = before;
			take_due(task, before.due + INT64_MAX / 2, built, paced);
		}
		if (built == 0)
			return false;
	} else if (unlikely(task->wait_since != 0)) {
		wait_end(task, rte_rdtsc());
	}
	if (verified)
		pg_verify_pass(
			task->verify, task->state.scratch->pkts, task->state.scratch->due, built);
	task->left -= built;
	task->npkts = built;
	return true;
}

// What a graph did is looked at packet by packet: time does not matter.
static uint16_t
hand_over_verified(struct pg_task *task, struct rte_mbuf **pkts)
{
	task->rx->counters = task->profile->counter;
	pg_counter_add(&task->counters.errors,
		pg_rx_inject_verified(task->rx, pkts, task->npkts, task->mac,
			pg_counter_read(&task->counters.sent), task->profile->verified));
	pg_rx_profile_collect(task->rx, task->profile);
	return task->npkts;
}

static __rte_always_inline uint16_t
hand_over(struct pg_task *task, struct rte_mbuf **pkts, const enum sink sink)
{
	if (sink == SINK_PORT)
		return rte_eth_tx_burst(task->port, task->queue, pkts, task->npkts);
	if (sink == SINK_GRAPH_VERIFIED)
		return hand_over_verified(task, pkts);
	if (sink == SINK_GRAPH_SHARED)
		task->rx->counters = task->profile->counter;
	pg_counter_add(
		&task->counters.errors, pg_rx_inject(task->rx, pkts, task->npkts, task->mac));
	if (sink == SINK_GRAPH_SHARED)
		pg_rx_profile_collect(task->rx, task->profile);
	return task->npkts;
}

// What was built goes to the lines of its queues, behind what is in them already.
static inline void
line_up(struct pg_task *task, struct tx_map *map)
{
	map->number(map, task->npkts);
	for (uint16_t k = 0; k < task->npkts; k++) {
		struct tx_line *line = &map->line[map->line_of[k]];

		line->pkts[line->npkts++] = task->state.scratch->pkts[k];
	}
	map->pending += task->npkts;
	task->npkts = 0;
}

// A call for each queue that has packets; what it does not take stays first in its line.
static inline uint32_t
hand_over_lines(struct pg_task *task, struct tx_map *map)
{
	uint32_t all = 0, calls = 0, short_calls = 0;

	map->longest = 0;
	for (uint16_t i = 0; i < map->nlines; i++) {
		struct tx_line *line = &map->line[i];
		uint16_t n = RTE_MIN(line->npkts, (uint32_t)task->burst), sent;

		if (n == 0)
			continue;
		sent = rte_eth_tx_burst(task->port, task->queue + i, line->pkts, n);
		calls++;
		short_calls += sent < n;
		all += sent;
		line->npkts -= sent;
		if (unlikely(line->npkts != 0))
			memmove(line->pkts, line->pkts + sent, line->npkts * sizeof(line->pkts[0]));
		map->longest = RTE_MAX(map->longest, line->npkts);
	}
	map->pending -= all;
	pg_counter_add(&task->counters.sent, all);
	pg_counter_add(&task->counters.calls, calls);
	pg_counter_add(&task->counters.short_calls, short_calls);
	return all;
}

// A queue that does not drain holds the others up once a burst waits for it: the packets are a
// sequence, and the room for those that cannot leave is bounded.
static __rte_always_inline bool
turn_queues(struct pg_task *task, const enum paced paced, const bool cloned, const bool chained,
	const bool verified)
{
	struct tx_map *map = task->map;

	if (likely(map->longest <= map->room) && task->left != 0 &&
		build(task, paced, cloned, chained, verified))
		line_up(task, map);
	if (map->pending == 0)
		return true;
	if (unlikely(hand_over_lines(task, map) == 0))
		wait_begin(task, rte_rdtsc());
	else if (unlikely(task->wait_since != 0))
		wait_end(task, rte_rdtsc());
	return task->left != 0 || map->pending != 0;
}

// The driver has taken `sent` of the packets; the others stay first in line, in a place of the
// task's own.
static __rte_noinline void
keep_rest(struct pg_task *task, struct rte_mbuf **pkts, uint16_t sent)
{
	task->npkts -= sent;
	if (pkts == task->pkts + task->head) {
		task->head += sent;
	} else {
		task->head = 0;
		memcpy(task->pkts, pkts + sent, task->npkts * sizeof(pkts[0]));
	}
	pg_counter_add(&task->counters.short_calls, 1);
	wait_begin(task, rte_rdtsc());
}

static __rte_always_inline bool
turn(struct pg_task *task, const bool verified, const enum paced paced, const bool cloned,
	const bool chained, const enum sink sink)
{
	const bool tail = task->npkts != 0;
	struct rte_mbuf **pkts = tail ? task->pkts + task->head : task->state.scratch->pkts;
	uint16_t sent;

	if (sink == SINK_QUEUES)
		return turn_queues(task, paced, cloned, chained, verified);
	if (likely(!tail) && !build(task, paced, cloned, chained, verified))
		return true;
	sent = hand_over(task, pkts, sink);
	pg_counter_add(&task->counters.sent, sent);
	pg_counter_add(&task->counters.calls, 1);
	if (unlikely(sent < task->npkts)) {
		keep_rest(task, pkts, sent);
		return true;
	}
	task->npkts = 0;
	if (unlikely(tail))
		wait_end(task, rte_rdtsc());
	return task->left != 0;
}

#define TURN(name, ...)                         \
	static bool name(struct pg_task *task)  \
	{                                       \
		return turn(task, __VA_ARGS__); \
	}

// A function for every combination; clones are never paced by sizes (refused at start).
#define TURNS_OF(name, verified, ...)                    \
	TURN(name, verified, UNPACED, __VA_ARGS__)       \
	TURN(name##_paced, verified, PACED, __VA_ARGS__) \
	TURN(name##_sizes, verified, PACED_SIZES, __VA_ARGS__)

#define TURNS(name, ...)                                                                  \
	TURNS_OF(name, false, __VA_ARGS__)                                                \
	TURNS_OF(name##_verified, true, __VA_ARGS__)                                      \
	static bool (*const name##_all[2][3])(struct pg_task *) = {                       \
		{[UNPACED] = name, [PACED] = name##_paced, [PACED_SIZES] = name##_sizes}, \
		{[UNPACED] = name##_verified,                                             \
			[PACED] = name##_verified_paced,                                  \
			[PACED_SIZES] = name##_verified_sizes},                           \
	};

TURNS(port, false, false, SINK_PORT)
TURNS(port_chained, false, true, SINK_PORT)
TURNS(port_cloned, true, false, SINK_PORT)
TURNS(port_cloned_chained, true, true, SINK_PORT)
TURNS(queues, false, false, SINK_QUEUES)
TURNS(queues_chained, false, true, SINK_QUEUES)
TURNS(queues_cloned, true, false, SINK_QUEUES)
TURNS(queues_cloned_chained, true, true, SINK_QUEUES)
TURNS(graph, false, false, SINK_GRAPH)
TURNS(graph_chained, false, true, SINK_GRAPH)
TURNS(shared, false, false, SINK_GRAPH_SHARED)
TURNS(shared_chained, false, true, SINK_GRAPH_SHARED)
TURNS(verified, false, false, SINK_GRAPH_VERIFIED)
TURNS(verified_chained, false, true, SINK_GRAPH_VERIFIED)

/** By sink, clones and fragments; a graph takes no clones. */
static bool (*const (*const turns[][2][2])[3])(struct pg_task *) = {
	[SINK_PORT] = {{port_all, port_chained_all}, {port_cloned_all, port_cloned_chained_all}},
	[SINK_QUEUES] = {{queues_all, queues_chained_all},
		{queues_cloned_all, queues_cloned_chained_all}},
	[SINK_GRAPH] = {{graph_all, graph_chained_all}},
	[SINK_GRAPH_SHARED] = {{shared_all, shared_chained_all}},
	[SINK_GRAPH_VERIFIED] = {{verified_all, verified_chained_all}},
};

void
tx_task_bind(struct pg_task *task, bool paced, bool by_size)
{
	enum paced how = !paced ? UNPACED : by_size ? PACED_SIZES : PACED;
	enum sink sink = task->map != NULL                 ? SINK_QUEUES
			 : task->rx == NULL                ? SINK_PORT
			 : task->profile->verified != NULL ? SINK_GRAPH_VERIFIED
			 : task->shared                    ? SINK_GRAPH_SHARED
							   : SINK_GRAPH;

	task->paced = how;
	task->turn =
		turns[sink][task->copies > 1][task->frag_pool != NULL][task->verify != NULL][how];
}
