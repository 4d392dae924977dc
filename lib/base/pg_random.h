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
 *  Source:  xor-shift and multiply rounds with Wellons' constants ("lowbias32"), keyed before
 *  each multiplication so that two fields are not each other's permutation by an exclusive or. */
static inline uint32_t
pg_random_32(uint32_t a, uint32_t b, uint32_t i)
{
	uint32_t x = i ^ a;

	x ^= x >> 16;
	x *= 0x7feb352dU;
	x += b;
	x ^= x >> 15;
	x *= 0x846ca68bU;
	return x ^ (x >> 16);
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
