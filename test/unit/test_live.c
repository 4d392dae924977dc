/* SPDX-License-Identifier: BSD-3-Clause */
/* What several doors may do while a run goes on: start it anew, remove, add and read devices. Two
 * threads of the engine run, and a door of its own waits for the end as the writer of `start`. */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "support_eal.h"
#include "support_engine.h"

#define LIMIT_US 20000000

static struct rig_engine rig;
static unsigned int nfinished, ninterrupted;

/** A door that has written `start` and waits. */
struct door {
	pthread_t thread;
	bool restart;
	int rc;
	bool back; /* under the control lock */
};

static void
finished(void *ctx)
{
	(void)ctx;
	nfinished++;
	ninterrupted += pg_engine_run(rig.engine)->interrupted;
}

static int
setup(void **state)
{
	*state = &rig;
	nfinished = ninterrupted = 0;
	rig_engine_open(
		&rig, &(struct pg_engine_config){.ports = &fake_ports, .finished = finished});
	rig_engine_work(&rig, 2);
	return 0;
}

static struct pg_device *
add(unsigned int lcore, const char *name, const char *commands)
{
	struct pg_device *device;

	pg_engine_lock(rig.engine);
	device = rig_engine_add_to(&rig, lcore, name);
	rig_engine_set(&rig, name, "xmit_mode netif_receive");
	rig_engine_set(&rig, name, commands);
	device->reply[0] = '\0';
	pg_engine_unlock(rig.engine);
	return device;
}

static void *
write_start(void *arg)
{
	struct door *door = arg;
	struct pg_error err = {0};

	pg_engine_lock(rig.engine);
	door->rc = door->restart ? pg_engine_restart(rig.engine, &err)
				 : pg_engine_start(rig.engine, &err);
	if (door->rc == 0)
		pg_engine_wait(rig.engine);
	door->back = true;
	pg_engine_unlock(rig.engine);
	return NULL;
}

static void
door_open(struct door *door, bool restart)
{
	*door = (struct door){.restart = restart};
	assert_int_equal(pthread_create(&door->thread, NULL, write_start, door), 0);
}

static bool
is_back(struct door *door)
{
	bool back;

	pg_engine_lock(rig.engine);
	back = door->back;
	pg_engine_unlock(rig.engine);
	return back;
}

static void
door_close(struct door *door)
{
	for (unsigned int us = 0; !is_back(door); us += 1000) {
		assert_true(us < LIMIT_US);
		usleep(1000);
	}
	pthread_join(door->thread, NULL);
	assert_int_equal(door->rc, 0);
}

static uint64_t
sent_now(struct pg_device *device)
{
	uint64_t sent;

	pg_engine_lock(rig.engine);
	pg_device_refresh(device);
	sent = pg_device_running(device) ? device->result.sent : 0;
	pg_engine_unlock(rig.engine);
	return sent;
}

static unsigned int
runs_finished(void)
{
	unsigned int n;

	pg_engine_lock(rig.engine);
	n = nfinished;
	pg_engine_unlock(rig.engine);
	return n;
}

static void
await_sending(struct pg_device *device, uint64_t above)
{
	for (unsigned int us = 0; sent_now(device) <= above; us += 1000) {
		assert_true(us < LIMIT_US);
		usleep(1000);
	}
}

static void
await_ended(struct pg_device *device)
{
	bool running = true;

	for (unsigned int us = 0; running; us += 1000) {
		assert_true(us < LIMIT_US);
		usleep(1000);
		pg_engine_lock(rig.engine);
		running = pg_device_running(device);
		pg_engine_unlock(rig.engine);
	}
}

// Recorded: runs-410..417. The first run's results stand too, as interrupted.
static void
test_restart(void **state)
{
	struct pg_device *device = add(0, "dev", "count 0");
	struct pg_error err = {0};
	struct door first, second;

	(void)state;
	door_open(&first, false);
	await_sending(device, 1000);
	pg_engine_lock(rig.engine);
	assert_int_equal(pg_engine_start(rig.engine, &err), -EBUSY);
	rig_engine_set(&rig, "dev", "count 777");
	assert_true(pg_device_running(device) && nfinished == 0);
	assert_int_equal(pg_engine_restart(rig.engine, &err), 0);
	assert_true(nfinished == 1 && ninterrupted == 1 && !first.back);
	rig_engine_set(&rig, "dev", "count 0"); // for the run after
	pg_engine_unlock(rig.engine);
	door_close(&first);
	assert_true(nfinished == 2 && ninterrupted == 1);
	CHECK_U64(device->result.sent, 777, "of the second run");
	assert_false(pg_engine_running(rig.engine));

	// Both writers return together at the end.
	door_open(&first, true);
	await_sending(device, 1000);
	door_open(&second, true);
	for (unsigned int us = 0; us < LIMIT_US && runs_finished() < 3; us += 1000)
		usleep(1000);
	await_sending(device, 1000);
	assert_false(is_back(&first) || is_back(&second));
	assert_true(pg_engine_stop(rig.engine, false));
	door_close(&first);
	door_close(&second);
	assert_true(nfinished == 4 && ninterrupted == 3);
}

// A restart that is refused leaves nothing running, and who waited returns.
static void
test_restart_refused(void **state)
{
	struct pg_device *device = add(0, "dev", "count 0");
	struct pg_error err = {0};
	struct door door;

	(void)state;
	door_open(&door, false);
	await_sending(device, 0);
	pg_engine_lock(rig.engine);
	rig_engine_set(&rig, "dev", "rate 50%"); // the port's speed is not known
	assert_int_equal(pg_engine_restart(rig.engine, &err), -EINVAL);
	pg_engine_unlock(rig.engine);
	door_close(&door);
	assert_true(nfinished == 1 && ninterrupted == 1);
}

// Recorded: runs-440..456. The other thread goes on, and its device has its result at the end.
static void
test_clear(void **state)
{
	struct pg_device *other = add(1, "other", "count 0");
	struct pg_device *device = add(0, "dev", "count 0");
	struct door door;

	(void)state;
	door_open(&door, false);
	await_sending(device, 0);
	await_sending(other, 0);
	pg_engine_lock(rig.engine);
	pg_thread_clear(pg_engine_thread(rig.engine, 0));
	assert_null(pg_engine_device(rig.engine, "dev"));
	assert_true(pg_device_running(other));
	pg_thread_clear(pg_engine_thread(rig.engine, 0)); // nothing is left there
	pg_engine_unlock(rig.engine);
	await_sending(other, other->result.sent);
	assert_false(is_back(&door));
	pg_engine_stop(rig.engine, false);
	door_close(&door);
	assert_true(other->has_run && other->result.sent > 0 && nfinished == 1);
}

static void
test_clear_all(void **state)
{
	struct pg_device *device = add(0, "dev", "count 0;delay 1s");
	struct pg_device *other = add(1, "other", "count 0");
	struct door door;

	for (unsigned int i = 0; i < 20; i++) {
		door_open(&door, false);
		await_sending(device, 0);
		await_sending(other, 0);
		pg_engine_lock(rig.engine);
		for (unsigned int lcore = 0; lcore < 2; lcore++)
			pg_thread_clear(pg_engine_thread(rig.engine, lcore));
		assert_true(TAILQ_EMPTY(pg_engine_devices(rig.engine)));
		pg_engine_unlock(rig.engine);
		door_close(&door);
		CHECK_U64(nfinished, i + 1, "runs");
		assert_false(pg_engine_running(rig.engine));
		fake_world_drop(&rig.world);
		fake_world_drop(&rig.world);
		device = add(0, "dev", "count 0;delay 1s");
		other = add(1, "other", "count 0");
	}
	(void)state;
}

// A run that is over, but not yet looked at by the one who waits, keeps its results.
static void
test_clear_late(void **state)
{
	struct pg_device *device = add(0, "dev", "count 10"), *other = add(1, "other", "count 20");
	struct pg_error err = {0};

	(void)state;
	pg_engine_lock(rig.engine);
	assert_int_equal(pg_engine_start(rig.engine, &err), 0);
	pg_engine_unlock(rig.engine);
	await_ended(device);
	await_ended(other);
	usleep(50000); // the workers become idle
	pg_engine_lock(rig.engine);
	pg_thread_clear(pg_engine_thread(rig.engine, 0));
	assert_true(nfinished == 1 && other->has_run && other->result.sent == 20);
	pg_engine_wait(rig.engine);
	pg_engine_unlock(rig.engine);
	assert_int_equal(nfinished, 1);
}

// Recorded: runs-425..431.
static void
test_add(void **state)
{
	struct pg_device *device = add(0, "dev", "count 0"), *fresh;
	struct door door;

	(void)state;
	door_open(&door, false);
	await_sending(device, 0);
	fresh = add(0, "fresh", "count 50");
	assert_false(pg_device_running(fresh));
	assert_true(pg_device_running(device));
	pg_engine_stop(rig.engine, false);
	door_close(&door);
	assert_true(device->has_run && !fresh->has_run);
	rig_engine_set(&rig, "dev", "count 60");
	door_open(&door, false);
	door_close(&door);
	assert_true(device->result.sent == 60 && fresh->result.sent == 50);
}

static char *
thread_text(unsigned int lcore)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	pg_report_thread(rig.engine, pg_engine_thread(rig.engine, lcore), file);
	fclose(file);
	return text;
}

// Two devices of one thread; the older one's part ends long before the run.
static void
test_text(void **state)
{
	struct pg_device *brief = add(0, "brief", "count 40;pkt_size 60");
	struct pg_device *device = add(0, "dev",
		"count 0;min_pkt_size 60;max_pkt_size 100;udp_src_min 9;udp_src_max 5000");
	uint64_t stopped, bytes;
	struct door door;
	char *text;

	(void)state;
	text = thread_text(0);
	CHECK_TEXT(text, "Running: \nStopped: dev brief \nResult: NA\n", "before");
	free(text);
	door_open(&door, false);
	await_ended(brief);
	await_sending(device, 1000);
	pg_engine_lock(rig.engine);
	text = thread_text(0);
	CHECK_TEXT(text, "Running: dev \nStopped: brief \nResult: NA\n", "during");
	free(text);
	pg_device_refresh(brief);
	text = rig_engine_text(brief);
	CHECK(strstr(text, "\nResult: OK: ") != NULL && brief->result.sent == 40, "%s", text);
	free(text);
	rig_engine_set(&rig, "brief", "count 41");
	pg_device_refresh(device);
	text = rig_engine_text(device);
	CHECK(strstr(text, "\nResult: Starting\n") != NULL, "%s", text);
	free(text);
	assert_true(device->current.seq_num == device->result.sent + 1);
	assert_true(device->current.udp_src >= 9 && device->current.udp_src <= 5000);
	assert_true(device->current.started_us > 0);
	bytes = device->result.bytes;
	assert_true(bytes >= device->result.sent * 60 - 512 * 100 &&
		    bytes <= device->result.sent * 100 + 512 * 100);
	stopped = device->current.stopped_us;
	rig_engine_set(&rig, "dev", "count 0");
	pg_engine_unlock(rig.engine);
	usleep(2000);
	pg_engine_lock(rig.engine);
	pg_device_refresh(device);
	assert_true(device->current.stopped_us >= stopped + 2000);
	CHECK_TEXT(device->reply, "OK: count=0", "a command's reply counts until the end");
	pg_engine_unlock(rig.engine);
	pg_engine_stop(rig.engine, false);
	door_close(&door);
	assert_true(device->reply[0] == '\0' && device->result.sent > 1000);
	// What was written after its own end goes on counting.
	CHECK_TEXT(brief->reply, "OK: count=41", "after its end");
}

// A signal ends the run whatever the doors hold.
static void
test_stop(void **state)
{
	struct pg_device *device = add(0, "dev", "count 0");
	struct door door;

	(void)state;
	door_open(&door, false);
	await_sending(device, 0);
	pg_engine_lock(rig.engine);
	assert_true(pg_engine_stop(rig.engine, true));
	for (unsigned int us = 0; pg_device_running(device); us += 1000) {
		assert_true(us < LIMIT_US);
		usleep(1000);
	}
	assert_false(door.back);
	pg_engine_unlock(rig.engine);
	door_close(&door);
	assert_true(nfinished == 1 && ninterrupted == 1);
}

static bool storming;

static void *
storm_signals(void *arg)
{
	unsigned int *n = arg;

	while (__atomic_load_n(&storming, __ATOMIC_RELAXED)) {
		*n += pg_engine_stop(rig.engine, true);
		usleep(3000);
	}
	return NULL;
}

// Doors that start anew all the time, and signals between: every door comes back, every run is
// finished once, and a stop is never lost, so that runs without a count all end.
static void
test_storm(void **state)
{
	struct pg_device *device = add(0, "dev", "count 0"), *other = add(1, "other", "count 0");
	struct door door[4];
	pthread_t signals;
	unsigned int stops = 0;

	(void)state;
	__atomic_store_n(&storming, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_create(&signals, NULL, storm_signals, &stops), 0);
	for (unsigned int round = 1; round <= 50; round++) {
		for (size_t i = 0; i < DIM(door); i++)
			door_open(&door[i], true);
		for (size_t i = 0; i < DIM(door); i++)
			door_close(&door[i]);
		CHECK_U64(nfinished, round * DIM(door), "runs");
		assert_false(pg_engine_running(rig.engine));
		assert_true(device->has_run && other->has_run);
	}
	__atomic_store_n(&storming, false, __ATOMIC_RELAXED);
	pthread_join(signals, NULL);
	CHECK_U64(ninterrupted, nfinished, "interrupted runs of %u stops", stops);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, setup, rig_engine_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(test_restart),
		RUN(test_restart_refused),
		RUN(test_clear),
		RUN(test_clear_all),
		RUN(test_clear_late),
		RUN(test_add),
		RUN(test_text),
		RUN(test_stop),
		RUN(test_storm),
	};

	return cmocka_run_group_tests_name("live", tests, support_eal_start_two, support_eal_stop);
}
