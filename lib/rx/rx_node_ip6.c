/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_ip.h>

#include "rx_ip.h"
#include "rx_priv.h"

enum {
	NEXT_WRONG_HOST,
	NEXT_SHORT,
	NEXT_BAD_VERSION,
	NEXT_BAD_SOURCE,
	NEXT_LOOPBACK,
	NEXT_BAD_SCOPE,
	NEXT_HOP_LIMIT,
};

static bool
is_loopback(const uint8_t *addr)
{
	static const uint8_t loopback[16] = {[15] = 1};

	return memcmp(addr, loopback, sizeof(loopback)) == 0;
}

// The order of ip6_rcv_core(): host, header there, version, addresses, length; then the hop limit.
static rte_edge_t
verdict(struct rte_mbuf *mbuf, const struct rx_slot *slot)
{
	const uint8_t *ip = rx_layer3(mbuf), *src = ip + 8, *dst = ip + 24;
	uint32_t there = mbuf->data_len - RTE_ETHER_HDR_LEN;
	uint32_t behind = mbuf->pkt_len - RTE_ETHER_HDR_LEN - sizeof(struct rte_ipv6_hdr);

	if (mbuf->ol_flags & slot->rx->other_host)
		return NEXT_WRONG_HOST;
	if (unlikely(there < sizeof(struct rte_ipv6_hdr)))
		return NEXT_SHORT;
	if (unlikely(ip[0] >> 4 != 6))
		return NEXT_BAD_VERSION;
	if (unlikely(is_loopback(src) || is_loopback(dst)))
		return NEXT_LOOPBACK;
	// Multicast of scope 0, and of scope 1 that comes from outside (RFC 4291, 2.7).
	if (unlikely(dst[0] == 0xff && (dst[1] & 15) <= 1))
		return NEXT_BAD_SCOPE;
	if (unlikely(src[0] == 0xff))
		return NEXT_BAD_SOURCE;
	// A length of 0 before hop-by-hop options is that of a jumbogram (RFC 2675), and no error.
	if (unlikely(rx_be16(ip + 4) > behind))
		return NEXT_SHORT;
	return likely(ip[7] != 0) ? slot->next[0] : NEXT_HOP_LIMIT;
}

static uint16_t
ip6(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	return rx_each(graph, node, objs, nobjs, verdict);
}

const struct rte_node_register rx_node_ip6 = {
	.name = "pg_ip6",
	.process = ip6,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 7,
	.next_nodes =
		{
			[NEXT_WRONG_HOST] = RX_DROP_FOR("ip6: wrong host"),
			[NEXT_SHORT] = RX_DROP_FOR("ip6: short"),
			[NEXT_BAD_VERSION] = RX_DROP_FOR("ip6: bad version"),
			[NEXT_BAD_SOURCE] = RX_DROP_FOR("ip6: bad source"),
			[NEXT_LOOPBACK] = RX_DROP_FOR("ip6: loopback address"),
			[NEXT_BAD_SCOPE] = RX_DROP_FOR("ip6: bad multicast scope"),
			[NEXT_HOP_LIMIT] = RX_DROP_FOR("ip6: hop limit"),
		},
};
