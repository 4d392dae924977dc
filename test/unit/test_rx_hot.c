/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that are injected again and again: which they are, that each is whole every time, and
 * that nobody writes to one that somebody holds. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "support_eal.h"
#include "support_engine.h"
#include "tx_priv.h"

#define ROOM    256
#define PACKETS 1000
#define WINDOW  100
#define HOT     "rx_buffers hot;flag NO_TIMESTAMP;"
#define RANDOM  "udp_src_max 65535;flag UDPSRC_RND;"
#define OWN     "dst_mac 02:00:00:00:00:01;"

static struct rig_engine rig;
static struct {
	uint32_t bytes;
	uint8_t frame[ROOM];
} record[PACKETS];
static unsigned int nrecords;

static int
keep(void *ctx, uint64_t ns, const uint8_t *frame, uint32_t bytes)
{
	(void)ctx;
	(void)ns;
	assert_true(nrecords < PACKETS && bytes <= ROOM);
	record[nrecords].bytes = bytes;
	memcpy(record[nrecords++].frame, frame, bytes);
	return 0;
}

static const struct pg_dry_sink sink = {.write = keep};

static void
begin(const struct pg_dry_sink *dry)
{
	rig_engine_init(&rig, dry);
	pg_engine_set_seed(rig.engine, 1, true);
	if (dry == NULL)
		rig_engine_work(&rig, 1);
}

static int
setup(void **state)
{
	*state = &rig;
	begin(NULL);
	return 0;
}

// Packet `index` of the device's stream, alone. Returns its length.
static uint32_t
packet(struct pg_device *device, uint64_t index, uint8_t *frame)
{
	struct pg_error err = {0};
	int rc;

	memset(frame, 0, PG_SIZE_MAX + 64);
	rc = pg_device_packet(device, index, frame, PG_SIZE_MAX + 64, &err);
	CHECK(rc > 0, "packet %llu: %s", (unsigned long long)index, err.text);
	return (uint32_t)rc;
}

static void
is_packet(struct pg_device *device, uint64_t index, const uint8_t *frame, uint32_t bytes)
{
	static uint8_t want[PG_SIZE_MAX + 64];

	CHECK_U64(bytes, packet(device, index, want), "length of %llu", (unsigned long long)index);
	assert_memory_equal(frame, want, bytes);
}

// The first burst of the stream, or what count has of it, over and over.
static void
test_which(void **state)
{
	static const struct {
		const char *commands;
		unsigned int count, period;
	} cases[] = {
		{RANDOM "count 100;burst 8", 100, 8},
		{RANDOM "count 101;burst 256", 101, 101},
		{RANDOM "count 5;burst 8", 5, 5},
		{RANDOM "count 33", 33, 32},
		{RANDOM "count 20;burst 1", 20, 1},
		{RANDOM "count 100;burst 8;ratep 1000", 100, 8},
		{"min_pkt_size 60;max_pkt_size 99;count 300;burst 64", 300, 64},
		{"src6 fd00::1;dst6 fd00::2;count 50;burst 16;vlan_id 7", 50, 16},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		void *engine = &rig;
		struct pg_device *device;

		begin(&sink);
		device = rig_engine_inject(&rig, "dev", HOT);
		rig_engine_set(&rig, "dev", cases[i].commands);
		nrecords = 0;
		rig_engine_run(&rig);
		CHECK_U64(nrecords, cases[i].count, "case %zu", i);
		for (unsigned int k = 0; k < nrecords; k++)
			is_packet(device, k % cases[i].period, record[k].frame, record[k].bytes);
		rig_engine_teardown(&engine);
	}
}

// Nodes pop tags and flag packets: each time that one comes it is as it was built.
static void
test_whole(void **state)
{
	static const struct {
		const char *commands, *chain;
	} cases[] = {
		{OWN "vlan_id 5;svlan_id 6", "eth,vlan,ip4,deliver"},
		{OWN "mpls 0001000a,0002000a", "eth,mpls,ip4,drop"},
		{"vlan_id 5", "eth,vlan,ip4,deliver"},
		{OWN "src_min 10.0.0.1;src_max 10.0.0.9", "eth,ip4,local"},
		{"min_pkt_size 60;max_pkt_size 99", "drop"},
		{OWN "min_pkt_size 60;max_pkt_size 99", "eth,ip4,fib,deliver"},
	};
	struct pg_device *device = rig_engine_inject(&rig, "dev", HOT "count 10000;rx_verify full");

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		char line[80];

		rig_engine_set(&rig, "dev", "dst_mac 00:00:00:00:00:00;vlan_id 4096");
		rig_engine_set(&rig, "dev", "min_pkt_size 80;max_pkt_size 80;mpls 0");
		rig_engine_set(&rig, "dev", cases[i].commands);
		snprintf(line, sizeof(line), "rx_graph %s", cases[i].chain);
		rig_engine_set(&rig, "dev", line);
		rig_engine_run(&rig);
		CHECK_U64(device->result.sent, 10000, "case %zu", i);
		CHECK_U64(device->profile.verified->packets, 10000, "case %zu", i);
		CHECK_U64(device->profile.verified->differences, 0, "case %zu: '%s' not '%s'", i,
			device->profile.verified->did, device->profile.verified->must);
		CHECK_U64(device->placement.repeated, 32, "case %zu", i);
		CHECK_U64(device->placement.replaced, 0, "case %zu", i);
		assert_true(rte_mempool_full(device->task->pool));
	}
}

// What was sent, in bytes: of each repetition anew.
static void
test_bytes(void **state)
{
	static uint8_t frame[PG_SIZE_MAX + 64];
	struct pg_device *device = rig_engine_inject(
		&rig, "dev", HOT "min_pkt_size 60;max_pkt_size 99;count 1000;burst 32");
	uint64_t bytes = 0;

	(void)state;
	rig_engine_run(&rig);
	for (unsigned int i = 0; i < 1000; i++)
		bytes += packet(device, i % 32, frame);
	CHECK_U64(device->result.bytes, bytes, "bytes");
	CHECK_U64(device->result.errors, 1000, "dropped");
	assert_true(device->own_cycles > 0);
	assert_int_equal(device->placement.buffers, PG_RX_BUFFERS_HOT);
}

// Who lets go of nothing has each packet for himself: then all are those of the stream.
static void
test_all_held(void **state)
{
	static struct rte_mbuf *pkts[2 * PACKETS];
	struct pg_device *device = rig_engine_inject(
		&rig, "dev", HOT OWN RANDOM "count 1000;rx_graph tap;rx_tap ring");

	(void)state;
	rig_engine_run(&rig);
	assert_true(device->fell_short && device->result.sent == PACKETS);
	CHECK_TEXT(device->shortfall, "1000 packets held by tap", "why");
	CHECK_U64(device->placement.repeated, 32, "repeated");
	CHECK_U64(device->placement.replaced, PACKETS - 32, "replaced");
	assert_int_equal(rte_ring_dequeue_burst(rig_engine_tap(), (void **)pkts, 2 * PACKETS, NULL),
		PACKETS);
	rig_engine_set(&rig, "dev", "count 200000;rx_graph host");
	rig_engine_run(&rig);
	CHECK_U64(device->result.sent, 200000, "sent while packets are held");
	for (unsigned int i = 0; i < PACKETS; i++)
		is_packet(device, i, rte_pktmbuf_mtod(pkts[i], void *), pkts[i]->pkt_len);
	rte_pktmbuf_free_bulk(pkts, PACKETS);
}

/** Reads a tap, and keeps the packets for a while. */
static struct reader {
	pthread_t thread;
	struct rte_ring *ring;
	bool ended;
	struct rte_mbuf *held[WINDOW];
	uint8_t copy[WINDOW][ROOM];
	uint64_t nread, changed;
} reader;

static void
hold(struct reader *r, struct rte_mbuf *mbuf)
{
	unsigned int at = r->nread++ % WINDOW;

	if (r->held[at] != NULL) {
		r->changed += memcmp(r->copy[at], rte_pktmbuf_mtod(r->held[at], void *), 60) != 0;
		rte_pktmbuf_free(r->held[at]);
	}
	r->held[at] = mbuf;
	if (mbuf != NULL)
		memcpy(r->copy[at], rte_pktmbuf_mtod(mbuf, void *), 60);
}

static void *
read_all(void *arg)
{
	struct reader *r = arg;
	uint64_t nread;
	void *mbuf;

	for (bool ended = false; !ended;) {
		ended = __atomic_load_n(&r->ended, __ATOMIC_ACQUIRE);
		while (rte_ring_dequeue(r->ring, &mbuf) == 0)
			hold(r, mbuf);
		usleep(100);
	}
	nread = r->nread;
	for (unsigned int i = 0; i < WINDOW; i++)
		hold(r, NULL);
	r->nread = nread;
	return NULL;
}

// A reader that is late has whole packets, while others come again and again.
static void
test_some_held(void **state)
{
	struct pg_device *device = rig_engine_inject(&rig, "dev",
		HOT OWN RANDOM "vlan_id 5;count 300000;burst 64;rx_graph tap,eth,vlan,ip4,deliver;"
			       "rx_tap ring");

	(void)state;
	memset(&reader, 0, sizeof(reader));
	rig_engine_start(&rig);
	reader.ring = rig_engine_tap();
	assert_int_equal(pthread_create(&reader.thread, NULL, read_all, &reader), 0);
	while (pg_device_running(device))
		usleep(1000);
	__atomic_store_n(&reader.ended, true, __ATOMIC_RELEASE);
	pg_engine_wait(rig.engine);
	pthread_join(reader.thread, NULL);
	CHECK_U64(device->result.sent, 300000, "sent");
	CHECK_U64(device->result.errors, 0, "none was dropped, so each was whole");
	CHECK_U64(reader.changed, 0, "changed while they were held");
	CHECK_U64(reader.nread + device->profile.counter[0], 300000, "read, and not read");
	CHECK(reader.nread > 0 && device->placement.replaced > 0, "%llu read, %llu replaced",
		(unsigned long long)reader.nread, (unsigned long long)device->placement.replaced);
	CHECK(!device->fell_short, "%s", device->shortfall);
}

// A hot device has buffers and a graph of its own, beside others of its thread.
static void
test_beside_others(void **state)
{
	struct pg_device *hot = rig_engine_inject(&rig, "hot", HOT "count 20000");
	struct pg_device *fresh = rig_engine_inject(&rig, "fresh", "count 20000");

	(void)state;
	rig_engine_run(&rig);
	assert_true(hot->result.errors == 20000 && fresh->result.errors == 20000);
	assert_ptr_not_equal(hot->task->pool, fresh->task->pool);
	assert_ptr_not_equal(hot->task->rx, fresh->task->rx);
	assert_true(hot->task->null != fresh->task->null && fresh->task->hot == NULL);
	assert_true(hot->own_cycles > 0 && fresh->own_cycles > 0);
	rig_engine_set(&rig, "hot", "rx_buffers fresh");
	rig_engine_run(&rig);
	assert_ptr_equal(hot->task->rx, fresh->task->rx);
	assert_true(hot->placement.repeated == 0 && hot->task->hot == NULL);
}

static void
test_refused(void **state)
{
	static const struct {
		const char *set, *unset, *why;
	} cases[] = {
		{"frags 2", "frags 0", "packets of several segments"},
		{"verify full", "verify off", "a receipt, which is for packets that all differ"},
		{"flag !SHARED", "flag SHARED",
			"the flag !SHARED, which hands packets over for good"},
	};
	struct pg_device *device = rig_engine_inject(&rig, "dev", HOT "count 10");
	char want[128];

	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_error err = {0};

		rig_engine_set(&rig, "dev", cases[i].set);
		assert_int_equal(pg_engine_start(rig.engine, &err), -EINVAL);
		snprintf(want, sizeof(want), "dev: hot buffers do not go with %s", cases[i].why);
		CHECK_TEXT(err.text, want, "case %zu", i);
		CHECK_TEXT(err.expected, "rx_buffers fresh", "case %zu", i);
		rig_engine_set(&rig, "dev", cases[i].unset);
	}
	(void)state;
	rig_engine_run(&rig);
	CHECK_U64(device->result.sent, 10, "sent");
	rig_engine_set(&rig, "dev", "frags 2;xmit_mode start_xmit;count 0"); // no graph, no matter
	assert_int_equal(tx_hot_check(device, &(struct pg_error){0}), 0);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, setup, rig_engine_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which),
		RUN(test_whole),
		RUN(test_bytes),
		RUN(test_some_held),
		RUN(test_beside_others),
		RUN(test_refused),
		// Last, for its pool outlives the engine.
		RUN(test_all_held),
	};

	return cmocka_run_group_tests_name(
		"rx_hot", tests, support_eal_start_two, support_eal_stop);
}
