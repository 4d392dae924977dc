/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_byteorder.h>
#include <rte_ether.h>

#include "rx_priv.h"

enum { NEXT_SHORT = RX_NOBODY + 1 };

static __rte_noinline rte_edge_t
not_ip4(struct rte_mbuf *mbuf, const struct rx_slot *slot)
{
	enum rx_kind kind =
		rx_kind(rte_pktmbuf_mtod(mbuf, const struct rte_ether_hdr *)->ether_type);

	mbuf->ol_flags |= slot->unchecked[kind];
	return slot->next[kind];
}

// The frame's type decides the edge; whose it is becomes a flag that the layer above asks, as
// eth_type_trans() and ip_rcv() share the work in Linux. Multicast and broadcast are ours.
static uint16_t
eth(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	const struct pg_rx_graph *rx = slot->rx;
	const uint64_t mac = rx->mac, other_host = rx->other_host;
	const uint16_t ip4 = RTE_BE16(RTE_ETHER_TYPE_IPV4);
	rte_edge_t next[PG_RX_BURST_MAX], mixed = 0, is_ip4 = slot->next[RX_IP4];

	next[0] = is_ip4;
	for (uint16_t k = 0; k < nobjs; k++) {
		struct rte_mbuf *mbuf = objs[k];
		const struct rte_ether_hdr *hdr =
			rte_pktmbuf_mtod(mbuf, const struct rte_ether_hdr *);
		uint64_t dst;

		memcpy(&dst, hdr, sizeof(dst));
		if (((dst ^ mac) & RX_MAC_MASK) != 0 && !(dst & RTE_ETHER_GROUP_ADDR))
			mbuf->ol_flags |= other_host;
		next[k] = likely(hdr->ether_type == ip4) ? is_ip4 : not_ip4(mbuf, slot);
		if (unlikely(mbuf->data_len < sizeof(*hdr)))
			next[k] = NEXT_SHORT;
		mixed |= next[k] ^ next[0];
	}
	rx_forward(graph, node, objs, next, nobjs, mixed);
	return nobjs;
}

const struct rte_node_register rx_node_eth = {
	.name = "pg_eth",
	.process = eth,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 2,
	.next_nodes =
		{
			[RX_NOBODY] = RX_DROP_FOR("eth: unknown type"),
			[NEXT_SHORT] = RX_DROP_FOR("eth: short"),
		},
};
