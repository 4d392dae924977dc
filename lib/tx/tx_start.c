/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "pg_units.h"
#include "tx_priv.h"

#define LINK_WAIT_MS 3000

static void
destroy_tasks(struct pg_engine *engine)
{
	struct pg_device *device;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		tx_task_destroy(device->task);
		device->task = NULL;
	}
	engine->nhandoffs = 0;
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			engine->threads[i]->worker->handoffs = NULL;
	}
}

static uint64_t
fresh_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = pg_clock_wall_ns();
	return seed & PG_SEED_MAX;
}

static int
link_wait(struct pg_engine *engine, struct pg_error *err)
{
	struct pg_device *device;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		bool sends = device->settings.xmit_mode != PG_XMIT_NETIF_RECEIVE;

		if ((!sends && !tx_receives(device)) || engine->stopped ||
			pg_port_link_wait(device->port, LINK_WAIT_MS))
			continue;
		pg_error_set(
			err, PG_FAULT_ENV, ENETDOWN, "the link of %s is down", device->port->name);
		return pg_error_remedy(err, "connect it, or set the interface up");
	}
	return 0;
}

static int
create_tasks(struct pg_engine *engine, struct pg_error *err)
{
	struct pg_device *device;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		int rc = tx_task_create(device, tx_queue_of(device), err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

// Hand each worker its tasks; oldest device first.
static int
assign(struct pg_thread *thread, struct pg_error *err)
{
	struct pg_worker *worker = thread->worker;
	struct pg_device *device;
	unsigned int n = 0;

	TAILQ_FOREACH(device, &thread->devices, in_thread)
	n++;
	for (const struct tx_handoff *h = worker->handoffs; h != NULL; h = h->in_thread)
		n++;
	free(worker->tasks);
	worker->tasks = calloc(n + 1, sizeof(worker->tasks[0]));
	if (worker->tasks == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	rte_free(worker->share);
	worker->share = NULL;
	if (n > 1)
		worker->share = tx_share_create(n, (int)rte_lcore_to_socket_id(thread->lcore));
	if (n > 1 && worker->share == NULL) {
		worker->ntasks = 0;
		pg_error_set(err, PG_FAULT_ENV, ENOMEM, "no memory for %u devices on a thread", n);
		return pg_error_remedy(err, "reserve more with --memory");
	}
	worker->ntasks = n;
	TAILQ_FOREACH(device, &thread->devices, in_thread)
	{
		worker->tasks[--n] = device->task;
		device->task->place = n;
	}
	for (struct tx_handoff *h = worker->handoffs; h != NULL; h = h->in_thread) {
		worker->tasks[--n] = h->task;
		h->task->place = n;
	}
	return 0;
}

static int
assign_all(struct pg_engine *engine, struct pg_error *err)
{
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			rc = assign(engine->threads[i], err);
	}
	return rc;
}

static void
announce(struct pg_engine *engine)
{
	cpu_set_t polling;

	CPU_ZERO(&polling);
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL && engine->threads[i]->worker->ntasks > 0) {
			cpu_set_t cpus = rte_lcore_cpuset(i);

			CPU_OR(&polling, &polling, &cpus);
		}
	}
	if (engine->config.polling != NULL)
		engine->config.polling(engine->config.ctx, &polling);
}

// What the user left open or set too high, as pktgen sets it at start for good (reference 6.1.1 and
// 6.1.3).
static void
write_back(struct pg_template *tmpl, const struct pg_prog *prog, const struct pg_port *port)
{
	tmpl->queue_map_min = tx_map_clamp(port, tmpl->queue_map_min);
	tmpl->queue_map_max = tx_map_clamp(port, tmpl->queue_map_max);
	if (tmpl->min_size == 0)
		tmpl->min_size = prog->flow.field[PG_FIELD_SIZE].lo;
	tmpl->max_size = RTE_MAX(tmpl->max_size, tmpl->min_size);
}

static void
launch(struct pg_engine *engine)
{
	struct pg_device *device;
	uint64_t now_ns = pg_clock_monotonic_ns(), now_us;

	if (engine->run.at_instant)
		now_ns += engine->run.started_wall_ns - pg_clock_wall_ns();
	now_us = now_ns / PG_NS_PER_US;
	pg_rx_shared_begin();
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		device->asked = device->settings.count;
		device->asked_rate = device->settings.rate;
		device->rate_changes = 0;
		device->asked_mode = device->settings.xmit_mode;
		device->shortfall[0] = '\0';
		write_back(&device->settings.tmpl, device->task->prog, device->port);
		device->current.started_us = now_us;
		snprintf(device->reply, sizeof(device->reply), "Starting");
	}
	if (!engine->run.at_instant)
		engine->run.started_wall_ns = pg_clock_wall_ns();
	pthread_mutex_lock(&engine->lock);
	engine->nbusy = engine->ncome = 0;
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		struct pg_worker *worker = engine->threads[i] ? engine->threads[i]->worker : NULL;

		if (worker == NULL || worker->ntasks == 0)
			continue;
		engine->nbusy++;
		// A stop that came while the run was prepared counts.
		__atomic_store_n(
			&worker->order, engine->stopped ? TX_STOP : TX_GO, __ATOMIC_RELAXED);
	}
	engine->nlaunched = engine->nbusy;
	pthread_mutex_unlock(&engine->lock);
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		struct pg_worker *worker = engine->threads[i] ? engine->threads[i]->worker : NULL;

		if (worker == NULL || worker->ntasks == 0)
			continue;
		pthread_mutex_lock(&worker->lock);
		worker->busy = true;
		pthread_cond_signal(&worker->wake);
		pthread_mutex_unlock(&worker->lock);
	}
}

static int
check_source(const struct pg_device *device, struct pg_error *err)
{
	if (!tx_receives(device) || device->thread->engine->config.dry == NULL)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "a dry run has no packets to receive");
	return pg_error_expect(err, "rx_source inject");
}

// What a template or a port cannot do is refused before any port is touched.
static int
check_templates(struct pg_engine *engine, struct pg_error *err)
{
	struct pg_device *device;
	struct pg_flow flow;
	int rc = 0;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		rc = tx_device_resolve(device, &flow, err);
		if (rc == 0)
			rc = tx_rate_check(device, &flow, err);
		if (rc == 0)
			rc = tx_frags_check(device, err);
		if (rc == 0)
			rc = tx_hot_check(device, err);
		if (rc == 0)
			rc = check_source(device, err);
		if (rc == 0)
			rc = tx_handoff_check(device, err);
		if (rc < 0) {
			struct pg_error named = *err;

			snprintf(named.text, sizeof(named.text), "%.60s: %.200s", device->name,
				err->text);
			*err = named;
			break;
		}
	}
	return rc;
}

static int
prepare(struct pg_engine *engine, struct pg_error *err)
{
	int rc = check_templates(engine, err);

	if (rc < 0)
		return rc;
	destroy_tasks(engine);
	rc = tx_queues_prepare(engine, engine->config.dry == NULL, err);
	if (rc == 0)
		rc = create_tasks(engine, err);
	if (rc == 0 && engine->config.dry == NULL)
		rc = link_wait(engine, err);
	if (rc == 0)
		rc = assign_all(engine, err);
	if (rc == 0)
		rc = tx_account_begin(engine, err);
	if (rc < 0)
		destroy_tasks(engine);
	return rc;
}

void
tx_running_set(struct pg_engine *engine, bool running)
{
	pthread_mutex_lock(&engine->lock);
	engine->running = running;
	if (running) {
		engine->stopped = engine->stop_next;
		engine->stop_next = false;
	}
	pthread_mutex_unlock(&engine->lock);
}

int
pg_engine_start(struct pg_engine *engine, struct pg_error *err)
{
	int rc;

	if (pg_engine_running(engine))
		return pg_error_set(err, PG_FAULT_INPUT, EBUSY, "a run goes on already");
	tx_running_set(engine, true);
	engine->run.seed = engine->seed_fixed ? engine->seed : fresh_seed();
	engine->run.interrupted = engine->run.fell_short = false;
	pg_clock_refine(engine->config.clock);
	rc = tx_instant_set(engine, err);
	if (rc == 0)
		rc = prepare(engine, err);
	if (rc < 0) {
		tx_running_set(engine, false);
		return rc;
	}
	if (engine->config.dry != NULL) {
		rc = tx_dry_run(engine, err);
		if (rc < 0)
			tx_running_set(engine, false);
		return rc;
	}
	announce(engine);
	launch(engine);
	return 0;
}
