/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting all devices of a run on one instant, in this process and in others. */
#include <errno.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "pg_units.h"
#include "tx_priv.h"

#define SPIN_NS  2000000  // before the instant: timers wake threads later than that hardly ever
#define SLICE_NS 50000000 // of sleep, after which a stop is looked for

void
pg_engine_set_start(struct pg_engine *engine, const struct pg_moment *moment)
{
	engine->start_at = *moment;
}

bool
pg_engine_start_at(const struct pg_engine *engine, struct pg_moment *moment)
{
	*moment = engine->start_at;
	return !moment->relative || moment->ns != 0;
}

int
tx_instant_set(struct pg_engine *engine, struct pg_error *err)
{
	struct pg_moment moment;
	bool asked = pg_engine_start_at(engine, &moment);

	engine->run.at_instant = asked && engine->config.dry == NULL;
	engine->start_ns = 0;
	if (!engine->run.at_instant)
		return 0;
	if (moment.relative) {
		engine->start_clock = CLOCK_MONOTONIC;
		engine->start_ns = pg_clock_monotonic_ns() + moment.ns;
		engine->run.started_wall_ns = pg_clock_wall_ns() + moment.ns;
		return 0;
	}
	engine->start_clock = CLOCK_REALTIME;
	engine->start_ns = engine->run.started_wall_ns = moment.ns;
	engine->start_at = (struct pg_moment){0, true}; // no other run can start then
	if (moment.ns > pg_clock_wall_ns())
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "the time of start_at has passed");
	return pg_error_expect(err, "start_at with a time to come, or +TIME");
}

static void
sleep_until(struct pg_worker *worker, clockid_t id, uint64_t ns)
{
	struct timespec now, until;
	uint64_t now_ns;

	for (;;) {
		clock_gettime(id, &now);
		now_ns = (uint64_t)now.tv_sec * PG_NS_PER_S + (uint64_t)now.tv_nsec;
		if (now_ns + SPIN_NS >= ns || tx_order(worker) == TX_STOP)
			return;
		now_ns = RTE_MIN(ns - SPIN_NS, now_ns + SLICE_NS);
		until.tv_sec = (time_t)(now_ns / PG_NS_PER_S);
		until.tv_nsec = (long)(now_ns % PG_NS_PER_S);
		(void)clock_nanosleep(id, TIMER_ABSTIME, &until, NULL);
	}
}

uint64_t
tx_instant_wait(struct pg_worker *worker, const struct pg_engine *engine)
{
	uint64_t start, now;

	worker->start_late = 0;
	if (engine->start_ns == 0)
		return rte_rdtsc();
	sleep_until(worker, engine->start_clock, engine->start_ns);
	start = pg_clock_when(engine->config.clock, engine->start_clock, engine->start_ns);
	while (!tx_is_past(now = rte_rdtsc(), start)) {
		if (tx_order(worker) == TX_STOP)
			return now;
		rte_pause();
	}
	worker->start_late = now - start;
	return start;
}
