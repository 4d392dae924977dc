/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends where: transmit queues of each thread on each port, and their pools. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "pg_random.h"
#include "tx_priv.h"

#define CACHE_SMALL 256
/** What a walk touches of a buffer at least: a line of the mbuf and one of the frame. */
#define TOUCHED_BYTES (2 * RTE_CACHE_LINE_SIZE)

/** What cold buffers outgrow: the largest that the memory is there for. */
static const struct {
	const char *name;
	int bytes; // of sysconf()
} caches[] = {{"L3", _SC_LEVEL3_CACHE_SIZE}, {"L2", _SC_LEVEL2_CACHE_SIZE}};

static bool
injects(const struct pg_device *device)
{
	return device->settings.xmit_mode == PG_XMIT_NETIF_RECEIVE;
}

// The node that the user wants the buffers on, or the lcore's own.
static int
socket_of(const struct pg_device *device)
{
	const struct pg_device_settings *set = &device->settings;

	if ((set->tmpl.flags & PG_FLAG_NODE) && set->node >= 0)
		return set->node;
	return (int)rte_lcore_to_socket_id(device->thread->lcore);
}

// Whose buffers its packets come in.
static struct pg_port *
from_of(const struct pg_device *device)
{
	return tx_receives(device) ? device->port : NULL;
}

static uint8_t
buffers_of(const struct pg_device *device)
{
	return injects(device) ? device->settings.rx.buffers : PG_RX_BUFFERS_FRESH;
}

struct tx_queue *
tx_queue_of(const struct pg_device *device)
{
	const struct pg_port *port = injects(device) ? NULL : device->port;
	struct tx_queue *q = device->thread->worker->queues;
	int socket = socket_of(device);

	while (q != NULL && (q->port != port || q->from != from_of(device) || q->socket != socket ||
				    q->buffers != buffers_of(device)))
		q = q->next;
	return q;
}

// One segment of one length: then all packets have the same metadata.
static bool
one_shape(const struct pg_template *tmpl)
{
	return tmpl->min_size >= tmpl->max_size && tmpl->imix.count == 0 && tmpl->frags == 0;
}

// Packets that nodes keep, that are on their way to other threads, and that lie in their caches.
static uint32_t
may_hold(const struct pg_device *device)
{
	const struct pg_device_settings *set = &device->settings;
	struct pg_thread *thread[PG_RX_STEER_MAX];
	uint32_t tails = tx_steered_threads(device, thread);
	uint32_t rings = tails + (tx_receiving_thread(device) != device->thread);

	return (1 + tails) * pg_rx_config_keeps(&set->rx) +
	       rings * (set->rx_ring + tx_call_packets(set) + 2 * RTE_MEMPOOL_CACHE_MAX_SIZE);
}

// Count a device in on its thread's queues for its port (DESIGN 1).
static int
join(struct pg_device *device, struct pg_error *err)
{
	struct pg_worker *worker = device->thread->worker;
	const struct pg_template *tmpl = &device->settings.tmpl;
	uint32_t frame = pg_template_frame_max(tmpl);
	struct tx_queue *queue = tx_queue_of(device);
	struct tx_map_plan plan;

	if (queue == NULL) {
		queue = calloc(1, sizeof(*queue));
		if (queue == NULL)
			return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
		queue->port = injects(device) ? NULL : device->port;
		queue->from = from_of(device);
		queue->socket = socket_of(device);
		queue->buffers = buffers_of(device);
		queue->next = worker->queues;
		worker->queues = queue;
	}
	worker->nrated += device->settings.rate.kind != PG_RATE_NONE;
	if (queue->ndevices++ == 0) {
		queue->frame_max = queue->burst_max = queue->nqueues = queue->kept = 0;
		queue->reach = 0;
		queue->priority = tmpl->skb_priority;
		queue->alike = true;
		queue->prepared = false;
	}
	queue->alike &= one_shape(tmpl) && tmpl->skb_priority == queue->priority &&
			(queue->ndevices == 1 || frame == queue->frame_max);
	if (injects(device)) {
		queue->kept += may_hold(device);
		queue->reach = RTE_MAX(queue->reach, pg_rx_config_reach(&device->settings.rx));
	}
	if (tx_receives(device)) {
		device->rx_queue = device->port->want_rxqs++;
		device->port->want_rx_buffers += may_hold(device) + 2 * RTE_MEMPOOL_CACHE_MAX_SIZE +
						 tx_call_packets(&device->settings);
	}
	if (buffers_of(device) == PG_RX_BUFFERS_HOT) // what a burst is replaced by
		queue->kept += tx_call_packets(&device->settings);
	tx_map_plan(device, &plan);
	queue->nqueues = RTE_MAX(queue->nqueues, plan.hi + 1);
	queue->frame_max = RTE_MAX(queue->frame_max, frame);
	queue->burst_max = RTE_MAX(queue->burst_max, tx_call_packets(&device->settings));
	return 0;
}

// Give the devices of a thread on a port the queues from `first` on. Returns how many.
static uint16_t
number_queues(struct pg_thread *thread, const struct pg_port *port, uint32_t first, uint32_t *frame)
{
	uint16_t n = 0;

	for (struct tx_queue *q = thread->worker->queues; q != NULL; q = q->next) {
		if (q->port != port || q->ndevices == 0)
			continue;
		q->first = first;
		n = RTE_MAX(n, q->nqueues);
		*frame = RTE_MAX(*frame, q->frame_max);
	}
	return n;
}

// Number the queues of a port by thread, and set the port up for them.
static int
setup_port(struct pg_engine *engine, struct pg_port *port, struct pg_error *err)
{
	uint32_t frame_max = 0, n = 0;

	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL)
			n += number_queues(engine->threads[i], port, n, &frame_max);
	}
	return n > 0 || port->want_rxqs > 0 ? pg_port_setup(port, n, frame_max, err) : 0;
}

// Do the queues of the thread on that port get buffers of several pools?
static bool
several_pools(const struct pg_worker *worker, const struct pg_port *port)
{
	unsigned int n = 0;

	for (const struct tx_queue *q = worker->queues; q != NULL; q = q->next)
		n += q->port == port && q->ndevices > 0;
	return n > 1;
}

// What ports are asked for: fast free, unless a device's packets have several references or
// segments, or pools are mixed.
static void
want_offloads(struct pg_engine *engine)
{
	struct pg_device *device;

	for (struct pg_port *p = pg_ports_first(engine->ports); p != NULL; p = p->next)
		p->want_offload = PG_PORT_FAST_FREE;
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		const struct pg_device_settings *set = &device->settings;
		struct pg_port *port = device->port;

		if (injects(device))
			continue;
		if (set->tmpl.frags > 0)
			port->want_offload |= PG_PORT_SEGMENTS;
		if (set->tmpl.frags > 0 || set->clone_skb > 1 ||
			several_pools(device->thread->worker, port))
			port->want_offload &= ~(uint64_t)PG_PORT_FAST_FREE;
	}
}

// Buffers for what the driver's ring, the worker and its cache may hold at once. A burst above
// half the cache costs three times as much (measured), so the cache grows with it.
static void
pool_shape(const struct tx_queue *queue, uint32_t *size, uint32_t *cache, uint32_t *bytes)
{
	uint32_t ring = queue->port != NULL ? queue->port->ntxds : PG_RX_BURST_MAX;
	uint32_t lines = queue->port != NULL ? queue->nqueues : 1;

	// Where there are several queues, up to two bursts wait in line for each.
	ring = lines * (ring + (lines > 1 ? 2 * queue->burst_max : 0));
	*cache = queue->burst_max <= CACHE_SMALL / 2 ? CACHE_SMALL : RTE_MEMPOOL_CACHE_MAX_SIZE;
	// A device holds a packet that it repeats, and one that the driver has not taken, at least.
	*size = rte_align32pow2(ring + queue->kept + 4 * queue->burst_max + 2 * *cache +
				2 * queue->ndevices) -
		1;
	// No larger than the frames: on 4 kB pages buffers of 2 kB all start at the same place in a
	// page and push each other out of the cache.
	*bytes = RTE_PKTMBUF_HEADROOM + RTE_ALIGN_CEIL(RTE_MAX(queue->frame_max, queue->reach), 64);
}

static int
no_memory(uint32_t size, uint32_t bytes, int socket, struct pg_error *err)
{
	size_t need = rte_mempool_calc_obj_size(sizeof(struct rte_mbuf) + bytes, 0, NULL);

	pg_error_set(err, PG_FAULT_ENV, ENOMEM,
		"a pool of %u buffers of %u bytes needs %zu MB, which are not free on node %d",
		size, bytes, (need * size >> 20) + 1, socket);
	if (!rte_eal_has_hugepages() || rte_socket_count() < 2)
		return pg_error_remedy(err, "reserve more with --memory");
	return pg_error_remedy(err,
		"reserve hugepages there: echo 512 > /sys/devices/system/node/node%d/"
		"hugepages/hugepages-2048kB/nr_hugepages",
		socket);
}

static int
make_pool(struct pg_engine *engine, struct tx_queue *queue, uint32_t size, uint32_t cache,
	uint32_t bytes, struct pg_error *err)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	// What a node of a graph still holds from the run before is not written to.
	if (queue->pool != NULL && queue->pool->size >= size && queue->cache == cache &&
		queue->buffer_bytes >= bytes &&
		(queue->port != NULL || rte_mempool_full(queue->pool)))
		return 0;
	// Buffers may still lie in a ring that outlives the pool's queue (net_ring): such a pool
	// is left where it is.
	if (queue->pool != NULL && rte_mempool_full(queue->pool))
		rte_mempool_free(queue->pool);
	snprintf(name, sizeof(name), "pg_tx_%u", engine->npools++);
	queue->pool = rte_pktmbuf_pool_create(name, size, cache, 0, bytes, queue->socket);
	if (queue->pool == NULL)
		return no_memory(size, bytes, queue->socket, err);
	queue->cache = cache;
	queue->buffer_bytes = bytes;
	tx_placement_of_pool(queue->pool, &queue->placement);
	return 0;
}

// Buffers that lie side by side are foreseen by the CPU: let them follow one another at random.
static int
shuffle(struct rte_mempool *pool)
{
	uint32_t n = pool->size;
	void **all = malloc(n * sizeof(all[0]));
	int rc = all != NULL ? rte_mempool_get_bulk(pool, all, n) : -ENOMEM;

	if (rc == 0) {
		for (uint32_t i = n - 1; i > 0; i--)
			RTE_SWAP(all[i], all[pg_mix64(i) % (i + 1)]);
		rte_mempool_put_bulk(pool, all, n);
	}
	free(all);
	return rc;
}

// Without a cache of the lcore's own buffers are taken by turns, first in, first out.
static int
make_cold_pool(struct pg_engine *engine, struct tx_queue *queue, uint32_t least, uint32_t bytes,
	struct pg_error *err)
{
	int rc = -ENOTSUP;

	for (size_t i = 0; rc < 0 && i < RTE_DIM(caches); i++) {
		long holds = sysconf(caches[i].bytes);
		uint32_t n = holds > 0 ? (uint32_t)(2 * (size_t)holds / TOUCHED_BYTES) : 0;

		if (n == 0)
			continue;
		rc = make_pool(
			engine, queue, RTE_MAX(rte_align32pow2(n) - 1, least), 0, bytes, err);
		queue->placement.outgrown = caches[i].name;
		queue->placement.outgrown_bytes = (size_t)holds;
	}
	if (rc == 0 && shuffle(queue->pool) < 0)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	if (rc != -ENOTSUP)
		return rc;
	pg_error_set(err, PG_FAULT_ENV, ENOTSUP, "the size of this CPU's caches is not known");
	return pg_error_remedy(err, "rx_buffers fresh");
}

static int
prepare_pool(struct pg_engine *engine, struct tx_queue *queue, struct pg_error *err)
{
	uint32_t size, cache, bytes;

	if (queue->from != NULL) {
		queue->pool = queue->from->rx_pool;
		tx_placement_of_pool(queue->pool, &queue->placement);
		return 0;
	}
	pool_shape(queue, &size, &cache, &bytes);
	return queue->buffers == PG_RX_BUFFERS_COLD
		       ? make_cold_pool(engine, queue, size, bytes, err)
		       : make_pool(engine, queue, size, cache, bytes, err);
}

int
tx_scratch_prepare(struct pg_thread *thread, struct pg_error *err)
{
	struct pg_worker *worker = thread->worker;

	if (worker->scratch == NULL)
		worker->scratch =
			pg_prog_scratch_create((int)rte_lcore_to_socket_id(thread->lcore));
	return worker->scratch != NULL
		       ? 0
		       : pg_error_set(err, PG_FAULT_ENV, ENOMEM, "no memory for a worker");
}

static int
prepare_thread(struct pg_engine *engine, struct pg_thread *thread, struct pg_error *err)
{
	int rc = tx_scratch_prepare(thread, err);

	for (struct tx_queue *q = thread->worker->queues; rc == 0 && q != NULL; q = q->next) {
		if (q->ndevices > 0)
			rc = prepare_pool(engine, q, err);
	}
	return rc;
}

int
tx_queues_prepare(struct pg_engine *engine, bool ports, struct pg_error *err)
{
	struct pg_device *device;
	int rc = 0;

	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		struct pg_worker *worker = engine->threads[i] ? engine->threads[i]->worker : NULL;

		if (worker == NULL)
			continue;
		worker->nrated = 0;
		for (struct tx_queue *q = worker->queues; q != NULL; q = q->next)
			q->ndevices = 0;
	}
	for (struct pg_port *p = pg_ports_first(engine->ports); p != NULL; p = p->next)
		p->want_rxqs = p->want_rx_buffers = 0;
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		rc = join(device, err);
		if (rc < 0)
			return rc;
	}
	want_offloads(engine);
	for (struct pg_port *p = pg_ports_first(engine->ports); ports && rc == 0 && p != NULL;
		p = p->next)
		rc = setup_port(engine, p, err);
	for (unsigned int i = 0; rc == 0 && i < RTE_MAX_LCORE; i++) {
		if (engine->threads[i] != NULL && !TAILQ_EMPTY(&engine->threads[i]->devices))
			rc = prepare_thread(engine, engine->threads[i], err);
	}
	return rc == 0 ? tx_graphs_prepare(engine, err) : rc;
}

static void
queue_destroy(struct tx_queue *queue)
{
	if (queue->from == NULL && queue->pool != NULL && rte_mempool_full(queue->pool))
		rte_mempool_free(queue->pool);
	free(queue);
}

void
tx_queues_forget(struct pg_engine *engine, struct pg_port *port)
{
	if (port->users > 1 || !port->attached)
		return;
	tx_queues_drop(engine, port);
}

void
tx_queues_drop(struct pg_engine *engine, struct pg_port *port)
{
	pg_port_stop(port);
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		struct tx_queue **link;

		if (engine->threads[i] == NULL)
			continue;
		link = &engine->threads[i]->worker->queues;
		while (*link != NULL) {
			struct tx_queue *queue = *link;

			if (queue->port != port && queue->from != port) {
				link = &queue->next;
				continue;
			}
			*link = queue->next;
			queue_destroy(queue);
		}
	}
}

void
tx_queues_destroy(struct pg_worker *worker)
{
	tx_graphs_destroy(worker); // which gives back what a tap holds
	while (worker->queues != NULL) {
		struct tx_queue *queue = worker->queues;

		worker->queues = queue->next;
		queue_destroy(queue);
	}
	pg_prog_scratch_destroy(worker->scratch);
	worker->scratch = NULL;
}
