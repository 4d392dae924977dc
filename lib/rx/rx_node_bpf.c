/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's eBPF program decides, in XDP's terms. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rx_bpf.h"
#include "rx_priv.h"

enum {
	NEXT_ABORTED,
	NEXT_DROP,
	NEXT_TX,
	NEXT_REDIRECT,
	NEXT_UNKNOWN,
	NEXT_NO_ROOM,
	NEXTS,
};

/** What a program may return: enum xdp_action of linux/bpf.h. */
enum verdict { ABORTED, DROP, PASS, TX, REDIRECT, UNKNOWN, VERDICTS };

struct data {
	struct rx_bpf bpf;
	rte_edge_t next[VERDICTS]; /**< by verdict */
};

// The program writes to a frame that somebody else looks at too: it gets one of its own, as the
// kernel does for a program in front of which a tap stands.
static struct rte_mbuf *
copy_of(struct rte_mbuf *mbuf)
{
	struct rte_mempool *pool =
		RTE_MBUF_CLONED(mbuf) ? rte_mbuf_from_indirect(mbuf)->pool : mbuf->pool;
	struct rte_mbuf *copy = rte_pktmbuf_copy(mbuf, pool, 0, UINT32_MAX);

	if (copy != NULL)
		rte_pktmbuf_free(mbuf);
	return copy;
}

// The frame in one piece, with zeros behind it as far as the program may look.
static bool
fill_up(struct rte_mbuf *mbuf, uint32_t reach)
{
	if (mbuf->nb_segs > 1 && rte_pktmbuf_linearize(mbuf) < 0)
		return false;
	if (mbuf->data_len >= reach)
		return true;
	if (mbuf->data_off + reach > mbuf->buf_len)
		return false;
	memset(rte_pktmbuf_mtod_offset(mbuf, char *, mbuf->data_len), 0, reach - mbuf->data_len);
	return true;
}

static __rte_noinline bool
make_ready(const struct rx_bpf *bpf, void **obj)
{
	struct rte_mbuf *mbuf = *obj, *own = mbuf;

	if (bpf->stores && (!RTE_MBUF_DIRECT(mbuf) || rte_mbuf_refcnt_read(mbuf) > 1))
		own = copy_of(mbuf);
	if (own == NULL)
		return false;
	*obj = own;
	return fill_up(own, bpf->reach);
}

static __rte_always_inline uint16_t
run(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs, const bool native,
	const bool stores)
{
	const struct rx_slot *slot = rx_slot(node);
	const struct data *data = slot->data;
	const struct rx_bpf *bpf = &data->bpf;
	rte_edge_t next[PG_RX_BURST_MAX], mixed = 0;

	rx_bpf_frame.counters = slot->rx->counters + slot->counter;
	next[0] = NEXT_ABORTED;
	for (uint16_t k = 0; k < nobjs; k++) {
		const struct rte_mbuf *mbuf = objs[k];
		uint32_t verdict;
		void *frame;

		if (unlikely(stores || mbuf->data_len < bpf->reach)) {
			if (unlikely(!make_ready(bpf, &objs[k]))) {
				next[k] = NEXT_NO_ROOM;
				mixed |= next[k] ^ next[0];
				continue;
			}
			mbuf = objs[k];
		}
		rx_bpf_frame.length = mbuf->pkt_len;
		frame = rte_pktmbuf_mtod(mbuf, void *);
		verdict = (uint32_t)(native ? bpf->program.native(frame)
					    : rte_bpf_exec(bpf->program.bpf, frame));
		next[k] = data->next[RTE_MIN(verdict, (uint32_t)UNKNOWN)];
		mixed |= next[k] ^ next[0];
	}
	rx_forward(graph, node, objs, next, nobjs, mixed);
	return nobjs;
}

#define RUN(name, ...)                                                                   \
	static uint16_t name(                                                            \
		struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t n) \
	{                                                                                \
		return run(graph, node, objs, n, __VA_ARGS__);                           \
	}

RUN(native, true, false)
RUN(native_stores, true, true)
RUN(interpreted, false, false)
RUN(interpreted_stores, false, true)

const struct rte_node_register rx_node_bpf = {
	.name = "pg_bpf",
	.process = interpreted_stores,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = NEXTS,
	.next_nodes = {[NEXT_ABORTED] = RX_DROP_FOR("bpf: aborted"),
		[NEXT_DROP] = RX_DROP_FOR("bpf: drop"),
		[NEXT_TX] = RX_END_FOR("tx"),
		[NEXT_REDIRECT] = RX_DROP_FOR("bpf: redirect"),
		[NEXT_UNKNOWN] = RX_DROP_FOR("bpf: unknown verdict"),
		[NEXT_NO_ROOM] = RX_DROP_FOR("bpf: no room")},
};

static int
name_counters(struct rx_slot *slot, struct pg_error *err)
{
	struct pg_rx_counter_name *names = rx_counters_add(slot, RX_BPF_COUNTERS + 1);

	if (names == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	for (unsigned int i = 0; i < RX_BPF_COUNTERS; i++)
		snprintf(names[i].text, sizeof(names[0].text), "bpf: %u", i);
	snprintf(names[RX_BPF_COUNTERS].text, sizeof(names[0].text), "bpf: %u and more",
		RX_BPF_COUNTERS);
	return 0;
}

int
rx_bpf_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	static const rte_node_process_t process[2][2] = {
		{interpreted, interpreted_stores}, {native, native_stores}};
	const char *text = slot->rx->config.bpf;
	struct data *data;
	int rc;

	(void)chain;
	(void)socket;
	if (text == NULL) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "the node bpf has no program");
		return pg_error_expect(err, "rx_bpf FILE");
	}
	data = calloc(1, sizeof(*data));
	if (data == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	slot->data = data;
	data->next[ABORTED] = NEXT_ABORTED;
	data->next[DROP] = NEXT_DROP;
	data->next[PASS] = slot->next[0];
	data->next[TX] = NEXT_TX;
	data->next[REDIRECT] = NEXT_REDIRECT;
	data->next[UNKNOWN] = NEXT_UNKNOWN;
	rc = rx_bpf_load(text, &data->bpf, err);
	if (rc < 0)
		return rc;
	slot->node->process = process[data->bpf.program.native != NULL][data->bpf.stores];
	return name_counters(slot, err);
}

bool
rx_bpf_is_stale(const struct rx_slot *slot)
{
	const struct data *data = slot->data;

	return data != NULL && rx_bpf_stale(&data->bpf);
}

void
rx_bpf_close(struct rx_slot *slot)
{
	struct data *data = slot->data;

	if (data != NULL)
		rx_bpf_fini(&data->bpf);
	free(data);
}
