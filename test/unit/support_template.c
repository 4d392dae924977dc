/* SPDX-License-Identifier: BSD-3-Clause */
#include "support_template.h"

#include <rte_common.h>

#include "support.h"
#include "support_prog.h"

uint32_t
template_below(struct template_case *c, uint32_t n)
{
	return (uint32_t)((support_draw(&c->draws) >> 32) * n >> 32);
}

static bool
one_in(struct template_case *c, uint32_t n)
{
	return template_below(c, n) == 0;
}

static uint32_t
between(struct template_case *c, uint32_t lo, uint32_t hi)
{
	return lo + template_below(c, hi - lo + 1);
}

// The edges of 32 bits come as often as all other numbers.
static uint32_t
any_u32(struct template_case *c)
{
	static const uint32_t edges[] = {
		0, 1, 255, 256, 65535, 65536, 0x7fffffff, 0x80000000, UINT32_MAX - 1, UINT32_MAX};

	if (one_in(c, 2))
		return edges[template_below(c, DIM(edges))];
	return (uint32_t)support_draw(&c->draws) >> template_below(c, 32);
}

/** Append a command. */
static void __attribute__((format(printf, 2, 3)))
say(struct template_case *c, const char *format, ...)
{
	size_t used = strlen(c->commands);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(c->commands + used, sizeof(c->commands) - used, format, args);
	va_end(args);
	assert_true(n > 0 && used + (size_t)n + 1 < sizeof(c->commands));
	memcpy(c->commands + used + n, ";", 2);
}

// Most frames are short: packets are many then, and headers are what varies.
static uint32_t
any_size(struct template_case *c)
{
	if (one_in(c, 24))
		return between(c, PG_SIZE_MIN, TEMPLATE_FRAME_MAX);
	return between(c, PG_SIZE_MIN, one_in(c, 4) ? 1518 : 200);
}

static void
say_mix(struct template_case *c)
{
	uint32_t n = between(c, 1, one_in(c, 4) ? PG_PAIRS_MAX : 4);
	char list[400] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < n; i++)
		used += snprintf(list + used, sizeof(list) - used, " %u,%u", any_size(c),
			one_in(c, 4) ? RTE_MAX(any_u32(c), 1u) : between(c, 1, 12));
	say(c, "imix_weights%s", list);
}

static void
say_sizes(struct template_case *c)
{
	uint32_t lo = any_size(c);

	switch (template_below(c, 6)) {
	case 0:
		say(c, "pkt_size %u", lo);
		break;
	case 1:
		say(c, "min_pkt_size %u", lo);
		break;
	case 2: // the largest below the smallest too: no range then
		say(c, "min_pkt_size %u", lo);
		say(c, "max_pkt_size %u", any_size(c));
		break;
	case 3: // short cycles
		say(c, "min_pkt_size %u", lo);
		say(c, "max_pkt_size %u",
			RTE_MIN(lo + template_below(c, 20), (uint32_t)TEMPLATE_FRAME_MAX));
		break;
	case 4:
		say_mix(c);
		break;
	default: // unset: the headers alone
		break;
	}
}

static void
say_ip4(struct template_case *c, const char *name, bool *random)
{
	uint32_t lo = any_u32(c), hi = any_u32(c);

	if (one_in(c, 3))
		return;
	if (one_in(c, 2))
		hi = lo + template_below(c, 600); // may wrap: the largest below the smallest
	// A destination drawn from reserved addresses only is refused, and not the point here.
	if (strcmp(name, "dst") == 0 && lo < hi && pg_flow_allowed(lo, hi) == 0)
		lo = 0x7effffff, hi = 0x80000000;
	say(c, "%s_min %u.%u.%u.%u", name, lo >> 24, lo >> 16 & 255, lo >> 8 & 255, lo & 255);
	if (!one_in(c, 4))
		say(c, "%s_max %u.%u.%u.%u", name, hi >> 24, hi >> 16 & 255, hi >> 8 & 255,
			hi & 255);
	*random = one_in(c, 2);
}

static void
say_ip6_address(struct template_case *c, const char *name, const uint16_t group[8])
{
	say(c, "%s %x:%x:%x:%x:%x:%x:%x:%x", name, group[0], group[1], group[2], group[3], group[4],
		group[5], group[6], group[7]);
}

static bool
is_before(const uint16_t a[8], const uint16_t b[8])
{
	for (int i = 0; i < 8; i++) {
		if (a[i] != b[i])
			return a[i] < b[i];
	}
	return false;
}

// A range whose first groups are equal: from one address to all of them.
static void
say_ip6(struct template_case *c, const char *name)
{
	uint16_t lo[8], hi[8];
	uint32_t equal = template_below(c, 9);
	bool swap;
	char word[16];

	for (uint32_t i = 0; i < 8; i++) {
		lo[i] = (uint16_t)any_u32(c);
		hi[i] = i < equal ? lo[i] : (uint16_t)any_u32(c);
	}
	say_ip6_address(c, name, lo);
	if (one_in(c, 2))
		return;
	swap = is_before(hi, lo);
	snprintf(word, sizeof(word), "%s_min", name);
	say_ip6_address(c, word, swap ? hi : lo);
	snprintf(word, sizeof(word), "%s_max", name);
	say_ip6_address(c, word, swap ? lo : hi);
}

static void
say_addresses(struct template_case *c)
{
	bool random[2] = {false, false};

	say_ip4(c, "src", &random[0]);
	say_ip4(c, "dst", &random[1]);
	if (random[0])
		say(c, "flag IPSRC_RND");
	if (random[1])
		say(c, "flag IPDST_RND");
	if (one_in(c, 2))
		return;
	if (!one_in(c, 6))
		say_ip6(c, "src6");
	if (!one_in(c, 6))
		say_ip6(c, "dst6");
	if (one_in(c, 12))
		say(c, "flag !IPV6");
}

static void
say_ports(struct template_case *c)
{
	static const char *const names[] = {
		"udp_src_min", "udp_src_max", "udp_dst_min", "udp_dst_max"};

	for (size_t i = 0; i < DIM(names); i++) {
		if (!one_in(c, 3))
			say(c, "%s %u", names[i], any_u32(c) & 0xffff);
	}
}

static void
say_mac(struct template_case *c, const char *name)
{
	uint64_t mac = support_draw(&c->draws);

	if (one_in(c, 4))
		mac |= 0xffffff; // the count carries far
	if (!one_in(c, 4))
		say(c, "%s_mac %02x:%02x:%02x:%02x:%02x:%02x", name,
			(unsigned int)(mac >> 40) & 255, (unsigned int)(mac >> 32) & 255,
			(unsigned int)(mac >> 24) & 255, (unsigned int)(mac >> 16) & 255,
			(unsigned int)(mac >> 8) & 255, (unsigned int)mac & 255);
	if (one_in(c, 2))
		say(c, "%s_mac_count %u", name, one_in(c, 2) ? any_u32(c) : between(c, 0, 20));
}

static void
say_tags(struct template_case *c)
{
	uint32_t tags = template_below(c, 3);

	if (tags == 0)
		return;
	say(c, "vlan_id %u", template_below(c, PG_VLAN_OFF));
	say(c, "vlan_p %u", template_below(c, 8));
	say(c, "vlan_cfi %u", template_below(c, 2));
	if (tags == 1)
		return;
	say(c, "svlan_id %u", template_below(c, PG_VLAN_OFF));
	say(c, "svlan_p %u", template_below(c, 8));
	say(c, "svlan_cfi %u", template_below(c, 2));
}

// With the S bit set an entry is random, unless the flag is taken back.
static void
say_labels(struct template_case *c)
{
	uint32_t n = one_in(c, 4) ? between(c, 5, PG_MPLS_MAX) : between(c, 1, 4);
	char list[200] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t word = RTE_MAX(any_u32(c), 1u); // zero ends a list

		used += snprintf(
			list + used, sizeof(list) - used, "%s%08x", i > 0 ? "," : "", word);
	}
	say(c, "mpls %s", list);
	if (one_in(c, 6))
		say(c, "flag !MPLS_RND");
}

static void
say_flags(struct template_case *c)
{
	static const char *const names[] = {"TXSIZE_RND", "UDPSRC_RND", "UDPDST_RND", "UDPCSUM",
		"NO_TIMESTAMP", "MACSRC_RND", "MACDST_RND", "VID_RND", "SVID_RND", "FLOW_SEQ",
		"!SHARED"};

	for (size_t i = 0; i < DIM(names); i++) {
		if (one_in(c, 2))
			say(c, "flag %s", names[i]);
	}
}

static void
say_flows(struct template_case *c)
{
	if (!one_in(c, 4))
		return;
	say(c, "flows %u", one_in(c, 4) ? between(c, 1, PG_FLOWS_MAX) : between(c, 1, 40));
	say(c, "flowlen %u", one_in(c, 4) ? any_u32(c) : between(c, 0, 9));
}

// A stream is long; what happens where 16 and 32 bits of its number end is part of it.
static uint64_t
any_index(struct template_case *c)
{
	switch (template_below(c, 5)) {
	case 0:
		return 0;
	case 1:
		return 65536 - template_below(c, 200);
	case 2:
		return ((uint64_t)between(c, 1, 3) << 32) - template_below(c, 200);
	case 3:
		return UINT64_MAX - 2000 - template_below(c, 200);
	default:
		return RTE_MIN(support_draw_width(&c->draws), UINT64_MAX - 2000);
	}
}

void
template_draw(struct template_case *c, uint64_t number)
{
	memset(c, 0, sizeof(*c));
	// Numbers beside each other must not draw alike: spread them over 64 bits (2^64 / phi,
	// odd).
	c->draws = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	for (int i = 0; i < 8; i++)
		support_draw(&c->draws);
	say_sizes(c);
	say_addresses(c);
	say_ports(c);
	say_mac(c, "dst");
	say_mac(c, "src");
	say(c, "tos %02x", any_u32(c) & 255);
	say(c, "traffic_class %02x", any_u32(c) & 255);
	if (one_in(c, 2))
		say_tags(c);
	else if (one_in(c, 2))
		say_labels(c);
	say_flags(c);
	say_flows(c);
	c->flow = flow_make(c->commands);
	snprintf(c->stream, sizeof(c->stream), "net_null%u@%u", template_below(c, 4),
		template_below(c, 1000));
	c->seed = support_draw_width(&c->draws);
	c->copies = one_in(c, 2) ? 1 : one_in(c, 8) ? RTE_MAX(any_u32(c), 1u) : between(c, 2, 1000);
	c->first = any_index(c);
}
