/* SPDX-License-Identifier: BSD-3-Clause */
/* Flows. In sequence packet i belongs to flow i / flowlen. Else every block of flows * flowlen
 * packets has each of its flows flowlen times, in an order that is not known here: so packets are
 * counted by their addresses and ports. Flows that have the same ones make a multiple of flowlen.
 */
#include <errno.h>

#include <rte_malloc.h>

#include "verify_priv.h"

static bool
counts_values(const struct verify *v, const struct verify_var *var)
{
	return v->flow_walk == VERIFY_FLOWS_BLOCK && var->by_flow && var->walk == VERIFY_LINEAR;
}

// Values of a linear field that a block has.
static uint64_t
values_in_block(const struct verify *v, const struct verify_var *var)
{
	return RTE_MIN((uint64_t)var->values, v->flows);
}

int
verify_flow_tables(struct verify *v, int socket)
{
	uint32_t nslots = 2;

	if (v->flow_walk != VERIFY_FLOWS_BLOCK)
		return 0;
	while (nslots < 2 * v->flows)
		nslots *= 2;
	v->slots_mask = nslots - 1;
	v->slot = rte_zmalloc_socket("pg_verify", nslots * sizeof(v->slot[0]), 0, socket);
	if (v->slot == NULL)
		return -ENOMEM;
	for (int i = 0; i < VERIFY_VARS; i++) {
		struct verify_var *var = &v->var[i];

		if (!counts_values(v, var))
			continue;
		var->count = rte_zmalloc_socket(
			"pg_verify", values_in_block(v, var) * sizeof(var->count[0]), 0, socket);
		if (var->count == NULL)
			return -ENOMEM;
	}
	return 0;
}

// Of this block's flows 0 .. flows - 1 those with the value number r of a field in sequence.
static uint64_t
flows_with(const struct verify *v, const struct verify_var *var, uint64_t r)
{
	uint64_t values = (uint64_t)var->values;

	return values >= v->flows ? 1 : (v->flows - r - 1) / values + 1;
}

static void
fault(struct verify *v, const struct verify_at *at, uint8_t field, verify_wide expected,
	verify_wide found)
{
	verify_fault(v, PG_VERIFY_FLOWS, at->packet, field, expected, expected, found);
}

// The value's place among those that the block has: flow f of block b is flow b * flows + f.
static void
count_value(struct verify *v, struct verify_var *var, uint64_t block, const struct verify_at *at)
{
	uint64_t values = (uint64_t)var->values, r;

	r = ((uint64_t)verify_offset(var, var->value) % values + values -
		    (uint64_t)((verify_wide)block * v->flows % values)) %
	    values;
	if (r >= v->flows)
		verify_fault(v, PG_VERIFY_FLOWS, at->packet, var->field,
			var->base + (verify_wide)block * v->flows % values,
			var->base + ((verify_wide)block * v->flows + v->flows - 1) % values,
			var->value);
	else if (++var->count[r] > flows_with(v, var, r) * v->flowlen)
		fault(v, at, VERIFY_FLOW_PACKETS, flows_with(v, var, r) * v->flowlen,
			var->count[r]);
}

static uint64_t
mix(uint64_t key, uint64_t value)
{
	key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return key ^ key >> 29;
}

static struct verify_slot *
find_slot(struct verify *v, uint64_t key)
{
	uint32_t at = (uint32_t)(key >> 20) & v->slots_mask;

	while (v->slot[at].packets != 0 && v->slot[at].key != key)
		at = (at + 1) & v->slots_mask;
	return &v->slot[at];
}

// All of the block went by: each flow has all its packets.
static void
close_block(struct verify *v, const struct verify_at *at)
{
	for (uint32_t i = 0; i <= v->slots_mask; i++) {
		struct verify_slot *slot = &v->slot[i];
		uint64_t over = slot->packets % v->flowlen;

		if (v->block_whole && over != 0)
			fault(v, at, VERIFY_FLOW_PACKETS, slot->packets - over + v->flowlen,
				slot->packets);
		slot->packets = 0;
	}
	v->ndistinct = 0;
	for (int i = 0; i < VERIFY_VARS; i++) {
		struct verify_var *var = &v->var[i];

		for (uint64_t r = 0; var->count != NULL && r < values_in_block(v, var); r++) {
			uint64_t all = flows_with(v, var, r) * v->flowlen;

			if (v->block_whole && var->count[r] != all)
				fault(v, at, VERIFY_FLOW_PACKETS, all, var->count[r]);
			var->count[r] = 0;
		}
	}
}

// Where the last packet ends a block, it went by as a whole too.
void
verify_flow_end(struct verify *v)
{
	uint64_t index = v->part + v->built * v->parts;
	const struct verify_at at = {.packet = v->hot.seen - 1};

	if (v->flow_walk == VERIFY_FLOWS_BLOCK && v->flow_any &&
		(index + 1) % (v->flows * v->flowlen) == 0)
		close_block(v, &at);
}

static void
count_in_block(struct verify *v, const struct verify_at *at)
{
	uint64_t per_block = v->flows * v->flowlen, block = at->index / per_block, key = 0;
	struct verify_slot *slot;

	if (v->flow_any && block != v->flow)
		close_block(v, at);
	if (!v->flow_any || block != v->flow)
		v->block_whole = verify_whole(v, at->index, per_block);
	v->flow_any = true;
	v->flow = block;
	for (int i = 0; i < VERIFY_VARS; i++) {
		struct verify_var *var = &v->var[i];

		if (!var->by_flow)
			continue;
		key = mix(mix(key, (uint64_t)var->value), (uint64_t)(var->value >> 64));
		if (var->count != NULL)
			count_value(v, var, block, at);
	}
	slot = find_slot(v, key);
	if (slot->packets > 0) {
		slot->packets++;
		return;
	}
	if (v->ndistinct == v->flows) {
		fault(v, at, VERIFY_FLOW_COUNT, v->flows, v->flows + 1);
		return;
	}
	v->ndistinct++;
	slot->key = key;
	slot->packets = 1;
	for (int i = 0; i < VERIFY_VARS; i++) {
		if (v->var[i].by_flow && v->var[i].buckets != NULL)
			verify_draw(&v->var[i], v->var[i].value);
	}
}

static void
check_sequence(struct verify *v, const struct verify_at *at)
{
	uint64_t flow = at->index / v->flowlen;
	bool same = v->flow_any && flow == v->flow;

	for (int i = 0; i < VERIFY_VARS; i++) {
		struct verify_var *var = &v->var[i];
		uint64_t values = (uint64_t)var->values;

		if (!var->by_flow)
			continue;
		if (var->walk == VERIFY_LINEAR) {
			if (verify_offset(var, var->value) != flow % values)
				fault(v, at, var->field, var->base + flow % values, var->value);
		} else if (!same) {
			var->flow_value = var->value;
			if (var->buckets != NULL)
				verify_draw(var, var->value);
		} else if (var->value != var->flow_value) {
			fault(v, at, var->field, var->flow_value, var->value);
		}
	}
	v->flow = flow;
	v->flow_any = true;
}

void
verify_flow(struct verify *v, const struct verify_at *at)
{
	if (!at->fresh || v->flow_walk == VERIFY_FLOWS_NONE)
		return;
	if (v->flow_walk == VERIFY_FLOWS_SEQ)
		check_sequence(v, at);
	else if (v->flow_walk == VERIFY_FLOWS_BLOCK)
		count_in_block(v, at);
	else
		return;
	v->receipt.check[PG_VERIFY_FLOWS].packets++;
}
