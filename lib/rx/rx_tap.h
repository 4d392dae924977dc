/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_TAP_H
#define RX_TAP_H

#include <pthread.h>
#include <stdio.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "pg_error.h"
#include "pg_rx.h"

/** Where a tap's packets go: references to them lie in a ring until somebody takes them. */
struct rx_tap {
	struct rte_mempool *clones; /**< indirect buffers: a reference each */
	struct rte_ring *ring;      /**< worker -> reader; NULL: read at once, by nobody */
	FILE *file;                 /**< of the reader; NULL: somebody else takes them */
	pthread_t reader;
	bool quit; /**< control: w */
	int fault; /**< reader: w, errno */
};

/** where: NULL, "ring", or a file. Errors: NULL with text. */
struct rx_tap *rx_tap_create(const char *where, int socket, struct pg_error *err);
/** The file is complete afterwards; what is still in the ring is freed. */
void rx_tap_destroy(struct rx_tap *tap);
/** What a packet's bytes come to: a build for debugging notes it with each, and looks again. */
uint32_t rx_tap_sum(const struct rte_mbuf *mbuf);
/** Packets that it still holds. */
unsigned int rx_tap_held(const struct rx_tap *tap);

#endif
