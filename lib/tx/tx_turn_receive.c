/* SPDX-License-Identifier: BSD-3-Clause */
/* One turn of a task that builds nothing: take what has come, and let it walk through the graph. */
#include <rte_cycles.h>

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

static bool
ring(struct pg_task *task)
{
	return receive_ring(task, WALK_ALONE);
}

static bool
ring_shared(struct pg_task *task)
{
	return receive_ring(task, WALK_SHARED);
}

static bool
ring_verified(struct pg_task *task)
{
	return receive_ring(task, WALK_VERIFIED);
}

static bool (*const from_ring[])(struct pg_task *) = {
	[WALK_ALONE] = ring,
	[WALK_SHARED] = ring_shared,
	[WALK_VERIFIED] = ring_verified,
};

void
tx_task_bind_receiver(struct pg_task *task)
{
	task->turn = from_ring[tx_walk_of(task)];
}
