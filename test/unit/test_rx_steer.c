/* SPDX-License-Identifier: BSD-3-Clause */
/* Flows are spread over threads by their hash: the published vectors, every lcore's count and order
 * against a second implementation, and nothing lost but to a full ring. */
#include "support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rte_mbuf.h>

#include "rx_flow.h"
#include "support_eal.h"
#include "support_engine.h"
#include "tx_priv.h"

#define PACKETS 6400
#define FLOWS   64
#define OFF_SRC 34 // UDP's, of a frame without options
#define OFF_SEQ 46 // pktgen's sequence number

static struct rig_engine rig;

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_init(&rig, NULL);
	rig_engine_work(&rig, 2);
	return 0;
}

// Microsoft, "Verifying the RSS hash calculation".
static const struct {
	const char *src, *dst;
	uint16_t sport, dport;
	uint32_t addresses, ports;
} vectors[] = {
	{"66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178},
	{"199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea},
	{"24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a},
	{"38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f},
	{"153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2},
	{"3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766, 0x2cc18cd5, 0x40207d3d},
	{"3ffe:501:8::260:97ff:fe40:efab", "ff02::1", 14230, 4739, 0x0f0c461c, 0xdde51bbf},
	{"3ffe:1900:4545:3:200:f8ff:fe21:67cf", "fe80::200:f8ff:fe21:67cf", 44251, 38024,
		0x4b61e985, 0x02d1feef},
};

static void
put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

// The frame of a vector behind so many tags and labels. Returns its length.
static uint16_t
frame_of(size_t i, uint8_t *f, unsigned int tags, unsigned int labels, uint8_t proto)
{
	bool ip6 = strchr(vectors[i].src, ':') != NULL;
	uint32_t type = ip6 ? 0x86dd : 0x0800;
	uint8_t *at = f + 12;

	memset(f, 0, 128);
	for (unsigned int t = 0; t < tags; t++, at += 4)
		put16(at, t == 0 && tags > 1 ? 0x88a8 : 0x8100);
	put16(at, labels > 0 ? 0x8847 : type);
	at += 2;
	for (unsigned int k = 0; k < labels; k++, at += 4)
		at[2] = k + 1 == labels;
	at[0] = ip6 ? 0x60 : 0x45;
	if (ip6) {
		put16(at + 4, 8);
		at[6] = proto;
		inet_pton(AF_INET6, vectors[i].src, at + 8);
		inet_pton(AF_INET6, vectors[i].dst, at + 24);
		at += 40;
	} else {
		put16(at + 2, 28);
		at[9] = proto;
		inet_pton(AF_INET, vectors[i].src, at + 12);
		inet_pton(AF_INET, vectors[i].dst, at + 16);
		at += 20;
	}
	put16(at, vectors[i].sport);
	put16(at + 2, vectors[i].dport);
	return (uint16_t)(at + 8 - f);
}

static bool
hash_of(const uint8_t *frame, uint16_t length, bool raw, uint32_t *hash)
{
	// Exactly as long: what is read behind it is found.
	uint8_t *bytes = malloc(length + 1u);
	struct rte_mbuf mbuf = {.buf_addr = bytes, .data_len = length, .pkt_len = length};
	bool flow;

	memcpy(bytes, frame, length);
	flow = rx_flow_hash(&mbuf, raw, hash);
	free(bytes);
	return flow;
}

static void
test_vectors(void **state)
{
	uint8_t f[128];
	uint32_t hash;

	(void)state;
	for (size_t i = 0; i < DIM(vectors); i++) {
		uint16_t length = frame_of(i, f, 0, 0, 6);
		uint8_t *ip = f + 14;

		assert_true(hash_of(f, length, false, &hash));
		CHECK_U64(hash, vectors[i].ports, "%zu, TCP", i);
		assert_true(hash_of(f, length - 5, false, &hash));
		CHECK_U64(hash, vectors[i].addresses, "%zu, cut short", i);
		for (unsigned int tags = 0; tags < 3; tags++) {
			for (unsigned int labels = 0; labels < 17; labels++) {
				uint8_t g[256] = {0};

				if (labels > 10)
					continue;
				length = frame_of(i, g, tags, labels, 17);
				assert_true(hash_of(g, length, true, &hash));
				CHECK_U64(hash, vectors[i].ports, "%zu, %u tags", i, tags);
			}
		}
		length = frame_of(i, f, 3, 0, 17);
		assert_false(hash_of(f, length, true, &hash)); // one tag too many
		length = frame_of(i, f, 0, 0, 50);
		assert_true(hash_of(f, length, true, &hash));
		CHECK_U64(hash, vectors[i].addresses, "%zu, ESP", i);
		if (ip[0] >> 4 == 4) { // fragments of a datagram go one way
			for (uint32_t fragment = 1; fragment < 0x4000; fragment <<= 1) {
				length = frame_of(i, f, 0, 0, 17);
				put16(ip + 6, fragment);
				assert_true(hash_of(f, length, false, &hash));
				CHECK_U64(hash, vectors[i].addresses, "%zu, %x", i, fragment);
			}
		}
		for (uint16_t cut = 0; cut < 34; cut++)
			assert_false(hash_of(f, cut, true, &hash));
	}
}

/** The key again, as the specification prints it. */
static const uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25,
	0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb,
	0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

// The thread of two that the flow of packet i is for: 10.0.0.1 to 10.0.0.2, 1000 + i % 64 to 9.
static unsigned int
lane_of(uint32_t i)
{
	uint8_t in[12] = {10, 0, 0, 1, 10, 0, 0, 2};
	uint64_t window = 0;
	uint32_t hash = 0;

	put16(in + 8, 1000 + i % FLOWS);
	put16(in + 10, 9);
	for (unsigned int k = 0; k < 8; k++)
		window = window << 8 | key[k];
	for (unsigned int k = 0; k < sizeof(in); k++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			if (in[k] << bit & 0x80)
				hash ^= (uint32_t)(window >> 32);
			window <<= 1;
		}
		window |= key[k + 8];
	}
	return (uint64_t)hash * 2 >> 32;
}

// The device "dev" with these settings and no others.
static struct pg_device *
add(const char *commands)
{
	struct pg_device *device = rig_engine_device(&rig, "dev");
	struct pg_error err;

	assert_int_equal(pg_device_defaults(&device->settings, &err), 0);
	rig_engine_set(&rig, "dev",
		"xmit_mode netif_receive;dst_mac ff:ff:ff:ff:ff:ff;src_min 10.0.0.1;"
		"src_max 10.0.0.1;dst 10.0.0.2;udp_src_min 1000;udp_src_max 1063;rx_ring 8000;"
		"count 6400");
	rig_engine_set(&rig, "dev", commands);
	return device;
}

static uint64_t
packets(const struct pg_rx_profile *profile, const char *name)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < profile->nnodes; i++)
		n += strcmp(profile->node[i].name, name) == 0 ? profile->node[i].packets : 0;
	return n;
}

// How many of the packets are for a thread.
static uint64_t
share(unsigned int lane)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < PACKETS; i++)
		n += lane_of(i) == lane;
	return n;
}

static void
settled(const struct pg_device *device)
{
	uint64_t errors = 0, lost = 0;

	for (unsigned int i = 0; i < device->nreceivers; i++) {
		const struct pg_receiver *r = &device->receivers[i];

		CHECK_U64(r->in_flight, 0, "in flight");
		CHECK_U64(r->received + r->lost, r->offered, "offered");
		CHECK_U64(packets(&r->profile, "inject"), r->received, "received");
		errors += r->errors;
		lost += r->lost;
	}
	for (unsigned int i = 0; i < device->profile.nnodes; i++)
		errors += device->profile.node[i].drop ? device->profile.node[i].packets : 0;
	CHECK_U64(device->result.errors, errors, "errors");
	if (device->profile.nnodes > 0)
		CHECK_U64(packets(&device->profile, "steer: ring full"), lost, "lost");
	assert_true(rte_mempool_full(device->task->pool));
}

/** What a thread delivered, in order. */
static struct arrived {
	uint32_t n, seq[PACKETS];
	uint16_t src[PACKETS];
} arrived[2];
static rte_node_process_t deliver;

static uint16_t
record(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	unsigned int lcore = (unsigned int)atoi(graph->name + strlen("pg_rx_"));
	struct arrived *to = &arrived[lcore];

	for (uint16_t k = 0; k < nobjs; k++) {
		const uint8_t *f = rte_pktmbuf_mtod((struct rte_mbuf *)objs[k], const uint8_t *);

		if (to->n == PACKETS) // one too many, as the count will say
			break;
		to->seq[to->n] = (uint32_t)f[OFF_SEQ] << 24 | f[OFF_SEQ + 1] << 16 |
				 f[OFF_SEQ + 2] << 8 | f[OFF_SEQ + 3];
		to->src[to->n++] = (uint16_t)(f[OFF_SRC] << 8 | f[OFF_SRC + 1]);
	}
	return deliver(graph, node, objs, nobjs);
}

// From the next run on, of the graphs that are there.
static void
watch(unsigned int lcore)
{
	for (struct tx_graph *g = pg_engine_thread(rig.engine, lcore)->worker->graphs; g != NULL;
		g = g->next) {
		for (unsigned int i = 0; i < g->rx->nnodes; i++) {
			if (strncmp(g->rx->node[i]->name, "pg_deliver", 10) != 0 ||
				g->rx->node[i]->process == record)
				continue;
			deliver = g->rx->node[i]->process;
			g->rx->node[i]->process = record;
		}
	}
}

// Each flow comes whole and in order to the thread that is its own.
static void
test_order(void **state)
{
	static const char *const cases[] = {"rx_graph eth,ip4,steer,deliver",
		"rx_graph steer,eth,ip4,deliver", "rx_graph eth,ip4,acl,deliver;rx_rules steer",
		"burst 256", "burst 1"};
	struct pg_device *device = add(cases[0]);

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		uint32_t last[FLOWS] = {0};

		rig_engine_set(&rig, "dev", cases[i]);
		rig_engine_run(&rig);
		watch(0);
		watch(1);
		memset(arrived, 0, sizeof(arrived));
		rig_engine_run(&rig);
		settled(device);
		CHECK_U64(device->nreceivers, 1, "%s", cases[i]);
		CHECK_U64(device->receivers->received, share(1), "%s", cases[i]);
		for (unsigned int lane = 0; lane < 2; lane++) {
			const struct arrived *a = &arrived[lane];

			CHECK_U64(a->n, share(lane), "%s: on lcore %u", cases[i], lane);
			for (uint32_t k = 0; k < a->n; k++) {
				uint32_t flow = a->src[k] - 1000u;

				assert_true(flow < FLOWS);
				CHECK_U64(lane_of(flow), lane, "%s: flow %u", cases[i], flow);
				CHECK(a->seq[k] >= last[flow], "%s: %u behind %u", cases[i],
					a->seq[k], last[flow]);
				last[flow] = a->seq[k];
			}
		}
		assert_true(share(0) > 0 && share(1) > 0);
	}
}

// A full ring drops, by name; the rest is as it was.
static void
test_full(void **state)
{
	static const char *const cases[] = {"rx_ring 1", "rx_ring 32", "rx_ring 32;burst 256",
		"rx_steer kpktgend_1",
		"rx_graph eth,ip4,acl,drop;rx_rules steer;rx_steer kpktgend_1,kpktgend_0"};
	struct pg_device *device = add("rx_graph eth,ip4,steer,deliver;count 300000");

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		rig_engine_set(&rig, "dev", cases[i]);
		rig_engine_run(&rig);
		settled(device);
		CHECK_U64(device->result.sent, 300000, "%s", cases[i]);
		CHECK_U64(packets(&device->profile, "steer"), 300000, "%s", cases[i]);
		CHECK(device->receivers->lost > 0, "%s", cases[i]);
		CHECK_U64(packets(&device->profile, "deliver") +
				  packets(&device->profile, "end of the chain") +
				  device->receivers->offered,
			300000, "%s", cases[i]);
	}
}

// Only what the rules name leaves; to one thread alone; from a thread that received itself.
static void
test_ways(void **state)
{
	struct pg_device *device = add("rx_graph eth,ip4,acl,deliver");

	(void)state;
	rig_engine_set(&rig, "dev", "rx_rules count sport 1000-1009");
	rig_engine_run(&rig);
	CHECK_U64(device->nreceivers, 0, "nothing steers");
	rig_engine_set(&rig, "dev", "rx_steer kpktgend_1");
	rig_engine_set(&rig, "dev", "rx_rules steer sport 1000-1009");
	rig_engine_run(&rig);
	settled(device);
	CHECK_U64(device->receivers->received, 1000, "of the rules");
	CHECK_U64(packets(&device->receivers->profile, "deliver"), 1000, "delivered there");
	CHECK_U64(packets(&device->profile, "deliver"), 5400, "delivered here");
	rig_engine_set(&rig, "dev",
		"rx_graph eth,ip4,steer,deliver;inject ring;rx_steer kpktgend_0,kpktgend_1");
	rig_engine_run(&rig);
	settled(device);
	CHECK_U64(device->nreceivers, 2, "receivers");
	CHECK_U64(device->receivers[0].received, PACKETS, "all");
	CHECK_U64(device->receivers[1].thread->lcore, 0, "back");
	CHECK_U64(packets(&device->receivers[0].profile, "deliver"), share(1), "there");
	CHECK_U64(packets(&device->receivers[1].profile, "deliver"), share(0), "back");
}

// The oracle knows where each packet must go, and looks at it on either thread.
static void
test_verified(void **state)
{
	static const char *const chains[] = {"rx_graph eth,ip4,ip6,steer,deliver",
		"rx_graph steer,eth,ip4,ip6,deliver", "rx_graph steer,null",
		"rx_graph eth,ip4,ip6,acl,fib,deliver;rx_routes 5;rx_rules steer dport 9",
		"rx_graph eth,vlan,mpls,ip4,ip6,steer,other,local;rx_flows 8",
		"rx_graph steer,eth,vlan,mpls,ip4,ip6,deliver",
		"rx_graph eth,ip4,ip6,steer,deliver;inject ring"};
	static const char *const kinds[] = {"dst 10.0.0.1", "dst6 2001:db8::1",
		"vlan_id 5;svlan_id 6;mpls 1,2", "frags 3;pkt_size 500",
		"dst_max 10.9.9.9;flag IPDST_RND;dst_mac_count 3;flag MACDST_RND"};

	(void)state;
	for (size_t i = 0; i < DIM(chains); i++) {
		for (size_t k = 0; k < DIM(kinds); k++) {
			const struct pg_rx_verified *v;
			struct pg_device *device;

			device = add("rx_verify full;count 1000");
			rig_engine_set(&rig, "dev", chains[i]);
			rig_engine_set(&rig, "dev", kinds[k]);
			rig_engine_run(&rig);
			settled(device);
			CHECK(!device->fell_short, "%s, %s: %s", chains[i], kinds[k],
				device->shortfall);
			for (unsigned int r = 0; r < device->nreceivers; r++) {
				v = device->receivers[r].profile.verified;
				CHECK_U64(
					v->packets, device->receivers[r].received, "%s", chains[i]);
				CHECK_U64(v->differences, 0, "%s", chains[i]);
			}
			v = device->profile.verified;
			CHECK(v != NULL ? v->packets == 1000 : i + 1 == DIM(chains), "%s",
				chains[i]);
		}
	}
}

static void
refuses(const char *commands, const char *text)
{
	struct pg_error err = {0};

	rig_engine_set(&rig, "dev", commands);
	assert_int_not_equal(pg_engine_start(rig.engine, &err), 0);
	CHECK(err.fault == PG_FAULT_INPUT && strcmp(err.text, text) == 0, "%s", err.text);
}

static void
test_refused(void **state)
{
	add("rx_graph eth,ip4,steer,deliver");
	(void)state;
	refuses("rx_steer kpktgend_0", "dev: steer needs a second thread to steer to");
	refuses("rx_steer kpktgend_1,kpktgend_9", "dev: there is no thread kpktgend_9 to steer to");
	refuses("rx_steer kpktgend_1;rx_graph eth,ip4,acl,steer,deliver;rx_rules steer proto udp",
		"dev: the rules steer, and the chain does too");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test_setup_teardown(test_order, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_ways, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_verified, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, rig_engine_teardown),
	};

	return cmocka_run_group_tests_name(
		"rx_steer", tests, support_eal_start_two, support_eal_stop);
}
