/* SPDX-License-Identifier: BSD-3-Clause */
/* The earliest drop: count the packet's IP protocol, and drop it. As a program at the earliest
 * receive hook does it, in one node, without checks that the answer does not need. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>

#include "rx_priv.h"

#define IP4_PROTOCOL 9 // in the header
#define IP6_PROTOCOL 6

enum { NEXT_DROP };

// Up to two tags are looked behind.
static uint32_t
slow_protocol(const uint8_t *frame, uint32_t length)
{
	uint32_t at = RTE_ETHER_HDR_LEN;
	enum rx_kind kind = RX_VLAN;

	for (unsigned int i = 0; kind == RX_VLAN && i < 3 && at <= length; i++) {
		rte_be16_t type;

		memcpy(&type, frame + at - sizeof(type), sizeof(type));
		kind = rx_kind(type);
		at += kind == RX_VLAN ? 4 : 0;
	}
	if (kind == RX_IP4 && at + IP4_PROTOCOL < length)
		return frame[at + IP4_PROTOCOL];
	if (kind == RX_IP6 && at + IP6_PROTOCOL < length)
		return frame[at + IP6_PROTOCOL];
	return PG_RX_NOT_IP;
}

static __rte_always_inline uint32_t
protocol(const struct rte_mbuf *mbuf)
{
	const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
	rte_be16_t type;

	memcpy(&type, frame + 2 * RTE_ETHER_ADDR_LEN, sizeof(type));
	if (likely(type == RTE_BE16(RTE_ETHER_TYPE_IPV4) &&
		    mbuf->data_len > RTE_ETHER_HDR_LEN + IP4_PROTOCOL))
		return frame[RTE_ETHER_HDR_LEN + IP4_PROTOCOL];
	return slow_protocol(frame, mbuf->data_len);
}

static uint16_t
xdp(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	uint64_t *counters = slot->rx->counters + slot->counter;

	for (uint16_t k = 0; k < nobjs; k++)
		counters[protocol(objs[k])]++;
	rte_node_next_stream_move(graph, node, NEXT_DROP);
	return nobjs;
}

const struct rte_node_register rx_node_xdp = {
	.name = "pg_xdp",
	.process = xdp,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 1,
	.next_nodes = {[NEXT_DROP] = RX_DROP_FOR("xdp: drop")},
};

int
rx_xdp_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	static const struct {
		unsigned int number;
		const char *name;
	} known[] = {{IPPROTO_ICMP, "icmp"}, {IPPROTO_IGMP, "igmp"}, {IPPROTO_TCP, "tcp"},
		{IPPROTO_UDP, "udp"}, {IPPROTO_GRE, "gre"}, {IPPROTO_ESP, "esp"},
		{IPPROTO_ICMPV6, "icmp6"}, {IPPROTO_SCTP, "sctp"}, {PG_RX_NOT_IP, "not IP"}};
	struct pg_rx_counter_name *names = rx_counters_add(slot, PG_RX_PROTOCOLS);

	(void)chain;
	(void)socket;
	if (names == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	for (unsigned int i = 0; i < PG_RX_PROTOCOLS; i++) {
		snprintf(names[i].text, sizeof(names[i].text), "xdp: protocol %u", i);
		names[i].protocol = (int16_t)i;
	}
	for (size_t i = 0; i < RTE_DIM(known); i++)
		snprintf(names[known[i].number].text, sizeof(names[0].text), "xdp: %s",
			known[i].name);
	return 0;
}
