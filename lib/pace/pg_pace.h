/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_PACE_H
#define PG_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "pg_clock.h"

/** An absolute schedule: packet i is due at t0 + i * gap, the fraction of a cycle carried, never at
 *  "now + gap". After a stall packets go out until the schedule is caught up, as in pktgen.
 *  worker: rw. */
struct pg_pace {
	uint64_t due, due_frac; /**< of the next packet: cycles and 2^-64 cycles */
	uint64_t gap, gap_frac;
};

#define PG_PACE_NEVER UINT64_MAX /**< a gap of this many ns: nothing is ever due */

/** Set the gap. Units: ns between packets, PG_PACE_NEVER for none at all. */
void pg_pace_init(struct pg_pace *pace, const struct pg_clock *clock, uint64_t gap_ns);

/** Start the schedule: the first packet is due at `now` (cycles). */
void pg_pace_start(struct pg_pace *pace, uint64_t now);

/** Take the packets that are due.
 *  Shape:   due[max] receives the time (cycles) each taken packet was due at.
 *  Errors:  none; 0 if nothing is due.  Context: worker. */
static inline unsigned int
pg_pace_take(struct pg_pace *pace, uint64_t now, uint64_t *due, unsigned int max)
{
	unsigned int n = 0;

	while (n < max && (int64_t)(now - pace->due) >= 0) {
		due[n++] = pace->due;
		pace->due += pace->gap + __builtin_add_overflow(
						 pace->due_frac, pace->gap_frac, &pace->due_frac);
	}
	return n;
}

#endif
