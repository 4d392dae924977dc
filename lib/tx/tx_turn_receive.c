/* SPDX-License-Identifier: BSD-3-Clause */
/* One turn of a task that builds nothing: take what has come, and let it walk through the graph. */
#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "tx_walk.h"

static inline unsigned int
dequeue(struct pg_task *task)
{
	return rte_ring_sc_dequeue_burst(
		task->from->lane.ring, (void **)task->state.scratch->pkts, task->burst, NULL);
}

// Nothing has come.
static inline bool
idle(struct pg_task *task)
{
	if (task->wait_since == 0)
		tx_wait_begin(task, rte_rdtsc(), PG_WAIT_DUE);
	rte_pause();
	return true;
}

static __rte_always_inline bool
receive_ring(struct pg_task *task, const enum tx_walk how)
{
	unsigned int n = dequeue(task);

	if (unlikely(n == 0)) {
		if (!__atomic_load_n(&task->from->closed, __ATOMIC_ACQUIRE))
			return idle(task);
		n = dequeue(task); // what came before it was closed
		if (n == 0)
			return false;
	}
	if (unlikely(task->wait_since != 0))
		tx_wait_end(task, rte_rdtsc());
	task->npkts = n;
	tx_walk(task, task->state.scratch->pkts, how);
	task->npkts = 0;
	pg_counter_add(&task->counters.sent, n);
	pg_counter_add(&task->counters.calls, 1);
	return true;
}

// What a driver gives beyond the count is not a part of the run.
static __rte_noinline unsigned int
leave_surplus(struct pg_task *task, unsigned int n)
{
	struct rte_mbuf **pkts = task->state.scratch->pkts;
	unsigned int part = (unsigned int)task->left;

	rte_pktmbuf_free_bulk(pkts + part, n - part);
	task->surplus += n - part;
	return part;
}

static __rte_always_inline bool
receive_port(struct pg_task *task, const enum tx_walk how, const bool timed)
{
	struct rte_mbuf **pkts = task->state.scratch->pkts;
	uint16_t ask = RTE_MIN(task->burst, task->left);
	unsigned int n;

	ask = RTE_MAX(ask, task->least);

	if (timed && tx_is_past(rte_rdtsc(), task->stop_at))
		return false;
	n = rte_eth_rx_burst(task->port, task->queue, pkts, ask);
	if (unlikely(n == 0))
		return idle(task);
	if (unlikely(n > task->left))
		n = leave_surplus(task, n);
	if (unlikely(task->wait_since != 0))
		tx_wait_end(task, rte_rdtsc());
	for (unsigned int k = 0; k < n; k++)
		task->state.bytes += pkts[k]->pkt_len;
	task->npkts = n;
	tx_walk(task, pkts, how);
	task->npkts = 0;
	task->left -= n;
	pg_counter_add(&task->counters.sent, n);
	pg_counter_add(&task->counters.calls, 1);
	return task->left != 0;
}

#define TURNS(name, how)                               \
	static bool ring_##name(struct pg_task *task)  \
	{                                              \
		return receive_ring(task, how);        \
	}                                              \
	static bool port_##name(struct pg_task *task)  \
	{                                              \
		return receive_port(task, how, false); \
	}                                              \
	static bool timed_##name(struct pg_task *task) \
	{                                              \
		return receive_port(task, how, true);  \
	}

TURNS(alone, WALK_ALONE)
TURNS(shared, WALK_SHARED)
TURNS(verified, WALK_VERIFIED)

/** By walk, from the ring, the port, and that for a time. */
static bool (*const turns[][3])(struct pg_task *) = {
	[WALK_ALONE] = {ring_alone, port_alone, timed_alone},
	[WALK_SHARED] = {ring_shared, port_shared, timed_shared},
	[WALK_VERIFIED] = {ring_verified, port_verified, timed_verified},
};

void
tx_task_bind_receiver(struct pg_task *task, bool timed)
{
	task->turn = turns[tx_walk_of(task)][task->receives ? 1 + timed : 0];
}
