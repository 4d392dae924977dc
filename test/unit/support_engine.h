/* SPDX-License-Identifier: BSD-3-Clause */
/* An engine without DPDK devices: ports that are only names, and the language on its devices.
 * Needs EAL for its lcores. */
#ifndef SUPPORT_ENGINE_H
#define SUPPORT_ENGINE_H

#include <pthread.h>

#include "pg_report.h"
#include "pg_tx.h"
#include "support_world.h"

/** Every name is a port: MAC 00:00:00:00:00:00 for `lo`, else 02:00:00:00:00:01; no addresses. */
extern const struct pg_port_ops fake_ports;

#define RIG_WORKERS_MAX 2

struct rig_engine {
	struct pg_clock clock;
	struct pg_engine *engine;
	struct fake_world world;
	struct pg_lang *lang;
	pthread_t worker[RIG_WORKERS_MAX];
	unsigned int nworkers;
};

/** dry: NULL, or where the packets of runs go. Fails the test if it cannot be made. */
void rig_engine_init(struct rig_engine *rig, const struct pg_dry_sink *dry);
/** The same with an engine of other ports, with hooks; its clock is the rig's. */
void rig_engine_open(struct rig_engine *rig, const struct pg_engine_config *config);
/** Run the workers of the first n threads on threads of the test's. */
void rig_engine_work(struct rig_engine *rig, unsigned int n);
/** Stop what runs and end the workers. rig_engine_fini() does so first if the test has not. */
void rig_engine_rest(struct rig_engine *rig);
void rig_engine_fini(struct rig_engine *rig);

/** A cmocka teardown, where the setup made *state the rig. */
int rig_engine_teardown(void **state);

/** Add a device to the first thread; the language knows it from here on. */
struct pg_device *rig_engine_add(struct rig_engine *rig, const char *name);
struct pg_device *rig_engine_add_to(struct rig_engine *rig, unsigned int lcore, const char *name);

/** The device of that name; if there is none yet, it is added to the first thread. */
struct pg_device *rig_engine_device(struct rig_engine *rig, const char *name);

/** Add a device that injects, with these settings. */
struct pg_device *rig_engine_inject(struct rig_engine *rig, const char *name, const char *commands);

/** Start a run; and one to its end. Fails the test if it cannot start. */
void rig_engine_start(struct rig_engine *rig);
void rig_engine_run(struct rig_engine *rig);

/** Run device commands, separated by ';', on a device. Replies are kept as its result. */
void rig_engine_set(struct rig_engine *rig, const char *device, const char *commands);

/** The ring of the tap that there is. Fails the test if there is none. */
struct rte_ring *rig_engine_tap(void);

/** What a device's file shows. Owner: the caller, free(). */
char *rig_engine_text(const struct pg_device *device);

#endif
