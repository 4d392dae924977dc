/* SPDX-License-Identifier: BSD-3-Clause */
/* The packet, once more: straight from reference 8, RFC 791, 8200, 768 and 1071. */
#include <string.h>

#include "support_prog.h"

#define MAC_BYTES 6

static void
put(uint8_t *at, unsigned int bytes, uint64_t value)
{
	while (bytes-- > 0) {
		at[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t
get(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

// The one's complement sum of big-endian words, the last one padded with zero.
static uint32_t
ones_sum(const uint8_t *bytes, uint32_t n, uint32_t sum)
{
	for (uint32_t i = 0; i < n; i++) {
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static bool
is_ip6(const struct pg_flow *flow)
{
	return (flow->flags & PG_FLAG_IPV6) != 0;
}

static uint32_t
l3_bytes(const struct pg_flow *flow)
{
	return is_ip6(flow) ? 40 : 20;
}

// Addresses, protocol 17 and UDP length before the UDP header and its data: RFC 768, RFC 8200 8.1.
static uint32_t
udp_sum(const struct pg_flow *flow, const uint8_t *ip, uint32_t udp_bytes)
{
	uint32_t sum = is_ip6(flow) ? ones_sum(ip + 8, 32, 0) : ones_sum(ip + 12, 8, 0);
	uint8_t rest[4];

	put(rest, 2, 17);
	put(rest + 2, 2, udp_bytes);
	return ones_sum(ip + l3_bytes(flow), udp_bytes, ones_sum(rest, sizeof(rest), sum));
}

static bool
has(const struct pg_vlan *vlan)
{
	return vlan->id != PG_VLAN_OFF;
}

uint32_t
packet_l3(const struct pg_flow *flow)
{
	return 14 + 4 * (flow->mpls.count + has(&flow->vlan) + has(&flow->svlan));
}

// Added to the last five bytes with carry between them; byte 0 never changes (7.1).
static void
put_mac(uint8_t *at, const struct rte_ether_addr *base, uint32_t offset)
{
	uint64_t carry = offset;

	memcpy(at, base->addr_bytes, MAC_BYTES);
	for (int i = MAC_BYTES - 1; i > 0; i--) {
		carry += at[i];
		at[i] = (uint8_t)carry;
		carry >>= 8;
	}
}

static uint8_t *
put_tag(uint8_t *at, const struct pg_vlan *vlan, uint32_t id)
{
	put(at, 2, 0x8100); // the outer tag too
	put(at + 2, 2, id | (uint32_t)vlan->cfi << 12 | (uint32_t)vlan->p << 13);
	return at + 4;
}

// The S bit is set on the last entry only. Of a random entry the low 20 bits are drawn.
static uint8_t *
put_labels(uint8_t *at, const struct pg_flow *flow, const struct packet *packet)
{
	for (uint32_t i = 0; i < flow->mpls.count; i++, at += 4) {
		bool random = flow->field[PG_FIELD_MPLS + i].random;
		uint32_t entry = random ? packet->value[PG_FIELD_MPLS + i] : flow->mpls.word[i];

		entry &= ~0x100u;
		put(at, 4, i + 1 == flow->mpls.count ? entry | 0x100 : entry);
	}
	return at;
}

static uint8_t *
put_ethernet(uint8_t *out, const struct pg_flow *flow, const struct packet *packet)
{
	uint8_t *at = out + 2 * MAC_BYTES;

	put_mac(out, &flow->dst_mac, packet->value[PG_FIELD_MAC_DST]);
	put_mac(out + MAC_BYTES, &flow->src_mac, packet->value[PG_FIELD_MAC_SRC]);
	if (has(&flow->svlan))
		at = put_tag(at, &flow->svlan, packet->value[PG_FIELD_SVLAN]);
	if (has(&flow->vlan))
		at = put_tag(at, &flow->vlan, packet->value[PG_FIELD_VLAN]);
	put(at, 2, flow->mpls.count > 0 ? 0x8847 : is_ip6(flow) ? 0x86dd : 0x0800);
	return put_labels(at + 2, flow, packet);
}

static void
put_ip4(uint8_t *ip, const struct pg_flow *flow, const struct packet *packet, uint32_t bytes)
{
	put(ip, 2, 0x4500 | flow->tos);
	put(ip + 2, 2, bytes);
	put(ip + 4, 2, packet->index); // id
	put(ip + 8, 2, 32 << 8 | 17);  // ttl, protocol
	put(ip + 12, 4, packet->value[PG_FIELD_IP_SRC]);
	put(ip + 16, 4, packet->value[PG_FIELD_IP_DST]);
	put(ip + 10, 2, ~ones_sum(ip, 20, 0));
}

static void
put_ip6(uint8_t *ip, const struct pg_flow *flow, const struct packet *packet, uint32_t bytes)
{
	put(ip, 4, (uint64_t)6 << 28 | (uint32_t)flow->traffic_class << 20);
	put(ip + 4, 2, bytes - 40);
	put(ip + 6, 2, 17 << 8 | 32); // next header, hop limit
	memcpy(ip + 8, packet->src6.bytes, 16);
	memcpy(ip + 24, packet->dst6.bytes, 16);
}

uint32_t
packet_build(const struct pg_flow *flow, const struct packet *packet, uint8_t *out)
{
	const uint32_t *value = packet->value;
	uint32_t least = packet_l3(flow) + l3_bytes(flow) + 8 + 16, sum;
	uint32_t length = value[PG_FIELD_SIZE] < least ? least : value[PG_FIELD_SIZE];
	uint64_t seconds = packet->stamp_ns / 1000000000, us = packet->stamp_ns / 1000 % 1000000;
	uint8_t *ip, *udp;

	memset(out, 0, length);
	ip = put_ethernet(out, flow, packet);
	udp = ip + l3_bytes(flow);
	(is_ip6(flow) ? put_ip6 : put_ip4)(ip, flow, packet, (uint32_t)(out + length - ip));
	put(udp, 2, value[PG_FIELD_UDP_SRC]);
	put(udp + 2, 2, value[PG_FIELD_UDP_DST]);
	put(udp + 4, 2, out + length - udp);
	put(udp + 8, 4, 0xbe9be955);
	put(udp + 12, 4, 1 + packet->index * packet->copies);
	if (!(flow->flags & PG_FLAG_NO_TIMESTAMP)) {
		put(udp + 16, 4, seconds);
		put(udp + 20, 4, us);
	}
	// Over IPv6 always (DESIGN 8).
	if ((flow->flags & PG_FLAG_UDPCSUM) || is_ip6(flow)) {
		sum = ~udp_sum(flow, ip, (uint32_t)(out + length - udp)) & 0xffff;
		put(udp + 6, 2, sum != 0 ? sum : 0xffff);
	}
	return length;
}

static uint32_t
mac_offset(const uint8_t *at, const struct rte_ether_addr *base)
{
	return (uint32_t)(get(at + 1, 5) - get(base->addr_bytes + 1, 5));
}

void
packet_read(
	const struct pg_flow *flow, const uint8_t *frame, uint32_t length, struct packet *packet)
{
	const uint8_t *tag = frame + 14, *ip = frame + packet_l3(flow);

	memset(packet->value, 0, sizeof(packet->value));
	packet->value[PG_FIELD_MAC_DST] = mac_offset(frame, &flow->dst_mac);
	packet->value[PG_FIELD_MAC_SRC] = mac_offset(frame + MAC_BYTES, &flow->src_mac);
	packet->value[PG_FIELD_SVLAN] = has(&flow->svlan) ? get(tag, 2) & 0xfff : 0;
	tag += has(&flow->svlan) ? 4 : 0;
	packet->value[PG_FIELD_VLAN] = has(&flow->vlan) ? get(tag, 2) & 0xfff : 0;
	for (uint32_t i = 0; i < PG_MPLS_MAX; i++) {
		bool random = i < flow->mpls.count && flow->field[PG_FIELD_MPLS + i].random;

		packet->value[PG_FIELD_MPLS + i] =
			random ? (uint32_t)get(frame + 14 + 4 * i, 4) & ~0x100u : 0;
	}
	packet->value[PG_FIELD_IP_SRC] = is_ip6(flow) ? 0 : (uint32_t)get(ip + 12, 4);
	packet->value[PG_FIELD_IP_DST] = is_ip6(flow) ? 0 : (uint32_t)get(ip + 16, 4);
	memset(&packet->src6, 0, sizeof(packet->src6));
	memset(&packet->dst6, 0, sizeof(packet->dst6));
	if (is_ip6(flow)) {
		memcpy(packet->src6.bytes, ip + 8, 16);
		memcpy(packet->dst6.bytes, ip + 24, 16);
	}
	packet->value[PG_FIELD_UDP_SRC] = (uint32_t)get(ip + l3_bytes(flow), 2);
	packet->value[PG_FIELD_UDP_DST] = (uint32_t)get(ip + l3_bytes(flow) + 2, 2);
	packet->value[PG_FIELD_SIZE] = length;
}

bool
packet_sums_ok(const struct pg_flow *flow, const uint8_t *frame, uint32_t length)
{
	const uint8_t *ip = frame + packet_l3(flow), *udp = ip + l3_bytes(flow);
	uint32_t udp_bytes = (uint32_t)(frame + length - udp);
	bool udp_ok = udp_sum(flow, ip, udp_bytes) == 0xffff;

	if (is_ip6(flow))
		return udp_ok && get(udp + 6, 2) != 0;
	return ones_sum(ip, 20, 0) == 0xffff && (udp_ok || get(udp + 6, 2) == 0);
}

uint32_t
packet_linear(const struct pg_range *range, uint64_t index)
{
	uint64_t n = (uint64_t)range->hi - range->lo + 1;

	return (uint32_t)(range->lo + index % n);
}
