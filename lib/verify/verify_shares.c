/* SPDX-License-Identifier: BSD-3-Clause */
/* How often values come: sizes of a mix, exactly in each cycle of its weights, and random fields by
 * 64 equal parts of their range and by their remainders modulo 64.
 *
 * A count of n draws with share p may be away from n * p by what Bernstein's inequality allows
 * ("Theory of Probability", 1946; Hoeffding, JASA 58, 1963, theorem 4: without replacement too):
 * P(|count - n p| >= t) <= 2 exp(-t^2 / (2 (n p (1 - p) + t / 3))). It holds for every n and p, so
 * no run is too short for it. X = 30 is 2 e^-30 = 1.9e-13 for each count; a receipt has less than
 * 4000 of them, so that a generator that is right is named less than once in 10^9 runs. */
#include <math.h>

#include "verify_priv.h"

#define X    30.0
#define EVEN (1.0 / 65536) // shares of a 32-bit draw that is scaled to a range are even to that

void
verify_draw(struct verify_var *var, verify_wide value)
{
	verify_wide offset = verify_offset(var, value), values = var->values;
	unsigned int shift = 0;

	var->buckets->draws++;
	var->buckets->low[offset % VERIFY_BUCKETS]++;
	// Cut both to 64 bits, so that the product below fits.
	while ((values - 1) >> shift >> 64 != 0)
		shift++;
	offset >>= shift;
	values = ((values - 1) >> shift) + 1;
	var->buckets->high[offset * VERIFY_BUCKETS / values]++;
}

// Offsets below `end` whose remainder is r (any if r is VERIFY_BUCKETS), in long double: enough for
// a share.
static long double
below(verify_wide end, unsigned int r)
{
	if (r == VERIFY_BUCKETS)
		return (long double)end;
	return end > r ? (long double)((end - r - 1) / VERIFY_BUCKETS + 1) : 0;
}

// Offsets from..to (inclusive) with remainder r whose addresses are not reserved.
static long double
allowed(const struct verify_var *var, verify_wide from, verify_wide to, unsigned int r)
{
	static const uint32_t reserved[][2] = {{0, 0}, {0x7f000000, 0x7fffffff},
		{0xe0000000, 0xefffffff}, {UINT32_MAX, UINT32_MAX}};
	long double n =
		below(to, r) + (to % VERIFY_BUCKETS == r || r == VERIFY_BUCKETS) - below(from, r);

	for (size_t i = 0; var->skips && i < RTE_DIM(reserved); i++) {
		verify_wide lo = RTE_MAX((verify_wide)reserved[i][0], var->base + from);
		verify_wide hi = RTE_MIN((verify_wide)reserved[i][1], var->base + to);

		if (lo <= hi)
			n -= below(hi - var->base + 1, r) - below(lo - var->base, r);
	}
	return n;
}

static bool
plausible(uint64_t count, uint64_t draws, long double share, double *slack)
{
	double n = (double)draws, p = (double)share;

	*slack = X / 3 + sqrt(X * X / 9 + 2 * X * n * p * (1 - p)) + n * p * EVEN;
	return fabs((double)count - n * p) <= *slack;
}

static void
judge(struct verify *v, enum pg_verify_check check, uint8_t field, uint64_t count, uint64_t draws,
	long double share)
{
	double slack, mean = (double)draws * (double)share;
	bool good = plausible(count, draws, share, &slack);

	if (!good)
		verify_fault(v, check, v->hot.seen - 1, field,
			(uint64_t)ceil(mean > slack ? mean - slack : 0), (uint64_t)(mean + slack),
			count);
}

// The offsets that verify_draw() puts into part b of the range: from the first to the last.
static void
part_of(const struct verify_var *var, unsigned int b, verify_wide *from, verify_wide *to)
{
	verify_wide most = var->values - 1, cut;
	unsigned int shift = 0;

	while (most >> shift >> 64 != 0)
		shift++;
	cut = (most >> shift) + 1;
	*from = (b * cut + VERIFY_BUCKETS - 1) / VERIFY_BUCKETS << shift;
	*to = ((b + 1) * cut + VERIFY_BUCKETS - 1) / VERIFY_BUCKETS << shift;
	*to = b + 1 == VERIFY_BUCKETS ? most : *to - 1;
}

static void
judge_var(struct verify *v, const struct verify_var *var)
{
	const struct verify_buckets *buckets = var->buckets;
	long double all = allowed(var, 0, var->values - 1, VERIFY_BUCKETS);

	for (unsigned int b = 0; b < VERIFY_BUCKETS; b++) {
		verify_wide from, to;

		part_of(var, b, &from, &to);
		judge(v, PG_VERIFY_RANDOM, var->field, buckets->high[b], buckets->draws,
			from <= to ? allowed(var, from, to, VERIFY_BUCKETS) / all : 0);
		judge(v, PG_VERIFY_RANDOM, var->field, buckets->low[b], buckets->draws,
			allowed(var, 0, var->values - 1, b) / all);
	}
	v->receipt.check[PG_VERIFY_RANDOM].packets += buckets->draws;
}

static void
close_cycle(struct verify *v, const struct verify_at *at)
{
	for (uint32_t i = 0; i < v->nsizes; i++) {
		struct verify_size *size = &v->size[i];

		if (v->cycle_whole && size->in_cycle != size->weight)
			verify_fault(v, PG_VERIFY_SHARES, at->packet, VERIFY_SHARE, size->weight,
				size->weight, size->in_cycle);
		size->in_cycle = 0;
	}
}

void
verify_size(struct verify *v, uint32_t length, const struct verify_at *at)
{
	uint64_t cycle = at->index / v->weights;
	struct verify_size *size = v->size;

	while (size < v->size + v->nsizes && size->length != length)
		size++;
	if (size == v->size + v->nsizes) {
		verify_fault(v, PG_VERIFY_LENGTHS, at->packet, VERIFY_FRAME_LENGTH,
			v->size[0].length, v->size[0].length, length);
		return;
	}
	if (!at->fresh)
		return;
	v->receipt.check[PG_VERIFY_SHARES].packets++;
	size->all++;
	if (v->every > 1)
		return;
	if (v->any && cycle != v->cycle)
		close_cycle(v, at);
	if (!v->any || cycle != v->cycle)
		v->cycle_whole = verify_whole(v, at->index, v->weights);
	v->cycle = cycle;
	if (++size->in_cycle > size->weight)
		verify_fault(v, PG_VERIFY_SHARES, at->packet, VERIFY_SHARE, 0, size->weight,
			size->in_cycle);
}

void
verify_shares(struct verify *v)
{
	uint64_t all = v->receipt.check[PG_VERIFY_SHARES].packets;

	for (uint32_t i = 0; i < v->nsizes; i++)
		judge(v, PG_VERIFY_SHARES, VERIFY_SHARE, v->size[i].all, all,
			(long double)v->size[i].weight / v->weights);
	for (int i = 0; i < VERIFY_VARS; i++) {
		if (v->var[i].buckets != NULL)
			judge_var(v, &v->var[i]);
	}
}
