/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run did of what was asked of it, and what held it up. */
#include <inttypes.h>
#include <stdio.h>

#include <rte_cycles.h>

#include "pg_units.h"
#include "tx_priv.h"

#define SHARE_WORTH_SAYING 0.9995 // below this the limit is named, though all may be well

/** How a device's part of a run ended. */
enum ending {
	BY_COUNT, /**< all packets that were asked for had their turn */
	BY_TIME,  /**< its duration was over */
	EARLY,    /**< stopped, or cancelled */
};

static const struct pg_clock *
clock_of(const struct pg_device *device)
{
	return device->thread->engine->config.clock;
}

// Packets that had their turn: offered, given up, or still in hand.
static uint64_t
served(const struct pg_task *task)
{
	return task->counters.sent + task->held + task->pace.skipped;
}

static enum ending
how_it_ended(const struct pg_device *device)
{
	const struct pg_task *task = device->task;

	if (device->asked != 0 && served(task) >= device->asked && task->held == 0)
		return BY_COUNT;
	return tx_is_past(task->counters.stop_cycles, task->stop_at) ? BY_TIME : EARLY;
}

// Packets of the schedule as it was asked for, until the run's end.
static uint64_t
scheduled(const struct pg_task *task, enum ending ending)
{
	uint64_t end = ending == BY_TIME ? task->stop_at - 1 : task->counters.stop_cycles;

	return served(task) + pg_pace_missed(&task->pace, end, pg_prog_frame_max(task->prog));
}

static void
count_packets(struct pg_device *device, enum ending ending)
{
	const struct pg_task *task = device->task;
	struct pg_account *account = &device->account;
	uint64_t asked = device->asked, offered = task->counters.sent, due = asked;

	if (task->paced && ending != BY_COUNT) {
		due = scheduled(task, ending);
		due = asked != 0 ? RTE_MIN(due, asked) : due;
	} else if (!task->paced && ending != BY_COUNT) {
		due = offered + task->held;
	}
	account->has_intended = task->paced || (asked != 0 && ending != BY_TIME);
	account->intended = ending == EARLY && asked != 0 ? asked : due;
	account->late = due - offered;
	account->ended = account->intended - due;
}

// The mean rate that was asked for, and how much of it was offered in time.
static void
compare_rates(struct pg_device *device, enum ending ending)
{
	const struct pg_task *task = device->task;
	const struct pg_pace *pace = &task->pace;
	const struct pg_rate *rate = &device->asked_rate;
	const double hz = clock_of(device)->hz;
	struct pg_account *account = &device->account;
	// Of the schedule, from its start to one gap behind its last packet; of the run.
	double schedule = (double)(pace->due - pace->moved - task->counters.start_cycles);
	double took = (double)(task->counters.stop_cycles - task->counters.start_cycles);
	double due = (double)account->late + (double)task->counters.sent;

	account->share = due > 0 ? (double)task->counters.sent / due : 1;
	if (ending == BY_COUNT) {
		double last = schedule -
			      (double)pace->gap * (pace->sizes ? pg_prog_frame_max(task->prog) : 1);

		if (took > last && schedule > 0)
			account->share *= schedule / (schedule + took - last);
	} else {
		schedule = took;
	}
	if (device->rate_changes == 0 && rate->kind == PG_RATE_PPS)
		account->asked_pps = (double)rate->value;
	else if (device->rate_changes == 0 && rate->kind == PG_RATE_DELAY)
		account->asked_pps = rate->value != UINT64_MAX ? 1e9 / (double)rate->value : 0;
	else if (schedule > 0)
		account->asked_pps = due * hz / schedule;
	account->offered_pps = account->asked_pps * account->share;
}

// Where a thread's time went. Of several devices it is the thread's turns that count.
static void
find_spent(struct pg_device *device)
{
	const struct pg_worker *worker = device->thread->worker;
	const struct pg_task *task = device->task;
	struct pg_spent *spent = &device->account.spent;
	double all = (double)(task->counters.stop_cycles - task->counters.start_cycles);
	double busy = all - (double)task->counters.idle_cycles;

	*spent = (struct pg_spent){0};
	if (all <= 0)
		return;
	for (unsigned int i = 0; i < PG_WAITS; i++)
		spent->waited[i] = (double)task->counters.waited[i] / all;
	if (worker->share != NULL)
		busy = (double)tx_share_busy(worker->share);
	spent->busy = RTE_MIN(1.0, busy / all);
	if (worker->usage_known && worker->wall_ns > worker->cpu_ns)
		spent->off_cpu =
			(double)(worker->wall_ns - worker->cpu_ns) / (double)worker->wall_ns;
}

static bool
faster_than_link(const struct pg_device *device)
{
	double bytes = pg_prog_frame_max(device->task->prog) + PG_FCS_BYTES + PG_L1_EXTRA_BYTES;

	return device->port->speed_mbps != 0 &&
	       8 * bytes * device->account.asked_pps > 1e6 * device->port->speed_mbps;
}

// What took the most time of all that is not waiting for packets to be due.
static void
find_limit(struct pg_device *device)
{
	const struct pg_worker *worker = device->thread->worker;
	const struct pg_counters *c = &device->task->counters;
	const struct pg_spent *spent = &device->account.spent;
	const double port = spent->waited[PG_WAIT_PORT], pool = spent->waited[PG_WAIT_POOL];
	const double off = spent->off_cpu, cpu = RTE_MAX(0.0, spent->busy - off);
	double most = RTE_MAX(port, pool);
	char *out = device->account.limit;
	size_t size = sizeof(device->account.limit);

	most = RTE_MAX(most, off);
	most = RTE_MAX(most, cpu);
	if (most == port && port > 0 && faster_than_link(device))
		snprintf(out, size, "link of %.32s, %" PRIu32 " Mbit/s", device->port->name,
			device->port->speed_mbps);
	else if (most == port && port > 0)
		snprintf(out, size, "ring of %.32s, full in %" PRIu64 " of %" PRIu64 " calls",
			device->port->name, c->short_calls, c->calls);
	else if ((most == pool && pool > 0) || tx_task_starved(device->task))
		snprintf(out, size, "buffers, none free in %" PRIu64 " turns", c->pool_empty);
	else if (most == off && worker->sleeps > worker->preempted)
		snprintf(out, size, "driver of %.32s, asleep %" PRIu64 " times", device->port->name,
			worker->sleeps);
	else if (most == off)
		snprintf(out, size, "other programs on the cpu of kpktgend_%u, %" PRIu64 " times",
			device->thread->lcore, worker->preempted);
	else
		snprintf(out, size, "cpu of kpktgend_%u", device->thread->lcore);
}

// A stop does not excuse a port that has taken nothing, or a pool that has had nothing, for so long
// that the run could not end.
static bool
stuck(struct pg_device *device)
{
	const struct pg_task *task = device->task;
	const char *port = device->port->name;
	char *out = device->shortfall;
	size_t size = sizeof(device->shortfall);
	uint64_t ns;

	if (task->wait_since == 0 || task->wait_for == PG_WAIT_DUE)
		return false;
	ns = pg_clock_ns(clock_of(device), task->counters.stop_cycles - task->wait_since);
	if (ns < TX_STUCK_NS)
		return false;
	if (task->wait_for == PG_WAIT_PORT)
		snprintf(out, size,
			"%.32s took no packet for the last %.1f s: who reads from it has stopped, "
			"or is too slow",
			port, (double)ns / PG_NS_PER_S);
	else
		snprintf(out, size,
			"no buffer was free for the last %.1f s: %.32s, or who reads from it, "
			"holds %u of %u",
			(double)ns / PG_NS_PER_S, port, tx_pool_in_use(task), task->pool->size);
	return true;
}

static bool
too_slow(const struct pg_device *device)
{
	const struct pg_account *account = &device->account;
	double lost = 1 - account->share;

	return account->asked_pps > 0 &&
	       lost * 100 * PG_PERCENT > (double)device->settings.tolerance &&
	       lost * (double)device->result.duration_ns > TX_LATE_SLACK_NS;
}

void
tx_judge_limit(struct pg_device *device)
{
	find_spent(device);
	if (device->account.share < SHARE_WORTH_SAYING || tx_task_starved(device->task))
		find_limit(device);
}

void
tx_judge(struct pg_device *device, bool interrupted)
{
	const struct pg_task *task = device->task;
	struct pg_account *account = &device->account;
	enum ending ending = how_it_ended(device);

	*account = (struct pg_account){
		.skipped = task->pace.skipped,
		.moves = task->pace.moves,
		.moved_ns = pg_clock_ns(clock_of(device), task->pace.moved),
		.driver_sent = PG_COUNTER_ABSENT,
		.start_late_ns = PG_COUNTER_ABSENT,
		.share = 1,
	};
	if (device->thread->engine->run.at_instant)
		account->start_late_ns =
			pg_clock_ns(clock_of(device), device->thread->worker->start_late);
	count_packets(device, ending);
	if (task->paced)
		compare_rates(device, ending);
	tx_judge_limit(device);
	device->fell_short = true;
	if (task->cancelled || stuck(device))
		return; // the shortfall is named
	if (ending == EARLY && !interrupted && device->asked != 0) {
		snprintf(device->shortfall, sizeof(device->shortfall),
			"sent %" PRIu64 " of %" PRIu64 " packets asked for", task->counters.sent,
			device->asked);
	} else if (too_slow(device)) {
		snprintf(device->shortfall, sizeof(device->shortfall),
			"offered %.0f pps of %.0f asked", account->offered_pps, account->asked_pps);
	} else {
		device->fell_short = false;
		device->shortfall[0] = '\0';
	}
}
