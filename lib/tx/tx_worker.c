/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "pg_units.h"
#include "tx_priv.h"

#define OWN_CHUNKS       33
#define OWN_CHUNK_BURSTS UINT64_C(64)
#define OWN_BUDGET_NS    20000000ULL // for all devices of a thread together

static void
task_begin(struct pg_task *task, uint64_t start, uint64_t wall_ns)
{
	task->counters.start_cycles = start - task->before_cycles;
	task->state.wall_cycles = start;
	task->state.wall_ns = wall_ns;
	task->state.scratch->alike = 0;
	pg_pace_start(&task->pace, start);
	task->stop_at = start + task->run_cycles;
	task->give_up_at = task->stop_at + task->grace_cycles;
	tx_task_awake(task);
	if (task->verify != NULL)
		pg_verify_begin(task->verify, start, wall_ns, task->state.ns_per_cycle,
			task->state.ns_per_cycle);
}

void
tx_task_end(struct pg_task *task)
{
	uint64_t now = rte_rdtsc();

	task->counters.stop_cycles = now;
	task->ended = task->state;
	task->state.walk = task->spare; // what is built from here on leaves no trace
	if (task->wait_since != 0) {
		pg_counter_add(&task->counters.idle_cycles, now - task->wait_since);
		pg_counter_add(&task->counters.waited[task->wait_for], now - task->wait_since);
	}
	// What was built but never taken is not sent. Fixed sizes are multiplied, not counted.
	task->counters.bytes = tx_task_bytes(task);
	for (uint16_t k = 0; task->counters.bytes != 0 && k < task->npkts; k++)
		task->counters.bytes -= task->pkts[task->head + k]->pkt_len;
	if (task->map != NULL)
		tx_map_drop(task->map, &task->counters.bytes);
	task->held = task->npkts + (task->map != NULL ? task->map->pending : 0);
	rte_pktmbuf_free_bulk(task->pkts + task->head, task->npkts);
	rte_pktmbuf_free(task->clone);
	tx_hot_release(task);
	if (task->rx != NULL)
		pg_rx_profile_collect(task->rx, task->profile);
	tx_handoffs_close(task);
	__atomic_store_n(&task->done, 1, __ATOMIC_RELEASE);
}

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

// A burst as the run had it, which is not counted.
static bool
build_own(struct pg_task *task, struct rte_mbuf **pkts)
{
	uint64_t built = 0;

	if (task->hot != NULL)
		return tx_hot_build(task, task->burst, &built) > 0;
	if (!tx_task_take(task, pkts, task->burst))
		return false;
	pg_prog_run(task->prog, &task->state, pkts, task->burst);
	return true;
}

// Cycles of a few bursts, built as in the run and freed by an empty graph. 0: there are no buffers.
static uint64_t
own_chunk(struct pg_task *task, unsigned int bursts)
{
	struct rte_mbuf **pkts = task->state.scratch->pkts;
	uint64_t start = rte_rdtsc();

	for (unsigned int b = 0; b < bursts; b++) {
		if (!build_own(task, pkts))
			return 0;
		pg_rx_inject(task->null, pkts, task->burst, task->mac);
	}
	return rte_rdtsc() - start;
}

// The generator's own cost: the same template into the empty graph, after the run and outside its
// account (DESIGN 7). The median of chunks, which are as long as the budget allows.
static void
measure_own(struct pg_task *task, uint64_t budget_cycles)
{
	uint64_t chunk[OWN_CHUNKS], begin = rte_rdtsc(), one;
	unsigned int bursts, n = 0;

	own_chunk(task, 1); // warm
	one = own_chunk(task, 1);
	if (one == 0)
		return;
	bursts = RTE_MIN(budget_cycles / (one * OWN_CHUNKS), OWN_CHUNK_BURSTS);
	bursts = RTE_MAX(bursts, 1u);
	while (n < OWN_CHUNKS && (n == 0 || rte_rdtsc() - begin < budget_cycles))
		chunk[n++] = own_chunk(task, bursts);
	qsort(chunk, n, sizeof(chunk[0]), compare_u64);
	task->own_cycles = (double)chunk[n / 2] / bursts / task->burst;
	tx_hot_release(task);
}

static void
run_alone(struct pg_worker *worker)
{
	struct pg_task *task = worker->tasks[0];

	while (!task->done && tx_order(worker) == TX_GO) {
		if (unlikely(!task->turn(task)))
			tx_task_end(task);
	}
}

// Go on at another rate from the next packet on.
static void
change_rate(struct pg_task *task, const struct tx_change *change)
{
	const struct pg_pace *next = &change->pace;
	uint64_t now = rte_rdtsc();
	uint32_t bytes = 0;

	task->changed = change;
	if (task->verify != NULL)
		pg_verify_moved(task->verify);
	if (task->paced) {
		if (task->pace.sizes || next->sizes)
			bytes = tx_task_next_bytes(task);
		pg_pace_change(&task->pace, next, now, bytes);
	} else {
		task->pace = *next;
		pg_pace_start(&task->pace, now);
	}
	task->take = pg_pace_taker(&task->pace);
	tx_task_bind(task, true, false);
	tx_task_awake(task);
}

// End the tasks that control has cancelled, change the rates of others, and go on with those unless
// told to stop too. Returns how many are left.
static unsigned int
review_tasks(struct pg_worker *worker)
{
	uint8_t review = TX_REVIEW;
	unsigned int left = 0;

	__atomic_compare_exchange_n(
		&worker->order, &review, TX_GO, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < worker->ntasks; i++) {
		struct pg_task *task = worker->tasks[i];

		const struct tx_change *change = __atomic_load_n(&task->change, __ATOMIC_ACQUIRE);

		if (!task->done && __atomic_load_n(&task->cancelled, __ATOMIC_ACQUIRE))
			tx_task_end(task);
		if (!task->done && change != task->changed)
			change_rate(task, change);
		left += !task->done;
	}
	return left;
}

// A stop ends those who hand packets over; what is in the rings still walks. Who fills them may not
// have the CPU just now.
static void
drain(struct pg_worker *worker)
{
	unsigned int left, i;

	do {
		left = 0;
		for (i = 0; i < worker->ntasks; i++) {
			struct pg_task *task = worker->tasks[i];

			if (task->done)
				continue;
			if (task->turn(task))
				left++;
			else
				tx_task_end(task);
		}
		if (left > 0)
			sched_yield();
	} while (left > 0);
}

// Nothing is handed over before all are there who receive.
static void
meet(const struct pg_worker *worker, struct pg_engine *engine)
{
	if (engine->nhandoffs == 0)
		return;
	__atomic_add_fetch(&engine->ncome, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&engine->ncome, __ATOMIC_ACQUIRE) < engine->nlaunched &&
		tx_order(worker) != TX_STOP)
		sched_yield();
}

// What the kernel has counted of this thread, less what stands there already.
static void
read_usage(struct pg_worker *worker)
{
	struct rusage now;

	(void)getrusage(RUSAGE_THREAD, &now);
	worker->cpu_ns = (uint64_t)(now.ru_utime.tv_sec + now.ru_stime.tv_sec) * PG_NS_PER_S +
			 (uint64_t)(now.ru_utime.tv_usec + now.ru_stime.tv_usec) * PG_NS_PER_US -
			 worker->cpu_ns;
	worker->wall_ns = pg_clock_monotonic_ns() - worker->wall_ns;
	worker->preempted = (uint64_t)now.ru_nivcsw - worker->preempted;
	worker->sleeps = (uint64_t)now.ru_nvcsw - worker->sleeps;
}

void
tx_worker_run(struct pg_worker *worker, struct pg_engine *engine)
{
	const struct pg_clock *clock = engine->config.clock;
	unsigned int all = worker->ntasks, left;
	uint64_t start, wall_ns, frac, budget;

	meet(worker, engine);
	start = tx_instant_wait(worker, engine);
	wall_ns = pg_clock_wall_ns();
	wall_ns -= pg_clock_ns(clock, rte_rdtsc() - start); // what it was at the start
	if (engine->config.origin != NULL && engine->config.origin->wall_ns != 0)
		wall_ns = engine->config.origin->wall_ns;
	worker->wall_ns = worker->cpu_ns = worker->preempted = worker->sleeps = 0;
	worker->usage_known = false;
	read_usage(worker);
	for (unsigned int i = 0; i < all; i++)
		task_begin(worker->tasks[i], start, wall_ns);
	do {
		if (worker->share != NULL)
			tx_share_run(worker);
		else
			run_alone(worker);
		left = review_tasks(worker);
	} while (left > 0 && tx_order(worker) != TX_STOP);
	for (unsigned int i = 0; i < all; i++) {
		if (!worker->tasks[i]->done && worker->tasks[i]->from == NULL)
			tx_task_end(worker->tasks[i]);
	}
	drain(worker);
	read_usage(worker);
	worker->usage_known = true;
	budget = pg_clock_cycles(clock, OWN_BUDGET_NS, &frac) / RTE_MAX(all, 1u);
	for (unsigned int i = 0; i < all; i++) {
		struct pg_task *task = worker->tasks[i];

		if (task->null != NULL && task->counters.built > 0)
			measure_own(task, budget);
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
		tx_worker_run(worker, engine);
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
