/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile says of single bursts, against every burst's own figure kept in a plain list. */
#include "support.h"

#include <stdlib.h>

#include <rte_mbuf.h>

#include "rx_run.h"
#include "support_eal.h"

#define WALKS 301
#define FRAME 60

static struct rte_mempool *pool;
static struct pg_rx_graph *graph;
static struct pg_rx_profile profile;

/** Cycles a packet of each walk that came by, by node. */
static double took[PG_RX_NODES_MAX][WALKS];
static unsigned int n_took[PG_RX_NODES_MAX];

static struct rte_mbuf *
buffer(bool ours, bool ip)
{
	static const uint8_t begin[] = {2, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 8, 0, 0x45, 0, 0, 46};
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint8_t *frame;

	assert_non_null(m);
	frame = rte_pktmbuf_mtod(m, uint8_t *);
	m->data_len = FRAME;
	m->pkt_len = FRAME;
	memset(frame, 0, FRAME);
	memcpy(frame, begin, sizeof(begin));
	frame[5] = ours ? 1 : 9;
	frame[12] = ip ? 8 : 7;
	return m;
}

// Bursts of every size, of which some have none, one or all packets for some of the nodes.
static unsigned int
fill(struct rte_mbuf **pkts, unsigned int walk)
{
	unsigned int n = 1 + walk * 37 % PG_RX_BURST_MAX;

	for (unsigned int k = 0; k < n; k++)
		pkts[k] = buffer(walk % 3 != 0 || k != 0, walk % 5 != 0 && k % 7 != 0);
	return n;
}

static void
walk_once(unsigned int walk)
{
	uint64_t packets[PG_RX_NODES_MAX], cycles[PG_RX_NODES_MAX];
	struct rte_mbuf *pkts[PG_RX_BURST_MAX];
	unsigned int n = fill(pkts, walk);

	for (unsigned int i = 0; i < graph->nnodes; i++) {
		packets[i] = graph->node[i]->total_objs;
		cycles[i] = graph->node[i]->total_cycles;
	}
	pg_rx_inject_sampled(graph, pkts, (uint16_t)n, 0x010101010102, &profile);
	for (unsigned int i = 0; i < graph->nnodes; i++) {
		packets[i] = graph->node[i]->total_objs - packets[i];
		cycles[i] = graph->node[i]->total_cycles - cycles[i];
		if (packets[i] > 0)
			took[i][n_took[i]++] = (double)cycles[i] / (double)packets[i];
	}
}

// A walk that nobody looks at.
static void
walk_unseen(unsigned int walk)
{
	struct rte_mbuf *pkts[PG_RX_BURST_MAX];
	unsigned int n = fill(pkts, walk);

	pg_rx_inject(graph, pkts, (uint16_t)n, 0x010101010102);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// The smallest that so large a share of all is not above; figures are right within 1/32.
static void
check_quantile(unsigned int i, double share, double is)
{
	unsigned int rank = 1;
	double must;

	while (rank < share * n_took[i])
		rank++;
	must = took[i][rank - 1];
	if (is < must * (1 - 1.0 / 32) - 2.0 / 64 || is > must * (1 + 1.0 / 32) + 2.0 / 64)
		fail_msg("%s: quantile %.2f is %.3f, must be %.3f", profile.node[i].name, share, is,
			must);
}

static void
test_quantiles(void **state)
{
	unsigned int with = 0;

	(void)state;
	memset(n_took, 0, sizeof(n_took));
	assert_int_equal(pg_rx_profile_begin(graph, &profile), 0);
	for (unsigned int walk = 0; walk < WALKS; walk++) {
		walk_once(walk);
		walk_unseen(walk);
	}
	pg_rx_profile_collect(graph, &profile);
	pg_rx_profile_end(&profile);
	for (unsigned int i = 0; i < profile.nnodes; i++) {
		const struct pg_rx_node_count *node = &profile.node[i];

		CHECK_U64(node->sampled, n_took[i], "%s", node->name);
		if (n_took[i] == 0)
			continue;
		with++;
		assert_true(node->calls > node->sampled); // the others count as ever
		qsort(took[i], n_took[i], sizeof(took[i][0]), compare);
		check_quantile(i, 0.5, node->p50);
		check_quantile(i, 0.99, node->p99);
		check_quantile(i, 1, node->max);
		assert_true(node->p50 <= node->p99 && node->p99 <= node->max);
	}
	assert_true(with >= 5); // inject, eth, ip4 and two reasons to drop
	assert_true(rte_mempool_full(pool));
}

// What was not looked at is not made up; a new run knows nothing of the one before.
static void
test_none(void **state)
{
	(void)state;
	assert_int_equal(pg_rx_profile_begin(graph, &profile), 0);
	walk_unseen(1);
	pg_rx_profile_collect(graph, &profile);
	pg_rx_profile_end(&profile);
	for (unsigned int i = 0; i < profile.nnodes; i++)
		assert_true(profile.node[i].sampled == 0 && profile.node[i].max == 0);
	assert_null(profile.spread);
	pg_rx_profile_end(&profile); // twice is once
}

static int
start(void **state)
{
	static const struct pg_rx_config config = {.graph = "host"};
	struct pg_error err = {0};

	if (support_eal_start(state) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create(
		"unit", 1023, 0, 0, RTE_PKTMBUF_HEADROOM + 128, SOCKET_ID_ANY);
	graph = pg_rx_graph_create("unit_profile", &config, SOCKET_ID_ANY, &err);
	return pool != NULL && graph != NULL ? 0 : -1;
}

static int
stop(void **state)
{
	pg_rx_profile_fini(&profile);
	pg_rx_graph_destroy(graph);
	rte_mempool_free(pool);
	return support_eal_stop(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("rx_profile", tests, start, stop);
}
