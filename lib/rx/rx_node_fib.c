/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "rx_fib.h"
#include "rx_ip.h"
#include "rx_priv.h"

enum { NEXT_NO_ROUTE };

#define IP4_DST 16 // in the header
#define IP6_DST 24

// The destinations of those that are IPv4; returns how many, and which they are.
static uint16_t
gather4(void **objs, uint16_t n, uint32_t *dst, uint16_t *which)
{
	uint16_t found = 0;

	for (uint16_t k = 0; k < n; k++) {
		const uint8_t *ip = rx_layer3(objs[k]);
		rte_be32_t addr;

		memcpy(&addr, ip + IP4_DST, sizeof(addr));
		dst[found] = rte_be_to_cpu_32(addr);
		which[found] = k;
		found += ip[0] >> 4 == 4;
	}
	return found;
}

static void
lookup6(const struct rx_fib *fib, void **objs, uint16_t n, rte_edge_t pass, rte_edge_t *next)
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
		next[which[i]] = hop[i] != 0 ? pass : NEXT_NO_ROUTE;
}

static uint16_t
fib(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	const rte_edge_t pass = slot->next[0];
	const struct rx_fib *table = slot->data;
	rte_edge_t next[PG_RX_BURST_MAX], mixed = 0;
	uint32_t dst[PG_RX_BURST_MAX + 1];
	uint16_t which[PG_RX_BURST_MAX + 1], found;
	uint64_t hop[PG_RX_BURST_MAX];

	next[0] = NEXT_NO_ROUTE;
	found = gather4(objs, nobjs, dst, which);
	if (likely(found > 0))
		rte_fib_lookup_bulk(table->ip4, dst, hop, found);
	for (uint16_t i = 0; i < found; i++)
		next[which[i]] = likely(hop[i] != 0) ? pass : NEXT_NO_ROUTE;
	if (found < nobjs)
		lookup6(table, objs, nobjs, pass, next);
	for (uint16_t k = 0; k < nobjs; k++)
		mixed |= next[k] ^ next[0];
	rx_forward(graph, node, objs, next, nobjs, mixed);
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
