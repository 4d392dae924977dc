/* SPDX-License-Identifier: BSD-3-Clause */
/* What must become of a packet, told by the book: byte by byte, rule by rule, route by route. */
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rx_oracle.h"
#include "rx_program.h"
#include "rx_routes.h"
#include "rx_rules.h"

#define WORDS_MAX 16

struct rx_oracle {
	const char *word[WORDS_MAX];
	unsigned int n;
	struct rx_routes ip4, ip6;
	struct rx_rules rules;
	struct bpf_program filter;
	struct rx_oracle_steer steer;
	void *sockets; /**< tsearch() tree of struct rx_oracle_flow */
	uint64_t nsockets, sockets_max;
};

/** A packet on its way: what is left of it, and what is known. */
struct packet {
	const uint8_t *at;
	uint32_t length, whole;
	bool other_host, strange; /**< strange: `other` has it from below, it is no IP */
};

static uint32_t
number(const uint8_t *at)
{
	return at[0] * 256u + at[1];
}

static int
find(const struct rx_oracle *o, const char *word, unsigned int from)
{
	for (unsigned int i = from; i < o->n; i++) {
		if (strcmp(o->word[i], word) == 0)
			return (int)i;
	}
	return -1;
}

static bool
is_one_of(const char *word, const char *list)
{
	const char *found = strstr(list, word);

	return found != NULL && found[strlen(word)] == ' ';
}

static bool
covers(const uint8_t *prefix, unsigned int length, const uint8_t *addr)
{
	for (unsigned int bit = 0; bit < length; bit++) {
		if (((prefix[bit / 8] ^ addr[bit / 8]) >> (7 - bit % 8)) & 1)
			return false;
	}
	return true;
}

// Below, equal or above, by address and then by length, as routes are sorted.
static int
compare_route(const uint8_t *addr, unsigned int length, const struct rx_route *route)
{
	int order = memcmp(addr, route->addr, 16);

	return order != 0 ? order : (int)length - route->length;
}

static bool
is_route(const struct rx_routes *routes, const uint8_t *addr, unsigned int length)
{
	size_t lo = 0, hi = routes->n;

	while (lo < hi) {
		size_t middle = (lo + hi) / 2;
		int order = compare_route(addr, length, &routes->route[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			hi = middle;
		else
			lo = middle + 1;
	}
	return false;
}

// Is there a route of any length for the destination?
static bool
has_route(const struct rx_oracle *o, const struct packet *p)
{
	struct rx_oracle_flow flow;

	rx_oracle_read_flow(p->at, p->length, &flow);
	for (int length = flow.version == 4 ? 32 : 128; length >= 0; length--) {
		for (int bit = length; bit < 128; bit++)
			flow.dst[bit / 8] &= ~(1 << (7 - bit % 8));
		if (is_route(flow.version == 4 ? &o->ip4 : &o->ip6, flow.dst, length))
			return true;
	}
	return false;
}

static bool
matches(const struct rx_rule *rule, const struct rx_oracle_flow *flow)
{
	return (rule->version == 0 || rule->version == flow->version) &&
	       (rule->proto < 0 || rule->proto == flow->proto) &&
	       covers(rule->src.addr, rule->src.length, flow->src) &&
	       covers(rule->dst.addr, rule->dst.length, flow->dst) &&
	       rule->sport.lo <= flow->sport && flow->sport <= rule->sport.hi &&
	       rule->dport.lo <= flow->dport && flow->dport <= rule->dport.hi;
}

// Does it go to another thread?
static const char *
steered(const struct rx_oracle *o, const struct packet *p)
{
	return rx_oracle_lane(p->at, p->length, &o->steer) != o->steer.own ? "steered" : NULL;
}

static const char *
obey_rules(const struct rx_oracle *o, const struct packet *p)
{
	struct rx_oracle_flow flow;

	rx_oracle_read_flow(p->at, p->length, &flow);
	for (size_t i = 0; i < o->rules.n; i++) {
		if (!matches(&o->rules.rule[i], &flow))
			continue;
		if (o->rules.rule[i].action == RX_STEER)
			return steered(o, p);
		return o->rules.rule[i].action == RX_REJECT ? "acl: dropped" : NULL;
	}
	return NULL;
}

// libpcap's own machine runs it.
static bool
is_filtered(const struct rx_oracle *o, const struct packet *p)
{
	const struct pcap_pkthdr header = {.caplen = p->whole, .len = p->whole};

	return pcap_offline_filter(&o->filter, &header, p->at) == 0;
}

static int
compare_flows(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct rx_oracle_flow));
}

bool
rx_oracle_socket(struct rx_oracle *oracle, const struct rx_oracle_flow *flow)
{
	struct rx_oracle_flow *made;

	if (tfind(flow, &oracle->sockets, compare_flows) != NULL)
		return true;
	made = malloc(sizeof(*made));
	if (made != NULL) {
		memcpy(made, flow, sizeof(*flow)); // with the zeros between
		tsearch(made, &oracle->sockets, compare_flows);
	}
	return ++oracle->nsockets <= oracle->sockets_max;
}

bool
rx_oracle_full(const struct rx_oracle *oracle, const struct rx_oracle_flow *flow)
{
	return oracle->nsockets == oracle->sockets_max &&
	       tfind(flow, &oracle->sockets, compare_flows) == NULL;
}

static const char *
check_ip4(const struct packet *p)
{
	const uint8_t *ip = p->at + 14;
	uint32_t there = p->length - 14, header, sum = 0;

	if (p->other_host)
		return "ip4: wrong host";
	if (there < 20)
		return "ip4: short";
	header = ip[0] % 16 * 4;
	if (ip[0] / 16 != 4 || header < 20)
		return "ip4: bad version";
	if (there < header)
		return "ip4: short";
	for (uint32_t i = 0; i < header; i += 2)
		sum += number(ip + i);
	while (sum > 0xffff)
		sum = sum % 65536 + sum / 65536;
	if (sum != 0xffff)
		return "ip4: bad checksum";
	if (number(ip + 2) < header || number(ip + 2) > p->whole - 14)
		return "ip4: short";
	return ip[8] == 0 ? "ip4: ttl" : NULL;
}

static const char *
check_ip6(const struct packet *p)
{
	static const uint8_t one[16] = {[15] = 1};
	const uint8_t *ip = p->at + 14;

	if (p->other_host)
		return "ip6: wrong host";
	if (p->length < 14 + 40)
		return "ip6: short";
	if (ip[0] / 16 != 6)
		return "ip6: bad version";
	if (memcmp(ip + 8, one, 16) == 0 || memcmp(ip + 24, one, 16) == 0)
		return "ip6: loopback address";
	if (ip[24] == 0xff && ip[25] % 16 < 2)
		return "ip6: bad multicast scope";
	if (ip[8] == 0xff)
		return "ip6: bad source";
	if (14 + 40 + number(ip + 4) > p->whole)
		return "ip6: short";
	return ip[7] == 0 ? "ip6: hop limit" : NULL;
}

// Who takes a frame of this type next, behind place i? -1: nobody.
static int
next_by_type(const struct rx_oracle *o, unsigned int i, uint32_t type, struct packet *p)
{
	const char *name = type == 0x0800                     ? "ip4"
			   : type == 0x86dd                   ? "ip6"
			   : type == 0x8100 || type == 0x88a8 ? "vlan"
			   : type == 0x8847 || type == 0x8848 ? "mpls"
							      : "nobody";
	int to = find(o, name, i + 1);

	if (to >= 0)
		return to;
	if (find(o, "ip4", i + 1) < 0 && find(o, "ip6", i + 1) < 0) {
		for (unsigned int k = i + 1; k < o->n; k++) {
			if (!is_one_of(o->word[k], "vlan mpls "))
				return (int)k;
		}
	}
	p->strange = true;
	return type == 0x0800 || type == 0x86dd ? -1 : find(o, "other", i + 1);
}

static void
advance(struct packet *p, uint32_t n)
{
	p->at += n;
	p->length -= n;
	p->whole -= n;
}

static const char *
pop_tags(const struct rx_oracle *o, unsigned int i, struct packet *p, int *to)
{
	for (int tags = 0; tags < 2; tags++) {
		uint32_t type;

		if (p->length < 18)
			return "vlan: short";
		advance(p, 4);
		type = number(p->at + 12);
		if (type != 0x8100 && type != 0x88a8)
			break;
	}
	*to = next_by_type(o, i, number(p->at + 12), p);
	return *to < 0 ? "vlan: unknown type" : NULL;
}

static const char *
pop_labels(const struct rx_oracle *o, unsigned int i, struct packet *p, int *to)
{
	uint32_t n = 0;
	bool last = false;

	while (!last) {
		if (n == 16)
			return "mpls: too deep";
		if (14 + 4 * n + 4 > p->length)
			return "mpls: short";
		last = p->at[14 + 4 * n + 2] % 2 == 1;
		n++;
	}
	if (14 + 4 * n >= p->length)
		return "mpls: short";
	advance(p, 4 * n);
	*to = next_by_type(o, i,
		p->at[14] / 16 == 4   ? 0x0800
		: p->at[14] / 16 == 6 ? 0x86dd
				      : 0,
		p);
	return *to < 0 ? "mpls: unknown type" : NULL;
}

static const char *
other(const struct packet *p)
{
	struct rx_oracle_flow flow;

	if (p->strange)
		return number(p->at + 12) == 0x0806 ? "arp" : "other: unknown type";
	rx_oracle_read_flow(p->at, p->length, &flow);
	if (flow.proto == 6 || flow.proto == 17 || flow.proto == 132)
		return NULL;
	if (flow.proto == 1 && flow.version == 4)
		return "icmp";
	if (flow.proto == 58 && flow.version == 6)
		return "icmp6";
	return "other: unknown protocol";
}

static const char *
look_at_ethernet(
	const struct rx_oracle *o, unsigned int i, struct packet *p, const uint8_t *mac, int *to)
{
	if (p->length < 14)
		return "eth: short";
	p->other_host = p->at[0] % 2 == 0 && memcmp(p->at, mac, 6) != 0;
	*to = next_by_type(o, i, number(p->at + 12), p);
	return *to < 0 ? "eth: unknown type" : NULL;
}

// One word: where the packet ends, or NULL, and *to is the place that has it next.
static const char *
step(const struct rx_oracle *o, unsigned int i, struct packet *p, const uint8_t *mac,
	struct rx_oracle_flow *flow, int *to)
{
	const char *word = o->word[i];

	*to = (int)i + 1;
	if (strcmp(word, "eth") == 0)
		return look_at_ethernet(o, i, p, mac, to);
	if (strcmp(word, "vlan") == 0)
		return pop_tags(o, i, p, to);
	if (strcmp(word, "mpls") == 0)
		return pop_labels(o, i, p, to);
	if (strcmp(word, "ip4") == 0)
		return check_ip4(p);
	if (strcmp(word, "ip6") == 0)
		return check_ip6(p);
	if (strcmp(word, "other") == 0)
		return other(p);
	if (strcmp(word, "acl") == 0)
		return obey_rules(o, p);
	if (strcmp(word, "steer") == 0)
		return steered(o, p);
	if (strcmp(word, "fib") == 0)
		return has_route(o, p) ? NULL : "fib: no route";
	if (strcmp(word, "filter") == 0)
		return is_filtered(o, p) ? "filter: no match" : NULL;
	if (strcmp(word, "tap") == 0)
		return NULL;
	if (strcmp(word, "local") == 0) {
		rx_oracle_read_flow(p->at, p->length, flow);
		return flow->ports ? "socket" : "local: no ports";
	}
	if (strcmp(word, "xdp") == 0)
		return "xdp: drop";
	return strcmp(word, "drop") == 0 ? "end of the chain" : word;
}

const char *
rx_oracle_verdict(const struct rx_oracle *oracle, const uint8_t *frame, uint32_t length,
	uint32_t whole, const uint8_t *mac, struct rx_oracle_flow *flow)
{
	struct packet packet = {.at = frame, .length = length, .whole = whole};
	const char *end = oracle->steer.tail ? steered(oracle, &packet) : NULL;
	int at = 0;

	while (end == NULL) {
		int to;

		end = step(oracle, (unsigned int)at, &packet, mac, flow, &to);
		// Behind the checks of one family those of the other are passed by.
		while (end == NULL && is_one_of(oracle->word[at], "ip4 ip6 ") &&
			is_one_of(oracle->word[to], "ip4 ip6 "))
			to++;
		at = to;
	}
	return end;
}

void
rx_oracle_steer(struct rx_oracle *oracle, const struct rx_oracle_steer *steer)
{
	oracle->steer = *steer;
}

void
rx_oracle_begin(struct rx_oracle *oracle)
{
	tdestroy(oracle->sockets, free);
	oracle->sockets = NULL;
	oracle->nsockets = 0;
}

struct rx_oracle *
rx_oracle_create(const char *const *words, unsigned int n, const struct pg_rx_config *config,
	struct pg_error *err)
{
	struct rx_oracle *oracle = calloc(1, sizeof(*oracle));
	int rc;

	if (oracle == NULL) {
		pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
		return NULL;
	}
	memcpy(oracle->word, words, n * sizeof(words[0]));
	oracle->n = n;
	oracle->sockets_max = config->flows;
	rc = rx_rules_read(config->rules, &oracle->rules, err);
	if (rc == 0 && find(oracle, "fib", 0) >= 0)
		rc = rx_routes_read(config->routes, &oracle->ip4, &oracle->ip6, err);
	if (rc == 0)
		rc = rx_filter_compile(config->filter, &oracle->filter, err);
	if (rc == 0)
		return oracle;
	rx_oracle_destroy(oracle);
	return NULL;
}

void
rx_oracle_destroy(struct rx_oracle *oracle)
{
	if (oracle == NULL)
		return;
	rx_oracle_begin(oracle);
	rx_rules_fini(&oracle->rules);
	pcap_freecode(&oracle->filter);
	rx_routes_fini(&oracle->ip4);
	rx_routes_fini(&oracle->ip6);
	free(oracle);
}
