/* SPDX-License-Identifier: BSD-3-Clause */
/* The receive graphs of a thread: one for each configuration that its devices have. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <rte_lcore.h>

#include "tx_priv.h"

// What the generator alone is measured with.
static struct pg_rx_config
empty(uint64_t buffers)
{
	return (struct pg_rx_config){.graph = "null", .buffers = buffers};
}

static struct tx_graph *
find(const struct pg_worker *worker, const struct pg_rx_config *config)
{
	struct tx_graph *graph = worker->graphs;

	while (graph != NULL && !pg_rx_config_alike(&graph->config, config))
		graph = graph->next;
	return graph;
}

struct tx_graph *
tx_graph_of(const struct pg_device *device)
{
	return find(tx_receiving_thread(device)->worker, &device->settings.rx);
}

static struct pg_rx_config
tail_of(const struct pg_device *device)
{
	struct pg_rx_config config = device->settings.rx;

	config.tail = 1;
	return config;
}

struct tx_graph *
tx_graph_tail(const struct pg_device *device, const struct pg_thread *thread)
{
	const struct pg_rx_config config = tail_of(device);

	return find(thread->worker, &config);
}

struct pg_rx_graph *
tx_graph_null(const struct pg_device *device)
{
	const struct pg_rx_config config = empty(device->settings.rx.buffers);

	return find(device->thread->worker, &config)->rx;
}

// The graph of this configuration, which is wanted. NULL with text.
static struct tx_graph *
join(struct pg_engine *engine, struct pg_thread *thread, const struct pg_rx_config *config,
	struct pg_error *err)
{
	struct pg_worker *worker = thread->worker;
	struct tx_graph *graph = find(worker, config);
	struct pg_rx_config made = *config;
	char name[48];

	if (graph == NULL) {
		graph = calloc(1, sizeof(*graph));
		if (graph == NULL) {
			pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
			return NULL;
		}
		snprintf(name, sizeof(name), "pg_rx_%u_%u", thread->lcore, engine->ngraphs++);
		graph->config = *config;
		if (engine->config.dry != NULL) // nothing walks through it
			made.tap = NULL;
		graph->rx = pg_rx_graph_create(
			name, &made, (int)rte_lcore_to_socket_id(thread->lcore), err);
		if (graph->rx == NULL) {
			free(graph);
			return NULL;
		}
		graph->next = worker->graphs;
		worker->graphs = graph;
	}
	graph->wanted = true;
	return graph;
}

static void
destroy(struct tx_graph *graph)
{
	pg_rx_graph_destroy(graph->rx);
	free(graph);
}

static void
sweep(struct pg_worker *worker)
{
	struct tx_graph **link = &worker->graphs;

	while (*link != NULL) {
		struct tx_graph *graph = *link;

		if (graph->wanted) {
			link = &graph->next;
			continue;
		}
		*link = graph->next;
		destroy(graph);
	}
}

// One more device meets a graph of this configuration on that thread, whose worker then needs room
// to work in.
static int
want(struct pg_engine *engine, struct pg_thread *thread, const struct pg_rx_config *config,
	struct pg_error *err)
{
	struct tx_graph *graph = NULL;

	if (tx_scratch_prepare(thread, err) == 0)
		graph = join(engine, thread, config, err);
	if (graph == NULL)
		return -err->code;
	graph->ndevices++;
	return 0;
}

// Those of one device.
static int
want_device(struct pg_engine *engine, const struct pg_device *device, struct pg_error *err)
{
	const struct pg_rx_config tail = tail_of(device);
	struct pg_thread *thread[PG_RX_STEER_MAX];
	unsigned int n = tx_steered_threads(device, thread);
	int rc = want(engine, tx_receiving_thread(device), &device->settings.rx, err);

	for (unsigned int i = 0; rc == 0 && i < n; i++)
		rc = want(engine, thread[i], &tail, err);
	return rc;
}

// The graphs of all devices, and where they are built the empty one.
static int
want_all(struct pg_engine *engine, struct pg_thread *thread, struct pg_error *err)
{
	struct pg_device *device;
	int rc = 0;

	TAILQ_FOREACH(device, &thread->devices, in_thread)
	{
		const struct pg_rx_config null = empty(device->settings.rx.buffers);

		if (device->settings.xmit_mode != PG_XMIT_NETIF_RECEIVE)
			continue;
		rc = want_device(engine, device, err);
		if (rc < 0 || join(engine, thread, &null, err) == NULL)
			return -err->code;
	}
	return 0;
}

int
tx_graphs_prepare(struct pg_engine *engine, struct pg_error *err)
{
	struct pg_thread *thread = NULL;
	int rc = 0;

	while ((thread = pg_engine_next_thread(engine, thread)) != NULL) {
		for (struct tx_graph *g = thread->worker->graphs; g != NULL; g = g->next)
			g->wanted = !pg_rx_graph_stale(g->rx);
		sweep(thread->worker);
		for (struct tx_graph *g = thread->worker->graphs; g != NULL; g = g->next) {
			g->ndevices = 0;
			g->wanted = false;
		}
	}
	while (rc == 0 && (thread = pg_engine_next_thread(engine, thread)) != NULL)
		rc = want_all(engine, thread, err);
	while (rc == 0 && (thread = pg_engine_next_thread(engine, thread)) != NULL) {
		sweep(thread->worker);
		for (struct tx_graph *g = thread->worker->graphs; g != NULL; g = g->next)
			pg_rx_graph_begin(g->rx);
	}
	return rc;
}

void
tx_graphs_destroy(struct pg_worker *worker)
{
	while (worker->graphs != NULL) {
		struct tx_graph *graph = worker->graphs;

		worker->graphs = graph->next;
		destroy(graph);
	}
}

static bool
holds(const struct pg_device *device)
{
	const struct pg_task *task = device->task;
	const char *by;

	if (task == NULL || !task->injects)
		return false;
	// A port's driver has buffers of its pool too.
	return task->receives ? pg_rx_graph_held(task->rx, &by) > 0 : tx_pool_in_use(task) > 0;
}

// Who has them, as far as the graphs know.
static void
tell_held(struct pg_device *device)
{
	const char *by = NULL, *there;
	unsigned int held = 0;

	if (device->task->rx != NULL)
		held = pg_rx_graph_held(device->task->rx, &by);
	for (const struct tx_handoff *h = device->task->handoffs; h != NULL; h = h->next) {
		held += pg_rx_graph_held(h->task->rx, &there);
		by = there != NULL ? there : by;
	}
	if (held == 0)
		held = tx_pool_in_use(device->task);
	device->fell_short = true;
	snprintf(device->shortfall, sizeof(device->shortfall), "%u packets held by %s", held,
		by != NULL ? by : "somebody");
}

// A packet that ended elsewhere than it must is a fault of the pipeline.
static void
tell_difference(struct pg_device *device, const struct pg_rx_verified *verified)
{
	if (verified == NULL || verified->differences == 0)
		return;
	device->fell_short = true;
	snprintf(device->shortfall, sizeof(device->shortfall),
		"packet %" PRIu64 " must end as '%.48s' and ended as '%.48s'", verified->index,
		verified->must, verified->did);
}

void
tx_graphs_settle(struct pg_engine *engine)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t begin = pg_clock_monotonic_ns();
	struct pg_device *device;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		bool starved = device->task != NULL && tx_task_starved(device->task);

		while (holds(device) && !starved &&
			pg_clock_monotonic_ns() - begin < TX_HELD_WAIT_NS)
			nanosleep(&pause, NULL);
		if (holds(device) && (!device->fell_short || starved))
			tell_held(device);
		tell_difference(device, device->profile.verified);
		for (unsigned int i = 0; i < device->nreceivers; i++)
			tell_difference(device, device->receivers[i].profile.verified);
	}
}
