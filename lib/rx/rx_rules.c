/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of the node acl, from a line or a file. */
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "pg_rx.h"
#include "rx_routes.h"
#include "rx_rules.h"

#define RULE_BYTES 512
#define RULE_SHAPE                                                                                \
	"pass, drop, count or steer, then any of: proto P, src PREFIX, dst PREFIX, sport N[-N], " \
	"dport N[-N]"

static const char *const actions[] = {
	[RX_PASS] = "pass", [RX_REJECT] = "drop", [RX_COUNT] = "count", [RX_STEER] = "steer"};

static const struct {
	const char *name;
	int number;
} protocols[] = {{"udp", IPPROTO_UDP}, {"tcp", IPPROTO_TCP}, {"sctp", IPPROTO_SCTP},
	{"icmp", IPPROTO_ICMP}, {"icmp6", IPPROTO_ICMPV6}};

static int
action_of(const char *word)
{
	for (int i = 0; i < RX_ACTIONS; i++) {
		if (strcmp(actions[i], word) == 0)
			return i;
	}
	return -1;
}

static bool
read_number(const char *text, unsigned long most, unsigned long *value)
{
	char *end;

	*value = strtoul(text, &end, 10);
	return isdigit((unsigned char)text[0]) && *end == '\0' && *value <= most;
}

static bool
read_protocol(const char *text, struct rx_rule *rule)
{
	unsigned long number;

	for (size_t i = 0; i < RTE_DIM(protocols); i++) {
		if (strcmp(protocols[i].name, text) == 0) {
			rule->proto = protocols[i].number;
			return true;
		}
	}
	rule->proto = read_number(text, UINT8_MAX, &number) ? (int)number : -1;
	return rule->proto >= 0;
}

static bool
read_ports(char *text, uint16_t *lo, uint16_t *hi)
{
	char *dash = strchr(text, '-');
	unsigned long first, last;

	if (dash != NULL)
		*dash = '\0';
	if (!read_number(text, UINT16_MAX, &first) ||
		!read_number(dash != NULL ? dash + 1 : text, UINT16_MAX, &last) || first > last)
		return false;
	*lo = (uint16_t)first;
	*hi = (uint16_t)last;
	return true;
}

static bool
read_prefix(const char *text, struct rx_rule *rule, uint8_t *addr, uint8_t *length)
{
	uint8_t version;
	bool is_ip6;

	if (rx_prefix_parse(text, addr, length, &is_ip6) < 0)
		return false;
	version = is_ip6 ? 6 : 4;
	if (rule->version != 0 && rule->version != version)
		return false;
	rule->version = version;
	return true;
}

static bool
read_term(const char *word, char *argument, struct rx_rule *rule)
{
	if (argument == NULL)
		return false;
	if (strcmp(word, "proto") == 0)
		return read_protocol(argument, rule);
	if (strcmp(word, "src") == 0)
		return read_prefix(argument, rule, rule->src.addr, &rule->src.length);
	if (strcmp(word, "dst") == 0)
		return read_prefix(argument, rule, rule->dst.addr, &rule->dst.length);
	if (strcmp(word, "sport") == 0)
		return read_ports(argument, &rule->sport.lo, &rule->sport.hi);
	return strcmp(word, "dport") == 0 && read_ports(argument, &rule->dport.lo, &rule->dport.hi);
}

static int
refuse(struct pg_error *err, const char *what, const char *word)
{
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "%s '%.60s' in a rule", what, word);
	return pg_error_expect(err, RULE_SHAPE);
}

static int
add_rule(struct rx_rules *rules, const struct rx_rule *rule, struct pg_error *err)
{
	struct rx_rule *more = rules->rule;

	if (rules->n == RX_RULES_MAX)
		return pg_error_set(err, PG_FAULT_INPUT, E2BIG, "more than %d rules", RX_RULES_MAX);
	if ((rules->n & (rules->n - 1)) == 0) // a power of two is full
		more = realloc(more, RTE_MAX(2 * rules->n, 1u) * sizeof(*more));
	if (more == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	rules->rule = more;
	more[rules->n++] = *rule;
	return 0;
}

// One rule; an empty text is none.
static int
read_rule(char *text, struct rx_rules *rules, struct pg_error *err)
{
	static const char blanks[] = " \t\r\n";
	struct rx_rule rule = {.proto = -1, .sport = {0, UINT16_MAX}, .dport = {0, UINT16_MAX}};
	char *rest, *word = strtok_r(text, blanks, &rest);
	int action;

	if (word == NULL)
		return 0;
	action = action_of(word);
	if (action < 0)
		return refuse(err, "unknown action", word);
	rule.action = action;
	while ((word = strtok_r(NULL, blanks, &rest)) != NULL) {
		if (!read_term(word, strtok_r(NULL, blanks, &rest), &rule))
			return refuse(err, "nothing is meant by", word);
	}
	return add_rule(rules, &rule, err);
}

static int
read_line(const char *text, struct rx_rules *rules, struct pg_error *err)
{
	int rc = 0;

	while (rc == 0 && *text != '\0') {
		size_t length = strcspn(text, ";");
		char rule[RULE_BYTES];

		snprintf(rule, sizeof(rule), "%.*s", (int)length, text);
		rc = read_rule(rule, rules, err);
		text += length + (text[length] == ';');
	}
	return rc;
}

static int
read_file(const char *name, struct rx_rules *rules, struct pg_error *err)
{
	FILE *file = fopen(name, "re");
	char line[RULE_BYTES];
	int rc = 0;

	if (file == NULL)
		return pg_error_set(err, PG_FAULT_INPUT, errno, "cannot read the rules %s: %s",
			name, strerror(errno));
	for (unsigned int number = 1; rc == 0 && fgets(line, sizeof(line), file) != NULL;
		number++) {
		struct pg_error fault = {0};

		line[strcspn(line, "#\n")] = '\0';
		rc = read_rule(line, rules, &fault);
		if (rc == 0)
			continue;
		pg_error_set(err, fault.fault, fault.code, "%.120s:%u: %.120s", name, number,
			fault.text);
		pg_error_expect(err, "%s", fault.expected);
	}
	fclose(file);
	return rc;
}

// Rules begin with an action; everything else is the name of a file.
static bool
are_rules(const char *text)
{
	char word[8];

	return sscanf(text, " %7[^; \t]", word) == 1 && action_of(word) >= 0;
}

int
rx_rules_read(const char *text, struct rx_rules *rules, struct pg_error *err)
{
	int rc;

	memset(rules, 0, sizeof(*rules));
	if (text == NULL)
		return 0;
	rc = are_rules(text) ? read_line(text, rules, err) : read_file(text, rules, err);
	if (rc < 0)
		rx_rules_fini(rules);
	return rc;
}

int
pg_rx_rules_check(const char *text, struct pg_error *err)
{
	struct rx_rules rules;

	if (!are_rules(text))
		return 0;
	if (rx_rules_read(text, &rules, err) < 0)
		return -err->code;
	rx_rules_fini(&rules);
	return 0;
}

void
rx_rules_fini(struct rx_rules *rules)
{
	free(rules->rule);
	memset(rules, 0, sizeof(*rules));
}
