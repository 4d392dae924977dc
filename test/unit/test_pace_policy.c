/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules in a time that only numbers make: bursts, drawn gaps, what is late, and other rates in
 * between. What is expected comes from arithmetic on whole numbers, or from a list of all times. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "pg_pace.h"

#define S  UINT64_C(1000000000)
#define T0 (UINT64_MAX - 5000) // the counter wraps on the way

typedef unsigned __int128 u128;

static struct pg_clock
make_clock(uint64_t hz)
{
	struct pg_clock clock = {0};

	pg_clock_derive(&clock, hz * 10, 10 * S, 0);
	return clock;
}

static unsigned int
take(struct pg_pace *pace, uint64_t now, uint64_t *due, unsigned int max)
{
	return pg_pace_is_due(pace, now) ? pg_pace_taker(pace)(pace, now, due, NULL, max) : 0;
}

// |gap * rate - 10^9 ns| in cycles is below rate * 2^-64 cycles, for a gap in 2^-64 cycles: so is
// the deviation of packet i below i * 2^-64 cycles, which 10^12 packets leave at 6 * 10^-8.
static void
check_rate(const struct pg_clock *clock, uint64_t rate)
{
	// cycles of a second in 2^-64, as the clock has them: 10^9 * 2^56 * 2^64 / ratio.
	u128 second = ((u128)S << 90) / clock->ns_per_cycle; // 2^-34
	struct pg_pace pace;
	u128 gap, sum;

	pg_pace_init_ratio(&pace, clock, S, rate);
	gap = (u128)pace.gap << 64 | pace.gap_frac;
	// gap * rate in 2^-34 cycles, rounded down on both sides.
	sum = (gap >> 30) * rate + ((gap & 0x3fffffff) * rate >> 30);
	CHECK(sum - second + rate / (1 << 30) + 2 <= 2 * (rate / (1 << 30)) + 4,
		"%llu pps: a second is off by %lld 2^-34 cycles", (unsigned long long)rate,
		(long long)(sum - second));
}

// Every rate up to a million, and then in steps that have no common divisor with anything.
static void
test_every_rate(void **state)
{
	const struct pg_clock clock = make_clock(2445425888);

	(void)state;
	for (uint64_t rate = 1; rate <= 100000; rate++)
		check_rate(&clock, rate);
	for (uint64_t rate = 100000; rate <= 100000000; rate += 997)
		check_rate(&clock, rate);
	for (uint64_t rate = 1; rate <= 100000000; rate *= 10)
		check_rate(&clock, rate);
}

// Packet i of any rate and size is within a cycle of t0 + i / rate, up to 10^12 packets; the exact
// time is a quotient of whole numbers.
static void
test_deviation(void **state)
{
	static const uint64_t rates[] = {1, 3, 7, 10, 100, 999, 1000, 10000, 123457, 1000000,
		1488095, 3000000, 14880952, 33333333, 99999989, 100000000};
	static const uint64_t hertz[] = {1000000000, 2445425888, 3699999989};
	const uint64_t last = 1000000000000;

	(void)state;
	for (size_t k = 0; k < DIM(rates) * DIM(hertz); k++) {
		const struct pg_clock clock = make_clock(hertz[k / DIM(rates)]);
		uint64_t rate = rates[k % DIM(rates)];

		for (uint64_t i = last; i > 0; i /= 3) {
			struct pg_pace pace;
			u128 low, high, got;

			pg_pace_init_ratio(&pace, &clock, S, rate);
			// i * 10^9 * 2^56 / (rate * ratio), in two steps that fit.
			low = (((u128)i * S / rate) << 56) / clock.ns_per_cycle;
			high = (((u128)i * S / rate + 1) << 56) / clock.ns_per_cycle;
			got = (u128)i * pace.gap + ((u128)i * pace.gap_frac >> 64);
			CHECK(got >= low && got <= high + 1, "packet %llu at %llu pps",
				(unsigned long long)i, (unsigned long long)rate);
		}
	}
}

// In bursts: the first at t0, each of `unit` packets at the first one's time, at the same rate.
static void
test_bursts(void **state)
{
	static const unsigned int units[] = {2, 3, 32, 64};
	const struct pg_clock clock = make_clock(S);
	uint64_t due[64];

	(void)state;
	for (size_t u = 0; u < DIM(units); u++) {
		struct pg_pace pace;

		pg_pace_init(&pace, &clock, 100);
		pg_pace_set_burst(&pace, units[u]);
		pg_pace_start(&pace, T0);
		for (uint64_t burst = 0; burst < 100; burst++) {
			uint64_t at = T0 + burst * units[u] * 100;

			assert_int_equal(take(&pace, at - 1, due, units[u]), 0);
			assert_int_equal(take(&pace, at, due, units[u]), units[u]);
			for (unsigned int k = 0; k < units[u]; k++)
				CHECK_U64(due[k], at, "burst %llu", (unsigned long long)burst);
		}
	}
}

// Drawn gaps: mean 1, variance 1, and as many below each decile as there should be; the same again
// from the same key, others from another.
static void
test_poisson(void **state)
{
	enum { N = 1000000 };
	const struct pg_clock clock = make_clock(S);
	struct pg_key keys[] = {pg_key_make(1, "a", 5), pg_key_make(1, "a", 5),
		pg_key_make(2, "a", 5), pg_key_make(1, "b", 5)};
	uint64_t ends[DIM(keys)];

	(void)state;
	for (size_t r = 0; r < DIM(keys); r++) {
		unsigned int below[10] = {0};
		double sum = 0, squares = 0;
		struct pg_pace pace;
		uint64_t due, last = 0;

		pg_pace_init(&pace, &clock, 10000);
		pg_pace_set_random(&pace, &keys[r]);
		pg_pace_start(&pace, 0);
		for (unsigned int i = 0; i <= N; i++) {
			double gap;

			assert_int_equal(take(&pace, pace.due, &due, 1), 1);
			gap = (double)(due - last) / 10000;
			last = due;
			if (i == 0)
				continue;
			sum += gap;
			squares += gap * gap;
			below[(unsigned int)(10 * (1 - exp(-gap))) % 10]++;
		}
		// Five standard deviations: of the mean 1/sqrt(N), of the variance sqrt(8/N).
		CHECK(fabs(sum / N - 1) < 5.0 / 1000, "mean %f", sum / N);
		CHECK(fabs(squares / N - 2) < 5 * sqrt(20.0 / N), "second moment %f", squares / N);
		for (unsigned int k = 0; k < 10; k++)
			CHECK(fabs(below[k] - N / 10.0) < 5 * sqrt(N * 0.09), "decile %u: %u", k,
				below[k]);
		ends[r] = last;
	}
	assert_true(ends[0] == ends[1] && ends[0] != ends[2] && ends[0] != ends[3]);
}

/** A schedule that is looked at again after a while, and what its policy makes of that. */
static const struct {
	enum pg_late_kind late;
	uint64_t max_ns, gap_ns, behind_ns;
	uint64_t skipped, moved, lost, next; /**< next: lateness of the next packet */
} policies[] = {
	// Not late: within the limit, 10 us and a gap.
	{PG_LATE_CATCHUP, 1000000, 1000, 1000000, 0, 0, 0, 1000000},
	{PG_LATE_SKIP, 0, 1000, 10000, 0, 0, 0, 10000},
	{PG_LATE_STRETCH, 0, 1000, 10000, 0, 0, 0, 10000},
	{PG_LATE_SKIP, 0, 1000000, 1000000, 0, 0, 0, 1000000},
	{PG_LATE_STRETCH, 0, 1000000, 999999, 0, 0, 0, 999999},
	// Late.
	{PG_LATE_CATCHUP, 1000000, 1000, 1500000, 0, 500000, 500, 1000000},
	{PG_LATE_CATCHUP, 0, 1000, 1500000, 0, 1490000, 1490, 10000},
	{PG_LATE_SKIP, 0, 1000, 1500000, 1500, 0, 0, 0},
	{PG_LATE_SKIP, 0, 1000, 1500999, 1500, 0, 0, 999},
	{PG_LATE_SKIP, 0, 1000000, 3500000, 3, 0, 0, 500000},
	{PG_LATE_STRETCH, 0, 1000, 1500000, 0, 1500000, 1500, 0},
	{PG_LATE_STRETCH, 0, 1000000, 2500000, 0, 2500000, 2, 0},
};

static void
test_late(void **state)
{
	const struct pg_clock clock = make_clock(S);

	(void)state;
	for (size_t i = 0; i < DIM(policies); i++) {
		struct pg_pace pace;
		uint64_t now = T0 + policies[i].behind_ns, skipped = 0;

		pg_pace_init(&pace, &clock, policies[i].gap_ns);
		pg_pace_set_late(&pace, &clock, policies[i].late, policies[i].max_ns, 0);
		pg_pace_start(&pace, T0);
		CHECK((policies[i].skipped + policies[i].moved > 0) == pg_pace_is_late(&pace, now),
			"row %zu", i);
		if (pg_pace_is_late(&pace, now))
			skipped = pg_pace_late(&pace, now, 0, UINT64_MAX);
		CHECK_U64(skipped, policies[i].skipped, "skipped, row %zu", i);
		CHECK_U64(pace.skipped, policies[i].skipped, "in its account, row %zu", i);
		CHECK_U64(pace.moved, policies[i].moved, "moved, row %zu", i);
		CHECK_U64(pace.moves, policies[i].moved > 0, "moves, row %zu", i);
		CHECK_U64(pg_pace_missed(&pace, now, 0) - pg_pace_owed(&pace, now, 0),
			policies[i].lost, "lost, row %zu", i);
		CHECK(now - pace.due <= policies[i].next && now - pace.due + 1 >= policies[i].next,
			"next one is late by %llu, row %zu", (unsigned long long)(now - pace.due),
			i);
	}
}

// Never more than the count has left; and whole bursts.
static void
test_skip_limits(void **state)
{
	const struct pg_clock clock = make_clock(S);
	struct pg_pace pace;

	(void)state;
	pg_pace_init(&pace, &clock, 1000);
	pg_pace_set_late(&pace, &clock, PG_LATE_SKIP, 0, 0);
	pg_pace_start(&pace, T0);
	CHECK_U64(pg_pace_late(&pace, T0 + 1000000, 0, 7), 7, "all that are left");
	pg_pace_init(&pace, &clock, 1000);
	pg_pace_set_burst(&pace, 32);
	pg_pace_set_late(&pace, &clock, PG_LATE_SKIP, 0, 0);
	pg_pace_start(&pace, T0);
	CHECK(!pg_pace_is_late(&pace, T0 + 32000), "a burst is not late before the next one");
	CHECK_U64(pg_pace_late(&pace, T0 + 100000, 0, 1000), 96, "three bursts");
}

/** A schedule as a list of times: segments of one gap each, in 2^-64 cycles from T0. */
struct reference {
	u128 next; /**< of the next packet */
	u128 gap, last;
	uint64_t packets; /**< whose time was up to now */
};

static void
advance(struct reference *ref, uint64_t now)
{
	// All with floor(time) <= now.
	if ((uint64_t)(ref->next >> 64) <= now) {
		u128 span = ((u128)(now + 1) << 64) - 1 - ref->next;
		uint64_t n = (uint64_t)(span / ref->gap) + 1;

		ref->packets += n;
		ref->last = ref->next + ref->gap * (n - 1);
		ref->next += ref->gap * n;
	}
}

static void
change(struct reference *ref, uint64_t now, u128 gap)
{
	u128 at = (u128)now << 64;

	advance(ref, now);
	ref->gap = gap;
	if (ref->last + gap >= at)
		ref->next = ref->last + gap;
	else
		ref->next = at;
}

// 10^4 changes of the rate, at any time, with looks at the clock in between that come early, on
// time and late: what was taken, what is owed, skipped and lost are together all packets whose
// time came.
static void
test_changes(void **state)
{
	const struct pg_clock clock = make_clock(2445425888);
	static const enum pg_late_kind lates[] = {PG_LATE_CATCHUP, PG_LATE_SKIP, PG_LATE_STRETCH};
	uint64_t seed = 7;

	(void)state;
	for (size_t l = 0; l < DIM(lates); l++) {
		struct reference ref = {.gap = 0};
		struct pg_pace pace, next;
		uint64_t now = 0, taken = 0, due[64];
		unsigned int n;

		pg_pace_init_ratio(&pace, &clock, S, 1000000);
		pg_pace_set_late(&pace, &clock, lates[l], S, 0);
		pg_pace_start(&pace, T0);
		ref.gap = (u128)pace.gap << 64 | pace.gap_frac;
		for (unsigned int i = 0; i < 10000; i++) {
			uint64_t rate = 1 + support_draw(&seed) % (i % 3 == 0 ? 100000000 : 100000);

			for (unsigned int look = support_draw(&seed) % 20; look > 0; look--) {
				now += support_draw(&seed) % 3000;
				while ((n = take(&pace, T0 + now, due, 64)) > 0)
					taken += n;
			}
			now += support_draw(&seed) % 3000;
			if (i % 2 == 0) // nothing is owed when the rate changes
				while ((n = take(&pace, T0 + now, due, 64)) > 0)
					taken += n;
			pg_pace_init_ratio(&next, &clock, S, rate);
			pg_pace_set_late(&next, &clock, lates[l], S, 0);
			pg_pace_change(&pace, &next, T0 + now, 0);
			change(&ref, now, (u128)next.gap << 64 | next.gap_frac);
			CHECK_U64(taken + pg_pace_missed(&pace, T0 + now, 0) + pace.skipped,
				ref.packets + ((uint64_t)(ref.next >> 64) <= now), "change %u", i);
		}
	}
}

// Bursts that never come, after others and before others; and those of a new rate come so many of
// its gaps behind the last one, as they have packets.
static void
test_bursts_change(void **state)
{
	static const unsigned int units[] = {1, 2, 32, 512};
	const struct pg_clock clock = make_clock(S);
	uint64_t due[512];

	(void)state;
	for (size_t u = 0; u < DIM(units); u++) {
		struct pg_pace pace, never, fast;

		pg_pace_init(&pace, &clock, 1000000);
		pg_pace_set_burst(&pace, units[u]);
		pg_pace_set_late(&pace, &clock, PG_LATE_CATCHUP, S, 0);
		pg_pace_start(&pace, T0);
		assert_int_equal(take(&pace, T0, due, units[u]), units[u]);
		pg_pace_init(&never, &clock, PG_PACE_NEVER);
		pg_pace_set_burst(&never, units[u]);
		pg_pace_set_late(&never, &clock, PG_LATE_CATCHUP, S, 0);
		// It is owed one burst when the rate changes, and that still leaves.
		assert_int_equal(pg_pace_change(&pace, &never, T0 + units[u] * 1000000, 0), 0);
		assert_int_equal(take(&pace, T0 + units[u] * 1000000, due, units[u]), units[u]);
		assert_false(pg_pace_is_due(&pace, T0 + (uint64_t)INT64_MAX / 4));
		pg_pace_init(&fast, &clock, 10);
		pg_pace_set_burst(&fast, units[u]);
		pg_pace_set_late(&fast, &clock, PG_LATE_CATCHUP, S, 0);
		pg_pace_change(&pace, &fast, T0 + units[u] * 1000000 + 1, 0);
		CHECK_U64(pace.due - T0, units[u] * UINT64_C(1000010), "%u", units[u]);
	}
}

// Nothing is owed before the first packet, one from its time on, and so forth.
static void
test_owed(void **state)
{
	const struct pg_clock clock = make_clock(S);
	struct pg_pace pace;

	(void)state;
	pg_pace_init(&pace, &clock, 1000);
	pg_pace_start(&pace, T0);
	CHECK_U64(pg_pace_owed(&pace, T0 - 1, 0), 0, "before");
	CHECK_U64(pg_pace_owed(&pace, T0, 0), 1, "the first");
	CHECK_U64(pg_pace_owed(&pace, T0 + 999, 0), 1, "still the first");
	CHECK_U64(pg_pace_owed(&pace, T0 + 1000, 0), 2, "the second");
	CHECK_U64(pg_pace_owed(&pace, T0 + 999999, 0), 1000, "a thousand");
	pg_pace_set_burst(&pace, 32);
	CHECK_U64(pg_pace_owed(&pace, T0, 0), 32, "a burst");
	CHECK_U64(pg_pace_owed(&pace, T0 + 32000, 0), 64, "two");
	pg_pace_init_bits(&pace, &clock, 8000000000, 0, 0); // 1 ns a byte
	pg_pace_start(&pace, T0);
	CHECK_U64(pg_pace_owed(&pace, T0 + 999, 100), 10, "of 100 bytes");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_rate),
		cmocka_unit_test(test_deviation),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_poisson),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_skip_limits),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_bursts_change),
		cmocka_unit_test(test_owed),
	};

	return cmocka_run_group_tests_name("pace_policy", tests, NULL, NULL);
}
