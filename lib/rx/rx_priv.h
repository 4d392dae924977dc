/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_PRIV_H
#define RX_PRIV_H

#include <string.h>

#include "rx_run.h"

#define RX_INJECT      "pg_inject"
#define RX_INJECT_NULL "pg_inject_null"
#define RX_DROP        "pg_drop"
/** A drop node of its own for each reason; the graph's statistics count it. */
#define RX_DROP_FOR(reason) RX_DROP "-" reason

/** A destination MAC is the low 48 bits of the first 8 bytes of a frame (little endian). */
#define RX_MAC_MASK 0xffffffffffffULL

/** The nodes, one per file; rx_graph.c registers them in this order. */
extern const struct rte_node_register *const rx_node_inject;
extern const struct rte_node_register *const rx_node_inject_null;
extern const struct rte_node_register *const rx_node_eth;
extern const struct rte_node_register *const rx_node_ip4;
extern const struct rte_node_register *const rx_node_deliver;
extern const struct rte_node_register *const rx_node_null;
extern const struct rte_node_register *const rx_node_drop;

/** What a node's context holds: the graph's shared part. */
static inline struct pg_rx_graph *
rx_of(const struct rte_node *node)
{
	struct pg_rx_graph *rx;

	memcpy(&rx, node->ctx, sizeof(rx));
	return rx;
}

/** Hand packets on: all at once if their edges are equal (`mixed` is the OR of their differences),
 *  one by one if not. Shape: next[n] are edges. */
static inline void
rx_forward(struct rte_graph *graph, struct rte_node *node, void **objs, rte_edge_t *next,
	uint16_t n, rte_edge_t mixed)
{
	if (likely(mixed == 0))
		rte_node_next_stream_move(graph, node, next[0]);
	else
		rte_node_enqueue_next(graph, node, next, objs, n);
}

#endif
