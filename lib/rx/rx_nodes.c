/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes belong to the process: registered once, by this list, each with edges to all words that
 * may come after it. Which of them a graph takes stands in its slots. */
#include <errno.h>

#include <rte_errno.h>

#include "rx_priv.h"

#define REGISTER(id, name, ...) [RX_W_##id] = &rx_node_##name,

static const struct rte_node_register *const nodes[] = {PG_RX_WORDS(REGISTER)};

/** Edges that a node has of its own: its drops and ends. [RX_WORDS_MAX]: the source's. */
static rte_edge_t own_edges[RX_WORDS_MAX + 1];

// A clone for an edge that names one: of the drop node, or of the end that is none.
static int
clone_end(const char *next)
{
	const char *dash = strchr(next, '-');
	const char *const ends[] = {RX_DROP, RX_END};

	for (size_t i = 0; i < RTE_DIM(ends); i++) {
		size_t length = strlen(ends[i]);

		if (dash != next + length || memcmp(next, ends[i], length) != 0 ||
			rte_node_from_name(next) != RTE_NODE_ID_INVALID)
			continue;
		if (rte_node_clone(rte_node_from_name(ends[i]), dash + 1) == RTE_NODE_ID_INVALID)
			return -rte_errno;
	}
	return 0;
}

static int
clone_ends(const char *const *next, rte_edge_t n)
{
	int rc = 0;

	for (rte_edge_t e = 0; rc == 0 && e < n; e++)
		rc = clone_end(next[e]);
	return rc;
}

static int
register_one(const struct rte_node_register *node)
{
	if (pg_compat_node_register(node) == RTE_NODE_ID_INVALID)
		return -rte_errno;
	return clone_ends(node->next_nodes, node->nb_edges);
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
adopt_user(const struct rx_word *word)
{
	rte_node_t id = rte_node_from_name(word->node);
	char *next[RX_WORDS_MAX];
	rte_node_t n = rte_node_edge_get(id, NULL) / sizeof(next[0]);

	if (n == 0 || n > RTE_DIM(next))
		return n == 0 ? 0 : -E2BIG;
	rte_node_edge_get(id, next);
	return clone_ends((const char *const *)next, n);
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
	const struct rte_node_register *const first[] = {
		&rx_node_drop_for, &rx_node_end_for, &rx_node_inject};
	const struct rx_word *word;
	int rc = 0;

	if (rte_node_from_name(RX_INJECT) != RTE_NODE_ID_INVALID)
		return 0;
	for (size_t i = 0; rc == 0 && i < RTE_DIM(first); i++)
		rc = register_one(first[i]);
	for (size_t i = 0; rc == 0 && i < RTE_DIM(nodes); i++)
		rc = register_one(nodes[i]);
	for (unsigned int id = RX_WORDS; rc == 0 && (word = rx_word(id)) != NULL; id++)
		rc = adopt_user(word);
	return rc == 0 ? connect_all() : rc;
}

rte_edge_t
rx_edge(unsigned int from, unsigned int to)
{
	return own_edges[from] + to - (to > from);
}
