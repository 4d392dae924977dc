/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_common.h>

#include "pg_pace.h"

// Half the counter's range is centuries away and still compares as "later".
#define GAP_MAX ((uint64_t)INT64_MAX / 2)

void
pg_pace_init(struct pg_pace *pace, const struct pg_clock *clock, uint64_t gap_ns)
{
	*pace = (struct pg_pace){0};
	pace->gap = pg_clock_cycles(clock, gap_ns, &pace->gap_frac);
	pace->gap = RTE_MIN(pace->gap, GAP_MAX);
	if (gap_ns == PG_PACE_NEVER)
		pace->due = GAP_MAX;
}

void
pg_pace_start(struct pg_pace *pace, uint64_t now)
{
	pace->due += now;
	pace->due_frac = 0;
}
