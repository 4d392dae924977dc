/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter-based random numbers. All keys are fixed, so a result is the same in every run; the
 * bounds of the chi-square tests are six standard deviations wide. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "pg_random.h"

#define DRAWS (1u << 20)

static const char *const streams[] = {"eth0", "eth0@0", "eth0@1", "net_null0", ""};
static const uint64_t seeds[] = {0, 1, 2, 0x8000000000000000u, UINT64_MAX, 20240607};

// Vectors of SplitMix64 for seed 1234567 (Vigna's splitmix64.c, as printed by Rosetta Code).
static void
test_mix_vectors(void **state)
{
	static const uint64_t want[] = {6457827717110365317u, 3203168211198807973u,
		9817491932198370423u, 4593380528125082431u, 16408922859458223821u};

	(void)state;
	for (size_t i = 0; i < DIM(want); i++)
		CHECK_U64(pg_mix64(1234567 + (i + 1) * 0x9e3779b97f4a7c15u), want[i], "row %zu", i);
}

// The inverse of an odd factor modulo 2^64, by Newton's iteration.
static uint64_t
inverse(uint64_t factor)
{
	uint64_t x = factor;

	for (int i = 0; i < 6; i++)
		x *= 2 - factor * x;
	return x;
}

static uint64_t
unshift(uint64_t y, unsigned int shift)
{
	uint64_t x = y;

	for (unsigned int done = shift; done < 64; done += shift)
		x = y ^ (x >> shift);
	return x;
}

static uint64_t
unmix64(uint64_t y)
{
	y = unshift(y, 31) * inverse(0x94d049bb133111ebu);
	y = unshift(y, 27) * inverse(0xbf58476d1ce4e5b9u);
	return unshift(y, 30);
}

static uint32_t
unrandom_32(uint32_t a, uint32_t b, uint32_t y)
{
	y = (uint32_t)unshift(y, 14) * (uint32_t)inverse(0x31848babu);
	y = ((uint32_t)unshift(y, 15) ^ a) * (uint32_t)inverse(0xac4c1b51u);
	y = ((uint32_t)unshift(y, 11) - b) * (uint32_t)inverse(0xed5ad4bbu);
	return (uint32_t)unshift(y, 17) ^ a;
}

// What has an inverse takes every value once: over a block of 2^32 no value is missing.
static void
test_bijections(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (uint32_t i = 0; i < DRAWS; i++) {
		uint64_t x = support_draw(&seed), keys = support_draw(&seed);
		uint32_t a = (uint32_t)keys, b = (uint32_t)(keys >> 32), narrow = (uint32_t)x;

		assert_true(unmix64(pg_mix64(x)) == x);
		assert_true(unrandom_32(a, b, pg_random_32(a, b, narrow)) == narrow);
	}
}

static uint32_t
draw_32(const struct pg_key *key, uint64_t i)
{
	uint32_t a, b;

	pg_key_block(key, i, &a, &b);
	return pg_random_32(a, b, (uint32_t)i);
}

static void
test_same_key_same_values(void **state)
{
	(void)state;
	for (size_t s = 0; s < DIM(seeds); s++) {
		for (uint32_t field = 0; field < 5; field++) {
			struct pg_key a = pg_key_make(seeds[s], "eth0", field);
			struct pg_key b = pg_key_make(seeds[s], "eth0", field);

			assert_true(a.wide == b.wide && a.a == b.a && a.b == b.b);
			for (uint64_t i = 0; i < 1000; i++) {
				assert_true(pg_random_64(&a, i) == pg_random_64(&b, i));
				assert_true(draw_32(&a, i) == draw_32(&b, i));
			}
		}
	}
}

static void
check_chi_square(const uint32_t *cells, size_t n, double draws, const char *what)
{
	double expected = draws / (double)n, sum = 0, df = (double)n - 1;

	for (size_t i = 0; i < n; i++) {
		double off = cells[i] - expected;

		sum += off * off / expected;
	}
	CHECK(fabs(sum - df) <= 6 * sqrt(2 * df), "%s: chi-square %.1f at %.0f degrees of freedom",
		what, sum, df);
}

// Single values: the top bits, as shifting takes them, and a scaled range of 1000.
static void
test_values_are_even(void **state)
{
	static uint32_t cells[6][1000];

	(void)state;
	for (size_t s = 0; s < DIM(seeds); s++) {
		struct pg_key key = pg_key_make(seeds[s], "net_null0", (uint32_t)s % 5);

		memset(cells, 0, sizeof(cells));
		for (uint64_t i = 0; i < DRAWS; i++) {
			uint32_t narrow = draw_32(&key, i);
			uint64_t wide = pg_random_64(&key, i);

			cells[0][narrow >> 24]++;
			cells[1][(uint64_t)narrow * 1000 >> 32]++;
			cells[2][wide >> 56]++;
			cells[3][(unsigned __int128)wide * 1000 >> 64]++;
			cells[4][narrow & 255]++;
			cells[5][wide & 255]++;
		}
		check_chi_square(cells[0], 256, DRAWS, "32 bits, top 8");
		check_chi_square(cells[1], 1000, DRAWS, "32 bits, scaled to 1000");
		check_chi_square(cells[2], 256, DRAWS, "64 bits, top 8");
		check_chi_square(cells[3], 1000, DRAWS, "64 bits, scaled to 1000");
		check_chi_square(cells[4], 256, DRAWS, "32 bits, low 8");
		check_chi_square(cells[5], 256, DRAWS, "64 bits, low 8");
	}
}

// Values of two sequences, side by side, fall evenly into 16 x 16 cells, and are hardly ever equal.
static void
check_independent(const struct pg_key *x, uint64_t from_x, const struct pg_key *y, uint64_t from_y,
	const char *what)
{
	uint32_t narrow[256] = {0}, wide[256] = {0};
	unsigned int equal = 0;
	const uint32_t draws = DRAWS / 4;

	for (uint64_t i = 0; i < draws; i++) {
		uint32_t a = draw_32(x, from_x + i), b = draw_32(y, from_y + i);
		uint64_t c = pg_random_64(x, from_x + i), d = pg_random_64(y, from_y + i);

		narrow[a >> 28 << 4 | b >> 28]++;
		wide[c >> 60 << 4 | d >> 60]++;
		equal += (a == b) + (c == d);
	}
	// 2^18 draws of 2^32 values: 0.00006 equal ones are expected.
	CHECK(equal <= 2, "%s: %u equal values", what, equal);
	check_chi_square(narrow, 256, draws, what);
	check_chi_square(wide, 256, draws, what);
}

static void
test_fields_differ(void **state)
{
	char what[64];

	(void)state;
	for (uint32_t f = 0; f < 5; f++) {
		for (uint32_t g = f + 1; g < 5; g++) {
			struct pg_key x = pg_key_make(1, "net_null0", f);
			struct pg_key y = pg_key_make(1, "net_null0", g);

			snprintf(what, sizeof(what), "fields %u and %u", f, g);
			check_independent(&x, 0, &y, 0, what);
		}
	}
}

static void
test_seeds_differ(void **state)
{
	char what[64];

	(void)state;
	for (size_t s = 0; s + 1 < DIM(seeds); s++) {
		struct pg_key x = pg_key_make(seeds[s], "net_null0", 3);
		struct pg_key y = pg_key_make(seeds[s + 1], "net_null0", 3);

		snprintf(what, sizeof(what), "seeds of rows %zu and %zu", s, s + 1);
		check_independent(&x, 0, &y, 0, what);
	}
}

static void
test_streams_differ(void **state)
{
	char what[64];

	(void)state;
	for (size_t s = 0; s < DIM(streams); s++) {
		for (size_t t = s + 1; t < DIM(streams); t++) {
			struct pg_key x = pg_key_make(1, streams[s], 0);
			struct pg_key y = pg_key_make(1, streams[t], 0);

			snprintf(what, sizeof(what), "streams '%s' and '%s'", streams[s],
				streams[t]);
			check_independent(&x, 0, &y, 0, what);
		}
	}
}

static void
test_neighbours_differ(void **state)
{
	struct pg_key key = pg_key_make(1, "net_null0", 0);

	(void)state;
	check_independent(&key, 0, &key, 1, "a packet and the next");
	check_independent(&key, 0, &key, 2, "a packet and the one after the next");
	check_independent(&key, 0, &key, 65536, "a packet and the one 65536 later");
}

// The 32-bit generator starts a new block at 2^32: no step is seen there and no value repeats.
static void
test_block_boundary(void **state)
{
	const uint64_t block = 1ull << 32;
	struct pg_key key = pg_key_make(1, "net_null0", 2);
	uint32_t cells[256] = {0}, a, b;

	(void)state;
	pg_key_block(&key, block - 1, &a, &b);
	assert_true(a == key.a && b == key.b);
	pg_key_block(&key, block, &a, &b);
	assert_true(a != key.a && b != key.b);
	for (uint64_t i = block - DRAWS / 2; i < block + DRAWS / 2; i++)
		cells[draw_32(&key, i) >> 24]++;
	check_chi_square(cells, 256, DRAWS, "around the boundary");
	check_independent(&key, 0, &key, block, "blocks 0 and 1");
	check_independent(&key, block, &key, 2 * block, "blocks 1 and 2");
	check_independent(&key, 5 * block, &key, UINT64_MAX - DRAWS, "block 5 and the last");
}

// 65536 values, 2^21 draws: the expected number of values missed is 65536 / e^32.
static void
test_every_port_is_reached(void **state)
{
	static uint8_t seen[2][65536];
	struct pg_key key = pg_key_make(7, "net_null0", 1);
	unsigned int missing = 0;

	(void)state;
	for (uint64_t i = 0; i < 2 * DRAWS; i++) {
		seen[0][draw_32(&key, i) >> 16] = 1;
		seen[1][pg_random_64(&key, i) >> 48] = 1;
	}
	for (size_t v = 0; v < 65536; v++)
		missing += !seen[0][v] + !seen[1][v];
	assert_int_equal(missing, 0);
}

static int
compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct pg_key));
}

// 6 seeds, 5 streams, 32 fields: 960 keys, all different in every part.
static void
test_keys_differ(void **state)
{
	static struct pg_key keys[DIM(seeds) * DIM(streams) * 32];
	size_t n = 0;

	(void)state;
	for (size_t s = 0; s < DIM(seeds); s++) {
		for (size_t t = 0; t < DIM(streams); t++) {
			for (uint32_t field = 0; field < 32; field++)
				keys[n++] = pg_key_make(seeds[s], streams[t], field);
		}
	}
	qsort(keys, n, sizeof(keys[0]), compare_keys);
	for (size_t i = 1; i < n; i++)
		assert_true(keys[i].wide != keys[i - 1].wide && keys[i].a != keys[i - 1].a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mix_vectors),
		cmocka_unit_test(test_bijections),
		cmocka_unit_test(test_same_key_same_values),
		cmocka_unit_test(test_values_are_even),
		cmocka_unit_test(test_fields_differ),
		cmocka_unit_test(test_seeds_differ),
		cmocka_unit_test(test_streams_differ),
		cmocka_unit_test(test_neighbours_differ),
		cmocka_unit_test(test_block_boundary),
		cmocka_unit_test(test_every_port_is_reached),
		cmocka_unit_test(test_keys_differ),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
