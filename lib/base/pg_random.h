/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_RANDOM_H
#define PG_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Counter-based random numbers (DESIGN 5): the value for packet i is a function of a key and of i,
 * so any packet can be made without those before it and a run repeats from its seed. */

/** The key of one varying field of one stream. */
struct pg_key {
	uint64_t wide; /**< for pg_random_64() */
	uint32_t a, b; /**< for pg_random_32() */
};

/** Steele, Lea, Flood: the finaliser of SplitMix64 ("Fast splittable pseudorandom number
 *  generators", OOPSLA 2014), variant 13 of Stafford's constants. A bijection. */
static inline uint64_t
pg_mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/** 64 random bits for packet i. */
static inline uint64_t
pg_random_64(const struct pg_key *key, uint64_t i)
{
	return pg_mix64(pg_mix64(i + key->wide) + key->wide);
}

/** 32 random bits for packet i of a block of 2^32; over the block every value comes once.
 *  Source:  three xor-shift and multiply rounds with Wellons' constants ("triple32"), keyed before
 *  each multiplication so that two fields are not each other's permutation by an exclusive or.
 *  Two rounds cost less, but neighbouring packets and some pairs of fields then depend on each
 * other measurably (chi-square over 8 x 8 bits of 4 million packets). */
static inline uint32_t
pg_random_32(uint32_t a, uint32_t b, uint32_t i)
{
	uint32_t x = i ^ a;

	x ^= x >> 17;
	x *= 0xed5ad4bbU;
	x += b;
	x ^= x >> 11;
	x *= 0xac4c1b51U;
	x ^= a;
	x ^= x >> 15;
	x *= 0x31848babU;
	return x ^ (x >> 14);
}

/** Bits that hold 0 .. n - 1. Units: 1 <= n <= 2^32. */
static inline unsigned int
pg_permute_bits(uint64_t n)
{
	unsigned int bits = 1;

	while (UINT64_C(1) << bits < n)
		bits++;
	return bits;
}

/** A keyed permutation of the numbers of `bits` bits (1 to 32): rounds of the same kind as
 *  pg_random_32(), each a bijection, cut to the bits. With many bits 32 bits of key are plenty;
 * with few they are spread over the rounds. A number that is not below the n that is wanted goes
 * through it again (Black and Rogaway: cycle walking), less than twice on average. */
static inline uint32_t
pg_permute_once(uint32_t x, uint32_t key, unsigned int bits)
{
	const uint32_t mask = UINT32_MAX >> (32 - bits);
	const unsigned int half = (bits + 1) / 2;

	x = (x + key) & mask;
	x ^= x >> half;
	x = (x * 0xed5ad4bbU + (key >> 16)) & mask;
	x ^= x >> half;
	x = (x * 0xac4c1b51U + (key >> 8)) & mask;
	x ^= x >> half;
	x = (x * 0x31848babU + (key >> 24)) & mask;
	return x ^ (x >> half);
}

/** Where element x of block number `block` goes in a keyed permutation of 0 .. n - 1, for blocks
 *  above 2^32.
 *  Units:   n >= 1, 2^(2 * half) >= n, x < n.
 *  Source:  Luby and Rackoff: four Feistel rounds; Black and Rogaway: cycle walking until the
 *           value is below n, less than four times on average. */
static inline uint64_t
pg_permute_wide(const struct pg_key *key, uint64_t block, uint64_t x, uint64_t n, unsigned int half)
{
	const uint64_t mask = (1ULL << half) - 1, round_key = pg_mix64(block ^ key->wide);

	do {
		uint64_t left = x >> half, right = x & mask;

		for (unsigned int round = 0; round < 4; round++) {
			uint64_t mixed = left ^ (pg_mix64(right + round_key + round) & mask);

			left = right;
			right = mixed;
		}
		x = left << half | right;
	} while (x >= n);
	return x;
}

/** Bits of half a Feistel block that holds 0 .. n - 1. */
static inline unsigned int
pg_permute_half(uint64_t n)
{
	unsigned int half = 1;

	while (half < 32 && 1ULL << 2 * half < n)
		half++;
	return half;
}

/** The key of field number `field` in stream `stream` under `seed`. */
struct pg_key pg_key_make(uint64_t seed, const char *stream, uint32_t field);

/** The 32-bit key halves for the block of 2^32 packets that i lies in. */
static inline void
pg_key_block(const struct pg_key *key, uint64_t i, uint32_t *a, uint32_t *b)
{
	uint64_t block = i >> 32;

	*a = key->a;
	*b = key->b;
	if (block != 0) {
		uint64_t mixed = pg_mix64(block + key->wide);

		*a ^= (uint32_t)mixed;
		*b ^= (uint32_t)(mixed >> 32);
	}
}

#endif
