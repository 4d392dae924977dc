/* SPDX-License-Identifier: BSD-3-Clause */
/* Every preset and long chains against the oracle: packets of every kind, whole and broken, in
 * bursts of every size. And that a node which errs is found. */
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "rx_run.h"
#include "support_eal.h"

#define BUFFERS 2047
#define ROOM    512
#define PACKETS 1000000 // for all chains together

static const uint8_t mac[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
static struct rte_mempool *pool;
static uint64_t seed = 11, walks;

struct frame {
	uint8_t bytes[ROOM];
	uint32_t length;
};

static uint32_t
draw(uint32_t n)
{
	return (uint32_t)(support_draw(&seed) % n);
}

static void
put(struct frame *f, const void *bytes, uint32_t n)
{
	memcpy(f->bytes + f->length, bytes, n);
	f->length += n;
}

static void
put16(struct frame *f, uint32_t value)
{
	const uint8_t bytes[] = {(uint8_t)(value >> 8), (uint8_t)value};

	put(f, bytes, 2);
}

static void
put_random(struct frame *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		f->bytes[f->length++] = (uint8_t)draw(256);
}

static uint8_t
draw_protocol(void)
{
	static const uint8_t some[] = {17, 17, 17, 6, 132, 1, 58, 47, 0, 43, 44, 60, 59, 255};

	return some[draw(sizeof(some))];
}

// Ports that rules are about, and a few bytes.
static void
put_upper(struct frame *f)
{
	put16(f, draw(20));
	put16(f, draw(20));
	put_random(f, draw(24));
}

static void
put_ip4(struct frame *f)
{
	static const uint8_t nets[][2] = {{10, 0}, {10, 1}, {198, 18}, {0, 0}};
	uint32_t start = f->length, ihl = draw(4) ? 5 : 5 + draw(11), sum = 0;
	uint8_t *ip = f->bytes + start;

	put_random(f, 4 * ihl);
	ip[0] = (uint8_t)(0x40 | ihl);
	ip[6] = ip[7] = 0;
	if (draw(8) == 0) // a fragment
		ip[6] = (uint8_t)draw(64);
	ip[8] = (uint8_t)(draw(16) ? 64 : 0);
	ip[9] = draw_protocol();
	memcpy(ip + 12, nets[draw(4)], 2);
	memcpy(ip + 16, nets[draw(4)], 2);
	put_upper(f);
	ip[2] = (uint8_t)((f->length - start) >> 8);
	ip[3] = (uint8_t)(f->length - start - (draw(8) ? 0 : draw(12)) + (draw(16) ? 0 : 1));
	ip[10] = ip[11] = 0;
	for (uint32_t i = 0; i < 4 * ihl; i += 2)
		sum += ip[i] * 256u + ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	ip[10] = (uint8_t)(~sum >> 8);
	ip[11] = (uint8_t)~sum;
}

static void
put_ip6(struct frame *f)
{
	static const uint8_t heads[][2] = {
		{0x20, 0x01}, {0xfd, 0x00}, {0xff, 0x02}, {0xff, 0x01}, {0xff, 0x10}, {0, 0}};
	uint32_t start = f->length, extensions = draw(3) ? 0 : draw(11);
	uint8_t *ip = f->bytes + start;

	put_random(f, 40);
	ip[0] = (uint8_t)(0x60 | draw(16));
	ip[6] = draw_protocol();
	ip[7] = (uint8_t)(draw(16) ? 64 : 0);
	for (uint32_t at = 8; at <= 24; at += 16) {
		memcpy(ip + at, heads[draw(6)], 2);
		if (ip[at] == 0) {
			memset(ip + at, 0, 15);
			ip[at + 15] = (uint8_t)draw(3);
		}
	}
	for (uint32_t i = 0; i < extensions; i++) {
		uint8_t head[8] = {draw_protocol(), (uint8_t)draw(2), 0, (uint8_t)draw(9)};

		put(f, head, 8);
		put_random(f, 8u * head[1]);
	}
	put_upper(f);
	ip[4] = (uint8_t)((f->length - start - 40) >> 8);
	ip[5] = (uint8_t)(f->length - start - 40 + (draw(16) ? 0 : 1));
}

static void
put_labels(struct frame *f)
{
	uint32_t n = draw(4) ? 1 + draw(3) : draw(20);

	for (uint32_t i = 0; i < n; i++) {
		uint8_t entry[4] = {0, (uint8_t)draw(256), (uint8_t)(i + 1 == n), 64};

		put(f, entry, 4);
	}
}

// Tags and labels, then what they carry, mostly as they say.
static void
put_network(struct frame *f)
{
	static const uint16_t types[] = {0x0800, 0x0800, 0x0800, 0x86dd, 0x86dd, 0x0806, 0x88cc, 0};
	uint32_t type = types[draw(8)];

	for (uint32_t tags = draw(3) ? 0 : draw(4); tags > 0; tags--) {
		put16(f, draw(2) ? 0x8100 : 0x88a8);
		put16(f, draw(4096));
	}
	if (draw(5) == 0) {
		put16(f, draw(2) ? 0x8847 : 0x8848);
		put_labels(f);
	} else {
		put16(f, type);
	}
	if (draw(20) == 0)
		type = types[draw(8)];
	if (type == 0x0800)
		put_ip4(f);
	else if (type == 0x86dd)
		put_ip6(f);
	else
		put_random(f, 30);
}

static void
make_frame(struct frame *f)
{
	static const uint8_t group[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	f->length = 0;
	put(f, draw(6) ? mac : group, 6);
	put_random(f, 6);
	if (draw(12) == 0)
		f->bytes[5] ^= 1;
	put_network(f);
	if (draw(4) == 0) // cut anywhere
		f->length = draw(f->length + 1);
	if (draw(6) == 0 && f->length > 0) // and broken
		f->bytes[draw(f->length)] ^= (uint8_t)(1 << draw(8));
	while (draw(3) == 0 && f->length < 60) // padded, as short frames are
		f->bytes[f->length++] = 0;
}

// What is behind a frame in its buffer is what an earlier one left there.
static struct rte_mbuf *
buffer(const struct frame *f)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *tail = NULL;
	uint32_t first = draw(16) ? f->length : draw(f->length + 1);

	assert_non_null(m);
	if (first < f->length)
		tail = rte_pktmbuf_alloc(pool);
	memcpy(rte_pktmbuf_mtod(m, void *), f->bytes, first);
	m->data_len = (uint16_t)first;
	m->pkt_len = first;
	if (tail != NULL) {
		memcpy(rte_pktmbuf_mtod(tail, void *), f->bytes + first, f->length - first);
		tail->data_len = (uint16_t)(f->length - first);
		tail->pkt_len = tail->data_len;
		assert_int_equal(rte_pktmbuf_chain(m, tail), 0);
	}
	return m;
}

static uint64_t
mac_word(void)
{
	uint64_t word = 0;

	memcpy(&word, mac, sizeof(mac));
	return word;
}

static void
feed(struct pg_rx_graph *rx, struct pg_rx_profile *profile, uint32_t packets)
{
	struct rte_mbuf *pkts[PG_RX_BURST_MAX];
	struct frame frame;
	uint64_t index = 0;

	while (packets > 0) {
		uint16_t n = (uint16_t)RTE_MIN(1 + draw(PG_RX_BURST_MAX), packets);

		for (uint16_t k = 0; k < n; k++) {
			make_frame(&frame);
			pkts[k] = buffer(&frame);
		}
		pg_rx_inject_verified(rx, pkts, n, mac_word(), index, profile->verified);
		index += n;
		packets -= n;
		walks++;
	}
}

static const char rules[] = "drop proto udp dport 3-5; count src 10.1.0.0/16; "
			    "drop src 10.0.0.0/8 dst 198.18.0.0/15; pass proto tcp; "
			    "drop src fd00::/8 sport 0-9; drop dst 2001:8000::/17 proto 17; "
			    "drop proto 132 dport 7";

static struct pg_rx_graph *
create(const char *chain, const char *routes)
{
	static unsigned int number;
	char name[16];
	const struct pg_rx_config config = {.graph = chain,
		.routes = routes,
		.rules = rules,
		.filter = "(udp and not dst port 3) or (tcp[tcpflags] & tcp-syn != 0) or arp "
			  "or ip6 proto 58 or (vlan and ip) or ether[0] = 0xff or less 40 or "
			  "ip[2:2] + udp[4:2] * 3 > 400",
		.flows = 5000,
		.verify = PG_RX_VERIFY_FULL};
	struct pg_error err = {0};
	struct pg_rx_graph *rx;

	snprintf(name, sizeof(name), "verify_%u", number++);
	rx = pg_rx_graph_create(name, &config, SOCKET_ID_ANY, &err);
	CHECK(rx != NULL, "%s: %s", chain, err.text);
	pg_rx_graph_begin(rx);
	return rx;
}

static const char *const chains[] = {"host", "router", "firewall", "tap", "drop", "null",
	"eth,vlan,mpls,ip4,ip6,other,acl,fib,local", "eth,mpls,ip6,local",
	"eth,vlan,ip6,ip4,acl,other,tap,deliver", "eth,vlan,mpls,ip4,other,drop",
	"filter,eth,ip4,ip6,other,local", "eth,vlan,mpls,ip4,ip6,filter,deliver", "filter,null"};

// All must end where the oracle says, and every buffer come back.
static void
test_million(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(chains); i++) {
		struct pg_rx_profile profile = {.nnodes = 0};
		struct pg_rx_graph *rx = create(chains[i], i % 2 ? "20000,2000" : NULL);

		assert_int_equal(pg_rx_profile_begin(rx, &profile), 0);
		feed(rx, &profile, PACKETS / DIM(chains));
		CHECK_U64(profile.verified->packets, PACKETS / DIM(chains), "%s", chains[i]);
		CHECK(profile.verified->differences == 0,
			"%s: packet %" PRIu64 " of %u bytes must end as '%s' and ended as '%s'",
			chains[i], profile.verified->index, profile.verified->length,
			profile.verified->must, profile.verified->did);
		assert_true(rte_mempool_full(pool));
		pg_rx_profile_fini(&profile);
		pg_rx_graph_destroy(rx);
	}
	assert_true(walks > PACKETS / PG_RX_BURST_MAX);
}

// The kinds of ends that random packets come to: all there are.
static void
test_every_end(void **state)
{
	char file[] = "/tmp/pg_routes.XXXXXX";
	int fd = mkstemp(file);
	struct pg_rx_profile profile = {.nnodes = 0};
	struct pg_rx_graph *rx;

	(void)state;
	assert_true(fd >= 0 && dprintf(fd, "10.0.0.0/8\n198.18.0.0/15 2\n2001::/17\n") > 0);
	close(fd);
	rx = create("eth,vlan,mpls,ip4,ip6,other,acl,fib,local", file);
	unlink(file);
	assert_int_equal(pg_rx_profile_begin(rx, &profile), 0);
	feed(rx, &profile, 400000);
	pg_rx_profile_collect(rx, &profile);
	for (unsigned int i = 0; i < profile.nnodes; i++) {
		const char *name = profile.node[i].name;
		// What is of no known type is for `other` here.
		bool none = strstr(name, "unknown type") != NULL && name[0] != 'o';

		CHECK((profile.node[i].packets > 0) != none, "%" PRIu64 " packets came to %s",
			profile.node[i].packets, name);
	}
	pg_rx_profile_fini(&profile);
	pg_rx_graph_destroy(rx);
}

// A node that lets everything pass, in the place of ip4's checks.
static uint16_t
careless(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	rte_edge_t pass;

	(void)objs;
	memcpy(&pass, node->ctx + sizeof(void *), sizeof(pass));
	rte_node_next_stream_move(graph, node, pass);
	return nobjs;
}

static void
test_fault_is_found(void **state)
{
	struct pg_rx_profile profile = {.nnodes = 0};
	struct pg_rx_graph *rx = create("host", NULL);
	struct frame good = {.length = 0}, bad;
	struct rte_mbuf *pkts[8];

	(void)state;
	for (unsigned int i = 0; i < rx->nnodes; i++) {
		if (strcmp(rx->node[i]->name, "pg_ip4") == 0)
			rx->node[i]->process = careless;
	}
	assert_int_equal(pg_rx_profile_begin(rx, &profile), 0);
	put(&good, mac, 6);
	put_random(&good, 6);
	put16(&good, 0x0800);
	do {
		good.length = 14;
		put_ip4(&good);
	} while (good.bytes[22] == 0 || good.bytes[16] * 256u + good.bytes[17] != good.length - 14);
	bad = good;
	bad.bytes[24] ^= 1; // the checksum
	for (uint16_t k = 0; k < 8; k++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

		memcpy(rte_pktmbuf_append(m, (uint16_t)good.length),
			k == 5 ? bad.bytes : good.bytes, good.length);
		pkts[k] = m;
	}
	pg_rx_inject_verified(rx, pkts, 8, mac_word(), 1000, profile.verified);
	CHECK_U64(profile.verified->differences, 1, "differences");
	CHECK_U64(profile.verified->index, 1005, "the packet's number");
	CHECK_TEXT(profile.verified->must, "ip4: bad checksum", "the oracle's verdict");
	CHECK_TEXT(profile.verified->did, "deliver", "the graph's");
	assert_int_equal(profile.verified->length, bad.length);
	assert_memory_equal(profile.verified->bytes, bad.bytes, bad.length);
	pg_rx_profile_fini(&profile);
	pg_rx_graph_destroy(rx);
}

static int
start(void **state)
{
	if (support_eal_start_two(state) < 0) // 512 MB, for routes
		return -1;
	pool = rte_pktmbuf_pool_create(
		"verify", BUFFERS, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	return pool != NULL ? 0 : -1;
}

static int
stop(void **state)
{
	rte_mempool_free(pool);
	return support_eal_stop(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_million),
		cmocka_unit_test(test_every_end),
		cmocka_unit_test(test_fault_is_found),
	};

	return cmocka_run_group_tests_name("rx_verify", tests, start, stop);
}
