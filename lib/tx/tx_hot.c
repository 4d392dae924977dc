/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that are built once and injected again and again in the same few buffers, as Linux
 * injects one skb `burst` times. The task keeps a reference to each, and the graph has another: who
 * holds a packet longer has one too, and then it is his, and the next packet of the stream takes
 * its place.
 */
#include <errno.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "tx_priv.h"

/** Of an mbuf: data_off, refcnt, nb_segs, port and ol_flags. */
#define REARM_BYTES 16

static_assert(offsetof(struct rte_mbuf, ol_flags) == offsetof(struct rte_mbuf, data_off) + 8,
	"they lie in a row");
static_assert(offsetof(struct rte_mbuf, refcnt) == offsetof(struct rte_mbuf, data_off) + 2,
	"they are one word");

/** worker: rw; control reads it after the run. */
struct tx_hot {
	uint32_t n;  /**< packets there; 0: none is built yet */
	uint32_t at; /**< place of the next one */
	uint64_t replaced;
	uint64_t bytes; /**< of all n */
	uint32_t back;  /**< data_off and refcnt of a packet that nobody moved or holds */
	uint8_t rearm[REARM_BYTES]; /**< as it is to be when a packet is injected */
	struct rte_mbuf *pkts[];
};

int
tx_hot_check(const struct pg_device *device, struct pg_error *err)
{
	const struct pg_device_settings *set = &device->settings;
	struct pg_thread *threads[PG_RX_STEER_MAX];
	const char *why = NULL;

	if (set->xmit_mode != PG_XMIT_NETIF_RECEIVE || set->rx.buffers != PG_RX_BUFFERS_HOT)
		return 0;
	if (set->tmpl.frags > 0)
		why = "packets of several segments";
	else if (set->verify > 0)
		why = "a receipt, which is for packets that all differ";
	else if (!(set->tmpl.flags & PG_FLAG_SHARED))
		why = "the flag !SHARED, which hands packets over for good";
	else if (set->inject == PG_INJECT_RING || tx_steered_threads(device, threads) > 0)
		why = "other threads, which may still have them";
	else if (tx_graph_writes(set))
		why = "nodes that may write to packets";
	if (why == NULL)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "hot buffers do not go with %s", why);
	return pg_error_expect(err, "rx_buffers fresh");
}

int
tx_hot_create(struct pg_task *task)
{
	if (task->device->settings.xmit_mode != PG_XMIT_NETIF_RECEIVE ||
		task->device->settings.rx.buffers != PG_RX_BUFFERS_HOT)
		return 0;
	task->hot = rte_zmalloc_socket("pg_hot",
		sizeof(*task->hot) + task->burst * sizeof(task->hot->pkts[0]), RTE_CACHE_LINE_SIZE,
		(int)rte_lcore_to_socket_id(task->device->thread->lcore));
	return task->hot != NULL ? 0 : -ENOMEM;
}

static void
sum_up(struct tx_hot *hot)
{
	hot->bytes = 0;
	for (uint32_t k = 0; k < hot->n; k++)
		hot->bytes += hot->pkts[k]->pkt_len;
}

// The first burst of the run. What is not due yet has the time of the last one that is.
static __rte_noinline bool
fill(struct pg_task *task, unsigned int due, uint64_t *built)
{
	uint64_t wanted = RTE_MAX(task->left, (uint64_t)due); // nothing is left after the run
	unsigned int n = RTE_MIN((uint64_t)task->burst, wanted);
	struct pg_prog_scratch *scratch = task->state.scratch;
	struct tx_hot *hot = task->hot;
	const uint16_t two = 2;

	if (!tx_task_take(task, hot->pkts, n))
		return false;
	for (unsigned int k = due; k < n; k++)
		scratch->due[k] = scratch->due[due - 1];
	pg_prog_run(task->prog, &task->state, hot->pkts, n);
	pg_counter_add(built, n);
	memcpy(hot->rearm, &hot->pkts[0]->data_off, sizeof(hot->rearm));
	memcpy(&hot->back, hot->rearm, sizeof(hot->back));
	memcpy(hot->rearm +
			(offsetof(struct rte_mbuf, refcnt) - offsetof(struct rte_mbuf, data_off)),
		&two, sizeof(two));
	hot->n = n;
	hot->at = 0;
	sum_up(hot);
	return true;
}

// The packets of this burst that somebody else has. False: the pool is empty.
static __rte_noinline bool
replace(struct pg_task *task, unsigned int n, uint64_t *built)
{
	struct rte_mbuf **pkts = task->state.scratch->pkts, *fresh[PG_RX_BURST_MAX];
	struct tx_hot *hot = task->hot;
	uint16_t held[PG_RX_BURST_MAX];
	unsigned int m = 0;

	for (unsigned int k = 0; k < n; k++) {
		if (rte_mbuf_refcnt_read(pkts[k]) != 1)
			held[m++] = k;
	}
	if (m == 0) // given back meanwhile
		return true;
	if (!tx_task_take(task, fresh, m))
		return false;
	pg_prog_run(task->prog, &task->state, fresh, m);
	pg_counter_add(built, m);
	hot->replaced += m;
	for (unsigned int i = 0; i < m; i++) {
		unsigned int at = hot->at + held[i];

		rte_pktmbuf_free(pkts[held[i]]);
		pkts[held[i]] = fresh[i];
		hot->pkts[at < hot->n ? at : at - hot->n] = fresh[i];
	}
	return true;
}

// Those that are held are replaced, and those that a node moved begin where they did.
static __rte_noinline bool
mend(struct pg_task *task, unsigned int n, uint64_t *built)
{
	struct rte_mbuf **pkts = task->state.scratch->pkts;

	if (!replace(task, n, built))
		return false;
	for (unsigned int k = 0; k < n; k++) {
		uint16_t skipped = pkts[k]->data_off - RTE_PKTMBUF_HEADROOM;

		pkts[k]->data_off = RTE_PKTMBUF_HEADROOM;
		pkts[k]->data_len += skipped;
		pkts[k]->pkt_len += skipped;
	}
	sum_up(task->hot);
	return true;
}

// The next n by turns.
static inline void
line_up(const struct tx_hot *hot, struct rte_mbuf **pkts, unsigned int n)
{
	unsigned int first = RTE_MIN(n, hot->n - hot->at);

	memcpy(pkts, hot->pkts + hot->at, first * sizeof(pkts[0]));
	memcpy(pkts + first, hot->pkts, (n - first) * sizeof(pkts[0]));
}

unsigned int
tx_hot_build(struct pg_task *task, unsigned int n, uint64_t *built)
{
	struct rte_mbuf **pkts = task->state.scratch->pkts;
	struct tx_hot *hot = task->hot;
	uint64_t bytes = 0;
	uint32_t odd = 0, word;

	if (unlikely(hot->n == 0) && !fill(task, n, built))
		return 0;
	task->state.scratch->alike = 0;
	line_up(hot, pkts, n);
	for (unsigned int k = 0; k < n; k++) {
		memcpy(&word, &pkts[k]->data_off, sizeof(word));
		odd |= word ^ hot->back;
	}
	if (unlikely(odd != 0) && !mend(task, n, built))
		return 0;
	__atomic_thread_fence(__ATOMIC_ACQUIRE); // who gave a packet back has read it before
	for (unsigned int k = 0; k < n; k++)
		memcpy(&pkts[k]->data_off, hot->rearm, sizeof(hot->rearm));
	if (likely(n == hot->n))
		bytes = hot->bytes;
	for (unsigned int k = 0; n != hot->n && k < n; k++)
		bytes += pkts[k]->pkt_len;
	hot->at = hot->at + n < hot->n ? hot->at + n : hot->at + n - hot->n;
	pg_counter_add(&task->clone_bytes, bytes);
	return n;
}

void
tx_hot_release(struct pg_task *task)
{
	struct tx_hot *hot = task->hot;

	for (uint32_t k = 0; hot != NULL && k < hot->n; k++)
		rte_pktmbuf_free(hot->pkts[k]);
	if (hot != NULL)
		hot->n = 0;
}

void
tx_hot_tell(const struct pg_task *task, struct pg_placement *out)
{
	if (task->hot == NULL)
		return;
	out->replaced = task->hot->replaced;
	out->repeated = (uint32_t)(pg_counter_read(&task->counters.built) - out->replaced);
}
