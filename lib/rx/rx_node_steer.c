/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets are spread over threads by flow, as the kernel's RPS does it: those of this thread go on,
 * the others go into rings, whose threads take them in their turn. A ring has one producer, so the
 * packets of a flow stay in order. */
#include <errno.h>
#include <stdlib.h>

#include "rx_flow.h"
#include "rx_priv.h"

enum { NEXT_FULL };

/** A burst, sorted by thread. worker: rw. */
struct sorted {
	uint16_t n[PG_RX_STEER_MAX];
	struct rte_mbuf *pkts[][PG_RX_BURST_MAX];
};

static __rte_always_inline uint16_t
steer(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs, const bool raw)
{
	const struct rx_slot *slot = rx_slot(node);
	const struct pg_rx_steer *to = slot->rx->steer;
	uint32_t none = to->own < to->n ? to->own : 0; // what has no flow stays
	struct sorted *sorted = slot->data;

	memset(sorted->n, 0, to->n * sizeof(sorted->n[0]));
	for (uint16_t k = 0; k < nobjs; k++) {
		uint32_t hash, lane = none;

		if (likely(rx_flow_hash(objs[k], raw, &hash)))
			lane = (uint64_t)hash * to->n >> 32;
		sorted->pkts[lane][sorted->n[lane]++] = objs[k];
	}
	for (uint32_t i = 0; i < to->n; i++) {
		void **pkts = (void **)sorted->pkts[i];
		unsigned int n = sorted->n[i], taken;

		if (n == 0)
			continue;
		if (i == to->own) {
			rte_node_enqueue(graph, node, slot->next[0], pkts, n);
			continue;
		}
		taken = pg_rx_hand_off(to->lane[i], sorted->pkts[i], n);
		if (unlikely(taken < n))
			rte_node_enqueue(graph, node, NEXT_FULL, pkts + taken, n - taken);
	}
	return nobjs;
}

static uint16_t
steer_frames(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	return steer(graph, node, objs, nobjs, true);
}

static uint16_t
steer_checked(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	return steer(graph, node, objs, nobjs, false);
}

const struct rte_node_register rx_node_steer = {
	.name = "pg_steer",
	.process = steer_frames,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 1,
	.next_nodes = {[NEXT_FULL] = RX_DROP_FOR("steer: ring full")},
};

int
rx_steer_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	struct pg_rx_graph *rx = slot->rx;
	unsigned int lcore[PG_RX_STEER_MAX], n = pg_rx_threads_read(rx->config.steer, lcore);

	(void)chain;
	(void)socket;
	slot->data = calloc(1, sizeof(struct sorted) + n * sizeof(((struct sorted *)0)->pkts[0]));
	if (slot->data == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	if (!rx->steer_raw)
		rte_graph_node_get_by_name(rx->graph->name, rx_node_steer.name)->process =
			steer_checked;
	return 0;
}

void
rx_steer_close(struct rx_slot *slot)
{
	free(slot->data);
}
