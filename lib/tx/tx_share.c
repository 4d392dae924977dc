/* SPDX-License-Identifier: BSD-3-Clause */
/* Several devices on one lcore. Those that can send take turns in a ring; those that wait for their
 * time are in a timing wheel, so that nobody is asked before it is due and the cost of a packet
 * does not grow with their number. Whose turn is next is fetched from memory meanwhile. */
#include <rte_cycles.h>
#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "pg_wheel.h"
#include "tx_priv.h"

#define TASK_LINES 3  // of a task, that most turns need: with the state's first
#define PACE_LINES 2  // and of its schedule
#define OPS        8u // of a program, that are fetched ahead

/** worker: rw. */
struct tx_share {
	struct pg_wheel wheel;
	struct pg_task **ring; /**< mask + 1 places, more than there are tasks */
	uint32_t head, tail, mask;
	uint64_t before; /**< cycles when the last turn ended */
	uint64_t busy;   /**< cycles of all turns that sent something */
	unsigned int active;
	struct pg_wheel_item item[]; /**< of tasks, by place */
};

struct tx_share *
tx_share_create(unsigned int ntasks, int socket)
{
	uint32_t places = rte_align32pow2(ntasks + 1);
	size_t items = ntasks * sizeof(struct pg_wheel_item);
	struct tx_share *share = rte_zmalloc_socket("pg_share",
		sizeof(*share) + items + places * sizeof(share->ring[0]), RTE_CACHE_LINE_SIZE,
		socket);

	if (share == NULL)
		return NULL;
	share->ring = (struct pg_task **)&share->item[ntasks];
	share->mask = places - 1;
	return share;
}

uint64_t
tx_share_busy(const struct tx_share *share)
{
	return pg_counter_read(&share->busy);
}

static inline void
push(struct tx_share *share, struct pg_task *task)
{
	share->ring[share->tail++ & share->mask] = task;
}

static inline void
fetch_lines(const void *at, unsigned int lines)
{
	for (unsigned int i = 0; i < lines; i++)
		rte_prefetch0((const char *)at + i * RTE_CACHE_LINE_SIZE);
}

// Three turns ahead the task, then its program, then what that points to.
static inline void
fetch(const struct pg_task *third, const struct pg_task *second, const struct pg_task *first)
{
	if (third != NULL) {
		fetch_lines(third, TASK_LINES);
		fetch_lines(&third->wake, PACE_LINES);
		fetch_lines(&third->counters, 1);
	}
	if (second != NULL) {
		fetch_lines(second->prog, 1);
		fetch_lines(second->prog->image, 1);
	}
	if (first != NULL) {
		const struct pg_prog *prog = first->prog;

		for (uint32_t i = 0; i < RTE_MIN(prog->nops, OPS); i++)
			fetch_lines(&prog->ops[i], 1);
	}
}

// One turn. A task whose next packet is not due yet waits in the wheel, the others in the ring.
static inline void
run(struct tx_share *share, struct pg_task *task)
{
	uint64_t calls, now;
	bool more;

	if (unlikely(task->done)) // ended by control's order meanwhile
		return;
	calls = task->counters.calls;
	more = task->turn(task);
	now = rte_rdtsc();
	// The cycles of a turn that sent something are its task's.
	if (task->counters.calls != calls) {
		pg_counter_add(&task->counters.turn_cycles, now - share->before);
		pg_counter_add(&share->busy, now - share->before);
	}
	share->before = now;
	if (unlikely(!more)) {
		tx_task_end(task);
		share->active--;
		return;
	}
	if (!task->paced || tx_is_past(now, task->wake) || tx_task_holds(task)) {
		push(share, task);
		return;
	}
	tx_wait_begin(task, now, PG_WAIT_DUE);
	share->item[task->place].due = task->wake;
	pg_wheel_add(&share->wheel, &share->item[task->place]);
}

// Those whose time has come go before all others.
static void
take_due(struct pg_worker *worker, struct tx_share *share)
{
	const struct pg_wheel_item *due = pg_wheel_take(&share->wheel, share->before), *item;
	uint32_t at;

	for (item = due; item != NULL; item = item->next)
		share->head--;
	at = share->head;
	for (item = due; item != NULL; item = item->next)
		share->ring[at++ & share->mask] = worker->tasks[item - share->item];
}

static void
run_ready(struct pg_worker *worker, struct tx_share *share)
{
	struct pg_task **const ring = share->ring;
	const uint32_t end = share->tail, mask = share->mask;

	while (share->head != end && tx_order(worker) == TX_GO) {
		uint32_t at = share->head++, left = end - at;

		fetch(left > 3 ? ring[(at + 3) & mask] : NULL,
			left > 2 ? ring[(at + 2) & mask] : NULL,
			left > 1 ? ring[(at + 1) & mask] : NULL);
		run(share, ring[at & mask]);
	}
}

void
tx_share_run(struct pg_worker *worker)
{
	struct tx_share *share = worker->share;

	share->before = rte_rdtsc();
	share->head = share->tail = share->active = 0;
	pg_wheel_init(&share->wheel, share->before);
	for (unsigned int i = 0; i < worker->ntasks; i++) {
		if (worker->tasks[i]->done)
			continue;
		push(share, worker->tasks[i]);
		share->active++;
	}
	while (share->active > 0 && tx_order(worker) == TX_GO) {
		take_due(worker, share);
		run_ready(worker, share);
		if (share->head == share->tail) { // all wait for their time
			rte_pause();
			share->before = rte_rdtsc();
		}
	}
}
