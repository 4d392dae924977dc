/* SPDX-License-Identifier: BSD-3-Clause */
/* Flows and mixes of sizes: every flow has its exact length and every size its exact share within
 * each block, in an order that the seed decides (DESIGN 5 and 8). */
#include "support.h"

#include <stdlib.h>

#include "pg_random.h"
#include "support_prog.h"

static uint64_t
permute(const struct pg_key *key, uint64_t block, uint64_t x, uint64_t n, bool wide)
{
	uint32_t round_key = pg_random_32(key->a, key->b, (uint32_t)block);

	if (wide)
		return pg_permute_wide(key, block, x, n, pg_permute_half(n));
	do {
		x = pg_permute_once((uint32_t)x, round_key, pg_permute_bits(n));
	} while (x >= n);
	return x;
}

// A permutation: each of 0 .. n - 1 once, other in other blocks and under other keys.
static void
check_permutation(bool wide)
{
	static const uint64_t sizes[] = {
		1, 2, 3, 4, 5, 7, 12, 16, 17, 100, 255, 256, 257, 1000, 65536, 100003};
	static uint8_t seen[100003];
	struct pg_key key = pg_key_make(3, "net_null0", 5), other = pg_key_make(4, "net_null0", 5);

	for (size_t s = 0; s < DIM(sizes); s++) {
		uint64_t n = sizes[s], same_block = 0, same_key = 0;

		assert_true(1ull << 2 * pg_permute_half(n) >= n && 1ull << pg_permute_bits(n) >= n);
		for (uint64_t block = 0; block < 3; block++) {
			memset(seen, 0, n);
			for (uint64_t x = 0; x < n; x++) {
				uint64_t y = permute(&key, block, x, n, wide);

				assert_true(y < n && !seen[y]);
				seen[y] = 1;
				same_block += y == permute(&key, block + 1, x, n, wide);
				same_key += y == permute(&other, block, x, n, wide);
			}
		}
		// One fixed point in n is what chance gives; three blocks of them.
		CHECK(n < 100 || (same_block < 30 && same_key < 30), "%llu of %llu stay",
			(unsigned long long)same_block, (unsigned long long)n);
	}
}

static void
test_permutation(void **state)
{
	(void)state;
	check_permutation(false);
	check_permutation(true);
}

// Run n packets from `index` on and read them; the whole packet is checked too.
static void
read_packets(const struct pg_flow *flow, const struct pg_prog *prog, uint64_t index,
	unsigned int burst, unsigned int n, struct packet *out)
{
	static uint8_t want[RIG_ROOM];

	pg_prog_seek(prog, &buffers.state, index);
	for (unsigned int at = 0; at < n; at += burst) {
		unsigned int now = n - at < burst ? n - at : burst;

		rig_dirty(&buffers, now);
		pg_prog_run(prog, &buffers.state, buffers.mbuf, now);
		for (unsigned int k = 0; k < now; k++) {
			struct packet *p = &out[at + k];
			const uint8_t *frame = rig_frame(&buffers, k);
			uint32_t length = buffers.mbuf[k]->pkt_len;

			p->index = index + at + k;
			p->copies = 1;
			p->stamp_ns = 0;
			packet_read(flow, frame, length, p);
			CHECK(packet_build(flow, p, want) == length &&
					memcmp(want, frame, length) == 0,
				"packet %llu", (unsigned long long)p->index);
			assert_true(packet_sums_ok(flow, frame, length));
		}
	}
}

#define PACKETS 3000

static struct packet packets[PACKETS], again[PACKETS];

// FLOW_SEQ: exactly flowlen packets of a flow, then the next; values walk by flow, not by packet.
static void
test_sequential(void **state)
{
	static const struct {
		uint32_t flows, flowlen;
	} cases[] = {{3, 2}, {1, 1}, {1, 5}, {7, 1}, {100, 3}, {65536, 10}, {3, 0}};

	(void)state;
	for (size_t i = 0; i < DIM(cases) * 2; i++) {
		uint32_t length = cases[i / 2].flowlen ? cases[i / 2].flowlen : 1; // 0: one packet
		struct pg_prog *prog;
		struct pg_flow flow;
		char commands[300];

		snprintf(commands, sizeof(commands),
			"flag NO_TIMESTAMP;flag FLOW_SEQ;flows %u;flowlen %u;pkt_size 60;"
			"dst_min 198.18.0.1;dst_max 198.18.0.10;udp_src_min 9;udp_src_max 12",
			cases[i / 2].flows, cases[i / 2].flowlen);
		flow = flow_make(commands);
		prog = rig_compile_flow(&flow, 1, i % 2);
		read_packets(&flow, prog, 0, 100, PACKETS, packets);
		for (uint64_t k = 0; k < PACKETS; k++) {
			CHECK_U64(packets[k].value[PG_FIELD_IP_DST], 0xc6120001 + k / length % 10,
				"packet %llu of row %zu", (unsigned long long)k, i / 2);
			CHECK_U64(packets[k].value[PG_FIELD_UDP_SRC], 9 + k / length % 4,
				"packet %llu of row %zu", (unsigned long long)k, i / 2);
		}
		CHECK_U64(buffers.state.flows_started, (PACKETS + length - 1) / length, "row %zu",
			i / 2);
		pg_prog_destroy(prog);
	}
}

/** The number of a packet's flow: destinations count flows, as the range is long. */
static uint64_t
flow_of(const struct packet *p)
{
	return p->value[PG_FIELD_IP_DST] - 0x0a000000u;
}

// At random: within each block of flows * flowlen packets each of its flows comes flowlen times.
static void
test_random(void **state)
{
	static const struct {
		uint32_t flows, flowlen;
	} cases[] = {{3, 2}, {1, 1}, {1, 5}, {7, 1}, {10, 30}, {100, 10}, {1000, 3}, {3, 0}};
	static uint8_t length[PACKETS];

	(void)state;
	for (size_t i = 0; i < DIM(cases) * 2; i++) {
		uint32_t flowlen = cases[i / 2].flowlen ? cases[i / 2].flowlen : 1;
		uint32_t block = cases[i / 2].flows * flowlen, whole = PACKETS / block * block;
		struct pg_prog *prog;
		struct pg_flow flow;
		char commands[300];
		bool in_order = true;

		snprintf(commands, sizeof(commands),
			"flag NO_TIMESTAMP;flows %u;flowlen %u;pkt_size 60;"
			"dst_min 10.0.0.0;dst_max 10.255.255.255;flag UDPCSUM",
			cases[i / 2].flows, cases[i / 2].flowlen);
		flow = flow_make(commands);
		prog = rig_compile_flow(&flow, 1, i % 2);
		read_packets(&flow, prog, 0, 512, PACKETS, packets);
		memset(length, 0, sizeof(length));
		for (uint32_t k = 0; k < whole; k++) {
			uint64_t number = flow_of(&packets[k]),
				 first = k / block * cases[i / 2].flows;

			CHECK(number >= first && number < first + cases[i / 2].flows,
				"packet %u of row %zu is of flow %llu", k, i / 2,
				(unsigned long long)number);
			length[number]++;
			in_order &= number == k / flowlen;
		}
		for (uint32_t f = 0; f < whole / flowlen; f++)
			CHECK_U64(length[f], flowlen, "packets of flow %u, row %zu", f, i / 2);
		CHECK(cases[i / 2].flows < 7 || !in_order, "row %zu is not shuffled", i / 2);
		pg_prog_destroy(prog);
	}
}

// All fields of a flow stay, others go on; two flows of a block differ.
static void
test_fields_of_a_flow(void **state)
{
	struct pg_flow flow = flow_make("flag NO_TIMESTAMP;flows 50;flowlen 20;pkt_size 60;"
					"dst_min 10.0.0.0;dst_max 10.255.255.255;flag IPDST_RND;"
					"src_min 20.0.0.0;src_max 20.255.255.255;flag IPSRC_RND;"
					"udp_src_min 0;udp_src_max 65535;flag UDPSRC_RND;"
					"udp_dst_min 0;udp_dst_max 65535;dst_mac_count 3");
	struct pg_prog *prog = rig_compile_flow(&flow, 1, false);
	unsigned int first_of[1000], nfirst = 0;

	(void)state;
	read_packets(&flow, prog, 0, 512, 1000, packets);
	for (unsigned int k = 0; k < 1000; k++) {
		unsigned int f = 0;

		CHECK_U64(packets[k].value[PG_FIELD_MAC_DST], k % 3, "packet %u", k);
		while (f < nfirst && packets[first_of[f]].value[PG_FIELD_UDP_DST] !=
					     packets[k].value[PG_FIELD_UDP_DST])
			f++;
		if (f == nfirst)
			first_of[nfirst++] = k;
		for (int field = PG_FIELD_UDP_SRC; field <= PG_FIELD_IP_DST; field++)
			CHECK_U64(packets[k].value[field], packets[first_of[f]].value[field],
				"field %d of packet %u", field, k);
	}
	assert_int_equal(nfirst, 50);
	pg_prog_destroy(prog);
}

// The same packets from any index on, alone, in any bursts; another seed, another order.
static void
check_repeatable(const char *commands, enum pg_field field)
{
	static const unsigned int bursts[] = {1, 3, 32, 100, 512};
	struct pg_flow flow = flow_make(commands);
	struct pg_prog *prog = rig_compile_flow(&flow, 1, true),
		       *other = rig_compile_flow(&flow, 2, false);
	static uint8_t frame[2048];
	unsigned int same = 0;

	read_packets(&flow, prog, 0, 512, PACKETS, packets);
	for (size_t b = 0; b < DIM(bursts); b++) {
		unsigned int from = (unsigned int)b * 311, n = bursts[b] == 1 ? 50 : 1200;

		read_packets(&flow, prog, from, bursts[b], n, again);
		for (unsigned int k = 0; k < n; k++)
			assert_memory_equal(
				again[k].value, packets[from + k].value, sizeof(again[k].value));
	}
	for (unsigned int k = 0; k < PACKETS; k += 37) {
		int length = pg_prog_packet(prog, k, 0, frame, sizeof(frame));

		packet_read(&flow, frame, (uint32_t)length, &again[0]);
		assert_memory_equal(again[0].value, packets[k].value, sizeof(again[0].value));
		CHECK_U64(pg_prog_field(prog, field, k), packets[k].value[field], "packet %u", k);
	}
	read_packets(&flow, other, 0, 512, PACKETS, again);
	for (unsigned int k = 0; k < PACKETS; k++)
		same += again[k].value[field] == packets[k].value[field];
	CHECK(same < PACKETS * 8 / 10, "%u of %d packets are the same under another seed", same,
		PACKETS);
	pg_prog_destroy(prog);
	pg_prog_destroy(other);
}

static void
test_repeatable(void **state)
{
	(void)state;
	check_repeatable("flag NO_TIMESTAMP;flows 20;flowlen 7;dst_min 10.0.0.0;dst_max 10.9.0.0",
		PG_FIELD_IP_DST);
	check_repeatable("flag NO_TIMESTAMP;flows 20;flowlen 7;dst_min 10.0.0.0;dst_max 10.9.0.0;"
			 "flag IPDST_RND",
		PG_FIELD_IP_DST);
	check_repeatable("flag NO_TIMESTAMP;imix_weights 60,7 590,4 1514,1", PG_FIELD_SIZE);
}

// A mix: in each cycle of the weights each size comes exactly as often as it should.
static void
test_mix(void **state)
{
	static const struct {
		const char *weights;
		uint32_t cycle, nsizes;
		uint32_t size[4], weight[4];
	} cases[] = {
		{"60,7 590,4 1514,1", 12, 3, {60, 590, 1514}, {7, 4, 1}},
		{"60,1 61,1 62,1", 3, 3, {60, 61, 62}, {1, 1, 1}},
		{"60,1 1514,999", 1000, 2, {60, 1514}, {1, 999}}, // a share below 1 %
		{"100,1 200,1 300,998", 1000, 3, {100, 200, 300}, {1, 1, 998}},
		{"42,1 58,1 59,2", 4, 2, {58, 59}, {2, 2}}, // short ones are lengthened (8.6)
		{"64,5", 5, 1, {64}, {5}},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases) * 2; i++) {
		uint32_t cycle = cases[i / 2].cycle, whole = PACKETS / cycle * cycle;
		struct pg_flow flow;
		struct pg_prog *prog;
		char commands[200];

		snprintf(commands, sizeof(commands), "flag NO_TIMESTAMP;imix_weights %s",
			cases[i / 2].weights);
		flow = flow_make(commands);
		prog = rig_compile_flow(&flow, 1, i % 2);
		assert_true(pg_prog_size_varies(prog));
		read_packets(&flow, prog, 0, 512, PACKETS, packets);
		for (uint32_t at = 0; at < whole; at += cycle) {
			uint32_t came[4] = {0};

			for (uint32_t k = 0; k < cycle; k++) {
				for (uint32_t s = 0; s < cases[i / 2].nsizes; s++)
					came[s] += packets[at + k].value[PG_FIELD_SIZE] ==
						   cases[i / 2].size[s];
			}
			for (uint32_t s = 0; s < cases[i / 2].nsizes; s++)
				CHECK_U64(came[s], cases[i / 2].weight[s],
					"size %u from packet %u on, row %zu", cases[i / 2].size[s],
					at, i / 2);
		}
		pg_prog_destroy(prog);
	}
}

// What is counted of each entry is what was built, looking ahead not included.
static void
test_mix_counts(void **state)
{
	struct pg_flow flow = flow_make("flag NO_TIMESTAMP;imix_weights 60,7 590,4 1514,1");
	struct pg_prog *prog = rig_compile_flow(&flow, 9, false);
	uint64_t bytes = 0;

	(void)state;
	memset(buffers.state.imix_count, 0, sizeof(buffers.state.imix_count));
	read_packets(&flow, prog, 0, 32, 1200, packets);
	assert_true(buffers.state.imix_count[0] == 700 && buffers.state.imix_count[1] == 400);
	assert_true(buffers.state.imix_count[2] == 100 && buffers.state.imix_count[3] == 0);
	assert_true(buffers.state.bytes == 700 * 60 + 400 * 590 + 100 * 1514);
	pg_prog_seek(prog, &buffers.state, 0);
	pg_prog_sizes(prog, &buffers.state, 512);
	for (unsigned int k = 0; k < 512; k++) {
		CHECK_U64(buffers.state.scratch->length[k], packets[k].value[PG_FIELD_SIZE],
			"packet %u", k);
		bytes += buffers.state.scratch->length[k];
	}
	assert_true(buffers.state.imix_count[0] == 700 && buffers.state.index == 0);
	assert_true(buffers.state.bytes == 0 && bytes > 0);
	pg_prog_destroy(prog);
}

// A size range wins over a mix (reference 7.5).
static void
test_range_wins(void **state)
{
	struct pg_flow flow = flow_make("flag NO_TIMESTAMP;imix_weights 590,1;min_pkt_size 60;"
					"max_pkt_size 70");
	struct pg_prog *prog = rig_compile_flow(&flow, 1, false);

	(void)state;
	read_packets(&flow, prog, 0, 100, 100, packets);
	for (unsigned int k = 0; k < 100; k++)
		CHECK_U64(packets[k].value[PG_FIELD_SIZE], 60 + k % 11, "packet %u", k);
	pg_prog_destroy(prog);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_permutation),
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_fields_of_a_flow),
		cmocka_unit_test(test_repeatable),
		cmocka_unit_test(test_mix),
		cmocka_unit_test(test_mix_counts),
		cmocka_unit_test(test_range_wins),
	};

	return cmocka_run_group_tests_name("prog_flows", tests, rig_start, rig_stop);
}
