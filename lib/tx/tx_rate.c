/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates: what was asked becomes a schedule, at start or while a run goes on. */
#include <errno.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "pg_units.h"
#include "tx_priv.h"

#define ARRIVAL_FIELD 0x1001   // the gaps' key: no enum pg_field comes near it
#define ABSENT_NS     10000    // a thread that looks at the clock so late did not run meanwhile
#define GRACE_NS      10000000 // what was due before the end may still leave for so long

// What is paced by: what was asked, or the whole ns that the kernel makes of its own rates.
static struct pg_rate
rate_of(const struct pg_device *device)
{
	const struct pg_rate *rate = &device->settings.rate;

	if (pg_engine_compat(device->thread->engine) != PG_COMPAT_LINUX ||
		rate->kind == PG_RATE_NONE || rate->kind == PG_RATE_PERCENT)
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

// The schedule that a device's settings ask for. Without a rate: all packets at once.
static void
make_pace(struct pg_pace *pace, const struct pg_device *device, const struct pg_prog *prog,
	const struct pg_clock *clock)
{
	const struct pg_device_settings *set = &device->settings;
	const struct pg_rate rate = rate_of(device);
	uint32_t extra, frame_max = pg_prog_frame_max(prog);
	uint64_t bps = rate_bits(device, &extra);
	uint32_t frame = paced_by_size(device, prog) ? 0 : frame_max;

	if (rate.kind == PG_RATE_DELAY)
		pg_pace_init(pace, clock, rate.value);
	else if (rate.kind == PG_RATE_PPS)
		pg_pace_init_ratio(pace, clock, PG_NS_PER_S, rate.value);
	else if (rate.kind != PG_RATE_NONE)
		pg_pace_init_bits(pace, clock, RTE_MAX(bps, UINT64_C(1)), frame, extra);
	else
		pg_pace_init(pace, clock, 0);
	if (set->pacing == PG_PACING_BURST)
		pg_pace_set_burst(pace, tx_call_packets(set));
	if (set->arrival == PG_ARRIVAL_POISSON) {
		const struct pg_key key =
			pg_key_make(device->thread->engine->run.seed, device->name, ARRIVAL_FIELD);

		pg_pace_set_random(pace, &key);
	}
	pg_pace_set_late(pace, clock, set->late.kind, set->late.max_ns, frame_max);
}

static const uint32_t *
next_lengths(void *ctx, unsigned int n)
{
	struct pg_task *task = ctx;

	pg_prog_sizes(task->prog, &task->state, n);
	return task->state.scratch->length;
}

void
tx_rate_set(struct pg_task *task, const struct pg_device *device, const struct pg_clock *clock)
{
	const uint64_t endless = INT64_MAX / 2;
	uint64_t frac, run = pg_clock_cycles(clock, device->settings.duration_ns, &frac);

	make_pace(&task->pace, device, task->prog, clock);
	task->lengths = (struct pg_pace_lengths){next_lengths, task};
	task->take = pg_pace_taker(&task->pace);
	task->run_cycles = device->settings.duration_ns != 0 ? RTE_MIN(run, endless) : endless;
	task->grace_cycles = pg_clock_cycles(clock, GRACE_NS, &frac);
}

void
tx_task_virtual(struct pg_task *task, const struct pg_device *device, const struct pg_clock *clock)
{
	tx_rate_set(task, device, clock);
	task->stop_at = task->run_cycles;
	task->state.wall_ns = task->state.wall_cycles = 0;
	// Without a rate there are no intended times: all are 0, whatever the counter says.
	task->state.ns_per_cycle =
		device->settings.rate.kind != PG_RATE_NONE ? clock->ns_per_cycle : 0;
}

int
tx_rate_admit(struct pg_device *device, const struct pg_rate *rate, struct pg_error *err)
{
	const struct pg_rate before = device->settings.rate;
	int rc;

	if (!pg_device_running(device))
		return 0;
	device->settings.rate = *rate;
	rc = tx_rate_check(device, &device->task->prog->flow, err);
	device->settings.rate = before;
	return rc;
}

// Let the worker take it over: it looks when its order changes.
static void
hand_to_worker(struct pg_task *task, struct tx_change *change)
{
	uint8_t go = TX_GO;

	__atomic_store_n(&task->change, change, __ATOMIC_RELEASE);
	__atomic_compare_exchange_n(&task->device->thread->worker->order, &go, TX_REVIEW, false,
		__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

int
tx_rate_change(struct pg_device *device, struct pg_error *err)
{
	struct pg_engine *engine = device->thread->engine;
	struct pg_task *task = device->task;
	struct tx_change *change;

	if (!pg_device_running(device) || engine->config.dry != NULL)
		return 0;
	change = calloc(1, sizeof(*change));
	if (change == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	change->next = task->changes;
	task->changes = change; // freed with the task
	make_pace(&change->pace, device, task->prog, engine->config.clock);
	change->asked.ns_per_cycle = engine->config.clock->ns_per_cycle;
	if (task->verify != NULL)
		pg_verify_gap(task->verify, &device->settings.rate, device->settings.delay_ns,
			&change->asked.gap);
	device->asked_rate = device->settings.rate;
	device->rate_changes++;
	hand_to_worker(task, change);
	return 0;
}

void
tx_rate_forget(struct pg_task *task)
{
	struct tx_change *change;

	while ((change = task->changes) != NULL) {
		task->changes = change->next;
		free(change);
	}
}

bool
tx_gaps_wanted(const struct pg_device *device)
{
	if (device->settings.rate.kind == PG_RATE_NONE || device->settings.gaps == PG_GAPS_OFF)
		return false;
	return device->settings.gaps == PG_GAPS_ON ||
	       device->thread->worker->nrated <= PG_GAPS_DEVICES;
}

int
tx_gaps_create(struct pg_task *task)
{
	const struct pg_thread *thread = task->device->thread;
	const bool alone = TAILQ_NEXT(TAILQ_FIRST(&thread->devices), in_thread) == NULL;
	size_t due = RTE_ALIGN(task->burst * sizeof(task->gaps->due[0]), RTE_CACHE_LINE_SIZE);
	uint64_t frac;

	task->gaps = rte_zmalloc_socket("pg_gaps", sizeof(*task->gaps) + due, RTE_CACHE_LINE_SIZE,
		(int)rte_lcore_to_socket_id(thread->lcore));
	if (task->gaps == NULL)
		return -ENOMEM;
	task->gaps->due = (uint64_t *)(task->gaps + 1);
	// Of several devices it is the thread that waits, not each of them.
	task->gaps->absent_min =
		alone ? pg_clock_cycles(thread->engine->config.clock, ABSENT_NS, &frac)
		      : UINT64_MAX;
	return 0;
}
