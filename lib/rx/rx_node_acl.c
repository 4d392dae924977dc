/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rx_acl.h"
#include "rx_ip.h"
#include "rx_priv.h"

enum { NEXT_DROPPED };

/** What the node needs of a rule. */
struct verdict {
	rte_edge_t edge;
	uint32_t counter; /**< 0: of rules that do not count */
};

struct acl {
	struct rx_acl *rules;
	struct verdict verdict[]; /**< by result: 0 is no match */
};

static void
classify(const struct rte_acl_ctx *ctx, const uint8_t **keys, uint32_t *results, uint16_t n)
{
	if (ctx == NULL || n == 0)
		memset(results, 0, n * sizeof(results[0]));
	else
		rte_acl_classify(ctx, keys, results, n, 1);
}

// Keys of IPv4 are put at the front, those of IPv6 at the back, each family classified at once.
static uint16_t
acl(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nobjs)
{
	const struct rx_slot *slot = rx_slot(node);
	const struct acl *data = slot->data;
	uint64_t *counters = slot->rx->counters + slot->counter;
	struct rx_key key[PG_RX_BURST_MAX];
	const uint8_t *keys[PG_RX_BURST_MAX];
	uint16_t place[PG_RX_BURST_MAX], front = 0, back = nobjs;
	uint32_t result[PG_RX_BURST_MAX];
	rte_edge_t next[PG_RX_BURST_MAX], mixed = 0;

	for (uint16_t k = 0; k < nobjs; k++) {
		rx_key(objs[k], &key[k]);
		place[k] = key[k].version == 4 ? front++ : --back;
		keys[place[k]] = (const uint8_t *)&key[k];
	}
	classify(data->rules->ip4, keys, result, front);
	classify(data->rules->ip6, keys + front, result + front, nobjs - front);
	next[0] = NEXT_DROPPED;
	for (uint16_t k = 0; k < nobjs; k++) {
		const struct verdict *verdict = &data->verdict[result[place[k]]];

		next[k] = verdict->edge;
		counters[verdict->counter]++;
		mixed |= next[k] ^ next[0];
	}
	rx_forward(graph, node, objs, next, nobjs, mixed);
	return nobjs;
}

const struct rte_node_register rx_node_acl = {
	.name = "pg_acl",
	.process = acl,
	.parent_id = RTE_NODE_ID_INVALID,
	.nb_edges = 1,
	.next_nodes = {[NEXT_DROPPED] = RX_DROP_FOR("acl: dropped")},
};

// The first counter is of all packets that no counting rule matched, and has no name.
static int
name_counters(struct rx_slot *slot, struct acl *acl)
{
	const struct rx_rules *rules = &acl->rules->rules;
	struct pg_rx_counter_name *names;
	uint32_t n = 1;

	for (size_t i = 0; i < rules->n; i++) {
		if (rules->rule[i].action == RX_COUNT)
			acl->verdict[i + 1].counter = n++;
	}
	names = rx_counters_add(slot, n);
	if (names == NULL)
		return -ENOMEM;
	snprintf(names[0].text, sizeof(names[0].text), "%s", "");
	for (size_t i = 0; i < rules->n; i++) {
		if (rules->rule[i].action == RX_COUNT)
			snprintf(names[acl->verdict[i + 1].counter].text, sizeof(names[0].text),
				"acl: rule %zu", i + 1);
	}
	return 0;
}

int
rx_acl_open(struct rx_slot *slot, const struct rx_chain *chain, int socket, struct pg_error *err)
{
	struct rx_acl *rules = rx_acl_create(slot->rx->config.rules, socket, err);
	struct acl *acl;

	(void)chain;
	if (rules == NULL)
		return -err->code;
	acl = calloc(1, sizeof(*acl) + (rules->rules.n + 1) * sizeof(acl->verdict[0]));
	if (acl == NULL) {
		rx_acl_destroy(rules);
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	}
	acl->rules = rules;
	slot->data = acl;
	acl->verdict[0].edge = slot->next[0];
	for (size_t i = 0; i < rules->rules.n; i++) {
		enum rx_action action = rules->rules.rule[i].action;

		acl->verdict[i + 1].edge = action == RX_REJECT  ? NEXT_DROPPED
					   : action == RX_STEER ? rx_edge(RX_W_ACL, RX_W_STEER)
								: slot->next[0];
	}
	return name_counters(slot, acl) < 0
		       ? pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory")
		       : 0;
}

void
rx_acl_close(struct rx_slot *slot)
{
	struct acl *acl = slot->data;

	if (acl != NULL)
		rx_acl_destroy(acl->rules);
	free(acl);
}
