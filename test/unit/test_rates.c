/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates that change while a run goes on, ends, and what the account makes of them: totals and
 * order, and never that something was in time. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include <rte_cycles.h>

#include "support_eal.h"
#include "support_engine.h"
#include "tx_priv.h"

static struct rig_engine rig;

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_init(&rig, NULL);
	rig_engine_work(&rig, 1);
	return 0;
}

typedef unsigned __int128 u128;

static void
start(void)
{
	rig_engine_start(&rig);
	rig.world.busy = true; // as the program's own world says
}

static void
wait_end(void)
{
	pg_engine_wait(rig.engine);
	rig.world.busy = false;
}

static void
nap_ms(long ms)
{
	const struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

static void
check_sum(const struct pg_device *device)
{
	const struct pg_account *a = &device->account;

	assert_true(a->has_intended);
	CHECK_U64(a->intended, device->result.sent + a->late + a->ended, "the account of %s",
		device->name);
}

// Other programs may have kept it from its CPU; nothing else is wrong.
static void
check_in_time(const struct pg_device *device)
{
	CHECK(!device->fell_short || strncmp(device->shortfall, "offered ", 8) == 0, "%s",
		device->shortfall);
}

// From one packet in ten seconds to many: the next one comes at once, not after ten seconds.
static void
test_faster(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev", "count 500;delay 10s");

	(void)state;
	start();
	nap_ms(5);
	rig_engine_set(&rig, "dev", "ratep 100000");
	wait_end();
	CHECK_U64(device->result.sent, 500, "packets");
	CHECK(device->result.duration_ns < 9000000000u, "took %llu ns",
		(unsigned long long)device->result.duration_ns);
	assert_int_equal(device->rate_changes, 1);
	check_in_time(device);
	check_sum(device);
}

// Every way of saying a rate, many times, on a device that goes on: no packet too many or too few.
static void
test_many_changes(void **state)
{
	static const char *const rates[] = {"ratep 200000", "delay 3000", "rate 500M", "ratep 1",
		"delay 2147483647", "ratep 1000000", "rate 1GL1", "delay 0", "ratep 50k"};
	struct pg_device *device =
		rig_engine_inject(&rig, "dev", "count 0;duration 400ms;ratep 1000");

	(void)state;
	start();
	for (unsigned int i = 0; i < 60; i++) {
		nap_ms(1);
		rig_engine_set(&rig, "dev", rates[i % DIM(rates)]);
	}
	rig_engine_set(&rig, "dev", "ratep 10000");
	wait_end();
	check_sum(device);
	assert_true(device->result.sent > 0);
	// The clock that tells how long it took is better than the one that planned it.
	CHECK(device->result.duration_ns >= 400000000 * 0.9999, "took %" PRIu64 " ns",
		device->result.duration_ns);
	CHECK_U64(device->result.sent, device->current.seq_num - 1, "packets");
}

// What cannot be is refused, and the old rate goes on.
static void
test_refused(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev", "count 0;ratep 1000");
	struct pg_device_settings before;
	struct pg_error err = {0};
	struct pg_reply reply;

	(void)state;
	start();
	before = device->settings;
	assert_true(pg_lang_run(rig.lang, "dev rate 50%", &reply, &err) < 0);
	CHECK(strstr(err.text, "speed of dev is not known") != NULL, "%s", err.text);
	assert_memory_equal(&before, &device->settings, sizeof(before));
	err = (struct pg_error){0};
	assert_true(pg_lang_run(rig.lang, "dev count 5", &reply, &err) < 0 && err.code == EBUSY);
	pg_engine_stop(rig.engine, false);
	wait_end();
	assert_int_equal(device->rate_changes, 0);
	check_sum(device);
}

// A run that is as fast as it can gets a rate, and loses it again.
static void
test_from_none_and_back(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev", "count 0");

	(void)state;
	start();
	nap_ms(10);
	rig_engine_set(&rig, "dev", "ratep 1000");
	nap_ms(50);
	rig_engine_set(&rig, "dev", "delay 0");
	nap_ms(10);
	pg_engine_stop(rig.engine, false);
	wait_end();
	assert_int_equal(device->rate_changes, 2);
	assert_true(device->result.sent > 1000);
	check_sum(device);
}

// Stopped before its count: what was not due yet is not late.
static void
test_interrupted(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev", "count 1000000;ratep 1000");

	(void)state;
	start();
	nap_ms(30);
	pg_engine_stop(rig.engine, false);
	wait_end();
	check_sum(device);
	CHECK_U64(device->account.intended, 1000000, "intended");
	assert_true(device->account.ended > 900000);
	check_in_time(device);
}

// Several devices of a thread, each with an end of its own; one never sends.
static void
test_durations(void **state)
{
	struct pg_device *a = rig_engine_inject(&rig, "a", "count 0;ratep 2000;duration 50ms");
	struct pg_device *b =
		rig_engine_inject(&rig, "b", "count 0;delay 2147483647;duration 80ms");
	struct pg_device *c = rig_engine_inject(&rig, "c", "count 0;duration 20ms");
	struct pg_device *d = rig_engine_inject(
		&rig, "d", "count 0;ratep 300;duration 100ms;pacing burst;burst 5");

	(void)state;
	start();
	wait_end();
	CHECK_U64(a->account.intended, 100, "2000 pps, 50 ms");
	CHECK_U64(b->account.intended, 0, "never");
	CHECK_U64(b->result.sent, 0, "never");
	CHECK_U64(d->account.intended, 30, "bursts of 5 at 300 pps, 100 ms");
	assert_true(b->result.duration_ns >= 80000000 * 0.9999);
	assert_true(c->result.duration_ns >= 20000000 * 0.9999);
	assert_true(c->result.sent > 0 && !c->account.has_intended);
	check_sum(a);
	check_sum(b);
	check_sum(d);
}

// The end of a schedule holds for sizes that vary: 1 ns a byte, 100 us for each packet.
static void
test_sizes(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev",
		"count 0;min_pkt_size 60;max_pkt_size 1514;"
		"rate 80M;duration 100ms");
	uint64_t bytes;

	(void)state;
	start();
	wait_end();
	check_sum(device);
	// 80 Mbit/s are 10^6 bytes in 100 ms, and each packet has its FCS.
	bytes = device->result.bytes + 4 * device->result.sent;
	CHECK(device->fell_short || device->account.late > 0 ||
			(bytes >= 1000000 && bytes < 1000000 + 1518),
		"%llu bytes", (unsigned long long)bytes);
}

/** Buffers of a pool that a test keeps. */
struct hoard {
	void *buffer[65536];
	unsigned int n;
};

static void
take_all(struct hoard *hoard, struct rte_mempool *pool)
{
	hoard->n = 0;
	while (hoard->n < DIM(hoard->buffer) &&
		rte_mempool_get(pool, &hoard->buffer[hoard->n]) == 0)
		hoard->n++;
	assert_true(hoard->n > 0 && hoard->n < DIM(hoard->buffer));
}

// What was due and could not be built stays due, and what a late schedule has been moved by, or
// has given up, counts once: nothing was taken, so the next packet is due just that much later.
static void
test_no_buffers(void **state)
{
	static const char *const lates[] = {"stretch", "skip", "catchup 1ms"};
	static struct hoard hoard;

	(void)state;
	rig_engine_teardown(state);
	for (size_t i = 0; i < DIM(lates); i++) {
		struct pg_device *device;
		struct pg_task *task;
		struct pg_pace fresh;
		uint64_t t0, frac, ms;
		char late[32];

		rig_engine_init(&rig, NULL);
		device = rig_engine_inject(&rig, "dev", "count 1000000;delay 1000");
		snprintf(late, sizeof(late), "late %s", lates[i]);
		rig_engine_set(&rig, "dev", late);
		start(); // there is no worker yet
		task = device->task;
		fresh = task->pace;
		ms = pg_clock_cycles(&rig.clock, 1000000, &frac);
		t0 = rte_rdtsc() - 100 * ms;
		pg_pace_start(&task->pace, t0);
		task->stop_at = t0 + INT64_MAX / 2;
		tx_task_awake(task);
		take_all(&hoard, task->pool);
		for (unsigned int turn = 0; turn < 5; turn++) {
			u128 moved;

			assert_false(task->build(task));
			moved = (u128)task->pace.moved << 64;
			moved += ((u128)fresh.gap << 64 | fresh.gap_frac) * task->pace.skipped;
			assert_true(moved > 0);
			CHECK_U64(task->pace.due - t0, (uint64_t)(moved >> 64), "late %s, turn %u",
				lates[i], turn);
			CHECK_U64(task->left, 1000000 - task->pace.skipped, "late %s", lates[i]);
		}
		rte_mempool_put_bulk(task->pool, hoard.buffer, hoard.n);
		task->pace = fresh;
		task->wait_since = 0;
		rig_engine_work(&rig, 1);
		pg_engine_stop(rig.engine, false);
		wait_end();
		rig_engine_fini(&rig);
	}
	setup(state);
}

#define ON_RIG(test) cmocka_unit_test_setup_teardown(test, setup, rig_engine_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ON_RIG(test_faster),
		ON_RIG(test_many_changes),
		ON_RIG(test_refused),
		ON_RIG(test_from_none_and_back),
		ON_RIG(test_interrupted),
		ON_RIG(test_durations),
		ON_RIG(test_sizes),
		ON_RIG(test_no_buffers),
	};

	return cmocka_run_group_tests_name("rates", tests, support_eal_start, support_eal_stop);
}
