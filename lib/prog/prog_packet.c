/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ip.h>
#include <rte_malloc.h>

#include "prog_priv.h"

struct pg_prog_scratch *
pg_prog_scratch_create(int socket)
{
	struct pg_prog_scratch *scratch = rte_zmalloc_socket(
		"pg_prog_scratch", sizeof(*scratch), RTE_CACHE_LINE_SIZE, socket);

	if (scratch == NULL)
		errno = ENOMEM;
	return scratch;
}

void
pg_prog_scratch_destroy(struct pg_prog_scratch *scratch)
{
	rte_free(scratch);
}

static void
set_index(const struct pg_prog *prog, struct pg_prog_state *state, uint64_t index)
{
	state->index = index;
	for (uint32_t i = 0; i < prog->nops; i++) {
		const struct prog_op *op = &prog->ops[i];
		uint64_t at = index + op->ahead;

		if (op->kind == PROG_LINEAR)
			state->residue[op->field] = op->n != 0 ? at % op->n : (uint32_t)at;
	}
}

static bool
is_walk(const struct prog_op *op)
{
	return op->kind >= PROG_WALK_SEQ && op->kind <= PROG_WALK_ANY_RANDOM;
}

static const struct prog_op *
walk_op(const struct pg_prog *prog)
{
	for (uint32_t i = 0; i < prog->nops; i++) {
		if (is_walk(&prog->ops[i]))
			return &prog->ops[i];
	}
	return NULL;
}

// From the walk's start through all packets before `index`.
static void
walk_to(const struct pg_prog *prog, struct pg_prog_state *state, uint64_t index)
{
	const struct prog_op *op = walk_op(prog);

	state->id = prog_walk_id(state->walk);
	prog_walk_begin(state->walk, prog->flow.field[PG_FIELD_IP_DST].lo);
	if (op == NULL)
		return;
	for (uint64_t at = 0; at < index;) {
		unsigned int n = RTE_MIN(index - at, (uint64_t)PG_BURST_MAX);

		state->index = at;
		op->fn(prog, op, state, NULL, n);
		at += n;
	}
}

void
pg_prog_seek(const struct pg_prog *prog, struct pg_prog_state *state, uint64_t index)
{
	state->bytes = 0;
	state->flows_started = 0;
	state->id = 0;
	if (state->walk != NULL)
		walk_to(prog, state, index);
	index = prog->first + index * prog->stride;
	set_index(prog, state, index);
	// Flows that begin here are counted; none before is.
	state->block =
		prog->flow.flows > 0 && !prog->flow.as_linux ? index / prog->flow.flowlen - 1 : 0;
}

void
pg_prog_back(const struct pg_prog *prog, struct pg_prog_state *state)
{
	set_index(prog, state, state->index - prog->stride);
	if (state->walk != NULL)
		prog_walk_again(state->walk);
}

void
pg_prog_prepare(const struct pg_prog *prog, struct rte_mbuf *mbuf)
{
	memcpy(&mbuf->data_off, prog->rearm, sizeof(prog->rearm));
	mbuf->packet_type = 0;
	mbuf->pkt_len = prog->frame_max;
	mbuf->data_len = prog->frame_max;
	mbuf->hash.sched.queue_id = prog->flow.priority;
	memcpy((uint8_t *)mbuf + PROG_DATA_DELTA, prog->image, prog->image_bytes);
}

uint32_t
pg_prog_frame_max(const struct pg_prog *prog)
{
	return prog->frame_max;
}

bool
pg_prog_size_varies(const struct pg_prog *prog)
{
	return prog->frame == 0;
}

const char *
pg_prog_isa(const struct pg_prog *prog)
{
	return prog->isa;
}

void
pg_prog_sizes(const struct pg_prog *prog, struct pg_prog_state *state, unsigned int n)
{
	const struct prog_op *op = prog->ops; // the size's values come first
	uint32_t residue = state->residue[PG_FIELD_SIZE];

	op->fn(prog, op, state, NULL, n);
	state->residue[PG_FIELD_SIZE] = residue;
	for (unsigned int k = 0; k < n; k++)
		state->scratch->length[k] =
			RTE_MAX(state->scratch->column[PG_FIELD_SIZE][k], prog->frame_min);
}

// This operation alone, not those that go with it.
static void
run_one(const struct pg_prog *prog, const struct prog_op *op, struct pg_prog_state *state)
{
	struct prog_op alone = *op;

	alone.run = 1;
	op->fn(prog, &alone, state, NULL, 1);
}

uint32_t
pg_prog_field(const struct pg_prog *prog, enum pg_field field, uint64_t index)
{
	struct pg_prog_state state = {0};
	uint32_t value = prog->flow.field[field].lo;

	if (prog->flow.field[field].lo == prog->flow.field[field].hi &&
		(field != PG_FIELD_SIZE || prog->flow.imix.count == 0))
		return value;
	state.scratch = calloc(1, sizeof(*state.scratch));
	if (state.scratch == NULL)
		return value;
	pg_prog_seek(prog, &state, index);
	for (uint32_t i = 0; i < prog->nops; i++) {
		const struct prog_op *op = &prog->ops[i];

		if (op->kind > PROG_SKIP || is_walk(op) ||
			(op->field != field && op->field != PG_FIELDS))
			continue;
		run_one(prog, op, &state);
		if (op->field == field)
			value = state.scratch->column[op->column][0];
	}
	free(state.scratch);
	return value;
}

uint32_t
pg_prog_frags(const struct pg_prog *prog, uint64_t index)
{
	return pg_prog_field(prog, PG_FIELD_SIZE, index) > prog->frame_min ? prog->frags : 0;
}

uint32_t
pg_prog_frag_max(const struct pg_prog *prog)
{
	uint32_t each = (prog->frame_max - prog->frame_min) / prog->frags;

	// The last one takes up to frags - 1 bytes more.
	return RTE_ALIGN_CEIL(RTE_MIN(each, (uint32_t)PG_FRAG_BYTES) + prog->frags, 64);
}

// One packet in one piece: the image has the zeros of fragments too.
static void
build_whole(const struct pg_prog *prog, struct pg_prog_state *state, struct rte_mbuf *mbuf)
{
	const struct prog_op *end = prog->ops + prog->nops;

	for (const struct prog_op *op = prog->ops; op < end; op += op->run) {
		if (op->kind != PROG_FRAGS && op->kind != PROG_FRAGS_CLEAR)
			op->fn(prog, op, state, &mbuf, 1);
	}
}

int
pg_prog_packet(
	const struct pg_prog *prog, uint64_t index, uint64_t stamp_ns, uint8_t *out, size_t size)
{
	struct pg_prog_state state = {.scratch = calloc(1, sizeof(*state.scratch)),
		.walk = prog->walk != NULL ? pg_walk_copy(prog->walk) : NULL};
	const size_t room =
		RTE_ALIGN_CEIL(PROG_DATA_DELTA + prog->image_bytes, RTE_CACHE_LINE_SIZE);
	struct rte_mbuf *mbuf = aligned_alloc(RTE_CACHE_LINE_SIZE, room);
	bool there =
		state.scratch != NULL && mbuf != NULL && (prog->walk == NULL || state.walk != NULL);
	int length = -ENOMEM;

	if (there && size >= prog->image_bytes) {
		memset(mbuf, 0, room);
		pg_prog_prepare(prog, mbuf);
		pg_prog_seek(prog, &state, index);
		state.wall_ns = stamp_ns; // ns_per_cycle 0: time stands still
		build_whole(prog, &state, mbuf);
		memcpy(out, (uint8_t *)mbuf + PROG_DATA_DELTA, mbuf->pkt_len);
		length = (int)mbuf->pkt_len;
	}
	free(mbuf);
	free(state.scratch);
	pg_walk_destroy(state.walk);
	return length;
}

void
pg_prog_ip6(const struct pg_prog *prog, uint64_t index, struct pg_ip6 *src, struct pg_ip6 *dst)
{
	uint8_t *frame = prog->ip6 ? malloc(prog->image_bytes) : NULL;

	memset(src, 0, sizeof(*src));
	memset(dst, 0, sizeof(*dst));
	if (frame != NULL && pg_prog_packet(prog, index, 0, frame, prog->image_bytes) > 0) {
		const struct rte_ipv6_hdr *ip = (const struct rte_ipv6_hdr *)(frame + prog->l3);

		memcpy(src, &ip->src_addr, sizeof(*src));
		memcpy(dst, &ip->dst_addr, sizeof(*dst));
	}
	free(frame);
}
