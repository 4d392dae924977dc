/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_STATS_H
#define PG_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

#include "pg_clock.h"

/** What a task waits for. */
enum pg_wait {
	PG_WAIT_DUE,  /**< its next packet's time */
	PG_WAIT_PORT, /**< the driver: packets in hand that it does not take */
	PG_WAIT_POOL, /**< a free buffer */
	PG_WAITS,
};

/** What a worker counts for one device in one run. One writer, on lines of its own.
 *  worker: rw; control: reads with pg_counter_read(). */
struct pg_counters {
	uint64_t sent;        /**< packets the driver or the receive graph took */
	uint64_t errors;      /**< packets the receive graph dropped */
	uint64_t built;       /**< packets built, before copies */
	uint64_t calls;       /**< transmit calls or walks */
	uint64_t turn_cycles; /**< of turns that sent, where devices share the lcore; else 0 */
	uint64_t idle_cycles; /**< waiting for a packet to be due or for the driver */
	uint64_t short_calls; /**< calls that took less than was offered */
	uint64_t pool_empty;  /**< turns without a buffer */
	uint64_t bytes;       /**< of the packets sent, without FCS; sizes that vary */
	uint64_t start_cycles, stop_cycles;
	uint64_t waited[PG_WAITS]; /**< of idle_cycles, by what for */
} __rte_cache_aligned;

static inline uint64_t
pg_counter_read(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/** The only writer's update: a plain add whose store is not torn. */
static inline void
pg_counter_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/** One device's run in numbers. */
struct pg_result {
	uint64_t sent, errors;
	uint64_t bytes; /**< without FCS */
	uint64_t duration_ns, idle_ns;
	uint64_t calls, short_calls, pool_empty; /**< as in pg_counters */
	uint64_t cycles;                         /**< busy: duration without idle */
	uint32_t size; /**< configured size of the last packet, as pktgen reports it */
	int frags;     /**< 0, or -1 if no packet was ever built */
	/* pktgen's integers (reference 5.1), in wide arithmetic */
	uint64_t pps, bps, mbps;
	/* exact figures */
	double rate_pps;
	double l2_bps;            /**< bits per second with FCS */
	double l1_bps;            /**< with preamble and gap too */
	double cycles_per_packet; /**< 0 without packets */
};

/** Derive all figures from counters.
 *  Units:   frame_bytes is the fixed frame length, 0 if counters->bytes counts them. */
void pg_result_make(struct pg_result *result, const struct pg_counters *counters,
	const struct pg_clock *clock, uint32_t frame_bytes, uint32_t size);

#endif
