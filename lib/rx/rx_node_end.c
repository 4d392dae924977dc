/* SPDX-License-Identifier: BSD-3-Clause */
/* Where packets end: delivered (no error), dropped for a reason, or taken by the null chain. */
#include <rte_mbuf.h>

#include "rx_priv.h"

#define REFCNT_AND_SEGS 0x0000ffffffff0000ULL // of data_off, refcnt, nb_segs, port
#define ONE_AND_ONE     0x0000000100010000ULL

static_assert(offsetof(struct rte_mbuf, refcnt) == offsetof(struct rte_mbuf, data_off) + 2 &&
		      offsetof(struct rte_mbuf, nb_segs) == offsetof(struct rte_mbuf, data_off) + 4,
	"refcnt and nb_segs follow data_off");

// Whole, unshared buffers of one pool go back in one call; anything else takes the long way.
static inline void
free_burst(struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mempool *pool = pkts[0]->pool;
	uint64_t other = 0, word;

	for (uint16_t k = 0; k < n; k++) {
		memcpy(&word, &pkts[k]->data_off, sizeof(word));
		other |= (word ^ ONE_AND_ONE) & REFCNT_AND_SEGS;
		other |= pkts[k]->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);
		other |= (uintptr_t)pkts[k]->pool ^ (uintptr_t)pool;
	}
	if (likely(other == 0))
		rte_mempool_put_bulk(pool, (void **)pkts, n);
	else
		rte_pktmbuf_free_bulk(pkts, n);
}

/** Drops of all graphs that count in one place, on a line of its own. */
static struct {
	uint64_t n;
} __rte_cache_aligned shared;

uint64_t
pg_rx_shared_drops(void)
{
	return __atomic_load_n(&shared.n, __ATOMIC_RELAXED);
}

void
pg_rx_shared_begin(void)
{
	__atomic_store_n(&shared.n, 0, __ATOMIC_RELAXED);
}

static uint16_t
deliver(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	(void)graph;
	(void)node;
	free_burst((struct rte_mbuf **)objs, nobjs);
	return nobjs;
}

static uint16_t
drop(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	rx_of(node)->dropped += nobjs;
	return deliver(graph, node, objs, nobjs);
}

// As Linux did it, packet by packet: what is to be seen is what that costs.
static uint16_t
drop_shared(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	for (uint16_t k = 0; k < nobjs; k++)
		__atomic_fetch_add(&shared.n, 1, __ATOMIC_RELAXED);
	return drop(graph, node, objs, nobjs);
}

rte_node_process_t
rx_end_process(rte_node_process_t process, const struct pg_rx_config *config)
{
	return process == drop && config->counters == PG_RX_COUNTERS_ATOMIC ? drop_shared : process;
}

const struct rte_node_register rx_node_deliver = {
	.name = "pg_deliver", .process = deliver, .parent_id = RTE_NODE_ID_INVALID};
const struct rte_node_register rx_node_null = {
	.name = "pg_null", .process = deliver, .parent_id = RTE_NODE_ID_INVALID};
const struct rte_node_register rx_node_drop = {
	.name = "pg_drop", .process = drop, .parent_id = RTE_NODE_ID_INVALID};
const struct rte_node_register rx_node_end_for = {
	.name = RX_END, .process = deliver, .parent_id = RTE_NODE_ID_INVALID};
const struct rte_node_register rx_node_drop_for = {
	.name = RX_DROP, .process = drop, .parent_id = RTE_NODE_ID_INVALID};
