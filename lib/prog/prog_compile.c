/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cpuflags.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_udp.h>
#include <rte_vect.h>

#include "prog_priv.h"

static struct prog_op *
emit(struct pg_prog *prog, enum prog_kind kind)
{
	struct prog_op *op = &prog->ops[prog->nops++];

	RTE_VERIFY(prog->nops <= PROG_OPS_MAX);
	op->kind = kind;
	return op;
}

// k * stride mod n for k of a burst, and behind it. Ranges that a burst does not pass share one
// table, others have their own.
static const uint32_t *
steps_make(struct pg_prog *prog, enum pg_field field, uint64_t n)
{
	static uint32_t identity[PG_BURST_MAX + 1];
	bool shared = n > PG_BURST_MAX && prog->stride == 1;
	uint32_t *steps = shared ? identity : malloc(sizeof(identity));

	for (uint32_t k = 0; steps != NULL && k <= PG_BURST_MAX; k++)
		steps[k] = (uint32_t)((uint64_t)k * prog->stride % n);
	if (!shared)
		prog->steps[field] = steps;
	return steps;
}

static void
set_step(struct prog_op *op, uint32_t stride, uint64_t cycle)
{
	op->step = stride % cycle;
	op->step_cycles = stride / cycle;
}

// Cut the reserved intervals out of a random destination's range.
static uint64_t
emit_skips(struct prog_op *skip, const struct pg_range *range)
{
	for (size_t i = 0; i < pg_flow_nreserved; i++) {
		uint32_t from = RTE_MAX(range->lo, pg_flow_reserved[i].lo);
		uint32_t to = RTE_MIN(range->hi, pg_flow_reserved[i].hi);

		if (from > to)
			continue;
		skip->skip[skip->nskips].from = from;
		skip->skip[skip->nskips++].length = to - from + 1;
	}
	return pg_flow_allowed(range->lo, range->hi);
}

// Scaling 32 bits to n is even to n / 2^32: for short ranges and powers of two that is nothing.
static enum prog_kind
random_kind(uint64_t n)
{
	if ((n & (n - 1)) == 0)
		return PROG_RANDOM_BITS;
	return n <= UINT16_MAX + 1 ? PROG_RANDOM_32 : PROG_RANDOM_64;
}

// Has the program columns of flow numbers? As Linux walks flows it has not.
static bool
by_flow(const struct pg_prog *prog)
{
	return prog->flow.flows > 0 && !prog->flow.as_linux;
}

// Addresses and ports belong to the flow, if there are flows; the rest goes on per packet.
static enum prog_kind
value_kind(const struct pg_prog *prog, enum pg_field field, uint64_t n)
{
	bool random = prog->flow.field[field].random;

	if (by_flow(prog) && (field <= PG_FIELD_IP_DST || field >= PG_FIELD_IP6_SRC))
		return !random                            ? PROG_LINEAR_FLOW
		       : random_kind(n) == PROG_RANDOM_64 ? PROG_RANDOM_FLOW
							  : PROG_RANDOM_FLOW_32;
	return random ? random_kind(n) : PROG_LINEAR;
}

// Cycles above 2^32 have an operation of their own.
static void
set_permutation(struct prog_op *op, enum prog_kind wide)
{
	if (op->cycle <= UINT64_C(1) << 32) {
		op->half = pg_permute_bits(op->cycle);
		return;
	}
	if (op->kind != PROG_FLOWS_SEQ)
		op->kind = wide;
	op->half = pg_permute_half(op->cycle);
}

static void
emit_flows(struct pg_prog *prog, const struct pg_prog_config *config)
{
	const struct pg_flow *flow = &prog->flow;
	struct prog_op *op;

	if (!by_flow(prog))
		return;
	op = emit(prog, flow->flags & PG_FLAG_FLOW_SEQ ? PROG_FLOWS_SEQ : PROG_FLOWS_RANDOM);
	op->field = PG_FIELDS;
	op->cycle = (uint64_t)(op->kind == PROG_FLOWS_SEQ ? 1 : flow->flows) * flow->flowlen;
	op->by_flowlen = rte_reciprocal_value(flow->flowlen);
	set_permutation(op, PROG_FLOWS_WIDE);
	set_step(op, prog->stride, op->cycle);
	op->key = pg_key_make(config->seed, config->stream, PG_FIELDS);
}

static void
emit_imix(struct pg_prog *prog, const struct pg_prog_config *config)
{
	const struct pg_pairs *imix = &prog->flow.imix;
	struct prog_op *op = emit(prog, PROG_IMIX);

	for (uint32_t i = 0; i < imix->count; i++) {
		op->cycle += imix->pair[i].weight;
		prog->imix_below[i] = op->cycle;
	}
	op->field = op->column = PG_FIELD_SIZE;
	set_permutation(op, PROG_IMIX_WIDE);
	set_step(op, prog->stride, op->cycle);
	op->key = pg_key_make(config->seed, config->stream, PG_FIELD_SIZE);
}

// The values of a field into a column: constant, in sequence or at random.
static int
emit_values(struct pg_prog *prog, const struct pg_prog_config *config, enum pg_field field)
{
	const struct pg_range *range = &prog->flow.field[field];
	uint8_t column = RTE_MIN((uint8_t)field, (uint8_t)PROG_COLUMN_TAG);
	struct prog_op skip = {.kind = PROG_SKIP, .field = field, .column = column};
	bool endless = (prog->flow.endless & 1u << field) != 0;
	uint64_t n = endless ? UINT64_C(1) << 32 : (uint64_t)range->hi - range->lo + 1;
	struct prog_op *op;

	if (range->random && field == PG_FIELD_IP_DST)
		n = emit_skips(&skip, range);
	op = emit(prog, n == 1 ? PROG_FILL : value_kind(prog, field, n));
	op->field = field;
	op->column = column;
	op->lo = range->lo;
	op->n = (uint32_t)n;
	op->key = pg_key_make(config->seed, config->stream, field);
	if (op->kind == PROG_LINEAR_FLOW) {
		unsigned __int128 part = ~(unsigned __int128)0 / n + 1;

		op->cycle = n;
		op->step = (uint64_t)part;
		op->step_cycles = (uint64_t)(part >> 64);
	}
	op->ahead = (prog->flow.from_second & 1u << field) != 0;
	if (op->kind == PROG_RANDOM_BITS)
		op->shift = 32 - rte_bsf64(n);
	if (op->kind == PROG_LINEAR && (op->steps = steps_make(prog, field, n)) == NULL)
		return -ENOMEM;
	if (skip.nskips > 0)
		*emit(prog, PROG_SKIP) = skip;
	return 0;
}

// The destination as Linux walks it: its flows remember theirs, a range or not.
static void
emit_walk(struct pg_prog *prog, const struct pg_prog_config *config)
{
	static const enum prog_kind kinds[2][2] = {
		{PROG_WALK_ANY, PROG_WALK_ANY_RANDOM}, {PROG_WALK_SEQ, PROG_WALK_SEQ_RANDOM}};
	const struct pg_range *range = &prog->flow.field[PG_FIELD_IP_DST];
	bool in_order = (prog->flow.flags & PG_FLAG_FLOW_SEQ) != 0;
	struct prog_op *op = emit(prog, kinds[in_order][range->random]);

	op->field = op->column = PG_FIELD_IP_DST;
	op->key = pg_key_make(config->seed, config->stream, PG_FIELD_IP_DST);
	op->lo = range->lo;
	op->shift = range->lo != range->hi; // a single address stays what it is
	op->n = op->shift != 0 ? range->hi : UINT32_MAX;
	if (range->random)
		op->cycle = emit_skips(op, range);
}

static bool
varies(const struct pg_prog *prog, enum pg_field field)
{
	return prog->flow.field[field].lo != prog->flow.field[field].hi;
}

// Metadata and image first: what follows writes over the image.
static int
emit_frame(struct pg_prog *prog, const struct pg_prog_config *config)
{
	int rc;

	if (prog->frame == 0) {
		rc = 0;
		if (prog->flow.imix.count > 0)
			emit_imix(prog, config);
		else
			rc = emit_values(prog, config, PG_FIELD_SIZE);
		if (rc < 0)
			return rc;
		emit(prog, PROG_MBUF_SIZES);
		if (!config->image_kept)
			emit(prog, PROG_IMAGE_SIZES);
	} else {
		if (!config->mbuf_kept || prog->frags > 0)
			emit(prog, PROG_MBUF);
		if (!config->image_kept)
			emit(prog, PROG_IMAGE);
	}
	if (prog->frags > 0)
		emit(prog, config->frags_kept ? PROG_FRAGS : PROG_FRAGS_CLEAR);
	return 0;
}

// Two fields that share a word of the packet: if one varies, both get a column.
static int
emit_pair(struct pg_prog *prog, const struct pg_prog_config *config, enum pg_field a,
	enum pg_field b, uint32_t seal_bit, uint32_t *seal)
{
	int rc;

	if (!varies(prog, a) && !varies(prog, b))
		return 0;
	*seal |= seal_bit;
	rc = emit_values(prog, config, a);
	return rc < 0 ? rc : emit_values(prog, config, b);
}

// A tag or a label at `offset`; only random ones vary.
static int
emit_tag(struct pg_prog *prog, const struct pg_prog_config *config, enum pg_field field,
	enum prog_kind kind, uint16_t offset, uint16_t bits)
{
	struct prog_op *op;
	int rc;

	if (!varies(prog, field))
		return 0;
	rc = emit_values(prog, config, field);
	op = emit(prog, kind);
	op->column = PROG_COLUMN_TAG;
	op->offset = offset;
	op->bits = bits;
	return rc;
}

static int
emit_l2(struct pg_prog *prog, const struct pg_prog_config *config)
{
	const struct pg_flow *flow = &prog->flow;
	bool inner = flow->svlan.id != PG_VLAN_OFF;
	uint32_t unused = 0, last = flow->mpls.count;
	int rc = emit_pair(prog, config, PG_FIELD_MAC_DST, PG_FIELD_MAC_SRC, 1, &unused);

	if (unused != 0)
		emit(prog, PROG_MACS);
	if (rc == 0)
		rc = emit_tag(prog, config, PG_FIELD_SVLAN, PROG_TCI, PROG_TCI_AT,
			prog_tci_bits(&flow->svlan));
	if (rc == 0)
		rc = emit_tag(prog, config, PG_FIELD_VLAN, PROG_TCI, PROG_TCI_AT + 4 * inner,
			prog_tci_bits(&flow->vlan));
	for (uint32_t i = 0; rc == 0 && i < last; i++)
		rc = emit_tag(prog, config, PG_FIELD_MPLS + i, PROG_LABEL,
			RTE_ETHER_HDR_LEN + 4 * i, i + 1 == last ? PG_MPLS_S : 0);
	return rc;
}

static void
emit_length(struct pg_prog *prog)
{
	struct prog_op *op = emit(prog, PROG_LENGTH);

	// IPv4 counts its own header, IPv6 does not.
	op->lo = prog->ip6 ? prog->l4 : prog->l3;
	op->offset = prog->l3 + (prog->ip6 ? offsetof(struct rte_ipv6_hdr, payload_len)
					   : offsetof(struct rte_ipv4_hdr, total_length));
}

static uint32_t
last_32(const struct pg_ip6 *ip)
{
	uint32_t word;

	memcpy(&word, ip->bytes + sizeof(ip->bytes) - sizeof(word), sizeof(word));
	return rte_be_to_cpu_32(word);
}

// A random IPv6 address: as a column where 32 bits vary, else straight into the packet.
static int
emit_ip6(struct pg_prog *prog, const struct pg_prog_config *config, enum pg_field field)
{
	const bool src = field == PG_FIELD_IP6_SRC, tail = prog_ip6_tail(&prog->flow, src);
	const struct pg_range6 *range = src ? &prog->flow.src6 : &prog->flow.dst6;
	enum prog_kind kind = tail ? PROG_IP6_TAIL : by_flow(prog) ? PROG_IP6_FLOW : PROG_IP6;
	struct prog_op *op;
	int rc = 0;

	if (tail) {
		prog->flow.field[field] =
			(struct pg_range){last_32(&range->lo), last_32(&range->hi), 1};
		rc = emit_values(prog, config, field);
	}
	op = emit(prog, !src && prog->flow.as_linux ? PROG_IP6_MASKED : kind);
	op->field = field;
	op->key = pg_key_make(config->seed, config->stream, field);
	op->offset = prog->l3 + (src ? offsetof(struct rte_ipv6_hdr, src_addr)
				     : offsetof(struct rte_ipv6_hdr, dst_addr));
	if (tail)
		op->offset += sizeof(range->lo) - sizeof(uint32_t);
	return rc;
}

// Both addresses of layer 3: IPv4's as columns, random ones of IPv6 straight into the packet.
static int
emit_addresses(struct pg_prog *prog, const struct pg_prog_config *config, uint32_t *seal)
{
	if (prog_walks_flows(&prog->flow)) {
		*seal |= PROG_SEAL_ADDRESSES;
		emit_walk(prog, config);
		return emit_values(prog, config, PG_FIELD_IP_SRC);
	}
	if (!prog->ip6)
		return emit_pair(
			prog, config, PG_FIELD_IP_SRC, PG_FIELD_IP_DST, PROG_SEAL_ADDRESSES, seal);
	*seal |= PROG_SEAL_IP6;
	if (prog->flow.src6.random && emit_ip6(prog, config, PG_FIELD_IP6_SRC) < 0)
		return -ENOMEM;
	return prog->flow.dst6.random ? emit_ip6(prog, config, PG_FIELD_IP6_DST) : 0;
}

// Where nothing else writes to the frame meanwhile, the image waits for the last operation, which
// then is the only one that walks over the packets. Says whether that is so.
static bool
fold_image(struct pg_prog *prog)
{
	uint32_t at = prog->nops;

	while (at > 0 && prog->ops[at - 1].kind < PROG_MBUF)
		at--;
	if (at == 0 || prog->ops[at - 1].kind != PROG_IMAGE)
		return false;
	prog->nops--;
	memmove(&prog->ops[at - 1], &prog->ops[at], (prog->nops + 1 - at) * sizeof(prog->ops[0]));
	return true;
}

static void
emit_zero_sums(struct pg_prog *prog)
{
	struct prog_op *op = emit(prog, PROG_FILL);

	op->field = PG_FIELDS;
	op->column = PROG_COLUMN_SUM;
}

int
prog_emit_all(struct pg_prog *prog, const struct pg_prog_config *config)
{
	// RFC 8200, 8.1: over IPv6 a UDP checksum of zero is not allowed.
	bool checksum = (prog->flow.flags & PG_FLAG_UDPCSUM) != 0 || prog->ip6;
	bool stamp = (prog->flow.flags & PG_FLAG_NO_TIMESTAMP) == 0;
	// What has no column of its own, but a part of the UDP sum.
	bool sums = stamp || (prog->ip6 && (prog->flow.src6.random || prog->flow.dst6.random));
	uint32_t seal = checksum ? PROG_SEAL_CHECKSUM : 0;
	int rc = emit_frame(prog, config);

	emit_flows(prog, config);
	if (rc == 0)
		rc = emit_l2(prog, config);
	if (rc == 0 && prog->frame == 0) {
		emit_length(prog);
		seal |= PROG_SEAL_LENGTH;
	}
	if (rc == 0)
		rc = emit_pair(
			prog, config, PG_FIELD_UDP_SRC, PG_FIELD_UDP_DST, PROG_SEAL_PORTS, &seal);
	if (stamp)
		emit(prog, config->paced ? PROG_STAMP_EACH : PROG_STAMP);
	else if (sums)
		emit_zero_sums(prog);
	if (rc == 0)
		rc = emit_addresses(prog, config, &seal);
	if (fold_image(prog))
		seal |= PROG_SEAL_IMAGE;
	emit(prog, PROG_SEAL + seal)->column = sums ? PROG_COLUMN_SUM : PROG_COLUMN_ZERO;
	return rc;
}
