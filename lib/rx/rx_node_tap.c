/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets go on, and a reference to each goes to whoever reads the tap. The reference is a buffer
 * of its own that points to the same bytes, as skb_clone() makes it: whatever moves a packet's
 * start later moves it for the graph alone, and the bytes stay until the last reference goes. */
#include <errno.h>
#include <stdio.h>

#include "rx_priv.h"
#include "rx_tap.h"

// Who does not read fast enough misses packets; the graph does not wait.
static uint16_t
tap(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	const struct rx_tap *data = slot->data;
	struct rte_mbuf *clones[PG_RX_BURST_MAX];
	unsigned int n = 0, taken = 0;

	while (n < nobjs && (clones[n] = rte_pktmbuf_clone(objs[n], data->clones)) != NULL)
		n++;
	for (unsigned int k = 0; PG_DEBUG && k < n; k++)
		clones[k]->hash.usr = rx_tap_sum(clones[k]);
	if (data->ring != NULL) {
		taken = rte_ring_sp_enqueue_burst(data->ring, (void **)clones, n, NULL);
		slot->rx->counters[slot->counter] += nobjs - taken;
	}
	rte_pktmbuf_free_bulk(clones + taken, n - taken);
	rte_node_next_stream_move(graph, node, slot->next[0]);
	return nobjs;
}

const struct rte_node_register rx_node_tap = {
	.name = "pg_tap",
	.process = tap,
	.parent_id = RTE_NODE_ID_INVALID,
};

int
rx_tap_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	struct pg_rx_counter_name *names = rx_counters_add(slot, 1);

	(void)chain;
	if (names == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	snprintf(names[0].text, sizeof(names[0].text), "tap: not read");
	slot->data = rx_tap_create(slot->rx->config.tap, socket, err);
	return slot->data != NULL ? 0 : -err->code;
}

void
rx_tap_close(struct rx_slot *slot)
{
	rx_tap_destroy(slot->data);
}
