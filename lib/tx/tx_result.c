/* SPDX-License-Identifier: BSD-3-Clause */
/* What a device has to show of its run, while it goes on and after it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>

#include "pg_units.h"
#include "tx_priv.h"

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
		cur->queue_map = task->injects ? 0 : task->queue;
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

uint32_t
tx_pool_in_use(const struct pg_task *task)
{
	unsigned int n = rte_mempool_in_use_count(task->pool);

	if (task->frag_pool != NULL) // without those that wait in the task for packets to come
		n += rte_mempool_in_use_count(task->frag_pool) - task->state.frags->n;
	return n;
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

// In queue_xmit every attempt that the driver refuses is an error (reference 6.6): N + E are the
// attempts, of one packet each.
static uint64_t
errors_of(const struct pg_task *task)
{
	const struct pg_counters *c = &task->counters;

	return pg_counter_read(task->refusals ? &c->short_calls : &c->errors);
}

// Bytes of each frame; 0: they are counted.
static uint32_t
frame_bytes(const struct pg_task *task)
{
	return task->receives || pg_prog_size_varies(task->prog) ? 0
								 : pg_prog_frame_max(task->prog);
}

// pktgen's size of a packet: the last one's that was built, or the mean of what was received.
static uint32_t
size_of(const struct pg_task *task, uint64_t built, uint64_t bytes)
{
	uint64_t received = pg_counter_read(&task->counters.sent);

	if (task->receives)
		return received > 0 ? (uint32_t)(bytes / received) : 0;
	return pg_prog_field(task->prog, PG_FIELD_SIZE, built - (built > 0));
}

void
tx_device_finish(struct pg_device *device)
{
	struct pg_task *task = device->task;
	const struct pg_engine *engine = device->thread->engine;
	uint64_t last = task->counters.built > 0 ? task->counters.built - 1 : 0;

	if (task->finished)
		return;
	task->finished = true;
	pg_result_make(&device->result, &task->counters, engine->config.clock, frame_bytes(task),
		size_of(task, task->counters.built, task->counters.bytes));
	device->result.errors = errors_of(task) + tx_handoffs_read(device);
	if (!(device->settings.tmpl.flags & PG_FLAG_SHARED))
		device->result.frags = -1; // every packet was handed over: none is held
	else if (task->counters.built > 0)
		device->result.frags = (int)pg_prog_frags(task->prog, last);
	else if (task->receives && task->counters.sent > 0)
		device->result.frags = 0;
	set_mix(device);
	tx_device_walked(device);
	device->current.flows = task->ended.flows_started;
	device->pool_size = task->pool->size;
	device->placement = task->placement;
	tx_hot_tell(task, &device->placement);
	device->call_packets = task->burst;
	device->isa = pg_prog_isa(task->prog);
	device->current.stopped_us =
		device->current.started_us + device->result.duration_ns / PG_NS_PER_US;
	set_current(device);
	if (task->gaps != NULL)
		pg_gaps_result(task->gaps, engine->config.clock, &device->gaps);
	tx_judge(device, engine->run.interrupted);
	pg_rx_profile_end(&device->profile);
	tx_handoffs_finish(device);
	tx_verify_finish(device);
	device->has_run = true;
	device->reply[0] = '\0';
}

// The worker goes on counting meanwhile, so the figures are each right, but not of one moment.
static void
read_live(struct pg_device *device)
{
	const struct pg_task *task = device->task;
	const struct pg_counters *c = &task->counters;
	struct pg_counters now = {
		.sent = pg_counter_read(&c->sent),
		.errors = errors_of(task),
		.bytes = tx_task_bytes(task),
		.built = pg_counter_read(&c->built),
		.calls = pg_counter_read(&c->calls),
		.short_calls = pg_counter_read(&c->short_calls),
		.pool_empty = pg_counter_read(&c->pool_empty),
		.turn_cycles = pg_counter_read(&c->turn_cycles),
		.idle_cycles = pg_counter_read(&c->idle_cycles),
		.start_cycles = pg_counter_read(&c->start_cycles),
		.stop_cycles = rte_rdtsc(),
	};

	if (now.start_cycles == 0) // it has not come to it yet
		now.start_cycles = now.stop_cycles;
	pg_result_make(&device->result, &now, device->thread->engine->config.clock,
		frame_bytes(task), size_of(task, now.built, now.bytes));
	device->result.errors += tx_handoffs_read(device);
	device->account.skipped = pg_counter_read(&task->pace.skipped);
	device->account.moves = pg_counter_read(&task->pace.moves);
	device->account.moved_ns = pg_clock_ns(
		device->thread->engine->config.clock, pg_counter_read(&task->pace.moved));
	device->call_packets = task->burst;
	device->pool_size = task->pool->size;
	device->placement = task->placement;
	device->isa = pg_prog_isa(task->prog);
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
