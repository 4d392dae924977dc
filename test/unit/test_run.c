/* SPDX-License-Identifier: BSD-3-Clause */
/* Real runs into the receive graph, with the worker on a thread of the test's: what was asked, what
 * was sent and what the devices then show. */
#include "support.h"

#include <stdlib.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

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

static void
start_run(void)
{
	rig_engine_run(&rig);
	assert_false(pg_engine_running(rig.engine));
}

static uint64_t
profiled(const struct pg_device *device, const char *name)
{
	for (unsigned int i = 0; i < device->profile.nnodes; i++) {
		if (strcmp(device->profile.node[i].name, name) == 0)
			return device->profile.node[i].packets;
	}
	fail_msg("no node '%s'", name);
	return 0;
}

// The port's own MAC is 02:00:00:00:00:01: packets for others are dropped and count as errors.
static void
test_counts(void **state)
{
	static const struct {
		const char *commands;
		uint64_t count, dropped, bytes;
	} cases[] = {
		{"count 1;pkt_size 60", 1, 1, 60},
		{"count 10000;pkt_size 60", 10000, 10000, 600000},
		{"count 10001;pkt_size 60;dst_mac 02:00:00:00:00:01", 10001, 0, 600060},
		{"count 999;pkt_size 60;dst_mac ff:ff:ff:ff:ff:ff;burst 1", 999, 0, 59940},
		// 256 MACs from ...:00 on: one of them is ours
		{"count 2560;pkt_size 60;dst_mac 02:00:00:00:00:00;dst_mac_count 256", 2560, 2550,
			153600},
		{"count 1200;imix_weights 60,7 590,4 1514,1;dst_mac 02:00:00:00:00:01", 1200, 0,
			700 * 60 + 400 * 590 + 100 * 1514},
		{"count 1100;min_pkt_size 60;max_pkt_size 70", 1100, 1100, 1100 * 65},
		{"count 1000;pkt_size 42;burst 512", 1000, 1000, 58000},
	};

	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_device *device;

		rig_engine_teardown(state);
		setup(state);
		device = rig_engine_inject(&rig, "dev", cases[i].commands);
		start_run();
		assert_true(device->has_run && !device->fell_short);
		CHECK_U64(device->result.sent, cases[i].count, "sent, row %zu", i);
		CHECK_U64(device->asked, cases[i].count, "asked, row %zu", i);
		CHECK_U64(device->result.errors, cases[i].dropped, "errors, row %zu", i);
		CHECK_U64(device->result.bytes, cases[i].bytes, "bytes, row %zu", i);
		CHECK_U64(device->current.seq_num, cases[i].count + 1, "seq_num, row %zu", i);
		CHECK_U64(profiled(device, "eth"), cases[i].count, "row %zu", i);
		CHECK_U64(profiled(device, "ip4: wrong host"), cases[i].dropped, "row %zu", i);
		CHECK_U64(profiled(device, "deliver"), cases[i].count - cases[i].dropped, "row %zu",
			i);
		assert_true(device->result.duration_ns > 0 && device->result.pps > 0);
		assert_false(pg_engine_run(rig.engine)->fell_short);
		assert_false(pg_engine_run(rig.engine)->interrupted);
	}
}

// What is not IPv4 ends at Ethernet, whomever it is for.
static void
test_other_types(void **state)
{
	static const char *const commands[] = {"dst6 fd00::2", "vlan_id 5", "mpls 1"};

	for (size_t i = 0; i < DIM(commands); i++) {
		struct pg_device *device;

		rig_engine_teardown(state);
		setup(state);
		device = rig_engine_inject(&rig, "dev", "count 100;dst_mac 02:00:00:00:00:01");
		rig_engine_set(&rig, "dev", commands[i]);
		start_run();
		assert_true(device->result.sent == 100 && device->result.errors == 100);
		CHECK_U64(profiled(device, "eth: unknown type"), 100, "'%s'", commands[i]);
		CHECK_U64(profiled(device, "ip4"), 0, "'%s'", commands[i]);
	}
}

// The values of the last packet, as the text shows them.
static void
test_current(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev",
		"count 1000;pkt_size 60;src_min 10.0.0.0;src_max 10.255.255.255;dst_min 198.18.0.1;"
		"dst_max 198.18.0.7;udp_src_min 100;udp_src_max 109;dst_mac_count 11");
	const struct pg_device_current *cur = &device->current;

	(void)state;
	start_run();
	assert_true(cur->saddr == 0x0a000000 + 999 && cur->daddr == 0xc6120001 + 999 % 7);
	assert_true(cur->udp_src == 100 + 999 % 10 && cur->udp_dst == 9);
	assert_true(cur->dst_mac_offset == 999 % 11 && cur->src_mac_offset == 0);
	assert_true(cur->started_us > 0 && cur->stopped_us >= cur->started_us);
}

// A second run starts from nothing, and shows its own figures.
static void
test_second_run(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev", "count 500;pkt_size 60");

	(void)state;
	start_run();
	rig_engine_set(&rig, "dev", "count 70;dst_mac 02:00:00:00:00:01");
	start_run();
	assert_true(device->result.sent == 70 && device->result.errors == 0);
	assert_true(profiled(device, "eth") == 70 && profiled(device, "ip4: wrong host") == 0);
	assert_true(device->current.seq_num == 71);
	assert_true(device->reply[0] == '\0'); // the run's result counts from here on
}

// Devices of one thread take turns on one graph; each has its own account.
static void
test_sharing(void **state)
{
	struct pg_device *a = rig_engine_inject(&rig, "dev@0", "count 3000;pkt_size 60");
	struct pg_device *b = rig_engine_inject(
		&rig, "dev@1", "count 1000;pkt_size 70;dst_mac 02:00:00:00:00:01");
	struct pg_device *c = rig_engine_inject(&rig, "other", "count 1;burst 1;vlan_id 5");

	(void)state;
	start_run();
	assert_true(a->result.sent == 3000 && a->result.errors == 3000);
	assert_true(b->result.sent == 1000 && b->result.errors == 0);
	assert_true(c->result.sent == 1 && c->result.errors == 1);
	assert_true(profiled(a, "eth") == 3000 && profiled(a, "ip4: wrong host") == 3000);
	assert_true(profiled(b, "eth") == 1000 && profiled(b, "deliver") == 1000);
	assert_true(profiled(c, "eth") == 1 && profiled(c, "eth: unknown type") == 1);
	assert_true(a->result.bytes == 180000 && b->result.bytes == 70000);
}

static unsigned int
graphs(void)
{
	unsigned int n = 0;

	for (const struct tx_graph *g = pg_engine_thread(rig.engine, 0)->worker->graphs; g != NULL;
		g = g->next)
		n++;
	return n;
}

// Devices with one chain share its graph, others have their own; the empty one is everybody's.
static void
test_chains(void **state)
{
	struct pg_device *a = rig_engine_inject(&rig, "a", "count 300;dst_mac 02:00:00:00:00:01");
	struct pg_device *b = rig_engine_inject(
		&rig, "b", "count 200;rx_graph eth,ip4,drop;dst_mac 02:00:00:00:00:01");
	struct pg_device *c = rig_engine_inject(&rig, "c", "count 100;rx_graph null");
	struct pg_device *d =
		rig_engine_inject(&rig, "d", "count 50;rx_graph eth,deliver;vlan_id 5");

	(void)state;
	start_run();
	assert_true(a->result.errors == 0 && profiled(a, "deliver") == 300);
	assert_true(b->result.errors == 200 && profiled(b, "end of the chain") == 200);
	assert_true(c->result.errors == 0 && profiled(c, "null") == 100);
	assert_true(d->result.errors == 0 && profiled(d, "deliver") == 50);
	assert_int_equal(graphs(), 4);
	assert_int_equal(c->profile.nnodes, 2); // nothing of other chains
	rig_engine_set(&rig, "b", "rx_graph host");
	rig_engine_set(&rig, "d", "rx_graph host");
	start_run();
	assert_true(b->result.errors == 0 && profiled(b, "deliver") == 200);
	assert_true(d->result.errors == 50 && profiled(d, "eth: unknown type") == 50);
	assert_int_equal(graphs(), 2);
}

// The packets that lie in a tap's ring.
static unsigned int
held(struct rte_mbuf **pkts, unsigned int n)
{
	return rte_ring_dequeue_burst(rig_engine_tap(), (void **)pkts, n, NULL);
}

// Origin A's rule: what somebody holds is never rewritten, not in the run, not in one after it.
static void
test_held(void **state)
{
	static struct rte_mbuf *pkts[2000];
	static uint8_t before[1000][60];
	struct pg_device *device = rig_engine_inject(&rig, "dev",
		"count 1000;pkt_size 60;rx_graph tap;rx_tap ring;udp_src_max 65535;flag UDPSRC_RND;"
		"dst_mac 02:00:00:00:00:01");
	const struct pg_run *run = pg_engine_run(rig.engine);

	(void)state;
	start_run();
	assert_true(device->fell_short && run->fell_short && device->result.sent == 1000);
	CHECK_TEXT(device->shortfall, "1000 packets held by tap", "why");
	assert_int_equal(held(pkts, 2000), 1000);
	for (unsigned int i = 0; i < 1000; i++)
		memcpy(before[i], rte_pktmbuf_mtod(pkts[i], void *), 60);
	rig_engine_set(&rig, "dev", "count 200000;rx_graph host");
	start_run();
	CHECK_U64(device->result.sent, 200000, "sent while packets are held");
	for (unsigned int i = 0; i < 1000; i++)
		assert_memory_equal(before[i], rte_pktmbuf_mtod(pkts[i], void *), 60);
	rte_pktmbuf_free_bulk(pkts, 1000);
}

// A ring that is full is no reason to wait: the rest goes unread.
static void
test_unread(void **state)
{
	struct pg_device *device =
		rig_engine_inject(&rig, "dev", "count 100000;rx_graph tap;rx_tap ring");

	(void)state;
	start_run();
	CHECK_U64(device->result.sent, 100000, "sent");
	CHECK_TEXT(device->shortfall, "4096 packets held by tap", "why");
	assert_int_equal(device->profile.ncounters, 1);
	CHECK_U64(device->profile.counter[0], 100000 - 4096, "not read");
}

// Without SHARED packets go one at a time, and none is held at the end: -1frags (reference 5.1 and
// 6.5; recorded: packets-3422).
static void
test_not_shared(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev", "count 10;flag !SHARED");

	(void)state;
	start_run();
	assert_true(device->result.sent == 10 && device->call_packets == 1);
	assert_int_equal(device->result.frags, -1);
	rig_engine_set(&rig, "dev", "flag SHARED");
	start_run();
	assert_true(device->call_packets == 32);
	assert_int_equal(device->result.frags, 0);
}

// On schedule: 50 packets 1 ms apart take 49 ms, most of them idle; a busy machine may be late.
static void
test_pace(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev", "count 50;pkt_size 60;delay 1ms");
	const struct pg_result *r = &device->result;

	(void)state;
	start_run();
	assert_true(r->sent == 50);
	CHECK(r->duration_ns >= 49 * 1000000 - 1000, "%llu ns", (unsigned long long)r->duration_ns);
	CHECK(r->idle_ns <= r->duration_ns && r->idle_ns > r->duration_ns / 2, "%llu of %llu ns",
		(unsigned long long)r->idle_ns, (unsigned long long)r->duration_ns);
}

// What was asked and what it takes: the figures of the text are those of the run.
static void
test_text(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev", "count 1000;pkt_size 60");
	char *text, want[300], result[PG_RESULT_MAX];

	(void)state;
	start_run();
	pg_report_result(&device->result, result, sizeof(result));
	text = rig_engine_text(device);
	snprintf(want, sizeof(want),
		"     pkts-sofar: 1000  errors: 1000\n     started: %lluus  "
		"stopped: %lluus idle: %lluus\n     seq_num: 1001  ",
		(unsigned long long)device->current.started_us,
		(unsigned long long)device->current.stopped_us,
		(unsigned long long)device->result.idle_ns / 1000);
	CHECK(strstr(text, want) != NULL, "no %s in %s", want, text);
	CHECK(strlen(text) > strlen(result) && strncmp(text + strlen(text) - strlen(result) - 1,
						       result, strlen(result)) == 0,
		"no %s at the end of %s", result, text);
	CHECK(strstr(result, "usec, 1000 (60byte,0frags)\n") != NULL, "%s", result);
	free(text);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, setup, rig_engine_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(test_counts),
		RUN(test_other_types),
		RUN(test_current),
		RUN(test_second_run),
		RUN(test_sharing),
		RUN(test_chains),
		RUN(test_not_shared),
		RUN(test_pace),
		RUN(test_text),
		RUN(test_unread),
		RUN(test_held),
	};

	return cmocka_run_group_tests_name("run", tests, support_eal_start, support_eal_stop);
}
