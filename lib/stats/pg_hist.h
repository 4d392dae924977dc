/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_HIST_H
#define PG_HIST_H

#include <stdint.h>

/* A log-linear histogram: buckets of width 1 up to 64, then 32 for each power of two, so a value is
 * known within 1/32 of itself. What is above the last bucket is in it; the largest is kept. */

#define PG_HIST_BITS    5
#define PG_HIST_TOP     40 /**< values have so many bits: six minutes of a 3 GHz counter */
#define PG_HIST_BUCKETS ((PG_HIST_TOP - PG_HIST_BITS + 1) << PG_HIST_BITS)

/** One writer. worker: rw; control: r after the run. */
struct pg_hist {
	uint64_t max;
	uint64_t count[PG_HIST_BUCKETS];
};

/** The bucket of a value. */
static inline uint32_t
pg_hist_bucket(uint64_t value)
{
	const uint64_t top = (UINT64_C(1) << PG_HIST_TOP) - 1;
	uint64_t v = value < top ? value : top;
	uint32_t shift =
		63 - PG_HIST_BITS - (uint32_t)__builtin_clzll(v | UINT64_C(1) << PG_HIST_BITS);

	return (shift << PG_HIST_BITS) + (uint32_t)(v >> shift);
}

/** The smallest value of a bucket. */
static inline uint64_t
pg_hist_floor(uint32_t bucket)
{
	uint32_t shift = bucket >> PG_HIST_BITS;

	shift -= shift > 0;
	return (uint64_t)(bucket - (shift << PG_HIST_BITS)) << shift;
}

static inline void
pg_hist_add(struct pg_hist *hist, uint64_t value, uint64_t times)
{
	hist->count[pg_hist_bucket(value)] += times;
	if (value > hist->max)
		hist->max = value;
}

/** How many values there are. */
uint64_t pg_hist_total(const struct pg_hist *hist);

/** The value that a share of all values, 0 to 1, is not above, spread evenly within its bucket; 0
 *  of an empty histogram. */
double pg_hist_quantile(const struct pg_hist *hist, double share);

/** The share of values that are below a limit, spread evenly within a bucket; 1 of none. */
double pg_hist_share(const struct pg_hist *hist, double limit);

#endif
