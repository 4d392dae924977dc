/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_FLOW_H
#define PG_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>

#include "pg_address.h"
#include "pg_error.h"

/* The template: what the user said a packet looks like. The header stack: Ethernet, MPLS labels or
 * up to two VLAN tags, IPv4 or IPv6, UDP, pktgen's 16-byte header, zeros up to the size. */

#define PG_SIZE_MIN      42 /**< 14 + 20 + 8, pktgen's smallest setting */
#define PG_HEADERS_BYTES 42
#define PG_MPLS_MAX      PG_HEX_LIST_MAX
#define PG_VLAN_OFF      4096 /**< one more than the largest id */
#define PG_FLOWS_MAX     65536
#define PG_PAYLOAD_BYTES 16 /**< magic, sequence, seconds, microseconds */
#define PG_IP6_MORE      20 /**< bytes of an IPv6 header beyond IPv4's */
#define PG_FRAGS_MAX     17 /**< the kernel's MAX_SKB_FRAGS */
#define PG_FRAG_BYTES    4096
#define PG_FRAME_MIN     (PG_HEADERS_BYTES + PG_PAYLOAD_BYTES)
#define PG_IP_LENGTH_MAX 65535 /**< RFC 791: total length has 16 bits */
/** The largest frame: IPv4's length, or what a buffer's 16-bit data room holds behind its headroom.
 */
#define PG_SIZE_MAX (PG_IP_LENGTH_MAX - 191)

/** Linux pktgen's flag bits, in the order in which they are printed (reference 4.2). */
enum pg_flag {
	PG_FLAG_IPV6 = 0x1,
	PG_FLAG_IPSRC_RND = 0x2,
	PG_FLAG_IPDST_RND = 0x4,
	PG_FLAG_TXSIZE_RND = 0x8,
	PG_FLAG_UDPSRC_RND = 0x10,
	PG_FLAG_UDPDST_RND = 0x20,
	PG_FLAG_UDPCSUM = 0x40,
	PG_FLAG_NO_TIMESTAMP = 0x80,
	PG_FLAG_MPLS_RND = 0x100,
	PG_FLAG_QUEUE_MAP_RND = 0x200,
	PG_FLAG_QUEUE_MAP_CPU = 0x400,
	PG_FLAG_FLOW_SEQ = 0x800,
	PG_FLAG_MACSRC_RND = 0x2000,
	PG_FLAG_MACDST_RND = 0x4000,
	PG_FLAG_VID_RND = 0x8000,
	PG_FLAG_SVID_RND = 0x10000,
	PG_FLAG_NODE = 0x20000,
	PG_FLAG_SHARED = 0x40000,
};

/** A VLAN tag. The priority and the CFI bit outlive switching the tag off. */
struct pg_vlan {
	uint16_t id; /**< PG_VLAN_OFF: no tag */
	uint8_t p, cfi;
};

#define PG_MPLS_S 0x100 /**< bottom of stack; in a setting: this entry is random */

struct pg_template {
	uint32_t min_size, max_size; /**< bytes without FCS; 0: not set */
	uint32_t flags;              /**< enum pg_flag */
	struct pg_ip4 src_min, src_max, dst_min, dst_max;
	struct rte_ether_addr dst_mac;
	struct rte_ether_addr src_mac; /**< all zero: the port's */
	uint16_t udp_src_min, udp_src_max, udp_dst_min, udp_dst_max;
	uint32_t src_mac_count, dst_mac_count; /**< addresses to walk; 0 and 1: one */
	struct pg_vlan vlan, svlan;            /**< svlan is the outer one */
	struct pg_hex_list mpls; /**< label << 12 | class << 9 | S << 8 | TTL; not with vlan */
	struct pg_pairs imix;    /**< sizes and weights; used where min_size >= max_size */
	uint32_t flows, flowlen; /**< flows 0: every packet is a flow of its own */
	uint8_t tos, traffic_class;
	struct pg_ip6 src6, dst6; /**< src6 all zero: the interface's link-local address */
	struct pg_ip6 src6_min, src6_max, dst6_min, dst6_max; /**< min all zero: no range */
	uint32_t frags;        /**< segments that the payload is spread over; 0: one piece */
	uint32_t skb_priority; /**< for the mbuf's scheduler field */
	uint16_t queue_map_min, queue_map_max; /**< of the thread's own set of queues */
};

/** Bytes of tags and labels: they count as part of the size. */
static inline uint32_t
pg_template_overhead(const struct pg_template *tmpl)
{
	return 4 * (tmpl->mpls.count + (tmpl->vlan.id != PG_VLAN_OFF) +
			   (tmpl->svlan.id != PG_VLAN_OFF));
}

/** The shortest frame that holds all headers. */
static inline uint32_t
pg_template_frame_min(const struct pg_template *tmpl)
{
	return PG_FRAME_MIN + pg_template_overhead(tmpl) +
	       (tmpl->flags & PG_FLAG_IPV6 ? PG_IP6_MORE : 0);
}

/** The longest frame a template makes, without FCS; at least the headers'. */
static inline uint32_t
pg_template_frame_max(const struct pg_template *tmpl)
{
	uint32_t longest = tmpl->min_size > tmpl->max_size ? tmpl->min_size : tmpl->max_size;
	uint32_t shortest = pg_template_frame_min(tmpl);

	for (uint32_t i = 0; tmpl->min_size >= tmpl->max_size && i < tmpl->imix.count; i++) {
		if (tmpl->imix.pair[i].size > longest)
			longest = tmpl->imix.pair[i].size;
	}

	return longest > shortest ? longest : shortest;
}

/** What a template needs to know of the port it is sent on. */
struct pg_flow_port {
	struct rte_ether_addr mac;
	uint32_t ip4;       /**< first IPv4 address, host byte order; 0: none */
	struct pg_ip6 ip6;  /**< link-local address; all zero: none */
	uint32_t frame_max; /**< largest frame without FCS that the port carries */
	const char *name;
	bool as_linux; /**< ranges as the kernel walks them: see struct pg_flow */
};

/** An inclusive range of a field; lo == hi: the field is constant. */
struct pg_range {
	uint32_t lo, hi;
	uint8_t random;
};

enum pg_field {
	PG_FIELD_UDP_SRC,
	PG_FIELD_UDP_DST,
	PG_FIELD_IP_SRC,
	PG_FIELD_IP_DST,
	PG_FIELD_MAC_DST, /**< offset from the configured address */
	PG_FIELD_MAC_SRC,
	PG_FIELD_SIZE,
	PG_FIELD_VLAN,
	PG_FIELD_SVLAN,
	PG_FIELD_MPLS,                                  /**< the first of PG_MPLS_MAX */
	PG_FIELD_IP6_SRC = PG_FIELD_MPLS + PG_MPLS_MAX, /**< see struct pg_range6 */
	PG_FIELD_IP6_DST,
	PG_FIELDS,
};

static_assert(PG_FIELDS <= 32, "masks of fields have 32 bits");

/** A random range of IPv6 addresses, inclusive; random 0: constant at lo. As Linux walks it, the
 *  destination is (random | lo) & hi instead. */
struct pg_range6 {
	struct pg_ip6 lo, hi;
	uint8_t random;
};

/** The template with every default filled in: what is compiled. */
struct pg_flow {
	struct rte_ether_addr dst_mac, src_mac;
	struct pg_range field[PG_FIELDS]; /**< in enum pg_field's order */
	uint32_t flags;
	uint32_t frame_min;
	uint32_t frags; /**< at most PG_FRAGS_MAX */
	uint32_t priority;
	struct pg_vlan vlan, svlan;
	struct pg_hex_list mpls;
	struct pg_pairs imix;    /**< count 0: no mix */
	uint32_t flows, flowlen; /**< flows 0: none; flowlen >= 1 */
	uint8_t tos, traffic_class;
	struct pg_range6 src6, dst6;
	/* As Linux walks ranges (reference 7): ends that never come are cut off in field[], flowlen
	 * is as set, and only the IPv4 destination belongs to a flow. */
	bool as_linux;
	uint32_t from_second; /**< 1 << field: a sequence that begins at its second value */
	uint32_t endless;     /**< 1 << field: a sequence that goes on at 0 behind 2^32 - 1 */
};

/** Fill in what the user left open, as pktgen does at start (reference 6.1), and refuse what the
 *  port cannot carry.
 *  Units:   a range is active if min < max, else the field stays at min.
 *  Errors:  -EINVAL with text: a random destination without an address that may be used, a frame
 *           longer than the port's or IPv4's limit. */
int pg_flow_resolve(const struct pg_template *tmpl, const struct pg_flow_port *port,
	struct pg_flow *flow, struct pg_error *err);

/** Destinations that a random draw never takes (reference 7.2), ascending and disjoint: 0.0.0.0,
 *  loopback, multicast, broadcast. */
extern const struct pg_range pg_flow_reserved[];
extern const size_t pg_flow_nreserved;

/** How many addresses of lo..hi may be drawn. */
uint64_t pg_flow_allowed(uint32_t lo, uint32_t hi);

struct pg_command_list;

/** The rows of the command table that set a template; it must be the first member of the settings
 *  object they write to. */
extern const struct pg_command_list pg_flow_commands;

/** The name of one flag bit; NULL: no such flag. */
const char *pg_flow_flag_name(uint32_t bit);

#endif
