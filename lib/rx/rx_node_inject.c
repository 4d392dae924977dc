/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_priv.h"

// The source: takes the burst that the worker has put into the shared part.
static uint16_t
inject(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	struct pg_rx_graph *rx = slot->rx;
	uint16_t n = rx->npkts;

	(void)objs;
	(void)nobjs;
	rte_node_enqueue(graph, node, slot->next[0], (void **)rx->pkts, n);
	return n;
}

const struct rte_node_register rx_node_inject = {
	.name = RX_INJECT,
	.flags = RTE_NODE_SOURCE_F,
	.process = inject,
	.parent_id = RTE_NODE_ID_INVALID,
};
