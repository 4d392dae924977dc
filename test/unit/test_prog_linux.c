/* SPDX-License-Identifier: BSD-3-Clause */
/* `pgctrl compat linux`: the walks of reference 7, value for value, and packets that the kernel's
 * module sent (recorded cases are named). Seen through dry runs of a whole engine. */
#include "support.h"

#include <errno.h>

#include "pg_prog.h"
#include "support_eal.h"
#include "support_engine.h"

#define PACKETS 5000
#define ROOM    192

static struct record {
	uint64_t ns;
	uint32_t bytes;
	uint8_t frame[ROOM];
} records[PACKETS], kept[PACKETS];
static unsigned int nrecords;
static struct rig_engine rig;
static struct pg_device *dev;

static int
record(void *ctx, uint64_t ns, const uint8_t *frame, uint32_t bytes)
{
	struct record *r = &records[nrecords++];

	(void)ctx;
	assert_true(nrecords <= PACKETS);
	memset(r, 0, sizeof(*r));
	r->ns = ns;
	r->bytes = bytes;
	memcpy(r->frame, frame, bytes < ROOM ? bytes : ROOM);
	return 0;
}

static const struct pg_dry_sink sink = {.write = record};

#define PLAIN                                                             \
	"flag NO_TIMESTAMP;dst_mac 02:00:00:00:00:02;src_min 198.18.0.1;" \
	"dst_min 198.18.0.42;"

// A fresh engine that walks as Linux does, with one device.
static void
fresh(const char *commands)
{
	rig_engine_fini(&rig);
	rig_engine_init(&rig, &sink);
	pg_engine_set_seed(rig.engine, 1, true);
	pg_engine_set_compat(rig.engine, PG_COMPAT_LINUX);
	dev = rig_engine_add(&rig, "dev");
	rig_engine_set(&rig, "dev", PLAIN);
	rig_engine_set(&rig, "dev", commands);
}

static void
run(unsigned int count)
{
	char text[32];

	snprintf(text, sizeof(text), "count %u", count);
	rig_engine_set(&rig, "dev", text);
	nrecords = 0;
	rig_engine_run(&rig);
	CHECK_U64(nrecords, count, "packets");
}

// Bytes of a frame as a number; `at` ROOM: its length.
static uint64_t
get(unsigned int k, unsigned int at, unsigned int bytes)
{
	uint64_t value = 0;

	if (at == ROOM)
		return records[k].bytes;
	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | records[k].frame[at + i];
	return value;
}

#define DST_MAC  1, 5 // the bytes that are walked
#define SRC_MAC  7, 5
#define IP_ID    18, 2
#define SRC      26, 4
#define SRC_LAST 29, 1
#define DST      30, 4
#define DST_LAST 33, 1
#define SPORT    34, 2
#define DPORT    36, 2
#define SIZE     ROOM, 0

// Each value of a run in turn; a row without commands is the next run of the same device.
static const struct {
	const char *commands;
	unsigned int at, bytes, n;
	uint64_t want[12];
} walks[] = {
	{"udp_src_max 12", SPORT, 6, {10, 11, 9, 10, 11, 9}},
	{"udp_dst_max 12", DPORT, 6, {10, 11, 9, 10, 11, 9}},
	{"udp_src_max 10", SPORT, 4, {9, 9, 9, 9}},
	{"udp_src_min 12;udp_src_max 9", SPORT, 3, {12, 12, 12}},
	{"udp_src_min 65533;udp_src_max 65535", SPORT, 4, {65534, 65533, 65534, 65533}},
	{"src_max 198.18.0.4", SRC_LAST, 5, {2, 3, 4, 1, 2}},
	{"dst_min 198.18.0.1;dst_max 198.18.0.4", DST_LAST, 5, {2, 3, 4, 1, 2}},
	{"dst_min 198.18.0.10;dst_max 198.18.0.4", DST_LAST, 3, {10, 10, 10}},
	// lin-dst-top, src-top: the last address of all is never passed.
	{"dst_min 255.255.255.253;dst_max 255.255.255.255", DST, 5,
		{0xfffffffe, 0xffffffff, 0, 1, 2}},
	{"src_min 255.255.255.253;src_max 255.255.255.255", SRC, 4, {0xfffffffe, 0xffffffff, 0, 1}},
	{NULL, SRC, 2, {0xfffffffe, 0xffffffff}},
	{"min_pkt_size 60;max_pkt_size 62", SIZE, 5, {61, 62, 60, 61, 62}},
	{"max_pkt_size 60", SIZE, 5, {59, 60, 58, 59, 60}},
	{"imix_weights 100,1;min_pkt_size 60;max_pkt_size 61", SIZE, 4, {61, 60, 61, 60}},
	// lin-dstmac-carry-byte0, mac-wrap: the first byte stays.
	{"dst_mac 02:ff:ff:ff:ff:fe;dst_mac_count 4", DST_MAC, 5,
		{0xfffffffffe, 0xffffffffff, 0, 1, 0xfffffffffe}},
	{"src_mac 02:00:00:ff:ff:ff;src_mac_count 3", SRC_MAC, 4,
		{0xffffff, 0x1000000, 0x1000001, 0xffffff}},
	// lin-srcmac-walk-then-0b: a walk that is over leaves the MAC where it was.
	{"src_mac 02:00:00:00:00:10;src_mac_count 3", SRC_MAC, 3, {0x10, 0x11, 0x12}},
	{"-src_mac_count 0", SRC_MAC, 2, {0x12, 0x12}},
	{"-src_mac 02:00:00:00:00:20", SRC_MAC, 1, {0x20}},
	{"src_mac_count 3", SRC_MAC, 3, {0, 1, 2}},
	{"-src_mac_count 0", SRC_MAC, 2, {1, 1}},
	// runs-3: ids go on, the rest begins anew.
	{"udp_src_max 12", IP_ID, 4, {0, 1, 2, 3}},
	{NULL, IP_ID, 3, {4, 5, 6}},
	{NULL, SPORT, 4, {10, 11, 9, 10}},
	// flows-3x2-seq, -run2; flows-3x2-seq-count5 ends in the middle of a flow.
	{"dst_min 198.18.0.1;dst_max 198.18.0.10;flag FLOW_SEQ;flows 3;flowlen 2", DST_LAST, 9,
		{2, 2, 3, 3, 4, 4, 5, 5, 6}},
	{NULL, DST_LAST, 5, {6, 7, 7, 8, 8}},
	{"dst_min 198.18.0.1;dst_max 198.18.0.10;flag FLOW_SEQ;flows 3;flowlen 2", DST_LAST, 5,
		{2, 2, 3, 3, 4}},
	{NULL, DST_LAST, 5, {4, 5, 5, 6, 6}},
	{NULL, DST_LAST, 5, {2, 2, 3, 3, 4}},
	{"-flows 0", DST_LAST, 3, {2, 3, 4}},
	{"dst_min 198.18.0.1;dst_max 198.18.0.10;flag FLOW_SEQ;flows 3;flowlen 0", DST_LAST, 4,
		{2, 3, 4, 5}},
	// A flow that goes on keeps its address, whatever the range is by now; new ones follow it.
	{"dst_min 198.18.0.1;dst_max 198.18.0.10;flag FLOW_SEQ;flows 3;flowlen 2", DST_LAST, 1,
		{2}},
	{"-dst_min 198.18.0.99;dst_max 198.18.0.99", DST_LAST, 4, {2, 2, 2, 2}},
	// flows-3x2-seq-srcrange: all else goes on by packet.
	{"src_max 198.18.0.4;flag FLOW_SEQ;flows 3;flowlen 2", SRC_LAST, 5, {2, 3, 4, 1, 2}},
	{NULL, DST_LAST, 4, {42, 42, 42, 42}},
	// rnd-flows-1x3: at random a flow has one packet more than flowlen.
	{"dst_min 198.18.0.1;dst_max 198.18.0.10;flows 1;flowlen 3", DST_LAST, 9,
		{2, 2, 2, 2, 3, 3, 3, 3, 4}},
};

static void
test_walks(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(walks); i++) {
		const char *commands = walks[i].commands;

		if (commands != NULL && commands[0] == '-')
			rig_engine_set(&rig, "dev", commands + 1);
		else if (commands != NULL)
			fresh(commands);
		// rows without commands of their own look at a new run
		run(walks[i].n);
		for (unsigned int k = 0; k < walks[i].n; k++)
			CHECK_U64(get(k, walks[i].at, walks[i].bytes), walks[i].want[k],
				"packet %u of row %zu", k, i);
	}
}

/** 2000 random packets: the values that came, as bits above `lo`. */
static uint64_t
came(const char *commands, unsigned int at, unsigned int bytes, uint64_t lo)
{
	uint64_t bits = 0;

	fresh(commands);
	run(2000);
	for (unsigned int k = 0; k < nrecords; k++) {
		uint64_t above = get(k, at, bytes) - lo;

		CHECK(above < 64, "%llu", (unsigned long long)get(k, at, bytes));
		bits |= 1ull << above;
	}
	return bits;
}

// The last value never comes, except of MACs; nor do reserved destinations.
static void
test_random_ends(void **state)
{
	(void)state;
	CHECK_U64(came("flag UDPSRC_RND;udp_src_max 19", SPORT, 9), 0x3ff, "9-19");
	CHECK_U64(came("flag UDPDST_RND;udp_dst_min 433;udp_dst_max 444", DPORT, 433), 0x7ff, "");
	CHECK_U64(came("flag IPSRC_RND;src_min 198.18.0.0;src_max 198.18.0.15", SRC_LAST, 0),
		0x7fff, "source");
	CHECK_U64(came("flag IPDST_RND;dst_min 0.0.0.0;dst_max 0.0.0.4", DST, 0), 0xe, "zero");
	CHECK_U64(came("flag IPDST_RND;dst_min 126.255.255.250;dst_max 127.0.0.5", DST, 0x7efffffa),
		0x3f, "loopback");
	CHECK_U64(came("flag TXSIZE_RND;min_pkt_size 60;max_pkt_size 70", SIZE, 60), 0x3ff, "size");
	CHECK_U64(came("flag MACDST_RND;dst_mac 02:00:00:00:01:00;dst_mac_count 8", DST_MAC, 0x100),
		0xff, "MAC");
	CHECK_U64(came("flag IPDST_RND;dst_min 198.18.0.1;dst_max 198.18.0.9;flag FLOW_SEQ;flows 3",
			  DST_LAST, 0),
		0x1fe, "flows");
	// ip6-range-noncidr: (random | ::1) & ::a is ::8 or ::a with bit 1 free, bit 0 cut.
	CHECK_U64(came("src6 fd00::1;dst6_min fd00::1;dst6_max fd00::a", 53, 1, 0), 0x505, "IPv6");
}

static void
expect_refused(const char *commands, const char *text)
{
	struct pg_error err = {0};

	fresh(commands);
	rig_engine_set(&rig, "dev", "count 1");
	assert_int_equal(pg_engine_start(rig.engine, &err), -EINVAL);
	CHECK(strstr(err.text, text) != NULL, "'%s'", err.text);
	assert_false(pg_engine_running(rig.engine));
}

static void
test_refused(void **state)
{
	(void)state;
	expect_refused("stream s 1/2", "parts of a stream");
	// Linux would search for ever: 127.0.0.2 is excluded, and 127.0.0.1 reserved.
	expect_refused("flag IPDST_RND;dst_min 127.0.0.1;dst_max 127.0.0.2", "reserved");
	fresh("stream s 0/1");
	run(1);
}

// Rates are whole ns, from the size that was set before (reference 8.7).
static void
test_delay(void **state)
{
	(void)state;
	fresh("ratep 3000000");
	run(1000);
	CHECK_U64(records[999].ns, 999 * 333, "ratep");
	fresh("pkt_size 1514;rate 10000;imix_weights 60,1 1000,1");
	run(100);
	CHECK_U64(records[99].ns, 99 * 1211, "rate");
}

// Random ids and labels stay in the settings, with the bit that makes them random.
static void
test_stored(void **state)
{
	(void)state;
	fresh("flag VID_RND;flag SVID_RND;vlan_id 5;vlan_p 2;svlan_id 6;pkt_size 80");
	run(50);
	CHECK_U64(dev->settings.tmpl.svlan.id, get(49, 14, 2) & 0xfff, "outer tag");
	CHECK_U64(dev->settings.tmpl.vlan.id, get(49, 18, 2) & 0xfff, "tag");
	CHECK_U64(dev->settings.tmpl.vlan.p, 2, "priority");
	assert_true(dev->settings.tmpl.vlan.id != 5 || dev->settings.tmpl.svlan.id != 6);
	fresh("mpls 00000100,0001000a,0002010a;pkt_size 90");
	run(50);
	CHECK_U64(dev->settings.tmpl.mpls.word[0], get(49, 14, 4) | 0x100, "first label");
	CHECK_U64(dev->settings.tmpl.mpls.word[1], 0x0001000a, "fixed label");
	CHECK_U64(dev->settings.tmpl.mpls.word[2], get(49, 22, 4) | 0x100, "last label");
	CHECK_U64(get(49, 14, 4) >> 20, 0, "upper bits of a random label");
	pg_engine_set_compat(rig.engine, PG_COMPAT_EXACT);
	rig_engine_set(&rig, "dev", "vlan_id 5;flag VID_RND");
	run(50);
	CHECK_U64(dev->settings.tmpl.vlan.id, 5, "exact runs leave settings alone");
}

// csum4-lin-all, packets 0 and 5, as recorded: every range at once.
static void
test_recorded(void **state)
{
	static const char *const want[] = {
		"02000000000202000000000108004500002d0000000020110e6fc6120002c612002b000a000a0019cb"
		"63"
		"be9be95500000001000000000000000000",
		"0200000000020200000000010800450000320005000020110e60c6120002c61200300009000b001ecb"
		"4f"
		"be9be955000000060000000000000000000000000000",
	};

	(void)state;
	fresh("flag UDPCSUM;min_pkt_size 58;max_pkt_size 64;src_max 198.18.0.5;"
	      "dst_max 198.18.0.50;udp_src_max 15;udp_dst_max 13");
	run(6);
	for (unsigned int i = 0; i < 2; i++) {
		char hex[2 * ROOM + 1];

		for (unsigned int b = 0; b < records[5 * i].bytes; b++)
			sprintf(hex + 2 * b, "%02x", records[5 * i].frame[b]);
		CHECK_TEXT(hex, want[i], "packet %u", 5 * i);
	}
}

// The same lines make the same bytes, run after run; one packet alone is that of the next run.
static void
test_repeatable(void **state)
{
	static const char commands[] =
		"dst_max 198.18.0.99;flows 7;flowlen 3;flag IPDST_RND;udp_src_max 20";
	static uint8_t frame[RTE_ALIGN_CEIL(PG_SIZE_MAX, 64)];
	struct pg_error err = {0};

	(void)state;
	for (int second = 0; second < 2; second++) {
		fresh(commands);
		run(1000);
		run(1500);
		if (second)
			assert_memory_equal(records, kept, 1500 * sizeof(records[0]));
		memcpy(kept, records, sizeof(records));
	}
	fresh(commands);
	run(1000);
	for (unsigned int k = 0; k < 1500; k += 499) {
		int n = pg_device_packet(dev, k, frame, sizeof(frame), &err);

		CHECK_U64(n, kept[k].bytes, "bytes of packet %u", k);
		assert_memory_equal(frame, kept[k].frame, kept[k].bytes);
	}
	run(1500);
	assert_memory_equal(records, kept, 1500 * sizeof(records[0]));
	rig_engine_set(&rig, "dev", "clone_skb 3"); // built once, sent three times
	run(30);
	for (unsigned int k = 0; k < 30; k++)
		CHECK_U64(get(k, IP_ID), 2500 + k / 3, "copy %u", k);
}

static int
start(void **state)
{
	int rc = support_eal_start(state);

	if (rc == 0)
		rig_engine_init(&rig, &sink);
	return rc;
}

static int
stop(void **state)
{
	rig_engine_fini(&rig);
	return support_eal_stop(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_random_ends),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_stored),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_repeatable),
	};

	return cmocka_run_group_tests_name("prog_linux", tests, start, stop);
}
