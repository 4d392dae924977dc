/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_priv.h"

// The source: takes the burst that the worker has put into the shared part.
static uint16_t
inject(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	struct pg_rx_graph *rx = rx_of(node);
	uint16_t n = rx->npkts;

	(void)objs;
	(void)nobjs;
	rte_node_enqueue(graph, node, 0, (void **)rx->pkts, n);
	return n;
}

static const struct rte_node_register node_inject = {
	.name = RX_INJECT,
	.flags = RTE_NODE_SOURCE_F,
	.process = inject,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 1,
	.next_nodes = {"pg_eth"},
};

static const struct rte_node_register node_inject_null = {
	.name = RX_INJECT_NULL,
	.flags = RTE_NODE_SOURCE_F,
	.process = inject,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 1,
	.next_nodes = {"pg_null"},
};

const struct rte_node_register *const rx_node_inject = &node_inject;
const struct rte_node_register *const rx_node_inject_null = &node_inject_null;
