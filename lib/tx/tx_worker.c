/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "tx_priv.h"

#define OWN_CHUNKS       9 // the median of so many
#define OWN_CHUNK_BURSTS 256
#define OWN_BUDGET_NS    20000000ULL // for all devices of a thread together

static inline bool
told_to_stop(const struct pg_worker *worker)
{
	return __atomic_load_n(&worker->stop, __ATOMIC_RELAXED) != 0;
}

static void
task_begin(struct pg_task *task, uint64_t now)
{
	task->counters.start_cycles = now;
	task->state.wall_cycles = now;
	pg_pace_start(&task->pace, now);
}

static void
task_end(struct pg_task *task)
{
	uint64_t now = rte_rdtsc();

	task->counters.stop_cycles = now;
	task->ended = task->state;
	if (task->wait_since != 0)
		pg_counter_add(&task->counters.idle_cycles, now - task->wait_since);
	// What was built but never taken is not sent. Fixed sizes are multiplied, not counted.
	task->counters.bytes = task->copies > 1 ? task->clone_bytes : task->state.bytes;
	for (uint16_t k = 0; task->counters.bytes != 0 && k < task->npkts; k++)
		task->counters.bytes -= task->pkts[task->head + k]->pkt_len;
	rte_pktmbuf_free_bulk(task->pkts + task->head, task->npkts);
	rte_pktmbuf_free(task->clone);
	if (task->rx != NULL)
		pg_rx_profile_collect(task->rx, task->profile);
}

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

// Cycles of one chunk of bursts, built as in the run and freed by an empty graph.
static uint64_t
own_chunk(struct pg_task *task, unsigned int bursts)
{
	uint64_t start = rte_rdtsc();

	for (unsigned int b = 0; b < bursts; b++) {
		if (rte_mempool_get_bulk(task->pool, (void **)task->pkts, task->burst) < 0)
			break;
		pg_prog_run(task->prog, &task->state, task->pkts, task->burst);
		pg_rx_inject(task->null, task->pkts, task->burst, task->mac);
	}
	return rte_rdtsc() - start;
}

// The generator's own cost: the same template into the empty graph, after the run and outside its
// account (DESIGN 7).
static void
measure_own(const struct pg_worker *worker, struct pg_task *task, uint64_t budget_cycles)
{
	uint64_t chunk[OWN_CHUNKS], begin = rte_rdtsc();
	unsigned int n = 0;

	own_chunk(task, 1); // warm
	while (n < OWN_CHUNKS && !told_to_stop(worker) &&
		(n == 0 || rte_rdtsc() - begin < budget_cycles))
		chunk[n++] = own_chunk(task, OWN_CHUNK_BURSTS);
	if (n == 0)
		return;
	qsort(chunk, n, sizeof(chunk[0]), compare_u64);
	task->own_cycles = (double)chunk[n / 2] / OWN_CHUNK_BURSTS / task->burst;
}

void
tx_worker_run(struct pg_worker *worker, const struct pg_clock *clock)
{
	struct pg_task **tasks = worker->tasks;
	unsigned int active = worker->ntasks, all = worker->ntasks;
	uint64_t now = rte_rdtsc(), frac, budget;

	for (unsigned int i = 0; i < all; i++)
		task_begin(tasks[i], now);
	// Tasks take turns; a finished one changes places with the last active one.
	while (active > 0 && !told_to_stop(worker)) {
		for (unsigned int i = 0; i < active && !told_to_stop(worker);) {
			struct pg_task *task = tasks[i];

			if (likely(task->turn(task))) {
				i++;
				continue;
			}
			task_end(task);
			tasks[i] = tasks[--active];
			tasks[active] = task;
		}
	}
	for (unsigned int i = 0; i < active; i++)
		task_end(tasks[i]);
	budget = pg_clock_cycles(clock, OWN_BUDGET_NS, &frac) / RTE_MAX(all, 1u);
	for (unsigned int i = 0; i < all; i++) {
		if (tasks[i]->rx != NULL && tasks[i]->counters.built > 0)
			measure_own(worker, tasks[i], budget);
	}
}

int
pg_engine_worker(void *arg)
{
	struct pg_thread *thread = arg;
	struct pg_worker *worker = thread->worker;
	struct pg_engine *engine = thread->engine;

	pthread_mutex_lock(&worker->lock);
	worker->self = pthread_self();
	worker->self_known = true;
	for (;;) {
		while (!worker->busy && !worker->quit)
			pthread_cond_wait(&worker->wake, &worker->lock);
		if (worker->quit)
			break;
		pthread_mutex_unlock(&worker->lock);
		tx_worker_run(worker, engine->config.clock);
		pthread_mutex_lock(&worker->lock);
		worker->busy = false;
		pthread_mutex_lock(&engine->lock);
		engine->nbusy--;
		pthread_cond_broadcast(&engine->done);
		pthread_mutex_unlock(&engine->lock);
	}
	pthread_mutex_unlock(&worker->lock);
	return 0;
}
