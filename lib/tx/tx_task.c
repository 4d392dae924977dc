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

// The pool serves one template, and nobody writes to its packets: neither such drivers nor the
// nodes of the receive graph, which flag mbufs, though. Then no buffer is ever in use by someone
// else between two runs, so it can be written to in advance.
static bool
image_kept(const struct tx_queue *queue)
{
	return queue->ndevices == 1 && (queue->port == NULL || queue->port->keeps_packets);
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
		.image_kept = queue != NULL && image_kept(queue),
		.mbuf_kept = queue != NULL && image_kept(queue) && queue->port != NULL,
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

// What is paced by: what was asked, or the whole ns that the kernel makes of its own rates.
static struct pg_rate
rate_of(const struct pg_device *device)
{
	const struct pg_rate *rate = &device->settings.rate;

	if (!as_linux(device) || rate->kind == PG_RATE_NONE || rate->kind == PG_RATE_PERCENT)
		return *rate;
	return (struct pg_rate){device->settings.delay_ns, PG_RATE_DELAY};
}

// Rates in bits count frames as they are on the medium; the kernel's leave the FCS out.
static uint64_t
rate_bits(const struct pg_device *device, uint32_t *extra)
{
	const struct pg_rate rate = rate_of(device);

	*extra = PG_FCS_BYTES + PG_L1_EXTRA_BYTES;
	switch (rate.kind) {
	case PG_RATE_KERNEL:
		*extra = 0;
		return pg_muldiv(rate.value, 1000000, 1);
	case PG_RATE_L2:
		*extra = PG_FCS_BYTES;
		return rate.value;
	case PG_RATE_L1:
		return rate.value;
	case PG_RATE_PERCENT:
		return pg_muldiv((uint64_t)device->port->speed_mbps * 1000000, rate.value,
			100 * PG_RATE_PERCENT_UNIT);
	default:
		return 0;
	}
}

static bool
paced_by_size(const struct pg_device *device, const struct pg_prog *prog)
{
	return rate_of(device).kind > PG_RATE_PPS && pg_prog_size_varies(prog);
}

int
tx_rate_check(const struct pg_device *device, const struct pg_flow *flow, struct pg_error *err)
{
	const struct pg_device_settings *set = &device->settings;
	const struct pg_range *size = &flow->field[PG_FIELD_SIZE];

	if (set->rate.kind == PG_RATE_PERCENT && device->port->speed_mbps == 0) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "the speed of %s is not known",
			device->port->name);
		return pg_error_expect(err, "a rate in bit/s or packets per second");
	}
	if (rate_of(device).kind > PG_RATE_PPS && size->lo != size->hi && set->clone_skb > 1) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"a rate in bits, several sizes and clone_skb do not go together");
		return pg_error_expect(err, "ratep, one size, or clone_skb 0");
	}
	return 0;
}

static void
set_pace(struct pg_task *task, const struct pg_device *device, const struct pg_clock *clock)
{
	const struct pg_rate rate = rate_of(device);
	uint32_t extra;
	uint64_t bps = rate_bits(device, &extra);
	uint32_t frame = paced_by_size(device, task->prog) ? 0 : pg_prog_frame_max(task->prog);

	if (rate.kind == PG_RATE_DELAY)
		pg_pace_init(&task->pace, clock, rate.value);
	else if (rate.kind == PG_RATE_PPS)
		pg_pace_init_ratio(&task->pace, clock, PG_NS_PER_S, rate.value);
	else if (rate.kind != PG_RATE_NONE)
		pg_pace_init_bits(&task->pace, clock, RTE_MAX(bps, UINT64_C(1)), frame, extra);
}

void
tx_task_virtual(struct pg_task *task, const struct pg_device *device, const struct pg_clock *clock)
{
	set_pace(task, device, clock);
	task->state.wall_ns = task->state.wall_cycles = 0;
	// Without a rate there are no intended times: all are 0, whatever the counter says.
	task->state.ns_per_cycle =
		device->settings.rate.kind != PG_RATE_NONE ? clock->ns_per_cycle : 0;
}

static void
task_fill(struct pg_task *task, struct pg_device *device, const struct tx_queue *queue)
{
	const struct pg_device_settings *set = &device->settings;
	struct pg_worker *worker = device->thread->worker;
	const struct pg_clock *clock = device->thread->engine->config.clock;

	memset(&device->profile, 0, sizeof(device->profile));
	task->device = device;
	task->pool = queue->pool;
	task->left = set->count != 0 ? set->count : UINT64_MAX;
	task->burst = tx_call_packets(set);
	task->refusals = set->xmit_mode == PG_XMIT_QUEUE_XMIT;
	task->copies = RTE_MAX(set->clone_skb, 1u);
	task->state.scratch = worker->scratch;
	task->state.ns_per_cycle = clock->ns_per_cycle;
	set_pace(task, device, clock);
	tx_map_plan(device, &task->plan);
	if (queue->port != NULL) {
		task->port = queue->port->id;
		task->queue = queue->first + RTE_MIN(task->plan.lo, task->plan.start);
		return;
	}
	task->rx = worker->rx;
	task->null = worker->null;
	task->shared = tx_graph_shared(worker);
	task->profile = &device->profile;
	memcpy(&task->mac, &device->port->mac, sizeof(device->port->mac));
	pg_rx_profile_begin(task->rx, task->profile);
}

// The device's walk; and where packets are built after the run, one that may be walked to no end.
static int
give_walk(struct pg_task *task, struct pg_device *device, struct pg_error *err)
{
	task->state.walk = device->walk;
	if (task->rx == NULL)
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
	task_fill(task, device, queue);
	device->task = task; // destroyed with it from here on
	if (as_linux(device) && give_walk(task, device, err) < 0)
		return -err->code;
	if (task->rx == NULL && task->plan.hi > RTE_MIN(task->plan.lo, task->plan.start)) {
		task->map = tx_map_create(&task->plan, burst, task->copies,
			(int)rte_lcore_to_socket_id(device->thread->lcore));
		if (task->map == NULL)
			return no_memory(device, err);
	}
	if (device->settings.tmpl.flows > 0)
		task->state.seen = rte_zmalloc("pg_seen", PG_FLOWS_MAX / 8, RTE_CACHE_LINE_SIZE);
	pg_prog_seek(prog, &task->state, 0);
	if (image_kept(queue))
		rte_mempool_obj_iter(queue->pool, prepare_buffer, prog);
	tx_task_bind(task, device->settings.rate.kind != PG_RATE_NONE, paced_by_size(device, prog));
	return 0;
}

void
tx_task_destroy(struct pg_task *task)
{
	if (task == NULL)
		return;
	pg_prog_destroy(task->owned_prog);
	pg_walk_destroy(task->spare);
	rte_free(task->state.seen);
	rte_free(task->map);
	rte_free(task);
}

// Linux shows the offset that the next packet will have, of a walk in order.
static uint32_t
mac_offset(const struct pg_prog *prog, enum pg_field field, uint64_t built)
{
	const struct pg_range *range = &prog->flow.field[field];

	if (!prog->flow.as_linux)
		return pg_prog_field(prog, field, built > 0 ? built - 1 : 0);
	return range->random ? 0 : (uint32_t)(built % ((uint64_t)range->hi + 1));
}

// What the text shows of the last packet built; before the first, what start resets to.
static void
set_current(struct pg_device *device)
{
	const struct pg_task *task = device->task;
	const struct pg_prog *prog = task->prog;
	struct pg_device_current *cur = &device->current;
	uint64_t built = pg_counter_read(&task->counters.built), last = built - (built > 0);

	cur->seq_num = device->result.sent + 1;
	cur->saddr = pg_prog_field(prog, PG_FIELD_IP_SRC, last);
	cur->daddr = prog->flow.as_linux && prog->flow.flows > 0
			     ? pg_walk_daddr(device->walk)
			     : pg_prog_field(prog, PG_FIELD_IP_DST, last);
	cur->udp_src = pg_prog_field(prog, PG_FIELD_UDP_SRC, last);
	cur->udp_dst = pg_prog_field(prog, PG_FIELD_UDP_DST, last);
	pg_prog_ip6(prog, last, &cur->saddr6, &cur->daddr6);
	cur->src_mac_offset = mac_offset(prog, PG_FIELD_MAC_SRC, built);
	cur->dst_mac_offset = mac_offset(prog, PG_FIELD_MAC_DST, built);
	if (device->settings.tmpl.flags & PG_FLAG_QUEUE_MAP_CPU)
		cur->queue_map = task->rx == NULL ? task->queue : 0;
	else if (built > 0) // else the current queue stays (reference 6.1.5)
		cur->queue_map = tx_map_queue(&task->plan, last);
}

void
tx_device_walked(struct pg_device *device)
{
	const struct pg_prog *prog = device->task->prog;
	struct pg_template *tmpl = &device->settings.tmpl;
	uint64_t built = device->task->ended.index;

	if (!prog->flow.as_linux || built == 0)
		return;
	pg_walk_end(device->walk, prog, built);
	if (prog->flow.field[PG_FIELD_VLAN].random)
		tmpl->vlan.id = pg_prog_field(prog, PG_FIELD_VLAN, built - 1);
	if (prog->flow.field[PG_FIELD_SVLAN].random)
		tmpl->svlan.id = pg_prog_field(prog, PG_FIELD_SVLAN, built - 1);
	for (uint32_t i = 0; i < prog->flow.mpls.count; i++) {
		if (prog->flow.field[PG_FIELD_MPLS + i].random)
			tmpl->mpls.word[i] =
				PG_MPLS_S | pg_prog_field(prog, PG_FIELD_MPLS + i, built - 1);
	}
}

// pktgen's figure of a mix counts what was built of each size (reference 5.1).
static void
set_mix(struct pg_device *device)
{
	const struct pg_pairs *imix = &device->settings.tmpl.imix;
	struct pg_result *r = &device->result;
	unsigned __int128 bits = 0;

	memcpy(device->imix_count, device->task->ended.imix_count, sizeof(device->imix_count));
	if (device->task->prog->flow.imix.count == 0)
		return;
	for (uint32_t i = 0; i < imix->count; i++)
		bits += (unsigned __int128)device->imix_count[i] * imix->pair[i].size * 8;
	r->bps = r->duration_ns > 0 ? (uint64_t)(bits * PG_NS_PER_S / r->duration_ns) : 0;
	r->mbps = r->bps / 1000000;
}

static void
judge(struct pg_device *device, bool interrupted)
{
	const struct pg_result *r = &device->result;

	device->fell_short = true;
	if (device->task->cancelled)
		return; // the shortfall is named already
	if (!interrupted && device->asked != 0 && r->sent != device->asked) {
		snprintf(device->shortfall, sizeof(device->shortfall),
			"sent %" PRIu64 " of %" PRIu64 " packets asked for", r->sent,
			device->asked);
	} else if (device->schedule_ns > 0 &&
		   (double)r->duration_ns > (double)device->schedule_ns * 1.01 + TX_LATE_SLACK_NS) {
		snprintf(device->shortfall, sizeof(device->shortfall),
			"offered %.0f pps of %.0f asked", r->rate_pps,
			device->asked_rate.kind == PG_RATE_PPS
				? (double)device->asked_rate.value
				: (double)r->sent * 1e9 / (double)device->schedule_ns);
	} else {
		device->fell_short = false;
		device->shortfall[0] = '\0';
	}
}

// In queue_xmit every attempt that the driver refuses is an error (reference 6.6): N + E are the
// attempts, of one packet each.
static uint64_t
errors_of(const struct pg_task *task)
{
	const struct pg_counters *c = &task->counters;

	return pg_counter_read(task->refusals ? &c->short_calls : &c->errors);
}

void
tx_device_finish(struct pg_device *device)
{
	struct pg_task *task = device->task;
	const struct pg_engine *engine = device->thread->engine;
	uint64_t last = task->counters.built > 0 ? task->counters.built - 1 : 0;
	uint32_t frame = pg_prog_size_varies(task->prog) ? 0 : pg_prog_frame_max(task->prog);

	if (task->finished)
		return;
	task->finished = true;
	pg_result_make(&device->result, &task->counters, engine->config.clock, frame,
		pg_prog_field(task->prog, PG_FIELD_SIZE, last));
	device->result.errors = errors_of(task);
	if (!(device->settings.tmpl.flags & PG_FLAG_SHARED))
		device->result.frags = -1; // every packet was handed over: none is held
	set_mix(device);
	tx_device_walked(device);
	device->current.flows = task->ended.flows_started;
	device->pool_size = task->pool->size;
	tx_placement(device, task->pool, &device->placement);
	device->call_packets = task->burst;
	device->isa = pg_prog_isa(task->prog);
	device->current.stopped_us =
		device->current.started_us + device->result.duration_ns / PG_NS_PER_US;
	set_current(device);
	device->schedule_ns = 0;
	if (device->asked_rate.kind != PG_RATE_NONE && task->counters.built > 0)
		device->schedule_ns = pg_clock_ns(
			engine->config.clock, task->pace.due - task->counters.start_cycles);
	judge(device, engine->run.interrupted);
	device->has_run = true;
	device->reply[0] = '\0';
}

// The worker goes on counting meanwhile, so the figures are each right, but not of one moment.
static void
read_live(struct pg_device *device)
{
	const struct pg_task *task = device->task;
	const struct pg_counters *c = &task->counters;
	struct pg_result *r = &device->result;

	pg_result_refresh(r, c, device->thread->engine->config.clock);
	r->errors = errors_of(task);
	if (!pg_prog_size_varies(task->prog))
		r->bytes = r->sent * pg_prog_frame_max(task->prog);
	else
		r->bytes =
			pg_counter_read(task->copies > 1 ? &task->clone_bytes : &task->state.bytes);
	for (unsigned int i = 0; i < RTE_DIM(device->imix_count); i++)
		device->imix_count[i] = pg_counter_read(&task->state.imix_count[i]);
	device->current.flows = pg_counter_read(&task->state.flows_started);
	device->current.stopped_us = pg_clock_monotonic_ns() / PG_NS_PER_US;
	set_current(device);
}

void
pg_device_refresh(struct pg_device *device)
{
	const struct pg_engine *engine = device->thread->engine;

	if (device->task == NULL || engine->config.dry != NULL || !pg_engine_running(engine))
		return;
	if (pg_device_running(device))
		read_live(device);
	else
		tx_device_finish(device);
}
