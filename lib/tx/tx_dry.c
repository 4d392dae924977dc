/* SPDX-License-Identifier: BSD-3-Clause */
/* A dry run: the packets that a run would send, in the order of their intended times, which count
 * from 0. The same programs build them; only the clock is another: a cycle is one nanosecond. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "pg_units.h"
#include "tx_priv.h"

/** One device's packets that are built, but not written yet. */
struct feed {
	struct pg_task *task;
	uint64_t due[PG_BURST_MAX]; /**< ns */
	uint64_t order;             /**< of equal times the one that waits longest goes first */
};

static bool
earlier(const struct feed *a, const struct feed *b)
{
	uint64_t x = a->due[a->task->head], y = b->due[b->task->head];

	return x != y ? x < y : a->order < b->order;
}

// Restore the heap downwards from `at`: the earliest feed is heap[0].
static void
sift(struct feed **heap, size_t n, size_t at)
{
	for (;;) {
		size_t first = at, left = 2 * at + 1;

		if (left < n && earlier(heap[left], heap[first]))
			first = left;
		if (left + 1 < n && earlier(heap[left + 1], heap[first]))
			first = left + 1;
		if (first == at)
			return;
		RTE_SWAP(heap[at], heap[first]);
		at = first;
	}
}

// Build the next packets and note their times: a burst if the pool has plenty. False: the device
// has no more.
static bool
refill(struct feed *feed, uint64_t *order)
{
	struct pg_task *task = feed->task;
	unsigned int plenty = rte_mempool_avail_count(task->pool) > 4 * PG_BURST_MAX;
	unsigned int n = RTE_MIN(plenty ? task->burst : 1u, task->left);

	rte_pktmbuf_free_bulk(task->pkts, task->head);
	task->head = task->npkts = 0;
	if (n == 0)
		return false;
	tx_task_schedule(task, n);
	for (unsigned int k = 0; k < n; k++) {
		if (tx_is_past(task->state.scratch->due[k], task->stop_at)) {
			n = task->left = k; // the run's time is over then
			break;
		}
	}
	if (n == 0)
		return false;
	memcpy(feed->due, task->state.scratch->due, n * sizeof(feed->due[0]));
	task->npkts = tx_task_build(task, n);
	task->left -= task->npkts;
	if (task->verify != NULL)
		pg_verify_pass(task->verify, task->pkts, feed->due, task->npkts);
	feed->order = (*order)++;
	return task->npkts > 0;
}

static int
write_next(struct feed *feed, const struct pg_dry_sink *sink, struct pg_error *err)
{
	struct pg_task *task = feed->task;
	const struct rte_mbuf *mbuf = task->pkts[task->head];
	static uint8_t whole[PG_SIZE_MAX];
	int rc = sink->write(sink->ctx, feed->due[task->head],
		rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, whole), mbuf->pkt_len);
	task->head++;
	task->npkts--;
	task->counters.sent++;
	return rc == 0 ? 0
		       : pg_error_set(err, PG_FAULT_ENV, -rc, "cannot write the packets: %s",
				 strerror(-rc));
}

static bool
stopped(struct pg_engine *engine)
{
	return __atomic_load_n(&engine->stopped, __ATOMIC_RELAXED);
}

static int
merge(struct pg_engine *engine, struct feed **heap, size_t n, struct pg_error *err)
{
	uint64_t order = 0;
	int rc = 0;

	for (size_t i = 0; i < n;) {
		if (refill(heap[i], &order))
			i++;
		else
			heap[i] = heap[--n];
	}
	for (size_t i = n; i-- > 0;)
		sift(heap, n, i);
	while (rc == 0 && n > 0 && !stopped(engine)) {
		rc = write_next(heap[0], engine->config.dry, err);
		if (heap[0]->task->npkts == 0 && !refill(heap[0], &order))
			heap[0] = heap[--n];
		sift(heap, n, 0);
	}
	return rc;
}

static int
run_feeds(struct pg_engine *engine, struct pg_error *err)
{
	struct pg_clock virtual_clock;
	struct pg_device *device;
	struct feed **heap, *feeds;
	size_t n = 0;
	int rc;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	n++;
	heap = calloc(n + 1, sizeof(struct feed *));
	feeds = calloc(n + 1, sizeof(*feeds));
	if (heap == NULL || feeds == NULL) {
		free(heap);
		free(feeds);
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	}
	n = 0;
	pg_clock_virtual(&virtual_clock, PG_NS_PER_S);
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		tx_task_virtual(device->task, device, &virtual_clock);
		if (device->task->verify != NULL)
			pg_verify_begin(device->task->verify, 0, 0, virtual_clock.ns_per_cycle,
				device->task->state.ns_per_cycle);
		if (device->settings.delay_ns == PG_PACE_NEVER)
			device->task->left = 0;
		feeds[n].task = device->task;
		heap[n] = &feeds[n];
		n++;
	}
	rc = merge(engine, heap, n, err);
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		if (rc == 0 && device->task->left > 0 && !stopped(engine))
			rc = pg_error_set(err, PG_FAULT_ENV, ENOMEM,
				"no buffer for the packets of %s", device->name);
	}
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		struct pg_task *task = device->task;

		rte_pktmbuf_free_bulk(task->pkts, task->head + task->npkts);
		rte_pktmbuf_free(task->clone);
		tx_hot_release(task);
		device->result.sent = task->counters.sent;
		task->ended = task->state;
		tx_device_walked(device);
		device->fell_short = false;
		device->shortfall[0] = '\0';
		tx_verify_finish(device);
		engine->run.fell_short |= device->fell_short;
	}
	free(heap);
	free(feeds);
	return rc;
}

int
tx_dry_run(struct pg_engine *engine, struct pg_error *err)
{
	struct pg_device *device;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		const struct pg_device_settings *set = &device->settings;

		if (set->count != 0 || (set->duration_ns != 0 && set->rate.kind != PG_RATE_NONE))
			continue;
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "a dry run of %s would never end",
			device->name);
		return pg_error_expect(err, "a count above 0, or a rate and a duration");
	}
	return run_feeds(engine, err);
}
