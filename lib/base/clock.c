/* SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>

#include <rte_cycles.h>

#include "pg_clock.h"
#include "pg_units.h"

#define PAIR_TRIES 64

static uint64_t
read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * PG_NS_PER_S + (uint64_t)ts.tv_nsec;
}

// The pair with the smallest window among a few: an interrupt in between widens the window.
static void
take_pair(clockid_t id, uint64_t *cycles, uint64_t *clock_ns, uint64_t *window)
{
	*window = UINT64_MAX;
	for (int i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = rte_rdtsc_precise();
		uint64_t ns = read_ns(id);
		uint64_t after = rte_rdtsc_precise();

		if (after - before >= *window)
			continue;
		*window = after - before;
		*cycles = before + (after - before) / 2;
		*clock_ns = ns;
	}
}

void
pg_clock_init(struct pg_clock *clock)
{
	*clock = (struct pg_clock){0};
	take_pair(CLOCK_MONOTONIC_RAW, &clock->first_cycles, &clock->first_raw_ns,
		&clock->first_window);
}

void
pg_clock_derive(struct pg_clock *clock, uint64_t cycles, uint64_t raw_ns, uint64_t window)
{
	uint64_t span_cycles = cycles - clock->first_cycles;
	uint64_t doubt = (clock->first_window + window + 1) / 2;
	unsigned __int128 ratio;

	if (span_cycles == 0 || raw_ns == clock->first_raw_ns)
		return;
	clock->span_ns = raw_ns - clock->first_raw_ns;
	ratio = ((unsigned __int128)clock->span_ns << PG_CLOCK_SHIFT) / span_cycles;
	clock->ns_per_cycle = ratio < UINT64_MAX ? (uint64_t)ratio : UINT64_MAX;
	clock->hz = (double)span_cycles * 1e9 / (double)clock->span_ns;
	clock->error_ppm = (double)doubt * 1e6 / (double)span_cycles;
}

void
pg_clock_refine(struct pg_clock *clock)
{
	uint64_t cycles = 0, raw_ns = 0, window;
	struct pg_clock refined = *clock;

	take_pair(CLOCK_MONOTONIC_RAW, &cycles, &raw_ns, &window);
	pg_clock_derive(&refined, cycles, raw_ns, window);
	// A pair that took longer than all before it says less than they do.
	if (clock->span_ns == 0 || refined.error_ppm <= clock->error_ppm)
		*clock = refined;
}

void
pg_clock_virtual(struct pg_clock *clock, uint64_t hz)
{
	*clock = (struct pg_clock){0};
	pg_clock_derive(clock, hz, PG_NS_PER_S, 0);
}

void
pg_clock_settle(struct pg_clock *clock, uint64_t span_ns)
{
	pg_clock_refine(clock);
	if (clock->span_ns < span_ns) {
		uint64_t rest = span_ns - clock->span_ns;
		struct timespec ts = {rest / PG_NS_PER_S, rest % PG_NS_PER_S};

		while (nanosleep(&ts, &ts) != 0)
			;
		pg_clock_refine(clock);
	}
}

uint64_t
pg_clock_cycles_ratio(
	const struct pg_clock *clock, unsigned __int128 num, uint64_t den, uint64_t *frac)
{
	// num * 2^56 / (den * ns_per_cycle); the fraction bit by bit, by long division.
	unsigned __int128 scaled = num << PG_CLOCK_SHIFT;
	unsigned __int128 by = (unsigned __int128)den * clock->ns_per_cycle;
	unsigned __int128 whole = scaled / by, rest = scaled % by;

	*frac = 0;
	if (whole > UINT64_MAX)
		return UINT64_MAX;
	for (int bit = 0; bit < 64; bit++) {
		rest <<= 1;
		*frac = *frac << 1 | (rest >= by);
		rest -= rest >= by ? by : 0;
	}
	return (uint64_t)whole;
}

uint64_t
pg_clock_cycles(const struct pg_clock *clock, uint64_t ns, uint64_t *frac)
{
	return pg_clock_cycles_ratio(clock, ns, 1, frac);
}

uint64_t
pg_clock_when(const struct pg_clock *clock, clockid_t id, uint64_t ns)
{
	uint64_t cycles = 0, now_ns = 0, window, frac;

	take_pair(id, &cycles, &now_ns, &window);
	if (ns >= now_ns)
		return cycles + pg_clock_cycles(clock, ns - now_ns, &frac);
	return cycles - pg_clock_cycles(clock, now_ns - ns, &frac);
}

uint64_t
pg_clock_monotonic_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t
pg_clock_wall_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}
