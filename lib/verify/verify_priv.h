/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef VERIFY_PRIV_H
#define VERIFY_PRIV_H

#include "pg_verify.h"

typedef unsigned __int128 verify_wide;

/** Fields by name; verify_field.c has a row for each. */
enum verify_field {
	VERIFY_PACKETS,
	VERIFY_FRAME_LENGTH,
	VERIFY_MBUF_LENGTH,
	VERIFY_MBUF_SEGMENTS,
	VERIFY_SEGMENT,
	VERIFY_PRIORITY,
	VERIFY_ETH_DST,
	VERIFY_ETH_SRC,
	VERIFY_ETH_TYPE,
	VERIFY_SVLAN_ID,
	VERIFY_SVLAN_P,
	VERIFY_SVLAN_CFI,
	VERIFY_VLAN_ID,
	VERIFY_VLAN_P,
	VERIFY_VLAN_CFI,
	VERIFY_MPLS_DEPTH,
	VERIFY_MPLS, /**< the first of PG_MPLS_MAX */
	VERIFY_IP_VERSION = VERIFY_MPLS + PG_MPLS_MAX,
	VERIFY_IP_HEADER,
	VERIFY_IP_TOS,
	VERIFY_IP_LENGTH,
	VERIFY_IP_ID,
	VERIFY_IP_FRAGMENT,
	VERIFY_IP_TTL,
	VERIFY_IP_PROTOCOL,
	VERIFY_IP_CHECKSUM,
	VERIFY_IP_SRC,
	VERIFY_IP_DST,
	VERIFY_IP6_CLASS,
	VERIFY_IP6_LABEL,
	VERIFY_IP6_LENGTH,
	VERIFY_IP6_NEXT,
	VERIFY_IP6_HOPS,
	VERIFY_IP6_SRC,
	VERIFY_IP6_DST,
	VERIFY_UDP_SRC,
	VERIFY_UDP_DST,
	VERIFY_UDP_LENGTH,
	VERIFY_UDP_CHECKSUM,
	VERIFY_MAGIC,
	VERIFY_SEQUENCE,
	VERIFY_SECONDS,
	VERIFY_MICROSECONDS,
	VERIFY_TIME,    /**< both, in microseconds */
	VERIFY_PADDING, /**< the first byte that is not zero: its offset in the frame */
	VERIFY_GAP,     /**< intended time, cycles after the first packet's */
	VERIFY_FLOW_PACKETS,
	VERIFY_FLOW_COUNT,
	VERIFY_SHARE, /**< packets of a size */
	VERIFY_FIELDS,
};

struct verify_field_row {
	const char *name;
	char *(*format)(verify_wide value, char *out, size_t size);
};
extern const struct verify_field_row verify_fields[VERIFY_FIELDS];

#define VERIFY_TAGS_MAX 2

/** A frame as it was parsed: RFC 791, 8200, 768, 3032 and IEEE 802.1Q; numbers in host order. */
struct verify_frame {
	uint32_t length;   /**< of all segments */
	uint32_t first;    /**< bytes of the first segment */
	uint32_t segments; /**< by counting them */
	uint64_t dst_mac, src_mac;
	uint32_t ntags, nlabels;
	uint16_t type[VERIFY_TAGS_MAX + 1]; /**< of each tag, and behind the last one */
	uint16_t tci[VERIFY_TAGS_MAX];
	uint32_t label[PG_MPLS_MAX + 1];
	uint32_t l3, l4, payload; /**< offsets from the Ethernet header */
	uint8_t version;          /**< 4 or 6; else nothing behind it was read */
	uint8_t ip_words;         /**< of IPv4's header */
	uint8_t tos, ttl, protocol;
	uint32_t flow_label;
	uint16_t ip_length, ip_id, ip_fragment, ip_checksum;
	verify_wide src, dst;
	uint16_t udp_src, udp_dst, udp_length, udp_checksum;
	uint32_t magic, sequence, seconds, microseconds;
};

/** How far a frame could be read. */
enum verify_depth { VERIFY_NOTHING, VERIFY_LINK, VERIFY_ALL };

enum verify_depth verify_parse(const struct rte_mbuf *mbuf, struct verify_frame *frame);

/** One's complement sum of `bytes` bytes of a packet's segments from an offset (RFC 1071), added to
 *  a sum; folded to 16 bits. */
uint32_t verify_sum(const struct rte_mbuf *mbuf, uint32_t offset, uint32_t bytes, uint64_t sum);

/** The offset of the first byte that is not zero, from an offset on; the frame's length: none. */
uint32_t verify_padding(const struct rte_mbuf *mbuf, uint32_t offset, uint32_t length);

#define VERIFY_BUCKETS 64

/** How often values of a random field came, by parts of the range and by remainder. */
struct verify_buckets {
	uint64_t draws, high[VERIFY_BUCKETS], low[VERIFY_BUCKETS];
};

enum verify_walk {
	VERIFY_CONSTANT,
	VERIFY_LINEAR, /**< base + (number + ahead) mod values */
	VERIFY_ANY,    /**< any value of the range */
};

/** A field that may vary: base and values that follow it, within `bits` bits. */
struct verify_var {
	uint8_t field; /**< enum verify_field */
	uint8_t check; /**< enum pg_verify_check */
	uint8_t bits;
	uint8_t walk;                   /**< enum verify_walk */
	bool by_flow;                   /**< the value is the flow's, not the packet's */
	bool skips;                     /**< addresses that are reserved never come */
	bool masked;                    /**< IPv6 as Linux draws it: (random | base) & last */
	uint8_t ahead;                  /**< packet 0 has the second value */
	verify_wide base;               /**< with the bits above `bits`, which never change */
	verify_wide last;               /**< base + values - 1, within `bits` bits */
	verify_wide values;             /**< 0: 2^128 */
	struct verify_buckets *buckets; /**< NULL: not random */
	uint64_t *count;   /**< flows: packets of each value in this block; NULL: not counted */
	verify_wide value; /**< of the packet read last */
	verify_wide flow_value; /**< of the flow in sequence that it belongs to */
};

enum verify_place {
	VERIFY_VAR_DST_MAC,
	VERIFY_VAR_SRC_MAC,
	VERIFY_VAR_SVLAN,
	VERIFY_VAR_VLAN,
	VERIFY_VAR_SRC,
	VERIFY_VAR_DST,
	VERIFY_VAR_UDP_SRC,
	VERIFY_VAR_UDP_DST,
	VERIFY_VAR_SIZE,
	VERIFY_VAR_MPLS,
	VERIFY_VARS = VERIFY_VAR_MPLS + PG_MPLS_MAX,
};

/** Flows: a table of the addresses and ports seen in a block of flows * flowlen packets. */
struct verify_slot {
	uint64_t key, packets;
};

enum verify_flows {
	VERIFY_FLOWS_NONE,
	VERIFY_FLOWS_SEQ,   /**< packet i belongs to flow i / flowlen */
	VERIFY_FLOWS_BLOCK, /**< each block of packets has every flow, in any order */
	VERIFY_FLOWS_PART,  /**< the same, but not all of its packets are read */
	VERIFY_FLOWS_LINUX, /**< destinations that depend on what was before: not checked */
};

/** When packets are due. A burst is a single packet, unless several are due at once. Times are
 *  cycles after the start. */
struct verify_due {
	bool known;     /**< there is a plan */
	bool scheduled; /**< there is a schedule, be it without gaps */
	bool sparse;    /**< const: not all packets are read */
	bool drawn;     /**< const: gaps are, with this key */
	bool by_bytes;  /**< the gap is that of a byte, */
	uint32_t extra; /**< and so many count with each packet */
	uint32_t unit;  /**< const: packets of a burst */
	struct pg_key key;
	long double gap;
	/* The burst of the packet sought last. */
	uint64_t first, number; /**< its first packet; how many were before it */
	uint32_t size;          /**< its packets */
	long double times;      /**< that its gaps are drawn */
	long double own;        /**< by_bytes: of its packets so far */
	long double last, blur; /**< gaps of the one before, and what they may be off */
	long double at, units;  /**< it is due so many gaps after that */
	long double doubt;      /**< by how much that may be off; */
	long double drift;      /**< so many gaps more */
	/* What happened before a packet. */
	uint64_t event;
	long double moved; /**< cycles */
	bool changed;      /**< the rate */
	uint32_t bytes;    /**< so long it was said to be; 0: that does not matter */
};

struct verify {
	struct pg_verify hot; /**< first */
	/* The plan: const. */
	uint32_t every, copies, part, parts;
	uint64_t count, begin;
	bool ip6, as_linux, udp_checksum, stamped, learn_src_mac;
	bool size_clamped; /**< sizes are drawn that are shorter than the headers */
	uint8_t tos, traffic_class;
	struct pg_vlan vlan, svlan;
	struct pg_hex_list mpls;
	uint32_t frame_min, frags, priority;
	uint32_t nsizes; /**< of a mix, by resulting length */
	struct verify_size {
		uint32_t length;
		uint64_t weight;
		uint64_t in_cycle, all; /**< packets of this cycle and of the run */
	} size[PG_PAIRS_MAX];
	uint64_t weights; /**< their sum */
	enum verify_flows flow_walk;
	uint64_t flows, flowlen;
	bool stamped_due;           /**< stamps are intended times, not those of building */
	struct pg_verify_gap asked; /**< at the start */
	uint32_t speed_mbps;
	struct verify_var var[VERIFY_VARS];
	/* What advances. */
	uint64_t wall_cycles, wall_ns, stamp_ns_per_cycle;
	uint64_t built;    /**< of the packet read last: its number among those built */
	bool any;          /**< one was read */
	uint16_t first_id; /**< as_linux: of packet 0 */
	struct verify_due due;
	uint64_t copy_due;             /**< of the first copy of this packet; not before */
	uint64_t last_us;              /**< unpaced: the stamp before */
	uint64_t flow;                 /**< SEQ: of the packet before; BLOCK: the block */
	bool flow_any;                 /**< there was one */
	bool block_whole, cycle_whole; /**< BLOCK, a mix: seen from their first packet on */
	uint64_t cycle;                /**< of the mix */
	uint32_t slots_mask, ndistinct;
	struct verify_slot *slot;
	struct pg_receipt receipt;
};

/** Derive the plan. Errors: -ENOMEM. */
int verify_plan(struct verify *v, const struct pg_verify_config *config);

/** A packet that is being read. */
struct verify_at {
	uint64_t packet; /**< on the wire */
	uint64_t built;  /**< its number among those built */
	uint64_t index;  /**< in the stream */
	bool fresh;      /**< not a copy of the packet before */
	uint64_t due, now;
	uint64_t before; /**< intended time of the packet before, or the start */
};

void verify_fault(struct verify *v, enum pg_verify_check check, uint64_t packet, uint8_t field,
	verify_wide least, verify_wide most, verify_wide found);

/** Note that a check looked at this packet, and a fault unless least <= found <= most. */
static inline bool
verify_want(struct verify *v, enum pg_verify_check check, uint64_t packet, uint8_t field,
	verify_wide least, verify_wide most, verify_wide found)
{
	if (likely(found >= least && found <= most))
		return true;
	verify_fault(v, check, packet, field, least, most, found);
	return false;
}

void verify_packet(struct verify *v, const struct rte_mbuf *mbuf, const struct verify_at *at);

/** The value's place in the range. */
static inline verify_wide
verify_offset(const struct verify_var *var, verify_wide value)
{
	verify_wide mask = var->bits < 128 ? ((verify_wide)1 << var->bits) - 1 : ~(verify_wide)0;

	return (value - var->base) & mask;
}

/** IPv4 addresses that a random destination never has: this network, loopback (RFC 1122),
 *  multicast (RFC 5771), limited broadcast. */
static inline bool
verify_is_reserved(uint32_t ip)
{
	return ip == 0 || ip >> 24 == 127 || ip >> 28 == 14 || ip == UINT32_MAX;
}

/** Flows and times of one packet. */
/** Is packet `index` the first of its cycle of so many? Then all of it goes by, unless the stream
 * has other parts. */
static inline bool
verify_whole(const struct verify *v, uint64_t index, uint64_t cycle)
{
	return v->parts == 1 && index % cycle == 0;
}

void verify_flow(struct verify *v, const struct verify_at *at);
void verify_flow_end(struct verify *v);
void verify_stamp(struct verify *v, const struct verify_frame *frame, const struct verify_at *at);
void verify_due(struct verify *v, const struct verify_frame *frame, const struct verify_at *at);
void verify_due_begin(struct verify *v, uint64_t ns_per_cycle);

/** Room for flow tables. Errors: -ENOMEM. */
int verify_flow_tables(struct verify *v, int socket);

/** Count a draw, or a size; and judge them all in the end. */
void verify_draw(struct verify_var *var, verify_wide value);
void verify_size(struct verify *v, uint32_t length, const struct verify_at *at);
void verify_shares(struct verify *v);

#endif
