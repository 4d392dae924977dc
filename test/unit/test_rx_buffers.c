/* SPDX-License-Identifier: BSD-3-Clause */
/* Which buffers packets are injected in: the same again, or by turns more than a cache holds. */
#include "support.h"

#include <stdlib.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "support_eal.h"
#include "support_engine.h"
#include "tx_priv.h"

#define BURST 32

static struct rig_engine rig;

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_init(&rig, NULL);
	rig_engine_work(&rig, 1);
	return 0;
}

static struct pg_device *
run(const char *name, const char *kind)
{
	struct pg_device *device = rig_engine_device(&rig, name);

	rig_engine_set(&rig, name, "xmit_mode netif_receive;count 20000;burst 32");
	rig_engine_set(&rig, name, kind);
	rig_engine_run(&rig);
	CHECK_U64(device->result.sent, 20000, "sent");
	assert_true(rte_mempool_full(device->task->pool));
	return device;
}

static int
compare(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

/** What bursts that are taken and freed one after the other get. */
struct turns {
	uintptr_t *mbuf;
	unsigned int n;
};

// So many bursts, one after the other.
static struct turns
take_turns(struct rte_mempool *pool, unsigned int n)
{
	struct turns turns = {calloc(n, sizeof(uintptr_t)), n};
	struct rte_mbuf *pkts[BURST];

	assert_non_null(turns.mbuf);
	for (unsigned int at = 0; at < n; at += BURST) {
		assert_int_equal(rte_mempool_get_bulk(pool, (void **)pkts, BURST), 0);
		for (unsigned int k = 0; k < BURST; k++)
			turns.mbuf[at + k] = (uintptr_t)pkts[k];
		rte_mempool_put_bulk(pool, (void **)pkts, BURST);
	}
	return turns;
}

// Neighbours in time that are neighbours in memory.
static unsigned int
in_a_row(const struct turns *turns, size_t stride)
{
	unsigned int n = 0;

	for (unsigned int i = 1; i < turns->n; i++)
		n += turns->mbuf[i] - turns->mbuf[i - 1] == stride;
	return n;
}

static unsigned int
distinct(struct turns *turns)
{
	unsigned int n = 1;

	qsort(turns->mbuf, turns->n, sizeof(turns->mbuf[0]), compare);
	for (unsigned int i = 1; i < turns->n; i++)
		n += turns->mbuf[i] != turns->mbuf[i - 1];
	return n;
}

// Once round no buffer comes twice; two lines of each are more than the cache that is named.
static void
test_cold(void **state)
{
	struct pg_device *device = run("cold", "rx_buffers cold");
	const struct pg_placement *place = &device->placement;
	struct rte_mempool *pool = device->task->pool;
	size_t stride = pool->header_size + pool->elt_size + pool->trailer_size;
	struct turns turns = take_turns(pool, pool->size / BURST * BURST);
	unsigned int row = in_a_row(&turns, stride);
	bool three;

	(void)state;
	assert_non_null(place->outgrown);
	three = strcmp(place->outgrown, "L3") == 0;
	assert_true(three || strcmp(place->outgrown, "L2") == 0);
	CHECK_U64(place->outgrown_bytes,
		(uint64_t)sysconf(three ? _SC_LEVEL3_CACHE_SIZE : _SC_LEVEL2_CACHE_SIZE), "%s",
		place->outgrown);
	assert_true((size_t)pool->size * 128 > place->outgrown_bytes);
	CHECK_U64(distinct(&turns), turns.n, "of %u taken", turns.n);
	CHECK(row * 50 < turns.n, "%u of %u lie behind the one before", row, turns.n);
	free(turns.mbuf);
}

// The lcore's cache hands out what it was given last.
static void
test_fresh(void **state)
{
	struct pg_device *device = run("fresh", "rx_buffers fresh");

	(void)state;
	assert_null(device->placement.outgrown);
	assert_true(device->task->pool->cache_size >= 2 * BURST);
}

// Two devices of one thread have the buffers that each wants; a device can change its mind.
static void
test_both(void **state)
{
	struct pg_device *cold, *fresh;

	(void)state;
	fresh = run("fresh", "rx_buffers fresh");
	cold = run("cold", "rx_buffers cold");
	assert_ptr_not_equal(cold->task->pool, fresh->task->pool);
	assert_true(cold->placement.outgrown != NULL && fresh->placement.outgrown == NULL);
	run("fresh", "rx_buffers cold");
	assert_ptr_equal(cold->task->pool, fresh->task->pool);
	assert_non_null(fresh->placement.outgrown);
	run("fresh", "rx_buffers fresh");
	assert_null(fresh->placement.outgrown);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cold, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_fresh, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_both, setup, rig_engine_teardown),
	};

	return cmocka_run_group_tests_name(
		"rx_buffers", tests, support_eal_start, support_eal_stop);
}
