/* SPDX-License-Identifier: BSD-3-Clause */
/* While a run goes on: watch its links, stop it, wait for its end. */
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "pg_units.h"
#include "tx_priv.h"

#define WATCH_NS 100000000 // how often a run's links are looked at
#define KICK_NS  1000000   // how often a stopped worker is reminded

// A driver may sleep in the kernel without end (net_af_packet polls for a free slot): a signal with
// an empty handler lets its call return.
static void
kick(struct pg_worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	if (worker->busy && worker->self_known)
		pthread_kill(worker->self, PG_KICK_SIGNAL);
	pthread_mutex_unlock(&worker->lock);
}

static void
kick_workers(struct pg_engine *engine)
{
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			kick(engine->threads[i]->worker);
	}
}

static void
cancel(struct pg_device *device)
{
	struct pg_worker *worker = device->thread->worker;
	uint8_t go = TX_GO;

	snprintf(device->shortfall, sizeof(device->shortfall),
		pg_port_gone(device->port) ? "%s is there no more" : "the link of %s went down",
		device->port->name);
	__atomic_store_n(&device->task->cancelled, 1, __ATOMIC_RELEASE);
	__atomic_compare_exchange_n(
		&worker->order, &go, TX_REVIEW, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

// Who receives waits for a link to come back, but not for a port that is gone.
static bool
has_lost_port(const struct pg_device *device)
{
	return device->task->receives && pg_port_gone(device->port);
}

// The devices of a port whose link is lost end (reference 6.2). True if some are to end.
static bool
watch_links(struct pg_engine *engine)
{
	struct pg_device *device;
	bool any = false;

	for (struct pg_port *p = pg_ports_first(engine->ports); p != NULL; p = p->next) {
		if (p->ntxqs == 0 || pg_port_link_wait(p, 0))
			continue;
		TAILQ_FOREACH(device, &engine->devices, in_engine)
		{
			if (device->port != p || device->task == NULL ||
				(device->task->injects && !has_lost_port(device)))
				continue;
			if (!device->task->cancelled)
				cancel(device);
			any = true;
		}
	}
	return any;
}

// Who holds the control lock meanwhile may be changing the devices: the links can wait.
static bool
watch(struct pg_engine *engine)
{
	bool any;

	if (pthread_mutex_trylock(&engine->control) != 0)
		return false;
	any = watch_links(engine);
	pg_clock_refine(engine->config.clock);
	pthread_mutex_unlock(&engine->control);
	return any;
}

// Sleep until a worker has become idle, at most ns. True: the time is over. Under engine->lock.
static bool
nap(struct pg_engine *engine, long ns)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / (long)PG_NS_PER_S;
	until.tv_nsec %= (long)PG_NS_PER_S;
	return pthread_cond_timedwait(&engine->done, &engine->lock, &until) != 0;
}

// Wait until no worker runs. With the control lock or without.
static void
wait_idle(struct pg_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	while (engine->nbusy > 0) {
		bool stopped = engine->stopped || engine->restarting;

		if (!nap(engine, stopped ? KICK_NS : WATCH_NS))
			continue;
		pthread_mutex_unlock(&engine->lock);
		if (stopped || watch(engine))
			kick_workers(engine);
		pthread_mutex_lock(&engine->lock);
	}
	pthread_mutex_unlock(&engine->lock);
}

static void
finish(struct pg_engine *engine)
{
	struct pg_device *device;
	cpu_set_t none;

	CPU_ZERO(&none);
	if (engine->config.dry == NULL && engine->config.polling != NULL)
		engine->config.polling(engine->config.ctx, &none);
	if (engine->config.dry == NULL) { // else all was written before start returned
		pg_clock_refine(engine->config.clock);
		TAILQ_FOREACH(device, &engine->devices, in_engine)
		{
			if (device->task == NULL)
				continue;
			tx_device_finish(device);
		}
		tx_graphs_settle(engine);
		TAILQ_FOREACH(device, &engine->devices, in_engine)
		{
			if (device->task == NULL)
				continue;
			tx_judge_limit(device);                        // by all that is known now
			device->own_cycles = device->task->own_cycles; // known last
			device->pool_in_use = tx_pool_in_use(device->task);
		}
		tx_account_end(engine);
	}
	if (engine->config.finished != NULL)
		engine->config.finished(engine->config.ctx);
}

bool
tx_run_settle(struct pg_engine *engine)
{
	bool running, over;

	pthread_mutex_lock(&engine->lock);
	running = engine->running;
	over = running && engine->nbusy == 0;
	if (over) {
		engine->run.interrupted = engine->stopped || engine->restarting;
		engine->running = false; // a signal from here on finds no run
	}
	pthread_mutex_unlock(&engine->lock);
	if (over)
		finish(engine);
	return over || !running;
}

// What the workers do is looked at without the control lock, what follows from it is decided with
// it: whoever holds it may have ended this run and started another.
void
pg_engine_wait(struct pg_engine *engine)
{
	bool held = pthread_mutex_unlock(&engine->control) == 0;

	for (;;) {
		wait_idle(engine);
		pthread_mutex_lock(&engine->control);
		if (tx_run_settle(engine))
			break;
		pthread_mutex_unlock(&engine->control);
	}
	if (!held)
		pthread_mutex_unlock(&engine->control);
}

// Under engine->lock.
static void
order_stop(struct pg_engine *engine)
{
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			__atomic_store_n(
				&engine->threads[i]->worker->order, TX_STOP, __ATOMIC_RELAXED);
	}
	pthread_cond_broadcast(&engine->done);
}

void
tx_run_end(struct pg_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	engine->restarting = true;
	order_stop(engine);
	pthread_mutex_unlock(&engine->lock);
	wait_idle(engine);
	(void)tx_run_settle(engine);
	pthread_mutex_lock(&engine->lock);
	engine->restarting = false;
	pthread_mutex_unlock(&engine->lock);
}

int
pg_engine_restart(struct pg_engine *engine, struct pg_error *err)
{
	if (!tx_run_settle(engine))
		tx_run_end(engine);
	return pg_engine_start(engine, err);
}

void
tx_worker_stop(struct pg_engine *engine, struct pg_worker *worker)
{
	__atomic_store_n(&worker->order, TX_STOP, __ATOMIC_RELAXED);
	for (;;) {
		bool busy;

		pthread_mutex_lock(&worker->lock);
		busy = worker->busy;
		pthread_mutex_unlock(&worker->lock);
		if (!busy)
			return;
		pthread_mutex_lock(&engine->lock);
		(void)nap(engine, KICK_NS);
		pthread_mutex_unlock(&engine->lock);
		kick(worker);
	}
}

bool
pg_engine_stop(struct pg_engine *engine, bool sticky)
{
	bool running;

	pthread_mutex_lock(&engine->lock);
	running = engine->running;
	// A run that is being ended for the next one is not the one that is meant.
	engine->stop_next |= sticky && (!running || engine->restarting);
	if (running) {
		// tx_dry_run() reads it without the lock
		__atomic_store_n(&engine->stopped, true, __ATOMIC_RELAXED);
		order_stop(engine);
	}
	pthread_mutex_unlock(&engine->lock);
	return running;
}

void
pg_engine_stop_forget(struct pg_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	engine->stop_next = false;
	pthread_mutex_unlock(&engine->lock);
}

bool
pg_engine_running(const struct pg_engine *engine)
{
	struct pg_engine *locked = (struct pg_engine *)(uintptr_t)engine;
	bool running;

	pthread_mutex_lock(&locked->lock);
	running = engine->running;
	pthread_mutex_unlock(&locked->lock);
	return running;
}

bool
pg_device_running(const struct pg_device *device)
{
	const struct pg_task *task = device->task;

	return task != NULL &&
	       (!__atomic_load_n(&task->done, __ATOMIC_ACQUIRE) || !tx_handoffs_done(task)) &&
	       pg_engine_running(device->thread->engine);
}
