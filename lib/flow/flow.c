/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <rte_common.h>
#include <rte_ip.h>

#include "pg_flow.h"

const struct pg_range pg_flow_reserved[] = {
	{RTE_IPV4(0, 0, 0, 0), RTE_IPV4(0, 0, 0, 0), 0},
	{RTE_IPV4(127, 0, 0, 0), RTE_IPV4(127, 255, 255, 255), 0},
	{RTE_IPV4(224, 0, 0, 0), RTE_IPV4(239, 255, 255, 255), 0},
	{RTE_IPV4(255, 255, 255, 255), RTE_IPV4(255, 255, 255, 255), 0},
};
const size_t pg_flow_nreserved = RTE_DIM(pg_flow_reserved);

uint64_t
pg_flow_allowed(uint32_t lo, uint32_t hi)
{
	uint64_t n = (uint64_t)hi - lo + 1;

	for (size_t i = 0; i < pg_flow_nreserved; i++) {
		uint32_t from = RTE_MAX(lo, pg_flow_reserved[i].lo);
		uint32_t to = RTE_MIN(hi, pg_flow_reserved[i].hi);

		if (from <= to)
			n -= (uint64_t)to - from + 1;
	}
	return n;
}

static struct pg_range
range(uint32_t lo, uint32_t hi, uint32_t flags, uint32_t random_flag)
{
	return (struct pg_range){lo, RTE_MAX(lo, hi), lo < hi && (flags & random_flag) != 0};
}

// The kernel's walk of an active range: a random draw never takes the last value, nor does a port's
// sequence; sequences begin at the second value. `last` 2^32 - 1 is never passed, so addresses then
// go on at 0 (recorded, 19).
static void
walk_as_linux(struct pg_flow *flow, enum pg_field field, bool last_excluded)
{
	struct pg_range *r = &flow->field[field];

	if (r->lo == r->hi)
		return;
	if (!r->random) {
		flow->from_second |= 1u << field;
		if (r->hi == UINT32_MAX)
			flow->endless |= 1u << field;
	}
	if (r->random || last_excluded)
		r->hi--;
}

static void
ranges_as_linux(struct pg_flow *flow)
{
	flow->as_linux = true;
	walk_as_linux(flow, PG_FIELD_UDP_SRC, true);
	walk_as_linux(flow, PG_FIELD_UDP_DST, true);
	walk_as_linux(flow, PG_FIELD_IP_SRC, false);
	walk_as_linux(flow, PG_FIELD_IP_DST, false);
	walk_as_linux(flow, PG_FIELD_SIZE, false);
}

static int
resolve_size(const struct pg_template *tmpl, const struct pg_flow_port *port, struct pg_flow *flow,
	struct pg_error *err)
{
	// Unset: pktgen's smallest frame, reported without tags and labels (recorded, table 2).
	uint32_t unset = pg_template_frame_min(tmpl) - pg_template_overhead(tmpl);
	uint32_t lo = tmpl->min_size != 0 ? tmpl->min_size : unset;
	uint32_t longest = pg_template_frame_max(tmpl);

	if (tmpl->min_size >= tmpl->max_size)
		flow->imix = tmpl->imix;
	flow->flows = tmpl->flows;
	flow->flowlen = port->as_linux ? tmpl->flowlen : RTE_MAX(tmpl->flowlen, 1u);
	flow->field[PG_FIELD_SIZE] = range(lo, tmpl->max_size, tmpl->flags, PG_FLAG_TXSIZE_RND);
	if (longest > PG_SIZE_MAX) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"frames of %u bytes are longer than a buffer holds", longest);
		return pg_error_expect(err, "at most %u bytes", PG_SIZE_MAX);
	}
	if (longest > port->frame_max) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"frames of %u bytes are longer than %s carries", longest, port->name);
		return pg_error_expect(err, "at most %u bytes without FCS", port->frame_max);
	}
	return 0;
}

// Tags and labels; random ones are ranges like any other field.
static void
resolve_tags(const struct pg_template *tmpl, struct pg_flow *flow)
{
	flow->vlan = tmpl->vlan;
	flow->svlan = tmpl->svlan;
	flow->mpls = tmpl->mpls;
	if (tmpl->vlan.id != PG_VLAN_OFF)
		flow->field[PG_FIELD_VLAN] = tmpl->flags & PG_FLAG_VID_RND
						     ? (struct pg_range){0, 4095, 1}
						     : range(tmpl->vlan.id, 0, 0, 0);
	if (tmpl->svlan.id != PG_VLAN_OFF)
		flow->field[PG_FIELD_SVLAN] = tmpl->flags & PG_FLAG_SVID_RND
						      ? (struct pg_range){0, 4095, 1}
						      : range(tmpl->svlan.id, 0, 0, 0);
	for (uint32_t i = 0; i < tmpl->mpls.count; i++) {
		bool random = (tmpl->flags & PG_FLAG_MPLS_RND) && (tmpl->mpls.word[i] & PG_MPLS_S);

		// The whole low 20 bits of a random entry are drawn (reference 8.1).
		flow->field[PG_FIELD_MPLS + i] = random ? (struct pg_range){0, (1 << 20) - 1, 1}
							: (struct pg_range){0, 0, 0};
	}
}

static bool
is_unset(const struct pg_ip6 *ip)
{
	static const struct pg_ip6 unset;

	return memcmp(ip, &unset, sizeof(unset)) == 0;
}

// A range if its first address is set, else one address. masked: its ends are bits to set and to
// keep, in any order.
static int
resolve_ip6(const char *name, const struct pg_ip6 *one, const struct pg_ip6 *lo,
	const struct pg_ip6 *hi, bool masked, struct pg_range6 *range6, struct pg_error *err)
{
	int order = memcmp(lo, hi, sizeof(*lo));

	if (is_unset(lo)) {
		*range6 = (struct pg_range6){*one, *one, 0};
		return 0;
	}
	*range6 = (struct pg_range6){*lo, *hi, masked || order < 0};
	if (masked || order <= 0)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "%s_min lies behind %s_max", name, name);
	return pg_error_expect(err, "%s_max at or behind %s_min", name, name);
}

static int
resolve_ip6_both(const struct pg_template *tmpl, const struct pg_flow_port *port,
	struct pg_flow *flow, struct pg_error *err)
{
	const struct pg_ip6 *src = is_unset(&tmpl->src6) ? &port->ip6 : &tmpl->src6;
	int rc =
		resolve_ip6("src6", src, &tmpl->src6_min, &tmpl->src6_max, false, &flow->src6, err);

	return rc < 0 ? rc
		      : resolve_ip6("dst6", &tmpl->dst6, &tmpl->dst6_min, &tmpl->dst6_max,
				port->as_linux, &flow->dst6, err);
}

static struct pg_range
mac_range(uint32_t count, uint32_t flags, uint32_t random_flag)
{
	return range(0, count > 1 ? count - 1 : 0, flags, random_flag);
}

int
pg_flow_resolve(const struct pg_template *tmpl, const struct pg_flow_port *port,
	struct pg_flow *flow, struct pg_error *err)
{
	const uint32_t flags = tmpl->flags;
	const struct pg_range *dst = &flow->field[PG_FIELD_IP_DST];

	*flow = (struct pg_flow){
		.dst_mac = tmpl->dst_mac,
		.src_mac = tmpl->src_mac,
		.flags = flags,
		.frame_min = pg_template_frame_min(tmpl),
		.frags = RTE_MIN(tmpl->frags, (uint32_t)PG_FRAGS_MAX),
		.priority = tmpl->skb_priority,
		.tos = tmpl->tos,
		.traffic_class = tmpl->traffic_class,
	};
	// An unset source that is walked keeps the port's first byte only (reference 7.1).
	if (pg_mac_is_zero(&flow->src_mac) && tmpl->src_mac_count > 1)
		flow->src_mac.addr_bytes[0] = port->mac.addr_bytes[0];
	else if (pg_mac_is_zero(&flow->src_mac))
		flow->src_mac = port->mac;
	flow->field[PG_FIELD_MAC_SRC] = mac_range(tmpl->src_mac_count, flags, PG_FLAG_MACSRC_RND);
	flow->field[PG_FIELD_MAC_DST] = mac_range(tmpl->dst_mac_count, flags, PG_FLAG_MACDST_RND);
	resolve_tags(tmpl, flow);
	flow->field[PG_FIELD_UDP_SRC] =
		range(tmpl->udp_src_min, tmpl->udp_src_max, flags, PG_FLAG_UDPSRC_RND);
	flow->field[PG_FIELD_UDP_DST] =
		range(tmpl->udp_dst_min, tmpl->udp_dst_max, flags, PG_FLAG_UDPDST_RND);
	// Without src_min the source is the interface's address, and src_max has no effect.
	flow->field[PG_FIELD_IP_SRC] =
		tmpl->src_min.text[0] == '\0'
			? range(port->ip4, port->ip4, 0, 0)
			: range(tmpl->src_min.addr, tmpl->src_max.addr, flags, PG_FLAG_IPSRC_RND);
	flow->field[PG_FIELD_IP_DST] =
		range(tmpl->dst_min.addr, tmpl->dst_max.addr, flags, PG_FLAG_IPDST_RND);
	if (resolve_size(tmpl, port, flow, err) < 0)
		return -err->code;
	if (port->as_linux)
		ranges_as_linux(flow);
	if (!(flags & PG_FLAG_IPV6) && dst->random && pg_flow_allowed(dst->lo, dst->hi) == 0) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"every random destination from dst_min to dst_max is reserved");
		return pg_error_expect(err,
			"a range with addresses outside 0.0.0.0, 127/8, 224/4 and 255.255.255.255");
	}
	return flags & PG_FLAG_IPV6 ? resolve_ip6_both(tmpl, port, flow, err) : 0;
}
