/* SPDX-License-Identifier: BSD-3-Clause */
/* What start makes of MAC counts, tags, labels and IPv6: reference 6.1, 7.1, 7.4, 8.1 and 8.6. */
#include "support.h"

#include <errno.h>

#include "pg_flow.h"

static const struct pg_flow_port port = {
	.mac = {{0x06, 0x11, 0x22, 0x33, 0x44, 0x55}},
	.ip6 = {{0xfe, 0x80, [15] = 7}},
	.frame_max = 1514,
	.name = "eth0",
};

#define TEMPLATE(...)                                                      \
	{                                                                  \
		.vlan = {PG_VLAN_OFF}, .svlan = {PG_VLAN_OFF}, __VA_ARGS__ \
	}
#define FD00(last)                          \
	{                                   \
		{                           \
			0xfd, [15] = (last) \
		}                           \
	}

static struct pg_flow
resolve(const struct pg_template *tmpl)
{
	struct pg_error err = {0};
	struct pg_flow flow;

	memset(&flow, 0xa5, sizeof(flow));
	CHECK(pg_flow_resolve(tmpl, &port, &flow, &err) == 0, "%s", err.text);
	return flow;
}

static void
check_range(const struct pg_flow *flow, int field, uint32_t lo, uint32_t hi, bool random)
{
	const struct pg_range *r = &flow->field[field];

	CHECK(r->lo == lo && r->hi == hi && r->random == random,
		"field %d is %u-%u %d, not %u-%u %d", field, r->lo, r->hi, r->random, lo, hi,
		random);
}

// Offsets 0 .. count - 1 from the configured address; 0 and 1 are one address.
static void
test_mac_counts(void **state)
{
	static const struct {
		uint32_t count, hi;
	} cases[] = {{0, 0}, {1, 0}, {2, 1}, {3, 2}, {65536, 65535}, {UINT32_MAX, UINT32_MAX - 1}};

	(void)state;
	for (size_t i = 0; i < DIM(cases) * 2; i++) {
		bool random = i % 2;
		uint32_t hi = cases[i / 2].hi;
		const struct pg_template tmpl = TEMPLATE(.src_mac = {{2, 0, 0, 0, 0, 1}},
			.src_mac_count = cases[i / 2].count,
			.flags = random ? PG_FLAG_MACSRC_RND : PG_FLAG_MACDST_RND);
		const struct pg_template other = TEMPLATE(.dst_mac_count = cases[i / 2].count,
			.flags = random ? PG_FLAG_MACDST_RND : PG_FLAG_MACSRC_RND);
		struct pg_flow flow = resolve(&tmpl);

		check_range(&flow, PG_FIELD_MAC_SRC, 0, hi, random && hi > 0);
		check_range(&flow, PG_FIELD_MAC_DST, 0, 0, false);
		assert_memory_equal(&flow.src_mac, &tmpl.src_mac, 6);
		flow = resolve(&other);
		check_range(&flow, PG_FIELD_MAC_DST, 0, hi, random && hi > 0);
		check_range(&flow, PG_FIELD_MAC_SRC, 0, 0, false);
	}
}

// Unset and alone, the source is the interface's address; unset and walking, it is byte 0 of that
// and zeros (reference 7.1; recorded: lin-srcmac-unset).
static void
test_unset_source(void **state)
{
	static const uint8_t bare[6] = {0x06};
	static const struct {
		uint32_t count;
		const uint8_t *want;
	} cases[] = {{0, port.mac.addr_bytes}, {1, port.mac.addr_bytes}, {2, bare}, {3, bare}};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_template tmpl = TEMPLATE(.src_mac_count = cases[i].count);
		struct pg_flow flow = resolve(&tmpl);

		CHECK(memcmp(&flow.src_mac, cases[i].want, 6) == 0, "src_mac_count %u: %02x:%02x",
			cases[i].count, flow.src_mac.addr_bytes[0], flow.src_mac.addr_bytes[1]);
	}
}

static void
test_tags(void **state)
{
	static const struct {
		uint16_t vlan, svlan;
		uint32_t flags, frame_min;
	} cases[] = {
		{PG_VLAN_OFF, PG_VLAN_OFF, 0, 58},
		{PG_VLAN_OFF, PG_VLAN_OFF, PG_FLAG_VID_RND | PG_FLAG_SVID_RND, 58},
		{5, PG_VLAN_OFF, 0, 62},
		{0, PG_VLAN_OFF, 0, 62},
		{5, PG_VLAN_OFF, PG_FLAG_VID_RND | PG_FLAG_SVID_RND, 62},
		{4095, 100, 0, 66},
		{4095, 100, PG_FLAG_SVID_RND, 66},
		{4095, 100, PG_FLAG_VID_RND | PG_FLAG_SVID_RND, 66},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_template tmpl = {.vlan = {cases[i].vlan, 3, 1},
			.svlan = {cases[i].svlan, 7, 0},
			.flags = cases[i].flags};
		struct pg_flow flow = resolve(&tmpl);
		bool vrnd = cases[i].flags & PG_FLAG_VID_RND,
		     srnd = cases[i].flags & PG_FLAG_SVID_RND;

		assert_memory_equal(&flow.vlan, &tmpl.vlan, sizeof(flow.vlan));
		assert_memory_equal(&flow.svlan, &tmpl.svlan, sizeof(flow.svlan));
		CHECK_U64(flow.frame_min, cases[i].frame_min, "row %zu", i);
		CHECK_U64(pg_template_frame_min(&tmpl), cases[i].frame_min, "row %zu", i);
		// Uniform 0..4095 if the tag is on.
		if (cases[i].vlan != PG_VLAN_OFF)
			check_range(&flow, PG_FIELD_VLAN, vrnd ? 0 : cases[i].vlan,
				vrnd ? 4095 : cases[i].vlan, vrnd);
		else
			check_range(&flow, PG_FIELD_VLAN, 0, 0, false);
		if (cases[i].svlan != PG_VLAN_OFF)
			check_range(&flow, PG_FIELD_SVLAN, srnd ? 0 : cases[i].svlan,
				srnd ? 4095 : cases[i].svlan, srnd);
		else
			check_range(&flow, PG_FIELD_SVLAN, 0, 0, false);
	}
}

// A label whose S bit was given is random under MPLS_RND: its low 20 bits (reference 8.1).
static void
test_labels(void **state)
{
	static const uint32_t words[] = {0x0001000a, 0x00000100, 0x0002010a};

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct pg_template tmpl =
			TEMPLATE(.mpls = {3, {words[0], words[1], words[2]}},
				.flags = i ? PG_FLAG_MPLS_RND : 0);
		struct pg_flow flow = resolve(&tmpl);

		CHECK_U64(flow.frame_min, 58 + 12, "three labels");
		check_range(&flow, PG_FIELD_MPLS, 0, 0, false);
		check_range(&flow, PG_FIELD_MPLS + 1, 0, i ? (1 << 20) - 1 : 0, i);
		check_range(&flow, PG_FIELD_MPLS + 2, 0, i ? (1 << 20) - 1 : 0, i);
		check_range(&flow, PG_FIELD_MPLS + 3, 0, 0, false);
		assert_memory_equal(&flow.mpls, &tmpl.mpls, sizeof(flow.mpls));
	}
}

// Smallest frames: 58 + overhead (IPv4), 78 + overhead (IPv6); the configured size stays what it
// was, and an unset one is reported without the overhead (recorded: vlan-nosize, mpls-nosize).
static void
test_sizes(void **state)
{
	static const struct {
		uint32_t flags;
		uint16_t vlan;
		uint32_t labels, min, size, frame;
	} cases[] = {
		{0, PG_VLAN_OFF, 0, 0, 58, 58},
		{0, 5, 0, 0, 58, 62},
		{0, 5, 0, 60, 60, 62},
		{0, 5, 0, 64, 64, 64},
		{0, PG_VLAN_OFF, 2, 60, 60, 66},
		{PG_FLAG_IPV6, PG_VLAN_OFF, 0, 0, 78, 78},
		{PG_FLAG_IPV6, PG_VLAN_OFF, 0, 60, 60, 78},
		{PG_FLAG_IPV6, 5, 0, 60, 60, 82},
		{PG_FLAG_IPV6, 5, 0, 100, 100, 100},
		{PG_FLAG_IPV6, PG_VLAN_OFF, 16, 0, 78, 142},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_template tmpl = {.vlan = {cases[i].vlan},
			.svlan = {PG_VLAN_OFF},
			.flags = cases[i].flags,
			.min_size = cases[i].min,
			.max_size = cases[i].min};
		struct pg_flow flow;

		tmpl.mpls.count = cases[i].labels;
		for (uint32_t k = 0; k < cases[i].labels; k++)
			tmpl.mpls.word[k] = 10;
		flow = resolve(&tmpl);
		check_range(&flow, PG_FIELD_SIZE, cases[i].size, cases[i].size, false);
		CHECK_U64(pg_template_frame_max(&tmpl), cases[i].frame, "row %zu", i);
	}
}

static void
check_ip6(const struct pg_range6 *r, const struct pg_ip6 *lo, const struct pg_ip6 *hi, bool random)
{
	assert_memory_equal(&r->lo, lo, sizeof(*lo));
	assert_memory_equal(&r->hi, hi, sizeof(*hi));
	assert_int_equal(r->random, random);
}

// src6 all zero: the interface's link-local address. A range if its min is not `::`.
static void
test_ip6(void **state)
{
	const struct pg_ip6 none = {{0}}, one = FD00(1), two = FD00(2), nine = FD00(9);
	const struct {
		struct pg_ip6 address, min, max, lo, hi;
		bool random;
	} cases[] = {
		{one, none, none, one, one, false},
		{one, two, nine, two, nine, true},
		{none, two, nine, two, nine, true},
		{one, two, two, two, two, false}, // min = max gives a constant
		{one, none, nine, one, one, false},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_template tmpl = TEMPLATE(.flags = PG_FLAG_IPV6, .dst6 = cases[i].address,
			.dst6_min = cases[i].min, .dst6_max = cases[i].max);
		struct pg_flow flow = resolve(&tmpl);

		check_ip6(&flow.dst6, &cases[i].lo, &cases[i].hi, cases[i].random);
		check_ip6(&flow.src6, &port.ip6, &port.ip6, false);
		tmpl = (struct pg_template)TEMPLATE(.flags = PG_FLAG_IPV6, .src6 = cases[i].address,
			.src6_min = cases[i].min, .src6_max = cases[i].max);
		flow = resolve(&tmpl);
		check_ip6(&flow.src6, &cases[i].lo, &cases[i].hi, cases[i].random);
		check_ip6(&flow.dst6, &none, &none, false);
	}
}

static void
test_ip6_backwards(void **state)
{
	struct pg_template tmpl =
		TEMPLATE(.flags = PG_FLAG_IPV6, .dst6_min = FD00(9), .dst6_max = FD00(2));
	struct pg_error err = {0};
	struct pg_flow flow;

	(void)state;
	assert_int_equal(pg_flow_resolve(&tmpl, &port, &flow, &err), -EINVAL);
	assert_int_equal(err.fault, PG_FAULT_INPUT);
	assert_true(err.expected[0] != '\0');
	tmpl.flags = 0; // IPv4 packets do not ask
	resolve(&tmpl);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mac_counts),
		cmocka_unit_test(test_unset_source),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_ip6_backwards),
	};

	return cmocka_run_group_tests_name("flow_layers", tests, NULL, NULL);
}
