/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that write packets. Compiled once for the baseline and once with AVX2; the loops
 * over columns are written so that the compiler vectorises them. */
#include <string.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "pg_clock.h"
#include "pg_units.h"
#include "prog_ops.h"

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

// rte_cpu_to_be_32() is inline assembly, which the compiler cannot vectorise.
static inline uint32_t
big_32(uint32_t value)
{
	return __builtin_bswap32(value);
}

// One's complement of a sum of 16-bit words that stays below 2^32 (RFC 1071).
static inline uint32_t
fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	return ~sum & 0xffff;
}

static_assert(offsetof(struct rte_mbuf, ol_flags) == offsetof(struct rte_mbuf, data_off) + 8,
	"data_off, refcnt, nb_segs, port and ol_flags are 16 bytes in a row");
static_assert(
	offsetof(struct rte_mbuf, pkt_len) == offsetof(struct rte_mbuf, packet_type) + 4 &&
		offsetof(struct rte_mbuf, data_len) == offsetof(struct rte_mbuf, packet_type) + 8 &&
		offsetof(struct rte_mbuf, packet_type) % 16 == 0,
	"packet_type, pkt_len, data_len, vlan_tci and hash.rss are 16 bytes in a row");
static_assert(offsetof(struct rte_mbuf, hash.sched.queue_id) ==
		      offsetof(struct rte_mbuf, packet_type) + 12,
	"the scheduler's queue lies in the upper half of the last 8 of them");

static inline void
put_mbuf(const struct pg_prog *prog, struct rte_mbuf *mbuf, uint32_t length)
{
	const uint64_t lengths[2] = {(uint64_t)length << 32, prog->priority | length};

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
		uint32_t length =
			RTE_MAX(state->scratch->column[PG_FIELD_SIZE][k], prog->frame_min);

		state->scratch->length[k] = length;
		bytes += length;
		put_mbuf(prog, pkts[k], length);
	}
	state->bytes += bytes;
}

// floor(rest / frags) bytes in each segment, the last takes what is left; what does not fit into
// pages stays in the first buffer (reference 8.6). Empty segments are left out.
static inline void
put_frags(OP_ARGS, const bool clear)
{
	const uint32_t frags = prog->frags, most = frags * PG_FRAG_BYTES;
	struct pg_frags *stash = state->frags;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		struct rte_mbuf *tail = pkts[k];
		uint32_t rest = tail->pkt_len - prog->frame_min;
		uint32_t over = rest > most ? rest - most : 0, each;

		tail->data_len = prog->frame_min + over;
		rest -= over;
		each = (uint32_t)(rest * prog->per_frag >> 32);
		for (uint32_t i = 1; i <= frags; i++) {
			uint32_t length = i < frags ? each : rest;
			const uint64_t lengths[2] = {(uint64_t)length << 32, length};
			struct rte_mbuf *seg;

			if (length == 0)
				continue;
			seg = stash->seg[--stash->n];
			memcpy(&seg->data_off, prog->frag_rearm, sizeof(prog->frag_rearm));
			memcpy(&seg->packet_type, lengths, sizeof(lengths));
			if (clear)
				memset(seg + 1, 0, length);
			tail->next = seg;
			tail = seg;
			pkts[k]->nb_segs++;
			rest -= length;
		}
		tail->next = NULL;
	}
}

static void
op_frags(OP_ARGS)
{
	put_frags(prog, op, state, pkts, n, false);
}

static void
op_frags_clear(OP_ARGS)
{
	put_frags(prog, op, state, pkts, n, true);
}

// A register full of an image, and the cache line that stays in registers from packet to packet.
typedef uint64_t image_part __attribute__((vector_size(PROG_VECTOR), aligned(1), may_alias));
#define LINE_PARTS (RTE_CACHE_LINE_SIZE / PROG_VECTOR)

static __rte_always_inline void
copy_line(image_part *to, const image_part *from)
{
	for (unsigned int i = 0; i < LINE_PARTS; i++)
		to[i] = from[i];
}

static __rte_always_inline void
put_image(const struct pg_prog *prog, uint8_t *frame, uint32_t bytes, const image_part *first)
{
	copy_line((image_part *)frame, first);
	for (uint32_t at = RTE_CACHE_LINE_SIZE; at < bytes; at += RTE_CACHE_LINE_SIZE)
		copy_line((image_part *)(frame + at), (const image_part *)(prog->image + at));
}

static void
op_image(OP_ARGS)
{
	image_part first[LINE_PARTS];
	const uint32_t bytes = prog->image_bytes;

	OP_UNUSED;
	copy_line(first, (const image_part *)prog->image);
	for (unsigned int k = 0; k < n; k++)
		put_image(prog, frame_of(pkts[k]), bytes, first);
}

static void
op_image_sizes(OP_ARGS)
{
	image_part first[LINE_PARTS];

	OP_UNUSED;
	copy_line(first, (const image_part *)prog->image);
	for (unsigned int k = 0; k < n; k++)
		put_image(prog, frame_of(pkts[k]), state->scratch->length[k], first);
}

static void
op_macs(OP_ARGS)
{
	const uint32_t *dst_offset = state->scratch->column[PG_FIELD_MAC_DST];
	const uint32_t *src_offset = state->scratch->column[PG_FIELD_MAC_SRC];
	const uint64_t dst_mac = prog_mac(&prog->flow.dst_mac);
	const uint64_t src_mac = prog_mac(&prog->flow.src_mac);

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t dst = prog_mac_at(dst_mac, dst_offset[k]);
		uint64_t src = prog_mac_at(src_mac, src_offset[k]);
		uint64_t first = rte_cpu_to_be_64(dst << 16 | src >> 32);
		uint32_t rest = rte_cpu_to_be_32((uint32_t)src);

		memcpy(frame_of(pkts[k]), &first, sizeof(first));
		memcpy(frame_of(pkts[k]) + sizeof(first), &rest, sizeof(rest));
	}
}

static void
op_tci(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		put_16(frame_of(pkts[k]) + op->offset,
			state->scratch->column[PROG_COLUMN_TAG][k] | op->bits);
}

// 20 random bits below 12 zero ones; the S bit is set on the last entry only.
static void
op_label(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint32_t entry = state->scratch->column[PROG_COLUMN_TAG][k];

		entry = big_32((entry & ~(uint32_t)PG_MPLS_S) | op->bits);
		memcpy(frame_of(pkts[k]) + op->offset, &entry, sizeof(entry));
	}
}

static void
op_length(OP_ARGS)
{
	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		put_16(frame_of(pkts[k]) + op->offset, state->scratch->length[k] - op->lo);
}

static inline uint32_t
halves(uint32_t value)
{
	return (value >> 16) + (value & 0xffff);
}

// Seconds and microseconds as stored; returns their part of the UDP sum.
static inline uint32_t
make_stamp(struct prog_word *stamp, uint64_t ns)
{
	uint32_t s = (uint32_t)(ns / PG_NS_PER_S);
	uint32_t us = (uint32_t)(ns % PG_NS_PER_S / PG_NS_PER_US);

	*stamp = (struct prog_word){big_32(s), big_32(us)};
	return halves(s) + halves(us);
}

// Wall clock, ns, at a value of the counter.
static inline uint64_t
wall_at(const struct pg_prog_state *state, uint64_t cycles)
{
	// Packets that were owed when the rate changed may have been due before the run.
	__int128 since = (int64_t)(cycles - state->wall_cycles);

	return state->wall_ns + (uint64_t)(since * (int64_t)state->ns_per_cycle >> PG_CLOCK_SHIFT);
}

static void
op_stamp(OP_ARGS)
{
	struct prog_word stamp;
	uint32_t sum = make_stamp(&stamp, wall_at(state, rte_rdtsc()));

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		memcpy(frame_of(pkts[k]) + prog->payload + PROG_STAMP_AT, &stamp, sizeof(stamp));
		state->scratch->column[PROG_COLUMN_SUM][k] = sum;
	}
}

static void
op_stamp_each(OP_ARGS)
{
	struct prog_word stamp;

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		state->scratch->column[PROG_COLUMN_SUM][k] =
			make_stamp(&stamp, wall_at(state, state->scratch->due[k]));
		memcpy(frame_of(pkts[k]) + prog->payload + PROG_STAMP_AT, &stamp, sizeof(stamp));
	}
}

// The upper 128 bits of (high, low) * n: a random number of 128 bits scaled to 0 .. n - 1.
static inline unsigned __int128
scale_128(uint64_t high, uint64_t low, unsigned __int128 n)
{
	uint64_t n1 = (uint64_t)(n >> 64), n0 = (uint64_t)n;
	unsigned __int128 a = (unsigned __int128)low * n0, b = (unsigned __int128)low * n1;
	unsigned __int128 c = (unsigned __int128)high * n0, d = (unsigned __int128)high * n1;
	unsigned __int128 middle = (a >> 64) + (uint64_t)b + (uint64_t)c;

	return d + (b >> 64) + (c >> 64) + (middle >> 64);
}

enum ip6_how { IP6_BY_PACKET, IP6_BY_FLOW, IP6_MASKED };

static unsigned __int128
load_ip6(const struct pg_ip6 *ip)
{
	uint64_t words[2];

	memcpy(words, ip, sizeof(words));
	return (unsigned __int128)rte_be_to_cpu_64(words[0]) << 64 | rte_be_to_cpu_64(words[1]);
}

static inline void
put_ip6(OP_ARGS, const enum ip6_how how)
{
	const struct pg_range6 *range =
		op->field == PG_FIELD_IP6_SRC ? &prog->flow.src6 : &prog->flow.dst6;
	const unsigned __int128 lo = load_ip6(&range->lo), hi = load_ip6(&range->hi);
	const unsigned __int128 values = hi - lo + 1; // 0 stands for 2^128

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t at = how == IP6_BY_FLOW ? state->scratch->flow[k]
						 : state->index + (uint64_t)k * stride_of(prog);
		uint64_t high = pg_random_64(&op->key, 2 * at);
		uint64_t low = pg_random_64(&op->key, 2 * at + 1);
		unsigned __int128 ip = (unsigned __int128)high << 64 | low;
		uint64_t words[2];

		if (how == IP6_MASKED)
			ip = (ip | lo) & hi;
		else
			ip = lo + (values != 0 ? scale_128(high, low, values) : ip);
		words[0] = (uint64_t)(ip >> 64);
		words[1] = (uint64_t)ip;
		for (int w = 0; w < 2; w++) {
			state->scratch->column[PROG_COLUMN_SUM][k] +=
				halves((uint32_t)(words[w] >> 32)) + halves((uint32_t)words[w]);
			words[w] = rte_cpu_to_be_64(words[w]);
		}
		memcpy(frame_of(pkts[k]) + op->offset, words, sizeof(words));
	}
}

static void
op_ip6_tail(OP_ARGS)
{
	const uint32_t *restrict column = state->scratch->column[PROG_COLUMN_TAG];
	uint32_t *restrict sum = state->scratch->column[PROG_COLUMN_SUM];

	OP_UNUSED;
	for (unsigned int k = 0; k < n; k++)
		sum[k] += halves(column[k]);
	for (unsigned int k = 0; k < n; k++) {
		uint32_t tail = big_32(column[k]);

		memcpy(frame_of(pkts[k]) + op->offset, &tail, sizeof(tail));
	}
}

static void
op_ip6(OP_ARGS)
{
	put_ip6(prog, op, state, pkts, n, IP6_BY_PACKET);
}

static void
op_ip6_flow(OP_ARGS)
{
	put_ip6(prog, op, state, pkts, n, IP6_BY_FLOW);
}

static void
op_ip6_masked(OP_ARGS)
{
	put_ip6(prog, op, state, pkts, n, IP6_MASKED);
}

// What goes into the packets, column by column: this loop is vectorised.
static __rte_always_inline void
seal_columns(const struct pg_prog *prog, const struct prog_op *op, struct pg_prog_state *state,
	unsigned int n, const unsigned int what)
{
	struct pg_prog_scratch *restrict c = state->scratch;
	const uint32_t *restrict sum_part = c->column[op->column];
	const uint32_t *restrict src = c->column[PG_FIELD_IP_SRC];
	const uint32_t *restrict dst = c->column[PG_FIELD_IP_DST];
	const uint32_t *restrict sport = c->column[PG_FIELD_UDP_SRC];
	const uint32_t *restrict dport = c->column[PG_FIELD_UDP_DST];
	const uint32_t stride = stride_of(prog), seq_step = stride * prog->copies;
	const uint32_t first_id = (uint32_t)state->index + state->id;
	const uint32_t first_seq = 1 + (uint32_t)state->index * prog->copies;
	const uint32_t ip_base = prog->ip_base, udp_base = prog->udp_base;
	const uint32_t ttl_proto = prog->ttl_proto, l3 = prog->l3, l4 = prog->l4;
	const uint32_t const_ports = prog->ports, const_length = prog->udp_length;

#pragma GCC ivdep
	for (unsigned int k = 0; k < n; k++) {
		uint32_t id = (first_id + k * stride) & 0xffff, seq = first_seq + k * seq_step;
		uint32_t address = what & PROG_SEAL_ADDRESSES ? halves(src[k]) + halves(dst[k]) : 0;
		uint32_t ports = what & PROG_SEAL_PORTS ? sport[k] << 16 | dport[k] : const_ports;
		uint32_t length =
			what & PROG_SEAL_LENGTH ? (c->length[k] - l4) << 16 : const_length;
		uint32_t ip_sum = ip_base + id + address;
		uint32_t udp_sum = udp_base + address + halves(seq) + sum_part[k];

		if (what & PROG_SEAL_PORTS)
			udp_sum += halves(ports);
		if (what & PROG_SEAL_LENGTH) {
			ip_sum += c->length[k] - l3;
			udp_sum += (length >> 16) * 2; // pseudo header and UDP header
		}
		if (!(what & PROG_SEAL_IP6)) {
			c->id[k].first = big_32(id << 16);
			c->id[k].second = big_32(ttl_proto | fold(ip_sum));
		}
		c->sequence[k] = big_32(seq);
		if (what & PROG_SEAL_ADDRESSES) {
			c->addresses[k].first = big_32(src[k]);
			c->addresses[k].second = big_32(dst[k]);
		}
		if (what & (PROG_SEAL_PORTS | PROG_SEAL_CHECKSUM | PROG_SEAL_LENGTH)) {
			uint32_t sum = what & PROG_SEAL_CHECKSUM ? fold(udp_sum) : 0;

			// RFC 768: a checksum of zero is sent as all ones.
			if (what & PROG_SEAL_CHECKSUM)
				sum |= sum == 0 ? 0xffff : 0;
			c->udp[k].first = big_32(ports);
			c->udp[k].second = big_32(length | sum);
		}
	}
}

// id to checksum, both addresses, and the UDP header are 8 bytes each, in a row.
static __rte_always_inline void
seal(OP_ARGS, const unsigned int what)
{
	const struct pg_prog_scratch *c = state->scratch;
	const uint32_t id = prog->l3 + offsetof(struct rte_ipv4_hdr, packet_id);
	const uint32_t l4 = prog->l4;
	const uint32_t sequence = prog->payload + PROG_SEQUENCE_AT, bytes = prog->image_bytes;
	image_part first[LINE_PARTS];

	seal_columns(prog, op, state, n, what);
	copy_line(first, (const image_part *)prog->image);
	for (unsigned int k = 0; k < n; k++) {
		uint8_t *frame = frame_of(pkts[k]);

		if (what & PROG_SEAL_IMAGE)
			put_image(prog, frame, bytes, first);
		if (!(what & PROG_SEAL_IP6))
			memcpy(frame + id, &c->id[k], 8);
		if (what & PROG_SEAL_ADDRESSES)
			memcpy(frame + id + 8, &c->addresses[k], 8);
		if (what & (PROG_SEAL_PORTS | PROG_SEAL_CHECKSUM | PROG_SEAL_LENGTH))
			memcpy(frame + l4, &c->udp[k], 8);
		memcpy(frame + sequence, &c->sequence[k], 4);
	}
}

#define SEAL(what)                                    \
	static void op_seal_##what(OP_ARGS)           \
	{                                             \
		seal(prog, op, state, pkts, n, what); \
	}
#define SEAL_ROW(what) [PROG_SEAL + what] = op_seal_##what,
// Every combination of enum prog_seal. IPv6 always has a checksum and no address columns.
// clang-format off
#define SEALS(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
	X(20) X(22) X(28) X(30) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(52) X(54)
// clang-format on

SEALS(SEAL)

const prog_fn PROG_NAME(prog_ops)[PROG_KINDS] = {[PROG_IP6_FLOW] = op_ip6_flow,
	[PROG_MBUF] = op_mbuf,
	[PROG_MBUF_SIZES] = op_mbuf_sizes,
	[PROG_FRAGS] = op_frags,
	[PROG_FRAGS_CLEAR] = op_frags_clear,
	[PROG_IMAGE] = op_image,
	[PROG_IMAGE_SIZES] = op_image_sizes,
	[PROG_MACS] = op_macs,
	[PROG_TCI] = op_tci,
	[PROG_LABEL] = op_label,
	[PROG_LENGTH] = op_length,
	[PROG_IP6] = op_ip6,
	[PROG_IP6_TAIL] = op_ip6_tail,
	[PROG_IP6_MASKED] = op_ip6_masked,
	[PROG_STAMP] = op_stamp,
	[PROG_STAMP_EACH] = op_stamp_each,
	SEALS(SEAL_ROW)};
