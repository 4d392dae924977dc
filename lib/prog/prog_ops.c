/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations. Compiled once for the baseline and once with AVX2 (PROG_ISA names the table);
 * the loops over columns are written so that the compiler vectorises them. */
#include <string.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "pg_clock.h"
#include "pg_units.h"
#include "prog_priv.h"

#ifndef PROG_ISA
#define PROG_ISA prog_fns_portable
#endif

#define OP_ARGS                                                                                    \
	const struct pg_prog *prog, const struct prog_op *op, struct pg_prog_state *state,         \
		struct rte_mbuf **pkts, unsigned int n
#define OP_UNUSED                                                                                  \
	(void)prog;                                                                                \
	(void)op;                                                                                  \
	(void)state;                                                                               \
	(void)pkts

static inline uint8_t *
frame_of(struct rte_mbuf *mbuf)
{
	return (uint8_t *)mbuf + PROG_DATA_DELTA;
}

static inline void
put_16(uint8_t *at, uint16_t value)
{
	value = rte_cpu_to_be_16(value);
	memcpy(at, &value, sizeof(value));
}

static inline void
put_32(uint8_t *at, uint32_t value)
{
	value = rte_cpu_to_be_32(value);
	memcpy(at, &value, sizeof(value));
}

// One's complement of a sum of 16-bit words that stays below 2^32 (RFC 1071).
static inline uint16_t
fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	return (uint16_t)~sum;
}

static void
op_linear(OP_ARGS)
{
	const uint32_t *restrict steps = op->steps;
	uint32_t *restrict column = state->scratch->column;
	uint32_t r = state->residue[op->field], range = op->n, lo = op->lo;

	OP_UNUSED;
	// r + step may pass 2^32 for ranges above 2^31; range 0 stands for 2^32 and wraps by itself.
	for (unsigned int k = 0; k < n; k++) {
		uint32_t v = r + steps[k];

		v -= (v >= range) | (v < r) ? range : 0;
		column[k] = lo + v;
	}
	r = column[n - 1] - lo + 1;
	state->residue[op->field] = r == range ? 0 : r;
}

// Run `value` for k in a stretch over which the upper half of the index does not change.
#define RANDOM_32_LOOP(value)                                                                      \
	do {                                                                                       \
		uint32_t *restrict column = state->scratch->column;                                         \
		uint32_t lo = op->lo, a, b;                                                        \
		for (unsigned int k = 0; k < n;) {                                                 \
			uint32_t first = (uint32_t)(state->index + k);                             \
			uint64_t left = (1ULL << 32) - first;                                      \
			unsigned int stop = left < n - k ? k + (unsigned int)left : n;             \
			unsigned int from = k;                                                     \
			pg_key_block(&op->key, state->index + k, &a, &b);                          \
			for (; k < stop; k++) {                                                    \
				uint32_t h = pg_random_32(a, b, first + (k - from));               \
				column[k] = lo + (value);                                          \
			}                                                                          \
		}                                                                                  \
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
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t h = pg_random_64(&op->key, state->index + k);

		state->scratch->column[k] = op->lo + (uint32_t)((unsigned __int128)h * op->n >> 64);
	}
}

static void
op_skip(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int s = 0; s < op->nskips; s++) {
		uint32_t from = op->skip[s].from, length = op->skip[s].length;

		for (unsigned int k = 0; k < n; k++)
			state->scratch->column[k] += state->scratch->column[k] >= from ? length : 0;
	}
}

static void
op_sums(OP_ARGS)
{
	uint32_t *restrict ip_sum = state->scratch->ip_sum, *restrict udp_sum = state->scratch->udp_sum;
	uint32_t ip = prog->ip_base, udp = prog->udp_base;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		ip_sum[k] = ip;
		udp_sum[k] = udp;
	}
}

static void
op_store_16(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		put_16(frame_of(pkts[k]) + op->offset, state->scratch->column[k]);
}

static void
op_store_32(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		put_32(frame_of(pkts[k]) + op->offset, state->scratch->column[k]);
}

static inline void
add_halves(uint32_t *restrict sum, const uint32_t *restrict column, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++)
		sum[k] += (column[k] >> 16) + (column[k] & 0xffff);
}

static void
op_sum_ip_32(OP_ARGS)
{
	OP_UNUSED;
	add_halves(state->scratch->ip_sum, state->scratch->column, n);
}

static void
op_sum_udp_32(OP_ARGS)
{
	OP_UNUSED;
	add_halves(state->scratch->udp_sum, state->scratch->column, n);
}

static void
op_sum_udp_16(OP_ARGS)
{
	uint32_t *restrict sum = state->scratch->udp_sum;
	const uint32_t *restrict column = state->scratch->column;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		sum[k] += column[k];
}

static_assert(offsetof(struct rte_mbuf, ol_flags) == offsetof(struct rte_mbuf, data_off) + 8,
	"data_off, refcnt, nb_segs, port and ol_flags are 16 bytes in a row");
static_assert(offsetof(struct rte_mbuf, pkt_len) == offsetof(struct rte_mbuf, packet_type) + 4 &&
		offsetof(struct rte_mbuf, data_len) == offsetof(struct rte_mbuf, packet_type) + 8 &&
		offsetof(struct rte_mbuf, packet_type) % 16 == 0,
	"packet_type, pkt_len, data_len, vlan_tci and hash.rss are 16 bytes in a row");

static inline void
put_mbuf(const struct pg_prog *prog, struct rte_mbuf *mbuf, uint32_t length)
{
	const uint64_t lengths[2] = {(uint64_t)length << 32, length};

	memcpy(&mbuf->data_off, prog->rearm, sizeof(prog->rearm));
	memcpy(&mbuf->packet_type, lengths, sizeof(lengths));
}

static void
op_mbuf(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		put_mbuf(prog, pkts[k], prog->frame);
}

static void
op_mbuf_sizes(OP_ARGS)
{
	uint64_t bytes = 0;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint32_t length = RTE_MAX(state->scratch->column[k], (uint32_t)PG_FRAME_MIN);

		state->scratch->length[k] = length;
		bytes += length;
		put_mbuf(prog, pkts[k], length);
	}
	state->bytes += bytes;
}

static void
op_image(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint8_t *frame = frame_of(pkts[k]);

		for (uint32_t at = 0; at < prog->image_bytes; at += 64)
			memcpy(frame + at, prog->image + at, 64);
	}
}

static void
op_image_sizes(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint8_t *frame = frame_of(pkts[k]);

		for (uint32_t at = 0; at < state->scratch->length[k]; at += 64)
			memcpy(frame + at, prog->image + at, 64);
	}
}

static void
op_lengths(OP_ARGS)
{
	const uint32_t l3 = prog->l3, l4 = prog->l4;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint8_t *frame = frame_of(pkts[k]);
		uint32_t length = state->scratch->length[k];

		put_16(frame + l3 + offsetof(struct rte_ipv4_hdr, total_length), length - l3);
		put_16(frame + l4 + offsetof(struct rte_udp_hdr, dgram_len), length - l4);
		state->scratch->ip_sum[k] += length - l3;
		state->scratch->udp_sum[k] += 2 * (length - l4); // pseudo header and UDP header
	}
}

static inline void
put_stamp(uint8_t *at, uint64_t ns)
{
	put_32(at, (uint32_t)(ns / PG_NS_PER_S));
	put_32(at + 4, (uint32_t)(ns % PG_NS_PER_S / PG_NS_PER_US));
}

// Wall clock, ns, at a value of the counter.
static inline uint64_t
wall_at(const struct pg_prog_state *state, uint64_t cycles)
{
	unsigned __int128 since = cycles - state->wall_cycles;

	return state->wall_ns + (uint64_t)(since * state->ns_per_cycle >> PG_CLOCK_SHIFT);
}

static void
op_stamp(OP_ARGS)
{
	uint8_t stamp[8];

	OP_UNUSED;
	put_stamp(stamp, wall_at(state, rte_rdtsc()));
	for (unsigned int k = 0; k < n; k++)
		memcpy(frame_of(pkts[k]) + op->offset, stamp, sizeof(stamp));
}

static void
op_stamp_each(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		put_stamp(frame_of(pkts[k]) + op->offset, wall_at(state, state->scratch->due[k]));
}

static void
op_stamp_sum(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		const uint8_t *at = frame_of(pkts[k]) + op->offset;

		for (int i = 0; i < 8; i += 2)
			state->scratch->udp_sum[k] += (uint32_t)at[i] << 8 | at[i + 1];
	}
}

// id, fragment, TTL, protocol and checksum lie in 8 bytes: one store.
static inline void
seal_ip(const struct pg_prog *prog, uint8_t *frame, uint64_t index, uint32_t sum)
{
	uint16_t id = (uint16_t)index;
	uint64_t word = prog->ip_word | rte_cpu_to_be_64((uint64_t)id << 48 | fold(sum + id));

	memcpy(frame + prog->l3 + offsetof(struct rte_ipv4_hdr, packet_id), &word, sizeof(word));
}

static inline uint32_t
sequence(const struct pg_prog *prog, uint64_t index)
{
	return 1 + (uint32_t)index * prog->copies;
}

static void
op_seal(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint8_t *frame = frame_of(pkts[k]);
		uint64_t index = state->index + k;

		seal_ip(prog, frame, index, prog->ip_base);
		put_32(frame + op->offset, sequence(prog, index));
	}
}

static void
op_seal_ip(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint8_t *frame = frame_of(pkts[k]);
		uint64_t index = state->index + k;

		seal_ip(prog, frame, index, state->scratch->ip_sum[k]);
		put_32(frame + op->offset, sequence(prog, index));
	}
}

static void
op_seal_udp(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint8_t *frame = frame_of(pkts[k]);
		uint64_t index = state->index + k;
		uint32_t seq = sequence(prog, index);
		uint16_t udp = fold(state->scratch->udp_sum[k] + (seq >> 16) + (seq & 0xffff));

		seal_ip(prog, frame, index, state->scratch->ip_sum[k]);
		put_32(frame + op->offset, seq);
		// RFC 768: a checksum of zero is sent as all ones.
		put_16(frame + prog->l4 + offsetof(struct rte_udp_hdr, dgram_cksum),
			udp != 0 ? udp : 0xffff);
	}
}

const prog_fn PROG_ISA[PROG_KINDS] = {
	[PROG_LINEAR] = op_linear,
	[PROG_RANDOM_BITS] = op_random_bits,
	[PROG_RANDOM_32] = op_random_32,
	[PROG_RANDOM_64] = op_random_64,
	[PROG_SKIP] = op_skip,
	[PROG_SUMS] = op_sums,
	[PROG_STORE_16] = op_store_16,
	[PROG_STORE_32] = op_store_32,
	[PROG_SUM_IP_32] = op_sum_ip_32,
	[PROG_SUM_UDP_16] = op_sum_udp_16,
	[PROG_SUM_UDP_32] = op_sum_udp_32,
	[PROG_MBUF] = op_mbuf,
	[PROG_MBUF_SIZES] = op_mbuf_sizes,
	[PROG_IMAGE] = op_image,
	[PROG_IMAGE_SIZES] = op_image_sizes,
	[PROG_LENGTHS] = op_lengths,
	[PROG_STAMP] = op_stamp,
	[PROG_STAMP_EACH] = op_stamp_each,
	[PROG_STAMP_SUM] = op_stamp_sum,
	[PROG_SEAL] = op_seal,
	[PROG_SEAL_IP] = op_seal_ip,
	[PROG_SEAL_UDP] = op_seal_udp,
};
