/* SPDX-License-Identifier: BSD-3-Clause */
/* Stamps in packets against their intended times. */
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

// The first copy of a packet was due then, or not before.
static void
find_copy_due(struct verify *v, const struct verify_at *at)
{
	const struct verify_due *d = &v->due;
	uint64_t copy = at->packet % v->copies;
	const bool even = d->known && !d->by_bytes && !d->drawn && d->event + copy <= at->packet;
	long double since =
		even ? (long double)(at->due - v->wall_cycles) - d->gap * (copy + d->unit - 1) : 0;

	if (copy == 0)
		v->copy_due = at->due;
	else if (at->fresh) // copies before this one were not read
		v->copy_due = v->wall_cycles + (uint64_t)RTE_MAX(since, 0.0L);
}

// A copy bears the time of the first one, or of a later one where a buffer had to be made anew.
// Without a rate a packet is stamped when it is built: after the one before, and before now.
static void
check_stamp(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	uint64_t least = v->stamped_due ? wall_us(v, v->copy_due) : v->last_us;
	uint64_t most = wall_us(v, v->stamped_due ? at->due : at->now);
	uint64_t found = stamp_us(f, most);

	if (!verify_want(v, PG_VERIFY_STAMPS, at->packet, VERIFY_MICROSECONDS, 0, PG_US_PER_S - 1,
		    f->microseconds))
		return;
	least -= RTE_MIN(least, (uint64_t)STAMP_SLACK_US);
	if (verify_want(v, PG_VERIFY_STAMPS, at->packet, VERIFY_TIME, least, most + STAMP_SLACK_US,
		    found))
		v->last_us = found;
}

void
verify_stamp(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	v->receipt.check[PG_VERIFY_STAMPS].packets++;
	find_copy_due(v, at);
	if (v->stamped) {
		check_stamp(v, f, at);
	} else {
		verify_want(v, PG_VERIFY_STAMPS, at->packet, VERIFY_SECONDS, 0, 0, f->seconds);
		verify_want(v, PG_VERIFY_STAMPS, at->packet, VERIFY_MICROSECONDS, 0, 0,
			f->microseconds);
	}
}
