/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule: packet i is due at t0 + i * gap, for any i, with the fraction of a cycle carried.
 */
#include "support.h"

#include "pg_pace.h"

#define S  UINT64_C(1000000000)
#define T0 UINT64_C(123456789012345)

/** Cycles of one second. */
static const uint64_t rates[] = {
	1000000000, 2445000000, 2444999931, 3700000000, 4999999999, 800000000, 25000000};

static const uint64_t gaps[] = {1, 2, 3, 7, 10, 48, 67, 333, 480, 999, 1000, 1001, 1211, 3333, 4800,
	65537, 999999, 1000000, 12345678, 100000007, S};

static const uint64_t indexes[] = {0, 1, 2, 3, 10, 31, 32, 1000, 65535, 1000000, 123456789,
	1ull << 32, 99999999999, 1000000000000};

static const uint32_t *
next_lengths(void *ctx, unsigned int n)
{
	const uint32_t *const *bytes = ctx;

	(void)n;
	return *bytes;
}

static unsigned int
take_sizes(
	struct pg_pace *pace, uint64_t now, uint64_t *due, const uint32_t *bytes, unsigned int max)
{
	const struct pg_pace_lengths lengths = {next_lengths, &bytes};

	return pg_pace_is_due(pace, now) ? pg_pace_taker(pace)(pace, now, due, &lengths, max) : 0;
}

static unsigned int
take(struct pg_pace *pace, uint64_t now, uint64_t *due, unsigned int max)
{
	return take_sizes(pace, now, due, NULL, max);
}

static struct pg_clock
make_clock(uint64_t hz)
{
	struct pg_clock clock = {0};

	pg_clock_derive(&clock, hz * 10, 10 * S, 0);
	return clock;
}

// floor(i * ns / ns_per_cycle), the exact time of packet i; below 2^126 for what is used here.
static uint64_t
exact(const struct pg_clock *clock, uint64_t i, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)i * ns << PG_CLOCK_SHIFT) / clock->ns_per_cycle);
}

// Jump to packet i as i additions of the gap would.
static void
jump(struct pg_pace *pace, uint64_t i)
{
	unsigned __int128 frac = (unsigned __int128)i * pace->gap_frac + pace->due_frac;

	pace->due += i * pace->gap + (uint64_t)(frac >> 64);
	pace->due_frac = (uint64_t)frac;
}

static void
check_due(uint64_t got, uint64_t want, uint64_t i, uint64_t ns, uint64_t hz)
{
	// The fraction is cut to 2^-64 cycles: after 10^12 packets it is short by far less than
	// one.
	CHECK(got == want || got + 1 == want, "packet %llu at %llu ns, %llu Hz: %llu, not %llu",
		(unsigned long long)i, (unsigned long long)ns, (unsigned long long)hz,
		(unsigned long long)got, (unsigned long long)want);
}

static void
test_jumps_are_exact(void **state)
{
	(void)state;
	for (size_t r = 0; r < DIM(rates); r++) {
		struct pg_clock clock = make_clock(rates[r]);

		for (size_t g = 0; g < DIM(gaps); g++) {
			for (size_t k = 0; k < DIM(indexes); k++) {
				struct pg_pace pace;

				pg_pace_init(&pace, &clock, gaps[g]);
				pg_pace_start(&pace, T0);
				jump(&pace, indexes[k]);
				check_due(pace.due - T0, exact(&clock, indexes[k], gaps[g]),
					indexes[k], gaps[g], rates[r]);
			}
		}
	}
}

// Step by step, from the start and from a jump to 10^12.
static void
test_steps_are_exact(void **state)
{
	static const uint64_t from[] = {0, 1000000000000};

	(void)state;
	for (size_t r = 0; r < DIM(rates); r++) {
		struct pg_clock clock = make_clock(rates[r]);

		for (size_t g = 0; g < DIM(gaps) * DIM(from); g++) {
			uint64_t ns = gaps[g / DIM(from)], first = from[g % DIM(from)], due[32];
			struct pg_pace pace;

			pg_pace_init(&pace, &clock, ns);
			pg_pace_start(&pace, T0);
			jump(&pace, first);
			for (uint64_t i = 0; i < 1024; i += 32) {
				uint64_t now = pace.due + (1ull << 62); // time has no end here

				assert_int_equal(take(&pace, now, due, 32), 32);
				for (unsigned int k = 0; k < 32; k++)
					check_due(due[k] - T0, exact(&clock, first + i + k, ns),
						first + i + k, ns, rates[r]);
			}
		}
	}
}

// What is due is taken, no more: before, at and after each packet's time.
static void
test_take_what_is_due(void **state)
{
	struct pg_clock clock = make_clock(2445000000);
	struct pg_pace pace;
	uint64_t due[8];

	(void)state;
	pg_pace_init(&pace, &clock, 1000);
	pg_pace_start(&pace, T0);
	assert_int_equal(take(&pace, T0 - 1, due, 8), 0);
	assert_int_equal(take(&pace, T0, due, 8), 1);
	assert_true(due[0] == T0);
	assert_int_equal(take(&pace, T0, due, 8), 0);
	for (uint64_t i = 1; i < 1000; i++) {
		uint64_t at = pace.due;

		assert_int_equal(take(&pace, at - 1, due, 8), 0);
		assert_int_equal(take(&pace, at, due, 8), 1);
		assert_true(due[0] == at);
		check_due(at - T0, exact(&clock, i, 1000), i, 1000, 2445000000);
	}
}

// After a stall everything missed is due at its own time; the schedule has not moved.
static void
test_catch_up(void **state)
{
	static const uint64_t stalls[] = {1, 2, 31, 32, 33, 1000, 100000};
	struct pg_clock clock = make_clock(3700000000);
	const uint64_t ns = 333;

	(void)state;
	for (size_t s = 0; s < DIM(stalls); s++) {
		uint64_t now = T0 + exact(&clock, stalls[s], ns), taken = 0, due[32];
		struct pg_pace pace;
		unsigned int n;

		pg_pace_init(&pace, &clock, ns);
		pg_pace_start(&pace, T0);
		while ((n = take(&pace, now, due, 32)) > 0) {
			for (unsigned int k = 0; k < n; k++, taken++)
				check_due(due[k] - T0, exact(&clock, taken, ns), taken, ns,
					3700000000);
			CHECK(n == 32 || taken == stalls[s] + 1, "%u of %llu", n,
				(unsigned long long)taken);
		}
		CHECK_U64(taken, stalls[s] + 1, "stall of %llu", (unsigned long long)stalls[s]);
		check_due(pace.due - T0, exact(&clock, taken, ns), taken, ns, 3700000000);
	}
}

// A gap below one cycle: several packets share a cycle, none is lost.
static void
test_less_than_a_cycle(void **state)
{
	struct pg_clock clock = make_clock(25000000); // 40 ns a cycle
	struct pg_pace pace;
	uint64_t due[64];

	(void)state;
	pg_pace_init(&pace, &clock, 1);
	assert_true(pace.gap == 0);
	pg_pace_start(&pace, T0);
	assert_in_range(take(&pace, T0, due, 64), 40, 41);
	assert_in_range(take(&pace, T0 + 1, due, 64), 39, 41);
	assert_true(due[0] - T0 <= 1);
}

static void
test_limit_of_take(void **state)
{
	struct pg_clock clock = make_clock(1000000000);
	struct pg_pace pace;
	uint64_t due[4] = {7, 7, 7, 7};

	(void)state;
	pg_pace_init(&pace, &clock, 10);
	pg_pace_start(&pace, T0);
	assert_int_equal(take(&pace, T0 + 1000, due, 0), 0);
	assert_true(due[0] == 7 && pace.due == T0);
	assert_int_equal(take(&pace, T0 + 1000, due, 3), 3);
	assert_true(due[0] == T0 && due[1] == T0 + 10 && due[2] == T0 + 20 && due[3] == 7);
	assert_true(pace.due == T0 + 30);
}

static void
test_never(void **state)
{
	const uint64_t years_100 = 100ull * 365 * 86400 * 250000000; // cycles at 250 MHz
	uint64_t due[4];

	(void)state;
	for (size_t r = 0; r < DIM(rates); r++) {
		struct pg_clock clock = make_clock(rates[r]);
		struct pg_pace pace;

		pg_pace_init(&pace, &clock, PG_PACE_NEVER);
		pg_pace_start(&pace, T0);
		assert_int_equal(take(&pace, T0 - 1, due, 4), 0);
		assert_int_equal(take(&pace, T0, due, 4), 0);
		assert_int_equal(take(&pace, T0 + 1, due, 4), 0);
		assert_int_equal(take(&pace, T0 + years_100, due, 4), 0);
	}
}

// Gaps of centuries: the first packet goes at once, the second never in practice.
static void
test_huge_gaps(void **state)
{
	static const uint64_t huge[] = {
		1ull << 62, INT64_MAX, 10000000000000000000u, UINT64_MAX - 1};
	const uint64_t years_30 = 30ull * 365 * 86400 * 1000000000;
	struct pg_clock clock = make_clock(1000000000);
	uint64_t due[4];

	(void)state;
	for (size_t i = 0; i < DIM(huge); i++) {
		struct pg_pace pace;

		pg_pace_init(&pace, &clock, huge[i]);
		pg_pace_start(&pace, T0);
		assert_int_equal(take(&pace, T0, due, 4), 1);
		assert_true(due[0] == T0);
		assert_int_equal(take(&pace, T0 + years_30, due, 4), 0);
	}
}

// A rate as a fraction of ns: ratep 3000000 is a third of a microsecond, not 333 ns.
static void
test_ratio(void **state)
{
	static const uint64_t pps[] = {
		1, 3, 7, 1000, 300000, 3000000, 14880952, 999999999, 1000000007, 1000000000000};
	static const uint64_t at[] = {1, 2, 3, 1000, 1000000, 3000000007, 1000000000000};

	(void)state;
	for (size_t r = 0; r < DIM(rates); r++) {
		struct pg_clock clock = make_clock(rates[r]);

		for (size_t p = 0; p < DIM(pps) * DIM(at); p++) {
			uint64_t i = at[p / DIM(pps)], den = pps[p % DIM(pps)];
			unsigned __int128 whole = (unsigned __int128)i * S / den;
			unsigned __int128 rest = (unsigned __int128)i * S % den;
			// i * S / den ns in two parts, so that nothing leaves 128 bits.
			uint64_t want = (uint64_t)(((whole << PG_CLOCK_SHIFT) +
							   ((rest << PG_CLOCK_SHIFT) / den)) /
						   clock.ns_per_cycle);
			struct pg_pace pace;

			pg_pace_init_ratio(&pace, &clock, S, den);
			pg_pace_start(&pace, T0);
			jump(&pace, i);
			CHECK(pace.due - T0 == want || pace.due - T0 + 1 == want,
				"packet %llu at %llu pps, %llu Hz: %llu, not %llu",
				(unsigned long long)i, (unsigned long long)den,
				(unsigned long long)rates[r], (unsigned long long)(pace.due - T0),
				(unsigned long long)want);
		}
	}
}

// Bits per second over frames of one length: a gap of 8 * (frame + extra) / bps seconds.
static void
test_bits(void **state)
{
	static const struct {
		uint64_t bps;
		uint32_t frame, extra, whole; // ns between packets
	} cases[] = {
		{10000000000, 60, 24, 67}, // 67.2: the line rate of 10 Gbit/s
		{1000000000, 60, 24, 672},
		{100000000, 60, 0, 4800},    // rate 100 of the kernel
		{9500000000, 1514, 4, 1278}, // 12144 bits at 9.5 Gbit/s
		{1, 60, 4, UINT32_MAX},
	};
	struct pg_clock clock = make_clock(1000000000); // cycles are ns

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		uint64_t bits = 8ull * (cases[i].frame + cases[i].extra), n = 1000000007;
		struct pg_pace pace;

		pg_pace_init_bits(&pace, &clock, cases[i].bps, cases[i].frame, cases[i].extra);
		if (cases[i].whole != UINT32_MAX)
			CHECK_U64(pace.gap, cases[i].whole, "row %zu", i);
		pg_pace_start(&pace, T0);
		jump(&pace, n);
		check_due(pace.due - T0, (uint64_t)((unsigned __int128)bits * S * n / cases[i].bps),
			n, i, S);
	}
}

// Frames of different lengths: packet i is due when the bits of all before it have gone.
static void
test_sizes(void **state)
{
	static const uint64_t bps[] = {1000, 1000000, 300000000, 9500000000, 100000000000};
	static const uint32_t extras[] = {0, 4, 24};
	uint64_t seed = 8;

	(void)state;
	for (size_t r = 0; r < DIM(rates) * DIM(bps); r++) {
		struct pg_clock clock = make_clock(rates[r / DIM(bps)]);
		uint64_t rate = bps[r % DIM(bps)], bits = 0, due[32];
		uint32_t extra = extras[r % DIM(extras)], bytes[32];
		struct pg_pace pace;

		pg_pace_init_bits(&pace, &clock, rate, 0, extra);
		pg_pace_start(&pace, T0);
		for (unsigned int i = 0; i < 2000; i += 32) {
			uint64_t now = pace.due + (1ull << 62);

			for (unsigned int k = 0; k < 32; k++)
				bytes[k] = 58 + (uint32_t)(support_draw(&seed) % 1457);
			assert_int_equal(take_sizes(&pace, now, due, bytes, 32), 32);
			for (unsigned int k = 0; k < 32; k++) {
				uint64_t ns = (uint64_t)((unsigned __int128)bits * S / rate);
				uint64_t want = exact(&clock, 1, ns);

				// ns are cut here: up to one ns, in cycles, may be missing.
				CHECK(due[k] - T0 + 1 >= want &&
						due[k] - T0 <=
							want + 1 + rates[r / DIM(bps)] / S + 1,
					"packet %u at %llu bit/s: %llu, not %llu", i + k,
					(unsigned long long)rate, (unsigned long long)(due[k] - T0),
					(unsigned long long)want);
				bits += 8ull * (bytes[k] + extra);
			}
		}
	}
}

// Only what is due; the gap behind a packet is its own.
static void
test_sizes_take(void **state)
{
	struct pg_clock clock = make_clock(1000000000);
	const uint32_t bytes[] = {100, 200, 300, 400};
	struct pg_pace pace;
	uint64_t due[4];

	(void)state;
	pg_pace_init_bits(&pace, &clock, 8000000000, 0, 0); // 1 ns a byte
	pg_pace_start(&pace, T0);
	assert_int_equal(take_sizes(&pace, T0 - 1, due, bytes, 4), 0);
	assert_int_equal(take_sizes(&pace, T0 + 299, due, bytes, 4), 2);
	assert_true(due[0] == T0 && due[1] == T0 + 100 && pace.due == T0 + 300);
	assert_int_equal(take_sizes(&pace, T0 + 299, due, bytes + 2, 2), 0);
	assert_int_equal(take_sizes(&pace, T0 + 10000, due, bytes + 2, 1), 1);
	assert_true(due[0] == T0 + 300 && pace.due == T0 + 600);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jumps_are_exact),
		cmocka_unit_test(test_steps_are_exact),
		cmocka_unit_test(test_take_what_is_due),
		cmocka_unit_test(test_catch_up),
		cmocka_unit_test(test_less_than_a_cycle),
		cmocka_unit_test(test_limit_of_take),
		cmocka_unit_test(test_never),
		cmocka_unit_test(test_huge_gaps),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sizes_take),
	};

	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
