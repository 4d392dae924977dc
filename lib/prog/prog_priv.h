/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROG_PRIV_H
#define PROG_PRIV_H

#include <string.h>

#include <string.h>

#include "prog_run.h"

#define PROG_MAGIC       0xbe9be955 /**< pktgen's payload magic (reference 8.5) */
#define PROG_IP_TTL      32         /**< reference 8.2 */
#define PROG_SEQUENCE_AT 4          /**< offsets in the payload */
#define PROG_STAMP_AT    8

#define PROG_TCI_AT RTE_ETHER_HDR_LEN /**< of the first tag: behind its own type field */

/** Does a random range of IPv6 addresses vary in its last 32 bits alone? Then they are a field like
 *  others. A range as Linux masks it is none. */
static inline bool
prog_ip6_tail(const struct pg_flow *flow, bool src)
{
	const struct pg_range6 *range = src ? &flow->src6 : &flow->dst6;

	return range->random && (src || !flow->as_linux) &&
	       memcmp(&range->lo, &range->hi, sizeof(range->lo) - sizeof(uint32_t)) == 0;
}

/** Priority and CFI in their places of a VLAN tag (IEEE 802.1Q). */
static inline uint16_t
prog_tci_bits(const struct pg_vlan *vlan)
{
	return (uint16_t)(vlan->p << 13 | vlan->cfi << 12);
}

/** Does an operation make the destinations, as Linux walks flows? */
static inline bool
prog_walks_flows(const struct pg_flow *flow)
{
	return flow->as_linux && flow->flows > 0 && !(flow->flags & PG_FLAG_IPV6);
}

/** A MAC address as a number, the first byte on top. */
static inline uint64_t
prog_mac(const struct rte_ether_addr *mac)
{
	uint64_t number = 0;

	for (int i = 0; i < RTE_ETHER_ADDR_LEN; i++)
		number = number << 8 | mac->addr_bytes[i];
	return number;
}

/** The offset is added to the last five bytes; the first never changes (reference 7.1). */
static inline uint64_t
prog_mac_at(uint64_t mac, uint32_t offset)
{
	const uint64_t tail = (UINT64_C(1) << 40) - 1;

	return (mac & ~tail) | ((mac + offset) & tail);
}

/** A run's start: the destination is the range's first again. */
void prog_walk_begin(struct pg_walk *walk, uint32_t daddr);
/** The next packet is the last one once more. */
void prog_walk_again(struct pg_walk *walk);
uint16_t prog_walk_id(const struct pg_walk *walk);

/** PROG_WALK_*: the destination of each packet, in order or at random by flow and by address. */
void prog_walk_seq(const struct pg_prog *prog, const struct prog_op *op,
	struct pg_prog_state *state, struct rte_mbuf **pkts, unsigned int n);
void prog_walk_seq_random(const struct pg_prog *prog, const struct prog_op *op,
	struct pg_prog_state *state, struct rte_mbuf **pkts, unsigned int n);
void prog_walk_any(const struct pg_prog *prog, const struct prog_op *op,
	struct pg_prog_state *state, struct rte_mbuf **pkts, unsigned int n);
void prog_walk_any_random(const struct pg_prog *prog, const struct prog_op *op,
	struct pg_prog_state *state, struct rte_mbuf **pkts, unsigned int n);

/** The functions of each kind, by instruction set: those that make values come first. Those of
 *  _parts look at the program's stride, the others make every packet of a stream. */
extern const prog_fn prog_values_portable[PROG_MBUF], prog_values_avx2[PROG_MBUF];
extern const prog_fn prog_values_portable_parts[PROG_MBUF], prog_values_avx2_parts[PROG_MBUF];
extern const prog_fn prog_ops_portable[PROG_KINDS], prog_ops_avx2[PROG_KINDS];
extern const prog_fn prog_ops_portable_parts[PROG_KINDS], prog_ops_avx2_parts[PROG_KINDS];

/** Write a program's operations. Shape: ops has room for PROG_OPS_MAX. Errors: -ENOMEM. */
int prog_emit_all(struct pg_prog *prog, const struct pg_prog_config *config);

/** Write the image and derive the constant parts of the checksums from it.
 *  Shape:   prog->image has image_bytes; offsets and flow are set. */
void prog_image_build(struct pg_prog *prog);

#endif
