/* SPDX-License-Identifier: BSD-3-Clause */
/* What a template allows, derived from the settings once more: reference 4, 6.1, 7 and 8, with
 * DESIGN 8's inclusive ranges. */
#include <errno.h>

#include <rte_common.h>
#include <rte_malloc.h>

#include "verify_priv.h"

#define MAC_TAIL_BITS 40 // the first byte never changes (reference 7.1)
#define TAG_IDS       4096
#define LABEL_VALUES  (1 << 20) // random bits of an MPLS entry (reference 8.1)

static uint64_t
mac_number(const struct rte_ether_addr *mac)
{
	uint64_t value = 0;

	for (int i = 0; i < RTE_ETHER_ADDR_LEN; i++)
		value = value << 8 | mac->addr_bytes[i];
	return value;
}

static verify_wide
ip6_number(const struct pg_ip6 *ip)
{
	verify_wide value = 0;

	for (size_t i = 0; i < sizeof(ip->bytes); i++)
		value = value << 8 | ip->bytes[i];
	return value;
}

// So many values from base on; 0: as many as there are with 128 bits.
static struct verify_var *
set_var(struct verify *v, unsigned int place, uint8_t field, enum pg_verify_check check,
	uint8_t bits, verify_wide base, verify_wide values, bool random)
{
	struct verify_var *var = &v->var[place];

	*var = (struct verify_var){.field = field,
		.check = check,
		.bits = bits,
		.base = base,
		.values = values,
		.walk = values == 1 ? VERIFY_CONSTANT
			: random    ? VERIFY_ANY
				    : VERIFY_LINEAR};
	// The last value, with the bits of the base that never change.
	var->last = base + verify_offset(var, base + values - 1);
	if (bits < 128)
		var->last = (base >> bits << bits) | (var->last & (((verify_wide)1 << bits) - 1));
	return var;
}

// A range as the user gave it: active if its ends are in order, else the first value alone.
static struct verify_var *
set_range(struct verify *v, unsigned int place, uint8_t field, enum pg_verify_check check,
	uint8_t bits, uint32_t lo, uint32_t hi, bool random, bool port)
{
	uint64_t values = lo < hi ? (uint64_t)hi - lo + 1 : 1;
	bool active = lo < hi;
	struct verify_var *var;

	// The kernel never draws the last value, nor does a port walk to it; walks begin at the
	// second value and, with an end of 2^32 - 1, never come back.
	if (v->as_linux && active && (random || port))
		values--;
	else if (v->as_linux && active && hi == UINT32_MAX)
		values = UINT64_C(1) << 32;
	var = set_var(v, place, field, check, bits, lo, values, random);
	var->ahead = v->as_linux && active && !random;
	return var;
}

static void
plan_macs(struct verify *v, const struct pg_verify_config *config)
{
	const struct pg_template *tmpl = config->tmpl;
	uint64_t src = mac_number(&tmpl->src_mac);

	if (src == 0 && tmpl->src_mac_count > 1)
		src = (uint64_t)config->port->mac.addr_bytes[0] << MAC_TAIL_BITS;
	else if (src == 0)
		src = mac_number(&config->port->mac);
	set_var(v, VERIFY_VAR_SRC_MAC, VERIFY_ETH_SRC, PG_VERIFY_ETHERNET, MAC_TAIL_BITS, src,
		RTE_MAX(tmpl->src_mac_count, 1u), tmpl->flags & PG_FLAG_MACSRC_RND);
	set_var(v, VERIFY_VAR_DST_MAC, VERIFY_ETH_DST, PG_VERIFY_ETHERNET, MAC_TAIL_BITS,
		mac_number(&tmpl->dst_mac), RTE_MAX(tmpl->dst_mac_count, 1u),
		tmpl->flags & PG_FLAG_MACDST_RND);
	// A source that is no longer walked stays where the kernel's walk came to.
	v->learn_src_mac =
		v->as_linux && tmpl->src_mac_count <= 1 && mac_number(&tmpl->src_mac) != 0;
}

static void
plan_tags(struct verify *v, const struct pg_template *tmpl)
{
	v->vlan = tmpl->vlan;
	v->svlan = tmpl->svlan;
	v->mpls = tmpl->mpls;
	if (tmpl->flags & PG_FLAG_VID_RND)
		set_var(v, VERIFY_VAR_VLAN, VERIFY_VLAN_ID, PG_VERIFY_TAGS, 16, 0, TAG_IDS, true);
	else
		set_var(v, VERIFY_VAR_VLAN, VERIFY_VLAN_ID, PG_VERIFY_TAGS, 16, tmpl->vlan.id, 1,
			false);
	if (tmpl->flags & PG_FLAG_SVID_RND)
		set_var(v, VERIFY_VAR_SVLAN, VERIFY_SVLAN_ID, PG_VERIFY_TAGS, 16, 0, TAG_IDS, true);
	else
		set_var(v, VERIFY_VAR_SVLAN, VERIFY_SVLAN_ID, PG_VERIFY_TAGS, 16, tmpl->svlan.id, 1,
			false);
	// The bottom of the stack is marked by the S bit (RFC 3032); in a setting it means random.
	for (uint32_t i = 0; i < tmpl->mpls.count; i++) {
		uint32_t word = tmpl->mpls.word[i];
		bool random = (tmpl->flags & PG_FLAG_MPLS_RND) && (word & PG_MPLS_S);

		set_var(v, VERIFY_VAR_MPLS + i, VERIFY_MPLS + i, PG_VERIFY_TAGS, 32,
			random ? 0 : word & ~(uint32_t)PG_MPLS_S, random ? LABEL_VALUES : 1,
			random);
	}
}

static void
plan_ip6(struct verify *v, unsigned int place, uint8_t field, const struct pg_ip6 *one,
	const struct pg_ip6 *lo, const struct pg_ip6 *hi, bool masked)
{
	verify_wide first = ip6_number(lo), last = ip6_number(hi);
	struct verify_var *var;

	if (first == 0) {
		set_var(v, place, field, PG_VERIFY_IP, 128, ip6_number(one), 1, false);
		return;
	}
	var = set_var(v, place, field, PG_VERIFY_IP, 128, first, last - first + 1, true);
	var->masked = masked;
	if (masked) {
		var->walk = VERIFY_ANY;
		var->last = last;
	}
}

static void
plan_ip(struct verify *v, const struct pg_verify_config *config)
{
	const struct pg_template *tmpl = config->tmpl;
	const struct pg_flow_port *port = config->port;
	bool random = (tmpl->flags & PG_FLAG_IPDST_RND) != 0;
	struct verify_var *dst;

	v->tos = tmpl->tos;
	v->traffic_class = tmpl->traffic_class;
	if (v->ip6) {
		plan_ip6(v, VERIFY_VAR_SRC, VERIFY_IP6_SRC,
			ip6_number(&tmpl->src6) == 0 ? &port->ip6 : &tmpl->src6, &tmpl->src6_min,
			&tmpl->src6_max, false);
		plan_ip6(v, VERIFY_VAR_DST, VERIFY_IP6_DST, &tmpl->dst6, &tmpl->dst6_min,
			&tmpl->dst6_max, v->as_linux);
		return;
	}
	// Without src_min the source is the interface's address.
	if (tmpl->src_min.text[0] == '\0')
		set_var(v, VERIFY_VAR_SRC, VERIFY_IP_SRC, PG_VERIFY_IP, 32, port->ip4, 1, false);
	else
		set_range(v, VERIFY_VAR_SRC, VERIFY_IP_SRC, PG_VERIFY_IP, 32, tmpl->src_min.addr,
			tmpl->src_max.addr, tmpl->flags & PG_FLAG_IPSRC_RND, false);
	dst = set_range(v, VERIFY_VAR_DST, VERIFY_IP_DST, PG_VERIFY_IP, 32, tmpl->dst_min.addr,
		tmpl->dst_max.addr, random, false);
	dst->skips = random && tmpl->dst_min.addr < tmpl->dst_max.addr;
	if (dst->skips) // one value left may be any: the first ones may be reserved
		dst->walk = VERIFY_ANY;
}

static void
plan_mix(struct verify *v, const struct pg_template *tmpl)
{
	for (uint32_t i = 0; i < tmpl->imix.count; i++) {
		uint32_t length = RTE_MAX(tmpl->imix.pair[i].size, v->frame_min), at = 0;

		while (at < v->nsizes && v->size[at].length != length)
			at++;
		v->nsizes += at == v->nsizes;
		v->size[at].length = length;
		v->size[at].weight += tmpl->imix.pair[i].weight;
		v->weights += tmpl->imix.pair[i].weight;
	}
}

// What is drawn below the headers' length is sent with that; how those draws fall is not seen.
static void
clamp_size(struct verify *v)
{
	struct verify_var *size = &v->var[VERIFY_VAR_SIZE];

	if (size->walk != VERIFY_ANY || size->base >= v->frame_min)
		return;
	v->size_clamped = size->last > v->frame_min;
	if (v->size_clamped)
		set_var(v, VERIFY_VAR_SIZE, VERIFY_FRAME_LENGTH, PG_VERIFY_LENGTHS, 32,
			v->frame_min + 1, size->last - v->frame_min, true);
	else
		set_var(v, VERIFY_VAR_SIZE, VERIFY_FRAME_LENGTH, PG_VERIFY_LENGTHS, 32,
			v->frame_min, 1, false);
	size->walk = v->size_clamped ? VERIFY_ANY : VERIFY_CONSTANT;
}

static void
plan_sizes(struct verify *v, const struct pg_template *tmpl)
{
	uint32_t tags =
		tmpl->mpls.count + (tmpl->vlan.id != PG_VLAN_OFF) + (tmpl->svlan.id != PG_VLAN_OFF);
	uint32_t plain = v->ip6 ? 14 + 40 + 8 + PG_PAYLOAD_BYTES : 14 + 20 + 8 + PG_PAYLOAD_BYTES;

	v->frame_min = plain + 4 * tags;
	v->frags = RTE_MIN(tmpl->frags, (uint32_t)PG_FRAGS_MAX);
	v->priority = tmpl->skb_priority;
	set_range(v, VERIFY_VAR_SIZE, VERIFY_FRAME_LENGTH, PG_VERIFY_LENGTHS, 32,
		tmpl->min_size != 0 ? tmpl->min_size : plain, tmpl->max_size,
		tmpl->flags & PG_FLAG_TXSIZE_RND, false);
	if (tmpl->min_size >= tmpl->max_size)
		plan_mix(v, tmpl);
	clamp_size(v);
}

static void
plan_ports(struct verify *v, const struct pg_template *tmpl)
{
	set_range(v, VERIFY_VAR_UDP_SRC, VERIFY_UDP_SRC, PG_VERIFY_UDP, 16, tmpl->udp_src_min,
		tmpl->udp_src_max, tmpl->flags & PG_FLAG_UDPSRC_RND, true);
	set_range(v, VERIFY_VAR_UDP_DST, VERIFY_UDP_DST, PG_VERIFY_UDP, 16, tmpl->udp_dst_min,
		tmpl->udp_dst_max, tmpl->flags & PG_FLAG_UDPDST_RND, true);
}

// Addresses and ports are the flow's.
static void
plan_flows(struct verify *v, const struct pg_template *tmpl)
{
	v->flows = tmpl->flows;
	v->flowlen = RTE_MAX(tmpl->flowlen, 1u);
	if (v->flows == 0)
		return;
	if (v->as_linux) {
		v->flow_walk = v->ip6 ? VERIFY_FLOWS_NONE : VERIFY_FLOWS_LINUX;
		return;
	}
	if (tmpl->flags & PG_FLAG_FLOW_SEQ)
		v->flow_walk = VERIFY_FLOWS_SEQ;
	else
		v->flow_walk = v->every == 1 ? VERIFY_FLOWS_BLOCK : VERIFY_FLOWS_PART;
	for (int i = VERIFY_VAR_SRC; i <= VERIFY_VAR_UDP_DST; i++)
		v->var[i].by_flow = v->var[i].walk != VERIFY_CONSTANT;
}

static void
plan_due(struct verify *v, const struct pg_verify_config *config)
{
	v->speed_mbps = config->speed_mbps;
	v->stamped_due = config->rate.kind != PG_RATE_NONE;
	v->due = (struct verify_due){.sparse = v->every > 1,
		.unit = RTE_MAX(config->unit, 1u),
		.scheduled = config->rate.kind != PG_RATE_NONE,
		.drawn = config->drawn != NULL};
	if (config->drawn != NULL)
		v->due.key = *config->drawn;
	pg_verify_gap(&v->hot, &config->rate, config->delay_ns, &v->asked);
}

// A field that the frame does not have is never drawn.
static bool
is_there(const struct verify *v, unsigned int place)
{
	if (place == VERIFY_VAR_VLAN)
		return v->vlan.id != PG_VLAN_OFF;
	if (place == VERIFY_VAR_SVLAN)
		return v->svlan.id != PG_VLAN_OFF;
	if (place == VERIFY_VAR_SIZE)
		return v->nsizes == 0;
	if (place == VERIFY_VAR_DST && v->flow_walk == VERIFY_FLOWS_LINUX)
		return false;
	return place < VERIFY_VAR_MPLS || place < VERIFY_VAR_MPLS + v->mpls.count;
}

// Of a flow's fields a draw is told from a repetition only if flows are known.
static bool
is_drawn(const struct verify *v, unsigned int place)
{
	const struct verify_var *var = &v->var[place];

	return var->walk == VERIFY_ANY && is_there(v, place) && !var->masked &&
	       !(var->by_flow && v->flow_walk == VERIFY_FLOWS_PART);
}

int
verify_plan(struct verify *v, const struct pg_verify_config *config)
{
	const struct pg_template *tmpl = config->tmpl;

	v->every = config->every;
	v->copies = config->copies;
	v->part = config->part;
	v->parts = RTE_MAX(config->parts, 1u);
	v->count = config->count;
	v->begin = config->first;
	v->as_linux = config->port->as_linux;
	v->ip6 = (tmpl->flags & PG_FLAG_IPV6) != 0;
	v->udp_checksum = v->ip6 || (tmpl->flags & PG_FLAG_UDPCSUM); // RFC 8200, 8.1
	v->stamped = !(tmpl->flags & PG_FLAG_NO_TIMESTAMP);
	plan_macs(v, config);
	plan_tags(v, tmpl);
	plan_ip(v, config);
	plan_ports(v, tmpl);
	plan_sizes(v, tmpl);
	plan_flows(v, tmpl);
	plan_due(v, config);
	for (unsigned int i = 0; i < VERIFY_VARS; i++) {
		if (!is_drawn(v, i))
			continue;
		v->var[i].buckets = rte_zmalloc_socket(
			"pg_verify", sizeof(*v->var[i].buckets), 0, config->socket);
		if (v->var[i].buckets == NULL)
			return -ENOMEM;
	}
	return verify_flow_tables(v, config->socket);
}
