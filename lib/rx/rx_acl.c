/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules become rte_acl's tries: one for each family, over the five-tuple of struct rx_key. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>

#include "rx_acl.h"
#include "rx_ip.h"

/** Fields: the protocol, the words of both addresses, both ports. */
enum { WORDS4 = 1, WORDS6 = 4, FIELDS4 = 1 + 2 * WORDS4 + 2, FIELDS6 = 1 + 2 * WORDS6 + 2 };

RTE_ACL_RULE_DEF(acl_rule, FIELDS6);

static void
define(struct rte_acl_field_def *def, unsigned int field, uint8_t type, uint8_t size, uint8_t input,
	uint32_t offset)
{
	def[field] = (struct rte_acl_field_def){.type = type,
		.size = size,
		.field_index = (uint8_t)field,
		.input_index = input,
		.offset = offset};
}

// Both ports are the two halves of one input.
static void
define_fields(struct rte_acl_config *config, unsigned int words)
{
	struct rte_acl_field_def *def = config->defs;
	unsigned int f = 0;

	define(def, f++, RTE_ACL_FIELD_TYPE_BITMASK, 1, 0, offsetof(struct rx_key, proto));
	for (unsigned int i = 0; i < words; i++, f++)
		define(def, f, RTE_ACL_FIELD_TYPE_MASK, 4, (uint8_t)f,
			offsetof(struct rx_key, src) + 4 * i);
	for (unsigned int i = 0; i < words; i++, f++)
		define(def, f, RTE_ACL_FIELD_TYPE_MASK, 4, (uint8_t)f,
			offsetof(struct rx_key, dst) + 4 * i);
	define(def, f, RTE_ACL_FIELD_TYPE_RANGE, 2, (uint8_t)f, offsetof(struct rx_key, sport));
	define(def, f + 1, RTE_ACL_FIELD_TYPE_RANGE, 2, (uint8_t)f, offsetof(struct rx_key, dport));
	config->num_fields = f + 2;
	config->num_categories = 1;
}

static unsigned int
put_prefix(struct rte_acl_field *field, unsigned int words, const uint8_t *addr, uint8_t length)
{
	for (unsigned int i = 0; i < words; i++) {
		uint32_t bits = length > 32 * i ? RTE_MIN(length - 32 * i, 32u) : 0;
		rte_be32_t word;

		memcpy(&word, addr + 4 * i, sizeof(word));
		field[i].value.u32 = rte_be_to_cpu_32(word);
		field[i].mask_range.u32 = bits;
	}
	return words;
}

static int
add_rule(struct rte_acl_ctx *ctx, const struct rx_rule *rule, size_t index, unsigned int words)
{
	struct acl_rule acl;
	struct rte_acl_field *field = acl.field;

	memset(&acl, 0, sizeof(acl));
	acl.data.category_mask = 1;
	acl.data.priority = (int32_t)(RTE_ACL_MAX_PRIORITY - index);
	acl.data.userdata = (uint32_t)index + 1;
	field->value.u8 = rule->proto >= 0 ? (uint8_t)rule->proto : 0;
	field->mask_range.u8 = rule->proto >= 0 ? UINT8_MAX : 0;
	field++;
	field += put_prefix(field, words, rule->src.addr, rule->src.length);
	field += put_prefix(field, words, rule->dst.addr, rule->dst.length);
	field[0].value.u16 = rule->sport.lo;
	field[0].mask_range.u16 = rule->sport.hi;
	field[1].value.u16 = rule->dport.lo;
	field[1].mask_range.u16 = rule->dport.hi;
	return rte_acl_add_rules(ctx, (const struct rte_acl_rule *)&acl, 1);
}

// The rules that a family's packets can match. *out stays NULL where there is none.
static int
build(struct rte_acl_ctx **out, const struct rx_rules *rules, unsigned int words, int socket)
{
	static unsigned int number;
	char name[RTE_ACL_NAMESIZE];
	struct rte_acl_param param = {.name = name,
		.socket_id = socket,
		.rule_size = RTE_ACL_RULE_SZ(words == WORDS4 ? FIELDS4 : FIELDS6),
		.max_rule_num = (uint32_t)rules->n};
	struct rte_acl_config config;
	unsigned int version = words == WORDS4 ? 4 : 6, n = 0;
	int rc = 0;

	for (size_t i = 0; i < rules->n; i++)
		n += rules->rule[i].version == 0 || rules->rule[i].version == version;
	if (n == 0)
		return 0;
	snprintf(name, sizeof(name), "pg_acl_%u", number++);
	*out = rte_acl_create(&param);
	if (*out == NULL)
		return -rte_errno;
	for (size_t i = 0; rc == 0 && i < rules->n; i++) {
		if (rules->rule[i].version == 0 || rules->rule[i].version == version)
			rc = add_rule(*out, &rules->rule[i], i, words);
	}
	memset(&config, 0, sizeof(config));
	define_fields(&config, words);
	return rc == 0 ? rte_acl_build(*out, &config) : rc;
}

struct rx_acl *
rx_acl_create(const char *text, int socket, struct pg_error *err)
{
	struct rx_acl *acl = calloc(1, sizeof(*acl));
	int rc;

	if (acl == NULL) {
		pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
		return NULL;
	}
	if (rx_rules_read(text, &acl->rules, err) < 0) {
		free(acl);
		return NULL;
	}
	rc = build(&acl->ip4, &acl->rules, WORDS4, socket);
	if (rc == 0)
		rc = build(&acl->ip6, &acl->rules, WORDS6, socket);
	if (rc == 0)
		return acl;
	pg_error_set(err, PG_FAULT_ENV, -rc, "cannot compile %zu rules: %s", acl->rules.n,
		rte_strerror(-rc));
	pg_error_remedy(err, "reserve more memory with --memory, or write fewer");
	rx_acl_destroy(acl);
	return NULL;
}

void
rx_acl_destroy(struct rx_acl *acl)
{
	if (acl == NULL)
		return;
	rte_acl_free(acl->ip4);
	rte_acl_free(acl->ip6);
	rx_rules_fini(&acl->rules);
	free(acl);
}
