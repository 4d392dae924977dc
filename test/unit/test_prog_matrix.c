/* SPDX-License-Identifier: BSD-3-Clause */
/* Every combination of fields (constant, linear, random) with UDPCSUM and NO_TIMESTAMP, under
 * changing tags, labels and MAC counts, compared with the second implementation across the block
 * boundary at packet 2^32. The same packets come out of bursts of any size, of both instruction
 * sets, and of buffers that keep the image. */
#include "support.h"

#include <stdlib.h>

#include "support_prog.h"

#define FIRST   ((1ull << 32) - 300)
#define PACKETS 648 // 1 + 3 + 32 + 100 + 512
#define ROOM    192
#define MODES   243 // 3^5
#define WALL_NS UINT64_C(1717171717123456789)

enum mode { CONSTANT, LINEAR, RANDOM };

/** How the packets of one combination are made. */
struct pass {
	bool portable, image_kept, mbuf_kept;
	const unsigned int *bursts;
};

static const unsigned int up[] = {1, 3, 32, 100, 512, 0}, down[] = {512, 100, 32, 3, 1, 0};
static const struct pass passes[] = {
	{true, false, false, up},
	{false, false, false, down},
	{false, true, false, up},
	{true, true, true, down},
};

/** The fields whose modes are combined, and their ranges that vary: [mode - 1]. Random
 *  destinations surround the reserved 127/8. */
static const struct {
	enum pg_field field;
	struct pg_range range[2];
} varied[] = {
	{PG_FIELD_UDP_SRC, {{1000, 1004, 0}, {65530, 65535, 1}}},
	{PG_FIELD_UDP_DST, {{9, 10, 0}, {0, 7, 1}}},
	{PG_FIELD_IP_SRC, {{0x0a0000fa, 0x0a000104, 0}, {0x0a000000, 0x0affffff, 1}}},
	{PG_FIELD_IP_DST, {{0xc6120001, 0xc6120007, 0}, {0x7efffffd, 0x80000004, 1}}},
	{PG_FIELD_SIZE, {{58, 90, 0}, {58, 127, 1}}},
};

/** Beside them, in turn, one of these stacks, counts and versions of IP (7 and 5 are prime to the
 *  number of combinations, so every one of them meets every mode). */
static const char *const stacks[7] = {
	"tos 00",
	"vlan_id 5;vlan_p 3;vlan_cfi 1",
	"vlan_id 4095;flag VID_RND",
	"vlan_id 0;svlan_id 100;svlan_p 7",
	"vlan_id 1;vlan_p 7;svlan_id 2;svlan_cfi 1;flag VID_RND;flag SVID_RND;tos ff",
	"mpls 0001000a,0002010a,0003000a;tos b8",
	"mpls 00000100,1,2,3,4,5,6,7,8,9,a,b,c,d,e,fffff1ff",
};
static const char *const ips[3] = {
	"tos 00",
	"src6 fd00::1;dst6 fd00::2a;traffic_class b8",
	"src6_min fd00::ff00;src6_max fd00::1:00ff;dst6_min 2001:db8::;dst6_max "
	"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
};
static const char *const counts[5] = {
	"src_mac_count 0",
	"dst_mac_count 3",
	"dst_mac 02:ff:ff:ff:ff:f0;dst_mac_count 100;flag MACDST_RND;src_mac_count 7",
	"src_mac 06:00:00:00:ff:ff;src_mac_count 4294967295",
	"src_mac_count 65536;flag MACSRC_RND",
};

static uint8_t frames[PACKETS][ROOM];
static uint32_t lengths[PACKETS];

/** One combination: a number of 0 .. 4 * MODES - 1. */
struct combination {
	unsigned int number;
	struct pg_flow flow;
	uint32_t copies;
	bool paced;
};

static struct combination
combine(unsigned int number)
{
	struct combination c = {
		.number = number, .copies = number % 2 ? 3 : 1, .paced = number % 3 == 0};
	unsigned int modes = number % MODES;
	char commands[500];

	snprintf(commands, sizeof(commands),
		"pkt_size 60;dst_mac 90:e2:ba:ff:ff:ff;src_mac 02:00:00:00:00:01;src_min "
		"198.18.0.1;"
		"dst_min 198.18.0.42;flag %sUDPCSUM;flag %sNO_TIMESTAMP;%s;%s;%s",
		number / MODES & 1 ? "" : "!", number / MODES & 2 ? "" : "!", stacks[number % 7],
		counts[number % 5], ips[number / 11 % 3]);
	c.flow = flow_make(commands);
	for (size_t i = 0; i < DIM(varied); i++, modes /= 3) {
		if (modes % 3 != CONSTANT)
			c.flow.field[varied[i].field] = varied[i].range[modes % 3 - 1];
	}
	return c;
}

// Paced packets are due 1234 ns apart on a counter of 1 ns; others share the burst's time, which
// stands still.
static uint64_t
stamp_of(const struct combination *c, unsigned int k)
{
	return WALL_NS + (c->paced ? 1234u * k : 0);
}

static void
set_times(const struct combination *c, struct pg_prog_state *state, unsigned int first,
	unsigned int n)
{
	state->wall_ns = WALL_NS;
	state->wall_cycles = 1ull << 50;
	state->ns_per_cycle = c->paced ? 1ull << 56 : 0;
	for (unsigned int k = 0; k < n; k++)
		state->scratch->due[k] = state->wall_cycles + 1234u * (first + k);
}

static void
check_mbuf(const struct combination *c, const struct rte_mbuf *m)
{
	CHECK(m->data_off == RTE_PKTMBUF_HEADROOM && m->refcnt == 1 && m->nb_segs == 1 &&
			m->port == RTE_MBUF_PORT_INVALID && m->ol_flags == 0 &&
			m->packet_type == 0 && m->next == NULL,
		"the metadata of combination %u", c->number);
	CHECK(m->pkt_len == m->data_len && m->vlan_tci == 0, "lengths of combination %u",
		c->number);
}

// A field's value as it was read, by its own rule; the size as the frame that it gives.
static void
check_field(const struct combination *c, int field, const struct packet *packet)
{
	const struct pg_range *r = &c->flow.field[field];
	uint32_t value = packet->value[field],
		 least = field == PG_FIELD_SIZE ? c->flow.frame_min : 0;
	uint32_t linear = packet_linear(r, packet->index);

	CHECK(value >= r->lo && value <= RTE_MAX(r->hi, least),
		"field %d of packet %llu, combination %u: %u", field,
		(unsigned long long)packet->index, c->number, value);
	CHECK(r->random || value == RTE_MAX(linear, least),
		"field %d of packet %llu, combination %u: %u", field,
		(unsigned long long)packet->index, c->number, value);
	CHECK(!r->random || field != PG_FIELD_IP_DST || value >> 24 != 127,
		"packet %llu, combination %u goes to %08x", (unsigned long long)packet->index,
		c->number, value);
}

static void
check_ip6(const struct combination *c, const struct pg_range6 *range, const struct pg_ip6 *ip)
{
	CHECK(memcmp(ip, &range->lo, 16) >= 0 && memcmp(ip, &range->hi, 16) <= 0,
		"an IPv6 address of combination %u", c->number);
}

// The first pass: each packet is what the second implementation makes of its fields.
static void
check_naive(const struct combination *c, unsigned int at, const uint8_t *frame, uint32_t length)
{
	struct packet packet = {
		.index = FIRST + at, .copies = c->copies, .stamp_ns = stamp_of(c, at)};
	static uint8_t want[ROOM];
	uint32_t size;

	packet_read(&c->flow, frame, length, &packet);
	for (int f = 0; f < PG_FIELDS; f++) {
		bool ip4 = f == PG_FIELD_IP_SRC || f == PG_FIELD_IP_DST;

		if (!ip4 || !(c->flow.flags & PG_FLAG_IPV6))
			check_field(c, f, &packet);
	}
	check_ip6(c, &c->flow.src6, &packet.src6);
	check_ip6(c, &c->flow.dst6, &packet.dst6);
	size = packet_build(&c->flow, &packet, want);
	CHECK_U64(length, size, "bytes of packet %u, combination %u", at, c->number);
	for (uint32_t i = 0; i < length; i++)
		CHECK(frame[i] == want[i],
			"byte %u of packet %u is %02x, not %02x: combination %u "
			"(%s; %s; %s)",
			i, at, frame[i], want[i], c->number, stacks[c->number % 7],
			counts[c->number % 5], ips[c->number / 11 % 3]);
	assert_true(packet_sums_ok(&c->flow, frame, length));
}

static void
check_burst(const struct combination *c, const struct pass *pass, unsigned int at, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++, at++) {
		const struct rte_mbuf *m = buffers.mbuf[k];
		const uint8_t *frame = rig_frame(&buffers, k);

		check_mbuf(c, m);
		if (pass == &passes[0]) {
			check_naive(c, at, frame, m->pkt_len);
			memcpy(frames[at], frame, m->pkt_len);
			lengths[at] = m->pkt_len;
			continue;
		}
		CHECK(lengths[at] == m->pkt_len && memcmp(frames[at], frame, m->pkt_len) == 0,
			"packet %u, combination %u, pass %td", at, c->number, pass - passes);
	}
}

static void
check_prog_field(const struct combination *c, const struct pg_prog *prog, uint64_t index,
	const struct packet *packet)
{
	struct pg_ip6 src, dst;

	pg_prog_ip6(prog, index, &src, &dst);
	assert_memory_equal(&src, &packet->src6, sizeof(src));
	assert_memory_equal(&dst, &packet->dst6, sizeof(dst));
	for (int f = 0; f < PG_FIELD_IP6_SRC; f++) {
		uint32_t value = pg_prog_field(prog, f, index), got = packet->value[f];

		if ((f == PG_FIELD_IP_SRC || f == PG_FIELD_IP_DST) && c->flow.flags & PG_FLAG_IPV6)
			continue;
		if (f == PG_FIELD_SIZE)
			value = RTE_MAX(value, c->flow.frame_min);
		if (f >= PG_FIELD_MPLS)
			value &= ~0x100u; // the packet has its own S bit there
		CHECK(value == got, "field %d of packet %llu, combination %u: %u, not %u", f,
			(unsigned long long)index, c->number, value, got);
	}
}

// A packet made alone is the one in the middle of a burst.
static void
check_alone(const struct combination *c, const struct pg_prog *prog)
{
	static uint8_t frame[ROOM];

	for (unsigned int at = c->number % 37; at < PACKETS; at += 97) {
		int length = pg_prog_packet(prog, FIRST + at, WALL_NS, frame, sizeof(frame));
		bool same = !c->paced || (c->flow.flags & PG_FLAG_NO_TIMESTAMP);
		struct packet packet;

		CHECK(length == (int)lengths[at], "packet %u alone", at);
		if (same)
			CHECK(memcmp(frame, frames[at], length) == 0,
				"packet %u alone, combination %u", at, c->number);
		packet_read(&c->flow, frame, length, &packet);
		check_prog_field(c, prog, FIRST + at, &packet);
	}
}

static void
run_pass(const struct combination *c, const struct pass *pass)
{
	const struct pg_prog_config config = {.flow = &c->flow,
		.stream = "net_null0",
		.seed = 7,
		.copies = c->copies,
		.image_kept = pass->image_kept,
		.mbuf_kept = pass->mbuf_kept,
		.paced = c->paced,
		.portable = pass->portable};
	struct pg_prog *prog = rig_compile(&config);
	unsigned int at = 0;

	rig_dirty(&buffers, PG_BURST_MAX);
	for (unsigned int k = 0; pass->image_kept && k < PG_BURST_MAX; k++) {
		memset(buffers.mbuf[k], 0, sizeof(*buffers.mbuf[k])); // as a pool makes them
		pg_prog_prepare(prog, buffers.mbuf[k]);
	}
	pg_prog_seek(prog, &buffers.state, FIRST);
	for (const unsigned int *burst = pass->bursts; *burst != 0; at += *burst++) {
		if (!pass->image_kept)
			rig_dirty(&buffers, *burst);
		set_times(c, &buffers.state, at, *burst);
		pg_prog_run(prog, &buffers.state, buffers.mbuf, *burst);
		check_burst(c, pass, at, *burst);
	}
	assert_int_equal(at, PACKETS);
	assert_true(buffers.state.index == FIRST + PACKETS);
	check_alone(c, prog);
	pg_prog_destroy(prog);
}

static void
run_quarter(unsigned int quarter)
{
	for (unsigned int i = 0; i < MODES; i++) {
		const struct combination c = combine(quarter * MODES + i);

		for (size_t p = 0; p < DIM(passes); p++)
			run_pass(&c, &passes[p]);
	}
}

static void
test_plain(void **state)
{
	(void)state;
	run_quarter(0);
}

static void
test_checksum(void **state)
{
	(void)state;
	run_quarter(1);
}

static void
test_no_timestamp(void **state)
{
	(void)state;
	run_quarter(2);
}

static void
test_checksum_no_timestamp(void **state)
{
	(void)state;
	run_quarter(3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_no_timestamp),
		cmocka_unit_test(test_checksum_no_timestamp),
	};

	return cmocka_run_group_tests_name("prog_matrix", tests, rig_start, rig_stop);
}
