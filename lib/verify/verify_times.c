/* SPDX-License-Identifier: BSD-3-Clause */
/* Intended times against the rate that was asked for, and stamps against intended times. */
#include "verify_priv.h"

#define STAMP_SLACK_US 1 // both round down to a microsecond

static uint64_t
wall_us(const struct verify *v, uint64_t cycles)
{
	int64_t since = (int64_t)(cycles - v->wall_cycles);
	__int128 ns = ((__int128)since * v->stamp_ns_per_cycle) >> PG_CLOCK_SHIFT;

	return (uint64_t)((__int128)v->wall_ns + ns) / PG_NS_PER_US;
}

// Seconds are stored in 32 bits: the stamp that is nearest to a time of day.
static uint64_t
stamp_us(const struct verify_frame *f, uint64_t near_us)
{
	uint64_t seconds = near_us / PG_US_PER_S;

	seconds += (int32_t)(f->seconds - (uint32_t)seconds);
	return seconds * PG_US_PER_S + f->microseconds;
}

// A copy bears the time of the first one, or of a later one where a buffer had to be made anew.
// Without a rate a packet is stamped when it is built: after the one before, and before now.
static void
check_stamp(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	bool paced = v->paced != VERIFY_UNPACED;
	uint64_t least = paced ? wall_us(v, v->copy_due) : v->last_us;
	uint64_t most = paced ? wall_us(v, at->due) : wall_us(v, at->now);
	uint64_t found = stamp_us(f, most);

	if (!verify_want(v, PG_VERIFY_STAMPS, at->packet, VERIFY_MICROSECONDS, 0, PG_US_PER_S - 1,
		    f->microseconds))
		return;
	least -= RTE_MIN(least, (uint64_t)STAMP_SLACK_US);
	if (verify_want(v, PG_VERIFY_STAMPS, at->packet, VERIFY_TIME, least, most + STAMP_SLACK_US,
		    found))
		v->last_us = found;
}

static long double
gap_cycles(const struct verify *v, long double units)
{
	return units * v->gap_ns * (UINT64_C(1) << PG_CLOCK_SHIFT) / v->ns_per_cycle;
}

// Packet i is due at t0 + i * gap; where sizes vary a packet's gap is as long as it is. The
// counter's whole cycles are what is left of it.
static void
check_gap(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	long double units = v->paced == VERIFY_PACED_BYTES ? v->bytes_due : at->packet;
	long double want = gap_cycles(v, units);
	uint64_t since = at->due - v->first_due;

	v->receipt.check[PG_VERIFY_GAPS].packets++;
	verify_want(v, PG_VERIFY_GAPS, at->packet, VERIFY_GAP, (uint64_t)(want >= 1 ? want - 1 : 0),
		(uint64_t)(want + 1), since);
	v->bytes_due += f->length + v->extra;
}

void
pg_verify_moved(struct pg_verify *verify)
{
	((struct verify *)verify)->paced = VERIFY_PACED_UNKNOWN;
}

void
verify_times(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	if (!v->any)
		v->first_due = at->due;
	if (at->fresh) // perhaps not the first of the copies
		v->copy_due = at->due - (uint64_t)gap_cycles(v, at->packet % v->copies);
	v->receipt.check[PG_VERIFY_STAMPS].packets++;
	if (v->stamped) {
		check_stamp(v, f, at);
	} else {
		verify_want(v, PG_VERIFY_STAMPS, at->packet, VERIFY_SECONDS, 0, 0, f->seconds);
		verify_want(v, PG_VERIFY_STAMPS, at->packet, VERIFY_MICROSECONDS, 0, 0,
			f->microseconds);
	}
	if (v->paced == VERIFY_PACED || v->paced == VERIFY_PACED_BYTES)
		check_gap(v, f, at);
}
