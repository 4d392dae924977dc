/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that make the values of fields, column by column. Compiled once for the baseline
 * and once with AVX2; the loops are written so that the compiler vectorises them. */
#include <string.h>

#include "prog_ops.h"

static void
op_linear(OP_ARGS)
{
	const uint32_t *restrict steps = op->steps;
	uint32_t *restrict column = state->scratch->column[op->column];
	uint32_t r = state->residue[op->field], range = op->n, lo = op->lo;
	const uint32_t back = (uint32_t)op->step;

	OP_UNUSED;
	// r + step may pass 2^32 for ranges above 2^31; range 0 stands for 2^32 and wraps by
	// itself.
	for (unsigned int k = 0; k < n; k++) {
		uint32_t v = r + steps[k];

		v -= (v >= range) | (v < r) ? range : 0;
		column[k] = lo + v;
	}
	r = column[n - 1] - lo;
	state->residue[op->field] = r - back + (r < back ? range : 0);
}

// How many of the next n packets lie in the block of 2^32 of the stream that `index` lies in.
static inline unsigned int
stretch(uint64_t index, uint32_t stride, unsigned int n)
{
	uint64_t left;

	if (likely(index >> 32 == (index + (uint64_t)(n - 1) * stride) >> 32))
		return n;
	left = (UINT64_C(1) << 32) - (uint32_t)index;
	return (unsigned int)((left + stride - 1) / stride);
}

// Run `value` for k in a stretch over which the upper half of the index does not change.
#define RANDOM_32_LOOP(value)                                                    \
	do {                                                                     \
		uint32_t *restrict column = state->scratch->column[op->column];  \
		const uint32_t lo = op->lo, stride = stride_of(prog);            \
		for (unsigned int from = 0, stop; from < n; from = stop) {       \
			uint64_t index = state->index + (uint64_t)from * stride; \
			uint32_t first = (uint32_t)index, a, b;                  \
			stop = from + stretch(index, stride, n - from);          \
			pg_key_block(&op->key, index, &a, &b);                   \
			for (unsigned int k = from; k < stop; k++) {             \
				uint32_t at = first + (k - from) * stride;       \
				uint32_t h = pg_random_32(a, b, at);             \
				column[k] = lo + (value);                        \
			}                                                        \
		}                                                                \
	} while (0)

static void
op_random_bits(OP_ARGS)
{
	uint32_t shift = op->shift;

	OP_UNUSED;
	RANDOM_32_LOOP(h >> shift);
}

static void
op_random_32(OP_ARGS)
{
	uint32_t range = op->n;

	OP_UNUSED;
	RANDOM_32_LOOP((uint32_t)((uint64_t)h * range >> 32));
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
	for (unsigned int k = 0; k < n; k++) {
		uint64_t flow = state->scratch->flow[k];

		column[k] = op->lo + (uint32_t)(op->n != 0 ? flow % op->n : flow);
	}
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

// A flow starts with its first packet here; parts of a stream may each have some of it, or skip it.
static void
op_flows_seq(OP_ARGS)
{
	uint64_t *flow = state->scratch->flow, passed;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		flow[k] = (state->index + (uint64_t)k * stride_of(prog)) / prog->flow.flowlen;
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

static void
op_flows_random(OP_ARGS)
{
	uint64_t block = state->index / op->cycle, at = state->index % op->cycle;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t place = pg_permute(&op->key, block, at, op->cycle, op->half);
		uint32_t flow = (uint32_t)(place / prog->flow.flowlen);

		count_start(prog, state, block, flow);
		state->scratch->flow[k] = block * prog->flow.flows + flow;
		next_place(op, &block, &at);
	}
}

static void
op_imix(OP_ARGS)
{
	uint64_t cycle = state->index / op->cycle, at = state->index % op->cycle;
	uint32_t *column = state->scratch->column[op->column];

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t place = pg_permute(&op->key, cycle, at, op->cycle, op->half);
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
	[PROG_WALK_SEQ] = prog_walk_seq,
	[PROG_WALK_SEQ_RANDOM] = prog_walk_seq_random,
	[PROG_WALK_ANY] = prog_walk_any,
	[PROG_WALK_ANY_RANDOM] = prog_walk_any_random,
	[PROG_FILL] = op_fill,
	[PROG_LINEAR_FLOW] = op_linear_flow,
	[PROG_RANDOM_FLOW] = op_random_flow,
	[PROG_IMIX] = op_imix,
	[PROG_LINEAR] = op_linear,
	[PROG_RANDOM_BITS] = op_random_bits,
	[PROG_RANDOM_32] = op_random_32,
	[PROG_RANDOM_64] = op_random_64,
	[PROG_SKIP] = op_skip,
};
