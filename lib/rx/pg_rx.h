/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_RX_H
#define PG_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "pg_error.h"

/* The receive graph (DESIGN 7): a source node injects bursts, nodes do what a receive path does. */

#define PG_RX_BURST_MAX 256 /**< packets of one walk: RTE_GRAPH_BURST_SIZE */
#define PG_RX_NODES_MAX 32

/** The chain of nodes that a graph is made of. */
enum pg_rx_chain {
	PG_RX_HOST, /**< Ethernet, IPv4 checks, delivery: every drop has a reason */
	PG_RX_NULL, /**< takes and frees: the generator's own cost */
};

struct pg_rx_graph;

/** What the nodes of a graph counted. */
struct pg_rx_profile {
	unsigned int nnodes;
	struct pg_rx_node_count {
		char name[64]; /**< "eth", "ip4"; a drop node's is its reason: "ip4: wrong host" */
		bool drop;
		uint64_t packets, calls, cycles;
	} node[PG_RX_NODES_MAX];
};

/** Make a chain's graph for one thread.
 *  Shape:   name is unique in the process.  Errors: NULL with text. */
struct pg_rx_graph *pg_rx_graph_create(
	const char *name, enum pg_rx_chain chain, int socket, struct pg_error *err);
void pg_rx_graph_destroy(struct pg_rx_graph *rx);

/** Start counting: what the nodes counted so far belongs to nobody.
 *  Shape:   the profile gets the chain's node names, in order, and zeros. */
void pg_rx_profile_begin(struct pg_rx_graph *rx, struct pg_rx_profile *profile);

#endif
