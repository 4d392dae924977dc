/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>

#include "rx_priv.h"

/** What a node's context holds. A user's node reads `next`: the edge to pass packets on by. */
struct context {
	struct rx_slot *slot;
	rte_edge_t next;
};

static_assert(sizeof(struct context) <= RTE_NODE_CTX_SZ, "a context has room for it");

static int
other_host_flag(uint64_t *flag)
{
	static const struct rte_mbuf_dynflag desc = {.name = "pg_rx_other_host"};
	int bit = rte_mbuf_dynflag_register(&desc); // the same bit when registered again

	if (bit < 0)
		return -rte_errno;
	*flag = 1ULL << bit;
	return 0;
}

static struct rte_node *
node_of(struct pg_rx_graph *rx, const char *name)
{
	return rte_graph_node_get_by_name(rx->graph->name, name);
}

static int
list_node(struct pg_rx_graph *rx, struct rte_node *node)
{
	for (unsigned int i = 0; i < rx->nnodes; i++) {
		if (rx->node[i] == node)
			return 0;
	}
	if (rx->nnodes == PG_RX_NODES_MAX)
		return -E2BIG;
	rx->node[rx->nnodes++] = node;
	return 0;
}

static void
give_context(struct rte_node *node, struct rx_slot *slot)
{
	const struct context context = {slot, slot->next[0]};

	memcpy(node->ctx, &context, sizeof(context));
}

// Where the node at a place of the chain sends each kind of packet: to a word, or to its first own
// edge, which then is the drop of what nobody takes.
static void
fill_slot(struct pg_rx_graph *rx, const struct rx_chain *chain, int at, struct rx_slot *slot)
{
	unsigned int from = at >= 0 ? chain->word[at] : RX_WORDS_MAX;

	slot->rx = rx;
	for (unsigned int kind = 0; kind < RX_KINDS; kind++) {
		int to = rx_chain_next(chain, at, kind);

		slot->next[kind] = to >= 0 ? rx_edge(from, chain->word[to]) : 0;
	}
	give_context(node_of(rx, at >= 0 ? rx_word(from)->node : RX_INJECT), slot);
}

static int
list_drops(struct pg_rx_graph *rx, struct rte_node *node)
{
	int rc = 0;

	for (rte_edge_t e = 0; rc == 0 && e < node->nb_edges; e++) {
		if (strncmp(node->nodes[e]->name, RX_DROP_FOR(""), strlen(RX_DROP_FOR(""))) == 0)
			rc = list_node(rx, node->nodes[e]);
	}
	return rc;
}

// The profile shows the words in the chain's order, then their drops.
static int
adopt_nodes(struct pg_rx_graph *rx, const struct rx_chain *chain)
{
	struct rx_slot *rest = &rx->slot[chain->n + 1];
	struct rte_node *node;
	rte_graph_off_t off;
	rte_node_t count;
	int rc;

	rest->rx = rx;
	rte_graph_foreach_node(count, off, rx->graph, node) give_context(node, rest);
	fill_slot(rx, chain, -1, &rx->slot[chain->n]);
	rc = list_node(rx, node_of(rx, RX_INJECT));
	for (unsigned int i = 0; rc == 0 && i < chain->n; i++) {
		fill_slot(rx, chain, (int)i, &rx->slot[i]);
		rc = list_node(rx, node_of(rx, rx_word(chain->word[i])->node));
	}
	for (unsigned int i = 0; rc == 0 && i < chain->n; i++)
		rc = list_drops(rx, node_of(rx, rx_word(chain->word[i])->node));
	return rc;
}

static int
make_graph(struct pg_rx_graph *rx, const char *name, const struct rx_chain *chain, int socket)
{
	const char *pattern = RX_INJECT;
	struct rte_graph_param param = {socket, 1, &pattern};
	int rc = rx_nodes_register();

	if (rc == 0)
		rc = other_host_flag(&rx->other_host);
	if (rc < 0)
		return rc;
	rx->slot = calloc(chain->n + 2, sizeof(rx->slot[0]));
	if (rx->slot == NULL)
		return -ENOMEM;
	rx->id = rte_graph_create(name, &param);
	if (rx->id == RTE_GRAPH_ID_INVALID)
		return -rte_errno;
	rx->graph = rte_graph_lookup(name);
	return adopt_nodes(rx, chain);
}

struct pg_rx_graph *
pg_rx_graph_create(
	const char *name, const struct pg_rx_config *config, int socket, struct pg_error *err)
{
	struct pg_rx_graph *rx;
	struct rx_chain chain;
	int rc = -ENOMEM;

	if (rx_chain_parse(config->graph, &chain, err) < 0)
		return NULL;
	rx = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*rx));
	if (rx != NULL) {
		memset(rx, 0, sizeof(*rx));
		rx->id = RTE_GRAPH_ID_INVALID;
		rx->config = *config;
		rc = make_graph(rx, name, &chain, socket);
	}
	if (rc < 0) {
		pg_rx_graph_destroy(rx);
		pg_error_set(err, PG_FAULT_ENV, -rc, "cannot make the receive graph %s: %s", name,
			rte_strerror(-rc));
		pg_error_remedy(err, "reserve more memory with --memory");
		return NULL;
	}
	return rx;
}

void
pg_rx_graph_destroy(struct pg_rx_graph *rx)
{
	if (rx == NULL)
		return;
	if (rx->id != RTE_GRAPH_ID_INVALID)
		rte_graph_destroy(rx->id);
	free(rx->slot);
	free(rx);
}

void
pg_rx_profile_begin(struct pg_rx_graph *rx, struct pg_rx_profile *profile)
{
	static const size_t prefix = sizeof(RX_DROP_FOR("")) - 1;

	pg_rx_profile_collect(rx, profile);
	memset(profile, 0, sizeof(*profile));
	profile->graph = rx->config.graph;
	profile->nnodes = rx->nnodes;
	for (unsigned int i = 0; i < rx->nnodes; i++) {
		// The node's own name goes with its graph; that of its kind stays.
		const char *name = rte_node_id_to_name(rx->node[i]->id);
		struct pg_rx_node_count *out = &profile->node[i];

		if (strncmp(name, RX_DROP_FOR(""), prefix) == 0) {
			out->drop = true;
			out->name = name + prefix;
		} else if (strncmp(name, RX_USER, strlen(RX_USER)) == 0) {
			out->name = name + strlen(RX_USER);
		} else {
			out->drop = strcmp(name, "pg_drop") == 0;
			out->name = out->drop ? "end of the chain" : name + strlen("pg_");
		}
	}
}
