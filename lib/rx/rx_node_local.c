/* SPDX-License-Identifier: BSD-3-Clause */
/* Local delivery: each flow has a socket, which its first packet makes, as a listener's connections
 * come to be. */
#include <errno.h>
#include <stdio.h>

#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>

#include "rx_ip.h"
#include "rx_priv.h"

enum { NEXT_NO_PORTS, NEXT_FULL, NEXT_SOCKET };

#define TABLE_MIN 8u // entries of the smallest table that rte_hash makes

// The first packet of a flow makes its socket, in memory that is there already.
static __rte_noinline rte_edge_t
make_socket(const struct rx_slot *slot, const struct rx_key *key)
{
	if (rte_hash_lookup(slot->data, key) >= 0)
		return NEXT_SOCKET; // made by a packet of the same burst
	if ((uint64_t)rte_hash_count(slot->data) >= slot->rx->config.flows ||
		rte_hash_add_key(slot->data, key) < 0)
		return NEXT_FULL;
	slot->rx->counters[slot->counter]++;
	return NEXT_SOCKET;
}

static void
deliver_some(const struct rx_slot *slot, void **objs, uint16_t n, rte_edge_t *next)
{
	struct rx_key key[RTE_HASH_LOOKUP_BULK_MAX];
	const void *keys[RTE_HASH_LOOKUP_BULK_MAX];
	int32_t found[RTE_HASH_LOOKUP_BULK_MAX];

	for (uint16_t k = 0; k < n; k++) {
		next[k] = rx_key(objs[k], &key[k]) ? NEXT_SOCKET : NEXT_NO_PORTS;
		keys[k] = &key[k];
	}
	rte_hash_lookup_bulk(slot->data, keys, n, found);
	for (uint16_t k = 0; k < n; k++) {
		if (unlikely(found[k] < 0 && next[k] == NEXT_SOCKET))
			next[k] = make_socket(slot, &key[k]);
	}
}

static uint16_t
local(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	rte_edge_t next[PG_RX_BURST_MAX], mixed = 0;

	next[0] = NEXT_NO_PORTS;
	for (uint16_t k = 0; k < nobjs; k += RTE_HASH_LOOKUP_BULK_MAX)
		deliver_some(
			slot, objs + k, RTE_MIN(nobjs - k, RTE_HASH_LOOKUP_BULK_MAX), next + k);
	for (uint16_t k = 0; k < nobjs; k++)
		mixed |= next[k] ^ next[0];
	rx_forward(graph, node, objs, next, nobjs, mixed);
	return nobjs;
}

const struct rte_node_register rx_node_local = {
	.name = "pg_local",
	.process = local,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 3,
	.next_nodes =
		{
			[NEXT_NO_PORTS] = RX_DROP_FOR("local: no ports"),
			[NEXT_FULL] = RX_DROP_FOR("local: table full"),
			[NEXT_SOCKET] = RX_END_FOR("socket"),
		},
};

int
rx_local_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	static unsigned int number;
	char name[RTE_HASH_NAMESIZE];
	const struct rte_hash_parameters param = {.name = name,
		.entries = RTE_MAX((uint32_t)slot->rx->config.flows, TABLE_MIN),
		.key_len = sizeof(struct rx_key),
		.hash_func = rte_hash_crc,
		.socket_id = socket,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE}; // takes as many as it says
	struct pg_rx_counter_name *names;

	(void)chain;
	snprintf(name, sizeof(name), "pg_local_%u", number++);
	slot->data = rte_hash_create(&param);
	if (slot->data == NULL) {
		pg_error_set(
			err, PG_FAULT_ENV, rte_errno, "no memory for %u sockets", param.entries);
		return pg_error_remedy(err, "reserve more with --memory, or lower rx_flows");
	}
	names = rx_counters_add(slot, 1);
	if (names == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	snprintf(names[0].text, sizeof(names[0].text), "local: sockets made");
	return 0;
}

void
rx_local_begin(struct rx_slot *slot)
{
	rte_hash_reset(slot->data);
}

void
rx_local_close(struct rx_slot *slot)
{
	rte_hash_free(slot->data);
}
