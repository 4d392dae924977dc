/* SPDX-License-Identifier: BSD-3-Clause */
/* Handing packets to another thread: a ring, and a task there that receives them. Who hands over
 * never waits for the ring; who receives ends once the ring is closed behind the last packet. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "tx_priv.h"

static bool
rings(const struct pg_device *device)
{
	return device->settings.inject == PG_INJECT_RING;
}

struct pg_thread *
tx_receiving_thread(const struct pg_device *device)
{
	struct pg_engine *engine = device->thread->engine;
	struct pg_thread *next;
	unsigned int lcore;

	if (!rings(device))
		return device->thread;
	if (device->settings.rx_thread != NULL)
		return pg_rx_thread_read(device->settings.rx_thread, &lcore) == 0
			       ? pg_engine_thread(engine, lcore)
			       : NULL;
	next = pg_engine_next_thread(engine, device->thread);
	return next != NULL ? next : pg_engine_next_thread(engine, NULL);
}

// The threads that flows are spread over, if the chain does so. Errors: -errno with text.
static int
read_steer(
	const struct pg_device *device, unsigned int *lcore, unsigned int *n, struct pg_error *err)
{
	const struct pg_rx_config *rx = &device->settings.rx;
	bool steers;

	*n = 0;
	if (pg_rx_config_steers(rx, &steers, err) < 0)
		return -err->code;
	if (steers)
		*n = pg_rx_threads_read(rx->steer, lcore);
	return 0;
}

unsigned int
tx_steered_threads(const struct pg_device *device, struct pg_thread **thread)
{
	struct pg_engine *engine = device->thread->engine;
	const struct pg_thread *own = tx_receiving_thread(device);
	unsigned int lcore[PG_RX_STEER_MAX], all = 0, n = 0;
	struct pg_error err = {0};

	(void)read_steer(device, lcore, &all, &err); // looked at before
	for (unsigned int i = 0; i < all; i++) {
		struct pg_thread *to = pg_engine_thread(engine, lcore[i]);

		if (to != NULL && to != own)
			thread[n++] = to;
	}
	return n;
}

static int
check_steer(const struct pg_device *device, struct pg_error *err)
{
	struct pg_thread *thread[PG_RX_STEER_MAX];
	unsigned int lcore[PG_RX_STEER_MAX], all;

	if (read_steer(device, lcore, &all, err) < 0)
		return -err->code;
	for (unsigned int i = 0; i < all; i++) {
		if (pg_engine_thread(device->thread->engine, lcore[i]) != NULL)
			continue;
		pg_error_set(err, PG_FAULT_INPUT, ENOENT,
			"there is no thread kpktgend_%u to steer to", lcore[i]);
		return pg_error_expect(err, "rx_steer with EAL's lcores, kpktgend_N");
	}
	if (all == 0 || tx_steered_threads(device, thread) > 0)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "steer needs a second thread to steer to");
	return pg_error_expect(err, device->settings.rx.steer != NULL
					    ? "rx_steer with another than the receiving thread"
					    : "EAL with two lcores (-l 0,1), or no steer");
}

int
tx_handoff_check(const struct pg_device *device, struct pg_error *err)
{
	const struct pg_thread *thread = tx_receiving_thread(device);

	if (device->settings.xmit_mode != PG_XMIT_NETIF_RECEIVE)
		return 0;
	if (!rings(device))
		return check_steer(device, err);
	if (thread == NULL) {
		pg_error_set(err, PG_FAULT_INPUT, ENOENT, "there is no thread %.40s to receive",
			device->settings.rx_thread);
		return pg_error_expect(err, "one of EAL's lcores, kpktgend_N");
	}
	if (thread != device->thread)
		return check_steer(device, err);
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "inject ring needs a second thread to receive");
	return pg_error_expect(err, device->settings.rx_thread != NULL
					    ? "rx_thread with another than the device's own"
					    : "EAL with two lcores (-l 0,1), or inject direct");
}

static struct rte_ring *
make_ring(const struct pg_device *device, const struct pg_thread *thread)
{
	static unsigned int number;
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "pg_handoff_%u", number++);
	return rte_ring_create(name, device->settings.rx_ring,
		(int)rte_lcore_to_socket_id(thread->lcore),
		RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
}

// The task that walks there. Its program is the sender's: it builds nothing.
static struct pg_task *
make_receiver(struct tx_handoff *handoff, const struct pg_task *from, struct tx_graph *graph)
{
	struct pg_task *task = rte_zmalloc_socket("pg_receiver",
		sizeof(*task) + from->burst * sizeof(task->pkts[0]), RTE_CACHE_LINE_SIZE,
		(int)rte_lcore_to_socket_id(handoff->thread->lcore));

	if (task == NULL)
		return NULL;
	task->device = from->device;
	task->prog = from->prog;
	task->burst = from->burst;
	task->copies = 1;
	task->mac = from->mac;
	task->injects = true;
	task->from = handoff;
	task->state.scratch = handoff->thread->worker->scratch;
	task->rx = graph->rx;
	task->shared = graph->ndevices > 1;
	task->profile = &handoff->receiver->profile;
	if (pg_rx_profile_begin(task->rx, task->profile) < 0) {
		rte_free(task);
		return NULL;
	}
	tx_task_bind_receiver(task, false);
	return task;
}

static struct tx_handoff *
make_handoff(struct pg_task *from, struct pg_thread *thread, struct pg_receiver *receiver,
	struct tx_graph *graph)
{
	struct pg_device *device = from->device;
	struct tx_handoff *handoff =
		rte_zmalloc("pg_handoff", sizeof(*handoff), RTE_CACHE_LINE_SIZE);

	if (handoff == NULL)
		return NULL;
	handoff->next = device->task->handoffs;
	device->task->handoffs = handoff; // destroyed with it from here on
	handoff->producer = from;
	handoff->thread = thread;
	handoff->receiver = receiver;
	receiver->thread = thread;
	receiver->ring_size = device->settings.rx_ring;
	handoff->lane.ring = make_ring(device, thread);
	if (handoff->lane.ring != NULL)
		handoff->task = make_receiver(handoff, from, graph);
	if (handoff->task == NULL)
		return NULL;
	handoff->in_thread = thread->worker->handoffs;
	thread->worker->handoffs = handoff;
	thread->engine->nhandoffs++;
	return handoff;
}

static int
no_memory(const struct pg_device *device, struct pg_error *err)
{
	pg_error_set(err, PG_FAULT_ENV, ENOMEM, "no memory for a ring of %u packets of device %s",
		device->settings.rx_ring, device->name);
	return pg_error_remedy(err, "reserve more with --memory, or lower rx_ring");
}

// Results, and a way to each thread that receives.
static int
make_room(struct pg_device *device, unsigned int n)
{
	size_t bytes = n * sizeof(device->receivers[0]);

	device->receivers = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
	if (device->receivers == NULL)
		return -ENOMEM;
	memset(device->receivers, 0, bytes);
	device->nreceivers = n;
	return 0;
}

// What the graph of a task steers by. On threads steered to it only tells whom they are.
static struct pg_rx_steer *
make_steer(struct pg_task *task, const struct pg_thread *thread)
{
	const struct pg_rx_config *rx = &task->device->settings.rx;
	unsigned int lcore[PG_RX_STEER_MAX];

	task->steer = rte_zmalloc("pg_steer", sizeof(*task->steer), RTE_CACHE_LINE_SIZE);
	if (task->steer == NULL)
		return NULL;
	task->steer->n = task->steer->own = pg_rx_threads_read(rx->steer, lcore);
	for (uint32_t i = 0; i < task->steer->n; i++) {
		if (lcore[i] == thread->lcore)
			task->steer->own = i;
	}
	task->rx->steer = task->steer;
	return task->steer;
}

// The threads that the walking task steers to.
static int
create_tails(struct pg_device *device, struct pg_task *walker, struct pg_receiver *receiver)
{
	struct pg_thread *thread[PG_RX_STEER_MAX];
	unsigned int n = tx_steered_threads(device, thread);
	struct pg_rx_steer *steer = make_steer(walker, tx_receiving_thread(device));

	for (unsigned int i = 0; steer != NULL && i < n; i++) {
		struct tx_handoff *handoff = make_handoff(
			walker, thread[i], &receiver[i], tx_graph_tail(device, thread[i]));
		const struct pg_rx_steer *there =
			handoff != NULL ? make_steer(handoff->task, thread[i]) : NULL;

		if (there == NULL)
			return -ENOMEM;
		steer->lane[there->own] = &handoff->lane;
	}
	return steer != NULL ? 0 : -ENOMEM;
}

int
tx_handoffs_create(struct pg_device *device, struct pg_error *err)
{
	struct pg_thread *thread = tx_receiving_thread(device), *tails[PG_RX_STEER_MAX];
	struct pg_task *task = device->task, *walker = task;
	struct tx_handoff *handoff;
	unsigned int first, n;

	if (!task->injects || device->thread->engine->config.dry != NULL)
		return 0;
	first = thread != device->thread;
	n = tx_steered_threads(device, tails);
	if (first + n == 0)
		return 0;
	if (make_room(device, first + n) < 0)
		return no_memory(device, err);
	if (first > 0) {
		handoff = make_handoff(task, thread, &device->receivers[0], tx_graph_of(device));
		if (handoff == NULL)
			return no_memory(device, err);
		task->lane = &handoff->lane;
		walker = handoff->task;
	}
	if (n > 0 && create_tails(device, walker, &device->receivers[first]) < 0)
		return no_memory(device, err);
	return 0;
}

static void
destroy(struct tx_handoff *handoff)
{
	struct rte_mbuf *mbuf;

	while (handoff->lane.ring != NULL &&
		rte_ring_sc_dequeue(handoff->lane.ring, (void **)&mbuf) == 0)
		rte_pktmbuf_free(mbuf);
	rte_ring_free(handoff->lane.ring);
	if (handoff->task != NULL)
		rte_free(handoff->task->steer);
	rte_free(handoff->task);
	rte_free(handoff);
}

void
tx_handoffs_destroy(struct pg_task *task)
{
	while (task->handoffs != NULL) {
		struct tx_handoff *handoff = task->handoffs;

		task->handoffs = handoff->next;
		destroy(handoff);
	}
	rte_free(task->steer);
}

void
tx_receivers_forget(struct pg_device *device)
{
	for (unsigned int i = 0; i < device->nreceivers; i++)
		pg_rx_profile_fini(&device->receivers[i].profile);
	free(device->receivers);
	device->receivers = NULL;
	device->nreceivers = 0;
}

void
tx_handoffs_close(const struct pg_task *task)
{
	for (struct tx_handoff *h = task->device->task->handoffs; h != NULL; h = h->next) {
		if (h->producer == task)
			__atomic_store_n(&h->closed, 1, __ATOMIC_RELEASE);
	}
}

bool
tx_handoffs_done(const struct pg_task *task)
{
	for (const struct tx_handoff *h = task->handoffs; h != NULL; h = h->next) {
		if (!__atomic_load_n(&h->task->done, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}

// Both threads go on counting meanwhile.
static void
read_receiver(const struct tx_handoff *h, const struct pg_clock *clock)
{
	const struct pg_counters *c = &h->task->counters;
	struct pg_counters now = {
		.sent = pg_counter_read(&c->sent),
		.errors = pg_counter_read(&c->errors),
		.calls = pg_counter_read(&c->calls),
		.turn_cycles = pg_counter_read(&c->turn_cycles),
		.idle_cycles = pg_counter_read(&c->idle_cycles),
		.start_cycles = pg_counter_read(&c->start_cycles),
		.stop_cycles = pg_counter_read(&c->stop_cycles),
	};
	struct pg_receiver *r = h->receiver;
	struct pg_result result;
	uint64_t there;

	if (now.stop_cycles == 0)
		now.stop_cycles = now.start_cycles != 0 ? rte_rdtsc() : 0;
	pg_result_make(&result, &now, clock, 0, 0);
	r->received = now.sent;
	r->errors = now.errors;
	r->calls = now.calls;
	r->cycles = result.cycles;
	r->cycles_per_packet = result.cycles_per_packet;
	r->lost = pg_counter_read(&h->lane.lost);
	r->offered = pg_counter_read(&h->lane.offered);
	there = r->lost + r->received;
	r->in_flight = r->offered - RTE_MIN(r->offered, there);
}

uint64_t
tx_handoffs_read(struct pg_device *device)
{
	const struct pg_clock *clock = device->thread->engine->config.clock;
	uint64_t errors = 0;

	for (const struct tx_handoff *h = device->task->handoffs; h != NULL; h = h->next) {
		read_receiver(h, clock);
		errors += h->receiver->errors;
	}
	return errors;
}

void
tx_handoffs_finish(struct pg_device *device)
{
	for (unsigned int i = 0; i < device->nreceivers; i++)
		pg_rx_profile_end(&device->receivers[i].profile);
}
