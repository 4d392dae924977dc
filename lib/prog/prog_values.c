/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that make the values of fields, column by column. Compiled once for the baseline
 * and once with AVX2; the loops are written so that the compiler vectorises them. */
#include <string.h>

#include "prog_places.h"

// r + step may pass 2^32 for ranges above 2^31; range 0 stands for 2^32 and wraps by itself.
static inline uint32_t
step_on(uint32_t r, uint32_t step, uint32_t range)
{
	uint32_t v = r + step;

	return v - (((v >= range) | (v < r)) ? range : 0);
}

static __rte_always_inline void
linear(const struct prog_op *op, struct pg_prog_state *state, unsigned int n)
{
	const uint32_t *restrict steps = op->steps;
	uint32_t *restrict column = state->scratch->column[op->column];
	const uint32_t r = state->residue[op->field], range = op->n, lo = op->lo;
	size_t block = 0;

	do {
#pragma GCC ivdep
#pragma GCC unroll 1
		for (size_t j = 0; j < PROG_BLOCK; j++)
			column[block + j] = lo + step_on(r, steps[block + j], range);
		block += PROG_BLOCK;
	} while (block < n);
	state->residue[op->field] = step_on(r, steps[n], range);
}

static void
op_linear(OP_ARGS)
{
	const struct prog_op *end = op + op->run;

	OP_UNUSED;
	for (; op < end; op++)
		linear(op, state, n);
}

// Hashes of n packets in one block of 2^32 of the stream, shifted or scaled: value = hash >> shift,
// or hash * range >> 32 where range is at most 2^16.
static __rte_always_inline void
random_part(const struct prog_op *op, uint32_t *out, uint64_t index, uint32_t stride,
	unsigned int n, bool scaled)
{
	const uint32_t lo = op->lo, range = op->n, shift = op->shift;
	uint32_t *restrict column = out, first = (uint32_t)index, a, b;
	size_t block = 0;

	pg_key_block(&op->key, index, &a, &b);
	do {
#pragma GCC unroll 1
		for (size_t j = 0; j < PROG_BLOCK; j++) {
			uint32_t h = pg_random_32(a, b, first + (uint32_t)j * stride);
			uint32_t part = ((h >> 16) * range + ((h & 0xffff) * range >> 16)) >> 16;

			column[block + j] = lo + (scaled ? part : h >> shift);
		}
		first += PROG_BLOCK * stride;
		block += PROG_BLOCK;
	} while (block < n);
}

static __rte_noinline void
random_across(const struct prog_op *op, uint32_t *column, uint64_t index, uint32_t stride,
	unsigned int n, bool scaled)
{
	while (n > 0) {
		uint64_t left = (UINT64_C(1) << 32) - (uint32_t)index;
		unsigned int now = (unsigned int)RTE_MIN((left + stride - 1) / stride, n);

		random_part(op, column, index, stride, now, scaled);
		column += now;
		index += (uint64_t)now * stride;
		n -= now;
	}
}

// Two blocks of 2^32 in one burst are so rare that they may cost a call.
static __rte_always_inline void
random_32(OP_ARGS, const bool scaled)
{
	const struct prog_op *end = op + op->run;
	const uint32_t stride = stride_of(prog);
	const uint64_t index = state->index;
	const bool across = (index + (uint64_t)(n - 1) * stride) >> 32 != index >> 32;

	OP_UNUSED;
	for (; op < end; op++) {
		uint32_t *column = state->scratch->column[op->column];

		if (unlikely(across))
			random_across(op, column, index, stride, n, scaled);
		else
			random_part(op, column, index, stride, n, scaled);
	}
}

static void
op_random_bits(OP_ARGS)
{
	random_32(prog, op, state, pkts, n, false);
}

static void
op_random_32(OP_ARGS)
{
	random_32(prog, op, state, pkts, n, true);
}

static void
op_random_64(OP_ARGS)
{
	uint32_t *column = state->scratch->column[op->column];

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t h = pg_random_64(&op->key, state->index + (uint64_t)k * stride_of(prog));

		column[k] = op->lo + (uint32_t)((unsigned __int128)h * op->n >> 64);
	}
}

static void
op_linear_flow(OP_ARGS)
{
	uint32_t *column = state->scratch->column[op->column];

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		column[k] = op->lo + modulo(op, state->scratch->flow[k]);
}

static void
op_random_flow(OP_ARGS)
{
	const uint64_t values = op->n != 0 ? op->n : 1ULL << 32;
	uint32_t *column = state->scratch->column[op->column];

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t h = pg_random_64(&op->key, state->scratch->flow[k]);

		column[k] = op->lo + (uint32_t)((unsigned __int128)h * values >> 64);
	}
}

static void
op_random_flow_32(OP_ARGS)
{
	const uint64_t *flow = state->scratch->flow;
	const uint64_t values = op->n != 0 ? op->n : 1ULL << 32;
	uint32_t *restrict column = state->scratch->column[op->column];
	uint64_t upper = 0;
	uint32_t a, b;

	OP_UNUSED;
	pg_key_block(&op->key, flow[0], &a, &b);
	for (unsigned int k = 0; k < n; k++) {
		upper |= (flow[k] ^ flow[0]) >> 32;
		column[k] =
			op->lo + (uint32_t)(pg_random_32(a, b, (uint32_t)flow[k]) * values >> 32);
	}
	for (unsigned int k = 0; unlikely(upper != 0) && k < n; k++) {
		pg_key_block(&op->key, flow[k], &a, &b);
		column[k] =
			op->lo + (uint32_t)(pg_random_32(a, b, (uint32_t)flow[k]) * values >> 32);
	}
}

// A flow starts with its first packet here; parts of a stream may each have some of it, or skip it.
static void
op_flows_seq(OP_ARGS)
{
	uint64_t *flow = state->scratch->flow, passed;
	uint64_t now = state->index / op->cycle, at = state->index % op->cycle;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		flow[k] = now;
		next_place(op, &now, &at);
	}
	passed = flow[n - 1] - state->block;
	state->flows_started += RTE_MIN(passed, (uint64_t)n);
	state->block = flow[n - 1];
}

// Flow starts are counted as they come: a bit for each flow of the block.
static inline void
count_start(const struct pg_prog *prog, struct pg_prog_state *state, uint64_t block, uint32_t flow)
{
	uint64_t bit = 1ULL << flow % 64;

	if (state->seen == NULL)
		return;
	if (block != state->block) {
		memset(state->seen, 0, (prog->flow.flows + 63) / 64 * sizeof(uint64_t));
		state->block = block;
	}
	state->flows_started += !(state->seen[flow / 64] & bit);
	state->seen[flow / 64] |= bit;
}

static void
op_flows_random(OP_ARGS)
{
	const struct pg_prog_scratch *c = state->scratch;
	uint64_t *flow = state->scratch->flow;

	OP_UNUSED;
	places(op, state, n);
	for (unsigned int k = 0; k < n; k++)
		flow[k] = rte_reciprocal_divide(c->place[k], op->by_flowlen);
	for (unsigned int k = 0; k < n; k++) {
		count_start(prog, state, c->cycle[k], (uint32_t)flow[k]);
		flow[k] += c->cycle[k] * prog->flow.flows;
	}
}

static void
op_flows_wide(OP_ARGS)
{
	uint64_t block = state->index / op->cycle, at = state->index % op->cycle;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t place = pg_permute_wide(&op->key, block, at, op->cycle, op->half);
		uint32_t flow = (uint32_t)(place / prog->flow.flowlen);

		count_start(prog, state, block, flow);
		state->scratch->flow[k] = block * prog->flow.flows + flow;
		next_place(op, &block, &at);
	}
}

// Entries outermost: a packet moves on to the next size for each sum of weights that its place has
// reached. How many did is how many the entry before did not get.
static void
op_imix(OP_ARGS)
{
	const struct pg_pairs *imix = &prog->flow.imix;
	const uint32_t *restrict place = state->scratch->place;
	uint32_t *restrict column = state->scratch->column[op->column];
	const uint64_t counts = pkts != NULL; // a look ahead builds nothing
	uint32_t reached = n;

	OP_UNUSED;
	places(op, state, n);
	for (unsigned int k = 0; k < n; k++)
		column[k] = imix->pair[0].size;
	for (uint32_t e = 0; e + 1 < imix->count; e++) {
		const uint32_t below = (uint32_t)prog->imix_below[e];
		const uint32_t more = imix->pair[e + 1].size - imix->pair[e].size;
		uint32_t beyond = 0;

		for (unsigned int k = 0; k < n; k++) {
			column[k] += place[k] >= below ? more : 0;
			beyond += place[k] >= below;
		}
		state->imix_count[e] += counts * (reached - beyond);
		reached = beyond;
	}
	state->imix_count[imix->count - 1] += counts * reached;
}

static void
op_imix_wide(OP_ARGS)
{
	uint64_t cycle = state->index / op->cycle, at = state->index % op->cycle;
	uint32_t *column = state->scratch->column[op->column];

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t place = pg_permute_wide(&op->key, cycle, at, op->cycle, op->half);
		unsigned int entry = 0;

		while (place >= prog->imix_below[entry])
			entry++;
		column[k] = prog->flow.imix.pair[entry].size;
		state->imix_count[entry] += pkts != NULL; // a look ahead builds nothing
		next_place(op, &cycle, &at);
	}
}

static void
op_skip(OP_ARGS)
{
	uint32_t *column = state->scratch->column[op->column];

	OP_UNUSED;
	for (unsigned int s = 0; s < op->nskips; s++) {
		uint32_t from = op->skip[s].from, length = op->skip[s].length;

		for (unsigned int k = 0; k < n; k++)
			column[k] += column[k] >= from ? length : 0;
	}
}

static void
op_fill(OP_ARGS)
{
	uint32_t *column = state->scratch->column[op->column];

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		column[k] = op->lo;
}

const prog_fn PROG_NAME(prog_values)[PROG_MBUF] = {
	[PROG_FLOWS_SEQ] = op_flows_seq,
	[PROG_FLOWS_RANDOM] = op_flows_random,
	[PROG_FLOWS_WIDE] = op_flows_wide,
	[PROG_WALK_SEQ] = prog_walk_seq,
	[PROG_WALK_SEQ_RANDOM] = prog_walk_seq_random,
	[PROG_WALK_ANY] = prog_walk_any,
	[PROG_WALK_ANY_RANDOM] = prog_walk_any_random,
	[PROG_FILL] = op_fill,
	[PROG_LINEAR_FLOW] = op_linear_flow,
	[PROG_RANDOM_FLOW] = op_random_flow,
	[PROG_RANDOM_FLOW_32] = op_random_flow_32,
	[PROG_IMIX] = op_imix,
	[PROG_IMIX_WIDE] = op_imix_wide,
	[PROG_LINEAR] = op_linear,
	[PROG_RANDOM_BITS] = op_random_bits,
	[PROG_RANDOM_32] = op_random_32,
	[PROG_RANDOM_64] = op_random_64,
	[PROG_SKIP] = op_skip,
};
