/* SPDX-License-Identifier: BSD-3-Clause */
/* The node table: every word that rx_graph knows, once. */
#ifndef PG_RX_WORDS_H
#define PG_RX_WORDS_H

/** Words of a chain: X(ID, NAME, TAKES, FOLLOW, NEEDS, NOT_AFTER, HELP).
 *  TAKES:  packets that it is for, as a mask of enum rx_kind; RX_ANY: whatever comes.
 *  FOLLOW: words that may stand right behind it, as a mask; 0: it ends the chain.
 *  NEEDS:  one of these must stand before it; 0: it may stand first.
 *  NOT_AFTER: none of these may stand before it.
 *  The node is registered by rx_node_<name>. */
#define PG_RX_WORDS(X)                                                                             \
	X(ETH, eth, RX_ANY,                                                                        \
		RX_WORD_BIT(VLAN) | RX_WORD_BIT(MPLS) | RX_LAYER3 | RX_WORD_BIT(XDP) | RX_ENDS, 0, \
		0, "Ethernet: what is in the frame, and whose is it?")                             \
	X(VLAN, vlan, RX_BIT(RX_VLAN), RX_WORD_BIT(MPLS) | RX_LAYER3 | RX_WORD_BIT(XDP) | RX_ENDS, \
		RX_WORD_BIT(ETH), 0, "pops one or two VLAN tags")                                  \
	X(MPLS, mpls, RX_BIT(RX_MPLS), RX_LAYER3 | RX_ENDS, RX_WORD_BIT(ETH), 0,                   \
		"pops a stack of MPLS labels")                                                     \
	X(IP4, ip4, RX_BIT(RX_IP4), RX_LAYER3 | RX_UPPER | RX_ENDS, RX_WORD_BIT(ETH), 0,           \
		"IPv4: the checks of the kernel's ip_rcv")                                         \
	X(IP6, ip6, RX_BIT(RX_IP6), RX_LAYER3 | RX_UPPER | RX_ENDS, RX_WORD_BIT(ETH), 0,           \
		"IPv6: the checks of the kernel's ip6_rcv")                                        \
	X(OTHER, other, RX_BIT(RX_OTHER) | RX_BIT(RX_VLAN) | RX_BIT(RX_MPLS), RX_UPPER | RX_ENDS,  \
		RX_LAYER3, 0, "takes ARP, ICMP and ICMPv6, and drops all but UDP, TCP and SCTP")   \
	X(TAP, tap, RX_ANY, RX_RAW | RX_UPPER | RX_ENDS, 0, RX_WORD_BIT(STEER),                    \
		"hands a reference to each packet to the reader of rx_tap; alone, before host")    \
	X(FILTER, filter, RX_ANY, RX_RAW | RX_UPPER | RX_ENDS, 0, 0,                               \
		"lets go on what matches the expression of rx_filter, and drops the rest")         \
	X(BPF, bpf, RX_ANY, RX_RAW | RX_UPPER | RX_ENDS, 0, 0,                                     \
		"asks the eBPF program of rx_bpf, which passes, drops or sends back")              \
	X(STEER, steer, RX_ANY, RX_RAW | RX_UPPER | RX_ENDS, 0, 0,                                 \
		"spreads packets over the threads of rx_steer by their flow")                      \
	X(ACL, acl, RX_ANY, RX_UPPER | RX_ENDS, RX_LAYER3, 0,                                      \
		"decides by the first of the rules of rx_rules that matches")                      \
	X(FIB, fib, RX_ANY, RX_UPPER | RX_ENDS, RX_LAYER3, 0,                                      \
		"looks the destination up in the routes of rx_routes")                             \
	X(XDP, xdp, RX_ANY, 0, 0, RX_LAYER3 | RX_WORD_BIT(MPLS),                                   \
		"end: counts packets by IP protocol and drops them, as an XDP program does")       \
	X(LOCAL, local, RX_ANY, 0, RX_LAYER3, 0,                                                   \
		"end: delivers to the socket of the packet's flow, which its first packet makes")  \
	X(DELIVER, deliver, RX_ANY, 0, 0, 0, "end: the packet is received; no error")              \
	X(DROP, drop, RX_ANY, 0, 0, 0,                                                             \
		"end: the packet is dropped, which counts as an error; alone, the same as xdp")    \
	X(NULL, null, RX_ANY, 0, 0, 0, "end: takes and frees, and looks at nothing")

/** Chains with a name of their own: X(ID, NAME, CHAIN, HELP). */
#define PG_RX_PRESETS(X)                                                                    \
	X(HOST, host, "eth,ip4,deliver", "a host's receive path: eth,ip4,deliver")          \
	X(ROUTER, router, "eth,ip4,ip6,fib,deliver", "a router's: eth,ip4,ip6,fib,deliver") \
	X(FIREWALL, firewall, "eth,ip4,ip6,acl,deliver", "a firewall's: eth,ip4,ip6,acl,deliver")

/** Words that mean another chain where they stand alone: X(NAME, CHAIN). */
#define PG_RX_ALONE(X) X(drop, "xdp") X(tap, "tap,eth,ip4,deliver")

#endif
