/* SPDX-License-Identifier: BSD-3-Clause */
/* Queue maps: which of its thread's queues on a port each packet of a device takes. */
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "tx_priv.h"

#define MAP_FIELD 0x1000 // the draw's key: no enum pg_field comes near it

uint16_t
tx_map_clamp(const struct pg_port *port, uint16_t queue)
{
	return port->max_txqs > 0 && queue >= port->max_txqs ? port->max_txqs - 1 : queue;
}

void
tx_map_plan(const struct pg_device *device, struct tx_map_plan *plan)
{
	const struct pg_template *tmpl = &device->settings.tmpl;
	const struct pg_engine *engine = device->thread->engine;
	const struct pg_port *port = device->port;
	uint16_t lo = tx_map_clamp(port, tmpl->queue_map_min);
	uint16_t hi = tx_map_clamp(port, tmpl->queue_map_max);
	uint16_t now = engine->compat == PG_COMPAT_LINUX ? device->current.queue_map : 0;

	*plan = (struct tx_map_plan){0};
	if (tmpl->flags & PG_FLAG_QUEUE_MAP_CPU)
		return;
	if (lo > hi) { // the current queue stays
		plan->lo = plan->hi = plan->start = tx_map_clamp(port, now);
		return;
	}
	plan->lo = plan->start = lo;
	plan->hi = hi;
	plan->random = (tmpl->flags & PG_FLAG_QUEUE_MAP_RND) != 0;
	plan->key = pg_key_make(engine->run.seed, device->name, MAP_FIELD);
	if (engine->compat == PG_COMPAT_LINUX && !plan->random)
		plan->start = now < hi ? now + 1 : lo;
}

static uint16_t
draw(const struct tx_map_plan *plan, uint64_t index)
{
	uint32_t a, b;

	pg_key_block(&plan->key, index, &a, &b);
	return plan->lo + ((uint64_t)pg_random_32(a, b, (uint32_t)index) *
					  (uint32_t)(plan->hi - plan->lo + 1) >>
				  32);
}

uint16_t
tx_map_queue(const struct tx_map_plan *plan, uint64_t index)
{
	uint64_t below = plan->start < plan->lo ? plan->lo - plan->start : 0;

	if (plan->random)
		return draw(plan, index);
	if (index < below)
		return plan->start + index;
	return plan->lo + (index - below + (below > 0 ? 0 : plan->start - plan->lo)) %
				  (uint64_t)(plan->hi - plan->lo + 1);
}

// Number the next n packets of the wire; every packet built is there `copies` times in a row.
static __rte_always_inline void
number(struct tx_map *map, unsigned int n, const bool random, const bool cloned)
{
	const uint16_t base = map->base, lo = map->plan.lo, hi = map->plan.hi;
	uint16_t next = map->next, now = map->now;

	for (unsigned int k = 0; k < n; k++) {
		if (!cloned || map->left == 0) {
			now = random ? draw(&map->plan, map->index++) : next;
			next = now == hi ? lo : now + 1;
			map->left = map->copies;
		}
		if (cloned)
			map->left--;
		map->line_of[k] = now - base;
	}
	map->next = next;
	map->now = now;
}

static void
number_in_order(struct tx_map *map, unsigned int n)
{
	number(map, n, false, false);
}

static void
number_in_order_cloned(struct tx_map *map, unsigned int n)
{
	number(map, n, false, true);
}

static void
number_random(struct tx_map *map, unsigned int n)
{
	number(map, n, true, false);
}

static void
number_random_cloned(struct tx_map *map, unsigned int n)
{
	number(map, n, true, true);
}

struct tx_map *
tx_map_create(const struct tx_map_plan *plan, uint32_t burst, uint32_t copies, int socket)
{
	const uint16_t base = RTE_MIN(plan->lo, plan->start), nlines = plan->hi - base + 1;
	struct tx_map *map;
	struct rte_mbuf **pkts;

	map = rte_zmalloc_socket("pg_map",
		sizeof(*map) + nlines * (sizeof(map->line[0]) + 2 * burst * sizeof(pkts[0])),
		RTE_CACHE_LINE_SIZE, socket);
	if (map == NULL)
		return NULL;
	if (plan->random)
		map->number = copies > 1 ? number_random_cloned : number_random;
	else
		map->number = copies > 1 ? number_in_order_cloned : number_in_order;
	map->plan = *plan;
	map->base = base;
	map->nlines = nlines;
	map->next = plan->start;
	map->copies = copies;
	map->room = burst;
	pkts = (struct rte_mbuf **)&map->line[nlines];
	for (uint16_t i = 0; i < nlines; i++)
		map->line[i].pkts = pkts + 2 * (size_t)burst * i;
	return map;
}

void
tx_map_drop(struct tx_map *map, uint64_t *bytes)
{
	for (uint16_t i = 0; i < map->nlines; i++) {
		struct tx_line *line = &map->line[i];

		for (uint32_t k = 0; *bytes != 0 && k < line->npkts; k++)
			*bytes -= line->pkts[k]->pkt_len;
		rte_pktmbuf_free_bulk(line->pkts, line->npkts);
		line->npkts = 0;
	}
}
