/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that match go on: the filter that a packet socket has. */
#include <errno.h>
#include <stdlib.h>

#include "rx_priv.h"
#include "rx_program.h"

enum { NEXT_NO_MATCH };

static uint16_t
filter(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	uint64_t match[PG_RX_BURST_MAX];
	rte_edge_t next[PG_RX_BURST_MAX], mixed = 0;

	rx_program_run(slot->data, objs, match, nobjs);
	next[0] = NEXT_NO_MATCH;
	for (uint16_t k = 0; k < nobjs; k++) {
		next[k] = match[k] != 0 ? slot->next[0] : NEXT_NO_MATCH;
		mixed |= next[k] ^ next[0];
	}
	rx_forward(graph, node, objs, next, nobjs, mixed);
	return nobjs;
}

const struct rte_node_register rx_node_filter = {
	.name = "pg_filter",
	.process = filter,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 1,
	.next_nodes = {[NEXT_NO_MATCH] = RX_DROP_FOR("filter: no match")},
};

int
rx_filter_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	struct rx_program *program = calloc(1, sizeof(*program));

	(void)chain;
	(void)socket;
	if (program == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	slot->data = program;
	return rx_program_filter(slot->rx->config.filter, program, err);
}

void
rx_filter_close(struct rx_slot *slot)
{
	if (slot->data != NULL)
		rx_program_fini(slot->data);
	free(slot->data);
}
