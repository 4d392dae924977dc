/* SPDX-License-Identifier: BSD-3-Clause */
/* The histogram of lateness and gaps, against a sorted list of all values. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "pg_gaps.h"

#define N 20000

// Buckets follow each other without a hole; a value lies in its own, within 1/32 of its start.
static void
test_buckets(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (uint32_t i = 0; i < PG_HIST_BUCKETS; i++) {
		uint64_t from = pg_hist_floor(i);

		CHECK_U64(pg_hist_bucket(from), i, "the first of bucket %u", i);
		if (i > 0)
			CHECK_U64(pg_hist_bucket(from - 1), i - 1, "what is before bucket %u", i);
	}
	for (unsigned int k = 0; k < 100000; k++) {
		uint64_t value = support_draw_width(&seed), from;

		from = pg_hist_floor(pg_hist_bucket(value));
		if (value < UINT64_C(1) << PG_HIST_TOP)
			CHECK(value >= from && value - from <= from / 32,
				"%llu in the bucket of %llu", (unsigned long long)value,
				(unsigned long long)from);
	}
	CHECK_U64(pg_hist_bucket(UINT64_MAX), PG_HIST_BUCKETS - 1, "the largest");
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
check_against(const struct pg_hist *hist, uint64_t *values, size_t n)
{
	static const double shares[] = {0.01, 0.5, 0.9, 0.99, 0.999, 1};

	qsort(values, n, sizeof(values[0]), compare);
	CHECK_U64(pg_hist_total(hist), n, "values");
	CHECK_U64(hist->max, values[n - 1], "the largest");
	for (size_t i = 0; i < DIM(shares); i++) {
		double want = (double)values[(size_t)ceil(shares[i] * (double)n) - 1];
		double got = pg_hist_quantile(hist, shares[i]);

		CHECK(fabs(got - want) <= 1 + want / 16, "quantile %f: %f, not %f", shares[i], got,
			want);
	}
	for (uint64_t limit = 1; limit < UINT64_C(1) << 41; limit *= 3) {
		size_t below = 0, near = 0;

		for (size_t i = 0; i < n; i++) {
			below += values[i] < limit;
			near += values[i] >= limit - limit / 32 - 1 &&
				values[i] <= limit + limit / 32;
		}
		CHECK(fabs(pg_hist_share(hist, (double)limit) - (double)below / (double)n) <=
				(double)near / (double)n + 1e-9,
			"below %llu: %f, not %zu of %zu", (unsigned long long)limit,
			pg_hist_share(hist, (double)limit), below, n);
	}
}

static void
test_quantiles(void **state)
{
	static uint64_t values[N];
	uint64_t seed = 11;

	(void)state;
	for (unsigned int bits = 4; bits <= 40; bits += 6) {
		struct pg_hist *hist = calloc(1, sizeof(*hist));

		assert_non_null(hist);
		for (size_t i = 0; i < N; i++) {
			values[i] = support_draw(&seed) >> (64 - bits);
			pg_hist_add(hist, values[i], 1);
		}
		check_against(hist, values, N);
		free(hist);
	}
}

static void
test_empty(void **state)
{
	static const struct pg_hist none;

	(void)state;
	assert_true(pg_hist_total(&none) == 0 && pg_hist_quantile(&none, 0.5) == 0 &&
		    pg_hist_share(&none, 1) == 1);
}

// Calls of any number of packets, with their times: lateness of each packet, a gap of each call.
static void
test_notes(void **state)
{
	static uint64_t late[64 * N], gap[N];
	struct pg_gaps *gaps = calloc(1, sizeof(*gaps));
	struct pg_clock clock = {0};
	struct pg_gaps_result result;
	uint64_t seed = 5, now = UINT64_MAX - 1000000, due[64], last = 0; // it wraps
	size_t packets = 0, calls = 0;

	(void)state;
	assert_non_null(gaps);
	pg_clock_derive(&clock, 1000000000, 1000000000, 0); // 1 ns a cycle
	for (size_t i = 0; i < N; i++) {
		unsigned int n = support_draw(&seed) % 65;

		now += 1 + support_draw(&seed) % 5000;
		for (unsigned int k = n; k-- > 0;)
			due[k] = (k + 1 < n ? due[k + 1] : now) - support_draw(&seed) % 300;
		for (unsigned int k = 0; k < n; k++)
			late[packets++] = now - due[k];
		if (n > 0 && last != 0)
			gap[calls - 1] = now - last;
		calls += n > 0;
		last = n > 0 ? now : last;
		pg_gaps_note(gaps, due, now, n);
	}
	check_against(&gaps->late, late, packets);
	check_against(&gaps->gap, gap, calls - 1);
	pg_gaps_result(gaps, &clock, &result);
	CHECK_U64(result.packets, packets, "packets");
	CHECK_U64(result.calls, calls, "calls");
	CHECK_NEAR(result.back_to_back, (double)(packets - calls) / (double)packets, 1e-12,
		"back to back");
	CHECK(fabs(result.late_max_ns - (double)late[packets - 1]) < 1, "%f", result.late_max_ns);
	for (unsigned int i = 0; i < PG_GAPS_LIMITS; i++)
		CHECK(fabs(result.within[i] - pg_hist_share(&gaps->late, pg_gaps_limit_ns[i])) <
				1e-12,
			"within %u ns", pg_gaps_limit_ns[i]);
	free(gaps);
}

// Looks at the clock while waiting, too far apart: the thread was away. Work in between is not.
static void
test_absences(void **state)
{
	struct pg_gaps *gaps = calloc(1, sizeof(*gaps));

	(void)state;
	assert_non_null(gaps);
	gaps->absent_min = 1000;
	pg_gaps_poll(gaps, 5000000, true);
	pg_gaps_poll(gaps, 5001000, true); // not too far
	pg_gaps_poll(gaps, 5002001, true);
	pg_gaps_poll(gaps, 5002002, false); // something was due
	pg_gaps_poll(gaps, 6000000, true);  // a long turn
	pg_gaps_poll(gaps, 6005000, false); // was away when it was due
	pg_gaps_poll(gaps, 7000000, false);
	CHECK_U64(gaps->absences, 2, "absences");
	CHECK_U64(gaps->absent_cycles, 1001 + 5000, "cycles");
	free(gaps);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_absences),
	};

	return cmocka_run_group_tests_name("gaps", tests, NULL, NULL);
}
