/* SPDX-License-Identifier: BSD-3-Clause */
/* What a host answers itself: ARP, ICMP, ICMPv6; nobody answers here, so they are counted and
 * freed. The transports go on. */
#include "rx_ip.h"
#include "rx_priv.h"

enum { NEXT_UNKNOWN_TYPE, NEXT_UNKNOWN_PROTOCOL, NEXT_ARP, NEXT_ICMP, NEXT_ICMP6 };

static rte_edge_t
verdict(struct rte_mbuf *mbuf, const struct rx_slot *slot)
{
	struct rx_key key;

	if (mbuf->ol_flags & slot->rx->unchecked) {
		const struct rte_ether_hdr *hdr =
			rte_pktmbuf_mtod(mbuf, const struct rte_ether_hdr *);

		return hdr->ether_type == RTE_BE16(RTE_ETHER_TYPE_ARP) ? NEXT_ARP
								       : NEXT_UNKNOWN_TYPE;
	}
	rx_key(mbuf, &key);
	switch (key.proto) {
	case IPPROTO_UDP:
	case IPPROTO_TCP:
	case IPPROTO_SCTP:
		return slot->next[0];
	case IPPROTO_ICMP:
		return key.version == 4 ? NEXT_ICMP : NEXT_UNKNOWN_PROTOCOL;
	case IPPROTO_ICMPV6:
		return key.version == 6 ? NEXT_ICMP6 : NEXT_UNKNOWN_PROTOCOL;
	default:
		return NEXT_UNKNOWN_PROTOCOL;
	}
}

static uint16_t
other(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	return rx_each(graph, node, objs, nobjs, verdict);
}

const struct rte_node_register rx_node_other = {
	.name = "pg_other",
	.process = other,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 5,
	.next_nodes =
		{
			[NEXT_UNKNOWN_TYPE] = RX_DROP_FOR("other: unknown type"),
			[NEXT_UNKNOWN_PROTOCOL] = RX_DROP_FOR("other: unknown protocol"),
			[NEXT_ARP] = RX_END_FOR("arp"),
			[NEXT_ICMP] = RX_END_FOR("icmp"),
			[NEXT_ICMP6] = RX_END_FOR("icmp6"),
		},
};
