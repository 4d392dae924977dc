/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_cycles.h>

#include "pg_stats.h"
#include "pg_units.h"

void
pg_result_make(struct pg_result *result, const struct pg_counters *counters,
	const struct pg_clock *clock, uint32_t frame_bytes, uint32_t size)
{
	uint64_t cycles = counters->stop_cycles - counters->start_cycles;
	double seconds, frames, bytes;

	*result = (struct pg_result){
		.sent = counters->sent,
		.errors = counters->errors,
		.bytes = counters->bytes,
		.calls = counters->calls,
		.short_calls = counters->short_calls,
		.pool_empty = counters->pool_empty,
		.duration_ns = pg_clock_ns(clock, cycles),
		.size = size,
		.frags = counters->built > 0 ? 0 : -1,
	};
	result->cycles = counters->turn_cycles != 0
				 ? counters->turn_cycles
				 : cycles - RTE_MIN(cycles, counters->idle_cycles);
	result->idle_ns = pg_clock_ns(clock, RTE_MIN(cycles, counters->idle_cycles));
	if (frame_bytes != 0)
		result->bytes = pg_muldiv(counters->sent, frame_bytes, 1);
	if (result->duration_ns > 0)
		result->pps = pg_muldiv(result->sent, PG_NS_PER_S, result->duration_ns);
	result->bps = pg_muldiv(result->pps, 8 * (uint64_t)size, 1);
	result->mbps = result->bps / 1000000;
	if (result->duration_ns == 0 || result->sent == 0)
		return;
	seconds = (double)result->duration_ns / 1e9;
	frames = (double)result->sent;
	bytes = frame_bytes != 0 ? frames * frame_bytes : (double)result->bytes;
	bytes += frames * PG_FCS_BYTES;
	result->rate_pps = frames / seconds;
	result->l2_bps = bytes * 8 / seconds;
	result->l1_bps = (bytes + frames * PG_L1_EXTRA_BYTES) * 8 / seconds;
	result->cycles_per_packet = (double)result->cycles / frames;
}

void
pg_result_refresh(
	struct pg_result *result, const struct pg_counters *counters, const struct pg_clock *clock)
{
	uint64_t started = pg_counter_read(&counters->start_cycles);
	uint64_t turns = pg_counter_read(&counters->turn_cycles);
	uint64_t idle = pg_counter_read(&counters->idle_cycles);
	uint64_t since = started != 0 ? rte_rdtsc() - started : 0;

	result->sent = pg_counter_read(&counters->sent);
	result->idle_ns = pg_clock_ns(clock, idle);
	result->cycles = turns != 0 ? turns : since - RTE_MIN(since, idle);
}
