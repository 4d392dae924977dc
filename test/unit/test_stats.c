/* SPDX-License-Identifier: BSD-3-Clause */
/* Results from counters: pktgen's integers by reference 5.1, the exact figures by arithmetic. */
#include "support.h"

#include "pg_stats.h"
#include "pg_units.h"

#define S UINT64_C(1000000000)

/** A clock whose cycles are nanoseconds. */
static struct pg_clock
ns_clock(void)
{
	struct pg_clock clock = {0};

	pg_clock_derive(&clock, S, S, 0);
	assert_true(clock.ns_per_cycle == 1ull << PG_CLOCK_SHIFT);
	return clock;
}

/** A run: packets, time and idle time in ns, the size. */
struct run {
	uint64_t sent, ns, idle_ns;
	uint32_t size;
};

static struct pg_result
make(const struct run *run)
{
	const uint64_t start = 987654321987;
	struct pg_counters counters = {.sent = run->sent,
		.built = run->sent,
		.calls = 1,
		.idle_cycles = run->idle_ns,
		.start_cycles = start,
		.stop_cycles = start + run->ns};
	struct pg_clock clock = ns_clock();
	struct pg_result result;

	memset(&result, 0xa5, sizeof(result));
	pg_result_make(&result, &counters, &clock, run->size, run->size);
	return result;
}

static void
test_reference_examples(void **state)
{
	static const struct {
		struct run run;
		uint64_t pps, bps, mbps;
	} cases[] = {
		// Reference 5.1, "checked example", and the two real runs beside it.
		{{10000000, 232376114, 0, 60}, 43033682, 20656167360, 20656},
		{{2992248, 9973157000, 4065685000, 1800}, 300030, 4320432000, 4320},
		{{2992248, 9973157999, 4065685999, 1800}, 300030, 4320432000, 4320},
		{{6480562, S, 0, 60}, 6480562, 3110669760, 3110},
		// Recorded on 6.18.15, packets-3198: 814 us, 4 packets of 60 bytes.
		{{4, 814332, 0, 60}, 4912, 2357760, 2},
		// Floors: 3 packets in 2 s, 1 in 3 s.
		{{3, 2 * S, 0, 100}, 1, 800, 0},
		{{1, 3 * S, 0, 100}, 0, 0, 0},
		{{1, 1, 0, 1500}, S, 12000 * S, 12000000},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_result r = make(&cases[i].run);

		CHECK_U64(r.pps, cases[i].pps, "pps, row %zu", i);
		CHECK_U64(r.bps, cases[i].bps, "bps, row %zu", i);
		CHECK_U64(r.mbps, cases[i].mbps, "Mb/sec, row %zu", i);
		CHECK_U64(r.sent, cases[i].run.sent, "row %zu", i);
		CHECK_U64(r.duration_ns, cases[i].run.ns, "row %zu", i);
		CHECK_U64(r.idle_ns, cases[i].run.idle_ns, "row %zu", i);
		CHECK_U64(r.size, cases[i].run.size, "row %zu", i);
	}
}

// Frames of 60 bytes are 64 with FCS (layer 2) and 84 byte times on the wire (layer 1).
static void
test_layers(void **state)
{
	static const struct {
		struct run run;
		double l2, l1, cycles;
	} cases[] = {
		{{14880952, S, 0, 60}, 14880952.0 * 64 * 8, 14880952.0 * 84 * 8, 1e9 / 14880952},
		{{1000, S, S / 2, 60}, 512000, 672000, 500000},
		{{812743, S, 0, 1514}, 812743.0 * 1518 * 8, 812743.0 * 1538 * 8, 1e9 / 812743},
		{{10, 10 * S, 0, 96}, 800, 960, 1e9},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct run *run = &cases[i].run;
		struct pg_result r = make(run);

		CHECK_U64(r.bytes, run->sent * run->size, "row %zu", i);
		CHECK_NEAR(
			r.rate_pps, (double)run->sent * 1e9 / (double)run->ns, 1e-12, "row %zu", i);
		CHECK_NEAR(r.l2_bps, cases[i].l2, 1e-12, "layer 2, row %zu", i);
		CHECK_NEAR(r.l1_bps, cases[i].l1, 1e-12, "layer 1, row %zu", i);
		CHECK_NEAR(r.cycles_per_packet, cases[i].cycles, 1e-12, "row %zu", i);
	}
	// 10 Gbit/s of shortest frames: 14.88 million a second fill the wire (RFC 2544, 9.1).
	CHECK_NEAR(make(&cases[0].run).l1_bps, 1e10, 1e-7, "10 Gbit/s");
}

// Sizes that vary: the bytes were counted, and pktgen's line knows only the last size.
static void
test_counted_bytes(void **state)
{
	struct pg_counters counters = {.sent = 3,
		.built = 3,
		.bytes = 60 + 500 + 1514,
		.start_cycles = 5,
		.stop_cycles = 5 + S};
	struct pg_clock clock = ns_clock();
	struct pg_result r;

	(void)state;
	pg_result_make(&r, &counters, &clock, 0, 1514);
	assert_true(r.bytes == 2074);
	assert_true(r.pps == 3 && r.bps == 3 * 1514 * 8);
	CHECK_NEAR(r.l2_bps, (2074 + 3 * 4) * 8.0, 1e-12, "layer 2");
	CHECK_NEAR(r.l1_bps, (2074 + 3 * 24) * 8.0, 1e-12, "layer 1");
	// A frame forced longer than configured: bytes by the frame, bps by the setting (8.6).
	pg_result_make(&r, &counters, &clock, 58, 42);
	assert_true(r.bytes == 174 && r.bps == 3 * 42 * 8 && r.size == 42);
	CHECK_NEAR(r.l2_bps, 3 * 62 * 8.0, 1e-12, "layer 2");
}

// The kernel's figure wraps above 18446744073 packets (reference 5.1); this one does not.
static void
test_huge_counts(void **state)
{
	static const struct {
		struct run run;
		uint64_t pps, bps;
	} cases[] = {
		{{18446744074, 1000 * S, 0, 60}, 18446744, 18446744ull * 480},
		{{100 * S, 1000 * S, 0, 60}, 100000000, 48 * S},
		{{INT64_MAX, INT64_MAX, 0, 60}, S, 480 * S},
		{{1ull << 63, 1ull << 62, 0, 60}, 2 * S, 960 * S},
		{{UINT64_MAX, UINT64_MAX, 0, 1}, S, 8 * S},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct run *run = &cases[i].run;
		struct pg_result r = make(run);
		double seconds = (double)run->ns / 1e9, frames = (double)run->sent;

		CHECK_U64(r.pps, cases[i].pps, "pps, row %zu", i);
		CHECK_U64(r.bps, cases[i].bps, "bps, row %zu", i);
		CHECK_U64(r.mbps, cases[i].bps / 1000000, "row %zu", i);
		CHECK_NEAR(r.rate_pps, frames / seconds, 1e-9, "row %zu", i);
		CHECK_NEAR(r.l2_bps, frames * (run->size + 4) * 8 / seconds, 1e-9,
			"layer 2, row %zu", i);
		CHECK_NEAR(r.l1_bps, frames * (run->size + 24) * 8 / seconds, 1e-9,
			"layer 1, row %zu", i);
	}
}

// Too fast to be true: figures that 64 bits cannot hold are as large as they can be, not wrapped.
static void
test_saturation(void **state)
{
	static const struct run runs[] = {
		{1ull << 63, 60 * S, 0, 60},
		{UINT64_MAX, 1, 0, 60},
	};

	(void)state;
	for (size_t i = 0; i < DIM(runs); i++) {
		struct pg_result r = make(&runs[i]);
		unsigned __int128 pps = (unsigned __int128)runs[i].sent * S / runs[i].ns;

		CHECK_U64(r.pps, pps > UINT64_MAX ? UINT64_MAX : (uint64_t)pps, "row %zu", i);
		CHECK_U64(r.bps, UINT64_MAX, "row %zu", i);
		assert_true(r.mbps == UINT64_MAX / 1000000);
	}
}

static void
test_nothing_sent(void **state)
{
	static const struct run runs[] = {{0, 0, 0, 60}, {0, S, 0, 60}, {0, S, S, 60}};

	(void)state;
	for (size_t i = 0; i < DIM(runs); i++) {
		struct pg_result r = make(&runs[i]);

		assert_true(r.sent == 0 && r.pps == 0 && r.bps == 0 && r.mbps == 0 && r.bytes == 0);
		assert_true(r.rate_pps == 0 && r.l2_bps == 0 && r.l1_bps == 0);
		assert_true(r.cycles_per_packet == 0);
		assert_int_equal(r.frags, -1); // none is held: none was ever built
		CHECK_U64(r.duration_ns, runs[i].ns, "row %zu", i);
	}
}

static void
test_no_time(void **state)
{
	const struct run run = {5, 0, 0, 60};
	struct pg_result r = make(&run);

	(void)state;
	assert_true(r.sent == 5 && r.pps == 0 && r.bps == 0 && r.rate_pps == 0);
	assert_int_equal(r.frags, 0);
}

// Busy time is the duration without the idle part, which cannot be longer than the whole.
static void
test_idle(void **state)
{
	static const struct {
		uint64_t idle, busy, shown;
	} cases[] = {{0, S, 0}, {1, S - 1, 1}, {S - 1, 1, S - 1}, {S, 0, S}, {S + 5, 0, S}};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct run run = {10, S, cases[i].idle, 60};
		struct pg_result r = make(&run);

		CHECK_U64(r.cycles, cases[i].busy, "row %zu", i);
		CHECK_U64(r.idle_ns, cases[i].shown, "row %zu", i);
		CHECK_NEAR(r.cycles_per_packet, (double)cases[i].busy / 10, 1e-12, "row %zu", i);
		assert_true(r.pps == 10); // idle time counts as time
	}
}

// Cycles become ns by the measured ratio: 2445 million of them are one second.
static void
test_real_clock(void **state)
{
	struct pg_counters counters = {.sent = 1000,
		.built = 1000,
		.errors = 7,
		.start_cycles = UINT64_MAX - 5,
		.stop_cycles = 2445000000u - 6,
		.idle_cycles = 244500000};
	struct pg_clock clock = {0};
	struct pg_result r;

	(void)state;
	pg_clock_derive(&clock, 24450000000u, 10 * S, 0);
	pg_result_make(&r, &counters, &clock, 60, 60);
	assert_in_range(r.duration_ns, S - 1, S);
	assert_in_range(r.idle_ns, S / 10 - 1, S / 10);
	assert_true(r.cycles == 2445000000u - 244500000u);
	CHECK_NEAR(r.cycles_per_packet, 2200500, 1e-12, "cycles");
	assert_true(r.errors == 7);
}

static void
test_counters(void **state)
{
	struct pg_counters c = {0};

	(void)state;
	pg_counter_add(&c.sent, 5);
	pg_counter_add(&c.sent, UINT64_C(1) << 40);
	assert_true(pg_counter_read(&c.sent) == (UINT64_C(1) << 40) + 5);
	assert_true(pg_counter_read(&c.errors) == 0);
	// On lines of their own: a reader of one device's disturbs no other.
	assert_true(sizeof(struct pg_counters) % RTE_CACHE_LINE_SIZE == 0);
	assert_true(_Alignof(struct pg_counters) == RTE_CACHE_LINE_SIZE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference_examples),
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_counted_bytes),
		cmocka_unit_test(test_huge_counts),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_nothing_sent),
		cmocka_unit_test(test_no_time),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_real_clock),
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
