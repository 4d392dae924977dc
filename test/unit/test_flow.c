/* SPDX-License-Identifier: BSD-3-Clause */
/* What start makes of a template: reference 6.1 and 7, with DESIGN 8's inclusive ranges. */
#include "support.h"

#include <errno.h>

#include "pg_flow.h"

#define IP(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

static const struct pg_flow_port port = {
	.mac = {{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}},
	.ip4 = IP(192, 0, 2, 7),
	.frame_max = 1514,
	.name = "eth0",
};

static struct pg_ip4
address(const char *text, uint32_t addr)
{
	struct pg_ip4 ip4 = {.addr = addr};

	snprintf(ip4.text, sizeof(ip4.text), "%s", text);
	return ip4;
}

// A template without tags, and with what the row gives.
#define TEMPLATE(...)                                                      \
	{                                                                  \
		.vlan = {PG_VLAN_OFF}, .svlan = {PG_VLAN_OFF}, __VA_ARGS__ \
	}

static void
resolve(const struct pg_template *tmpl, struct pg_flow *flow)
{
	struct pg_error err = {0};

	memset(flow, 0xa5, sizeof(*flow));
	CHECK(pg_flow_resolve(tmpl, &port, flow, &err) == 0, "%s", err.text);
}

static void
check_range(const struct pg_flow *flow, enum pg_field field, uint32_t lo, uint32_t hi, bool random)
{
	const struct pg_range *r = &flow->field[field];

	CHECK(r->lo == lo && r->hi == hi && r->random == random,
		"field %d is %u-%u %d, not %u-%u %d", field, r->lo, r->hi, r->random, lo, hi,
		random);
}

static void
test_nothing_set(void **state)
{
	static const struct pg_template tmpl = TEMPLATE(.flags = 0);
	struct pg_flow flow;

	(void)state;
	resolve(&tmpl, &flow);
	check_range(&flow, PG_FIELD_SIZE, 58, 58, false); // 58 + overhead for IPv4
	check_range(&flow, PG_FIELD_IP_SRC, port.ip4, port.ip4, false);
	check_range(&flow, PG_FIELD_IP_DST, 0, 0, false);
	check_range(&flow, PG_FIELD_UDP_SRC, 0, 0, false);
	check_range(&flow, PG_FIELD_UDP_DST, 0, 0, false);
	assert_memory_equal(&flow.src_mac, &port.mac, sizeof(port.mac));
	assert_true(rte_is_zero_ether_addr(&flow.dst_mac));
	assert_int_equal(flow.flags, 0);
}

static void
test_macs_and_flags(void **state)
{
	const struct pg_template tmpl =
		TEMPLATE(.flags = PG_FLAG_UDPCSUM | PG_FLAG_SHARED | PG_FLAG_NO_TIMESTAMP,
			.dst_mac = {{0x90, 0xe2, 0xba, 0xff, 0xff, 0xff}},
			.src_mac = {{0x02, 0, 0, 0, 0, 1}});
	struct pg_flow flow;

	(void)state;
	resolve(&tmpl, &flow);
	assert_memory_equal(&flow.dst_mac, &tmpl.dst_mac, sizeof(tmpl.dst_mac));
	assert_memory_equal(&flow.src_mac, &tmpl.src_mac, sizeof(tmpl.src_mac));
	assert_int_equal(flow.flags, tmpl.flags);
}

// Sizes: 0 is 58; min above max: max is min (6.1.3). A range is random only if there is a range.
static void
test_sizes(void **state)
{
	static const struct {
		uint32_t min, max, flags, lo, hi;
		bool random;
	} cases[] = {
		{60, 60, 0, 60, 60, false}, {60, 60, PG_FLAG_TXSIZE_RND, 60, 60, false},
		{60, 1514, 0, 60, 1514, false}, {60, 1514, PG_FLAG_TXSIZE_RND, 60, 1514, true},
		{60, 0, 0, 60, 60, false}, {100, 60, 0, 100, 100, false},
		{100, 60, PG_FLAG_TXSIZE_RND, 100, 100, false}, {0, 1500, 0, 58, 1500, false},
		{0, 1500, PG_FLAG_TXSIZE_RND, 58, 1500, true}, {0, 50, 0, 58, 58, false},
		{42, 42, 0, 42, 42, false}, // statistics keep the size that was set (8.6)
		{42, 50, PG_FLAG_TXSIZE_RND, 42, 50, true},
		{60, 61, PG_FLAG_UDPSRC_RND, 60, 61, false}, // another field's flag
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_template tmpl = TEMPLATE(.min_size = cases[i].min,
			.max_size = cases[i].max, .flags = cases[i].flags);
		struct pg_flow flow;

		resolve(&tmpl, &flow);
		check_range(&flow, PG_FIELD_SIZE, cases[i].lo, cases[i].hi, cases[i].random);
	}
}

// A range is active if min < max, else the field stays at min.
static void
test_ports(void **state)
{
	static const struct {
		uint16_t min, max;
		bool flag;
		uint16_t lo, hi;
		bool random;
	} cases[] = {
		{9, 9, false, 9, 9, false},
		{9, 9, true, 9, 9, false},
		{9, 12, false, 9, 12, false},
		{9, 12, true, 9, 12, true},
		{12, 9, false, 12, 12, false},
		{12, 9, true, 12, 12, false},
		{0, 65535, true, 0, 65535, true},
		{65535, 0, false, 65535, 65535, false},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_template tmpl = TEMPLATE(.udp_src_min = cases[i].min,
			.udp_src_max = cases[i].max, .udp_dst_min = 1, .udp_dst_max = 2,
			.flags = cases[i].flag ? PG_FLAG_UDPSRC_RND : 0);
		struct pg_flow flow;

		resolve(&tmpl, &flow);
		check_range(&flow, PG_FIELD_UDP_SRC, cases[i].lo, cases[i].hi, cases[i].random);
		check_range(&flow, PG_FIELD_UDP_DST, 1, 2, false);
		tmpl = (struct pg_template)TEMPLATE(.udp_dst_min = cases[i].min,
			.udp_dst_max = cases[i].max,
			.flags = cases[i].flag ? PG_FLAG_UDPDST_RND : 0);
		resolve(&tmpl, &flow);
		check_range(&flow, PG_FIELD_UDP_DST, cases[i].lo, cases[i].hi, cases[i].random);
	}
}

static void
test_source(void **state)
{
	const uint32_t a = IP(10, 0, 0, 1), b = IP(10, 0, 0, 9);
	const struct pg_ip4 none = address("", 0), low = address("10.0.0.1", a);
	const struct pg_ip4 high = address("10.0.0.9", b), zero = address("0.0.0.0", 0);
	const struct {
		struct pg_ip4 min, max;
		uint32_t lo, hi;
		bool random;
	} cases[] = {
		{none, none, port.ip4, port.ip4, false}, // the interface's address
		{none, high, port.ip4, port.ip4, false}, // src_max without src_min has no effect
		{low, none, a, a, false},
		{low, low, a, a, false},
		{low, high, a, b, true},
		{high, low, b, b, false},
		{zero, none, 0, 0, false}, // 0.0.0.0 as typed is an address
		{zero, high, 0, b, true},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		for (int flag = 0; flag < 2; flag++) {
			const struct pg_template tmpl = TEMPLATE(.src_min = cases[i].min,
				.src_max = cases[i].max, .flags = flag ? PG_FLAG_IPSRC_RND : 0);
			struct pg_flow flow;

			resolve(&tmpl, &flow);
			check_range(&flow, PG_FIELD_IP_SRC, cases[i].lo, cases[i].hi,
				flag && cases[i].random);
		}
	}
}

// dst_max without dst_min counts from 0.0.0.0 (recorded: only-dst-max).
static void
test_destination(void **state)
{
	const uint32_t a = IP(198, 18, 0, 1), b = IP(198, 18, 0, 9);
	const struct pg_ip4 none = address("", 0), low = address("198.18.0.1", a);
	const struct pg_ip4 high = address("198.18.0.9", b);
	const struct {
		struct pg_ip4 min, max;
		uint32_t lo, hi;
		bool random;
	} cases[] = {
		{none, none, 0, 0, false},
		{low, none, a, a, false},
		{low, high, a, b, true},
		{high, low, b, b, false},
		{none, high, 0, b, true},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		for (int flag = 0; flag < 2; flag++) {
			const struct pg_template tmpl = TEMPLATE(.dst_min = cases[i].min,
				.dst_max = cases[i].max, .flags = flag ? PG_FLAG_IPDST_RND : 0);
			struct pg_flow flow;

			resolve(&tmpl, &flow);
			check_range(&flow, PG_FIELD_IP_DST, cases[i].lo, cases[i].hi,
				flag && cases[i].random);
		}
	}
}

static bool
is_reserved(uint32_t a)
{
	return a == 0 || a >> 24 == 127 || a >> 28 == 14 || a == UINT32_MAX;
}

// Around every boundary of a reserved interval, address by address.
static void
test_allowed_brute_force(void **state)
{
	static const uint32_t centres[] = {0, IP(0, 0, 0, 1), IP(127, 0, 0, 0), IP(128, 0, 0, 0),
		IP(224, 0, 0, 0), IP(240, 0, 0, 0), UINT32_MAX, IP(10, 0, 0, 0)};

	(void)state;
	for (size_t c = 0; c < DIM(centres); c++) {
		uint64_t from = centres[c] < 30 ? 0 : centres[c] - 30;
		uint64_t to = centres[c] > UINT32_MAX - 30 ? UINT32_MAX : centres[c] + 30;

		for (uint64_t lo = from; lo <= to; lo++) {
			uint64_t n = 0;

			for (uint64_t hi = lo; hi <= to; hi++) {
				n += !is_reserved((uint32_t)hi);
				CHECK_U64(pg_flow_allowed((uint32_t)lo, (uint32_t)hi), n,
					"%08llx-%08llx", (unsigned long long)lo,
					(unsigned long long)hi);
			}
		}
	}
}

// Ranges that hold whole intervals: 2^24 loopback, 2^28 multicast, two single addresses.
static void
test_allowed_arithmetic(void **state)
{
	static const struct {
		uint32_t lo, hi;
		uint64_t want;
	} cases[] = {
		{0, UINT32_MAX, (1ull << 32) - (1 << 24) - (1 << 28) - 2},
		{1, UINT32_MAX, (1ull << 32) - (1 << 24) - (1 << 28) - 2},
		{IP(127, 0, 0, 0), IP(127, 255, 255, 255), 0},
		{IP(126, 0, 0, 0), IP(128, 255, 255, 255), 2 << 24},
		{IP(223, 0, 0, 0), IP(240, 0, 0, 0), (1 << 24) + 1},
		{IP(240, 0, 0, 0), UINT32_MAX, (1 << 28) - 1},
		{IP(224, 0, 0, 5), IP(239, 1, 2, 3), 0},
		{0, 0, 0},
		{UINT32_MAX, UINT32_MAX, 0},
		{IP(198, 18, 0, 0), IP(198, 19, 255, 255), 1 << 17},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++)
		CHECK_U64(pg_flow_allowed(cases[i].lo, cases[i].hi), cases[i].want, "row %zu", i);
}

// Only a random destination is filtered, and only a range without any address is refused.
static void
test_reserved_destinations(void **state)
{
	static const struct {
		const char *min, *max;
		uint32_t lo, hi, flags;
		int rc;
	} cases[] = {
		{"127.0.0.1", "127.0.0.9", IP(127, 0, 0, 1), IP(127, 0, 0, 9), PG_FLAG_IPDST_RND,
			-EINVAL},
		{"224.0.0.0", "239.255.255.255", IP(224, 0, 0, 0), IP(239, 255, 255, 255),
			PG_FLAG_IPDST_RND, -EINVAL},
		{"127.0.0.1", "127.0.0.9", IP(127, 0, 0, 1), IP(127, 0, 0, 9), 0, 0},
		{"127.0.0.1", "127.0.0.9", IP(127, 0, 0, 1), IP(127, 0, 0, 9), PG_FLAG_IPSRC_RND,
			0},
		{"127.0.0.1", "127.0.0.1", IP(127, 0, 0, 1), IP(127, 0, 0, 1), PG_FLAG_IPDST_RND,
			0},
		{"127.255.255.255", "128.0.0.0", IP(127, 255, 255, 255), IP(128, 0, 0, 0),
			PG_FLAG_IPDST_RND, 0},
		{"", "0.0.0.1", 0, 1, PG_FLAG_IPDST_RND, 0},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_template tmpl = TEMPLATE(.dst_min =
								 address(cases[i].min, cases[i].lo),
			.dst_max = address(cases[i].max, cases[i].hi), .flags = cases[i].flags);
		struct pg_error err = {0};
		struct pg_flow flow;

		CHECK(pg_flow_resolve(&tmpl, &port, &flow, &err) == cases[i].rc, "row %zu: %s", i,
			err.text);
		if (cases[i].rc == 0)
			continue;
		assert_int_equal(err.fault, PG_FAULT_INPUT);
		CHECK(err.expected[0] != '\0', "row %zu", i);
	}
}

// Frames that the port or IPv4's 16-bit length cannot carry: 14 + 65535 bytes.
static void
test_too_long(void **state)
{
	static const struct {
		uint32_t min, max, frame_max;
		int rc;
	} cases[] = {
		{60, 60, 1514, 0},
		{1514, 1514, 1514, 0},
		{1515, 1515, 1514, -EINVAL},
		{60, 1515, 1514, -EINVAL},
		{1515, 60, 1514, -EINVAL},
		{60, 9014, 9014, 0},
		{0, 0, 58, 0},
		{0, 0, 57, -EINVAL}, // the headers alone are longer
		{42, 42, 57, -EINVAL},
		{PG_SIZE_MAX, PG_SIZE_MAX, UINT32_MAX, 0},
		{65550, 65550, UINT32_MAX, -EINVAL},
		{60, 70000, UINT32_MAX, -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_template tmpl =
			TEMPLATE(.min_size = cases[i].min, .max_size = cases[i].max);
		struct pg_flow_port narrow = port;
		struct pg_error err = {0};
		struct pg_flow flow;

		narrow.frame_max = cases[i].frame_max;
		CHECK(pg_flow_resolve(&tmpl, &narrow, &flow, &err) == cases[i].rc, "row %zu: %s", i,
			err.text);
		if (cases[i].rc != 0)
			CHECK(err.expected[0] != '\0' && err.fault == PG_FAULT_INPUT, "row %zu", i);
	}
}

static void
test_frame_max(void **state)
{
	static const struct {
		uint32_t min, max, want;
	} cases[] = {{0, 0, 58}, {42, 42, 58}, {58, 58, 58}, {59, 0, 59}, {60, 1514, 1514},
		{1514, 60, 1514}, {0, 1500, 1500}};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_template tmpl =
			TEMPLATE(.min_size = cases[i].min, .max_size = cases[i].max);

		CHECK_U64(pg_template_frame_max(&tmpl), cases[i].want, "row %zu", i);
	}
}

// The table itself: ascending, disjoint, and exactly the reference's addresses.
static void
test_reserved_table(void **state)
{
	uint64_t seed = 12;

	(void)state;
	for (size_t i = 0; i < pg_flow_nreserved; i++) {
		assert_true(pg_flow_reserved[i].lo <= pg_flow_reserved[i].hi);
		assert_true(i == 0 || pg_flow_reserved[i].lo > pg_flow_reserved[i - 1].hi);
	}
	for (int k = 0; k < 100000; k++) {
		uint32_t a = (uint32_t)support_draw(&seed);
		bool listed = false;

		for (size_t i = 0; i < pg_flow_nreserved; i++)
			listed |= a >= pg_flow_reserved[i].lo && a <= pg_flow_reserved[i].hi;
		CHECK(listed == is_reserved(a), "%08x", a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_set),
		cmocka_unit_test(test_macs_and_flags),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_destination),
		cmocka_unit_test(test_allowed_brute_force),
		cmocka_unit_test(test_allowed_arithmetic),
		cmocka_unit_test(test_reserved_destinations),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_frame_max),
		cmocka_unit_test(test_reserved_table),
	};

	return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
