/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared nothing: what a worker writes while it runs never lies on a cache line with what another
 * worker writes. Looked at by address, after runs of every kind on two lcores. */
#include "support.h"

#include <stdio.h>

#include <rte_graph.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "support_eal.h"
#include "support_engine.h"
#include "tx_priv.h"

#define SPANS_MAX 512
#define THREADS   2

/** Bytes that one worker writes. */
struct span {
	const char *what;
	const void *base;
	size_t bytes;
	unsigned int lcore;
};

static struct rig_engine rig;
static struct span spans[SPANS_MAX];
static unsigned int nspans;

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_open(&rig, &(struct pg_engine_config){.ports = &pg_port_ethdev});
	pg_engine_set_seed(rig.engine, 1, true);
	rig_engine_work(&rig, THREADS);
	return 0;
}

static void
note(unsigned int lcore, const char *what, const void *base, size_t bytes)
{
	if (base == NULL || bytes == 0)
		return;
	assert_true(nspans < SPANS_MAX);
	spans[nspans++] = (struct span){what, base, bytes, lcore};
}

static void
note_pool(unsigned int lcore, const char *what, const struct rte_mempool *pool)
{
	if (pool == NULL)
		return;
	note(lcore, what, &pool->local_cache[lcore], sizeof(pool->local_cache[lcore]));
	note(lcore, "a pool's ring", pool->pool_data, sizeof(struct rte_ring));
}

static void
note_graph(unsigned int lcore, const struct pg_rx_graph *rx)
{
	if (rx == NULL)
		return;
	note(lcore, "what a graph's nodes share", rx, sizeof(*rx));
	for (unsigned int i = 0; i < rx->nnodes; i++)
		note(lcore, "a node", rx->node[i], sizeof(*rx->node[i]));
}

static void
note_task(unsigned int lcore, const struct pg_device *device)
{
	const struct pg_task *task = device->task;
	const struct pg_frags *frags = task->state.frags;

	note(lcore, "a task", task, sizeof(*task) + task->burst * sizeof(task->pkts[0]));
	note(lcore, "counters", &task->counters, sizeof(task->counters));
	note(lcore, "flows seen", task->state.seen,
		task->state.seen != NULL ? PG_FLOWS_MAX / 8 : 0);
	note(lcore, "lines of a queue map", task->map, sizeof(*task->map));
	note(lcore, "fragments", frags, frags != NULL ? sizeof(*frags) : 0);
	note_pool(lcore, "a pool's cache", task->pool);
	note_pool(lcore, "a fragment pool's cache", task->frag_pool);
	if (task->rx != NULL)
		note(lcore, "a profile", &device->profile, sizeof(device->profile));
}

// Everything that a thread's worker has written in the run before.
static void
note_thread(unsigned int lcore)
{
	const struct pg_thread *thread = pg_engine_thread(rig.engine, lcore);
	const struct pg_worker *w = thread->worker;
	const struct pg_device *device;

	note(lcore, "a worker", w, sizeof(*w));
	note(lcore, "scratch", w->scratch, sizeof(*w->scratch));
	for (const struct tx_graph *g = w->graphs; g != NULL; g = g->next)
		note_graph(lcore, g->rx);
	TAILQ_FOREACH(device, &thread->devices, in_thread)
	note_task(lcore, device);
}

static uintptr_t
line(const struct span *span, size_t offset)
{
	return ((uintptr_t)span->base + offset) / RTE_CACHE_LINE_SIZE;
}

static void
compare_all(const char *commands)
{
	nspans = 0;
	for (unsigned int i = 0; i < THREADS; i++)
		note_thread(i);
	for (unsigned int i = 0; i < nspans; i++) {
		for (unsigned int k = i + 1; k < nspans; k++) {
			const struct span *a = &spans[i], *b = &spans[k];
			bool apart = line(a, a->bytes - 1) < line(b, 0) ||
				     line(b, b->bytes - 1) < line(a, 0);

			CHECK(a->lcore == b->lcore || apart,
				"%s: %s of lcore %u (%p) and %s of lcore %u (%p) share a line",
				commands, a->what, a->lcore, a->base, b->what, b->lcore, b->base);
		}
	}
}

// Two devices on each of two threads, run with these commands.
static void
run_case(void **state, const char *commands)
{
	assert_int_equal(setup(state), 0);
	for (unsigned int i = 0; i < 2 * THREADS; i++) {
		char name[PG_DEVICE_NAME_MAX];

		snprintf(name, sizeof(name), "net_null0@%u", i);
		rig_engine_add_to(&rig, i % THREADS, name);
		rig_engine_set(&rig, name, commands);
	}
	rig_engine_run(&rig);
	compare_all(commands);
	rig_engine_teardown(state);
}

static void
test_apart(void **state)
{
	static const char *const cases[] = {
		"count 1000",
		"count 1000;burst 1;clone_skb 7",
		"count 1000;burst 512;src_min 1.0.0.1;src_max 1.0.0.9;flows 100;flowlen 3",
		"count 1000;ratep 1M;min_pkt_size 60;max_pkt_size 90",
		"count 1000;queue_map_min 0;queue_map_max 3",
		"count 1000;frags 3;pkt_size 1000",
		"count 1000;xmit_mode netif_receive",
		"count 1000;xmit_mode netif_receive;burst 1;frags 2;pkt_size 500",
	};

	for (size_t i = 0; i < DIM(cases); i++)
		run_case(state, cases[i]);
}

// What control asks a worker lies apart from what the worker writes, and from its own lock.
static void
test_worker_parts(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct pg_worker, order) % RTE_CACHE_LINE_SIZE, 0);
	assert_true(offsetof(struct pg_worker, scratch) / RTE_CACHE_LINE_SIZE >
		    offsetof(struct pg_worker, order) / RTE_CACHE_LINE_SIZE);
	assert_int_equal(sizeof(struct pg_worker) % RTE_CACHE_LINE_SIZE, 0);
	assert_int_equal(sizeof(struct pg_task) % RTE_CACHE_LINE_SIZE, 0);
	assert_int_equal(sizeof(struct pg_counters) % RTE_CACHE_LINE_SIZE, 0);
	assert_int_equal(sizeof(struct pg_rx_graph) % RTE_CACHE_LINE_SIZE, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worker_parts),
		cmocka_unit_test(test_apart),
	};

	return cmocka_run_group_tests(tests, support_eal_start_two, support_eal_stop);
}
