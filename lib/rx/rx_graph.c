/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>
#include <rte_mpls.h>

#include "rx_bpf.h"
#include "rx_priv.h"
#include "rx_tap.h"
#include "rx_verify.h"

#define RX_USER_POPS 128 // bytes that a user's node may take off the front of a packet

/** What a node's context holds. A user's node reads `next`: the edge to pass packets on by. */
struct context {
	struct rx_slot *slot;
	rte_edge_t next;
};

static_assert(sizeof(struct context) <= RTE_NODE_CTX_SZ, "a context has room for it");

// The same bit when registered again.
static int
mbuf_flag(const char *name, uint64_t *flag)
{
	struct rte_mbuf_dynflag desc = {.flags = 0};
	int bit;

	snprintf(desc.name, sizeof(desc.name), "%s", name);
	bit = rte_mbuf_dynflag_register(&desc);
	if (bit < 0)
		return -rte_errno;
	*flag = 1ULL << bit;
	return 0;
}

static struct rte_node *
node_of(struct pg_rx_graph *rx, const char *name)
{
	return rte_graph_node_get_by_name(rx->graph->name, name);
}

static int
list_node(struct pg_rx_graph *rx, struct rte_node *node)
{
	for (unsigned int i = 0; i < rx->nnodes; i++) {
		if (rx->node[i] == node)
			return 0;
	}
	if (rx->nnodes == PG_RX_NODES_MAX)
		return -E2BIG;
	rx->node[rx->nnodes++] = node;
	return 0;
}

static void
give_context(struct rte_node *node, struct rx_slot *slot)
{
	const struct context context = {slot, slot->next[0]};

	memcpy(node->ctx, &context, sizeof(context));
}

// Where a word's node sends each kind of packet from a place of the chain: to a word, or to its
// first own edge, which then is the drop of what nobody takes.
static void
fill_slot(struct pg_rx_graph *rx, const struct rx_chain *chain, unsigned int from, int at,
	struct rx_slot *slot)
{
	for (unsigned int kind = 0; kind < RX_KINDS; kind++) {
		int to = rx_chain_next(chain, at, kind);

		slot->next[kind] = to >= 0 ? rx_edge(from, chain->word[to]) : RX_NOBODY;
		slot->unchecked[kind] =
			to >= 0 && chain->word[to] == RX_W_OTHER ? rx->unchecked : 0;
	}
	slot->node = node_of(rx, from < RX_WORDS_MAX ? rx_word(from)->node : RX_INJECT);
	give_context(slot->node, slot);
}

// The nodes for one reason each that a node's own edges lead to.
static int
list_ends(struct pg_rx_graph *rx, struct rte_node *node)
{
	int rc = 0;

	for (rte_edge_t e = 0; rc == 0 && e < node->nb_edges; e++) {
		if (rx_reason(node->nodes[e]->name) != NULL)
			rc = list_node(rx, node->nodes[e]);
	}
	return rc;
}

// Rules that steer send to the word's node, though it does not stand in the chain.
static bool
is_steered_by_rules(const struct pg_rx_graph *rx, const struct rx_chain *chain)
{
	return rx->steer_at >= (int)chain->first && chain->word[rx->steer_at] == RX_W_ACL;
}

// The profile shows the words in the chain's order, then their drops and ends.
static int
adopt_nodes(struct pg_rx_graph *rx, const struct rx_chain *chain)
{
	struct rx_slot *rest = &rx->slot[chain->n + 1], *steer = &rx->slot[chain->n + 2];
	struct rte_node *node;
	rte_graph_off_t off;
	rte_node_t count;
	int rc;

	rte_graph_foreach_node(count, off, rx->graph, node)
	{
		give_context(node, rest);
		node->process = rx_end_process(node->process, &rx->config);
	}
	fill_slot(rx, chain, RX_WORDS_MAX, (int)chain->first - 1, &rx->slot[chain->n]);
	rc = list_node(rx, node_of(rx, RX_INJECT));
	for (unsigned int i = chain->first; rc == 0 && i < chain->n; i++) {
		fill_slot(rx, chain, chain->word[i], (int)i, &rx->slot[i]);
		rc = list_node(rx, node_of(rx, rx_word(chain->word[i])->node));
	}
	if (rc == 0 && steer->word == RX_W_STEER) {
		fill_slot(rx, chain, RX_W_STEER, rx->steer_at, steer);
		rc = list_node(rx, node_of(rx, rx_word(RX_W_STEER)->node));
	}
	for (unsigned int i = 0; rc == 0 && i < rx->nslots; i++) {
		if (rx->slot[i].word < RX_WORDS_MAX)
			rc = list_ends(rx, node_of(rx, rx_word(rx->slot[i].word)->node));
	}
	return rc;
}

static int
make_graph(struct pg_rx_graph *rx, const char *name, const struct rx_chain *chain, int socket)
{
	const char *pattern = RX_INJECT;
	struct rte_graph_param param = {socket, 1, &pattern};
	int rc = rx_nodes_register();

	if (rc == 0)
		rc = mbuf_flag("pg_rx_other_host", &rx->other_host);
	if (rc == 0)
		rc = mbuf_flag("pg_rx_unchecked", &rx->unchecked);
	if (rc < 0)
		return rc;
	rx->slot = calloc(chain->n + 3, sizeof(rx->slot[0]));
	if (rx->slot == NULL)
		return -ENOMEM;
	rx->nslots = chain->n + 3;
	for (unsigned int i = 0; i < rx->nslots; i++) {
		rx->slot[i].rx = rx;
		rx->slot[i].word =
			i >= chain->first && i < chain->n ? chain->word[i] : RX_WORDS_MAX;
	}
	if (is_steered_by_rules(rx, chain))
		rx->slot[chain->n + 2].word = RX_W_STEER;
	rx->id = rte_graph_create(name, &param);
	if (rx->id == RTE_GRAPH_ID_INVALID)
		return -rte_errno;
	rx->graph = rte_graph_lookup(name);
	return adopt_nodes(rx, chain);
}

/** What words need besides their nodes. */
static const struct {
	int (*open)(struct rx_slot *slot, const struct rx_chain *chain, int socket,
		struct pg_error *err);
	void (*begin)(struct rx_slot *slot);
	void (*close)(struct rx_slot *slot);
} hooks[RX_WORDS_MAX + 1] = {
	[RX_W_XDP] = {rx_xdp_open, NULL, NULL},
	[RX_W_ACL] = {rx_acl_open, NULL, rx_acl_close},
	[RX_W_BPF] = {rx_bpf_open, NULL, rx_bpf_close},
	[RX_W_FILTER] = {rx_filter_open, NULL, rx_filter_close},
	[RX_W_STEER] = {rx_steer_open, NULL, rx_steer_close},
	[RX_W_IP4] = {rx_ip4_open, NULL, NULL},
	[RX_W_FIB] = {rx_fib_open, NULL, rx_fib_close},
	[RX_W_LOCAL] = {rx_local_open, rx_local_begin, rx_local_close},
	[RX_W_TAP] = {rx_tap_open, NULL, rx_tap_close},
};

static int
open_words(struct pg_rx_graph *rx, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && i < rx->nslots; i++) {
		if (hooks[rx->slot[i].word].open != NULL)
			rc = hooks[rx->slot[i].word].open(&rx->slot[i], chain, socket, err);
	}
	return rc;
}

struct pg_rx_graph *
pg_rx_graph_create(
	const char *name, const struct pg_rx_config *config, int socket, struct pg_error *err)
{
	struct pg_rx_graph *rx;
	struct rx_chain chain;
	int rc = -ENOMEM, steer_at;

	if (rx_chain_parse(config->graph, &chain, err) < 0 ||
		rx_chain_steer(config, &chain, &steer_at, err) < 0)
		return NULL;
	if (config->tail)
		chain.first = steer_at + 1;
	rx = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*rx));
	if (rx != NULL) {
		memset(rx, 0, sizeof(*rx));
		rx->id = RTE_GRAPH_ID_INVALID;
		rx->config = *config;
		rx->steer_at = steer_at;
		rx->steer_raw = !rx_chain_is_above(&chain, steer_at);
		rc = make_graph(rx, name, &chain, socket);
	}
	if (rc < 0) {
		pg_error_set(err, PG_FAULT_ENV, -rc, "cannot make the receive graph %s: %s", name,
			rte_strerror(-rc));
		pg_error_remedy(err, "reserve more memory with --memory");
	} else {
		rc = open_words(rx, &chain, socket, err);
	}
	if (rc == 0)
		rc = rx_verify_open(rx, &chain, err);
	if (rc == 0)
		return rx;
	pg_rx_graph_destroy(rx);
	return NULL;
}

void
pg_rx_graph_destroy(struct pg_rx_graph *rx)
{
	if (rx == NULL)
		return;
	for (unsigned int i = 0; i < rx->nslots; i++) {
		if (hooks[rx->slot[i].word].close != NULL)
			hooks[rx->slot[i].word].close(&rx->slot[i]);
	}
	rx_verify_close(rx);
	if (rx->id != RTE_GRAPH_ID_INVALID)
		rte_graph_destroy(rx->id);
	free(rx->counter_name);
	free(rx->slot);
	free(rx);
}

bool
pg_rx_config_alike(const struct pg_rx_config *a, const struct pg_rx_config *b)
{
	if (strcmp(a->graph, b->graph) != 0 || a->verify != b->verify || a->buffers != b->buffers)
		return false;
	return strcmp(a->graph, "null") == 0 || // which asks for nothing else
	       memcmp((const char *)a + sizeof(a->graph), (const char *)b + sizeof(b->graph),
		       sizeof(*a) - sizeof(a->graph)) == 0;
}

bool
pg_rx_graph_stale(const struct pg_rx_graph *rx)
{
	bool stale = false;

	for (unsigned int i = 0; i < rx->nslots; i++)
		stale |= rx->slot[i].word == RX_W_BPF && rx_bpf_is_stale(&rx->slot[i]);
	return stale;
}

void
pg_rx_graph_begin(struct pg_rx_graph *rx)
{
	for (unsigned int i = 0; i < rx->nslots; i++) {
		if (hooks[rx->slot[i].word].begin != NULL)
			hooks[rx->slot[i].word].begin(&rx->slot[i]);
	}
	rx_verify_begin(rx);
}

unsigned int
pg_rx_graph_held(const struct pg_rx_graph *rx, const char **by)
{
	unsigned int held = 0;

	*by = NULL;
	for (unsigned int i = 0; i < rx->nslots; i++) {
		const struct rx_slot *slot = &rx->slot[i];

		if (slot->word == RX_W_TAP)
			held = rx_tap_held(slot->data);
		if (slot->word == RX_W_TAP || (slot->word >= RX_WORDS && slot->word < RX_WORDS_MAX))
			*by = rx_word(slot->word)->name;
	}
	return held;
}

uint32_t
pg_rx_config_keeps(const struct pg_rx_config *config)
{
	struct pg_error err = {0};
	struct rx_chain chain;
	uint32_t n = 0;

	if (rx_chain_parse(config->graph, &chain, &err) < 0)
		return 0;
	for (unsigned int i = 0; i < chain.n; i++) {
		bool tap = chain.word[i] == RX_W_TAP && config->tap != NULL;

		n += tap || chain.word[i] >= RX_WORDS ? PG_RX_TAP_RING : 0;
	}
	return n;
}

// Bytes that words in front of one may have taken away, at most.
static uint32_t
popped(const struct rx_chain *chain, unsigned int at)
{
	uint32_t n = 0;

	for (unsigned int i = 0; i < at; i++)
		n += chain->word[i] == RX_W_VLAN   ? RX_TAGS_MAX * sizeof(struct rte_vlan_hdr)
		     : chain->word[i] == RX_W_MPLS ? RX_MPLS_MAX * sizeof(struct rte_mpls_hdr)
		     : chain->word[i] >= RX_WORDS  ? RX_USER_POPS
						   : 0;
	return n;
}

uint32_t
pg_rx_config_reach(const struct pg_rx_config *config)
{
	struct pg_error err = {0};
	struct rx_chain chain;
	uint32_t reach = 0;
	bool stores;

	if (rx_chain_parse(config->graph, &chain, &err) < 0)
		return 0;
	for (unsigned int i = 0; i < chain.n; i++) {
		if (chain.word[i] != RX_W_BPF)
			continue;
		rx_bpf_facts(config->bpf, &reach, &stores);
		reach += reach > 0 ? popped(&chain, i) : 0;
	}
	return reach;
}

bool
pg_rx_config_writes(const struct pg_rx_config *config, uint32_t shortest)
{
	struct pg_error err = {0};
	struct rx_chain chain;
	bool writes = false, stores = false;
	uint32_t reach;

	if (rx_chain_parse(config->graph, &chain, &err) < 0)
		return false;
	for (unsigned int i = 0; i < chain.n; i++) {
		writes |= chain.word[i] >= RX_WORDS; // a user's node may do anything
		if (chain.word[i] == RX_W_BPF)
			rx_bpf_facts(config->bpf, &reach, &stores);
	}
	return writes || stores || pg_rx_config_reach(config) > shortest;
}
