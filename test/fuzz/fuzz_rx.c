/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as received packets, a burst of them, through every preset: each must end where the oracle
 * says, in a ring too, and every buffer must come back. */
#include "fuzz_world.h"

#include <inttypes.h>
#include <string.h>

#include <rte_mbuf.h>

#include "rx_oracle.h"
#include "rx_run.h"
#include "support_eal.h"

#define ROOM    256
#define THREADS 3 // that flows are spread over
#define OWN     1 // that the graph is of

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static const struct pg_rx_config configs[] = {
	{.graph = "host", .verify = PG_RX_VERIFY_FULL},
	{.graph = "router", .verify = PG_RX_VERIFY_FULL},
	{.graph = "firewall",
		.rules = "drop proto udp dport 0-99; drop src 10.0.0.0/8; drop dst fd00::/8",
		.verify = PG_RX_VERIFY_FULL},
	{.graph = "tap", .verify = PG_RX_VERIFY_FULL},
	{.graph = "drop", .verify = PG_RX_VERIFY_FULL},
	{.graph = "null", .verify = PG_RX_VERIFY_FULL},
	{.graph = "filter,eth,vlan,mpls,ip4,ip6,deliver",
		.filter = "udp dst port 9 or (ip6 and tcp) or ether[20] = ether[ether[14] & 63]",
		.verify = PG_RX_VERIFY_FULL},
	{.graph = "eth,vlan,mpls,ip4,ip6,other,acl,fib,local",
		.rules = "drop proto tcp sport 9",
		.flows = 64,
		.verify = PG_RX_VERIFY_FULL},
	{.graph = "steer,eth,vlan,mpls,ip4,ip6,deliver",
		.steer = "kpktgend_5,kpktgend_0,kpktgend_1",
		.verify = PG_RX_VERIFY_FULL},
	{.graph = "eth,vlan,mpls,ip4,ip6,acl,local",
		.rules = "pass proto udp sport 0-99; steer",
		.steer = "kpktgend_5,kpktgend_0,kpktgend_1",
		.flows = 64,
		.verify = PG_RX_VERIFY_FULL},
};

static struct rte_mempool *pool;
static struct pg_rx_graph *graph[RTE_DIM(configs)];
static struct pg_rx_lane lane[THREADS];
static struct pg_rx_steer steer = {.n = THREADS, .own = OWN};

static void
make_lanes(void)
{
	char name[16];

	for (unsigned int i = 0; i < THREADS; i++) {
		snprintf(name, sizeof(name), "fuzz_lane_%u", i);
		lane[i].ring = rte_ring_create(name, PG_RX_BURST_MAX, SOCKET_ID_ANY,
			RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
		FUZZ_REQUIRE(lane[i].ring != NULL, "no ring");
		steer.lane[i] = i != OWN ? &lane[i] : NULL;
	}
}

// What was steered to other threads is theirs.
static void
empty_lanes(const struct pg_rx_graph *rx)
{
	const struct rx_oracle_steer by = {.n = THREADS, .own = OWN, .raw = rx->steer_raw};
	struct rte_mbuf *m;

	for (unsigned int i = 0; i < THREADS; i++) {
		while (rte_ring_sc_dequeue(lane[i].ring, (void **)&m) == 0) {
			FUZZ_REQUIRE(rx_oracle_lane(rte_pktmbuf_mtod(m, const uint8_t *),
					     m->data_len, &by) == i,
				"%s: steered to %u", rx->config.graph, i);
			rte_pktmbuf_free(m);
		}
	}
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct pg_error err = {0};
	char name[16];

	(void)argc;
	(void)argv;
	FUZZ_REQUIRE(support_eal_start_two(NULL) == 0, "EAL did not start");
	pool = rte_pktmbuf_pool_create(
		"fuzz", 1023, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	FUZZ_REQUIRE(pool != NULL, "no pool");
	make_lanes();
	for (size_t i = 0; i < RTE_DIM(configs); i++) {
		snprintf(name, sizeof(name), "fuzz_%zu", i);
		graph[i] = pg_rx_graph_create(name, &configs[i], SOCKET_ID_ANY, &err);
		FUZZ_REQUIRE(graph[i] != NULL, "%s: %s", configs[i].graph, err.text);
		graph[i]->steer = &steer;
	}
	return 0;
}

// A byte of length, and so many of a packet; what is left makes the last one.
static uint16_t
cut(const uint8_t *data, size_t size, struct rte_mbuf **pkts)
{
	uint16_t n = 0;

	while (size > 0 && n < PG_RX_BURST_MAX) {
		size_t length = RTE_MIN((size_t)data[0], size - 1);
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

		FUZZ_REQUIRE(m != NULL, "a buffer is missing");
		memset(rte_pktmbuf_mtod(m, void *), 0xa5, ROOM);
		memcpy(rte_pktmbuf_mtod(m, void *), data + 1, length);
		m->data_len = (uint16_t)length;
		m->pkt_len = (uint32_t)length;
		pkts[n++] = m;
		data += 1 + length;
		size -= 1 + length;
	}
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t mac[8] = {2, 0, 0, 0, 0, 1};
	struct rte_mbuf *pkts[PG_RX_BURST_MAX];
	uint64_t word;

	memcpy(&word, mac, sizeof(word));
	for (size_t i = 0; i < RTE_DIM(graph); i++) {
		struct pg_rx_profile profile = {.nnodes = 0};
		uint16_t n = cut(data, size, pkts);

		if (n == 0)
			return 0;
		pg_rx_graph_begin(graph[i]);
		FUZZ_REQUIRE(pg_rx_profile_begin(graph[i], &profile) == 0, "out of memory");
		pg_rx_inject_verified(graph[i], pkts, n, word, 0, profile.verified);
		FUZZ_REQUIRE(profile.verified->differences == 0,
			"%s: packet %" PRIu64 " must end as '%s' and ended as '%s'",
			configs[i].graph, profile.verified->index, profile.verified->must,
			profile.verified->did);
		empty_lanes(graph[i]);
		FUZZ_REQUIRE(rte_mempool_full(pool), "%s: a buffer is missing", configs[i].graph);
		pg_rx_profile_fini(&profile);
	}
	return 0;
}
