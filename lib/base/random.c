/* SPDX-License-Identifier: BSD-3-Clause */
#include "pg_random.h"

// FNV-1a, 64 bits (Fowler, Noll, Vo): spreads a stream's name; pg_mix64 finishes it.
static uint64_t
hash_name(const char *name)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *name != '\0'; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3ULL;
	return h;
}

struct pg_key
pg_key_make(uint64_t seed, const char *stream, uint32_t field)
{
	uint64_t root = pg_mix64(pg_mix64(seed) ^ hash_name(stream));
	uint64_t wide = pg_mix64(root + 2 * field + 1);
	uint64_t narrow = pg_mix64(root + 2 * field + 2);

	return (struct pg_key){
		.wide = wide,
		.a = (uint32_t)narrow,
		.b = (uint32_t)(narrow >> 32),
	};
}
