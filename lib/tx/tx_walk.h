/* SPDX-License-Identifier: BSD-3-Clause */
/* A burst's way through a receive graph, whoever built or received it. */
#ifndef TX_WALK_H
#define TX_WALK_H

#include "tx_priv.h"

enum tx_walk { WALK_ALONE, WALK_SHARED, WALK_VERIFIED };

// What nodes took of a single walk is seen now and then.
static __rte_always_inline uint64_t
tx_walk_sampled(struct pg_task *task, struct rte_mbuf **pkts)
{
	if (likely(task->to_sample-- != 0))
		return pg_rx_inject(task->rx, pkts, task->npkts, task->mac);
	task->to_sample = PG_RX_SAMPLED - 1;
	return pg_rx_inject_sampled(task->rx, pkts, task->npkts, task->mac, task->profile);
}

// What a graph did is looked at packet by packet: time does not matter.
static inline uint64_t
tx_walk_verified(struct pg_task *task, struct rte_mbuf **pkts)
{
	return pg_rx_inject_verified(task->rx, pkts, task->npkts, task->mac,
		pg_counter_read(&task->counters.sent), task->profile->verified);
}

/** Let the task's npkts packets walk through its graph.
 *  Shape:   pkts[task->npkts]; consumed.  Context: the graph's worker. */
static __rte_always_inline void
tx_walk(struct pg_task *task, struct rte_mbuf **pkts, const enum tx_walk how)
{
	if (how != WALK_ALONE) {
		task->rx->counters = task->profile->counter;
		task->rx->steer = task->steer;
	}
	pg_counter_add(&task->counters.errors,
		how == WALK_VERIFIED ? tx_walk_verified(task, pkts) : tx_walk_sampled(task, pkts));
	if (how != WALK_ALONE)
		pg_rx_profile_collect(task->rx, task->profile);
}

/** How a task's packets walk: chosen before its loop. */
static inline enum tx_walk
tx_walk_of(const struct pg_task *task)
{
	return task->profile->verified != NULL ? WALK_VERIFIED
	       : task->shared                  ? WALK_SHARED
					       : WALK_ALONE;
}

#endif
