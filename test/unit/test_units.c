/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <stdlib.h>

#include "pg_units.h"

/** A product of 128 bits as two halves. */
struct wide {
	uint64_t hi, lo;
};

// Schoolbook multiplication on 32-bit digits (Knuth, volume 2, 4.3.1, algorithm M).
static struct wide
multiply(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl, mid1 = ah * bl, mid2 = al * bh;
	uint64_t carry = ((low >> 32) + (uint32_t)mid1 + (uint32_t)mid2) >> 32;

	return (struct wide){ah * bh + (mid1 >> 32) + (mid2 >> 32) + carry, a * b};
}

// Restoring division, one bit at a time; a quotient above 64 bits is UINT64_MAX.
static uint64_t
divide(struct wide n, uint64_t c)
{
	uint64_t rest = 0, quotient = 0;

	if (n.hi >= c)
		return UINT64_MAX;
	for (int bit = 127; bit >= 0; bit--) {
		uint64_t next = bit >= 64 ? n.hi >> (bit - 64) & 1 : n.lo >> bit & 1;
		uint64_t carry = rest >> 63;

		rest = rest << 1 | next;
		quotient <<= 1;
		if (carry || rest >= c) {
			rest -= c;
			quotient |= 1;
		}
	}
	return quotient;
}

static void
check_muldiv(uint64_t a, uint64_t b, uint64_t c)
{
	CHECK_U64(pg_muldiv(a, b, c), divide(multiply(a, b), c), "%llu * %llu / %llu",
		(unsigned long long)a, (unsigned long long)b, (unsigned long long)c);
}

static void
test_muldiv_edges(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(support_edges); i++) {
		for (size_t j = 0; j < DIM(support_edges); j++) {
			for (size_t k = 0; k < DIM(support_edges); k++) {
				if (support_edges[k] != 0)
					check_muldiv(support_edges[i], support_edges[j],
						support_edges[k]);
			}
		}
	}
}

static void
test_muldiv_random(void **state)
{
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t a = support_draw_width(&seed), b = support_draw_width(&seed);
		uint64_t c = support_draw_width(&seed);

		check_muldiv(a, b, c != 0 ? c : 1);
	}
}

static void
test_muldiv_table(void **state)
{
	static const struct {
		uint64_t a, b, c, want;
	} cases[] = {
		{10000000, 1000000000, 232376114, 43033682}, // reference 5.1
		{7, 3, 2, 10},                               // floor(10.5)
		{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
		{UINT64_MAX, 2, 3, 12297829382473034410u},
		{UINT64_MAX, 2, 1, UINT64_MAX},
		{UINT64_MAX, 2, 2, UINT64_MAX},
		{1ull << 63, 2, 1, UINT64_MAX}, // 2^64 exactly: one more than fits
		{(1ull << 63) - 1, 2, 1, UINT64_MAX - 1},
		{0, UINT64_MAX, 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++)
		CHECK_U64(
			pg_muldiv(cases[i].a, cases[i].b, cases[i].c), cases[i].want, "row %zu", i);
}

static void
test_constants(void **state)
{
	(void)state;
	assert_true(PG_NS_PER_S == PG_NS_PER_US * PG_US_PER_S);
	// IEEE 802.3: a 60-byte frame is 64 with its check sequence and takes 84 byte times.
	assert_int_equal(60 + PG_FCS_BYTES, 64);
	assert_int_equal(60 + PG_FCS_BYTES + PG_L1_EXTRA_BYTES, 84);
}

// What a text says as a number; its prefix is a power of a thousand.
static double
read_si(const char *text)
{
	static const struct {
		char prefix;
		double scale;
	} prefixes[] = {{'\0', 1}, {' ', 1}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
	char *end;
	double mantissa = strtod(text, &end);

	while (end[0] == ' ' && end[1] != '\0')
		end++;
	for (size_t i = 0; i < DIM(prefixes); i++) {
		if (*end == prefixes[i].prefix)
			return mantissa * prefixes[i].scale;
	}
	fail_msg("\"%s\" has no metric prefix", text);
	return 0;
}

// Rounded to three decimals of the prefix's unit: off by half of the last digit at most.
static void
test_si_value(void **state)
{
	static const double values[] = {0, 0.001, 0.5, 1, 9.5, 60, 999, 999.999, 999.9996, 1000,
		1001, 14880952, 14880952.38, 999999, 999999.9999, 1e6, 20656167360, 9.5e9,
		999999999999.0, 1e12, 123456789012345.0};
	char text[32];

	(void)state;
	for (size_t i = 0; i < DIM(values); i++) {
		double value = values[i], got, scale = 1;

		assert_ptr_equal(pg_units_si(value, text, sizeof(text)), text);
		got = read_si(text);
		while (scale < 1e12 && value >= scale * 1000)
			scale *= 1000;
		CHECK(got - value <= scale * 0.000501 && value - got <= scale * 0.000501,
			"%.17g became \"%s\"", value, text);
		CHECK(strtod(text, NULL) < 1000 || value >= 1e15, "%.17g became \"%s\"", value,
			text);
	}
}

// The examples of pg_units.h; a unit may be appended, so a blank at the end does not count.
static void
test_si_examples(void **state)
{
	static const struct {
		double value;
		const char *want;
	} cases[] = {{14881000, "14.881 M"}, {9.5e9, "9.5 G"}, {60, "60"}, {1500, "1.5 k"}};
	char text[32];

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		size_t length = strlen(pg_units_si(cases[i].value, text, sizeof(text)));

		while (length > 0 && text[length - 1] == ' ')
			text[--length] = '\0';
		CHECK_TEXT(text, cases[i].want, "row %zu", i);
	}
}

static void
test_si_fits(void **state)
{
	char text[8];

	(void)state;
	for (size_t size = 1; size < sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		pg_units_si(123456789, text, size);
		assert_int_equal(strlen(text), size - 1);
		assert_int_equal(text[size], '#');
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_muldiv_table),
		cmocka_unit_test(test_muldiv_edges),
		cmocka_unit_test(test_muldiv_random),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_si_value),
		cmocka_unit_test(test_si_examples),
		cmocka_unit_test(test_si_fits),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
