/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>

#include <rte_common.h>

#include "pg_pace.h"
#include "pg_units.h"

// Half the counter's range is centuries away and still compares as "later".
#define GAP_MAX ((uint64_t)INT64_MAX / 2)

// Cycles per byte above this are hours for one packet: they are capped, so that products fit.
#define BYTE_GAP_MAX ((uint64_t)1 << 44)

// Drawn gaps are up to 45 times the mean; with these caps their products fit too.
#define RANDOM_GAP_MAX      ((uint64_t)1 << 52)
#define RANDOM_BYTE_GAP_MAX ((uint64_t)1 << 36)

typedef unsigned __int128 u128;

#define LOG_BITS 10
#define LOG_STEP (64 - 1 - LOG_BITS) // bits of a mantissa below an entry's

/** -ln(x) for x = 1/2 to 1 in 1024 steps, in 2^-32: 0.69 to 0. Linear in between it is off by less
 *  than 2e-7, far below what a clock is. */
static uint32_t logs[(1 << LOG_BITS) + 1];
static pthread_once_t logs_once = PTHREAD_ONCE_INIT;

static void
logs_fill(void)
{
	for (unsigned int k = 0; k <= 1 << LOG_BITS; k++)
		logs[k] = (uint32_t)lround(
			-log((1.0 + (double)k / (1 << LOG_BITS)) / 2) * 4294967296.0);
}

void
pg_pace_init_ratio(struct pg_pace *pace, const struct pg_clock *clock, u128 num, uint64_t den)
{
	*pace = (struct pg_pace){.unit = 1, .late_max = GAP_MAX};
	pace->gap = pg_clock_cycles_ratio(clock, num, den, &pace->gap_frac);
	// Rounded up: a packet that is due at the very end of a time is never due within it.
	if ((pace->gap != 0 || pace->gap_frac != 0) && ++pace->gap_frac == 0)
		pace->gap++;
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

	pg_pace_init_ratio(pace, clock, (u128)bits * PG_NS_PER_S, bps);
	pace->extra = extra;
	pace->sizes = frame_bytes == 0;
	if (pace->sizes)
		pace->gap = RTE_MIN(pace->gap, BYTE_GAP_MAX);
}

// So that the next burst is within the counter's range; one that never comes is a gap away.
static void
limit_gap(struct pg_pace *pace, uint32_t unit, uint64_t most)
{
	const bool never = pace->due == pace->gap * pace->unit;

	pace->unit = unit;
	pace->gap = RTE_MIN(pace->gap, most / unit);
	if (never)
		pace->due = pace->gap * unit;
}

void
pg_pace_set_burst(struct pg_pace *pace, uint32_t unit)
{
	limit_gap(pace, unit, pace->sizes ? BYTE_GAP_MAX : GAP_MAX);
}

void
pg_pace_set_random(struct pg_pace *pace, const struct pg_key *key)
{
	pthread_once(&logs_once, logs_fill);
	pace->random = true;
	pace->key = *key;
	limit_gap(pace, pace->unit, pace->sizes ? RANDOM_BYTE_GAP_MAX : RANDOM_GAP_MAX);
}

// One packet's gap, in 2^-64 cycles; never 0, so that it may divide.
static u128
gap_of(const struct pg_pace *pace, uint32_t bytes)
{
	u128 gap = (u128)pace->gap << 64 | pace->gap_frac;

	if (pace->sizes)
		gap *= bytes + pace->extra;
	return gap != 0 ? gap : 1;
}

void
pg_pace_set_late(struct pg_pace *pace, const struct pg_clock *clock, enum pg_late_kind late,
	uint64_t max_ns, uint32_t bytes)
{
	uint64_t frac, limit = pg_clock_cycles(clock, PG_PACE_ON_TIME_NS, &frac);
	u128 gap = (gap_of(pace, bytes) >> 64) * pace->unit;

	if (gap > limit)
		limit = gap < GAP_MAX ? (uint64_t)gap : GAP_MAX;
	if (late == PG_LATE_CATCHUP)
		limit = RTE_MAX(limit, pg_clock_cycles(clock, max_ns, &frac));
	pace->late = late;
	pace->late_max = pg_pace_has_no_gap(pace) ? GAP_MAX : RTE_MIN(limit, GAP_MAX);
}

void
pg_pace_start(struct pg_pace *pace, uint64_t now)
{
	pace->due += now;
	pace->due_frac = 0;
}

// An exponential variate of mean 1, in 2^-32: -ln(u) of a number u drawn from (0, 1].
static inline uint64_t
draw(struct pg_pace *pace)
{
	uint64_t u = pg_random_64(&pace->key, pace->index++) | 1;
	unsigned int zeros = (unsigned int)__builtin_clzll(u);
	uint64_t mantissa = u << zeros << 1; // without the leading 1
	uint32_t at = (uint32_t)(mantissa >> (LOG_STEP + 1));
	uint64_t between = mantissa << LOG_BITS >> 32;
	uint64_t log = logs[at] - ((logs[at] - logs[at + 1]) * between >> 32);

	return zeros * UINT64_C(2977044472) + log; // ln(2) * 2^32
}

static __rte_always_inline unsigned int
take(struct pg_pace *pace, uint64_t now, uint64_t *due, const struct pg_pace_lengths *lengths,
	unsigned int max, const bool burst, const bool random, const bool sizes)
{
	const uint32_t *bytes = sizes ? lengths->next(lengths->ctx, max) : NULL;
	const u128 gap = (u128)pace->gap << 64 | pace->gap_frac;
	u128 next = (u128)pace->due << 64 | pace->due_frac;
	const uint64_t first = pace->due;
	uint64_t times = 0;
	unsigned int n = 0;

	while (n < max && (burst || (int64_t)(now - (uint64_t)(next >> 64)) >= 0)) {
		u128 step = sizes ? gap * (bytes[n] + pace->extra) : gap;

		due[n] = burst ? first : (uint64_t)(next >> 64);
		if (random && (!burst || n == 0))
			times = draw(pace);
		next += random ? (step >> 32) * times : step;
		n++;
	}
	pace->due = (uint64_t)(next >> 64);
	pace->due_frac = (uint64_t)next;
	return n;
}

#define TAKE(name, ...)                                                             \
	static unsigned int name(struct pg_pace *pace, uint64_t now, uint64_t *due, \
		const struct pg_pace_lengths *lengths, unsigned int max)            \
	{                                                                           \
		return take(pace, now, due, lengths, max, __VA_ARGS__);             \
	}

TAKE(take_smooth, false, false, false)
TAKE(take_smooth_sizes, false, false, true)
TAKE(take_random, false, true, false)
TAKE(take_random_sizes, false, true, true)
TAKE(take_burst, true, false, false)
TAKE(take_burst_sizes, true, false, true)
TAKE(take_random_burst, true, true, false)
TAKE(take_random_burst_sizes, true, true, true)

// Without a gap all packets are due now.
static unsigned int
take_now(struct pg_pace *pace, uint64_t now, uint64_t *due, const struct pg_pace_lengths *lengths,
	unsigned int max)
{
	(void)lengths;
	for (unsigned int n = 0; n < max; n++)
		due[n] = now;
	pace->due = now;
	return max;
}

pg_pace_take_fn
pg_pace_taker(const struct pg_pace *pace)
{
	static const pg_pace_take_fn takers[2][2][2] = {
		{{take_smooth, take_smooth_sizes}, {take_random, take_random_sizes}},
		{{take_burst, take_burst_sizes}, {take_random_burst, take_random_burst_sizes}},
	};

	if (pg_pace_has_no_gap(pace))
		return take_now;
	return takers[pace->unit > 1][pace->random][pace->sizes];
}

// Whole packets in a distance, and 2^-32 of one.
static u128
packets_in(uint64_t cycles, u128 gap)
{
	return ((u128)cycles << 64) / RTE_MAX(gap >> 32, (u128)1);
}

static void
advance(struct pg_pace *pace, u128 distance)
{
	u128 due = ((u128)pace->due << 64 | pace->due_frac) + distance;

	pace->due = (uint64_t)(due >> 64);
	pace->due_frac = (uint64_t)due;
}

uint64_t
pg_pace_late(struct pg_pace *pace, uint64_t now, uint32_t bytes, uint64_t most)
{
	const u128 gap = gap_of(pace, bytes);
	uint64_t late = now - pace->due, n;

	if (pace->late != PG_LATE_SKIP) {
		uint64_t more = late - (pace->late == PG_LATE_CATCHUP ? pace->late_max : 0);

		pace->shift += more;
		pace->due += more;
		pace->moved += more;
		pace->moves++;
		return 0;
	}
	n = (uint64_t)(packets_in(late, gap) >> 32);
	n -= n % pace->unit;
	n = RTE_MIN(n, most);
	advance(pace, gap * n);
	pace->skipped += n;
	return n;
}

static u128
whole_bursts(const struct pg_pace *pace, u128 packets)
{
	return (packets + pace->unit - 1) / pace->unit * pace->unit;
}

// All packets whose time lies before the cycle behind `now`, if the next one is due at `due`.
static uint64_t
due_since(const struct pg_pace *pace, uint64_t due, uint64_t now, uint32_t bytes)
{
	u128 span, n;

	if (pg_pace_has_no_gap(pace) || (int64_t)(now - due) < 0)
		return 0;
	span = ((u128)(now - due) << 64) + UINT64_MAX - pace->due_frac;
	n = whole_bursts(pace, span / gap_of(pace, bytes) + 1);
	return n < UINT64_MAX ? (uint64_t)n : UINT64_MAX;
}

uint64_t
pg_pace_owed(const struct pg_pace *pace, uint64_t now, uint32_t bytes)
{
	return due_since(pace, pace->due, now, bytes);
}

uint64_t
pg_pace_missed(const struct pg_pace *pace, uint64_t now, uint32_t bytes)
{
	return pace->lost + due_since(pace, pace->due - pace->shift, now, bytes);
}

uint64_t
pg_pace_change(struct pg_pace *pace, const struct pg_pace *next, uint64_t now, uint32_t bytes)
{
	const u128 before = gap_of(pace, bytes), after = gap_of(next, bytes);
	uint64_t owed = pg_pace_owed(pace, now, bytes), kept;
	struct pg_pace changed = *next;

	changed.due = pace->due;
	changed.due_frac = pace->due_frac;
	changed.index = pace->index;
	changed.skipped = pace->skipped;
	changed.lost = pg_pace_missed(pace, now, bytes) - owed;
	changed.moves = pace->moves;
	changed.moved = pace->moved;
	kept = (uint64_t)RTE_MIN(
		(u128)owed, whole_bursts(next, 1 + ((u128)changed.late_max << 64) / after));
	if (pace->random && owed == 0 && !pg_pace_has_no_gap(pace)) {
		// What is left of an exponential gap is one too.
		changed.due = now + (uint64_t)((long double)(pace->due - now) *
					       ((long double)after / (long double)before));
		changed.due_frac = 0;
	} else {
		// One gap behind the last packet that was due; a burst's behind the last burst.
		advance(&changed, before * owed - before * next->unit + after * next->unit);
		if (pg_pace_is_due(&changed, now)) {
			changed.due = now;
			changed.due_frac = 0;
		}
	}
	advance(&changed, -(after * kept)); // those owed come before it
	if (kept < owed) {
		changed.lost += owed - kept;
		changed.moves++;
		changed.moved += (uint64_t)(before * (owed - kept) >> 64);
	}
	*pace = changed;
	return owed - kept;
}
