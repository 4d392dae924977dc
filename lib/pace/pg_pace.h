/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_PACE_H
#define PG_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "pg_clock.h"
#include "pg_random.h"
#include "pg_units.h"

/** When packets are due: t0, t0 + gap, t0 + 2 gap, ... with the fraction of a cycle carried, never
 *  "now + gap". What moves the schedule is counted.
 *  worker: rw while a run lasts; control: before and after, and through pg_pace_change(). */
struct pg_pace {
	uint64_t due, due_frac; /**< of the next packet: cycles and 2^-64 cycles */
	uint64_t gap, gap_frac; /**< between packets, or per byte of them */
	uint64_t late_max;      /**< cycles behind that are not late yet */
	uint32_t extra;         /**< bytes that count with each packet that has its own length */
	uint32_t unit;          /**< packets that are due at once: 1, or a burst */
	uint64_t index;         /**< of the next gap to draw */
	struct pg_key key;      /**< of the gaps that are drawn */
	bool sizes;             /**< gap is per byte */
	bool random;            /**< gaps are drawn */
	uint8_t late;           /**< enum pg_late_kind */
	/* What became of packets that were late. */
	uint64_t skipped; /**< given up */
	uint64_t
		shift; /**< cycles it was moved since its gap was set; earlier moves and changes: */
	uint64_t lost; /**< packets that it would have had without them */
	uint64_t moves, moved; /**< how often, and by how many cycles in all */
};

#define PG_PACE_NEVER UINT64_MAX /**< a gap of this many ns: nothing is ever due */

/** A packet is not late before it is so many ns behind, nor before the next one is due. */
#define PG_PACE_ON_TIME_NS 10000

/** Set the gap. Units: ns between packets, PG_PACE_NEVER for none at all. */
void pg_pace_init(struct pg_pace *pace, const struct pg_clock *clock, uint64_t gap_ns);

/** Set the gap to num/den ns. */
void pg_pace_init_ratio(
	struct pg_pace *pace, const struct pg_clock *clock, unsigned __int128 num, uint64_t den);

/** Set the gap from bits per second.
 *  Units:   frame_bytes > 0: all packets are so long; 0: each has its own length. extra bytes
 *           count with each packet. */
void pg_pace_init_bits(struct pg_pace *pace, const struct pg_clock *clock, uint64_t bps,
	uint32_t frame_bytes, uint32_t extra);

/** Packets leave `unit` at a time, each burst when its first one is due. Without this: one. After
 * the gap has been set. */
void pg_pace_set_burst(struct pg_pace *pace, uint32_t unit);

/** Gaps are drawn: exponential, the gap is their mean (a Poisson process). After the gap and the
 *  burst have been set. Errors: none. */
void pg_pace_set_random(struct pg_pace *pace, const struct pg_key *key);

/** What is done when it is late. After the gap and the burst have been set.
 *  Units:   max_ns: the limit of PG_LATE_CATCHUP; bytes: of the longest packet. */
void pg_pace_set_late(struct pg_pace *pace, const struct pg_clock *clock, enum pg_late_kind late,
	uint64_t max_ns, uint32_t bytes);

/** Start the schedule: the first packet is due at `now` (cycles). */
void pg_pace_start(struct pg_pace *pace, uint64_t now);

/** Who knows the lengths of the next packets, where each has its own. */
struct pg_pace_lengths {
	/** Returns those of the next n; it may be asked for the same ones again. */
	const uint32_t *(*next)(void *ctx, unsigned int n);
	void *ctx;
};

/** Take the packets that are due at `now`; there is at least one.
 *  Shape:   due[max] receives the time (cycles) each taken packet was due at; `lengths` is asked
 *           only where each packet has its own.
 *  Errors:  none; returns how many, at least 1 if max is.  Context: worker. */
typedef unsigned int (*pg_pace_take_fn)(struct pg_pace *pace, uint64_t now, uint64_t *due,
	const struct pg_pace_lengths *lengths, unsigned int max);

/** The function that takes from such a schedule. */
pg_pace_take_fn pg_pace_taker(const struct pg_pace *pace);

/** Are all packets due at once? */
static inline bool
pg_pace_has_no_gap(const struct pg_pace *pace)
{
	return pace->gap == 0 && pace->gap_frac == 0;
}

/** Is a packet due? */
static inline bool
pg_pace_is_due(const struct pg_pace *pace, uint64_t now)
{
	return (int64_t)(now - pace->due) >= 0;
}

/** Is that later than its policy allows? Only of a packet that is due. */
static inline bool
pg_pace_is_late(const struct pg_pace *pace, uint64_t now)
{
	return now - pace->due > pace->late_max;
}

/** Do what the policy says: of a late schedule.
 *  Units:   bytes: the next packet's length, where each has its own.
 *  Returns how many packets are given up, at most `most`.  Context: worker. */
uint64_t pg_pace_late(struct pg_pace *pace, uint64_t now, uint32_t bytes, uint64_t most);

/** How many packets are due at `now` and not taken, if all were as long as `bytes`. */
uint64_t pg_pace_owed(const struct pg_pace *pace, uint64_t now, uint32_t bytes);

/** How many of the schedule as it was asked for, without moves, are due at `now` and not taken. */
uint64_t pg_pace_missed(const struct pg_pace *pace, uint64_t now, uint32_t bytes);

/** Go on with another gap from the next packet on: it is due one new gap behind the last one, or
 *  now; of bursts so many new gaps behind the last burst as it has packets. What is left of a gap
 *  that was drawn becomes longer or shorter as the rate does. What is owed stays owed
 * as far as the new policy allows; the rest counts as lost. Shape:   `next` is set up as for a
 * start.  Units: bytes as in pg_pace_owed(). Returns how many were owed and are not any more.
 * Context: worker. */
uint64_t pg_pace_change(
	struct pg_pace *pace, const struct pg_pace *next, uint64_t now, uint32_t bytes);

/** A position that pg_pace_rewind() goes back to: packets were taken, but could not be built. */
struct pg_pace_mark {
	uint64_t due, due_frac, index;
};

static inline struct pg_pace_mark
pg_pace_mark(const struct pg_pace *pace)
{
	return (struct pg_pace_mark){pace->due, pace->due_frac, pace->index};
}

static inline void
pg_pace_rewind(struct pg_pace *pace, const struct pg_pace_mark *mark)
{
	pace->due = mark->due;
	pace->due_frac = mark->due_frac;
	pace->index = mark->index;
}

#endif
