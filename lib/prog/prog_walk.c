/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's walk remembers, and its flows: the destination of a packet depends on all those
 * before it, so they are made one by one, in order (reference 7.6). Everything else that Linux
 * varies is a function of the packet's number and needs no operation of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prog_priv.h"

struct walk_flow {
	uint32_t daddr, count;
	bool seen;
};

// worker: rw while a run lasts; control: rw before and after.
struct pg_walk {
	struct walk_flow *table;
	uint32_t nflows;                          // of the table
	uint32_t flow;                            // the current one
	uint32_t daddr;                           // the current destination
	uint16_t ip_id;                           // of the next run's first packet
	bool again;                               // the next packet is the last one once more
	struct rte_ether_addr src_base, src_last; // as configured, as walked to
};

struct pg_walk *
pg_walk_create(void)
{
	struct pg_walk *walk = calloc(1, sizeof(*walk));

	if (walk != NULL && pg_walk_reserve(walk, 1) < 0) {
		free(walk);
		return NULL;
	}
	return walk;
}

void
pg_walk_destroy(struct pg_walk *walk)
{
	if (walk == NULL)
		return;
	free(walk->table);
	free(walk);
}

int
pg_walk_reserve(struct pg_walk *walk, uint32_t flows)
{
	struct walk_flow *table;

	if (flows <= walk->nflows)
		return 0;
	table = realloc(walk->table, flows * sizeof(*table));
	if (table == NULL)
		return -ENOMEM;
	memset(table + walk->nflows, 0, (flows - walk->nflows) * sizeof(*table));
	walk->table = table;
	walk->nflows = flows;
	return 0;
}

struct pg_walk *
pg_walk_copy(const struct pg_walk *walk)
{
	struct pg_walk *copy = malloc(sizeof(*copy));

	if (copy == NULL)
		return NULL;
	*copy = *walk;
	copy->table = malloc(walk->nflows * sizeof(copy->table[0]));
	if (copy->table == NULL) {
		free(copy);
		return NULL;
	}
	memcpy(copy->table, walk->table, walk->nflows * sizeof(copy->table[0]));
	return copy;
}

uint32_t
pg_walk_daddr(const struct pg_walk *walk)
{
	return walk->daddr;
}

void
pg_walk_source(const struct pg_walk *walk, struct rte_ether_addr *src_mac)
{
	if (rte_is_same_ether_addr(&walk->src_base, src_mac))
		*src_mac = walk->src_last;
}

uint16_t
prog_walk_id(const struct pg_walk *walk)
{
	return walk->ip_id;
}

void
prog_walk_begin(struct pg_walk *walk, uint32_t daddr)
{
	walk->daddr = daddr;
	walk->again = false;
}

void
prog_walk_again(struct pg_walk *walk)
{
	walk->again = true;
}

void
pg_walk_end(struct pg_walk *walk, const struct pg_prog *prog, uint64_t built)
{
	const struct pg_flow *flow = &prog->flow;
	const struct pg_range *src = &flow->field[PG_FIELD_MAC_SRC];

	if (built == 0)
		return;
	if (!prog->ip6)
		walk->ip_id += (uint16_t)built;
	if (flow->flows == 0) // the kernel counts such packets as flow 0's
		walk->table[0].count += (uint32_t)built;
	walk->src_base = walk->src_last = flow->src_mac;
	if (src->lo != src->hi) {
		uint32_t offset = pg_prog_field(prog, PG_FIELD_MAC_SRC, built - 1);
		uint64_t last = prog_mac_at(prog_mac(&flow->src_mac), offset);

		last = rte_cpu_to_be_64(last << 16);
		memcpy(&walk->src_last, &last, sizeof(walk->src_last));
	}
}

// Stay on a flow until it has its packets; the one that follows goes on from where it was.
static inline struct walk_flow *
pick_next(struct pg_walk *walk, const struct pg_flow *flow)
{
	struct walk_flow *current = &walk->table[walk->flow];

	if (current->count >= flow->flowlen) {
		current->count = 0;
		current->seen = false;
		if (++walk->flow >= flow->flows)
			walk->flow = 0;
	}
	return &walk->table[walk->flow];
}

// Any flow; one packet more than flowlen before it starts anew.
static inline struct walk_flow *
pick_random(struct pg_walk *walk, const struct pg_flow *flow, uint64_t random)
{
	struct walk_flow *current;

	walk->flow = (uint32_t)((unsigned __int128)random * flow->flows >> 64);
	current = &walk->table[walk->flow];
	if (current->count > flow->flowlen) {
		current->count = 0;
		current->seen = false;
	}
	return current;
}

static inline uint32_t
next_address(const struct prog_op *op, uint32_t daddr)
{
	daddr += op->shift;
	return daddr > op->n ? op->lo : daddr;
}

static inline uint32_t
random_address(const struct prog_op *op, uint64_t random)
{
	uint32_t daddr = op->lo + (uint32_t)((unsigned __int128)random * op->cycle >> 64);

	for (unsigned int s = 0; s < op->nskips; s++)
		daddr += daddr >= op->skip[s].from ? op->skip[s].length : 0;
	return daddr;
}

static __rte_always_inline void
walk_flows(const struct pg_prog *prog, const struct prog_op *op, struct pg_prog_state *state,
	unsigned int n, const bool in_order, const bool random)
{
	uint32_t *column = state->scratch->column[op->column];
	const struct pg_flow *flow = &prog->flow;
	struct pg_walk *walk = state->walk;
	unsigned int k = walk->again;

	column[0] = walk->daddr;
	walk->again = false;
	for (; k < n; k++) {
		uint64_t at = 2 * (state->index + k);
		struct walk_flow *f = in_order
					      ? pick_next(walk, flow)
					      : pick_random(walk, flow, pg_random_64(&op->key, at));

		if (!f->seen) {
			f->daddr = random ? random_address(op, pg_random_64(&op->key, at + 1))
					  : next_address(op, walk->daddr);
			f->seen = true;
			state->flows_started++;
		}
		f->count++;
		walk->daddr = column[k] = f->daddr;
	}
}

#define WALK(name, in_order, random)                                                 \
	void name(const struct pg_prog *prog, const struct prog_op *op,              \
		struct pg_prog_state *state, struct rte_mbuf **pkts, unsigned int n) \
	{                                                                            \
		(void)pkts;                                                          \
		walk_flows(prog, op, state, n, in_order, random);                    \
	}

WALK(prog_walk_seq, true, false)
WALK(prog_walk_seq_random, true, true)
WALK(prog_walk_any, false, false)
WALK(prog_walk_any_random, false, true)
