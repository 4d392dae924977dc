/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "tx_priv.h"

static int
compare_devices(const void *a, const void *b)
{
	const struct pg_device *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct pg_thread *
thread_create(struct pg_engine *engine, unsigned int lcore)
{
	struct pg_thread *thread = calloc(1, sizeof(*thread));
	struct pg_worker *worker = NULL;

	if (thread == NULL ||
		posix_memalign((void **)&worker, RTE_CACHE_LINE_SIZE, sizeof(*worker)) != 0) {
		free(thread);
		return NULL;
	}
	memset(worker, 0, sizeof(*worker));
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->wake, NULL);
	thread->engine = engine;
	thread->lcore = lcore;
	thread->worker = worker;
	TAILQ_INIT(&thread->devices);
	return thread;
}

static void
thread_destroy(struct pg_thread *thread)
{
	tx_queues_destroy(thread->worker);
	free(thread->worker->tasks);
	rte_free(thread->worker->share);
	free(thread->worker);
	free(thread);
}

// pg_engine_wait() asks it whether the caller holds it.
static void
init_control(pthread_mutex_t *control)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(control, &attr);
	pthread_mutexattr_destroy(&attr);
}

void
pg_engine_lock(struct pg_engine *engine)
{
	pthread_mutex_lock(&engine->control);
}

void
pg_engine_unlock(struct pg_engine *engine)
{
	pthread_mutex_unlock(&engine->control);
}

static void
remove_devices(struct pg_thread *thread)
{
	struct pg_engine *engine = thread->engine;
	struct pg_device *device;

	while ((device = TAILQ_FIRST(&thread->devices)) != NULL) {
		TAILQ_REMOVE(&thread->devices, device, in_thread);
		TAILQ_REMOVE(&engine->devices, device, in_engine);
		tdelete(device, &engine->names, compare_devices);
		engine->last = NULL;
		tx_task_destroy(device->task);
		pg_rx_profile_fini(&device->profile);
		tx_receivers_forget(device);
		pg_walk_destroy(device->walk);
		if (device->port->users == 1 && device->port->attached)
			tx_account_forget(engine, device->port);
		tx_queues_forget(engine, device->port);
		tx_frags_forget(device);
		pg_ports_put(engine->ports, device->port);
		free(device);
	}
	thread->worker->ntasks = 0;
}

struct pg_engine *
pg_engine_create(const struct pg_engine_config *config, struct pg_error *err)
{
	struct pg_engine *engine = calloc(1, sizeof(*engine));
	unsigned int lcore;

	if (engine == NULL)
		goto no_memory;
	engine->config = *config;
	engine->start_at.relative = true;
	TAILQ_INIT(&engine->devices);
	init_control(&engine->control);
	pthread_mutex_init(&engine->lock, NULL);
	pthread_cond_init(&engine->done, NULL);
	engine->ports = pg_ports_create(config->ports);
	if (engine->ports == NULL)
		goto no_memory;
	RTE_LCORE_FOREACH (lcore) {
		engine->threads[lcore] = thread_create(engine, lcore);
		if (engine->threads[lcore] == NULL)
			goto no_memory;
	}
	return engine;

no_memory:
	pg_engine_destroy(engine);
	pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	return NULL;
}

void
pg_engine_destroy(struct pg_engine *engine)
{
	if (engine == NULL)
		return;
	// Devices first: a port that goes looks for its queues on every thread.
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			remove_devices(engine->threads[i]);
	}
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			tx_graphs_destroy(engine->threads[i]->worker); // what taps hold is others'
	}
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			thread_destroy(engine->threads[i]);
	}
	tx_account_forget(engine, NULL);
	pg_ports_destroy(engine->ports);
	free(engine);
}

void
pg_engine_quit(struct pg_engine *engine)
{
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		struct pg_worker *worker;

		if (engine->threads[i] == NULL)
			continue;
		worker = engine->threads[i]->worker;
		pthread_mutex_lock(&worker->lock);
		worker->quit = true;
		pthread_cond_signal(&worker->wake);
		pthread_mutex_unlock(&worker->lock);
	}
}

struct pg_thread *
pg_engine_thread(struct pg_engine *engine, unsigned int lcore)
{
	return lcore < RTE_MAX_LCORE ? engine->threads[lcore] : NULL;
}

struct pg_thread *
pg_engine_next_thread(struct pg_engine *engine, const struct pg_thread *thread)
{
	for (unsigned int i = thread ? thread->lcore + 1 : 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			return engine->threads[i];
	}
	return NULL;
}

struct pg_device *
pg_engine_device(struct pg_engine *engine, const char *name)
{
	struct pg_device key;
	struct pg_device **found;

	if (engine->last != NULL && strcmp(name, engine->last->name) == 0)
		return engine->last;
	if (strlen(name) >= sizeof(key.name))
		return NULL;
	strcpy(key.name, name);
	found = tfind(&key, &engine->names, compare_devices);
	if (found != NULL)
		engine->last = *found;
	return found != NULL ? *found : NULL;
}

const struct pg_device_list *
pg_engine_devices(const struct pg_engine *engine)
{
	return &engine->devices;
}

struct pg_ports *
pg_engine_ports(struct pg_engine *engine)
{
	return engine->ports;
}

const struct pg_run *
pg_engine_run(const struct pg_engine *engine)
{
	return &engine->run;
}

const struct pg_clock *
pg_engine_clock(const struct pg_engine *engine)
{
	return engine->config.clock;
}

void
pg_engine_set_seed(struct pg_engine *engine, uint64_t seed, bool fixed)
{
	engine->seed = seed;
	engine->seed_fixed = fixed;
}

bool
pg_engine_seed(const struct pg_engine *engine, uint64_t *seed)
{
	*seed = engine->seed;
	return engine->seed_fixed;
}

void
pg_engine_set_compat(struct pg_engine *engine, enum pg_compat compat)
{
	engine->compat = compat;
}

enum pg_compat
pg_engine_compat(const struct pg_engine *engine)
{
	return engine->compat;
}

static void
port_name(const char *device, char *out, size_t size)
{
	snprintf(out, size, "%.*s", (int)strcspn(device, "@"), device);
}

// A device is a file wherever there are control files.
static int
check_name(const char *name, struct pg_error *err)
{
	if (strchr(name, '/') == NULL)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "a '/' in the name of device '%s'", name);
	return pg_error_expect(err, "the name of a file, for that is what a device becomes");
}

int
pg_device_probe(struct pg_engine *engine, const char *name, struct pg_error *err)
{
	char port[PG_PORT_NAME_MAX];

	if (check_name(name, err) < 0)
		return -err->code;
	port_name(name, port, sizeof(port));
	return pg_ports_probe(engine->ports, port, err);
}

// The names are searched once, for what is there and for the place of what is new. NULL with text.
static struct pg_device *
enter(struct pg_engine *engine, const char *name, struct pg_error *err)
{
	struct pg_device *device = calloc(1, sizeof(*device)), **found = NULL;

	if (device != NULL) {
		snprintf(device->name, sizeof(device->name), "%s", name);
		found = tsearch(device, &engine->names, compare_devices);
	}
	if (found != NULL && *found == device)
		return device;
	free(device);
	if (found == NULL) {
		pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	} else {
		pg_error_set(err, PG_FAULT_INPUT, EBUSY, "device '%s' exists already", name);
		pg_error_expect(err, "another name, such as %.30s@TAG", (*found)->port->name);
	}
	return NULL;
}

int
pg_device_add(struct pg_thread *thread, const char *name, struct pg_error *err)
{
	struct pg_engine *engine = thread->engine;
	char port[PG_PORT_NAME_MAX];
	struct pg_device *device;

	if (check_name(name, err) < 0)
		return -err->code;
	device = enter(engine, name, err);
	if (device == NULL)
		return -err->code;
	port_name(name, port, sizeof(port));
	device->port = pg_ports_get(engine->ports, port, err);
	if (device->port == NULL || pg_device_defaults(&device->settings, err) < 0) {
		if (device->port != NULL)
			pg_ports_put(engine->ports, device->port);
		tdelete(device, &engine->names, compare_devices);
		free(device);
		return -err->code;
	}
	device->thread = thread;
	device->placement = (struct pg_placement){.pool = PG_NODE_UNKNOWN,
		.lcore = PG_NODE_UNKNOWN,
		.port = PG_NODE_UNKNOWN,
		.asked = PG_NODE_UNKNOWN};
	TAILQ_INSERT_HEAD(&thread->devices, device, in_thread);
	TAILQ_INSERT_TAIL(&engine->devices, device, in_engine);
	engine->last = device;
	return 0;
}

void
pg_thread_clear(struct pg_thread *thread)
{
	struct pg_engine *engine = thread->engine;
	const struct pg_device *device;

	// A run that is over keeps its results, whoever waits for it; of one that goes on, this
	// thread's part ends; where threads receive from one another, all of it does.
	if (engine->nhandoffs > 0 && !tx_run_settle(engine))
		tx_run_end(engine);
	if (!tx_run_settle(engine)) {
		tx_worker_stop(engine, thread->worker);
		TAILQ_FOREACH(device, &thread->devices, in_thread)
		tx_account_leave(engine, device);
	}
	remove_devices(thread);
}
