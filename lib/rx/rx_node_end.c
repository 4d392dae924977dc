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

// Their sender has a reference to each, as the graph has. Where nobody else has one, both are this
// thread's, and no other can change the count meanwhile.
static inline void
let_go(struct rte_mbuf **pkts, uint16_t n)
{
	for (uint16_t k = 0; k < n; k++) {
		if (likely(rte_mbuf_refcnt_read(pkts[k]) == 2))
			rte_mbuf_refcnt_set(pkts[k], 1);
		else
			rte_pktmbuf_free(pkts[k]);
	}
}

// With shared drops as Linux did it, packet by packet: what is to be seen is what that costs.
static __rte_always_inline uint16_t
end(struct rte_node *node, void **objs, uint16_t nobjs, const bool drops, const bool shares,
	const bool hot)
{
	if (drops)
		rx_of(node)->dropped += nobjs;
	for (uint16_t k = 0; drops && shares && k < nobjs; k++)
		__atomic_fetch_add(&shared.n, 1, __ATOMIC_RELAXED);
	if (hot)
		let_go((struct rte_mbuf **)objs, nobjs);
	else
		free_burst((struct rte_mbuf **)objs, nobjs);
	return nobjs;
}

#define END(name, ...)                                                                       \
	static uint16_t name(                                                                \
		struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs) \
	{                                                                                    \
		(void)graph;                                                                 \
		return end(node, objs, nobjs, __VA_ARGS__);                                  \
	}

END(deliver, false, false, false)
END(deliver_hot, false, false, true)
END(drop, true, false, false)
END(drop_hot, true, false, true)
END(drop_shared, true, true, false)
END(drop_shared_hot, true, true, true)

rte_node_process_t
rx_end_process(rte_node_process_t process, const struct pg_rx_config *config)
{
	/** By whether drops are shared, and buffers hot. */
	static const rte_node_process_t delivers[2] = {deliver, deliver_hot},
					drops[2][2] = {
						{drop, drop_hot}, {drop_shared, drop_shared_hot}};
	bool hot = config->buffers == PG_RX_BUFFERS_HOT;

	if (process == deliver)
		return delivers[hot];
	return process == drop ? drops[config->counters == PG_RX_COUNTERS_ATOMIC][hot] : process;
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
