/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "rx_fib.h"
#include "rx_ip.h"
#include "rx_priv.h"

enum { NEXT_NO_ROUTE };

#define IP6_DST 24 // in the header

// All destinations, as if they were IPv4. False: some are not.
static inline bool
gather4(void **objs, uint16_t n, uint32_t *dst)
{
	uint8_t other = 0;

	for (uint16_t k = 0; k < n; k++) {
		const uint8_t *ip = rx_layer3(objs[k]);

		dst[k] = rx_ip4_dst(ip);
		other |= (ip[0] >> 4) ^ 4;
	}
	return other == 0;
}

static void
lookup6(const struct rx_fib *fib, void **objs, uint16_t n, uint64_t *hops)
{
	uint8_t dst[PG_RX_BURST_MAX][16];
	uint64_t hop[PG_RX_BURST_MAX];
	uint16_t which[PG_RX_BURST_MAX], found = 0;

	for (uint16_t k = 0; k < n; k++) {
		const uint8_t *ip = rx_layer3(objs[k]);

		if (ip[0] >> 4 == 4)
			continue;
		memcpy(dst[found], ip + IP6_DST, sizeof(dst[0]));
		which[found++] = k;
	}
	pg_compat_fib6_lookup(fib->ip6, dst, hop, found);
	for (uint16_t i = 0; i < found; i++)
		hops[which[i]] = hop[i];
}

// Some are not IPv4: those look up nothing here.
static __rte_noinline void
lookup_both(const struct rx_fib *table, void **objs, uint16_t n, uint64_t *hops)
{
	uint32_t dst[PG_RX_BURST_MAX];
	uint64_t hop[PG_RX_BURST_MAX];
	uint16_t which[PG_RX_BURST_MAX], found = 0;

	for (uint16_t k = 0; k < n; k++) {
		const uint8_t *ip = rx_layer3(objs[k]);

		if (ip[0] >> 4 != 4)
			continue;
		dst[found] = rx_ip4_dst(ip);
		which[found++] = k;
	}
	if (found > 0)
		rte_fib_lookup_bulk(table->ip4, dst, hop, found);
	for (uint16_t i = 0; i < found; i++)
		hops[which[i]] = hop[i];
	lookup6(table, objs, n, hops);
}

// Two ways to go: each packet is written to both, and stays in one.
static __rte_noinline void
part(struct rte_graph *graph, struct rte_node *node, void **objs, const uint64_t *hop, uint16_t n,
	rte_edge_t pass)
{
	void **to = rte_node_next_stream_get(graph, node, pass, n);
	void **no_route = rte_node_next_stream_get(graph, node, NEXT_NO_ROUTE, n);
	uint16_t ntaken = 0;

	for (uint16_t k = 0; k < n; k++) {
		to[ntaken] = no_route[k - ntaken] = objs[k];
		ntaken += hop[k] != 0;
	}
	rte_node_next_stream_put(graph, node, pass, ntaken);
	rte_node_next_stream_put(graph, node, NEXT_NO_ROUTE, n - ntaken);
}

static uint16_t
fib(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	const rte_edge_t pass = slot->next[0];
	const struct rx_fib *table = slot->data;
	struct pg_rx_graph *rx = slot->rx;
	uint64_t hop[PG_RX_BURST_MAX];
	uint16_t routed = 0;

	// What came from elsewhere, or not all of it, has not been read yet.
	if (likely(rx->ndst == nobjs) || gather4(objs, nobjs, rx->dst))
		rte_fib_lookup_bulk(table->ip4, rx->dst, hop, nobjs);
	else
		lookup_both(table, objs, nobjs, hop);
	rx->ndst = 0;
	while (routed < nobjs && hop[routed] != 0)
		routed++;
	if (likely(routed == nobjs))
		rte_node_next_stream_move(graph, node, pass);
	else
		part(graph, node, objs, hop, nobjs, pass);
	return nobjs;
}

const struct rte_node_register rx_node_fib = {
	.name = "pg_fib",
	.process = fib,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 1,
	.next_nodes = {[NEXT_NO_ROUTE] = RX_DROP_FOR("fib: no route")},
};

int
rx_fib_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	uint32_t families = 0;

	for (unsigned int i = 0; i < chain->n; i++) {
		families |= chain->word[i] == RX_W_IP4 ? RX_FIB_IP4 : 0;
		families |= chain->word[i] == RX_W_IP6 ? RX_FIB_IP6 : 0;
	}
	slot->data = rx_fib_get(slot->rx->config.routes, families, socket, err);
	return slot->data != NULL ? 0 : -err->code;
}

void
rx_fib_close(struct rx_slot *slot)
{
	rx_fib_put(slot->data);
}
