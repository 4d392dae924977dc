/* SPDX-License-Identifier: BSD-3-Clause */
#include <netinet/in.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "prog_priv.h"

// Sum of big-endian 16-bit words; n is even.
static uint32_t
sum_words(const uint8_t *bytes, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i += 2)
		sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	return sum;
}

static_assert(
	(PG_FIELD_UDP_SRC ^ 1) == PG_FIELD_UDP_DST && (PG_FIELD_IP_SRC ^ 1) == PG_FIELD_IP_DST,
	"fields that share a word are neighbours");

// The value that the image holds: zero if this field or its neighbour comes from a column.
static uint32_t
constant(const struct pg_flow *flow, enum pg_field field)
{
	const struct pg_range *r = &flow->field[field], *other = &flow->field[field ^ 1];

	if (field >= PG_FIELD_IP_SRC && prog_walks_flows(flow))
		return 0;
	return r->lo == r->hi && other->lo == other->hi ? r->lo : 0;
}

static void
put_ip4(struct pg_prog *prog)
{
	const struct pg_flow *flow = &prog->flow;
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(prog->image + prog->l3);

	ip->version_ihl = RTE_IPV4_VHL_DEF;
	ip->type_of_service = flow->tos;
	ip->time_to_live = PROG_IP_TTL;
	ip->next_proto_id = IPPROTO_UDP;
	ip->src_addr = rte_cpu_to_be_32(constant(flow, PG_FIELD_IP_SRC));
	ip->dst_addr = rte_cpu_to_be_32(constant(flow, PG_FIELD_IP_DST));
	if (prog->frame != 0)
		ip->total_length = rte_cpu_to_be_16(prog->frame - prog->l3);
	prog->ip_base = sum_words((const uint8_t *)ip, sizeof(*ip));
	prog->ttl_proto = (uint32_t)ip->time_to_live << 24 | (uint32_t)ip->next_proto_id << 16;
	prog->udp_base = sum_words((const uint8_t *)&ip->src_addr, 8);
}

// What is random of an address is added by its operation.
static void
put_address6(const struct pg_flow *flow, bool src, uint8_t *out)
{
	const struct pg_range6 *range = src ? &flow->src6 : &flow->dst6;

	if (!range->random)
		memcpy(out, &range->lo, sizeof(range->lo));
	else if (prog_ip6_tail(flow, src))
		memcpy(out, &range->lo, sizeof(range->lo) - sizeof(uint32_t));
}

static void
put_ip6(struct pg_prog *prog)
{
	const struct pg_flow *flow = &prog->flow;
	struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)(prog->image + prog->l3);

	ip->vtc_flow = rte_cpu_to_be_32(6u << 28 | (uint32_t)flow->traffic_class << 20);
	ip->proto = IPPROTO_UDP;
	ip->hop_limits = PROG_IP_TTL;
	put_address6(flow, true, ip->src_addr);
	put_address6(flow, false, ip->dst_addr);
	if (prog->frame != 0)
		ip->payload_len = rte_cpu_to_be_16(prog->frame - prog->l4);
	prog->udp_base = sum_words((const uint8_t *)&ip->src_addr, 32);
}

// UDP behind layer 3, whose part of the pseudo header (RFC 768, RFC 8200) is summed already.
static void
put_udp(struct pg_prog *prog)
{
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(prog->image + prog->l4);

	udp->src_port = rte_cpu_to_be_16(constant(&prog->flow, PG_FIELD_UDP_SRC));
	udp->dst_port = rte_cpu_to_be_16(constant(&prog->flow, PG_FIELD_UDP_DST));
	if (prog->frame != 0)
		udp->dgram_len = rte_cpu_to_be_16(prog->frame - prog->l4);
	prog->udp_base += IPPROTO_UDP + sum_words((const uint8_t *)&udp->dgram_len, 2) +
			  sum_words((const uint8_t *)udp, sizeof(*udp) + PG_PAYLOAD_BYTES);
	prog->ports = constant(&prog->flow, PG_FIELD_UDP_SRC) << 16 |
		      constant(&prog->flow, PG_FIELD_UDP_DST);
	prog->udp_length = prog->frame != 0 ? (prog->frame - prog->l4) << 16 : 0;
}

static void
put_word(uint8_t **at, uint16_t first, uint16_t second)
{
	const uint16_t words[2] = {rte_cpu_to_be_16(first), rte_cpu_to_be_16(second)};

	memcpy(*at, words, sizeof(words));
	*at += sizeof(words);
}

// From the Ethernet type on: tags (the outer one also with 0x8100) or labels, then layer 3's type
// where there are no labels (reference 8.1).
static void
put_tags(struct pg_prog *prog)
{
	const struct pg_flow *flow = &prog->flow;
	uint8_t *at = prog->image + offsetof(struct rte_ether_hdr, ether_type);
	uint16_t l3 = prog->ip6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4;
	uint16_t type = rte_cpu_to_be_16(flow->mpls.count > 0 ? RTE_ETHER_TYPE_MPLS : l3);

	if (flow->svlan.id != PG_VLAN_OFF)
		put_word(&at, RTE_ETHER_TYPE_VLAN, flow->svlan.id | prog_tci_bits(&flow->svlan));
	if (flow->vlan.id != PG_VLAN_OFF)
		put_word(&at, RTE_ETHER_TYPE_VLAN, flow->vlan.id | prog_tci_bits(&flow->vlan));
	memcpy(at, &type, sizeof(type));
	at += sizeof(type);
	for (uint32_t i = 0; i < flow->mpls.count; i++) {
		uint32_t entry = flow->mpls.word[i] & ~(uint32_t)PG_MPLS_S;

		if (i + 1 == flow->mpls.count)
			entry |= PG_MPLS_S;
		put_word(&at, entry >> 16, entry & 0xffff);
	}
}

void
prog_image_build(struct pg_prog *prog)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)prog->image;
	uint32_t magic = rte_cpu_to_be_32(PROG_MAGIC);

	memset(prog->image, 0, prog->image_bytes);
	eth->dst_addr = prog->flow.dst_mac;
	eth->src_addr = prog->flow.src_mac;
	put_tags(prog);
	memcpy(prog->image + prog->payload, &magic, sizeof(magic));
	if (prog->ip6)
		put_ip6(prog);
	else
		put_ip4(prog);
	put_udp(prog);
}
