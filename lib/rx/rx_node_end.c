/* SPDX-License-Identifier: BSD-3-Clause */
/* Where packets end: delivered (no error), dropped for a reason, or taken by the null chain. */
#include <rte_mbuf.h>

#include "rx_priv.h"

static uint16_t
deliver(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	(void)graph;
	(void)node;
	rte_pktmbuf_free_bulk((struct rte_mbuf **)objs, nobjs);
	return nobjs;
}

static uint16_t
drop(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	rx_of(node)->dropped += nobjs;
	return deliver(graph, node, objs, nobjs);
}

static const struct rte_node_register node_deliver = {.name = "pg_deliver", .process = deliver,
	.parent_id = RTE_NODE_ID_INVALID};
static const struct rte_node_register node_null = {.name = "pg_null", .process = deliver,
	.parent_id = RTE_NODE_ID_INVALID};
static const struct rte_node_register node_drop = {.name = RX_DROP, .process = drop,
	.parent_id = RTE_NODE_ID_INVALID};

const struct rte_node_register *const rx_node_deliver = &node_deliver;
const struct rte_node_register *const rx_node_null = &node_null;
const struct rte_node_register *const rx_node_drop = &node_drop;
