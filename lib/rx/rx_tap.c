/* SPDX-License-Identifier: BSD-3-Clause */
/* The far side of a tap: a ring that somebody empties, or a thread that writes a capture. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_debug.h>
#include <rte_errno.h>
#include <rte_jhash.h>
#include <rte_mbuf.h>

#include "rx_pcapng.h"
#include "rx_tap.h"

#define READ_BURST 64
#define IDLE_NS    1000000 // how long a reader with nothing to read sleeps

static uint64_t
wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint32_t
rx_tap_sum(const struct rte_mbuf *mbuf)
{
	uint32_t sum = 0;

	for (; mbuf != NULL; mbuf = mbuf->next)
		sum = rte_jhash(rte_pktmbuf_mtod(mbuf, const void *), mbuf->data_len, sum);
	return sum;
}

// Nobody may have written to what is held here.
static void
check_held(const struct rte_mbuf *mbuf)
{
	if (rx_tap_sum(mbuf) != mbuf->hash.usr)
		rte_panic("a packet has changed while the tap held it\n");
}

static unsigned int
read_some(struct rx_tap *tap)
{
	struct rte_mbuf *pkts[READ_BURST];
	unsigned int n = rte_ring_sc_dequeue_burst(tap->ring, (void **)pkts, READ_BURST, NULL);
	uint64_t now = wall_ns();

	for (unsigned int k = 0; PG_DEBUG && k < n; k++)
		check_held(pkts[k]);
	for (unsigned int k = 0; k < n && tap->fault == 0; k++)
		tap->fault = -rx_pcapng_packet(tap->file, now, pkts[k]);
	if (n > 0)
		rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static void *
reader_main(void *arg)
{
	static const struct timespec idle = {.tv_nsec = IDLE_NS};
	struct rx_tap *tap = arg;

	for (;;) {
		bool quit = __atomic_load_n(&tap->quit, __ATOMIC_ACQUIRE);

		if (read_some(tap) > 0)
			continue;
		if (quit)
			break;
		nanosleep(&idle, NULL);
	}
	return NULL;
}

static int
open_file(struct rx_tap *tap, const char *name, struct pg_error *err)
{
	int rc;

	tap->file = fopen(name, "we");
	if (tap->file == NULL)
		return pg_error_set(err, PG_FAULT_ENV, errno, "cannot write the tap's file %s: %s",
			name, strerror(errno));
	rc = rx_pcapng_begin(tap->file);
	if (rc == 0)
		rc = -pthread_create(&tap->reader, NULL, reader_main, tap);
	if (rc == 0)
		return 0;
	fclose(tap->file);
	tap->file = NULL;
	return pg_error_set(
		err, PG_FAULT_ENV, -rc, "cannot write the tap's file %s: %s", name, strerror(-rc));
}

static int
make_ring(struct rx_tap *tap, const char *where, int socket, struct pg_error *err)
{
	static unsigned int number;
	char name[32];

	snprintf(name, sizeof(name), "pg_tap_%u", number++);
	tap->clones = rte_pktmbuf_pool_create(
		name, PG_RX_TAP_RING + 4 * PG_RX_BURST_MAX, PG_RX_BURST_MAX, 0, 0, socket);
	if (tap->clones != NULL && where == NULL)
		return 0;
	if (tap->clones != NULL)
		tap->ring = rte_ring_create(
			name, PG_RX_TAP_RING, socket, RING_F_SP_ENQ | RING_F_EXACT_SZ);
	if (tap->ring != NULL)
		return 0;
	pg_error_set(err, PG_FAULT_ENV, rte_errno, "no memory for a tap");
	return pg_error_remedy(err, "reserve more with --memory");
}

struct rx_tap *
rx_tap_create(const char *where, int socket, struct pg_error *err)
{
	struct rx_tap *tap = calloc(1, sizeof(*tap));
	int rc;

	if (tap == NULL) {
		pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
		return NULL;
	}
	rc = make_ring(tap, where, socket, err);
	if (rc == 0 && where != NULL && strcmp(where, "ring") != 0)
		rc = open_file(tap, where, err);
	if (rc == 0)
		return tap;
	rx_tap_destroy(tap);
	return NULL;
}

unsigned int
rx_tap_held(const struct rx_tap *tap)
{
	return tap->ring != NULL ? rte_ring_count(tap->ring) : 0;
}

void
rx_tap_destroy(struct rx_tap *tap)
{
	struct rte_mbuf *mbuf;

	if (tap == NULL)
		return;
	if (tap->file != NULL) {
		__atomic_store_n(&tap->quit, true, __ATOMIC_RELEASE);
		pthread_join(tap->reader, NULL);
		fclose(tap->file);
	}
	while (tap->ring != NULL && rte_ring_sc_dequeue(tap->ring, (void **)&mbuf) == 0) {
		if (PG_DEBUG)
			check_held(mbuf);
		rte_pktmbuf_free(mbuf);
	}
	rte_ring_free(tap->ring);
	// Whoever has taken references out of the ring may still have them.
	if (tap->clones != NULL && rte_mempool_full(tap->clones))
		rte_mempool_free(tap->clones);
	free(tap);
}
