/* SPDX-License-Identifier: BSD-3-Clause */
/* Where packets stand in cycles: blocks of flows, rounds of a mix. Included by the operations. */
#ifndef PROG_PLACES_H
#define PROG_PLACES_H

#include "prog_ops.h"

// On to the next packet's place in a cycle, or in one of those that follow.
static inline void
next_place(const struct prog_op *op, uint64_t *cycle, uint64_t *at)
{
	*at += op->step;
	*cycle += op->step_cycles;
	if (*at >= op->cycle) {
		*at -= op->cycle;
		++*cycle;
	}
}

// The cycle of each of the next n packets, and its place in a keyed permutation of it. Cycles of at
// most 2^32: all packets go through the permutation together, and those that came out above the
// cycle go through it again.
static inline void
places(const struct prog_op *op, const struct pg_prog_state *state, unsigned int n)
{
	struct pg_prog_scratch *restrict c = state->scratch;
	uint64_t cycle = state->index / op->cycle, at = state->index % op->cycle;
	const uint32_t most = (uint32_t)(op->cycle - 1);
	const unsigned int bits = op->half;
	uint32_t a, b, above;

	for (unsigned int k = 0; k < n; k++) {
		c->cycle[k] = cycle;
		c->place[k] = (uint32_t)at;
		next_place(op, &cycle, &at);
	}
	// Cycles that share their upper half share these keys; n packets see two at most.
	pg_key_block(&op->key, c->cycle[0], &a, &b);
	for (unsigned int k = 0; k < n; k++)
		c->round_key[k] = pg_random_32(a, b, (uint32_t)c->cycle[k]);
	if (unlikely(c->cycle[0] >> 32 != c->cycle[n - 1] >> 32)) {
		for (unsigned int k = 0; k < n; k++) {
			pg_key_block(&op->key, c->cycle[k], &a, &b);
			c->round_key[k] = pg_random_32(a, b, (uint32_t)c->cycle[k]);
		}
	}
	for (unsigned int k = 0; k < n; k++)
		c->place[k] = pg_permute_once(c->place[k], c->round_key[k], bits);
	do {
		above = 0;
		for (unsigned int k = 0; k < n; k++) {
			uint32_t x = c->place[k], y = pg_permute_once(x, c->round_key[k], bits);

			x = x > most ? y : x;
			above |= x > most;
			c->place[k] = x;
		}
	} while (above != 0);
}

/** What divides by a constant 32-bit number: Lemire, Kaser and Kurz, "Faster remainder by direct
 *  computation" (2019), with 128 bits. The divisor is the operation's cycle,
 *  2^128 / cycle its step and step_cycles. */
static inline uint32_t
modulo(const struct prog_op *op, uint64_t x)
{
	unsigned __int128 low = (unsigned __int128)op->step * x;
	uint64_t high = (uint64_t)(low >> 64) + op->step_cycles * x;

	return (uint32_t)(((unsigned __int128)high * op->cycle +
				  ((unsigned __int128)(uint64_t)low * op->cycle >> 64)) >>
			  64);
}

#endif
