/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_common.h>

#include "pg_hist.h"

uint64_t
pg_hist_total(const struct pg_hist *hist)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < PG_HIST_BUCKETS; i++)
		n += hist->count[i];
	return n;
}

// Where a bucket ends; the largest value ends the last one that is used.
static double
end_of(const struct pg_hist *hist, uint32_t bucket)
{
	double next = (double)pg_hist_floor(bucket + 1);

	return RTE_MIN(next, (double)hist->max + 1);
}

double
pg_hist_quantile(const struct pg_hist *hist, double share)
{
	double left = share * (double)pg_hist_total(hist);

	for (uint32_t i = 0; i < PG_HIST_BUCKETS; i++) {
		double n = (double)hist->count[i], from = (double)pg_hist_floor(i);
		double at;

		if (n == 0 || left > n) {
			left -= n;
			continue;
		}
		at = from + (end_of(hist, i) - from) * left / n;
		return RTE_MIN(at, (double)hist->max);
	}
	return (double)hist->max;
}

double
pg_hist_share(const struct pg_hist *hist, double limit)
{
	double below = 0, all = (double)pg_hist_total(hist);

	if (all == 0)
		return 1;
	for (uint32_t i = 0; i < PG_HIST_BUCKETS; i++) {
		double from = (double)pg_hist_floor(i), to = end_of(hist, i);

		if (hist->count[i] == 0 || from >= limit)
			continue;
		below += (double)hist->count[i] * (to <= limit ? 1 : (limit - from) / (to - from));
	}
	return below / all;
}
