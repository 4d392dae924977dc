/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that run: `start` by a process of its own, waiting for it, signals to it. */
#include "support_replay.h"

#include <stdlib.h>
#include <unistd.h>

#include "support.h"

#define PATIENCE_MS 20000 // a run that has not ended by then does not
#define WAIT_MS     5000  // one that was stopped, or is to end by what was set meanwhile
#define UP_MS       1000  // a run that has not sent by then does not
#define GLIMPSE_MS  20    // of a run that goes on until it is stopped

static void *
write_start(void *arg)
{
	struct replay_starter *starter = arg;

	starter->ret = replay_write(starter->replay, starter->lang, "pgctrl", "start\n", 6, "");
	__atomic_store_n(&starter->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static struct replay_starter *
launch(struct replay *replay)
{
	struct replay_starter *starter = replay->starter;

	while (starter->used)
		starter++;
	assert_true(starter < replay->starter + REPLAY_STARTERS);
	starter->used = true;
	starter->done = false;
	assert_int_equal(pthread_create(&starter->thread, NULL, write_start, starter), 0);
	return starter;
}

static bool
ended_within(const struct replay_starter *starter, unsigned int ms)
{
	uint64_t until = pg_clock_monotonic_ns() + ms * UINT64_C(1000000);

	while (!__atomic_load_n(&starter->done, __ATOMIC_ACQUIRE)) {
		if (pg_clock_monotonic_ns() >= until)
			return false;
		usleep(200);
	}
	return true;
}

// Stop what is still running, and take the return of its `start`.
static ssize_t
collect(struct replay *replay, struct replay_starter *starter)
{
	if (!ended_within(starter, 0))
		pg_engine_stop(replay->app.engine, false);
	CHECK(ended_within(starter, PATIENCE_MS), "%s: the run cannot be stopped", replay->id);
	pthread_join(starter->thread, NULL);
	starter->used = false;
	return starter->ret;
}

// Has every device of the run sent a packet?
static bool
all_send(struct replay *replay)
{
	struct pg_engine *engine = replay->app.engine;
	struct pg_device *device;
	bool all = pg_engine_running(engine);

	pg_engine_lock(engine);
	TAILQ_FOREACH(device, pg_engine_devices(engine), in_engine)
	{
		pg_device_refresh(device);
		all &= device->result.sent > 0;
	}
	pg_engine_unlock(engine);
	return all;
}

// Until packets have been sent, or for as long as it would take if any were, and a glimpse more.
static void
let_come_up(struct replay *replay, const struct replay_starter *starter)
{
	uint64_t until = pg_clock_monotonic_ns() + UP_MS * UINT64_C(1000000);

	while (!all_send(replay) && !ended_within(starter, 0) && pg_clock_monotonic_ns() < until)
		usleep(200);
	usleep(GLIMPSE_MS * 1000);
}

void
replay_start(struct replay *replay, const json_t *step)
{
	const json_t *ret = json_object_get(step, "ret");
	struct replay_starter *starter = launch(replay);
	size_t length = json_string_length(json_object_get(step, "command"));
	ssize_t got;

	if (ret == NULL) { // in the background: let it come up
		let_come_up(replay, starter);
		return;
	}
	if (json_object_get(step, "timed_out") != NULL) {
		if (ended_within(starter, GLIMPSE_MS))
			replay_differ(replay, REPLAY_RETURN, "", "the run ends by itself");
	} else if (!ended_within(starter, PATIENCE_MS)) {
		replay_differ(replay, REPLAY_RETURN, "", "the run does not end by itself");
	}
	got = collect(replay, starter);
	if (got == 6) // the bytes of our own "start\n"
		got = length;
	if (got != json_integer_value(ret))
		replay_differ(replay, REPLAY_RETURN, "", "start returns %zd (%s), not %lld", got,
			got < 0 ? strerror(-got) : "", (long long)json_integer_value(ret));
}

static struct replay_starter *
oldest(struct replay *replay)
{
	for (size_t i = 0; i < REPLAY_STARTERS; i++) {
		if (replay->starter[i].used)
			return &replay->starter[i];
	}
	return NULL;
}

void
replay_wait(struct replay *replay, const json_t *step)
{
	const json_t *ret = json_object_get(step, "ret");
	struct replay_starter *starter = oldest(replay);
	bool signalled = json_object_get(step, "signal_to_starter") != NULL;
	bool hung = json_is_false(json_object_get(step, "ended"));
	ssize_t got;

	if (starter == NULL) {
		if (!hung)
			replay_differ(replay, REPLAY_RETURN, "", "nobody has started");
		return;
	}
	if (signalled)
		pg_engine_stop(replay->app.engine, false);
	if (hung && ended_within(starter, GLIMPSE_MS))
		replay_differ(replay, REPLAY_RETURN, "", "the run ends");
	else if (!hung && !ended_within(starter, WAIT_MS))
		replay_differ(replay, REPLAY_RETURN, "", "the run does not end");
	if (hung && !ended_within(starter, 0))
		return;
	got = collect(replay, starter);
	if (json_is_integer(ret) && got != json_integer_value(ret))
		replay_differ(replay, REPLAY_RETURN, "", "start returns %zd (%s), not %lld", got,
			got < 0 ? strerror(-got) : "", (long long)json_integer_value(ret));
}

static uint64_t
first_started(struct replay *replay)
{
	const struct pg_device *device;
	uint64_t us;

	pg_engine_lock(replay->app.engine);
	device = TAILQ_FIRST(pg_engine_devices(replay->app.engine));
	us = device != NULL ? device->current.started_us : 0;
	pg_engine_unlock(replay->app.engine);
	return us;
}

bool
replay_second_start(struct replay *replay, const char *shell)
{
	uint64_t started;

	if (strncmp(shell, "( echo start > /proc/net/pktgen/pgctrl;", 39) == 0) {
		started = first_started(replay);
		launch(replay);
		for (unsigned int i = 0; i < 5000 && first_started(replay) == started; i++)
			usleep(200); // it starts again
		let_come_up(replay, replay->starter);
		return true;
	}
	if (strstr(shell, "cat /tmp/s2") != NULL) { // it has ended
		struct replay_starter *starter = oldest(replay);

		assert_non_null(starter);
		if (!ended_within(starter, PATIENCE_MS))
			replay_differ(replay, REPLAY_RETURN, "", "the second start does not end");
		collect(replay, starter);
		return true;
	}
	return false;
}

static void
write_line(struct replay *replay, const char *file, const char *text)
{
	char line[600];
	int n = snprintf(line, sizeof(line), "%s\n", text);

	(void)replay_write(replay, replay->lang, file, line, n, "");
}

// Does a device that has had these settings only lack the rest of those?
static bool
continues(const json_t *had, const json_t *settings, size_t n)
{
	if (json_array_size(settings) < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!json_equal(json_array_get(had, i), json_array_get(settings, i)))
			return false;
	}
	return true;
}

void
replay_settings(struct replay *replay, const json_t *packets, bool fresh, size_t most)
{
	json_t *settings = json_object_get(packets, "settings");
	const char *device = replay_text(packets, "device");
	char add[128];

	if (fresh || strcmp(device, replay->device) != 0 ||
		!continues(replay->settings, settings, replay->nsettings)) {
		snprintf(replay->device, sizeof(replay->device), "%s", device);
		snprintf(add, sizeof(add), "add_device %s", device);
		write_line(replay, "kpktgend_0", "rem_device_all");
		write_line(replay, "kpktgend_0", add);
		replay->nsettings = 0;
	}
	replay->settings = settings;
	for (; replay->nsettings < json_array_size(settings) && most > 0;
		most--, replay->nsettings++)
		write_line(replay, device,
			json_string_value(json_array_get(settings, replay->nsettings)));
}
