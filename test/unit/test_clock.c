/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <stdlib.h>
#include <time.h>

#include <rte_cycles.h>

#include "pg_clock.h"

#define S UINT64_C(1000000000)

/** Clocks that no machine has: cycles per second and a span. */
static const struct {
	uint64_t first_cycles, cycles, first_ns, ns;
	double hz;
} pairs[] = {
	{0, 1 * S, 0, 1 * S, 1e9},
	{5, 5 + 2445000000u, 7, 7 + S, 2445e6},
	{1ull << 62, (1ull << 62) + 37 * S / 10, 1, 1 + S, 3.7e9},
	{UINT64_MAX - 100, 24999999900u - 1, 0, 10 * S, 2.5e9}, // the counter wraps in between
	{0, 100000000, 0, S, 1e8},                              // a slow counter: 10 ns a cycle
	{0, 3000, 0, 1000, 3e9},                                // a very short span
	{0, UINT64_C(2445000000) * 3600, 0, 3600 * S, 2445e6},  // an hour
	{0, 4999999999u, 0, S, 4999999999.0},
};

static struct pg_clock
make_clock(size_t row)
{
	struct pg_clock clock = {
		.first_cycles = pairs[row].first_cycles,
		.first_raw_ns = pairs[row].first_ns,
	};

	pg_clock_derive(&clock, pairs[row].cycles, pairs[row].ns, 0);
	return clock;
}

static void
test_derive_ratio(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(pairs); i++) {
		struct pg_clock clock = make_clock(i);
		uint64_t cycles = pairs[i].cycles - pairs[i].first_cycles;
		uint64_t ns = pairs[i].ns - pairs[i].first_ns;

		CHECK_NEAR(clock.hz, pairs[i].hz, 1e-12, "row %zu", i);
		CHECK_U64(clock.span_ns, ns, "row %zu", i);
		assert_true(clock.error_ppm == 0);
		// Rounded down: the span's own cycles give its ns, or one less.
		CHECK(ns - pg_clock_ns(&clock, cycles) <= 1, "row %zu", i);
	}
}

// Each pair may be off by half its window, so hz by half of both windows over the span.
static void
test_derive_error(void **state)
{
	static const struct {
		uint64_t first, second, span_cycles;
		double ppm;
	} cases[] = {
		{0, 0, 1000000, 0},
		{100, 200, 1000000, 150},
		{200, 100, 1000000, 150},
		{60, 60, 240000000, 0.25},
		{2, 0, 2000000000, 0.0005},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_clock clock = {.first_window = cases[i].first};

		pg_clock_derive(&clock, cases[i].span_cycles, 1000000, cases[i].second);
		CHECK_NEAR(clock.error_ppm, cases[i].ppm, 1e-9, "row %zu", i);
	}
}

// cycles * ns_per_cycle / 2^56 on 32-bit digits.
static uint64_t
naive_ns(uint64_t cycles, uint64_t ratio)
{
	uint64_t cl = (uint32_t)cycles, ch = cycles >> 32, rl = (uint32_t)ratio, rh = ratio >> 32;
	uint64_t mid = (cl * rl >> 32) + (uint32_t)(ch * rl) + (uint32_t)(cl * rh);
	uint64_t low = mid << 32 | (uint32_t)(cl * rl);
	uint64_t high = ch * rh + (ch * rl >> 32) + (cl * rh >> 32) + (mid >> 32);

	return high << 8 | low >> 56;
}

static void
test_ns_edges(void **state)
{
	uint64_t seed = 42;

	(void)state;
	for (size_t i = 0; i < DIM(pairs); i++) {
		struct pg_clock clock = make_clock(i);
		uint64_t ratio = clock.ns_per_cycle;

		for (size_t k = 0; k < DIM(support_edges); k++) {
			uint64_t cycles = support_edges[k];

			// With more than 1 ns a cycle the last cycles lie beyond 64 bits of ns.
			if (ratio >> 56 != 0 && cycles > UINT64_MAX / ((ratio >> 56) + 1))
				continue;
			CHECK_U64(pg_clock_ns(&clock, cycles), naive_ns(cycles, ratio),
				"row %zu, %llu cycles", i, (unsigned long long)cycles);
		}
		for (int k = 0; k < 10000; k++) {
			uint64_t cycles = support_draw_width(&seed) >> 8;

			CHECK_U64(pg_clock_ns(&clock, cycles), naive_ns(cycles, ratio),
				"row %zu, %llu cycles", i, (unsigned long long)cycles);
		}
	}
}

/** num * 2^(56 + 64) / by by restoring division: 64 whole bits and 64 of the fraction. */
struct quotient {
	uint64_t whole, frac;
};

static struct quotient
naive_cycles(unsigned __int128 num, unsigned __int128 by)
{
	struct quotient q = {0, 0};
	unsigned __int128 rest = 0;

	for (int bit = 127 + 56 + 64; bit >= 0; bit--) {
		uint64_t next = bit >= 120 ? (uint64_t)(num >> (bit - 120)) & 1 : 0, one;

		rest = rest << 1 | next; // below 2^128, as `by` is below 2^127
		one = rest >= by;
		rest -= one ? by : 0;
		if (bit < 64) {
			q.frac |= one << bit;
			continue;
		}
		if (q.whole >> 63)
			return (struct quotient){UINT64_MAX, 0};
		q.whole = q.whole << 1 | one;
	}
	return q;
}

static void
check_cycles(const struct pg_clock *clock, size_t row, uint64_t ns)
{
	struct quotient want = naive_cycles(ns, clock->ns_per_cycle);
	uint64_t frac = 77, cycles = pg_clock_cycles(clock, ns, &frac);

	CHECK_U64(cycles, want.whole, "row %zu, %llu ns", row, (unsigned long long)ns);
	CHECK_U64(frac, want.frac, "the fraction, row %zu, %llu ns", row, (unsigned long long)ns);
}

static void
test_cycles_edges(void **state)
{
	uint64_t seed = 4711;

	(void)state;
	for (size_t i = 0; i < DIM(pairs); i++) {
		struct pg_clock clock = make_clock(i);

		for (size_t k = 0; k < DIM(support_edges); k++)
			check_cycles(&clock, i, support_edges[k]);
		for (int k = 0; k < 5000; k++)
			check_cycles(&clock, i, support_draw_width(&seed));
	}
}

// The same for a fraction of ns, up to what the header allows: num < 2^72, den < 2^63.
static void
test_cycles_ratio(void **state)
{
	uint64_t seed = 1234;

	(void)state;
	for (size_t i = 0; i < DIM(pairs); i++) {
		struct pg_clock clock = make_clock(i);

		for (int k = 0; k < 5000; k++) {
			unsigned __int128 num = (unsigned __int128)support_draw_width(&seed)
						<< (k % 9);
			uint64_t den = (support_draw_width(&seed) >> 1) | 1, frac = 77;
			struct quotient want =
				naive_cycles(num, (unsigned __int128)den * clock.ns_per_cycle);

			CHECK_U64(pg_clock_cycles_ratio(&clock, num, den, &frac), want.whole,
				"row %zu, draw %d", i, k);
			CHECK_U64(frac, want.frac, "the fraction, row %zu, draw %d", i, k);
		}
	}
}

// ns -> cycles -> ns loses less than one cycle's worth, and never gains.
static void
test_round_trip(void **state)
{
	uint64_t seed = 99, frac;

	(void)state;
	for (size_t i = 0; i < DIM(pairs); i++) {
		struct pg_clock clock = make_clock(i);
		uint64_t step = (clock.ns_per_cycle >> 56) + 1;

		for (int k = 0; k < 20000; k++) {
			uint64_t ns = support_draw_width(&seed) >> 4;
			uint64_t back = pg_clock_ns(&clock, pg_clock_cycles(&clock, ns, &frac));

			CHECK(back <= ns && ns - back <= step, "row %zu: %llu ns became %llu", i,
				(unsigned long long)ns, (unsigned long long)back);
		}
	}
}

static uint64_t
raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * S + (uint64_t)ts.tv_nsec;
}

// The real counter, against a second measurement beside it; 1 % leaves room for preemption.
static void
test_measured(void **state)
{
	uint64_t cycles = rte_rdtsc(), ns = raw_ns();
	struct pg_clock clock;
	double hz;

	(void)state;
	pg_clock_init(&clock);
	pg_clock_settle(&clock, 100 * 1000 * 1000);
	hz = (double)(rte_rdtsc() - cycles) * 1e9 / (double)(raw_ns() - ns);
	assert_true(clock.span_ns >= 100 * 1000 * 1000);
	CHECK_NEAR(clock.hz, hz, 0.01, "measured twice");
	CHECK(clock.error_ppm > 0 && clock.error_ppm < 1000, "%f ppm", clock.error_ppm);
	CHECK_NEAR((double)clock.ns_per_cycle / (double)(1ull << 56), 1e9 / clock.hz, 1e-12,
		"the ratio and hz are the same");
	pg_clock_settle(&clock, 1); // settled already: returns at once
	assert_true(clock.span_ns < 10 * S);
}

// A clock of numbers; conversions that would not fit saturate.
static void
test_virtual(void **state)
{
	struct pg_clock clock;

	(void)state;
	pg_clock_virtual(&clock, S);
	assert_true(clock.hz == 1e9 && clock.error_ppm == 0);
	CHECK_U64(pg_clock_ns(&clock, UINT64_MAX), UINT64_MAX, "1 GHz: a cycle is a nanosecond");
	pg_clock_virtual(&clock, 100000000);
	CHECK_U64(pg_clock_ns(&clock, 12345), 123450, "100 MHz");
	CHECK_U64(pg_clock_ns(&clock, UINT64_MAX / 10), UINT64_MAX / 10 * 10, "the last that fit");
	CHECK_U64(pg_clock_ns(&clock, UINT64_MAX), UINT64_MAX, "beyond");
	pg_clock_virtual(&clock, 4000000000);
	CHECK_U64(pg_clock_ns(&clock, UINT64_MAX), UINT64_MAX / 4, "4 GHz");
}

// A later pair never makes the error larger, and none at the same time changes anything.
static void
test_refine(void **state)
{
	struct pg_clock clock, before;

	(void)state;
	pg_clock_init(&clock);
	pg_clock_settle(&clock, 1000000);
	for (int i = 0; i < 1000; i++) {
		before = clock;
		pg_clock_refine(&clock);
		assert_true(clock.error_ppm <= before.error_ppm);
		assert_true(clock.span_ns >= before.span_ns);
	}
	before = clock;
	pg_clock_derive(&clock, clock.first_cycles, clock.first_raw_ns + 5, 0);
	assert_memory_equal(&before, &clock, sizeof(clock));
}

// When a system clock shows a time: now and in a second, within a millisecond.
static void
test_when(void **state)
{
	struct pg_clock clock;
	uint64_t now, cycles, frac, ms;

	(void)state;
	pg_clock_init(&clock);
	pg_clock_settle(&clock, 10000000);
	ms = pg_clock_cycles(&clock, 1000000, &frac);
	now = pg_clock_monotonic_ns();
	cycles = rte_rdtsc();
	for (int64_t off = -(int64_t)S; off <= (int64_t)S; off += S) {
		uint64_t at = pg_clock_when(&clock, CLOCK_MONOTONIC, now + off);
		int64_t want = off * (int64_t)ms / 1000000;

		CHECK(llabs((int64_t)(at - cycles) - want) < 50 * (int64_t)ms, "off by %lld",
			(long long)((int64_t)(at - cycles) - want));
	}
}

static void
test_now(void **state)
{
	uint64_t a = pg_clock_monotonic_ns(), b = pg_clock_monotonic_ns();
	uint64_t wall = pg_clock_wall_ns() / S, now = (uint64_t)time(NULL);
	struct timespec ts;

	(void)state;
	assert_true(b >= a);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	assert_in_range(b / S, (uint64_t)ts.tv_sec - 2, (uint64_t)ts.tv_sec);
	assert_in_range(wall, now - 2, now + 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derive_ratio),
		cmocka_unit_test(test_derive_error),
		cmocka_unit_test(test_ns_edges),
		cmocka_unit_test(test_cycles_edges),
		cmocka_unit_test(test_cycles_ratio),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_virtual),
		cmocka_unit_test(test_refine),
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_now),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
