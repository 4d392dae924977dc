/* SPDX-License-Identifier: BSD-3-Clause */
/* One turn of a task: build a burst, hand it to the driver or the receive graph, keep what was not
 * taken. Which function runs is chosen before the loop; none asks about a setting. */
#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "tx_make.h"
#include "tx_walk.h"

enum sink { SINK_PORT, SINK_QUEUES, SINK_RING, SINK_GRAPH, SINK_GRAPH_SHARED, SINK_GRAPH_VERIFIED };

static const enum tx_walk walks[] = {
	[SINK_GRAPH] = WALK_ALONE,
	[SINK_GRAPH_SHARED] = WALK_SHARED,
	[SINK_GRAPH_VERIFIED] = WALK_VERIFIED,
};

bool
tx_task_take(struct pg_task *task, struct rte_mbuf **pkts, unsigned int n)
{
	return take(task, pkts, n, task->frag_pool != NULL);
}

// The run's time is over, or the schedule is behind. False: nothing is due any more.
static __rte_noinline bool
review(struct pg_task *task, uint64_t *now)
{
	struct pg_pace *pace = &task->pace;

	// What was due before the end still leaves, unless that takes too long.
	if (tx_is_past(*now, task->stop_at)) {
		if (!tx_is_past(task->stop_at - 1, pace->due) ||
			tx_is_past(*now, task->give_up_at)) {
			task->left = 0;
			return false;
		}
		*now = task->stop_at - 1;
	}
	if (pg_pace_is_late(pace, *now)) {
		uint32_t bytes = pace->sizes ? tx_task_next_bytes(task) : 0;
		uint64_t moved = pace->moved;
		uint64_t skipped = pg_pace_late(pace, *now, bytes, task->left);

		task->left -= skipped;
		if (task->verify != NULL)
			pg_verify_moved(task->verify, *now, pace->moved - moved, skipped, bytes);
		tx_task_awake(task);
	}
	return task->left != 0 && pg_pace_is_due(pace, *now);
}

// How many packets are due, and their times; where the schedule was, in case they cannot be built.
static __rte_always_inline unsigned int
take_due(struct pg_task *task, const enum paced paced, struct pg_pace_mark *before)
{
	struct pg_prog_scratch *scratch = task->state.scratch;
	uint64_t now = rte_rdtsc();
	unsigned int n;

	if (!tx_is_past(now, task->wake)) {
		if (paced == NOTED)
			pg_gaps_poll(task->gaps, now, true);
		tx_wait_begin(task, now, PG_WAIT_DUE);
		rte_pause();
		return 0;
	}
	if (paced == NOTED)
		pg_gaps_poll(task->gaps, now, false);
	if (task->wait_since != 0 && task->wait_for == PG_WAIT_DUE)
		tx_wait_end(task, now);
	if (unlikely(tx_is_past(now, task->stop_at) || pg_pace_is_late(&task->pace, now)) &&
		!review(task, &now))
		return 0;
	*before = pg_pace_mark(&task->pace); // review() may have moved it
	n = task->take(
		&task->pace, now, scratch->due, &task->lengths, RTE_MIN(task->burst, task->left));
	tx_task_awake(task);
	return n;
}

void
tx_task_schedule(struct pg_task *task, unsigned int n)
{
	struct pg_prog_scratch *scratch = task->state.scratch;
	// Everything is due then; without a gap, all at once.
	uint64_t late = task->pace.due + (pg_pace_has_no_gap(&task->pace) ? 0 : INT64_MAX / 2);

	if (!task->paced) {
		memset(scratch->due, 0, n * sizeof(uint64_t));
		return;
	}
	if (n > 0)
		task->take(&task->pace, late, scratch->due, &task->lengths, n);
}

unsigned int
tx_task_build(struct pg_task *task, unsigned int n)
{
	n = make(task, n, PACED, made_as(task), task->frag_pool != NULL);
	memcpy(task->pkts, task->state.scratch->pkts, n * sizeof(task->pkts[0]));
	return n;
}

// What could not be built stays due.
static __rte_noinline void
untake(struct pg_task *task, const struct pg_pace_mark *before, unsigned int built)
{
	struct pg_prog_scratch *scratch = task->state.scratch;

	pg_pace_rewind(&task->pace, before);
	if (built > 0)
		task->take(&task->pace, task->pace.due + INT64_MAX / 2, scratch->due,
			&task->lengths, built);
	if (built > 0 && task->verify != NULL)
		pg_verify_cut(task->verify, built);
	tx_task_awake(task);
}

// Nobody may be going to give back any.
static __rte_noinline void
wait_for_buffers(struct pg_task *task)
{
	if (rte_rdtsc() - task->wait_since > task->patience)
		task->left = 0;
}

static __rte_always_inline bool
build(struct pg_task *task, const enum paced paced, const enum made made, const bool chained,
	const bool verified)
{
	unsigned int n = RTE_MIN(task->burst, task->left), built;
	struct pg_pace_mark before;

	if (paced == TIMED && unlikely(tx_is_past(rte_rdtsc(), task->stop_at))) {
		task->left = 0;
		return false;
	}
	if (paced >= PACED) {
		n = take_due(task, paced, &before);
		if (n == 0)
			return false;
	}
	built = make(task, n, paced, made, chained);
	if (unlikely(built < n)) {
		pg_counter_add(&task->counters.pool_empty, 1);
		tx_wait_begin(task, rte_rdtsc(), PG_WAIT_POOL);
		if (paced >= PACED)
			untake(task, &before, built);
		if (built == 0) {
			wait_for_buffers(task);
			return false;
		}
	} else if (unlikely(task->wait_since != 0)) {
		tx_wait_end(task, rte_rdtsc());
	}
	if (verified)
		pg_verify_pass(
			task->verify, task->state.scratch->pkts, task->state.scratch->due, built);
	task->left -= built;
	task->npkts = built;
	return true;
}

// To another thread. What its ring does not take is dropped, as a full backlog of the kernel's
// does.
static __rte_always_inline void
hand_off(struct pg_task *task, struct rte_mbuf **pkts)
{
	unsigned int taken = pg_rx_hand_off(task->lane, pkts, task->npkts);

	if (likely(taken == task->npkts))
		return;
	pg_counter_add(&task->counters.errors, task->npkts - taken);
	rte_pktmbuf_free_bulk(pkts + taken, task->npkts - taken);
}

static __rte_always_inline uint16_t
hand_over(struct pg_task *task, struct rte_mbuf **pkts, const enum sink sink)
{
	if (sink == SINK_PORT)
		return rte_eth_tx_burst(task->port, task->queue, pkts, task->npkts);
	if (sink == SINK_RING)
		hand_off(task, pkts);
	else
		tx_walk(task, pkts, walks[sink]);
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

// Nothing was taken. False: the run has ended meanwhile, and what is in hand is not sent.
static inline bool
held_up(struct pg_task *task)
{
	uint64_t now = rte_rdtsc();

	tx_wait_begin(task, now, PG_WAIT_PORT);
	return !tx_is_past(now, task->give_up_at);
}

// A queue that does not drain holds the others up once a burst waits for it: the packets are a
// sequence, and the room for those that cannot leave is bounded.
static __rte_always_inline bool
turn_queues(struct pg_task *task, const bool noted)
{
	struct tx_map *map = task->map;

	if (likely(map->longest <= map->room) && task->left != 0 && task->build(task)) {
		if (noted)
			pg_gaps_note(
				task->gaps, task->state.scratch->due, rte_rdtsc(), task->npkts);
		line_up(task, map);
	}
	if (map->pending == 0)
		return task->left != 0;
	if (unlikely(hand_over_lines(task, map) == 0))
		return held_up(task);
	if (unlikely(task->wait_since != 0))
		tx_wait_end(task, rte_rdtsc());
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
		if (task->gaps != NULL)
			memcpy(task->gaps->due, task->state.scratch->due + sent,
				task->npkts * sizeof(task->gaps->due[0]));
	}
	pg_counter_add(&task->counters.short_calls, 1);
}

static __rte_always_inline bool
turn(struct pg_task *task, const enum sink sink, const bool noted)
{
	const bool tail = task->npkts != 0;
	struct rte_mbuf **pkts = tail ? task->pkts + task->head : task->state.scratch->pkts;
	uint16_t sent;
	uint64_t now;

	if (sink == SINK_QUEUES)
		return turn_queues(task, noted);
	if (likely(!tail) && !task->build(task))
		return task->left != 0;
	if (noted)
		now = rte_rdtsc();
	sent = hand_over(task, pkts, sink);
	if (noted)
		pg_gaps_note(task->gaps,
			tail ? task->gaps->due + task->head : task->state.scratch->due, now, sent);
	pg_counter_add(&task->counters.sent, sent);
	pg_counter_add(&task->counters.calls, 1);
	if (unlikely(sent < task->npkts)) {
		keep_rest(task, pkts, sent);
		return held_up(task);
	}
	task->npkts = 0;
	if (unlikely(tail))
		tx_wait_end(task, rte_rdtsc());
	return task->left != 0;
}

// Chosen before the loop: how a burst is built, by clones, fragments, receipt and clock, and where
// it goes. A call for each: one function for every combination of both would be a hundred.
#define BUILD(name, ...)                         \
	static bool name(struct pg_task *task)   \
	{                                        \
		return build(task, __VA_ARGS__); \
	}

#define BUILDS(name, ...)                                                        \
	BUILD(name, UNPACED, __VA_ARGS__)                                        \
	BUILD(name##_timed, TIMED, __VA_ARGS__)                                  \
	BUILD(name##_paced, PACED, __VA_ARGS__)                                  \
	BUILD(name##_noted, NOTED, __VA_ARGS__)                                  \
	static bool (*const name##_all[])(struct pg_task *) = {[UNPACED] = name, \
		[TIMED] = name##_timed,                                          \
		[PACED] = name##_paced,                                          \
		[NOTED] = name##_noted};

BUILDS(distinct, DISTINCT, false, false)
BUILDS(distinct_verified, DISTINCT, false, true)
BUILDS(distinct_chained, DISTINCT, true, false)
BUILDS(distinct_chained_verified, DISTINCT, true, true)
BUILDS(clones, CLONES, false, false)
BUILDS(clones_verified, CLONES, false, true)
BUILDS(clones_chained, CLONES, true, false)
BUILDS(clones_chained_verified, CLONES, true, true)
BUILDS(hot, HOT, false, false) // tx_hot_check() refuses the others

/** By enum made, fragments and receipt. */
static bool (*const *const builds[][2][2])(struct pg_task *) = {
	{{distinct_all, distinct_verified_all},
		{distinct_chained_all, distinct_chained_verified_all}},
	{{clones_all, clones_verified_all}, {clones_chained_all, clones_chained_verified_all}},
	{{hot_all}},
};

#define TURN(name, sink)                               \
	static bool name(struct pg_task *task)         \
	{                                              \
		return turn(task, sink, false);        \
	}                                              \
	static bool name##_noted(struct pg_task *task) \
	{                                              \
		return turn(task, sink, true);         \
	}

TURN(port, SINK_PORT)
TURN(queues, SINK_QUEUES)
TURN(ring, SINK_RING)
TURN(graph, SINK_GRAPH)
TURN(shared, SINK_GRAPH_SHARED)
TURN(verified, SINK_GRAPH_VERIFIED)

/** By sink, and whether times are noted. */
static bool (*const turns[][2])(struct pg_task *) = {
	[SINK_PORT] = {port, port_noted},
	[SINK_QUEUES] = {queues, queues_noted},
	[SINK_RING] = {ring, ring_noted},
	[SINK_GRAPH] = {graph, graph_noted},
	[SINK_GRAPH_SHARED] = {shared, shared_noted},
	[SINK_GRAPH_VERIFIED] = {verified, verified_noted},
};

void
tx_task_bind(struct pg_task *task, bool paced, bool timed)
{
	enum paced how = paced ? (task->gaps != NULL ? NOTED : PACED) : timed ? TIMED : UNPACED;
	enum sink sink = task->map != NULL                 ? SINK_QUEUES
			 : task->lane != NULL              ? SINK_RING
			 : task->rx == NULL                ? SINK_PORT
			 : task->profile->verified != NULL ? SINK_GRAPH_VERIFIED
			 : task->shared                    ? SINK_GRAPH_SHARED
							   : SINK_GRAPH;

	task->paced = paced;
	task->build = builds[made_as(task)][task->frag_pool != NULL][task->verify != NULL][how];
	task->turn = turns[sink][how == NOTED];
}
