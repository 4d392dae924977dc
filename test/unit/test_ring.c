/* SPDX-License-Identifier: BSD-3-Clause */
/* Back-pressure: a ring as a port, and a reader that is slower than the sender. Every run sends
 * exactly what was asked for, each packet once and in order, by the reader's own count and by the
 * driver's; and every buffer comes back. */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "support_eal.h"
#include "support_engine.h"
#include "tx_priv.h"

#define OFF_SEQ  46
#define READ_MAX 37 // no divisor of any burst
#define REST_US  200
#define LARGE    (SANITIZED ? 1500000u : 15000000u)

static struct rig_engine rig;
static cpu_set_t all_cpus;

/** Who reads the ring. reader: rw; the test reads it when the reader has been joined. */
static struct {
	struct rte_ring *ring;
	bool wait_full; /**< start only when nothing more fits */
	uint64_t expected, n, wrong;
} reader;

static unsigned int
read_some(void)
{
	struct rte_mbuf *pkts[READ_MAX];
	unsigned int n = rte_ring_dequeue_burst(reader.ring, (void **)pkts, READ_MAX, NULL);

	for (unsigned int i = 0; i < n; i++) {
		rte_be32_t seq;

		memcpy(&seq, rte_pktmbuf_mtod_offset(pkts[i], uint8_t *, OFF_SEQ), sizeof(seq));
		reader.wrong += rte_be_to_cpu_32(seq) != (uint32_t)++reader.n;
	}
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static void *
read_all(void *arg)
{
	(void)arg;
	// EAL has left this process the worker's CPU only.
	(void)pthread_setaffinity_np(pthread_self(), sizeof(all_cpus), &all_cpus);
	while (reader.wait_full && !rte_ring_full(reader.ring))
		usleep(REST_US);
	while (reader.n < reader.expected) {
		if (read_some() == 0)
			usleep(REST_US);
	}
	return NULL;
}

static uint16_t
open_port(const char *name, unsigned int size, char *port)
{
	int id;

	reader.ring = rte_ring_create(name, size, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	assert_non_null(reader.ring);
	id = rte_eth_from_rings(name, &reader.ring, 1, &reader.ring, 1, 0);
	assert_true(id >= 0);
	assert_int_equal(rte_eth_dev_get_name_by_port(id, port), 0);
	return id;
}

static void
run_count(struct pg_device *device, uint16_t id, uint64_t count)
{
	const uint64_t room = rte_ring_get_capacity(reader.ring);
	struct rte_eth_stats before, after;
	char text[32];
	pthread_t thread;

	snprintf(text, sizeof(text), "count %" PRIu64, count);
	rig_engine_set(&rig, device->name, text);
	reader.expected = count;
	reader.n = reader.wrong = 0;
	reader.wait_full = count > 2 * room;
	assert_int_equal(pthread_create(&thread, NULL, read_all, NULL), 0);
	rte_eth_stats_get(id, &before);
	rig_engine_run(&rig);
	pthread_join(thread, NULL);
	rte_eth_stats_get(id, &after);
	CHECK_U64(reader.n, count, "packets read");
	CHECK_U64(reader.wrong, 0, "packets out of order");
	CHECK_U64(rte_ring_count(reader.ring), 0, "packets left in the ring");
	CHECK_U64(after.opackets - before.opackets, count, "by the driver's count");
	CHECK_U64(device->result.sent, count, "by ours");
	CHECK(!device->fell_short, "%s", device->shortfall);
	CHECK(count <= 2 * room || device->result.short_calls + device->result.pool_empty > 0,
		"%" PRIu64 " packets without back-pressure", count);
	CHECK(rte_mempool_full(device->task->pool), "%u buffers are not back",
		rte_mempool_in_use_count(device->task->pool));
}

// More room in the ring than there are buffers, and nobody who reads: the pool runs dry, the run
// ends with its time, and says why.
static void
test_pool_dry(void **state)
{
	char port[RTE_ETH_NAME_MAX_LEN];
	struct pg_device *device;
	uint64_t size;

	(void)state;
	open_port("dry", 65536, port);
	device = rig_engine_add(&rig, port);
	rig_engine_set(&rig, device->name, "count 0;ratep 1M;duration 300ms");
	rig_engine_run(&rig);
	size = device->task->pool->size;
	assert_true(device->fell_short);
	CHECK(strstr(device->shortfall, "no buffer was free for the last 0.") != NULL, "%s",
		device->shortfall);
	CHECK(strncmp(device->account.limit, "buffers, none free in ", 22) == 0, "%s",
		device->account.limit);
	CHECK_U64(device->account.intended, 300000, "intended");
	CHECK_U64(device->result.sent + device->account.late, 300000, "sent and late");
	CHECK(device->result.sent <= size, "%" PRIu64 " of %" PRIu64, device->result.sent, size);
	CHECK_U64(rte_ring_count(reader.ring), device->result.sent, "in the ring");
	CHECK_U64(device->pool_in_use, device->result.sent, "held");
	while (rte_ring_count(reader.ring) > 0)
		read_some();
}

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_open(&rig, &(struct pg_engine_config){.ports = &pg_port_ethdev});
	pg_engine_set_seed(rig.engine, 1, true);
	rig_engine_work(&rig, 1);
	return 0;
}

static void
test_counts(void **state)
{
	static const uint64_t counts[] = {1, 31, 32, 33, 1023, 1024, 100003};
	char port[RTE_ETH_NAME_MAX_LEN];
	uint16_t id = open_port("small", 1024, port);
	struct pg_device *device = rig_engine_add(&rig, port);

	(void)state;
	for (size_t i = 0; i < DIM(counts); i++)
		run_count(device, id, counts[i]);
	rig_engine_set(&rig, device->name, "burst 7");
	run_count(device, id, 100003);
}

static void
test_large(void **state)
{
	char port[RTE_ETH_NAME_MAX_LEN];
	uint16_t id = open_port("large", 4096, port);
	struct pg_device *device = rig_engine_add(&rig, port);

	(void)state;
	rig_engine_set(&rig, device->name, "burst 512");
	run_count(device, id, LARGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_large, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_pool_dry, setup, rig_engine_teardown),
	};

	sched_getaffinity(0, sizeof(all_cpus), &all_cpus);
	return cmocka_run_group_tests(tests, support_eal_start_two, support_eal_stop);
}
