/* SPDX-License-Identifier: BSD-3-Clause */
/* Intended times, planned once more: packet i is due i gaps behind the first, or with the first one
 * of its burst, or behind gaps that are drawn; whatever moved the schedule since is told by the
 * worker. In long double: 64 bits of mantissa are a part of a cycle for longer than runs last. */
#include <math.h>

#include "verify_priv.h"

#define DRAW_SLACK 2.5e-7L // of the mean: what a table of logarithms may be off
#define HALF_CYCLE 0.5L
// Cycles to a burst that is not meant to come: the counter's range allows so many; fewer of a mean.
#define NEVER      0x1p62L
#define NEVER_MEAN 0x1p52L
#define ROUNDING   0x1p-60L // of a time in cycles, by some operations on it

void
pg_verify_gap(const struct pg_verify *verify, const struct pg_rate *rate, uint64_t delay_ns,
	struct pg_verify_gap *gap)
{
	const struct verify *v = (const struct verify *)verify;
	const struct verify_var *size = &v->var[VERIFY_VAR_SIZE];
	bool varies = v->nsizes > 0 || size->walk != VERIFY_CONSTANT;
	long double bps = rate->value, frame = RTE_MAX((uint32_t)size->base, v->frame_min);

	*gap = (struct pg_verify_gap){.extra = PG_FCS_BYTES + PG_L1_EXTRA_BYTES};
	if (v->as_linux && rate->kind != PG_RATE_PERCENT && rate->kind != PG_RATE_NONE) {
		gap->ns = delay_ns; // whole ns of its own
		return;
	}
	switch (rate->kind) {
	case PG_RATE_NONE:
		return;
	case PG_RATE_DELAY:
		gap->ns = rate->value;
		return;
	case PG_RATE_PPS:
		gap->ns = 1e9L / rate->value;
		return;
	case PG_RATE_KERNEL:
		bps *= 1e6L;
		gap->extra = 0;
		break;
	case PG_RATE_L2:
		gap->extra = PG_FCS_BYTES;
		break;
	case PG_RATE_PERCENT: // the language keeps whole bits per second
		bps = pg_muldiv(
			(uint64_t)v->speed_mbps * 1000000, rate->value, 100 * PG_RATE_PERCENT_UNIT);
		break;
	default:
		break;
	}
	gap->by_bytes = varies;
	gap->ns = 8e9L / RTE_MAX(bps, 1.0L) * (varies ? 1 : frame + gap->extra);
}

// Of times in bytes all packets have to be read.
static void
set_gap(struct verify *v, const struct pg_verify_gap *gap, uint64_t ns_per_cycle)
{
	struct verify_due *d = &v->due;

	d->gap = gap->ns * (UINT64_C(1) << PG_CLOCK_SHIFT) / ns_per_cycle;
	if (!gap->by_bytes)
		d->gap = RTE_MIN(d->gap, (d->drawn ? NEVER_MEAN : NEVER) / d->unit);
	d->extra = gap->extra;
	d->by_bytes = gap->by_bytes;
	d->known = d->gap > 0 && !(d->by_bytes && d->sparse);
}

// -ln(u) of a number u that is drawn from (0, 1]: exponential, with a mean of 1.
static long double
draw(const struct verify_due *d)
{
	return d->drawn ? -logl((pg_random_64(&d->key, d->number) | 1) * 0x1p-64L) : 1;
}

// When the first packet of a schedule is due: at once, unless none ever is.
static long double
first_of(const struct verify_due *d, const struct pg_verify_gap *gap)
{
	return gap->ns < PG_VERIFY_NEVER ? 0 : d->gap * d->unit;
}

void
verify_due_begin(struct verify *v, uint64_t ns_per_cycle)
{
	struct verify_due *d = &v->due;

	d->size = d->unit;
	d->times = draw(d);
	set_gap(v, &v->asked, ns_per_cycle);
	d->at = first_of(d, &v->asked);
}

static void
next_burst(struct verify_due *d)
{
	long double own = d->by_bytes ? d->own : d->size;

	d->last = own * d->times;
	d->blur = d->drawn ? own * DRAW_SLACK : 0;
	d->units += d->last;
	d->drift += d->blur;
	d->first += d->size;
	d->size = d->unit;
	d->own = 0;
	d->number++;
	d->times = draw(d);
}

// Go to the burst that a packet belongs to. Where not all are read, over many at once: the times
// that they are apart are drawn, and then only neighbours can be compared.
static void
seek(struct verify_due *d, uint64_t packet)
{
	while (packet - d->first >= d->size) {
		uint64_t over = (packet - d->first) / d->unit;

		if (d->sparse && d->size == d->unit && over > 1) {
			d->first += (over - 1) * d->unit;
			d->units += (over - 1) * d->unit;
			d->number += over - 1;
			d->times = draw(d);
		}
		next_burst(d);
	}
}

static bool
is_planned(const struct verify_due *d)
{
	return d->known && !(d->drawn && d->sparse);
}

// Of the burst sought last.
static long double
planned(const struct verify_due *d)
{
	return d->at + d->gap * d->units;
}

// Drawn times add up, and so does what each may be off.
static long double
doubt_of(const struct verify_due *d)
{
	return d->doubt + d->gap * d->drift;
}

// Cycles after the start; packets that were owed at a change may have been due before it.
static long double
since_start(const struct verify *v, uint64_t cycles)
{
	return (long double)(int64_t)(cycles - v->wall_cycles);
}

static uint64_t
positive(long double cycles)
{
	return cycles > 0 ? (uint64_t)cycles : 0;
}

static void
want(struct verify *v, const struct verify_at *at, long double cycles, long double doubt)
{
	// The counter's whole cycles are what is left of a time.
	long double least = cycles - 1 - doubt, most = cycles + 1 + doubt;
	long double found = since_start(v, at->due);

	if (found < floorl(least) || found > most)
		verify_fault(v, PG_VERIFY_GAPS, at->packet, VERIFY_GAP, positive(least),
			positive(most), positive(found));
}

// Two packets whose gap was drawn.
static void
check_neighbours(struct verify *v, const struct verify_at *at)
{
	struct verify_due *d = &v->due;
	long double since = since_start(v, at->before), doubt = 0;

	if (at->packet == 0 || (d->changed && d->event == at->packet))
		return;
	if (d->first == at->packet) {
		since += d->gap * d->last;
		doubt = d->gap * d->blur;
	}
	if (d->event == at->packet)
		since += d->moved;
	want(v, at, since, doubt);
}

void
verify_due(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	struct verify_due *d = &v->due;

	if (!d->known)
		return;
	v->receipt.check[PG_VERIFY_GAPS].packets++;
	seek(d, at->packet);
	if (is_planned(d) && isfinite(d->doubt))
		want(v, at, planned(d), doubt_of(d));
	if (d->drawn)
		check_neighbours(v, at);
	if (d->bytes != 0 && d->event == at->packet)
		verify_want(v, PG_VERIFY_GAPS, at->packet, VERIFY_FRAME_LENGTH, d->bytes, d->bytes,
			f->length);
	if (d->doubt > HALF_CYCLE) { // now it is known
		d->at = since_start(v, at->due) + HALF_CYCLE;
		d->doubt = HALF_CYCLE;
		d->units = d->drift = 0;
	}
	d->own += f->length + d->extra;
}

// Something happens before the next packet; what did so before is kept with it.
static void
note_event(struct verify_due *d, uint64_t packet)
{
	if (d->event != packet) {
		d->moved = 0;
		d->changed = false;
	}
	d->event = packet;
}

void
pg_verify_moved(
	struct pg_verify *verify, uint64_t now, uint64_t cycles, uint64_t skipped, uint32_t bytes)
{
	struct verify *v = (struct verify *)verify;
	struct verify_due *d = &v->due;
	uint64_t packet = v->hot.seen;
	long double more;

	if (!d->known)
		return;
	seek(d, packet);
	note_event(d, packet);
	d->bytes = d->by_bytes ? bytes : 0;
	more = cycles + d->gap * skipped * (d->by_bytes ? bytes + d->extra : 1);
	d->at += more;
	d->moved += more;
	// Never beyond the time that it is.
	if (is_planned(d) && planned(d) - 1 - doubt_of(d) > since_start(v, now))
		verify_fault(v, PG_VERIFY_GAPS, packet, VERIFY_GAP, 0,
			positive(since_start(v, now)), positive(planned(d)));
}

void
pg_verify_cut(struct pg_verify *verify, unsigned int n)
{
	struct verify *v = (struct verify *)verify;

	if (!v->due.known || v->due.unit == 1)
		return;
	seek(&v->due, v->hot.seen);
	v->due.size = n;
}

static long double
gap_of(const struct verify_due *d, uint32_t bytes)
{
	return d->by_bytes ? d->gap * (bytes + d->extra) : d->gap;
}

/** Gaps of the next packet before and after a change, and how many that are owed are given up. */
struct turn {
	long double now, before, after;
	uint64_t dropped;
};

// When the next packet is due, if it was due at `next`: those that are owed come before the one
// that is a new gap behind the last one, or due now.
static long double
next_after(const struct verify_due *d, const struct turn *t, long double next)
{
	long double owed = next < t->now + 1 ? ceill((t->now + 1 - next) / t->before) : 0, first;

	if (d->drawn && owed == 0) // what is left of an exponential gap is one too
		return t->now + (next - t->now) * (t->after / t->before);
	owed = ceill(owed / d->unit) * d->unit;
	first = next + t->before * (owed - d->unit) + t->after * d->unit;
	if (first < t->now + 1)
		first = t->now;
	return first - t->after * (owed - t->dropped);
}

// The same of a plan: where it is in doubt, a packet more or less may be owed.
static void
turn_plan(struct verify_due *d, const struct turn *t)
{
	long double next = planned(d), size = fabsl(next) + (t->before + t->after) * d->unit;
	long double doubt = doubt_of(d) + size * ROUNDING + (d->drawn ? 1 : 0); // whole cycles
	long double a = next_after(d, t, next - doubt), b = next_after(d, t, next + doubt);

	d->at = (a + b) / 2;
	d->doubt = 2 * doubt < t->before * d->unit ? fabsl(a - b) / 2 + 2 * doubt + 1 : INFINITY;
}

// The same without a gap before: one gap behind the last packet, or now.
static void
turn_on(struct verify *v, const struct turn *t, const struct pg_verify_gap *gap)
{
	struct verify_due *d = &v->due;
	long double next = RTE_MAX(d->at, since_start(v, v->hot.last)) + t->after * d->unit;

	if (!d->scheduled)
		next = t->now + first_of(d, gap);
	d->at = RTE_MAX(next, t->now);
	d->doubt = 1;
}

void
pg_verify_changed(struct pg_verify *verify, const struct pg_verify_change *change, uint64_t now,
	uint64_t dropped, uint32_t bytes)
{
	struct verify *v = (struct verify *)verify;
	struct verify_due *d = &v->due;
	struct turn t = {.now = since_start(v, now), .dropped = dropped};
	struct verify_due before;

	if (d->known)
		seek(d, v->hot.seen);
	else if (d->gap > 0)
		d->number += (v->hot.seen - d->first) / d->unit;
	note_event(d, v->hot.seen);
	before = *d;
	set_gap(v, &change->gap, change->ns_per_cycle);
	t.before = gap_of(&before, bytes);
	t.after = gap_of(d, bytes);
	if (before.gap == 0)
		turn_on(v, &t, &change->gap);
	else if (is_planned(&before))
		turn_plan(&before, &t);
	if (before.gap > 0) {
		d->at = before.at;
		d->doubt = is_planned(&before) ? before.doubt : INFINITY;
	}
	d->scheduled = true;
	d->first = v->hot.seen;
	d->size = d->unit;
	d->units = d->drift = d->own = 0;
	d->times = draw(d);
	d->bytes = d->by_bytes || before.by_bytes ? bytes : 0;
	d->changed = true;
}
