/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_priv.h"

#define TAG_BYTES 4

enum { NEXT_SHORT = RX_NOBODY + 1 };

// The type behind a tag lies 4 bytes behind the one before it, so a packet that begins as much
// later has it where an untagged one has. The addresses before it are not moved: they were looked
// at.
static rte_edge_t
verdict(struct rte_mbuf *mbuf, const struct rx_slot *slot)
{
	enum rx_kind kind = RX_VLAN;

	for (unsigned int i = 0; i < RX_TAGS_MAX && kind == RX_VLAN; i++) {
		if (unlikely(mbuf->data_len < RTE_ETHER_HDR_LEN + TAG_BYTES))
			return NEXT_SHORT;
		rx_skip(mbuf, TAG_BYTES);
		kind = rx_kind(rte_pktmbuf_mtod(mbuf, const struct rte_ether_hdr *)->ether_type);
	}
	mbuf->ol_flags |= slot->unchecked[kind];
	return slot->next[kind];
}

static uint16_t
vlan(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	return rx_each(graph, node, objs, nobjs, verdict);
}

const struct rte_node_register rx_node_vlan = {
	.name = "pg_vlan",
	.process = vlan,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 2,
	.next_nodes =
		{
			[RX_NOBODY] = RX_DROP_FOR("vlan: unknown type"),
			[NEXT_SHORT] = RX_DROP_FOR("vlan: short"),
		},
};
