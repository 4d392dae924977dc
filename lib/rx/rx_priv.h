/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_PRIV_H
#define RX_PRIV_H

#include <string.h>

#include <rte_byteorder.h>
#include <rte_ether.h>

#include "pg_rx_words.h"
#include "rx_run.h"

#define RX_INJECT "pg_inject"
#define RX_DROP   "pg_drop_for"
#define RX_USER   "pg_user_" /**< begins the names of users' own nodes */
/** A drop node of its own for each reason; the graph's statistics count it. */
#define RX_DROP_FOR(reason) RX_DROP "-" reason
/** An end of its own that is no drop. */
#define RX_END           "pg_end_for"
#define RX_END_FOR(what) RX_END "-" what

/** A destination MAC is the low 48 bits of the first 8 bytes of a frame (little endian). */
#define RX_MAC_MASK 0xffffffffffffULL

/** What a frame holds behind the headers that were looked at. */
enum rx_kind { RX_IP4, RX_IP6, RX_VLAN, RX_MPLS, RX_OTHER, RX_KINDS };

#define RX_BIT(kind) (1u << (kind))
#define RX_ANY       (RX_BIT(RX_KINDS) - 1)

#define RX_WORD_ID(id, ...) RX_W_##id,
enum rx_word_id { PG_RX_WORDS(RX_WORD_ID) RX_WORDS, RX_WORDS_MAX = 64 };
#undef RX_WORD_ID

#define RX_WORD_BIT(id) (UINT64_C(1) << RX_W_##id)
/** Groups that the table speaks of. Users' words stand wherever a tap may. */
#define RX_USERS  (UINT64_MAX << RX_WORDS)
#define RX_LAYER3 (RX_WORD_BIT(IP4) | RX_WORD_BIT(IP6))
#define RX_UPPER                                                                                  \
	(RX_USERS | RX_WORD_BIT(OTHER) | RX_WORD_BIT(ACL) | RX_WORD_BIT(FIB) | RX_WORD_BIT(TAP) | \
		RX_WORD_BIT(FILTER) | RX_WORD_BIT(BPF) | RX_WORD_BIT(STEER) | RX_WORD_BIT(LOCAL))
#define RX_ENDS (RX_WORD_BIT(DELIVER) | RX_WORD_BIT(DROP))
/** What may stand behind a word that may stand first. */
#define RX_RAW                                                                                     \
	(RX_USERS | RX_WORD_BIT(ETH) | RX_WORD_BIT(TAP) | RX_WORD_BIT(FILTER) | RX_WORD_BIT(BPF) | \
		RX_WORD_BIT(STEER) | RX_WORD_BIT(XDP) | RX_WORD_BIT(NULL))

#define RX_MPLS_MAX 16 /**< entries of a label stack that are looked at */
#define RX_TAGS_MAX 2  /**< VLAN tags that are popped: a service tag and a customer's */

/** A word of the node table, or a user's. */
struct rx_word {
	const char *name, *help;
	uint32_t takes;
	uint64_t follow, needs, not_after;
	const char *node; /**< its name in rte_graph */
};

/** NULL: there is none of this number. */
const struct rx_word *rx_word(unsigned int id);

#define RX_CHAIN_MAX 16

struct rx_chain {
	unsigned int n;
	unsigned int first; /**< of a graph's words; those before it are another thread's */
	uint8_t word[RX_CHAIN_MAX];
};

/** Read a chain. Errors: as pg_rx_chain_check(). */
int rx_chain_parse(const char *text, struct rx_chain *chain, struct pg_error *err);
/** The place behind which other threads go on: of `steer`, or of rules that steer. -1: there is
 * none. Errors: -errno with text. */
int rx_chain_steer(const struct pg_rx_config *config, const struct rx_chain *chain, int *place,
	struct pg_error *err);
/** Has a check of layer 3 seen what comes to place `at`? */
bool rx_chain_is_above(const struct rx_chain *chain, int at);
/** Where packets of a kind go from place `at` (-1: the source). -1: nobody takes them. */
int rx_chain_next(const struct rx_chain *chain, int at, enum rx_kind kind);

/** Register all nodes with the process, once, and give each its edges to the words.
 *  Errors:  -errno. */
int rx_nodes_register(void);
/** The edge from a word's node (RX_WORDS_MAX: the source) to another's. */
rte_edge_t rx_edge(unsigned int from, unsigned int to);

/** The nodes, each in its file; rx_nodes.c registers them. */
#define RX_WORD_NODE(id, name, ...) extern const struct rte_node_register rx_node_##name;
PG_RX_WORDS(RX_WORD_NODE)
#undef RX_WORD_NODE
extern const struct rte_node_register rx_node_inject, rx_node_drop_for, rx_node_end_for;

/** The first own edge of a node that tells kinds apart: nobody in the chain takes the packet. */
#define RX_NOBODY 0

/** The kind of a frame, by its type as it stands in it. */
static inline enum rx_kind
rx_kind(rte_be16_t ether_type)
{
	switch (ether_type) {
	case RTE_BE16(RTE_ETHER_TYPE_IPV4):
		return RX_IP4;
	case RTE_BE16(RTE_ETHER_TYPE_IPV6):
		return RX_IP6;
	case RTE_BE16(RTE_ETHER_TYPE_VLAN):
	case RTE_BE16(RTE_ETHER_TYPE_QINQ):
		return RX_VLAN;
	case RTE_BE16(RTE_ETHER_TYPE_MPLS):
	case RTE_BE16(RTE_ETHER_TYPE_MPLSM):
		return RX_MPLS;
	default:
		return RX_OTHER;
	}
}

/** What a node has in its graph. The context of every node begins with a pointer to it. */
struct rx_slot {
	struct pg_rx_graph *rx;
	struct rte_node *node;        /**< NULL: it is of several */
	rte_edge_t next[RX_KINDS];    /**< by kind; who does not tell them apart: the first */
	uint64_t unchecked[RX_KINDS]; /**< mbuf flag for those that go to `other` past layer 3 */
	uint8_t word;                 /**< whose it is; RX_WORDS_MAX: no word's */
	void *data;                   /**< the word's own */
	uint32_t counter;             /**< the first of its own in rx->counters */
};

static inline struct rx_slot *
rx_slot(const struct rte_node *node)
{
	struct rx_slot *slot;

	memcpy(&slot, node->ctx, sizeof(slot));
	return slot;
}

static inline struct pg_rx_graph *
rx_of(const struct rte_node *node)
{
	return rx_slot(node)->rx;
}

/** What an end does in a graph of this configuration; other nodes do what they do in all. */
rte_node_process_t rx_end_process(rte_node_process_t process, const struct pg_rx_config *config);

/** The reason that a drop or end is for, of its node's name. NULL: it is for none. */
const char *rx_reason(const char *node);

/** A node's name as the profile has it. */
const char *rx_node_label(const struct rte_node *node);

/** Let the node of a slot count n things more, and find their names. Errors: NULL, no memory. */
struct pg_rx_counter_name *rx_counters_add(struct rx_slot *slot, unsigned int n);

/** What a word needs besides its node in a new graph, and its end.
 *  Errors: -errno with text. */
int rx_xdp_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
int rx_acl_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
void rx_acl_close(struct rx_slot *slot);
int rx_local_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
void rx_local_begin(struct rx_slot *slot);
void rx_local_close(struct rx_slot *slot);
int rx_tap_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
void rx_tap_close(struct rx_slot *slot);
int rx_filter_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
void rx_filter_close(struct rx_slot *slot);
int rx_steer_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
void rx_steer_close(struct rx_slot *slot);
int rx_bpf_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
bool rx_bpf_is_stale(const struct rx_slot *slot);
void rx_bpf_close(struct rx_slot *slot);
int rx_ip4_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
int rx_fib_open(
	struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err);
void rx_fib_close(struct rx_slot *slot);

/** Where a node sends one packet. */
typedef rte_edge_t (*rx_verdict_fn)(struct rte_mbuf *mbuf, const struct rx_slot *slot);

/** Hand packets on edge by edge: those that take the first one's edge, then those that take that of
 *  the first left, in order. Shape: n > 0; objs[n] and next[n] are overwritten. */
static __rte_noinline void
rx_split(struct rte_graph *graph, struct rte_node *node, void **objs, rte_edge_t *next, uint16_t n)
{
	while (n > 0) {
		const rte_edge_t edge = next[0];
		void **to = rte_node_next_stream_get(graph, node, edge, n);
		uint16_t taken = 0, left = 0;

		for (uint16_t k = 0; k < n; k++) {
			void *obj = objs[k];
			const rte_edge_t its = next[k];

			to[taken] = obj;
			taken += its == edge;
			objs[left] = obj;
			next[left] = its;
			left += its != edge;
		}
		rte_node_next_stream_put(graph, node, edge, taken);
		n = left;
	}
}

/** Hand packets on: all at once if their edges are equal (`mixed` is the OR of their differences),
 *  apart if not. Shape: next[n] are edges. */
static inline void
rx_forward(struct rte_graph *graph, struct rte_node *node, void **objs, rte_edge_t *next,
	uint16_t n, rte_edge_t mixed)
{
	if (likely(mixed == 0))
		rte_node_next_stream_move(graph, node, next[0]);
	else
		rx_split(graph, node, objs, next, n);
}

/** Ask for each packet of a burst, and hand them on. */
static __rte_always_inline uint16_t
rx_each(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t n,
	const rx_verdict_fn verdict)
{
	const struct rx_slot *slot = rx_slot(node);
	rte_edge_t next[PG_RX_BURST_MAX], mixed = 0;

	next[0] = RX_NOBODY;
	for (uint16_t k = 0; k < n; k++) {
		next[k] = verdict(objs[k], slot);
		mixed |= next[k] ^ next[0];
	}
	rx_forward(graph, node, objs, next, n, mixed);
	return n;
}

/** Let the packet begin n bytes later. What lies there stays as it is: who holds it sees it. */
static inline void
rx_skip(struct rte_mbuf *mbuf, uint32_t n)
{
	mbuf->data_off += n;
	mbuf->data_len -= n;
	mbuf->pkt_len -= n;
}

#endif
