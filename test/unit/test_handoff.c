/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that another thread receives: every one is received or lost to a full ring, whatever ends
 * the run, and every buffer comes back. */
#include "support.h"

#include <unistd.h>

#include <rte_mbuf.h>

#include "support_eal.h"
#include "support_engine.h"
#include "tx_priv.h"

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
add(unsigned int lcore, const char *name, const char *commands)
{
	struct pg_device *device = rig_engine_add_to(&rig, lcore, name);

	rig_engine_set(&rig, name, "xmit_mode netif_receive;dst_mac ff:ff:ff:ff:ff:ff");
	rig_engine_set(&rig, name, commands);
	return device;
}

static const struct pg_rx_node_count *
node(const struct pg_rx_profile *profile, const char *name)
{
	for (unsigned int i = 0; i < profile->nnodes; i++) {
		if (strcmp(profile->node[i].name, name) == 0)
			return &profile->node[i];
	}
	fail_msg("no node '%s'", name);
	return NULL;
}

// What holds of every run that is over; the receiver.
static const struct pg_receiver *
settled(const struct pg_device *device, unsigned int lcore)
{
	const struct pg_receiver *r = device->receivers;

	CHECK_U64(device->nreceivers, 1, "receivers");
	CHECK_U64(r->thread->lcore, lcore, "the receiving thread");
	CHECK_U64(device->profile.nnodes, 0, "nodes of the own thread");
	CHECK_U64(r->in_flight, 0, "in flight");
	CHECK_U64(r->offered, device->result.sent, "offered");
	CHECK_U64(r->received + r->lost, device->result.sent, "received and lost");
	CHECK_U64(r->errors + r->lost, device->result.errors, "errors");
	CHECK_U64(node(&r->profile, "inject")->packets, r->received, "packets of the source");
	CHECK_U64(r->calls, node(&r->profile, "inject")->calls, "walks");
	assert_true(rte_mempool_full(device->task->pool));
	CHECK_U64(device->pool_in_use, 0, "in use");
	return r;
}

// The ring holds them all.
static void
test_none_lost(void **state)
{
	static const char *const cases[] = {"burst 32", "burst 1", "burst 256", "rx_buffers cold",
		"frags 3;pkt_size 500", "pkt_size 1500", "ratep 1000000;gaps on;tolerance 100%",
		"imix_weights 60,7 590,4 1514,1", "burst 7;verify full"};
	static const char base[] = "xmit_mode netif_receive;dst_mac ff:ff:ff:ff:ff:ff;inject ring;"
				   "rx_ring 4000;count 4000";
	struct pg_device *device = add(0, "one", base);

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_receiver *r;
		struct pg_error err;

		pg_device_defaults(&device->settings, &err);
		rig_engine_set(&rig, "one", base);
		rig_engine_set(&rig, "one", cases[i]);
		rig_engine_run(&rig);
		r = settled(device, 1);
		CHECK_U64(device->result.sent, 4000, "%s", cases[i]);
		CHECK_U64(r->received, 4000, "%s", cases[i]);
		CHECK_U64(node(&r->profile, "deliver")->packets, 4000, "%s", cases[i]);
		assert_false(device->fell_short);
	}
}

// A ring that is full loses packets, and only that.
static void
test_lost(void **state)
{
	static const char *const cases[] = {
		"rx_ring 1", "rx_ring 31", "rx_ring 64", "rx_ring 64;burst 256", "rx_ring 1000"};
	struct pg_device *device = add(0, "one", "inject ring;count 200000");

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_receiver *r;

		rig_engine_set(&rig, "one", cases[i]);
		rig_engine_run(&rig);
		r = settled(device, 1);
		CHECK_U64(device->result.sent, 200000, "%s", cases[i]);
		CHECK(r->lost > 0 && r->received >= r->ring_size, "%s: lost %" PRIu64, cases[i],
			r->lost);
	}
}

// To and fro, and beside a device that injects directly into a graph of the same kind.
static void
test_shared(void **state)
{
	struct pg_device *there = add(0, "there", "inject ring;rx_ring 3000;count 3000"), *direct;
	struct pg_device *back = add(1, "back", "inject ring;rx_ring 3000;count 3000");
	struct pg_device *wrong = add(0, "wrong", "inject ring;rx_thread kpktgend_1;rx_ring 500");

	(void)state;
	direct = add(1, "direct", "count 5000");
	rig_engine_set(&rig, "wrong", "dst_mac 90:e2:ba:ff:ff:ff;count 500");
	rig_engine_run(&rig);
	CHECK_U64(node(&settled(there, 1)->profile, "deliver")->packets, 3000, "there");
	CHECK_U64(node(&settled(back, 0)->profile, "deliver")->packets, 3000, "back");
	CHECK_U64(node(&settled(wrong, 1)->profile, "ip4: wrong host")->packets, 500, "wrong");
	CHECK_U64(wrong->result.errors, 500, "errors");
	CHECK_U64(direct->nreceivers, 0, "receivers");
	CHECK_U64(node(&direct->profile, "deliver")->packets, 5000, "direct");
	rig_engine_set(&rig, "there", "inject direct");
	rig_engine_run(&rig);
	CHECK_U64(there->nreceivers, 0, "receivers");
	CHECK_U64(node(&there->profile, "deliver")->packets, 3000, "direct again");
	settled(back, 0);
}

// A stop ends the run on both threads; what is in the ring still walks.
static void
test_stop(void **state)
{
	static const char *const cases[] = {"count 0", "count 0;ratep 10000", "count 0;rx_ring 1"};
	struct pg_device *device = add(0, "one", "inject ring");

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		rig_engine_set(&rig, "one", cases[i]);
		for (unsigned int ms = 0; ms < 20; ms += 4) {
			rig_engine_start(&rig);
			usleep(1000 * ms);
			pg_device_refresh(device);
			CHECK(device->result.sent >= device->receivers->received,
				"received %" PRIu64, device->receivers->received);
			assert_true(pg_engine_stop(rig.engine, false));
			pg_engine_wait(rig.engine);
			settled(device, 1);
		}
	}
}

// A thread that goes takes the run along, whichever side it is.
static void
test_clear(void **state)
{
	(void)state;
	for (unsigned int lcore = 0; lcore < 2; lcore++) {
		static const char *const names[2][2] = {{"one", "two"}, {"three", "four"}};
		struct pg_device *kept;

		add(0, names[lcore][0], "inject ring;count 0");
		add(1, names[lcore][1], "count 0");
		rig_engine_start(&rig);
		usleep(2000);
		pg_thread_clear(pg_engine_thread(rig.engine, lcore));
		pg_engine_wait(rig.engine);
		assert_false(pg_engine_running(rig.engine));
		kept = pg_engine_device(rig.engine, names[lcore][1 - lcore]);
		assert_non_null(kept);
		assert_true(kept->has_run && pg_engine_run(rig.engine)->interrupted);
		pg_thread_clear(pg_engine_thread(rig.engine, 1 - lcore));
		fake_world_drop(&rig.world);
		fake_world_drop(&rig.world);
	}
}

// Verdicts are looked at, and packets held, where they are received.
static void
test_there(void **state)
{
	struct pg_device *device = add(0, "one",
		"inject ring;rx_ring 2000;count 2000;rx_verify full;dst_mac_count 3;flag "
		"MACDST_RND");
	const struct pg_receiver *r;

	(void)state;
	rig_engine_run(&rig);
	r = settled(device, 1);
	CHECK_U64(r->profile.verified->packets, 2000, "verified");
	CHECK_U64(r->profile.verified->differences, 0, "differences");
	rig_engine_set(&rig, "one", "rx_verify off;rx_graph tap;rx_tap ring;count 1000");
	rig_engine_run(&rig);
	assert_true(device->fell_short);
	assert_string_equal(device->shortfall, "1000 packets held by tap");
	assert_false(rte_mempool_full(device->task->pool));
}

static void
refuses(const char *commands, const char *text)
{
	struct pg_error err = {0};

	rig_engine_set(&rig, "one", commands);
	assert_int_not_equal(pg_engine_start(rig.engine, &err), 0);
	CHECK(err.fault == PG_FAULT_INPUT && strcmp(err.text, text) == 0, "%s", err.text);
	assert_false(pg_engine_running(rig.engine));
}

static void
test_refused(void **state)
{
	struct pg_device *device = add(0, "one", "inject ring");

	(void)state;
	refuses("rx_thread kpktgend_0", "one: inject ring needs a second thread to receive");
	refuses("rx_thread kpktgend_7", "one: there is no thread kpktgend_7 to receive");
	refuses("rx_thread kpktgend_1;rx_buffers hot",
		"one: hot buffers do not go with other threads, which may still have them");
	rig_engine_set(&rig, "one", "rx_buffers fresh;rx_ring 1000");
	rig_engine_run(&rig);
	settled(device, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none_lost, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_shared, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_stop, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_clear, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_there, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, rig_engine_teardown),
	};

	return cmocka_run_group_tests_name(
		"handoff", tests, support_eal_start_two, support_eal_stop);
}
