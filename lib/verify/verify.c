/* SPDX-License-Identifier: BSD-3-Clause */
/* A receipt's life: made at start, fed by the worker, judged at the end. */
#include <string.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

#include "pg_random.h"
#include "verify_priv.h"

struct pg_verify *
pg_verify_create(const struct pg_verify_config *config)
{
	struct verify *v =
		rte_zmalloc_socket("pg_verify", sizeof(*v), RTE_CACHE_LINE_SIZE, config->socket);

	if (v == NULL)
		return NULL;
	if (verify_plan(v, config) == 0)
		return &v->hot;
	pg_verify_destroy(&v->hot);
	return NULL;
}

void
pg_verify_destroy(struct pg_verify *verify)
{
	struct verify *v = (struct verify *)verify;

	if (v == NULL)
		return;
	for (int i = 0; i < VERIFY_VARS; i++) {
		rte_free(v->var[i].buckets);
		rte_free(v->var[i].count);
	}
	rte_free(v->slot);
	rte_free(v);
}

void
pg_verify_begin(struct pg_verify *verify, uint64_t cycles, uint64_t wall_ns, uint64_t ns_per_cycle,
	uint64_t stamp_ns_per_cycle)
{
	struct verify *v = (struct verify *)verify;

	v->wall_cycles = cycles;
	v->wall_ns = wall_ns;
	v->stamp_ns_per_cycle = stamp_ns_per_cycle;
	v->last_us = wall_ns / PG_NS_PER_US;
	v->hot.last = v->copy_due = cycles;
	verify_due_begin(v, ns_per_cycle);
}

static void
set_value(struct pg_verify_value *value, verify_wide wide)
{
	value->high = (uint64_t)(wide >> 64);
	value->low = (uint64_t)wide;
}

void
verify_fault(struct verify *v, enum pg_verify_check check, uint64_t packet, uint8_t field,
	verify_wide least, verify_wide most, verify_wide found)
{
	struct pg_receipt_check *c = &v->receipt.check[check];

	if (c->faults++ > 0)
		return;
	c->first.packet = packet;
	c->first.field = field;
	c->first.counts = check == PG_VERIFY_RANDOM;
	set_value(&c->first.least, least);
	set_value(&c->first.most, most);
	set_value(&c->first.found, found);
}

// One packet of each `every`, at a place that no period of a template follows.
static uint64_t
next_after(const struct verify *v, uint64_t packet)
{
	uint64_t block = packet / v->every + 1;

	return v->every == 1 ? packet + 1 : block * v->every + pg_mix64(block) % v->every;
}

void
pg_verify_read(
	struct pg_verify *verify, struct rte_mbuf *const *pkts, const uint64_t *due, unsigned int n)
{
	struct verify *v = (struct verify *)verify;
	uint64_t first = v->hot.seen, before = rte_rdtsc();

	while (v->hot.next - first < n) {
		struct verify_at at = {.packet = v->hot.next, .now = rte_rdtsc()};

		at.built = v->begin + at.packet / v->copies;
		at.index = v->part + at.built * v->parts;
		at.fresh = !v->any || at.built != v->built;
		at.due = due[at.packet - first];
		at.before = at.packet > first ? due[at.packet - first - 1] : v->hot.last;
		verify_packet(v, pkts[at.packet - first], &at);
		v->built = at.built;
		v->receipt.packets++;
		v->hot.next = next_after(v, at.packet);
	}
	v->receipt.cycles += rte_rdtsc() - before;
}

const struct pg_receipt *
pg_verify_end(struct pg_verify *verify, uint64_t sent, uint64_t unsent)
{
	struct verify *v = (struct verify *)verify;
	uint64_t asked = sent == v->count ? v->count : sent + unsent;
	struct pg_receipt_check *packets = &v->receipt.check[PG_VERIFY_PACKETS];

	packets->packets = v->hot.seen;
	packets->counted = true;
	if (v->hot.seen != asked)
		verify_fault(v, PG_VERIFY_PACKETS, v->hot.seen, VERIFY_PACKETS, asked, asked,
			v->hot.seen);
	verify_flow_end(v);
	verify_shares(v);
	for (int i = 0; i < PG_VERIFY_CHECKS; i++)
		v->receipt.check[i].counted |= v->receipt.check[i].packets > 0;
	v->receipt.every = v->every;
	if (sent > 0)
		v->receipt.cycles_per_packet = (double)v->receipt.cycles / (double)sent;
	return &v->receipt;
}

unsigned int
pg_receipt_checks(const struct pg_receipt *receipt)
{
	unsigned int n = 0;

	for (int i = 0; i < PG_VERIFY_CHECKS; i++)
		n += receipt->check[i].counted;
	return n;
}

unsigned int
pg_receipt_ok(const struct pg_receipt *receipt)
{
	unsigned int n = 0;

	for (int i = 0; i < PG_VERIFY_CHECKS; i++)
		n += receipt->check[i].counted && receipt->check[i].faults == 0;
	return n;
}

const struct pg_receipt_check *
pg_receipt_fault(const struct pg_receipt *receipt)
{
	const struct pg_receipt_check *found = NULL;

	for (int i = 0; i < PG_VERIFY_CHECKS; i++) {
		const struct pg_receipt_check *c = &receipt->check[i];

		if (c->faults > 0 && (found == NULL || c->first.packet < found->first.packet))
			found = c;
	}
	return found;
}
