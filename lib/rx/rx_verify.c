/* SPDX-License-Identifier: BSD-3-Clause */
/* Every packet's end, held against what the oracle says. The graph is the one that is measured, its
 * bursts too; only its last nodes note whom they see. */
#include <errno.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>

#include "rx_oracle.h"
#include "rx_verify.h"

#define SAMPLED 64 // of so many bursts one is looked at

/** What is known of a burst. worker: rw. */
struct pg_rx_verify {
	struct rx_oracle *oracle;
	int field;          /**< of an mbuf: its number in the burst */
	bool watching;      /**< this burst is looked at */
	unsigned int every; /**< of so many bursts one */
	uint64_t bursts;
	rte_node_process_t
		end[PG_RX_NODES_MAX]; /**< what the last nodes do, by place in rx->node */
	const char *must[PG_RX_BURST_MAX], *did[PG_RX_BURST_MAX];
	struct rx_oracle_flow flow[PG_RX_BURST_MAX];
	struct {
		uint32_t length;
		uint8_t bytes[PG_RX_SHOWN];
	} frame[PG_RX_BURST_MAX];
	uint8_t whole[UINT16_MAX + 1]; /**< a packet of several segments, in one */
};

static unsigned int
place(const struct pg_rx_graph *rx, const struct rte_node *node)
{
	unsigned int i = 0;

	while (rx->node[i] != node)
		i++;
	return i;
}

// In the place of a last node's own function.
static uint16_t
note_end(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct pg_rx_graph *rx = rx_of(node);
	struct pg_rx_verify *v = rx->verify;
	unsigned int i = place(rx, node);

	for (uint16_t k = 0; v->watching && k < nobjs; k++) {
		struct rte_mbuf *mbuf = objs[k];

		v->did[*RTE_MBUF_DYNFIELD(mbuf, v->field, uint32_t *)] = rx_node_label(node);
	}
	return v->end[i](graph, node, objs, nobjs);
}

// Who spreads flows, and over whom.
static void
tell_steer(const struct pg_rx_graph *rx)
{
	const struct rx_oracle_steer steer = {.n = rx->steer->n,
		.own = rx->steer->own,
		.raw = rx->steer_raw,
		.tail = rx->config.tail != 0};

	rx_oracle_steer(rx->verify->oracle, &steer);
}

static void
foresee(struct pg_rx_verify *v, struct rte_mbuf **pkts, uint16_t n, const uint8_t *mac)
{
	for (uint16_t k = 0; k < n; k++) {
		struct rte_mbuf *mbuf = pkts[k];
		const uint8_t *bytes = rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, v->whole);

		*RTE_MBUF_DYNFIELD(mbuf, v->field, uint32_t *) = k;
		v->must[k] = rx_oracle_verdict(
			v->oracle, bytes, mbuf->data_len, mbuf->pkt_len, mac, &v->flow[k]);
		v->did[k] = "none";
		v->frame[k].length = mbuf->pkt_len;
		memcpy(v->frame[k].bytes, bytes, RTE_MIN(mbuf->data_len, PG_RX_SHOWN));
	}
}

static bool
differs(const struct pg_rx_verify *v, uint16_t k)
{
	// A ring takes them, and nobody sees them any more here, or is full.
	if (strcmp(v->must[k], "steered") == 0)
		return strcmp(v->did[k], "none") != 0 && strcmp(v->did[k], "steer: ring full") != 0;
	if (strcmp(v->did[k], "local: table full") == 0 && strcmp(v->must[k], "socket") == 0)
		return !rx_oracle_full(v->oracle, &v->flow[k]);
	return strcmp(v->must[k], v->did[k]) != 0;
}

static void
note(const struct pg_rx_verify *v, uint16_t k, uint64_t index, struct pg_rx_verified *out)
{
	if (out->differences++ > 0)
		return;
	out->index = index + k;
	out->must = v->must[k];
	out->did = v->did[k];
	out->length = v->frame[k].length;
	memcpy(out->bytes, v->frame[k].bytes, sizeof(out->bytes));
}

static void
compare(struct pg_rx_verify *v, uint16_t n, uint64_t index, struct pg_rx_verified *out)
{
	out->packets += n;
	for (uint16_t k = 0; k < n; k++) {
		bool socket = strcmp(v->did[k], "socket") == 0 && strcmp(v->must[k], "socket") == 0;

		if (socket && !rx_oracle_socket(v->oracle, &v->flow[k])) {
			v->must[k] = "local: table full";
			note(v, k, index, out);
		}
	}
	for (uint16_t k = 0; k < n; k++) {
		if (strcmp(v->must[k], "local: table full") != 0 && differs(v, k))
			note(v, k, index, out);
	}
}

uint64_t
pg_rx_inject_verified(struct pg_rx_graph *rx, struct rte_mbuf **pkts, uint16_t n, uint64_t mac,
	uint64_t index, struct pg_rx_verified *out)
{
	struct pg_rx_verify *v = rx->verify;
	uint64_t dropped;

	v->watching = v->bursts++ % v->every == 0;
	if (v->watching && rx->steer != NULL)
		tell_steer(rx);
	if (v->watching)
		foresee(v, pkts, n, (const uint8_t *)&mac);
	dropped = pg_rx_inject(rx, pkts, n, mac);
	if (v->watching)
		compare(v, n, index, out);
	return dropped;
}

static int
watch_ends(struct pg_rx_graph *rx)
{
	static const struct rte_mbuf_dynfield desc = {
		.name = "pg_rx_number", .size = sizeof(uint32_t), .align = _Alignof(uint32_t)};

	rx->verify->field = rte_mbuf_dynfield_register(&desc);
	if (rx->verify->field < 0)
		return -rte_errno;
	for (unsigned int i = 0; i < rx->nnodes; i++) {
		if (rx->node[i]->nb_edges > 0)
			continue;
		rx->verify->end[i] = rx->node[i]->process;
		rx->node[i]->process = note_end;
	}
	return 0;
}

int
rx_verify_open(struct pg_rx_graph *rx, const struct rx_chain *chain, struct pg_error *err)
{
	const char *words[RX_CHAIN_MAX];
	bool remembers = false;
	unsigned int n = 0;
	int rc;

	if (rx->config.verify == PG_RX_VERIFY_OFF)
		return 0;
	for (unsigned int i = chain->first; i < chain->n; i++) {
		words[n++] = rx_word(chain->word[i])->name;
		remembers |= chain->word[i] == RX_W_LOCAL;
		if (chain->word[i] < RX_WORDS && chain->word[i] != RX_W_BPF)
			continue;
		pg_error_set(err, PG_FAULT_INPUT, ENOTSUP,
			"nobody can tell what the user's %s %s has to do",
			chain->word[i] == RX_W_BPF ? "program of" : "node", words[n - 1]);
		return pg_error_expect(err, "rx_verify off, or another chain");
	}
	rx->verify = calloc(1, sizeof(*rx->verify));
	if (rx->verify == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	// What a node remembers of packets, the oracle has to see too.
	rx->verify->every = rx->config.verify == PG_RX_VERIFY_SAMPLED && !remembers ? SAMPLED : 1;
	rx->verify->oracle = rx_oracle_create(words, n, &rx->config, err);
	if (rx->verify->oracle == NULL)
		return -err->code;
	rc = watch_ends(rx);
	return rc < 0 ? pg_error_set(err, PG_FAULT_ENV, -rc, "no room in mbufs to verify: %s",
				rte_strerror(-rc))
		      : 0;
}

void
rx_verify_begin(struct pg_rx_graph *rx)
{
	if (rx->verify == NULL)
		return;
	rx->verify->bursts = 0;
	rx_oracle_begin(rx->verify->oracle);
}

void
rx_verify_close(struct pg_rx_graph *rx)
{
	if (rx->verify == NULL)
		return;
	rx_oracle_destroy(rx->verify->oracle);
	free(rx->verify);
}
