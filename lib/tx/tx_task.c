/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "pg_units.h"
#include "tx_priv.h"

uint32_t
tx_call_packets(const struct pg_device_settings *settings)
{
	bool graph = settings->xmit_mode == PG_XMIT_NETIF_RECEIVE;

	// Without SHARED a packet is handed over for good, one at a time; queue_xmit knows no
	// bursts (reference 6.5).
	if (!(settings->tmpl.flags & PG_FLAG_SHARED) || settings->xmit_mode == PG_XMIT_QUEUE_XMIT)
		return 1;
	return RTE_MIN(settings->burst != 0 ? settings->burst : PG_BURST_DEFAULT,
		graph ? (uint32_t)PG_RX_BURST_MAX : (uint32_t)PG_BURST_MAX);
}

static bool
as_linux(const struct pg_device *device)
{
	return pg_engine_compat(device->thread->engine) == PG_COMPAT_LINUX;
}

int
tx_device_resolve(const struct pg_device *device, struct pg_flow *flow, struct pg_error *err)
{
	const struct pg_port *port = device->port;
	const struct pg_template *tmpl = &device->settings.tmpl;
	const struct pg_flow_port flow_port = {
		port->mac, port->ip4, port->ip6, port->frame_max, port->name, as_linux(device)};
	int rc;

	if (as_linux(device) && device->settings.stream.parts > 1) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"parts of a stream need packets that do not depend on those before them");
		return pg_error_expect(err, "`pgctrl compat exact`, or no stream");
	}
	rc = pg_flow_resolve(tmpl, &flow_port, flow, err);
	if (rc == 0 && as_linux(device) && device->walk != NULL && tmpl->src_mac_count <= 1 &&
		!pg_mac_is_zero(&tmpl->src_mac))
		pg_walk_source(device->walk, &flow->src_mac);
	return rc;
}

// The walk with room for the device's flows, made when it is first needed. NULL with text: no
// memory.
static const struct pg_walk *
walk_of(struct pg_device *device, struct pg_error *err)
{
	if (device->walk == NULL)
		device->walk = pg_walk_create();
	if (device->walk != NULL && pg_walk_reserve(device->walk, device->settings.tmpl.flows) == 0)
		return device->walk;
	pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	return NULL;
}

static bool
keeps_packets(const struct tx_queue *queue)
{
	return queue != NULL && queue->from == NULL &&
	       (queue->port == NULL || queue->port->keeps_packets);
}

bool
tx_graph_writes(const struct pg_device_settings *set)
{
	const struct pg_template *tmpl = &set->tmpl;
	bool varies = tmpl->min_size < tmpl->max_size || tmpl->imix.count > 0 || tmpl->frags > 0;
	// What each packet has in its first segment at least.
	uint32_t bytes = varies ? pg_template_frame_min(tmpl) : pg_template_frame_max(tmpl);

	return pg_rx_config_writes(&set->rx, bytes);
}

// The pool serves one template, and nobody writes to its packets: neither such drivers nor the
// nodes of the receive graph, which flag mbufs, though; users' nodes and programs may. Then no
// buffer is ever in use by someone else between two runs, so it can be written to in advance.
static bool
image_kept(const struct pg_device *device, const struct tx_queue *queue)
{
	const struct pg_device_settings *set = &device->settings;

	return queue->ndevices == 1 && keeps_packets(queue) &&
	       (queue->port != NULL || !tx_graph_writes(set));
}

// The same of the mbufs' metadata, which several templates may have in common.
static bool
mbuf_kept(const struct tx_queue *queue)
{
	return queue->port != NULL && keeps_packets(queue) &&
	       (queue->ndevices == 1 || queue->alike);
}

static struct pg_prog *
compile(struct pg_device *device, const struct tx_queue *queue, struct pg_error *err)
{
	const struct pg_device_settings *set = &device->settings;
	struct pg_flow flow;
	struct pg_prog_config config = {
		.flow = &flow,
		.stream = set->stream.parts != 0 ? set->stream.name : device->name,
		.part = set->stream.part,
		.parts = set->stream.parts,
		.seed = device->thread->engine->run.seed,
		.copies = RTE_MAX(set->clone_skb, 1u),
		.socket = (int)rte_lcore_to_socket_id(device->thread->lcore),
		.image_kept = queue != NULL && image_kept(device, queue),
		.mbuf_kept = queue != NULL && mbuf_kept(queue),
		.frags_kept = keeps_packets(queue),
		.paced = set->rate.kind != PG_RATE_NONE,
	};

	if (tx_device_resolve(device, &flow, err) < 0)
		return NULL;
	if (as_linux(device)) {
		config.walk = walk_of(device, err);
		if (config.walk == NULL)
			return NULL;
	}
	return pg_prog_compile(&config, err);
}

int
pg_device_packet(
	struct pg_device *device, uint64_t index, uint8_t *frame, size_t size, struct pg_error *err)
{
	struct pg_engine *engine = device->thread->engine;
	struct pg_prog *prog;
	int rc;

	if (engine->seed_fixed || !device->has_run)
		engine->run.seed = engine->seed;
	prog = compile(device, NULL, err);
	if (prog == NULL)
		return -err->code;
	// Packet `index` on the wire is built packet index / copies.
	rc = pg_prog_packet(prog, index / RTE_MAX(device->settings.clone_skb, 1u), 0, frame, size);
	pg_prog_destroy(prog);
	return rc >= 0 ? rc : pg_error_set(err, PG_FAULT_ENV, -rc, "no memory for a packet");
}

static void
prepare_buffer(struct rte_mempool *pool, void *prog, void *mbuf, unsigned int index)
{
	(void)pool;
	(void)index;
	pg_prog_prepare(prog, mbuf);
}

static int
task_fill(struct pg_task *task, struct pg_device *device, const struct tx_queue *queue)
{
	const struct pg_device_settings *set = &device->settings;
	struct pg_worker *worker = device->thread->worker;
	const struct pg_clock *clock = device->thread->engine->config.clock;
	const struct tx_graph *graph;
	uint64_t frac;

	pg_rx_profile_fini(&device->profile);
	tx_receivers_forget(device);
	device->received = false;
	task->device = device;
	task->pool = queue->pool;
	tx_placement(device, queue, &task->placement);
	task->left = set->count != 0 ? set->count : UINT64_MAX;
	task->burst = tx_call_packets(set);
	task->refusals = set->xmit_mode == PG_XMIT_QUEUE_XMIT;
	task->copies = RTE_MAX(set->clone_skb, 1u);
	task->state.scratch = worker->scratch;
	task->state.ns_per_cycle = clock->ns_per_cycle;
	tx_rate_set(task, device, clock);
	tx_map_plan(device, &task->plan);
	task->patience = UINT64_MAX; // a reader that is slow is back some time
	if (queue->port != NULL) {
		task->port = queue->port->id;
		task->queue = queue->first + RTE_MIN(task->plan.lo, task->plan.start);
		return 0;
	}
	task->injects = true;
	task->receives = queue->from != NULL;
	device->received = task->receives;
	if (task->receives) {
		task->port = queue->from->id;
		task->queue = device->rx_queue;
		task->least = queue->from->rx_least;
	} else {
		task->null = tx_graph_null(device);
	}
	task->patience = pg_clock_cycles(clock, TX_HELD_WAIT_NS, &frac);
	task->profile = &device->profile;
	memcpy(&task->mac, &device->port->mac, sizeof(device->port->mac));
	if (tx_receiving_thread(device) != device->thread)
		return 0;
	graph = tx_graph_of(device);
	task->rx = graph->rx;
	task->shared = graph->ndevices > 1;
	return pg_rx_profile_begin(task->rx, task->profile);
}

// The packets that a test lets the run have behind it.
static void
begin_at(struct pg_task *task, const struct pg_origin *origin, const struct pg_clock *clock)
{
	uint64_t frac;

	pg_prog_seek(task->prog, &task->state, origin->packets / task->copies);
	if (task->left != UINT64_MAX)
		task->left -= origin->packets;
	task->counters.sent = origin->packets;
	task->counters.built = origin->packets / task->copies;
	task->state.bytes = task->clone_bytes = origin->bytes;
	task->before_cycles = pg_clock_cycles(clock, origin->ns, &frac);
	task->counters.idle_cycles = task->counters.waited[PG_WAIT_DUE] = task->before_cycles;
}

// The device's walk; and where packets are built after the run, one that may be walked to no end.
static int
give_walk(struct pg_task *task, struct pg_device *device, struct pg_error *err)
{
	task->state.walk = device->walk;
	if (!task->injects)
		return 0;
	task->spare = pg_walk_copy(device->walk);
	return task->spare != NULL ? 0 : pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
}

static int
no_memory(const struct pg_device *device, struct pg_error *err)
{
	pg_error_set(err, PG_FAULT_ENV, ENOMEM, "no memory for device %s", device->name);
	return pg_error_remedy(err, "reserve more with --memory");
}

int
tx_task_create(struct pg_device *device, struct tx_queue *queue, struct pg_error *err)
{
	const struct pg_engine *engine = device->thread->engine;
	uint32_t burst = tx_call_packets(&device->settings);
	struct pg_prog *prog = compile(device, queue, err);
	struct pg_task *task;

	if (prog == NULL)
		return -err->code;
	task = rte_zmalloc_socket("pg_task", sizeof(*task) + burst * sizeof(task->pkts[0]),
		RTE_CACHE_LINE_SIZE, (int)rte_lcore_to_socket_id(device->thread->lcore));
	if (task == NULL) {
		pg_prog_destroy(prog);
		return no_memory(device, err);
	}
	task->prog = task->owned_prog = prog;
	device->task = task; // destroyed with it from here on
	if (task_fill(task, device, queue) < 0 || tx_hot_create(task) < 0)
		return no_memory(device, err);
	if (tx_frags_prepare(task, device, err) < 0 || tx_verify_prepare(task, err) < 0 ||
		(as_linux(device) && give_walk(task, device, err) < 0) ||
		tx_handoffs_create(device, err) < 0)
		return -err->code;
	if (!task->injects && task->plan.hi > RTE_MIN(task->plan.lo, task->plan.start)) {
		task->map = tx_map_create(&task->plan, burst, task->copies,
			(int)rte_lcore_to_socket_id(device->thread->lcore));
		if (task->map == NULL)
			return no_memory(device, err);
	}
	if (device->settings.tmpl.flows > 0)
		task->state.seen = rte_zmalloc("pg_seen", PG_FLOWS_MAX / 8, RTE_CACHE_LINE_SIZE);
	pg_prog_seek(prog, &task->state, 0);
	if (engine->config.origin != NULL)
		begin_at(task, engine->config.origin, engine->config.clock);
	if (!queue->prepared && queue->from == NULL &&
		(image_kept(device, queue) || mbuf_kept(queue))) {
		rte_mempool_obj_iter(queue->pool, prepare_buffer, prog);
		queue->prepared = true;
	}
	if (tx_gaps_wanted(device) && tx_gaps_create(task) < 0)
		return no_memory(device, err);
	if (task->receives)
		tx_task_bind_receiver(task, device->settings.duration_ns != 0);
	else
		tx_task_bind(task, device->settings.rate.kind != PG_RATE_NONE,
			device->settings.duration_ns != 0);
	return 0;
}

void
tx_task_destroy(struct pg_task *task)
{
	if (task == NULL)
		return;
	task->device->receipt = NULL; // it is the task's
	tx_handoffs_destroy(task);
	pg_prog_destroy(task->owned_prog);
	tx_rate_forget(task);
	rte_free(task->gaps);
	pg_walk_destroy(task->spare);
	tx_frags_release(task);
	rte_free(task->state.seen);
	rte_free(task->map);
	rte_free(task->hot);
	pg_verify_destroy(task->verify);
	rte_free(task);
}
