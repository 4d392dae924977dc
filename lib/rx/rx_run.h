/* SPDX-License-Identifier: BSD-3-Clause */
/* What must inline into a worker's loop. */
#ifndef RX_RUN_H
#define RX_RUN_H

#include <rte_ring.h>

#include "pg_compat.h"
#include "pg_rx.h"
#include "pg_stats.h"

/** A graph and what its nodes share. worker: rw. */
struct pg_rx_graph {
	struct rte_graph *graph;
	struct rte_mbuf **pkts; /**< the burst that the source node takes */
	uint16_t npkts;
	uint64_t mac;        /**< the port's, in the low 48 bits of 8 bytes of a frame */
	uint64_t other_host; /**< mbuf flag: the destination MAC is not ours */
	uint64_t unchecked;  /**< mbuf flag: no check of layer 3 has seen the packet */
	uint64_t dropped;    /**< packets that drop nodes freed, ever */
	uint64_t *counters;  /**< of the device whose packets walk; NULL: no node counts more */
	const struct pg_rx_steer *steer; /**< the same; NULL: nothing is steered */
	int steer_at;                    /**< place in the chain; -1: there is none */
	bool steer_raw;                  /**< frames come there as they are */
	struct pg_rx_verify *verify;     /**< owned; NULL: off */
	struct pg_rx_config config;
	rte_graph_t id;
	unsigned int nnodes;
	struct rte_node *node[PG_RX_NODES_MAX]; /**< those of the chain, and their drops */
	struct {
		uint64_t packets, calls, cycles;
	} seen[PG_RX_NODES_MAX]; /**< of each node's counters, already given to a profile */
	unsigned int ncounters;
	struct pg_rx_counter_name *counter_name; /**< owned */
	unsigned int nslots;
	struct rx_slot *slot; /**< of each word, the last one of all other nodes; owned */
	/** What `ip4` has read and `fib` behind it needs: destinations, host byte order, of a burst
	 *  that went there as a whole. */
	uint32_t dst[PG_RX_BURST_MAX];
	uint16_t ndst;
} __rte_cache_aligned; // its neighbours in memory are another worker's

/** Send a burst through the graph, run to completion.
 *  Shape:   pkts[n], 1 <= n <= PG_RX_BURST_MAX; consumed.
 *  Errors:  none; returns how many the pipeline dropped.  Context: the graph's worker. */
static inline uint64_t
pg_rx_inject(struct pg_rx_graph *rx, struct rte_mbuf **pkts, uint16_t n, uint64_t mac)
{
	uint64_t before = rx->dropped;

	rx->pkts = pkts;
	rx->npkts = n;
	rx->mac = mac;
	rte_graph_walk(rx->graph);
	return rx->dropped - before;
}

/** The same, and let the profile know what each node took of this walk by itself. */
uint64_t pg_rx_inject_sampled(struct pg_rx_graph *rx, struct rte_mbuf **pkts, uint16_t n,
	uint64_t mac, struct pg_rx_profile *profile);

/** The same, and hold each packet's end against the oracle's verdict.
 *  Shape:   index is the first packet's; the graph's configuration has rx_verify on. */
uint64_t pg_rx_inject_verified(struct pg_rx_graph *rx, struct rte_mbuf **pkts, uint16_t n,
	uint64_t mac, uint64_t index, struct pg_rx_verified *out);

/** Send packets to another thread's graph.
 *  Shape:   pkts[n]; those that the ring takes are consumed.
 *  Errors:  none; returns how many it took.  Context: the ring's producer. */
static inline unsigned int
pg_rx_hand_off(struct pg_rx_lane *lane, struct rte_mbuf **pkts, unsigned int n)
{
	unsigned int taken = rte_ring_sp_enqueue_burst(lane->ring, (void **)pkts, n, NULL);

	pg_counter_add(&lane->offered, n);
	if (unlikely(taken < n))
		pg_counter_add(&lane->lost, n - taken);
	return taken;
}

/** Give what the nodes counted since the last collection to a profile.
 *  Context: the graph's worker, or control while it rests. */
static inline void
pg_rx_profile_collect(struct pg_rx_graph *rx, struct pg_rx_profile *profile)
{
	for (unsigned int i = 0; i < rx->nnodes; i++) {
		const struct rte_node *node = rx->node[i];

		if (node->total_calls == rx->seen[i].calls)
			continue;
		profile->node[i].packets += node->total_objs - rx->seen[i].packets;
		profile->node[i].calls += node->total_calls - rx->seen[i].calls;
		profile->node[i].cycles += node->total_cycles - rx->seen[i].cycles;
		rx->seen[i].packets = node->total_objs;
		rx->seen[i].calls = node->total_calls;
		rx->seen[i].cycles = node->total_cycles;
	}
}

#endif
