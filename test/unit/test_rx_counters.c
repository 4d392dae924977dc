/* SPDX-License-Identifier: BSD-3-Clause */
/* Where drops are counted: by each thread for itself, and in one counter of all. */
#include "support.h"

#include <stdlib.h>

#include "support_eal.h"
#include "support_engine.h"

#define COUNT 20000
#define OWN   "dst_mac 02:00:00:00:00:01"

static struct rig_engine rig;

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_init(&rig, NULL);
	rig_engine_work(&rig, 2);
	return 0;
}

static struct pg_device *
device(unsigned int lcore, const char *name, const char *commands)
{
	struct pg_device *added = rig_engine_add_to(&rig, lcore, name);

	rig_engine_set(&rig, name, "xmit_mode netif_receive;count 20000");
	rig_engine_set(&rig, name, commands);
	return added;
}

static void
errors_are(const struct pg_device *of, uint64_t errors)
{
	CHECK_U64(of->result.sent, COUNT, "%s: sent", of->name);
	CHECK_U64(of->result.errors, errors, "%s: errors", of->name);
}

// Two threads at once: none of them loses the other's, and each knows its own.
static void
test_two_threads(void **state)
{
	struct pg_device *a = device(0, "a", "rx_counters atomic");
	struct pg_device *b = device(1, "b", "rx_counters atomic;burst 256");

	(void)state;
	rig_engine_run(&rig);
	errors_are(a, COUNT);
	errors_are(b, COUNT);
	CHECK_U64(pg_rx_shared_drops(), 2 * COUNT, "dropped by both");
	assert_true(a->profile.atomic && b->profile.atomic);
	rig_engine_run(&rig);
	CHECK_U64(pg_rx_shared_drops(), 2 * COUNT, "of the second run alone");
}

// By default nobody writes to the shared one; who shares it does not make others do so.
static void
test_one_of_two(void **state)
{
	struct pg_device *a = device(0, "a", "");
	struct pg_device *b = device(1, "b", "rx_graph drop");

	(void)state;
	rig_engine_run(&rig);
	errors_are(a, COUNT);
	errors_are(b, COUNT);
	CHECK_U64(pg_rx_shared_drops(), 0, "by default");
	assert_false(a->profile.atomic || b->profile.atomic);
	rig_engine_set(&rig, "b", "rx_counters atomic");
	rig_engine_run(&rig);
	errors_are(a, COUNT);
	errors_are(b, COUNT);
	CHECK_U64(pg_rx_shared_drops(), COUNT, "of xdp");
	assert_true(!a->profile.atomic && b->profile.atomic);
	rig_engine_set(&rig, "b", "rx_counters percpu");
	rig_engine_run(&rig);
	CHECK_U64(pg_rx_shared_drops(), 0, "the setting is taken back");
}

// What is delivered is no drop; devices of one thread that count elsewhere have graphs of their
// own.
static void
test_delivered(void **state)
{
	struct pg_device *a = device(0, "a", "rx_counters atomic;" OWN);
	struct pg_device *b = device(0, "b", "rx_counters atomic");
	struct pg_device *c = device(0, "c", "rx_verify full");

	(void)state;
	rig_engine_run(&rig);
	errors_are(a, 0);
	errors_are(b, COUNT);
	errors_are(c, COUNT);
	CHECK_U64(pg_rx_shared_drops(), COUNT, "b's alone");
	rig_engine_set(&rig, "c", "rx_counters atomic");
	rig_engine_run(&rig);
	errors_are(c, COUNT);
	CHECK_U64(c->profile.verified->packets, COUNT, "verified");
	CHECK_U64(c->profile.verified->differences, 0, "differences");
	CHECK_U64(pg_rx_shared_drops(), 2 * COUNT, "verified drops are counted too");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_two_threads, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_one_of_two, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_delivered, setup, rig_engine_teardown),
	};

	return cmocka_run_group_tests_name(
		"rx_counters", tests, support_eal_start_two, support_eal_stop);
}
