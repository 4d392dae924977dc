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
	uint64_t gap, gap_frac; /**< between packets, or per byte of them */
	uint32_t extra;         /**< bytes that count with each packet; pg_pace_take_sizes() */
};

#define PG_PACE_NEVER UINT64_MAX /**< a gap of this many ns: nothing is ever due */

/** Set the gap. Units: ns between packets, PG_PACE_NEVER for none at all. */
void pg_pace_init(struct pg_pace *pace, const struct pg_clock *clock, uint64_t gap_ns);

/** Set the gap to num/den ns. */
void pg_pace_init_ratio(
	struct pg_pace *pace, const struct pg_clock *clock, unsigned __int128 num, uint64_t den);

/** Set the gap from bits per second.
 *  Units:   frame_bytes > 0: all packets are so long; 0: each has its own length, for
 *           pg_pace_take_sizes(). extra bytes count with each packet. */
void pg_pace_init_bits(struct pg_pace *pace, const struct pg_clock *clock, uint64_t bps,
	uint32_t frame_bytes, uint32_t extra);

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

/** The same for packets of different lengths: the gap behind each is as long as it is.
 *  Shape:   bytes[max] are the lengths of the next packets. */
static inline unsigned int
pg_pace_take_sizes(
	struct pg_pace *pace, uint64_t now, uint64_t *due, const uint32_t *bytes, unsigned int max)
{
	const unsigned __int128 per_byte = (unsigned __int128)pace->gap << 64 | pace->gap_frac;
	unsigned __int128 next = (unsigned __int128)pace->due << 64 | pace->due_frac;
	unsigned int n = 0;

	while (n < max && (int64_t)(now - (uint64_t)(next >> 64)) >= 0) {
		due[n] = (uint64_t)(next >> 64);
		next += per_byte * (bytes[n++] + pace->extra);
	}
	pace->due = (uint64_t)(next >> 64);
	pace->due_frac = (uint64_t)next;
	return n;
}

#endif
