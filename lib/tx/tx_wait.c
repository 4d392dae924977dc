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
kick_workers(struct pg_engine *engine)
{
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		struct pg_worker *worker = engine->threads[i] ? engine->threads[i]->worker : NULL;

		if (worker == NULL)
			continue;
		pthread_mutex_lock(&worker->lock);
		if (worker->busy && worker->self_known)
			pthread_kill(worker->self, PG_KICK_SIGNAL);
		pthread_mutex_unlock(&worker->lock);
	}
}

static void
cancel(struct pg_device *device)
{
	struct pg_worker *worker = device->thread->worker;
	uint8_t go = TX_GO;

	snprintf(device->shortfall, sizeof(device->shortfall), "the link of %s went down",
		device->port->name);
	__atomic_store_n(&device->task->cancelled, 1, __ATOMIC_RELEASE);
	__atomic_compare_exchange_n(
		&worker->order, &go, TX_REVIEW, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
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
			if (device->port != p || device->task == NULL || device->task->rx != NULL)
				continue;
			if (!device->task->cancelled)
				cancel(device);
			any = true;
		}
	}
	return any;
}

void
pg_engine_wait(struct pg_engine *engine)
{
	struct pg_device *device;
	cpu_set_t none;

	if (engine->config.dry != NULL) { // was written before start returned
		engine->run.interrupted = engine->stopped;
		tx_running_set(engine, false);
		if (engine->config.finished != NULL)
			engine->config.finished(engine->config.ctx);
		return;
	}
	pthread_mutex_lock(&engine->lock);
	while (engine->nbusy > 0) {
		bool stopped = engine->stopped;
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += stopped ? KICK_NS : WATCH_NS;
		until.tv_sec += until.tv_nsec / (long)PG_NS_PER_S;
		until.tv_nsec %= (long)PG_NS_PER_S;
		if (pthread_cond_timedwait(&engine->done, &engine->lock, &until) == 0)
			continue;
		pthread_mutex_unlock(&engine->lock);
		if (stopped || watch_links(engine))
			kick_workers(engine);
		pthread_mutex_lock(&engine->lock);
	}
	engine->run.interrupted = engine->stopped;
	engine->running = false; // a signal from here on finds no run
	pthread_mutex_unlock(&engine->lock);
	CPU_ZERO(&none);
	if (engine->config.polling != NULL)
		engine->config.polling(engine->config.ctx, &none);
	pg_clock_refine(engine->config.clock);
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		if (device->task != NULL)
			tx_device_finish(device);
	}
	tx_account_end(engine);
	if (engine->config.finished != NULL)
		engine->config.finished(engine->config.ctx);
}

bool
pg_engine_stop(struct pg_engine *engine, bool sticky)
{
	bool running;

	pthread_mutex_lock(&engine->lock);
	running = engine->running;
	if (running) // tx_dry_run() reads it without the lock
		__atomic_store_n(&engine->stopped, true, __ATOMIC_RELAXED);
	engine->stop_next |= sticky && !running;
	for (unsigned int i = 0; running && i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			__atomic_store_n(
				&engine->threads[i]->worker->order, TX_STOP, __ATOMIC_RELAXED);
	}
	pthread_cond_broadcast(&engine->done);
	pthread_mutex_unlock(&engine->lock);
	return running;
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
