/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_RX_H
#define PG_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "pg_error.h"

/* The receive graph (DESIGN 7): a source node injects bursts, nodes do what a receive path does. */

#define PG_RX_BURST_MAX 256 /**< packets of one walk: RTE_GRAPH_BURST_SIZE */
#define PG_RX_NODES_MAX 64

/** Everything that makes one graph differ from another; graphs of equal configurations are
 *  interchangeable. Texts are kept for the life of the process, so that the pointer tells them
 *  apart. */
struct pg_rx_config {
	const char *graph; /**< "host", "eth,ip4,drop" */
};

struct pg_rx_graph;

/** What the nodes of a graph counted. */
struct pg_rx_profile {
	const char *graph; /**< as its configuration says it */
	unsigned int nnodes;
	struct pg_rx_node_count {
		const char *name; /**< "eth", "ip4"; of a drop its reason: "ip4: wrong host" */
		bool drop;
		uint64_t packets, calls, cycles;
	} node[PG_RX_NODES_MAX];
};

/** Look at a chain as rx_graph has it: a preset, or words with commas between.
 *  Errors:  -EINVAL with text, and the column of the word that is wrong, from 0. */
int pg_rx_chain_check(const char *text, struct pg_error *err);

/** The nodes of the user's own, from 0 on. NULL: no more. Needs EAL's plugins. */
const char *pg_rx_user_word(unsigned int i);

/** Make a graph for one thread.
 *  Shape:   name is unique in the process; config is copied.
 *  Errors:  NULL with text. */
struct pg_rx_graph *pg_rx_graph_create(
	const char *name, const struct pg_rx_config *config, int socket, struct pg_error *err);
void pg_rx_graph_destroy(struct pg_rx_graph *rx);

/** Start counting: what the nodes counted so far belongs to nobody.
 *  Shape:   the profile gets the chain's node names, in order, and zeros. */
void pg_rx_profile_begin(struct pg_rx_graph *rx, struct pg_rx_profile *profile);

#endif
