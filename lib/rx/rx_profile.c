/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of a graph counted, for a device. */
#include <errno.h>
#include <stdlib.h>

#include "pg_hist.h"
#include "rx_priv.h"

#define PARTS 64 // of a cycle, that a histogram tells apart

const char *
rx_reason(const char *node)
{
	const char *const ends[] = {RX_DROP_FOR(""), RX_END_FOR("")};

	for (size_t i = 0; i < RTE_DIM(ends); i++) {
		if (strncmp(node, ends[i], strlen(ends[i])) == 0)
			return node + strlen(ends[i]);
	}
	return NULL;
}

struct pg_rx_counter_name *
rx_counters_add(struct rx_slot *slot, unsigned int n)
{
	struct pg_rx_graph *rx = slot->rx;
	struct pg_rx_counter_name *names =
		realloc(rx->counter_name, (rx->ncounters + n) * sizeof(*names));

	if (names == NULL)
		return NULL;
	for (unsigned int i = rx->ncounters; i < rx->ncounters + n; i++)
		names[i] = (struct pg_rx_counter_name){.protocol = -1};
	rx->counter_name = names;
	slot->counter = rx->ncounters;
	rx->ncounters += n;
	return names + slot->counter;
}

static bool
is_drop(const char *name)
{
	return strncmp(name, RX_DROP_FOR(""), sizeof(RX_DROP_FOR("")) - 1) == 0 ||
	       strcmp(name, "pg_drop") == 0;
}

// The node's own name goes with its graph; that of its kind stays.
const char *
rx_node_label(const struct rte_node *node)
{
	const char *name = rte_node_id_to_name(node->id), *reason = rx_reason(name);

	if (reason != NULL)
		return reason;
	if (strncmp(name, RX_USER, strlen(RX_USER)) == 0)
		return name + strlen(RX_USER);
	return is_drop(name) ? "end of the chain" : name + strlen("pg_");
}

// Counters have lines of their own: two devices' workers write to them.
static int
copy_counters(const struct pg_rx_graph *rx, struct pg_rx_profile *profile)
{
	size_t names = rx->ncounters * sizeof(rx->counter_name[0]);
	size_t bytes = RTE_ALIGN_CEIL(rx->ncounters * sizeof(uint64_t), RTE_CACHE_LINE_SIZE);

	if (rx->ncounters == 0)
		return 0;
	profile->counter_name = malloc(names);
	profile->counter = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
	if (profile->counter_name == NULL || profile->counter == NULL)
		return -ENOMEM;
	memcpy(profile->counter_name, rx->counter_name, names);
	memset(profile->counter, 0, bytes);
	profile->ncounters = rx->ncounters;
	return 0;
}

bool
pg_rx_profile_protocols(const struct pg_rx_profile *profile, uint64_t *drops)
{
	bool any = false;

	for (unsigned int i = 0; i < profile->ncounters; i++) {
		int16_t protocol = profile->counter_name[i].protocol;

		if (protocol < 0)
			continue;
		drops[protocol] += __atomic_load_n(&profile->counter[i], __ATOMIC_RELAXED);
		any = true;
	}
	return any;
}

void
pg_rx_profile_fini(struct pg_rx_profile *profile)
{
	free(profile->counter_name);
	free(profile->counter);
	free(profile->verified);
	free(profile->spread);
	memset(profile, 0, sizeof(*profile));
}

// They have lines of their own, as counters do.
static int
make_spread(struct pg_rx_profile *profile)
{
	size_t bytes = RTE_ALIGN_CEIL(
		profile->nnodes * sizeof(profile->spread[0]), (size_t)RTE_CACHE_LINE_SIZE);

	profile->spread = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
	if (profile->spread == NULL)
		return -ENOMEM;
	memset(profile->spread, 0, bytes);
	return 0;
}

int
pg_rx_profile_begin(struct pg_rx_graph *rx, struct pg_rx_profile *profile)
{
	int rc;

	pg_rx_profile_collect(rx, profile);
	pg_rx_profile_fini(profile);
	rc = copy_counters(rx, profile);
	rx->counters = profile->counter;
	profile->graph = rx->config.graph;
	profile->atomic = rx->config.counters == PG_RX_COUNTERS_ATOMIC;
	profile->nnodes = rx->nnodes;
	for (unsigned int i = 0; i < rx->nnodes; i++)
		profile->node[i] = (struct pg_rx_node_count){.name = rx_node_label(rx->node[i]),
			.drop = is_drop(rte_node_id_to_name(rx->node[i]->id))};
	if (rc == 0)
		rc = make_spread(profile);
	if (rc == 0 && rx->verify != NULL) {
		profile->verified = calloc(1, sizeof(*profile->verified));
		rc = profile->verified != NULL ? 0 : -ENOMEM;
	}
	return rc;
}

uint64_t
pg_rx_inject_sampled(struct pg_rx_graph *rx, struct rte_mbuf **pkts, uint16_t n, uint64_t mac,
	struct pg_rx_profile *profile)
{
	uint64_t dropped;

	pg_rx_profile_collect(rx, profile);
	dropped = pg_rx_inject(rx, pkts, n, mac);
	for (unsigned int i = 0; i < rx->nnodes; i++) {
		uint64_t packets = rx->node[i]->total_objs - rx->seen[i].packets;
		uint64_t cycles = rx->node[i]->total_cycles - rx->seen[i].cycles;

		if (packets > 0)
			pg_hist_add(&profile->spread[i], cycles * PARTS / packets, 1);
	}
	return dropped;
}

void
pg_rx_profile_end(struct pg_rx_profile *profile)
{
	for (unsigned int i = 0; profile->spread != NULL && i < profile->nnodes; i++) {
		const struct pg_hist *spread = &profile->spread[i];
		struct pg_rx_node_count *node = &profile->node[i];

		node->sampled = pg_hist_total(spread);
		node->p50 = pg_hist_quantile(spread, 0.5) / PARTS;
		node->p99 = pg_hist_quantile(spread, 0.99) / PARTS;
		node->max = (double)spread->max / PARTS;
	}
	free(profile->spread);
	profile->spread = NULL;
}
