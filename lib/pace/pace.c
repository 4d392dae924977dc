/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_common.h>

#include "pg_pace.h"
#include "pg_units.h"

// Half the counter's range is centuries away and still compares as "later".
#define GAP_MAX ((uint64_t)INT64_MAX / 2)

// Cycles per byte above this are hours for one packet: they are capped, so that products fit.
#define BYTE_GAP_MAX ((uint64_t)1 << 44)

void
pg_pace_init_ratio(
	struct pg_pace *pace, const struct pg_clock *clock, unsigned __int128 num, uint64_t den)
{
	*pace = (struct pg_pace){0};
	pace->gap = pg_clock_cycles_ratio(clock, num, den, &pace->gap_frac);
	pace->gap = RTE_MIN(pace->gap, GAP_MAX);
}

void
pg_pace_init(struct pg_pace *pace, const struct pg_clock *clock, uint64_t gap_ns)
{
	pg_pace_init_ratio(pace, clock, gap_ns, 1);
	if (gap_ns == PG_PACE_NEVER)
		pace->due = GAP_MAX;
}

void
pg_pace_init_bits(struct pg_pace *pace, const struct pg_clock *clock, uint64_t bps,
	uint32_t frame_bytes, uint32_t extra)
{
	uint64_t bits = 8 * (uint64_t)(frame_bytes > 0 ? frame_bytes + extra : 1);

	pg_pace_init_ratio(pace, clock, (unsigned __int128)bits * PG_NS_PER_S, bps);
	pace->extra = extra;
	if (frame_bytes == 0)
		pace->gap = RTE_MIN(pace->gap, BYTE_GAP_MAX);
}

void
pg_pace_start(struct pg_pace *pace, uint64_t now)
{
	pace->due += now;
	pace->due_frac = 0;
}
