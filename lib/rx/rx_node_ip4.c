/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>

#include "rx_ip.h"
#include "rx_priv.h"

enum {
	NEXT_WRONG_HOST,
	NEXT_SHORT,
	NEXT_BAD_VERSION,
	NEXT_BAD_CHECKSUM,
	NEXT_TTL,
};

// A header with its checksum sums to all ones (RFC 1071). Carries go round: a sum and itself with
// its halves exchanged have the sum of the halves, carry included, in the upper one.
static inline bool
checksum20_ok(const uint8_t *ip)
{
	uint64_t a, b, sum;
	uint32_t c, half;

	memcpy(&a, ip, sizeof(a));
	memcpy(&b, ip + 8, sizeof(b));
	memcpy(&c, ip + 16, sizeof(c));
	sum = a + b;
	sum += (uint64_t)c + (sum < a);
	sum += sum < (uint64_t)c; // the sum before was 2^64 - 2 at most
	sum += sum << 32 | sum >> 32;
	half = (uint32_t)(sum >> 32);
	half += half << 16 | half >> 16;
	return half >> 16 == 0xffff;
}

// The order of ip_rcv(): host, header there, version, checksum, length; then the TTL.
static inline rte_edge_t
verdict(const struct rte_mbuf *mbuf, uint64_t other_host, rte_edge_t pass)
{
	const struct rte_ipv4_hdr *ip =
		rte_pktmbuf_mtod_offset(mbuf, const struct rte_ipv4_hdr *, RTE_ETHER_HDR_LEN);
	uint32_t there = mbuf->data_len - RTE_ETHER_HDR_LEN;
	uint32_t header = sizeof(*ip), total;

	if (mbuf->ol_flags & other_host)
		return NEXT_WRONG_HOST;
	if (unlikely(there < sizeof(*ip)))
		return NEXT_SHORT;
	if (unlikely(ip->version_ihl != RTE_IPV4_VHL_DEF)) {
		header = rte_ipv4_hdr_len(ip);
		if (ip->version_ihl >> 4 != 4 || header < sizeof(*ip))
			return NEXT_BAD_VERSION;
		if (there < header)
			return NEXT_SHORT;
		if (rte_raw_cksum(ip, header) != 0xffff)
			return NEXT_BAD_CHECKSUM;
	} else if (unlikely(!checksum20_ok((const uint8_t *)ip))) {
		return NEXT_BAD_CHECKSUM;
	}
	total = rte_be_to_cpu_16(ip->total_length);
	// What is behind the header may lie in other segments.
	if (unlikely(total > mbuf->pkt_len - RTE_ETHER_HDR_LEN || total < header))
		return NEXT_SHORT;
	return likely(ip->time_to_live != 0) ? pass : NEXT_TTL;
}

// Where `fib` comes next, it gets the destinations from here, while they are at hand.
static __rte_always_inline uint16_t
check(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs,
	const bool for_fib)
{
	const struct rx_slot *slot = rx_slot(node);
	struct pg_rx_graph *rx = slot->rx;
	const uint64_t other_host = rx->other_host;
	rte_edge_t next[PG_RX_BURST_MAX], mixed = 0, pass = slot->next[RX_IP4];

	next[0] = pass;
	for (uint16_t k = 0; k < nobjs; k++) {
		next[k] = verdict(objs[k], other_host, pass);
		mixed |= next[k] ^ next[0];
		if (for_fib) // in the buffer, whether or not the packet has a header there
			rx->dst[k] = rx_ip4_dst(rx_layer3(objs[k]));
	}
	if (for_fib)
		rx->ndst = mixed == 0 && next[0] == pass ? nobjs : 0;
	rx_forward(graph, node, objs, next, nobjs, mixed);
	return nobjs;
}

static uint16_t
ip4(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	return check(graph, node, objs, nobjs, false);
}

static uint16_t
ip4_for_fib(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	return check(graph, node, objs, nobjs, true);
}

int
rx_ip4_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	(void)chain;
	(void)socket;
	(void)err;
	if (slot->next[RX_IP4] == rx_edge(RX_W_IP4, RX_W_FIB))
		slot->node->process = ip4_for_fib;
	return 0;
}

const struct rte_node_register rx_node_ip4 = {
	.name = "pg_ip4",
	.process = ip4,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 5,
	.next_nodes =
		{
			[NEXT_WRONG_HOST] = RX_DROP_FOR("ip4: wrong host"),
			[NEXT_SHORT] = RX_DROP_FOR("ip4: short"),
			[NEXT_BAD_VERSION] = RX_DROP_FOR("ip4: bad version"),
			[NEXT_BAD_CHECKSUM] = RX_DROP_FOR("ip4: bad checksum"),
			[NEXT_TTL] = RX_DROP_FOR("ip4: ttl"),
		},
};
