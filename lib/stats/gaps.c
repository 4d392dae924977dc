/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>

#include "pg_gaps.h"

const uint32_t pg_gaps_limit_ns[PG_GAPS_LIMITS] = {64, 128, 256, 512, 1000, 10000, 100000};

void
pg_gaps_result(const struct pg_gaps *gaps, const struct pg_clock *clock, struct pg_gaps_result *out)
{
	const double ns = 1e9 / clock->hz;

	*out = (struct pg_gaps_result){
		.packets = pg_hist_total(&gaps->late),
		.calls = pg_hist_total(&gaps->gap) + (gaps->last != 0),
		.late_p50_ns = pg_hist_quantile(&gaps->late, 0.5) * ns,
		.late_p99_ns = pg_hist_quantile(&gaps->late, 0.99) * ns,
		.late_p999_ns = pg_hist_quantile(&gaps->late, 0.999) * ns,
		.late_max_ns = (double)gaps->late.max * ns,
		.gap_p50_ns = pg_hist_quantile(&gaps->gap, 0.5) * ns,
		.gap_p99_ns = pg_hist_quantile(&gaps->gap, 0.99) * ns,
		.gap_max_ns = (double)gaps->gap.max * ns,
		.absences = gaps->absences,
		.absent_ns = pg_clock_ns(clock, gaps->absent_cycles),
	};
	if (out->packets > 0)
		out->back_to_back = (double)(out->packets - out->calls) / (double)out->packets;
	for (unsigned int i = 0; i < PG_GAPS_LIMITS; i++)
		out->within[i] = pg_hist_share(&gaps->late, pg_gaps_limit_ns[i] / ns);
}
