/* SPDX-License-Identifier: BSD-3-Clause */
/* How packets come about: what must inline into a turn, each caller with constants of its own. */
#ifndef TX_MAKE_H
#define TX_MAKE_H

#include <rte_debug.h>

#include "tx_priv.h"

// References of one buffer that may be out at once; the count has 16 bits.
#define CLONES_MAX (UINT16_MAX - PG_BURST_MAX)

/** How packets come about: each built, built and repeated in a row, or the first burst over and
 * over. */
enum made { DISTINCT, CLONES, HOT };

/** What a turn asks the clock for: nothing, whether the run's time is over, what is due; and the
 *  last one noted in a histogram. */
enum paced { UNPACED, TIMED, PACED, NOTED };

// Who holds a packet has a reference to it, so a free buffer that somebody has one to is about to
// be written to while it is held.
static __rte_noinline void
check_free(struct rte_mbuf *const *bufs, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++) {
		uint16_t refs = rte_mbuf_refcnt_read(bufs[k]);

		if (refs != 1)
			rte_panic("a free buffer is held: it has %u references\n", refs);
	}
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
		if (PG_DEBUG)
			check_free(frags->seg + frags->n, need - frags->n);
		frags->n = need;
	}
	return true;
}

static __rte_always_inline bool
take(struct pg_task *task, struct rte_mbuf **pkts, unsigned int n, const bool chained)
{
	if (chained && unlikely(!take_frags(task, n)))
		return false;
	if (unlikely(rte_mempool_get_bulk(task->pool, (void **)pkts, n) < 0))
		return false;
	if (PG_DEBUG)
		check_free(pkts, n);
	return true;
}

// Buffers for n packets, built. False: the pool is empty.
static __rte_always_inline bool
build_distinct(struct pg_task *task, unsigned int n, const bool chained)
{
	struct rte_mbuf **pkts = task->state.scratch->pkts;

	task->state.scratch->alike = 0;
	if (unlikely(!take(task, pkts, n, chained)))
		return false;
	pg_prog_run(task->prog, &task->state, pkts, n);
	pg_counter_add(&task->counters.built, n);
	return true;
}

// A fresh buffer with the next packet, or with the current one again when too many of its
// references are out.
static inline bool
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

// Places k to end - 1 of the burst are this buffer. From burst to burst they mostly are already.
static __rte_always_inline void
repeat(struct pg_prog_scratch *scratch, struct rte_mbuf *clone, unsigned int k, unsigned int end)
{
	if (likely(k == 0 && scratch->same == clone && end <= scratch->alike))
		return;
	scratch->same = clone;
	scratch->alike = k == 0 ? end : 0;
	for (; k < end; k++)
		scratch->pkts[k] = clone;
}

// n packets, each built one repeated `copies` times by references. Fewer if the pool runs dry.
static __rte_always_inline unsigned int
build_clones(struct pg_task *task, unsigned int n, const enum paced paced, const bool chained)
{
	uint64_t due[PG_BURST_MAX];
	unsigned int k = 0;

	if (paced >= PACED)
		memcpy(due, task->state.scratch->due, n * sizeof(due[0]));
	while (k < n) {
		struct rte_mbuf *clone = task->clone;
		unsigned int now;
		if (clone == NULL || rte_mbuf_refcnt_read(clone) > CLONES_MAX) {
			if (!clone_refill(task, paced >= PACED ? due[k] : 0))
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
		repeat(task->state.scratch, clone, k, k + now);
		k += now;
	}
	if (paced >= PACED)
		task->state.scratch->due[0] = due[0]; // where the packets built had theirs
	return k;
}

static __rte_always_inline unsigned int
make(struct pg_task *task, unsigned int n, const enum paced paced, const enum made made,
	const bool chained)
{
	if (made == HOT)
		return tx_hot_build(task, n, &task->counters.built);
	if (made == CLONES)
		return build_clones(task, n, paced, chained);
	return build_distinct(task, n, chained) ? n : 0;
}

static inline enum made
made_as(const struct pg_task *task)
{
	return task->hot != NULL ? HOT : task->copies > 1 ? CLONES : DISTINCT;
}

#endif
