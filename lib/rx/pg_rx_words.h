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
#define PG_RX_WORDS(X)                                                                         \
	X(ETH, eth, RX_ANY, RX_LAYER3 | RX_ENDS, 0, 0,                                         \
		"Ethernet: what is in the frame, and whose is it?")                            \
	X(IP4, ip4, RX_BIT(RX_IP4), RX_UPPER | RX_ENDS, RX_WORD_BIT(ETH), 0,                   \
		"IPv4: the checks of the kernel's ip_rcv")                                     \
	X(DELIVER, deliver, RX_ANY, 0, 0, 0, "end: the packet is received; no error")          \
	X(DROP, drop, RX_ANY, 0, 0, 0, "end: the packet is dropped, which counts as an error") \
	X(NULL, null, RX_ANY, 0, 0, 0, "end: takes and frees, and looks at nothing")

/** Chains with a name of their own: X(ID, NAME, CHAIN, HELP). */
#define PG_RX_PRESETS(X) X(HOST, host, "eth,ip4,deliver", "a host's receive path: eth,ip4,deliver")

#endif
