/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets byte for byte: the vectors of reference 8.7, and packets that Linux 6.18.15 sent for the
 * same commands. Linear ranges other than MAC addresses begin elsewhere there (DESIGN 8) and are
 * not among them. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "support_eal.h"
#include "support_prog.h"

#define BASE                                                              \
	"flag NO_TIMESTAMP;dst_mac 02:00:00:00:00:02;src_min 198.18.0.1;" \
	"dst_min 198.18.0.42;"

#define MACS "020000000002020000000001"
#define ADDR "c6120001c612002a"

struct vector {
	const char *name;     // the case in the record
	const char *commands; // after BASE
	uint64_t index;
	uint32_t length;
	const char *hex; // what follows up to the length is zero
	uint64_t stamp_ns;
};

static const struct vector vectors[] = {
	{"vector-60", "dst_mac 90:e2:ba:ff:ff:ff;pkt_size 60", 0, 60,
		"90e2baffffff02000000000108004500002e0000000020110e70" ADDR
		"00090009001a0000be9be95500000001"},
	{"vector-60", "dst_mac 90:e2:ba:ff:ff:ff;pkt_size 60", 1, 60,
		"90e2baffffff02000000000108004500002e0001000020110e6f" ADDR
		"00090009001a0000be9be95500000002"},
	{"vector-csum-swcsum", "dst_mac 90:e2:ba:ff:ff:ff;pkt_size 60;flag UDPCSUM", 0, 60,
		"90e2baffffff02000000000108004500002e0000000020110e70" ADDR
		"00090009001acb65be9be95500000001"},
	{"vector-csum-swcsum", "dst_mac 90:e2:ba:ff:ff:ff;pkt_size 60;flag UDPCSUM", 1, 60,
		"90e2baffffff02000000000108004500002e0001000020110e6f" ADDR
		"00090009001acb64be9be95500000002"},
	{"vector-42", "dst_mac 90:e2:ba:ff:ff:ff;pkt_size 42", 0, 58,
		"90e2baffffff02000000000108004500002c0000000020110e72" ADDR
		"0009000900180000be9be95500000001"},
	{"vector-vlan", "dst_mac 90:e2:ba:ff:ff:ff;pkt_size 60;vlan_id 5;vlan_cfi 1;vlan_p 3", 0,
		62,
		"90e2baffffff0200000000018100700508004500002c0000000020110e72" ADDR
		"0009000900180000be9be95500000001"},
	{"size-57", "pkt_size 57", 1, 58,
		MACS "08004500002c0001000020110e71" ADDR "0009000900180000be9be95500000002"},
	{"size-59", "pkt_size 59", 0, 59,
		MACS "08004500002d0000000020110e71" ADDR "0009000900190000be9be95500000001"},
	{"size-61", "pkt_size 61", 1, 61,
		MACS "08004500002f0001000020110e6e" ADDR "00090009001b0000be9be95500000002"},
	{"size-128", "pkt_size 128", 1, 128,
		MACS "0800450000720001000020110e2b" ADDR "00090009005e0000be9be95500000002"},
	{"size-1514", "pkt_size 1514", 0, 1514,
		MACS "0800450005dc00000000201108c2" ADDR "0009000905c80000be9be95500000001"},
	{"size-9000", "pkt_size 9000", 1, 9000,
		MACS "08004500231a000100002011eb82" ADDR "0009000923060000be9be95500000002"},
	{"csum4-swcsum", "flag UDPCSUM;pkt_size 61;udp_src_min 2;udp_src_max 2", 0, 61,
		MACS "08004500002f0000000020110e6f" ADDR "00020009001bcb6abe9be95500000001"},
	{"csum4-swcsum", "flag UDPCSUM;pkt_size 61;udp_src_min 3;udp_src_max 3", 1, 61,
		MACS "08004500002f0001000020110e6e" ADDR "00030009001bcb68be9be95500000002"},
	{"csum4-1514-swcsum", "flag UDPCSUM;pkt_size 1514", 0, 1514,
		MACS "0800450005dc00000000201108c2" ADDR "0009000905c8c009be9be95500000001"},
	{"csum4-becomes-zero", "flag UDPCSUM;pkt_size 58;udp_src_min 52082", 0, 58,
		MACS "08004500002c0000000020110e72" ADDR "cb7200090018ffffbe9be95500000001"},
	{"csum4-ts-swcsum", "flag UDPCSUM;pkt_size 60;flag !NO_TIMESTAMP", 0, 60,
		MACS "08004500002e0000000020110e70" ADDR "00090009001a43c0be9be95500000001"
		     "6b0dd205000a4a88",
		UINT64_C(0x6b0dd205) * 1000000000 + 0xa4a88 * 1000},
	{"csum4-ts-swcsum", "flag UDPCSUM;pkt_size 60;flag !NO_TIMESTAMP", 1, 60,
		MACS "08004500002e0001000020110e6f" ADDR "00090009001a42f7be9be95500000002"
		     "6b0dd205000a4b50",
		UINT64_C(0x6b0dd205) * 1000000000 + 0xa4b50 * 1000 + 999}, // ns are cut
	{"csum4-tos-odd", "flag UDPCSUM;pkt_size 63;tos ff;flag !NO_TIMESTAMP", 0, 63,
		MACS "080045ff00310000000020110d6e" ADDR "00090009001dcb00be9be95500000001"
		     "6b0dcfdf0005c56c",
		UINT64_C(0x6b0dcfdf) * 1000000000 + 0x5c56c * 1000},
	{"tos-10", "tos 10;pkt_size 60", 1, 60,
		MACS "08004510002e0001000020110e5f" ADDR "00090009001a0000be9be95500000002"},
	{"tos-in-vlan", "tos b8;vlan_id 5;pkt_size 64", 0, 64,
		MACS "81000005080045b8002e0000000020110db8" ADDR
		     "00090009001a0000be9be95500000001"},
	{"vlan-0", "vlan_id 0;pkt_size 64", 2, 64,
		MACS "8100000008004500002e0002000020110e6e" ADDR
		     "00090009001a0000be9be95500000003"},
	{"vlan-4095", "vlan_id 4095;vlan_p 7;pkt_size 64", 0, 64,
		MACS "8100efff08004500002e0000000020110e70" ADDR
		     "00090009001a0000be9be95500000001"},
	{"vlan-nosize.run1", "vlan_id 5", 0, 62,
		MACS "8100000508004500002c0000000020110e72" ADDR
		     "0009000900180000be9be95500000001"},
	{"csum4-vlan-swcsum", "flag UDPCSUM;pkt_size 64;vlan_id 5", 1, 64,
		MACS "8100000508004500002e0001000020110e6f" ADDR
		     "00090009001acb64be9be95500000002"},
	{"qinq-60", "pkt_size 60;vlan_id 5;vlan_p 1;svlan_id 100;svlan_p 2;svlan_cfi 1", 0, 66,
		MACS "810050648100200508004500002c0000000020110e72" ADDR
		     "0009000900180000be9be95500000001"},
	{"qinq-70", "pkt_size 70;vlan_id 5;vlan_p 1;svlan_id 100;svlan_p 2;svlan_cfi 1", 2, 70,
		MACS "81005064810020050800450000300002000020110e6c" ADDR
		     "00090009001c0000be9be95500000003"},
	{"csum4-qinq", "flag UDPCSUM;pkt_size 70;vlan_id 5;svlan_id 6", 0, 70,
		MACS "81000006810000050800450000300000000020110e6e" ADDR
		     "00090009001ccb61be9be95500000001"},
	{"mpls-1", "mpls 0001000a;pkt_size 130", 0, 130,
		MACS "88470001010a450000700000000020110e2e" ADDR
		     "00090009005c0000be9be95500000001"},
	{"mpls-3doc", "mpls 0001000a,0002000a,0000000a;pkt_size 130", 2, 130,
		MACS "88470001000a0002000a0000010a450000680002000020110e34" ADDR
		     "0009000900540000be9be95500000003"},
	{"mpls-16",
		"mpls 000010ff,000020ff,000030ff,000040ff,000050ff,000060ff,000070ff,000080ff,"
		"000090ff,0000a0ff,0000b0ff,0000c0ff,0000d0ff,0000e0ff,0000f0ff,000100ff;"
		"pkt_size 130",
		0, 130,
		MACS "8847000010ff000020ff000030ff000040ff000050ff000060ff000070ff000080ff"
		     "000090ff0000a0ff0000b0ff0000c0ff0000d0ff0000e0ff0000f0ff000101ff"
		     "450000340000000020110e6a" ADDR "0009000900200000be9be95500000001"},
	{"mpls-small", "mpls 0001000a,0002000a;pkt_size 60", 1, 66,
		MACS "88470001000a0002010a4500002c0001000020110e71" ADDR
		     "0009000900180000be9be95500000002"},
	{"csum4-mpls-swcsum", "flag UDPCSUM;pkt_size 64;mpls 0001000a", 0, 64,
		MACS "88470001010a4500002e0000000020110e70" ADDR
		     "00090009001acb65be9be95500000001"},
	{"lin-mac-both", "src_mac 02:00:00:00:00:10;src_mac_count 3;dst_mac_count 2", 1, 58,
		"02000000000302000000001108004500002c0001000020110e71" ADDR
		"0009000900180000be9be95500000002"},
	{"lin-mac-both", "src_mac 02:00:00:00:00:10;src_mac_count 3;dst_mac_count 2", 2, 58,
		"02000000000202000000001208004500002c0002000020110e70" ADDR
		"0009000900180000be9be95500000003"},
	{"dstmac-count-1", "dst_mac_count 1", 2, 58,
		MACS "08004500002c0002000020110e70" ADDR "0009000900180000be9be95500000003"},
	{"lin-dstmac-carry", "dst_mac 02:00:00:ff:ff:fe;dst_mac_count 5", 2, 58,
		"02000100000002000000000108004500002c0002000020110e70" ADDR
		"0009000900180000be9be95500000003"},
	{"lin-dstmac-carry-byte0", "dst_mac 02:ff:ff:ff:ff:fe;dst_mac_count 5", 2, 58,
		"02000000000002000000000108004500002c0002000020110e70" ADDR
		"0009000900180000be9be95500000003"},
	{"mac-wrap", "dst_mac_count 4294967295;src_mac 02:ff:ff:ff:ff:ff;src_mac_count 3", 1, 58,
		"02000000000302000000000008004500002c0001000020110e71" ADDR
		"0009000900180000be9be95500000002"},
	// Without src_mac the walk goes from byte 0 of the interface's address and zeros (7.1).
	{"lin-srcmac-unset", "src_mac_count 3", 0, 58,
		"02000000000202000000000008004500002c0000000020110e72" ADDR
		"0009000900180000be9be95500000001"},
};

static uint32_t
unhex(const char *hex, uint8_t *out)
{
	uint32_t n = 0;

	for (; hex[2 * n] != '\0'; n++) {
		const char digits[3] = {hex[2 * n], hex[2 * n + 1], '\0'};

		out[n] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return n;
}

static struct pg_flow
flow_of(const struct vector *v)
{
	char commands[600];

	snprintf(commands, sizeof(commands), BASE "%s", v->commands);
	return flow_make(commands);
}

static void
check_vector(const struct vector *v, const uint8_t *frame, int length)
{
	static uint8_t want[RIG_ROOM];

	memset(want, 0, sizeof(want));
	unhex(v->hex, want);
	CHECK(length == (int)v->length, "%s has %d bytes, not %u", v->name, length, v->length);
	for (uint32_t i = 0; i < v->length; i++)
		CHECK(frame[i] == want[i], "%s, packet %u, byte %u is %02x, not %02x", v->name,
			(unsigned int)v->index, i, frame[i], want[i]);
}

// The second implementation is held to the same vectors, so that it may judge in other tests. The
// last one is the flow's matter, not the packet's.
static void
test_naive(void **state)
{
	static uint8_t frame[RIG_ROOM];

	(void)state;
	for (size_t i = 0; i + 1 < DIM(vectors); i++) {
		struct pg_flow flow = flow_of(&vectors[i]);
		struct packet packet = {.index = vectors[i].index,
			.copies = 1,
			.stamp_ns = vectors[i].stamp_ns,
			.src6 = flow.src6.lo,
			.dst6 = flow.dst6.lo};

		for (int f = 0; f < PG_FIELDS; f++)
			packet.value[f] = packet_linear(&flow.field[f], packet.index);
		check_vector(&vectors[i], frame, (int)packet_build(&flow, &packet, frame));
		assert_true(packet_sums_ok(&flow, frame, vectors[i].length));
	}
}

static void
test_packet_alone(void **state)
{
	static uint8_t frame[RIG_ROOM];

	(void)state;
	for (size_t i = 0; i < DIM(vectors) * 2; i++) {
		const struct vector *v = &vectors[i / 2];
		struct pg_flow flow = flow_of(v);
		const struct pg_prog_config config = {
			.flow = &flow, .stream = "s", .copies = 1, .portable = i % 2};
		struct pg_prog *prog = rig_compile(&config);

		memset(frame, 0xa5, sizeof(frame));
		check_vector(v, frame,
			pg_prog_packet(prog, v->index, v->stamp_ns, frame, sizeof(frame)));
		pg_prog_destroy(prog);
	}
}

// As one packet of three: others lie around it.
static void
test_burst(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig);
	for (size_t i = 0; i < DIM(vectors) * 2; i++) {
		const struct vector *v = &vectors[i / 2];
		struct pg_flow flow = flow_of(v);
		const struct pg_prog_config config = {
			.flow = &flow, .stream = "s", .copies = 1, .portable = i % 2};
		struct pg_prog *prog = rig_compile(&config);
		unsigned int k = v->index == 0 ? 0 : 1;

		rig.state.wall_ns = v->stamp_ns;
		rig_run(&rig, prog, v->index - k, 3);
		check_vector(v, rig_frame(&rig, k), rig.mbuf[k]->data_len);
		pg_prog_destroy(prog);
	}
	rig_fini(&rig);
}

// Sequence numbers go in steps of the copies sent (reference 8.5); id counts packets built.
static void
test_copies(void **state)
{
	static const struct {
		uint64_t index;
		uint32_t copies;
		const char *id, *sequence;
	} cases[] = {
		{0, 1, "0000", "00000001"}, {1, 4, "0001", "00000005"}, {2, 4, "0002", "00000009"},
		{65535, 1, "ffff", "00010000"}, {65536, 1, "0000", "00010001"}, // id has 16 bits
		{65537, 3, "0001", "00030004"},
		{4294967295, 1, "ffff", "00000000"}, // the sequence number has 32
		{4294967296, 1, "0000", "00000001"}, {1, 2147483647, "0001", "80000000"},
		{3, 2147483647, "0003", "7ffffffe"}, // 3 * (2^31 - 1) + 1 modulo 2^32
	};
	uint8_t frame[64], want[8];

	(void)state;
	for (size_t i = 0; i < DIM(cases) * 4; i++) {
		struct pg_flow flow =
			flow_make(i & 1 ? BASE "pkt_size 60" : BASE "pkt_size 60;flag UDPCSUM");
		const struct pg_prog_config config = {.flow = &flow,
			.stream = "s",
			.copies = cases[i / 4].copies,
			.portable = i & 2};
		struct pg_prog *prog = rig_compile(&config);

		assert_int_equal(pg_prog_packet(prog, cases[i / 4].index, 0, frame, 64), 60);
		unhex(cases[i / 4].id, want);
		CHECK(memcmp(frame + 18, want, 2) == 0, "the id of row %zu", i / 4);
		unhex(cases[i / 4].sequence, want);
		CHECK(memcmp(frame + 46, want, 4) == 0, "the sequence of row %zu", i / 4);
		assert_true(packet_sums_ok(&flow, frame, 60));
		pg_prog_destroy(prog);
	}
}

static void
test_properties(void **state)
{
	static const struct {
		const char *commands;
		uint32_t frame_max;
		bool varies;
	} cases[] = {
		{"pkt_size 42", 58, false},
		{"pkt_size 58", 58, false},
		{"pkt_size 60", 60, false},
		{"min_pkt_size 60;max_pkt_size 61", 61, true},
		{"min_pkt_size 42;max_pkt_size 50", 58, true},
		{"min_pkt_size 60;max_pkt_size 9000", 9000, true},
		{"pkt_size 60;vlan_id 5", 62, false},
		{"pkt_size 60;vlan_id 5;svlan_id 5", 66, false},
		{"mpls 1,2,3", 70, false},
	};
	static uint8_t frame[RIG_ROOM];

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_flow flow = flow_make(cases[i].commands);
		const struct pg_prog_config config = {
			.flow = &flow, .stream = "s", .copies = 1, .portable = true};
		struct pg_prog *prog = rig_compile(&config);
		size_t room = RTE_ALIGN_CEIL(cases[i].frame_max, 64);

		CHECK_U64(pg_prog_frame_max(prog), cases[i].frame_max, "row %zu", i);
		CHECK_U64(pg_prog_size_varies(prog), cases[i].varies, "row %zu", i);
		assert_string_equal(pg_prog_isa(prog), "portable");
		// Room is asked for in whole lines of 64 bytes; less is refused.
		assert_int_equal(pg_prog_packet(prog, 0, 0, frame, room - 1), -ENOMEM);
		assert_true(pg_prog_packet(prog, 0, 0, frame, room) > 0);
		pg_prog_destroy(prog);
	}
	pg_prog_destroy(NULL); // accepted
	pg_prog_scratch_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_naive),
		cmocka_unit_test(test_packet_alone),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_properties),
	};

	return cmocka_run_group_tests_name(
		"prog_golden", tests, support_eal_start, support_eal_stop);
}
