/* SPDX-License-Identifier: BSD-3-Clause */
/* The receive graph against a second verdict on each frame: reasons, counts, and every buffer back
 * in its pool. */
#include "support.h"

#include <stdlib.h>

#include <rte_mbuf.h>

#include "rx_run.h"
#include "support_eal.h"

#define BUFFERS 1023
#define ROOM    256

static const char *const reasons[] = {"deliver", "eth: short", "eth: unknown type",
	"ip4: wrong host", "ip4: short", "ip4: bad version", "ip4: bad checksum", "ip4: ttl"};

static const uint8_t mac[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
static struct rte_mempool *pool, *other_pool;
static struct pg_rx_graph *host, *empty;
static const struct pg_rx_config host_config = {.graph = "host"}, null_config = {.graph = "null"};

struct frame {
	uint8_t bytes[ROOM];
	uint32_t length;
};

/** What the graph must have counted since the last check. */
static uint64_t expected[DIM(reasons)];
static struct pg_rx_profile profile;

static uint32_t
word(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t
ones_sum(const uint8_t *bytes, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i += 2) {
		sum += word(bytes + i);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

// ip_rcv()'s order behind Ethernet's own checks: host, header there, version, the whole header
// there, checksum, length; then the time to live.
static const char *
verdict(const uint8_t *f, uint32_t length)
{
	const uint8_t *ip = f + 14;
	uint32_t there = length - 14, header;

	if (length < 14)
		return "eth: short";
	if (word(f + 12) != 0x0800)
		return "eth: unknown type";
	if (!(f[0] & 1) && memcmp(f, mac, 6) != 0)
		return "ip4: wrong host";
	if (there < 20)
		return "ip4: short";
	header = (ip[0] & 15) * 4u;
	if (ip[0] >> 4 != 4 || header < 20)
		return "ip4: bad version";
	if (there < header)
		return "ip4: short";
	if (ones_sum(ip, header) != 0xffff)
		return "ip4: bad checksum";
	if (word(ip + 2) > there || word(ip + 2) < header)
		return "ip4: short";
	return ip[8] == 0 ? "ip4: ttl" : "deliver";
}

static void
seal(struct frame *f)
{
	uint8_t *ip = f->bytes + 14;
	uint32_t sum;

	ip[10] = ip[11] = 0;
	sum = ~ones_sum(ip, (ip[0] & 15) * 4u);
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

// 60 bytes of Ethernet, IPv4 with `ihl` words, and something behind it.
static struct frame
valid(uint32_t ihl)
{
	struct frame f = {.length = 60 + 4 * (ihl - 5)};
	uint8_t *ip = f.bytes + 14;

	for (uint32_t i = 0; i < f.length; i++)
		f.bytes[i] = (uint8_t)(i * 37 + 11);
	memcpy(f.bytes, mac, 6);
	f.bytes[12] = 0x08;
	f.bytes[13] = 0x00;
	ip[0] = (uint8_t)(0x40 | ihl);
	ip[2] = 0;
	ip[3] = (uint8_t)(f.length - 14);
	ip[8] = 32;
	ip[9] = 17;
	seal(&f);
	return f;
}

static struct rte_mbuf *
buffer(const struct frame *f, struct rte_mempool *from)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(from);

	assert_non_null(m);
	memset(rte_pktmbuf_mtod(m, void *), 0xa5, ROOM); // what an earlier packet left there
	memcpy(rte_pktmbuf_mtod(m, void *), f->bytes, f->length);
	m->data_len = (uint16_t)f->length;
	m->pkt_len = f->length;
	return m;
}

static bool
expect(const struct frame *f)
{
	const char *reason = verdict(f->bytes, f->length);
	size_t i = 0;

	while (strcmp(reasons[i], reason) != 0)
		i++;
	expected[i]++;
	return i != 0;
}

static uint64_t
mac_word(void)
{
	uint64_t value = 0;

	memcpy(&value, mac, sizeof(mac));
	return value;
}

// One walk; returns nothing, but the number dropped must be what the verdicts say.
static void
inject(const struct frame *frames, uint16_t n)
{
	struct rte_mbuf *pkts[PG_RX_BURST_MAX];
	uint64_t drops = 0;

	for (uint16_t k = 0; k < n; k++) {
		pkts[k] = buffer(&frames[k], pool);
		drops += expect(&frames[k]);
	}
	CHECK_U64(pg_rx_inject(host, pkts, n, mac_word()), drops, "dropped of %u", n);
}

static uint64_t
counted(const char *name, bool drop)
{
	for (unsigned int i = 0; i < profile.nnodes; i++) {
		if (profile.node[i].drop == drop && strcmp(profile.node[i].name, name) == 0)
			return profile.node[i].packets;
	}
	fail_msg("the profile has no node '%s'", name);
	return 0;
}

static void
begin(void)
{
	memset(expected, 0, sizeof(expected));
	pg_rx_profile_begin(host, &profile);
}

static void
check(void)
{
	uint64_t all = 0;

	pg_rx_profile_collect(host, &profile);
	for (size_t i = 0; i < DIM(reasons); i++) {
		CHECK_U64(counted(reasons[i], i != 0), expected[i], "%s", reasons[i]);
		all += expected[i];
	}
	CHECK_U64(counted("inject", false), all, "injected");
	CHECK_U64(counted("eth", false), all, "Ethernet");
	CHECK_U64(counted("ip4", false), all - expected[1] - expected[2], "IPv4");
	assert_true(rte_mempool_full(pool) && rte_mempool_full(other_pool));
}

static void
one_by_one(const struct frame *f)
{
	inject(f, 1);
}

static void
test_addresses(void **state)
{
	static const uint8_t to[][6] = {
		{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}, // ours
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		{0x01, 0x00, 0x5e, 0x00, 0x00, 0x01}, // multicast
		{0x03, 0x11, 0x22, 0x33, 0x44, 0x55}, // ours with the group bit
		{0x02, 0x11, 0x22, 0x33, 0x44, 0x54}, // a neighbour
		{0x00, 0x11, 0x22, 0x33, 0x44, 0x55},
		{0x90, 0xe2, 0xba, 0xff, 0xff, 0xff},
		{0, 0, 0, 0, 0, 0},
	};

	(void)state;
	begin();
	for (size_t i = 0; i < DIM(to); i++) {
		struct frame f = valid(5);

		memcpy(f.bytes, to[i], 6);
		one_by_one(&f);
	}
	assert_true(expected[0] == 4 && expected[3] == 4);
	check();
}

static void
test_types(void **state)
{
	static const uint16_t types[] = {
		0x0800, 0x0806, 0x86dd, 0x8100, 0x8847, 0x0008, 0, 0x0801, 0xffff, 46};

	(void)state;
	begin();
	for (size_t i = 0; i < DIM(types); i++) {
		struct frame f = valid(5);

		f.bytes[12] = (uint8_t)(types[i] >> 8);
		f.bytes[13] = (uint8_t)types[i];
		one_by_one(&f);
		f.bytes[0] ^= 4; // for another host: still an unknown type first
		one_by_one(&f);
	}
	check();
}

// Truncated at every length, with and without IPv4 options.
static void
test_truncated(void **state)
{
	(void)state;
	begin();
	for (uint32_t ihl = 5; ihl <= 15; ihl++) {
		struct frame f = valid(ihl);
		uint32_t whole = f.length;

		for (f.length = 0; f.length <= whole; f.length++)
			one_by_one(&f);
	}
	assert_true(expected[0] == 11); // only the whole ones
	check();
}

// Every value of every header byte: with the old checksum, and with a new one.
static void
test_every_byte(void **state)
{
	(void)state;
	for (int sealed = 0; sealed < 2; sealed++) {
		begin();
		for (uint32_t at = 0; at < 34; at++) {
			struct frame frames[256];

			for (unsigned int value = 0; value < 256; value++) {
				frames[value] = valid(5);
				frames[value].bytes[at] = (uint8_t)value;
				if (sealed && at >= 14 && at != 24 && at != 25)
					seal(&frames[value]);
			}
			inject(frames, 256);
		}
		check();
	}
}

// Version and header length together with every total length that matters.
static void
test_lengths(void **state)
{
	(void)state;
	begin();
	for (unsigned int vhl = 0; vhl < 256; vhl++) {
		struct frame frames[101];
		unsigned int ihl = vhl & 15;

		for (unsigned int total = 0; total <= 100; total++) {
			frames[total] = valid(ihl >= 5 ? ihl : 5);
			frames[total].bytes[14] = (uint8_t)vhl;
			frames[total].bytes[17] = (uint8_t)total;
			seal(&frames[total]);
		}
		inject(frames, 101);
	}
	check();
}

static void
test_time_to_live(void **state)
{
	(void)state;
	begin();
	for (unsigned int ttl = 0; ttl < 256; ttl++) {
		struct frame f = valid(5);

		f.bytes[22] = (uint8_t)ttl;
		seal(&f);
		one_by_one(&f);
	}
	assert_true(expected[7] == 1 && expected[0] == 255);
	check();
}

// Bursts of any size, alike and mixed.
static void
test_bursts(void **state)
{
	uint64_t seed = 4;

	(void)state;
	begin();
	for (uint16_t n = 1; n <= PG_RX_BURST_MAX; n++) {
		struct frame frames[PG_RX_BURST_MAX];

		for (uint16_t k = 0; k < n; k++) {
			frames[k] = valid(5);
			if (n % 3 != 0) // every third burst is of one kind
				frames[k].bytes[support_draw(&seed) % 34] ^=
					(uint8_t)(1 << support_draw(&seed) % 8);
			if (n % 5 == 0)
				frames[k].length = (uint32_t)(support_draw(&seed) % 61);
		}
		inject(frames, n);
	}
	check();
}

// What was counted before belongs to nobody; calls and cycles come with the packets.
static void
test_begin_forgets(void **state)
{
	struct frame f = valid(5);
	uint64_t calls = 0, cycles = 0;

	(void)state;
	begin();
	one_by_one(&f);
	begin();
	check(); // nothing
	one_by_one(&f);
	one_by_one(&f);
	check();
	for (unsigned int i = 0; i < profile.nnodes; i++) {
		if (strcmp(profile.node[i].name, "eth") == 0) {
			calls = profile.node[i].calls;
			cycles = profile.node[i].cycles;
		}
	}
	assert_true(calls == 2 && cycles > 0);
	pg_rx_profile_collect(host, &profile); // collecting twice counts once
	CHECK_U64(counted("eth", false), 2, "collected twice");
}

// Buffers that are not simply one pool's own: shared, chained, of two pools.
static void
test_odd_buffers(void **state)
{
	struct rte_mbuf *pkts[4], *kept, *tail;
	struct frame f = valid(5);

	(void)state;
	for (int own = 0; own < 2; own++) { // delivered, then dropped
		f.bytes[5] = own ? 0x99 : mac[5];
		begin();
		pkts[0] = kept = buffer(&f, pool);
		rte_mbuf_refcnt_update(kept, 1);
		pkts[1] = buffer(&f, other_pool);
		pkts[2] = buffer(&f, pool);
		tail = rte_pktmbuf_alloc(other_pool);
		assert_int_equal(rte_pktmbuf_chain(pkts[2], tail), 0);
		pkts[3] = buffer(&f, pool);
		for (int k = 0; k < 4; k++)
			expect(&f);
		pg_rx_inject(host, pkts, 4, mac_word());
		assert_int_equal(rte_mbuf_refcnt_read(kept), 1);
		rte_pktmbuf_free(kept);
		check();
	}
}

static void
test_empty_graph(void **state)
{
	struct rte_mbuf *pkts[PG_RX_BURST_MAX];
	struct pg_rx_profile null = {.nnodes = 0};
	struct frame f = valid(5);

	(void)state;
	pg_rx_profile_begin(empty, &null);
	for (uint16_t n = 1; n <= PG_RX_BURST_MAX; n += 51) {
		for (uint16_t k = 0; k < n; k++)
			pkts[k] = buffer(&f, pool);
		CHECK_U64(pg_rx_inject(empty, pkts, n, 0), 0, "dropped of %u", n);
	}
	pg_rx_profile_collect(empty, &null);
	assert_int_equal(null.nnodes, 2);
	for (unsigned int i = 0; i < null.nnodes; i++)
		CHECK_U64(null.node[i].packets, 1 + 52 + 103 + 154 + 205 + 256, "%s",
			null.node[i].name);
	pg_rx_profile_fini(&null);
	assert_true(rte_mempool_full(pool));
}

// A name is used once in a process; the error says which one.
static void
test_create_errors(void **state)
{
	struct pg_error err = {0};

	(void)state;
	assert_null(pg_rx_graph_create("unit_host", &host_config, SOCKET_ID_ANY, &err));
	assert_int_equal(err.fault, PG_FAULT_ENV);
	assert_non_null(strstr(err.text, "unit_host"));
	pg_rx_graph_destroy(NULL); // accepted
}

static int
start(void **state)
{
	struct pg_error err = {0};

	if (support_eal_start(state) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create(
		"unit", BUFFERS, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	other_pool = rte_pktmbuf_pool_create(
		"unit_other", 63, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	host = pg_rx_graph_create("unit_host", &host_config, SOCKET_ID_ANY, &err);
	empty = pg_rx_graph_create("unit_null", &null_config, SOCKET_ID_ANY, &err);
	return pool && other_pool && host && empty ? 0 : -1;
}

static int
stop(void **state)
{
	pg_rx_graph_destroy(host);
	pg_rx_graph_destroy(empty);
	rte_mempool_free(pool);
	rte_mempool_free(other_pool);
	return support_eal_stop(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_time_to_live),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_begin_forgets),
		cmocka_unit_test(test_odd_buffers),
		cmocka_unit_test(test_empty_graph),
		cmocka_unit_test(test_create_errors),
	};

	return cmocka_run_group_tests_name("rx", tests, start, stop);
}
