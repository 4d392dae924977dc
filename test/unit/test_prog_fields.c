/* SPDX-License-Identifier: BSD-3-Clause */
/* One varying field at a time: which values, in which order, and how often. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "support_prog.h"

#define IP(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

#define PLAIN "pkt_size 60;flag NO_TIMESTAMP"

static struct pg_flow flow; // of the last compile()

static struct pg_prog *
compile(enum pg_field field, uint32_t lo, uint32_t hi, bool random, bool portable)
{
	const struct pg_prog_config config = {.flow = &flow,
		.stream = "net_null0",
		.seed = 11,
		.copies = 1,
		.portable = portable};

	flow = flow_make(field == PG_FIELD_SVLAN  ? PLAIN ";vlan_id 5;svlan_id 6"
			 : field == PG_FIELD_VLAN ? PLAIN ";vlan_id 5"
			 : field >= PG_FIELD_MPLS ? PLAIN ";mpls 1,2,3"
						  : PLAIN);
	flow.field[field] = (struct pg_range){lo, hi, random};
	return rig_compile(&config);
}

// Run n packets from `index` on in bursts, and give each one's field.
static void
collect(const struct pg_prog *prog, enum pg_field field, uint64_t index, unsigned int burst,
	unsigned int n, uint32_t *out)
{
	pg_prog_seek(prog, &buffers.state, index);
	while (n > 0) {
		unsigned int now = n < burst ? n : burst;

		pg_prog_run(prog, &buffers.state, buffers.mbuf, now);
		for (unsigned int k = 0; k < now; k++) {
			struct packet packet;

			packet_read(
				&flow, rig_frame(&buffers, k), buffers.mbuf[k]->pkt_len, &packet);
			*out++ = packet.value[field];
		}
		n -= now;
	}
}

static void
check_linear(enum pg_field field, const struct pg_range *range, uint64_t index, bool portable)
{
	static const unsigned int bursts[] = {1, 3, 32, 100, 512};
	struct pg_prog *prog = compile(field, range->lo, range->hi, false, portable);
	uint32_t values[1100];

	for (size_t b = 0; b < DIM(bursts); b++) {
		unsigned int n = bursts[b] == 1 ? 40 : 1100;

		collect(prog, field, index, bursts[b], n, values);
		for (unsigned int k = 0; k < n; k++) {
			uint32_t want = packet_linear(range, index + k);

			if (field == PG_FIELD_SIZE && want < 58)
				want = 58; // the frame, whatever was configured (8.6)
			CHECK(values[k] == want,
				"field %d, %u-%u, burst %u, packet %llu: %u not %u", field,
				range->lo, range->hi, bursts[b], (unsigned long long)index + k,
				values[k], want);
		}
	}
	CHECK_U64(pg_prog_field(prog, field, index), packet_linear(range, index), "packet %llu",
		(unsigned long long)index);
	pg_prog_destroy(prog);
}

static void
test_linear(void **state)
{
	static const struct {
		enum pg_field field;
		struct pg_range range;
	} cases[] = {
		{PG_FIELD_UDP_SRC, {9, 12, 0}}, {PG_FIELD_UDP_SRC, {80, 81, 0}},
		{PG_FIELD_UDP_DST, {0, 65535, 0}}, {PG_FIELD_UDP_DST, {1, 511, 0}},
		{PG_FIELD_UDP_SRC, {1, 512, 0}}, {PG_FIELD_UDP_SRC, {1, 513, 0}},
		{PG_FIELD_IP_SRC, {IP(10, 0, 0, 250), IP(10, 0, 1, 5), 0}},
		{PG_FIELD_IP_SRC, {0, UINT32_MAX, 0}},     // 2^32 values
		{PG_FIELD_IP_DST, {1, UINT32_MAX, 0}},     // one less
		{PG_FIELD_IP_SRC, {0, UINT32_MAX - 1, 0}}, // one less at the other end
		{PG_FIELD_IP_DST, {5, 0x80000010, 0}},     // more than 2^31
		{PG_FIELD_IP_SRC, {0x80000000, UINT32_MAX, 0}},
		{PG_FIELD_IP_DST, {IP(126, 255, 255, 250), IP(128, 0, 0, 9), 0}}, // not filtered
		{PG_FIELD_SIZE, {58, 1514, 0}}, {PG_FIELD_SIZE, {42, 70, 0}},
		{PG_FIELD_MAC_DST, {0, 2, 0}}, {PG_FIELD_MAC_SRC, {0, 99, 0}},
		{PG_FIELD_MAC_SRC, {0, UINT32_MAX - 1, 0}}, // src_mac_count 4294967295
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		uint64_t n = (uint64_t)cases[i].range.hi - cases[i].range.lo + 1;
		const uint64_t from[] = {0, n - 1, n - 3 < n ? n - 3 : 0, n * 1000 - 50,
			(1ull << 32) - 7, (1ull << 33) + 7, 1000000000000, UINT64_MAX - 5000};

		for (size_t k = 0; k < DIM(from) * 2; k++)
			check_linear(cases[i].field, &cases[i].range, from[k / 2], k % 2);
	}
}

static bool
is_reserved(uint32_t a)
{
	return a == 0 || a >> 24 == 127 || a >> 28 == 14 || a == UINT32_MAX;
}

// A small range: every value that may come does, and no other.
static void
check_reached(enum pg_field field, uint32_t lo, uint32_t hi, uint32_t values, bool portable)
{
	struct pg_prog *prog = compile(field, lo, hi, true, portable);
	static uint32_t got[512], seen[64];
	uint32_t reached = 0, nseen = 0;

	for (uint64_t index = 0; index < 64 * 512; index += 512) {
		collect(prog, field, index, 512, 512, got);
		for (unsigned int k = 0; k < 512; k++) {
			uint32_t s = 0;

			CHECK(got[k] >= lo && got[k] <= hi, "%08x-%08x: %08x, packet %llu", lo, hi,
				got[k], (unsigned long long)index + k);
			CHECK(field != PG_FIELD_IP_DST || !is_reserved(got[k]), "%08x-%08x: %08x",
				lo, hi, got[k]);
			while (s < nseen && seen[s] != got[k])
				s++;
			CHECK(s < DIM(seen), "%08x-%08x has more than %zu values", lo, hi,
				DIM(seen));
			if (s == nseen) {
				seen[nseen++] = got[k];
				reached++;
			}
		}
	}
	CHECK_U64(reached, values, "values of %08x-%08x, field %d", lo, hi, field);
	pg_prog_destroy(prog);
}

static void
test_random_small(void **state)
{
	static const struct {
		enum pg_field field;
		uint32_t lo, hi, values;
	} cases[] = {
		{PG_FIELD_UDP_SRC, 80, 81, 2},
		{PG_FIELD_UDP_SRC, 9, 12, 4},
		{PG_FIELD_UDP_DST, 65530, 65535, 6},
		{PG_FIELD_UDP_DST, 0, 2, 3},
		{PG_FIELD_UDP_DST, 1000, 1049, 50},
		{PG_FIELD_SIZE, 60, 61, 2},
		{PG_FIELD_SIZE, 60, 96, 37},
		{PG_FIELD_MAC_DST, 0, 49, 50},
		{PG_FIELD_MAC_SRC, 0, 1, 2},
		{PG_FIELD_IP_SRC, IP(10, 0, 0, 254), IP(10, 0, 1, 3), 6},
		{PG_FIELD_IP_SRC, IP(127, 0, 0, 0), IP(127, 0, 0, 3), 4}, // only destinations
		{PG_FIELD_IP_SRC, IP(223, 255, 255, 254), IP(224, 0, 0, 2), 5},
		{PG_FIELD_IP_SRC, UINT32_MAX - 1, UINT32_MAX, 2},
		{PG_FIELD_IP_DST, IP(198, 18, 0, 1), IP(198, 18, 0, 10), 10},
		{PG_FIELD_IP_DST, 0, 4, 4},
		{PG_FIELD_IP_DST, UINT32_MAX - 6, UINT32_MAX, 6},
		{PG_FIELD_IP_DST, IP(126, 255, 255, 250), IP(128, 0, 0, 5), 12},
		{PG_FIELD_IP_DST, IP(126, 255, 255, 250), IP(127, 0, 0, 5), 6},
		{PG_FIELD_IP_DST, IP(127, 255, 255, 250), IP(128, 0, 0, 2), 3},
		{PG_FIELD_IP_DST, IP(223, 255, 255, 254), IP(240, 0, 0, 1), 4},
		{PG_FIELD_IP_DST, IP(239, 255, 255, 0), IP(240, 0, 0, 6), 7},
		// One address is left: it must come every time.
		{PG_FIELD_IP_DST, 0, 1, 1},
		{PG_FIELD_IP_DST, IP(126, 255, 255, 255), IP(127, 0, 0, 9), 1},
		{PG_FIELD_IP_DST, IP(126, 255, 255, 255), IP(127, 255, 255, 255), 1},
		{PG_FIELD_IP_DST, IP(239, 0, 0, 0), IP(240, 0, 0, 0), 1},
		{PG_FIELD_IP_DST, UINT32_MAX - 1, UINT32_MAX, 1},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases) * 2; i++)
		check_reached(cases[i / 2].field, cases[i / 2].lo, cases[i / 2].hi,
			cases[i / 2].values, i % 2);
}

// Wide ranges, and that equal parts of them come equally often: six standard deviations.
static void
check_even(enum pg_field field, uint32_t lo, uint32_t hi, uint64_t from, bool portable)
{
	struct pg_prog *prog = compile(field, lo, hi, true, portable);
	const uint64_t n = (uint64_t)hi - lo + 1;
	static uint32_t got[512];
	uint32_t cells[16] = {0}, draws = 0;
	double expected[16] = {0}, sum = 0;

	for (uint64_t index = from; index < from + 128 * 512; index += 512) {
		collect(prog, field, index, 512, 512, got);
		for (unsigned int k = 0; k < 512; k++, draws++) {
			CHECK(got[k] >= lo && got[k] <= hi, "%08x-%08x: %08x", lo, hi, got[k]);
			CHECK(field != PG_FIELD_IP_DST || !is_reserved(got[k]), "%08x", got[k]);
			cells[(uint64_t)(got[k] - lo) * 16 / n]++;
		}
	}
	for (unsigned int c = 0; c < 16; c++) {
		uint64_t a = lo + (c * n + 15) / 16, b = lo + ((c + 1) * n + 15) / 16 - 1;
		uint64_t values = field == PG_FIELD_IP_DST
					  ? pg_flow_allowed((uint32_t)a, (uint32_t)b)
					  : b - a + 1;
		uint64_t all = field == PG_FIELD_IP_DST ? pg_flow_allowed(lo, hi) : n;

		expected[c] = (double)draws * (double)values / (double)all;
		if (expected[c] > 0)
			sum += (cells[c] - expected[c]) * (cells[c] - expected[c]) / expected[c];
	}
	CHECK(sum <= 15 + 6 * sqrt(30), "%08x-%08x, field %d: chi-square %.1f", lo, hi, field, sum);
	pg_prog_destroy(prog);
}

static void
test_random_wide(void **state)
{
	static const struct {
		enum pg_field field;
		uint32_t lo, hi;
	} cases[] = {
		{PG_FIELD_UDP_SRC, 1, 1000},
		{PG_FIELD_UDP_SRC, 1024, 65535},
		{PG_FIELD_SIZE, 60, 1514},
		{PG_FIELD_VLAN, 0, 4095},
		{PG_FIELD_MPLS, 0, (1 << 20) - 1},
		{PG_FIELD_MPLS + 2, 0, (1 << 20) - 1},
		{PG_FIELD_MAC_SRC, 0, UINT32_MAX - 1},
		{PG_FIELD_IP_SRC, 0, UINT32_MAX},
		{PG_FIELD_IP_SRC, 1, UINT32_MAX},
		{PG_FIELD_IP_SRC, 7, 0x80000009},
		{PG_FIELD_IP_SRC, IP(10, 0, 0, 0), IP(10, 1, 0, 0)}, // 65537 values
		{PG_FIELD_IP_DST, 0, UINT32_MAX},
		{PG_FIELD_IP_DST, IP(126, 0, 0, 0), IP(129, 255, 255, 255)},
		{PG_FIELD_IP_DST, IP(208, 0, 0, 0), UINT32_MAX},
		{PG_FIELD_IP_DST, IP(198, 18, 0, 0), IP(198, 19, 255, 255)},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases) * 4; i++)
		check_even(cases[i / 4].field, cases[i / 4].lo, cases[i / 4].hi,
			i & 1 ? (1ull << 32) - 30000 : 0, i & 2);
}

// Two seeds or two streams: other values; the same ones again: the same values.
static void
test_seed_and_stream(void **state)
{
	static const struct {
		uint64_t seed;
		const char *stream;
	} runs[] = {{1, "a"}, {1, "a"}, {2, "a"}, {1, "b"}, {UINT64_MAX, "a"}};
	static uint32_t got[DIM(runs)][512];

	(void)state;
	flow = flow_make(PLAIN);
	flow.field[PG_FIELD_IP_SRC] = (struct pg_range){0, UINT32_MAX, 1};
	for (size_t i = 0; i < DIM(runs); i++) {
		const struct pg_prog_config config = {
			.flow = &flow, .stream = runs[i].stream, .seed = runs[i].seed, .copies = 1};
		struct pg_prog *prog = rig_compile(&config);

		collect(prog, PG_FIELD_IP_SRC, 0, 512, 512, got[i]);
		pg_prog_destroy(prog);
	}
	assert_memory_equal(got[0], got[1], sizeof(got[0]));
	for (size_t i = 2; i < DIM(runs); i++) {
		unsigned int equal = 0;

		for (unsigned int k = 0; k < 512; k++)
			equal += got[0][k] == got[i][k];
		CHECK(equal <= 1, "run %zu: %u of 512 values are equal", i, equal);
	}
}

// Fields draw from keys of their own: source and destination of equal ranges are not the same.
static void
test_fields_are_apart(void **state)
{
	const struct pg_prog_config config = {.flow = &flow, .stream = "a", .seed = 1, .copies = 1};
	static uint32_t src[512], dst[512], sport[512], dport[512];
	unsigned int addresses = 0, ports = 0;
	struct pg_prog *prog;

	(void)state;
	flow = flow_make(PLAIN);
	flow.field[PG_FIELD_IP_SRC] = (struct pg_range){IP(10, 0, 0, 0), IP(10, 255, 255, 255), 1};
	flow.field[PG_FIELD_IP_DST] = flow.field[PG_FIELD_IP_SRC];
	flow.field[PG_FIELD_UDP_SRC] = (struct pg_range){0, 65535, 1};
	flow.field[PG_FIELD_UDP_DST] = flow.field[PG_FIELD_UDP_SRC];
	prog = rig_compile(&config);
	collect(prog, PG_FIELD_IP_SRC, 0, 512, 512, src);
	collect(prog, PG_FIELD_IP_DST, 0, 512, 512, dst);
	collect(prog, PG_FIELD_UDP_SRC, 0, 512, 512, sport);
	collect(prog, PG_FIELD_UDP_DST, 0, 512, 512, dport);
	for (unsigned int k = 0; k < 512; k++) {
		addresses += src[k] == dst[k];
		ports += sport[k] == dport[k];
	}
	assert_true(addresses <= 1 && ports <= 1);
	pg_prog_destroy(prog);
}

// What is counted of frames of varying size, since the program was put on a packet.
static void
test_bytes(void **state)
{
	struct pg_prog *prog = compile(PG_FIELD_SIZE, 42, 100, true, false);
	static uint32_t got[512];
	uint64_t bytes = 0;

	(void)state;
	collect(prog, PG_FIELD_SIZE, 5, 32, 500, got);
	for (unsigned int k = 0; k < 500; k++)
		bytes += got[k];
	assert_true(buffers.state.bytes == bytes);
	collect(prog, PG_FIELD_SIZE, 0, 1, 1, got);
	assert_true(buffers.state.bytes == got[0]);
	pg_prog_destroy(prog);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear),
		cmocka_unit_test(test_random_small),
		cmocka_unit_test(test_random_wide),
		cmocka_unit_test(test_seed_and_stream),
		cmocka_unit_test(test_fields_are_apart),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests_name("prog_fields", tests, rig_start, rig_stop);
}
