/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes belong to the process: registered once, by this list, each with edges to all words that
 * may come after it. Which of them a graph takes stands in its slots. */
#include <errno.h>

#include <rte_errno.h>

#include "rx_priv.h"

#define REGISTER(id, name, ...) [RX_W_##id] = &rx_node_##name,

static const struct rte_node_register *const nodes[] = {PG_RX_WORDS(REGISTER)};

/** Edges that a node has of its own: its drops. [RX_WORDS_MAX]: the source's. */
static rte_edge_t own_edges[RX_WORDS_MAX + 1];

// A clone of the drop node for every edge that names one.
static int
clone_drops(rte_node_t drop, const char *const *next, rte_edge_t n)
{
	static const size_t prefix = sizeof(RX_DROP_FOR("")) - 1;

	for (rte_edge_t e = 0; e < n; e++) {
		if (strncmp(next[e], RX_DROP_FOR(""), prefix) != 0 ||
			rte_node_from_name(next[e]) != RTE_NODE_ID_INVALID)
			continue;
		if (rte_node_clone(drop, next[e] + prefix) == RTE_NODE_ID_INVALID)
			return -rte_errno;
	}
	return 0;
}

static int
register_one(const struct rte_node_register *node, rte_node_t drop)
{
	if (pg_compat_node_register(node) == RTE_NODE_ID_INVALID)
		return -rte_errno;
	return clone_drops(drop, node->next_nodes, node->nb_edges);
}

// Behind its own edges, one to each other word.
static int
connect_words(unsigned int from, rte_node_t id)
{
	const char *next[RX_WORDS_MAX];
	const struct rx_word *word;
	rte_edge_t n = 0;

	own_edges[from] = rte_node_edge_count(id);
	if (own_edges[from] == RTE_EDGE_ID_INVALID)
		own_edges[from] = 0;
	for (unsigned int to = 0; (word = rx_word(to)) != NULL; to++) {
		if (to != from)
			next[n++] = word->node;
	}
	rte_node_edge_update(id, own_edges[from], next, n);
	return rte_node_edge_count(id) == own_edges[from] + n ? 0 : -ENOMEM;
}

// The drops of a user's node.
static int
adopt_user(rte_node_t drop, const struct rx_word *word)
{
	rte_node_t id = rte_node_from_name(word->node);
	char *next[RX_WORDS_MAX];
	rte_node_t n = rte_node_edge_get(id, NULL) / sizeof(next[0]);

	if (n == 0 || n > RTE_DIM(next))
		return n == 0 ? 0 : -E2BIG;
	rte_node_edge_get(id, next);
	return clone_drops(drop, (const char *const *)next, n);
}

static int
connect_all(void)
{
	const struct rx_word *word;
	int rc = connect_words(RX_WORDS_MAX, rte_node_from_name(RX_INJECT));

	for (unsigned int id = 0; rc == 0 && (word = rx_word(id)) != NULL; id++) {
		if (word->follow != 0 || id >= RX_WORDS)
			rc = connect_words(id, rte_node_from_name(word->node));
	}
	return rc;
}

int
rx_nodes_register(void)
{
	rte_node_t drop = rte_node_from_name(RX_DROP);
	const struct rx_word *word;
	int rc = 0;

	if (drop != RTE_NODE_ID_INVALID)
		return 0;
	drop = pg_compat_node_register(&rx_node_drop_for);
	if (drop == RTE_NODE_ID_INVALID)
		return -rte_errno;
	rc = register_one(&rx_node_inject, drop);
	for (size_t i = 0; rc == 0 && i < RTE_DIM(nodes); i++)
		rc = register_one(nodes[i], drop);
	for (unsigned int id = RX_WORDS; rc == 0 && (word = rx_word(id)) != NULL; id++)
		rc = adopt_user(drop, word);
	return rc == 0 ? connect_all() : rc;
}

rte_edge_t
rx_edge(unsigned int from, unsigned int to)
{
	return own_edges[from] + to - (to > from);
}
