/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_priv.h"

#define ENTRY_BYTES 4
#define BOTTOM      0x01 // of the third byte of an entry (RFC 3032)

enum { NEXT_SHORT = RX_NOBODY + 1, NEXT_DEEP };

// Nothing but its first four bits tells what is below the bottom of the stack (RFC 4928).
static enum rx_kind
kind_of(uint8_t first)
{
	return first >> 4 == 4 ? RX_IP4 : first >> 4 == 6 ? RX_IP6 : RX_OTHER;
}

static rte_edge_t
verdict(struct rte_mbuf *mbuf, const struct rx_slot *slot)
{
	const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
	uint32_t at = RTE_ETHER_HDR_LEN;
	enum rx_kind kind;

	for (unsigned int i = 0;; i++, at += ENTRY_BYTES) {
		if (i == RX_MPLS_MAX)
			return NEXT_DEEP;
		if (unlikely(at + ENTRY_BYTES > mbuf->data_len))
			return NEXT_SHORT;
		if (frame[at + 2] & BOTTOM)
			break;
	}
	at += ENTRY_BYTES;
	if (unlikely(at == mbuf->data_len))
		return NEXT_SHORT;
	kind = kind_of(frame[at]);
	rx_skip(mbuf, at - RTE_ETHER_HDR_LEN);
	mbuf->ol_flags |= slot->unchecked[kind];
	return slot->next[kind];
}

static uint16_t
mpls(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	return rx_each(graph, node, objs, nobjs, verdict);
}

const struct rte_node_register rx_node_mpls = {
	.name = "pg_mpls",
	.process = mpls,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 3,
	.next_nodes =
		{
			[RX_NOBODY] = RX_DROP_FOR("mpls: unknown type"),
			[NEXT_SHORT] = RX_DROP_FOR("mpls: short"),
			[NEXT_DEEP] = RX_DROP_FOR("mpls: too deep"),
		},
};
