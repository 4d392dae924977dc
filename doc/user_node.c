/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of your own for rx_graph: drops UDP packets to an odd port, and lets all others pass.
 *   cc -shared -fPIC -O2 $(pkg-config --cflags libdpdk) -o odd.so user_node.c
 *   pmdgen -d ./odd.so -- FILE, with `rx_graph eth,ip4,odd,deliver` in it */
#include <string.h>

#include <rte_graph.h>
#include <rte_graph_worker.h>
#include <rte_mbuf.h>

enum { EDGE_ODD }; /* edges of our own; pmdgen adds one to each word behind them */

/* Where the node sits in a chain is known when a graph is made: the edge to whoever comes next
 * stands in its context, behind a pointer that is pmdgen's. */
static rte_edge_t
edge_next(const struct rte_node *node)
{
	rte_edge_t next;

	memcpy(&next, node->ctx + sizeof(void *), sizeof(next));
	return next;
}

static uint16_t
odd(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t n)
{
	const rte_edge_t next = edge_next(node);

	for (uint16_t i = 0; i < n; i++) {
		/* Behind ip4: 14 bytes of Ethernet, 20 of IPv4, and the last byte of the port. */
		const uint8_t *frame = rte_pktmbuf_mtod((struct rte_mbuf *)objs[i], uint8_t *);

		rte_node_enqueue_x1(graph, node, frame[37] & 1 ? EDGE_ODD : next, objs[i]);
	}
	return n;
}

/* The name is pg_user_ and the word; a drop is named with its reason, and counted. */
static struct rte_node_register node_odd = {
	.name = "pg_user_odd",
	.process = odd,
	.nb_edges = 1,
	.next_nodes = {[EDGE_ODD] = "pg_drop_for-odd: odd port"},
};
RTE_NODE_REGISTER(node_odd);
