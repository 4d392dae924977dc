/* SPDX-License-Identifier: BSD-3-Clause */
/* What reading pktgen's files gives: reference 5, and texts recorded from Linux 6.18.15 (the step
 * in the comment). */
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "support_eal.h"
#include "support_engine.h"

// cmds-579: a fresh device on lo.
#define FRESH_HEAD                                                              \
	"Params: count 1000  min_pkt_size: 0  max_pkt_size: 0\n"                \
	"     frags: 0  delay: 0  clone_skb: 0  ifname: lo\n"                   \
	"     flows: 0 flowlen: 0\n"                                            \
	"     queue_map_min: 0  queue_map_max: 0\n"                             \
	"     dst_min:   dst_max: \n"                                           \
	"     src_min:   src_max: \n"                                           \
	"     src_mac: 00:00:00:00:00:00 dst_mac: 00:00:00:00:00:00\n"          \
	"     udp_src_min: 9  udp_src_max: 9  udp_dst_min: 9  udp_dst_max: 9\n" \
	"     src_mac_count: 0  dst_mac_count: 0\n"                             \
	"     Flags: SHARED  \n"
#define FRESH_CURRENT                                                     \
	"Current:\n"                                                      \
	"     pkts-sofar: 0  errors: 0\n"                                 \
	"     started: 0us  stopped: 0us idle: 0us\n"                     \
	"     seq_num: 0  cur_dst_mac_offset: 0  cur_src_mac_offset: 0\n" \
	"     cur_saddr: 0.0.0.0  cur_daddr: 0.0.0.0\n"                   \
	"     cur_udp_dst: 0  cur_udp_src: 0\n"                           \
	"     cur_queue_map: 0\n"                                         \
	"     flows: 0\n"

static struct rig_engine rig;
static struct pg_device *lo;

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_init(&rig, NULL);
	lo = rig_engine_add(&rig, "lo");
	return 0;
}

static void
check_text(const struct pg_device *device, const char *want)
{
	char *text = rig_engine_text(device);

	CHECK_TEXT(text, want, "the text of %s", device->name);
	free(text);
}

static void
test_fresh(void **state)
{
	(void)state;
	check_text(lo, FRESH_HEAD FRESH_CURRENT "Result: Idle\n");
}

// runs-9: a device with settings, before its first run.
static void
test_settings(void **state)
{
	struct pg_device *veth0 = rig_engine_add(&rig, "veth0");

	(void)state;
	rig_engine_set(&rig, "veth0", "pkt_size 60;count 0;dst_min 198.18.0.42;delay 1000000");
	veth0->current.daddr = 0xc612002a; // see test_current_follows
	check_text(veth0, "Params: count 0  min_pkt_size: 60  max_pkt_size: 60\n"
			  "     frags: 0  delay: 1000000  clone_skb: 0  ifname: veth0\n"
			  "     flows: 0 flowlen: 0\n"
			  "     queue_map_min: 0  queue_map_max: 0\n"
			  "     dst_min: 198.18.0.42  dst_max: \n"
			  "     src_min:   src_max: \n"
			  "     src_mac: 02:00:00:00:00:01 dst_mac: 00:00:00:00:00:00\n"
			  "     udp_src_min: 9  udp_src_max: 9  udp_dst_min: 9  udp_dst_max: 9\n"
			  "     src_mac_count: 0  dst_mac_count: 0\n"
			  "     Flags: SHARED  \n"
			  "Current:\n"
			  "     pkts-sofar: 0  errors: 0\n"
			  "     started: 0us  stopped: 0us idle: 0us\n"
			  "     seq_num: 0  cur_dst_mac_offset: 0  cur_src_mac_offset: 0\n"
			  "     cur_saddr: 0.0.0.0  cur_daddr: 198.18.0.42\n"
			  "     cur_udp_dst: 0  cur_udp_src: 0\n"
			  "     cur_queue_map: 0\n"
			  "     flows: 0\n"
			  "Result: OK: delay=1000000\n");
}

/** Commands on a fresh `lo`, and the lines that its text then has (`changed_lines` of the dev-*
 *  sections, `...` of reference 5 for combinations). */
static const struct {
	const char *commands;
	const char *lines[3];
} changes[] = {
	{"count 0", {"Params: count 0  min_pkt_size: 0  max_pkt_size: 0"}},
	{"min_pkt_size 100", {"Params: count 1000  min_pkt_size: 100  max_pkt_size: 0"}},
	{"max_pkt_size 100", {"Params: count 1000  min_pkt_size: 0  max_pkt_size: 100"}},
	{"pkt_size 43", {"Params: count 1000  min_pkt_size: 43  max_pkt_size: 43"}},
	{"delay 65535", {"     frags: 0  delay: 65535  clone_skb: 0  ifname: lo"}},
	{"delay 2147483647",
		{"     frags: 0  delay: 18446744073709551615  clone_skb: 0  ifname: lo"}},
	{"pkt_size 60;rate 100", {"     frags: 0  delay: 4800  clone_skb: 0  ifname: lo"}},
	{"pkt_size 60;rate 480", {"     frags: 0  delay: 1000  clone_skb: 0  ifname: lo"}},
	{"ratep 3", {"     frags: 0  delay: 333333333  clone_skb: 0  ifname: lo"}},
	{"ratep 7", {"     frags: 0  delay: 142857142  clone_skb: 0  ifname: lo"}},
	{"clone_skb 2", {"     frags: 0  delay: 0  clone_skb: 2  ifname: lo"}},
	{"udp_src_min 1;udp_dst_max 2",
		{"     udp_src_min: 1  udp_src_max: 9  udp_dst_min: 9  udp_dst_max: 2"}},
	{"src_mac_count 2", {"     src_mac_count: 2  dst_mac_count: 0"}},
	{"dst_mac_count 65535", {"     src_mac_count: 0  dst_mac_count: 65535"}},
	{"src_mac_count 4294967295", {"     src_mac_count: -1  dst_mac_count: 0"}}, // shown signed
	{"xmit_mode netif_receive",
		{"     src_mac_count: 0  dst_mac_count: 0", "     xmit_mode: netif_receive",
			"     Flags: SHARED  "}},
	{"verify full", {"     verify: full", "     Flags: SHARED  "}},
	{"verify sampled 64", {"     verify: sampled 64", "     Flags: SHARED  "}},
	{"burst 4", {"     burst: 4", "     Flags: SHARED  "}},
	{"flag IPSRC_RND", {"     Flags: IPSRC_RND  SHARED  "}},
	{"flag NO_TIMESTAMP;flag UDPCSUM", {"     Flags: UDPCSUM  NO_TIMESTAMP  SHARED  "}},
	{"flag !SHARED", {"     Flags: "}},
	{"dst_min 198.18.0.1", {"     dst_min: 198.18.0.1  dst_max: "}},
	{"dst 10.0.0.1", {"     dst_min: 10.0.0.1  dst_max: "}},
	{"dst_max 198.18.0.1", {"     dst_min:   dst_max: 198.18.0.1"}},
	{"src_min 198.18.0.1", {"     src_min: 198.18.0.1  src_max: "}},
	{"src_max 198.18.0.1", {"     src_min:   src_max: 198.18.0.1"}},
	{"dst_mac AA:BB:CC:DD:EE:FF",
		{"     src_mac: 00:00:00:00:00:00 dst_mac: aa:bb:cc:dd:ee:ff"}},
	{"src_mac 01:02:03:04:05:06",
		{"     src_mac: 01:02:03:04:05:06 dst_mac: 00:00:00:00:00:00"}},
	{"mpls 00000001", {"     mpls: 00000001", "     Flags: SHARED  "}},
	{"mpls 0001000a,0002000a,0000000a", {"     src_mac_count: 0  dst_mac_count: 0",
						    "     mpls: 0001000a, 0002000a, 0000000a"}},
	{"mpls 123", {"     mpls: 00000123", "     Flags: MPLS_RND  SHARED  "}},
	{"vlan_id 0", {"     vlan_id: 0  vlan_p: 0  vlan_cfi: 0", "     Flags: SHARED  "}},
	{"vlan_id 1;vlan_p 7;vlan_cfi 1", {"     vlan_id: 1  vlan_p: 7  vlan_cfi: 1"}},
	{"vlan_id 5;svlan_id 6;svlan_p 7",
		{"     vlan_id: 5  vlan_p: 0  vlan_cfi: 0",
			"     svlan_id: 6  vlan_p: 7  vlan_cfi: 0", "     Flags: SHARED  "}},
	{"tos 0f", {"     tos: 0x0f", "     Flags: SHARED  "}},
	{"flows 7", {"     flows: 7 flowlen: 0"}},
	{"flows 7;flowlen 2", {"     flows: 7 flowlen: 2"}},
	{"flows 1", {"     Flags: FLOW_RND  SHARED  "}},
	{"flows 1;flag FLOW_SEQ", {"     Flags: FLOW_SEQ  SHARED  "}},
	{"flag FLOW_SEQ", {"     Flags: SHARED  "}}, // printed only with flows
	{"imix_weights 64,1",
		{"Params: count 1000  min_pkt_size: 0  max_pkt_size: 0", "     imix_weights: 64,1 ",
			"     frags: 0  delay: 0  clone_skb: 0  ifname: lo"}},
	{"imix_weights 64,1 590,4",
		{"     pkts-sofar: 0  errors: 0", "     imix_size_counts: 64,0 590,0 ",
			"     started: 0us  stopped: 0us idle: 0us"}},
	{"vlan_id 5;tos 0f;burst 2",
		{"     vlan_id: 5  vlan_p: 0  vlan_cfi: 0", "     tos: 0x0f", "     burst: 2"}},
	{"tos 0f;traffic_class f0", {"     tos: 0x0f", "     traffic_class: 0xf0"}},
	{"dst6 fd00::1", {"     saddr: ::  min_saddr: ::  max_saddr: ::",
				 "     daddr: fd00::1  min_daddr: ::  max_daddr: ::",
				 "     src_mac: 00:00:00:00:00:00 dst_mac: 00:00:00:00:00:00"}},
	{"dst6 2001:db38:1234:0000:0000:0000:0000:0000",
		{"     daddr: 2001:db38:1234::  min_daddr: ::  max_daddr: ::"}},
	{"dst6_min 2001:db8:0:0:1:0:0:1",
		{"     daddr: ::  min_daddr: 2001:db8::1:0:0:1  max_daddr: ::"}},
	{"dst6_max fd00::1", {"     daddr: ::  min_daddr: ::  max_daddr: fd00::1"}},
	{"src6 FD00::ABCD", {"     saddr: fd00::abcd  min_saddr: ::  max_saddr: ::",
				    "     daddr: ::  min_daddr: ::  max_daddr: ::"}},
	{"dst6 fd00::1;flag !IPV6", {"     dst_min:   dst_max: ", "     src_min:   src_max: "}},
};

// The lines are there, whole, and follow one another.
static void
test_changed_lines(void **state)
{
	for (size_t i = 0; i < DIM(changes); i++) {
		char *text, run[400] = "\n";

		rig_engine_teardown(state);
		setup(state);
		rig_engine_set(&rig, "lo", changes[i].commands);
		text = rig_engine_text(lo);
		for (size_t k = 0; k < 3 && changes[i].lines[k] != NULL; k++)
			snprintf(run + strlen(run), sizeof(run) - strlen(run), "%s\n",
				changes[i].lines[k]);
		// The first line of a file has none before it.
		CHECK(strstr(text, run) != NULL || strncmp(text, run + 1, strlen(run + 1)) == 0,
			"'%s' gives no\n%s\nbut\n%s", changes[i].commands, run, text);
		free(text);
	}
}

// What is off, or was never written, has no line.
static void
test_absent_lines(void **state)
{
	static const char *const commands[] = {"burst 1", "vlan_id 5;vlan_id 4096", "mpls 1;mpls 0",
		"tos 01;tos 00", "xmit_mode netif_receive;xmit_mode start_xmit",
		"vlan_id 5;mpls 1;mpls 0", "mpls 1;vlan_id 5;vlan_id 4096"};

	for (size_t i = 0; i < DIM(commands); i++) {
		char *text;

		rig_engine_teardown(state);
		setup(state);
		rig_engine_set(&rig, "lo", commands[i]);
		text = rig_engine_text(lo);
		CHECK(strncmp(text, FRESH_HEAD, strlen(FRESH_HEAD)) == 0, "'%s' gives\n%s",
			commands[i], text);
		free(text);
	}
}

// Setting a range sets the current value at once (reference 4.1 and 4.4; recorded).
static void
test_current_follows(void **state)
{
	static const struct {
		const char *commands, *line;
	} cases[] = {
		{"dst_min 198.18.0.1", "     cur_saddr: 0.0.0.0  cur_daddr: 198.18.0.1\n"},
		{"dst_max 198.18.0.1", "     cur_saddr: 0.0.0.0  cur_daddr: 198.18.0.1\n"},
		{"src_min 198.18.0.1", "     cur_saddr: 198.18.0.1  cur_daddr: 0.0.0.0\n"},
		{"udp_src_min 1", "     cur_udp_dst: 0  cur_udp_src: 1\n"},
		{"udp_dst_max 2", "     cur_udp_dst: 2  cur_udp_src: 0\n"},
		{"dst6 fd00::1", "     cur_saddr: ::  cur_daddr: fd00::1\n"},
		{"src6 fd00::1", "     cur_saddr: fd00::1  cur_daddr: ::\n"},
	};

	for (size_t i = 0; i < DIM(cases); i++) {
		char *text;

		rig_engine_teardown(state);
		setup(state);
		rig_engine_set(&rig, "lo", cases[i].commands);
		text = rig_engine_text(lo);
		CHECK(strstr(text, cases[i].line) != NULL, "'%s' gives no %s", cases[i].commands,
			cases[i].line);
		free(text);
	}
}

/** What a run leaves, with its lines. */
static const struct {
	struct pg_result result;
	const char *text;
} results[] = {
	// packets-3198 and runs-480 of the record: nothing is held at the end
	{{.sent = 4,
		 .duration_ns = 814332,
		 .size = 60,
		 .frags = -1,
		 .pps = 4912,
		 .mbps = 2,
		 .bps = 2357760},
		"OK: 814(c814+d0) usec, 4 (60byte,-1frags)\n"
		"  4912pps 2Mb/sec (2357760bps) errors: 0"},
	{{.duration_ns = 5999, .size = 58, .frags = -1}, "OK: 5(c5+d0) usec, 0 (58byte,-1frags)\n"
							 "  0pps 0Mb/sec (0bps) errors: 0"},
	// Reference 5.1: T = c5907472 + d4065685
	{{.sent = 2992248,
		 .duration_ns = 9973157000,
		 .idle_ns = 4065685000,
		 .size = 1800,
		 .pps = 300030,
		 .mbps = 4320,
		 .bps = 4320432000},
		"OK: 9973157(c5907472+d4065685) usec, 2992248 (1800byte,0frags)\n"
		"  300030pps 4320Mb/sec (4320432000bps) errors: 0"},
	// Each of the three is truncated on its own: C + D may be T - 1.
	{{.sent = 10000000,
		 .errors = 10000000,
		 .duration_ns = 232376200,
		 .idle_ns = 600,
		 .size = 60,
		 .pps = 43033682,
		 .mbps = 20656,
		 .bps = 20656167360},
		"OK: 232376(c232375+d0) usec, 10000000 (60byte,0frags)\n"
		"  43033682pps 20656Mb/sec (20656167360bps) errors: 10000000"},
	{{.sent = UINT64_MAX,
		 .errors = UINT64_MAX,
		 .duration_ns = UINT64_MAX,
		 .size = UINT32_MAX,
		 .pps = UINT64_MAX,
		 .mbps = UINT64_MAX,
		 .bps = UINT64_MAX},
		"OK: 18446744073709551(c18446744073709551+d0) usec, 18446744073709551615 "
		"(-1byte,0frags)\n"
		"  18446744073709551615pps 18446744073709551615Mb/sec (18446744073709551615bps) "
		"errors: 18446744073709551615"},
};

static void
test_result_lines(void **state)
{
	char text[PG_RESULT_MAX];

	(void)state;
	for (size_t i = 0; i < DIM(results); i++) {
		pg_report_result(&results[i].result, text, sizeof(text));
		CHECK_TEXT(text, results[i].text, "row %zu", i);
	}
}

// Of the last command or, newer, of the last run.
static void
test_result_of_run(void **state)
{
	char want[2000];

	(void)state;
	lo->has_run = true;
	lo->result = results[3].result;
	lo->current = (struct pg_device_current){.seq_num = 10000001,
		.started_us = 1000,
		.stopped_us = 233376,
		.saddr = 0xc6120001,
		.daddr = 0xc612002a,
		.udp_src = 9,
		.udp_dst = 10,
		.queue_map = 3,
		.dst_mac_offset = 1,
		.src_mac_offset = 2};
	snprintf(want, sizeof(want),
		FRESH_HEAD "Current:\n"
			   "     pkts-sofar: 10000000  errors: 10000000\n"
			   "     started: 1000us  stopped: 233376us idle: 0us\n"
			   "     seq_num: 10000001  cur_dst_mac_offset: 1  cur_src_mac_offset: 2\n"
			   "     cur_saddr: 198.18.0.1  cur_daddr: 198.18.0.42\n"
			   "     cur_udp_dst: 10  cur_udp_src: 9\n"
			   "     cur_queue_map: 3\n"
			   "     flows: 0\n"
			   "Result: %s\n",
		results[3].text);
	check_text(lo, want);
	rig_engine_set(&rig, "lo", "clear_counters");
	assert_true(lo->result.sent == 0);
	assert_string_equal(lo->reply, "OK: Clearing counters.\n");
}

/** Where buffers are, and the line that says so. */
static const struct {
	struct pg_placement placement;
	const char *line;
} placements[] = {
	{{0, 0, 0, -1, true, 2 << 20, false},
		"node 0, lcore on node 0, port on node 0, 2 MB pages"},
	{{0, 0, 0, -1, true, 2 << 20, true},
		"node 0, lcore on node 0, port on node 0, 2 MB pages, fast free"},
	{{0, 0, -1, -1, true, 4 << 10, false}, "node 0, lcore on node 0, 4 kB pages"},
	{{1, 1, 0, 1, false, 1 << 30, false}, "node 1, lcore on node 1, 1 GB pages"},
	{{1, 1, 0, -1, true, 0, false},
		"node 1, lcore on node 1, port on node 0; the port reaches it across sockets"},
	{{1, 0, 1, 1, true, 2 << 20, false}, "node 1, lcore on node 0, port on node 1, 2 MB pages; "
					     "the lcore reaches it across sockets"},
	{{1, 0, 0, 1, true, 2 << 20, false}, "node 1, lcore on node 0, port on node 0, 2 MB pages; "
					     "lcore and port reach it across sockets"},
	{{0, 0, -1, 1, true, 4 << 10, false},
		"node 0 (node 1 was asked for), lcore on node 0, 4 kB pages"},
	{{PG_NODE_SEVERAL, 0, -1, -1, true, 4 << 10, false},
		"several nodes, lcore on node 0, 4 kB pages; "
		"the lcore reaches it across sockets"},
	{{PG_NODE_UNKNOWN, 0, 0, -1, true, 4 << 10, false},
		"node unknown, lcore on node 0, port on node 0, 4 kB pages"},
};

static void
test_placement(void **state)
{
	char text[2000], want[200];

	(void)state;
	lo->has_run = true;
	lo->isa = "portable";
	for (size_t i = 0; i < DIM(placements); i++) {
		FILE *file = fmemopen(text, sizeof(text), "w");

		assert_non_null(file);
		lo->placement = placements[i].placement;
		pg_report_run(rig.engine, file);
		fclose(file);
		snprintf(want, sizeof(want), "\n     memory: %s\n", placements[i].line);
		CHECK(strstr(text, want) != NULL, "row %zu: no%sbut\n%s", i, want, text);
	}
}

static void
check_thread(const char *want)
{
	char text[400];
	FILE *file = fmemopen(text, sizeof(text), "w");

	assert_non_null(file);
	pg_report_thread(rig.engine, pg_engine_next_thread(rig.engine, NULL), file);
	fclose(file);
	CHECK_TEXT(text, want, "the thread");
}

// Reference 3.1; newest device first, a blank behind each name.
static void
test_thread(void **state)
{
	struct pg_thread *thread = pg_engine_next_thread(rig.engine, NULL);

	(void)state;
	check_thread("Running: \nStopped: lo \nResult: NA\n");
	rig_engine_add(&rig, "eth0@0");
	rig_engine_add(&rig, "eth0@1");
	check_thread("Running: \nStopped: eth0@1 eth0@0 lo \nResult: NA\n");
	snprintf(thread->reply, sizeof(thread->reply), "OK: add_device=eth0@1");
	check_thread("Running: \nStopped: eth0@1 eth0@0 lo \nResult: OK: add_device=eth0@1\n");
	pg_thread_clear(thread);
	check_thread("Running: \nStopped: \nResult: OK: add_device=eth0@1\n");
}

static void
test_control(void **state)
{
	char text[100] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	(void)state;
	pg_report_control(file);
	fclose(file);
	assert_string_equal(text, "Packet Generator for packet performance testing. Version: "
				  "2.75\n");
}

// The same full name may be there once; another tag is another device on the same port.
static void
test_device_names(void **state)
{
	struct pg_thread *thread = pg_engine_next_thread(rig.engine, NULL);
	struct pg_error err = {0};
	struct pg_device *a, *b;

	(void)state;
	assert_int_equal(pg_device_add(thread, "lo", &err), -EBUSY);
	a = rig_engine_add(&rig, "eth0@0");
	b = rig_engine_add(&rig, "eth0@1");
	assert_ptr_equal(a->port, b->port);
	assert_int_equal(a->port->users, 2);
	assert_true(a->port != lo->port);
	assert_int_equal(pg_device_add(thread, "eth0@1", &err), -EBUSY);
	assert_null(pg_engine_device(rig.engine, "eth0"));
	assert_null(pg_engine_device(rig.engine, ""));
}

#define ON_LO(test) cmocka_unit_test_setup_teardown(test, setup, rig_engine_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ON_LO(test_fresh),
		ON_LO(test_settings),
		ON_LO(test_changed_lines),
		ON_LO(test_absent_lines),
		ON_LO(test_current_follows),
		cmocka_unit_test(test_result_lines),
		ON_LO(test_result_of_run),
		ON_LO(test_placement),
		ON_LO(test_thread),
		ON_LO(test_control),
		ON_LO(test_device_names),
	};

	return cmocka_run_group_tests_name("report", tests, support_eal_start, support_eal_stop);
}
