/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_CLOCK_H
#define PG_CLOCK_H

#include <stdint.h>
#include <time.h>

/** The time stamp counter, measured against CLOCK_MONOTONIC_RAW (DESIGN 6).
 *  rte_get_tsc_hz() is rounded to 10 MHz in DPDK 22.11 and is not used.
 *  control: rw; workers read what control copied for them before the run. */
struct pg_clock {
	uint64_t first_cycles; /**< the first pair: counter */
	uint64_t first_raw_ns; /**< and CLOCK_MONOTONIC_RAW */
	uint64_t first_window; /**< cycles that taking it lasted: its uncertainty */
	uint64_t span_ns;      /**< distance of the last pair from the first */
	uint64_t ns_per_cycle; /**< fixed point, 2^-PG_CLOCK_SHIFT ns */
	double hz;             /**< cycles per second */
	double error_ppm;      /**< largest error of hz that the two windows allow */
};

#define PG_CLOCK_SHIFT 56

/** Take the first pair. The clock is usable after the first pg_clock_refine(). */
void pg_clock_init(struct pg_clock *clock);

/** Take another pair and derive the ratio from the whole span since the first, unless the error
 *  would grow by it.
 *  Context: control; the longer after pg_clock_init(), the smaller the error. */
void pg_clock_refine(struct pg_clock *clock);

/** Refine until the span is at least span_ns, sleeping for what is missing. */
void pg_clock_settle(struct pg_clock *clock, uint64_t span_ns);

/** Derive the ratio from two given pairs; what pg_clock_refine() does with measured ones. Nothing
 *  changes if the counter has not moved.
 *  Units:   windows are the cycles that taking a pair lasted. */
void pg_clock_derive(struct pg_clock *clock, uint64_t cycles, uint64_t raw_ns, uint64_t window);

/** A clock that only numbers make: so many cycles per second, from 0 on, without error. */
void pg_clock_virtual(struct pg_clock *clock, uint64_t hz);

/** Convert a distance, rounding down; exact over the whole 64-bit range.
 *  Errors:  saturates at UINT64_MAX ns, which only a counter below 1 GHz can come to. */
static inline uint64_t
pg_clock_ns(const struct pg_clock *clock, uint64_t cycles)
{
	unsigned __int128 ns = (unsigned __int128)cycles * clock->ns_per_cycle >> PG_CLOCK_SHIFT;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/** Convert nanoseconds to cycles in fixed point: *frac counts 2^-64 cycles.
 *  Errors:  saturates at UINT64_MAX cycles. */
uint64_t pg_clock_cycles(const struct pg_clock *clock, uint64_t ns, uint64_t *frac);

/** The same for num/den nanoseconds.
 *  Units:   num < 2^72, den < 2^63.  Errors:  saturates at UINT64_MAX cycles. */
uint64_t pg_clock_cycles_ratio(
	const struct pg_clock *clock, unsigned __int128 num, uint64_t den, uint64_t *frac);

/** The cycle at which a system clock shows ns, now or later.
 *  Context: any; the nearer to now, the smaller the error. */
uint64_t pg_clock_when(const struct pg_clock *clock, clockid_t id, uint64_t ns);

/** CLOCK_MONOTONIC, in ns: what `started:` and `stopped:` show. */
uint64_t pg_clock_monotonic_ns(void);

/** CLOCK_REALTIME, in ns: what packets are stamped with. */
uint64_t pg_clock_wall_ns(void);

#endif
