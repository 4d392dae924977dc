/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>

#include "rx_priv.h"

static const char *const sources[] = {
	[PG_RX_HOST] = RX_INJECT,
	[PG_RX_NULL] = RX_INJECT_NULL,
};

// A clone of the drop node for every edge that names one.
static int
clone_drops(rte_node_t drop, const struct rte_node_register *node)
{
	static const size_t prefix = sizeof(RX_DROP_FOR("")) - 1;

	for (rte_edge_t e = 0; e < node->nb_edges; e++) {
		const char *name = node->next_nodes[e];

		if (strncmp(name, RX_DROP_FOR(""), prefix) != 0 ||
			rte_node_from_name(name) != RTE_NODE_ID_INVALID)
			continue;
		if (rte_node_clone(drop, name + prefix) == RTE_NODE_ID_INVALID)
			return -rte_errno;
	}
	return 0;
}

// Nodes belong to the process: registered once, by this list.
static int
register_nodes(void)
{
	const struct rte_node_register *const nodes[] = {rx_node_inject, rx_node_inject_null,
		rx_node_eth, rx_node_ip4, rx_node_deliver, rx_node_null};
	rte_node_t drop = rte_node_from_name(RX_DROP);
	int rc = 0;

	if (drop != RTE_NODE_ID_INVALID)
		return 0;
	drop = pg_compat_node_register(rx_node_drop);
	for (size_t i = 0; rc == 0 && i < RTE_DIM(nodes); i++) {
		if (pg_compat_node_register(nodes[i]) == RTE_NODE_ID_INVALID)
			rc = -rte_errno;
		else
			rc = clone_drops(drop, nodes[i]);
	}
	return rc;
}

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

static int
adopt_nodes(struct pg_rx_graph *rx)
{
	struct rte_node *node;
	rte_graph_off_t off;
	rte_node_t count;

	rte_graph_foreach_node(count, off, rx->graph, node)
	{
		if (rx->nnodes == PG_RX_NODES_MAX)
			return -E2BIG;
		memcpy(node->ctx, &rx, sizeof(rx));
		rx->node[rx->nnodes++] = node;
	}
	return 0;
}

struct pg_rx_graph *
pg_rx_graph_create(const char *name, enum pg_rx_chain chain, int socket, struct pg_error *err)
{
	const char *pattern = sources[chain];
	struct rte_graph_param param = {socket, 1, &pattern};
	struct pg_rx_graph *rx = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*rx));
	int rc = -ENOMEM;

	if (rx != NULL) {
		memset(rx, 0, sizeof(*rx));
		rc = register_nodes();
	}
	if (rc == 0)
		rc = other_host_flag(&rx->other_host);
	if (rc == 0) {
		rx->id = rte_graph_create(name, &param);
		if (rx->id == RTE_GRAPH_ID_INVALID)
			rc = -rte_errno;
	}
	if (rc == 0) {
		rx->graph = rte_graph_lookup(name);
		rc = adopt_nodes(rx);
	}
	if (rc < 0) {
		free(rx);
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
	rte_graph_destroy(rx->id);
	free(rx);
}

void
pg_rx_profile_begin(struct pg_rx_graph *rx, struct pg_rx_profile *profile)
{
	static const size_t prefix = sizeof(RX_DROP_FOR("")) - 1;

	pg_rx_profile_collect(rx, profile);
	memset(profile, 0, sizeof(*profile));
	profile->nnodes = rx->nnodes;
	for (unsigned int i = 0; i < rx->nnodes; i++) {
		const char *name = rx->node[i]->name;
		struct pg_rx_node_count *out = &profile->node[i];

		out->drop = strncmp(name, RX_DROP_FOR(""), prefix) == 0;
		snprintf(out->name, sizeof(out->name), "%s",
			name + (out->drop ? prefix : strlen("pg_")));
	}
}
