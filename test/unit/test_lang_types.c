/* SPDX-License-Identifier: BSD-3-Clause */
/* The value types: parse, format, expect and storage of each. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "pg_lang.h"

static const struct pg_word words[] = {
	{"start", 1, "s", false},
	{"stop", 2, "t", false},
	{"halt", 2, "t", true},
	{NULL, 0, NULL, false},
};

static const struct pg_arg wide = {.type = &pg_type_number, .max = UINT64_MAX, .width = 8};
static const struct pg_arg port = {.type = &pg_type_number, .max = 65535, .width = 2};
static const struct pg_arg pair = {
	.type = &pg_type_number, .min = 42, .max = 43, .unit = "bytes", .width = 4};
static const struct pg_arg mac = {.type = &pg_type_mac};
static const struct pg_arg ip4 = {.type = &pg_type_ip4};
static const struct pg_arg word = {.type = &pg_type_word, .words = words, .width = 1};
static const struct pg_arg mode = {
	.type = &pg_type_word, .words = words, .unit = "mode", .width = 1};
static const struct pg_arg flag = {.type = &pg_type_flag, .words = words, .width = 4};
static const struct pg_arg text = {.type = &pg_type_text};
static const struct pg_arg name = {.type = &pg_type_text, .max = 4, .unit = "a name"};
static const struct pg_arg line = {.type = &pg_type_line, .unit = "arguments"};
static const struct pg_arg many = {
	.type = &pg_type_number, .max = UINT64_MAX, .width = 8, .suffix = PG_SUFFIX_METRIC};
static const struct pg_arg time_ns = {
	.type = &pg_type_number, .max = 10000000000, .width = 8, .suffix = PG_SUFFIX_TIME};
static const struct pg_arg rate = {.type = &pg_type_rate};
static const struct pg_word policies[] = {
	{"later", PG_LATE_CATCHUP, "l", false},
	{"never", PG_LATE_SKIP, "n", false},
	{NULL, 0, NULL, false},
};
static const struct pg_arg late = {.type = &pg_type_late, .words = policies};
static const struct pg_arg share = {.type = &pg_type_share, .max = 50 * PG_PERCENT};
static const struct pg_arg moment = {.type = &pg_type_moment};
static const struct pg_arg ip6 = {.type = &pg_type_ip6};
static const struct pg_arg hex = {.type = &pg_type_hex, .width = 1};
static const struct pg_arg pairs = {.type = &pg_type_pairs, .min = 42, .max = 1514};
static const struct pg_arg sample = {.type = &pg_type_sample, .min = 2, .max = 1000, .width = 4};
static const struct pg_arg hexes = {.type = &pg_type_hex_list, .max = 3};

/** A token and what becomes of it: the formatted value, or a text of an error. */
struct type_case {
	const struct pg_arg *arg;
	const char *token;
	int rc;
	const char *want;
};

static const struct type_case good[] = {
	{&wide, "0", 0, "0"},
	{&wide, "5", 0, "5"},
	{&wide, "0005", 0, "5"},
	{&wide, "18446744073709551615", 0, "18446744073709551615"},
	{&wide, "000000000000000000000000000018446744073709551615", 0, "18446744073709551615"},
	{&port, "65535", 0, "65535"},
	{&pair, "42", 0, "42"},
	{&pair, "43", 0, "43"},
	{&mac, "00:00:00:00:00:00", 0, "00:00:00:00:00:00"},
	{&mac, "90:E2:bA:ff:FF:0a", 0, "90:e2:ba:ff:ff:0a"},
	{&ip4, "0.0.0.0", 0, "0.0.0.0"},
	{&ip4, "198.18.0.1", 0, "198.18.0.1"},
	{&ip4, "255.255.255.255", 0, "255.255.255.255"},
	{&word, "start", 0, "start"},
	{&word, "stop", 0, "stop"},
	{&word, "halt", 0, "stop"}, // a second name is understood, but never written
	{&flag, "start", 0, "start"},
	{&flag, "!start", 0, "!start"},
	{&flag, "!halt", 0, "!stop"},
	{&text, "a", 0, "a"},
	{&name, "abcd", 0, "abcd"},
	{&line, "a b c", 0, "a b c"},
	{&many, "5", 0, "5"},
	{&many, "5k", 0, "5000"},
	{&many, "14.88M", 0, "14880000"},
	{&many, "1.000001M", 0, "1000001"},
	{&many, "0.001k", 0, "1"},
	{&many, "1.50k", 0, "1500"},
	{&many, "1.5000k", 0, "1500"}, // zeros behind the last place are no fraction
	{&many, "2.0000000G", 0, "2000000000"},
	{&many, "18446744073709551.615k", 0, "18446744073709551615"},
	{&time_ns, "1500", 0, "1500"},
	{&time_ns, "7ns", 0, "7"},
	{&time_ns, "1.5us", 0, "1500"},
	{&time_ns, "2ms", 0, "2000000"},
	{&time_ns, "10s", 0, "10000000000"},
	{&time_ns, "0.0000000010s", 0, "1"},
	{&rate, "100", 0, "100"},
	{&late, "later", 0, "later 1000000000"},
	{&late, "later 5", 0, "later 5"},
	{&late, "later \t2ms", 0, "later 2000000"},
	{&late, "never", 0, "never"},
	{&share, "0%", 0, "0%"},
	{&share, "50%", 0, "50%"},
	{&share, "0.000001%", 0, "0.000001%"},
	{&share, "12.500%", 0, "12.5%"},
	{&moment, "+0", 0, "+0"},
	{&moment, "+7", 0, "+7"},
	{&moment, "+1.5s", 0, "+1500000000"},
	{&moment, "0", 0, "0.000000000"},
	{&moment, "1764560000.25", 0, "1764560000.250000000"},
	{&moment, "1970-01-01T00:00:00Z", 0, "0.000000000"},
	{&moment, "2000-02-29T23:59:59.5Z", 0, "951868799.500000000"}, // date -u +%s
	{&moment, "2026-12-01T12:00:00.000000001Z", 0, "1796126400.000000001"},
	{&ip6, "fd00::2a", 0, "fd00::2a"},
	{&ip6, "FD00:0:0:0:0:0:0:1", 0, "fd00::1"},
	{&ip6, "::", 0, "::"},
	{&ip6, "1:0:0:2:0:0:0:3", 0, "1:0:0:2::3"},   // the longest run of zeros
	{&ip6, "1:0:0:2:3:0:0:4", 0, "1::2:3:0:0:4"}, // the first of two equal ones
	{&ip6, "::ffff:192.0.2.1", 0, "::ffff:192.0.2.1"},
	// Recorded of the kernel: only v4-mapped and ISATAP addresses end in an IPv4 address.
	{&ip6, "::1.2.3.4", 0, "::102:304"},
	{&ip6, "64:ff9b::1.2.3.4", 0, "64:ff9b::102:304"},
	{&ip6, "::5efe:1.2.3.4", 0, "::5efe:1.2.3.4"},
	{&ip6, "fe80::5efe:1.2.3.4", 0, "fe80::5efe:1.2.3.4"},
	{&ip6, "fe80::200:5efe:102:304", 0, "fe80::200:5efe:1.2.3.4"}, // RFC 5214, 6.1
	{&ip6, "1:2:3:4:5:6:7:0", 0, "1:2:3:4:5:6:7:0"},
	{&ip6, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 0,
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{&hex, "00", 0, "00"},
	{&hex, "B8", 0, "b8"},
	{&pairs, "60,7", 0, "60,7"},
	{&pairs, "42,1 1514,4294967295", 0, "42,1 1514,4294967295"},
	{&pairs, "60,7\t590,4  60,1", 0, "60,7 590,4 60,1"},
	{&sample, "off", 0, "off"},
	{&sample, "full", 0, "full"},
	{&sample, "sampled 2", 0, "sampled 2"},
	{&sample, "sampled \t 01000", 0, "sampled 1000"},
	{&hexes, "1", 0, "00000001"},
	{&hexes, "0001000A,2,ffffffff", 0, "0001000a,00000002,ffffffff"},
};

static const struct type_case bad[] = {
	{&wide, "abc", -EINVAL, "'abc' is not a number"},
	{&wide, "-1", -EINVAL, "'-1' is not a number"},
	{&wide, "+1", -EINVAL, "'+1' is not a number"},
	{&wide, "0x10", -EINVAL, "'0x10' is not a number"},
	{&wide, "1.5", -EINVAL, "'1.5' is not a number"},
	{&wide, "1e3", -EINVAL, "'1e3' is not a number"},
	{&wide, "12 3", -EINVAL, "'12 3' is not a number"},
	{&wide, "18446744073709551616", -ERANGE, "18446744073709551616 is out of range"},
	{&wide, "18446744073709551620", -ERANGE, "18446744073709551620 is out of range"},
	{&wide, "184467440737095516150", -ERANGE, "184467440737095516150 is out of range"},
	{&wide, "99999999999999999999999999", -ERANGE,
		"99999999999999999999999999 is out of range"},
	{&sample, "on", -EINVAL, "'on' does not say how many"},
	{&sample, "sampled 1.5", -EINVAL, "'sampled 1.5' does not say how many"},
	{&sample, "sampled 1001", -ERANGE, "one of '1001' is out of range"},
	{&port, "65536", -ERANGE, "65536 is out of range"},
	{&port, "18446744073709551616", -ERANGE, "18446744073709551616 is out of range"},
	{&pair, "41", -ERANGE, "41 is out of range"},
	{&pair, "44", -ERANGE, "44 is out of range"},
	{&pair, "4294967338", -ERANGE, "4294967338 is out of range"}, // 2^32 + 42
	{&mac, "90:e2:ba:ff:ff", -EINVAL, "'90:e2:ba:ff:ff' is not a MAC address"},
	{&mac, "90:e2:ba:ff:ff:ff:00", -EINVAL, "'90:e2:ba:ff:ff:ff:00' is not a MAC address"},
	{&mac, "90-e2-ba-ff-ff-ff", -EINVAL, "'90-e2-ba-ff-ff-ff' is not a MAC address"},
	{&mac, "9:e2:ba:ff:ff:fff", -EINVAL, "'9:e2:ba:ff:ff:fff' is not a MAC address"},
	{&mac, "90:e2:ba:ff:ff:fg", -EINVAL, "'90:e2:ba:ff:ff:fg' is not a MAC address"},
	{&mac, "90e2baffffff", -EINVAL, "'90e2baffffff' is not a MAC address"},
	{&mac, "0x:e2:ba:ff:ff:ff", -EINVAL, "'0x:e2:ba:ff:ff:ff' is not a MAC address"},
	{&ip4, "198.18.0", -EINVAL, "'198.18.0' is not an IPv4 address"},
	{&ip4, "198.18.0.256", -EINVAL, "'198.18.0.256' is not an IPv4 address"},
	{&ip4, "198.18.0.1.2", -EINVAL, "'198.18.0.1.2' is not an IPv4 address"},
	{&ip4, "198.18.0.1/24", -EINVAL, "'198.18.0.1/24' is not an IPv4 address"},
	{&ip4, "host", -EINVAL, "'host' is not an IPv4 address"},
	{&ip4, "::1", -EINVAL, "'::1' is not an IPv4 address"},
	{&word, "sta", -EINVAL, "unknown word 'sta'"},
	{&mode, "Start", -EINVAL, "unknown mode 'Start'"},
	{&word, "!start", -EINVAL, "unknown word '!start'"},
	{&flag, "!", -EINVAL, "unknown flag ''"},
	{&flag, "!!start", -EINVAL, "unknown flag '!start'"},
	{&flag, "none", -EINVAL, "unknown flag 'none'"},
	{&name, "abcde", -E2BIG, "'abcde' is too long"},
	{&wide, "5k", -EINVAL, "'5k' is not a number"},
	{&many, "k", -EINVAL, "'k' is not a number"},
	{&many, "5K", -EINVAL, "'5K' is not a number"},
	{&many, "5 k", -EINVAL, "'5 k' is not a number"},
	{&many, "5kk", -EINVAL, "'5kk' is not a number"},
	{&many, "1.5", -EINVAL, "'1.5' is not a number"},
	{&many, ".5k", -EINVAL, "'.5k' is not a number"},
	{&many, "5.k", -EINVAL, "'5.k' is not a number"},
	{&many, "1.2.3k", -EINVAL, "'1.2.3k' is not a number"},
	{&many, "1.0000x0k", -EINVAL, "'1.0000x0k' is not a number"},
	{&many, "-5k", -EINVAL, "'-5k' is not a number"},
	{&many, "1.0001k", -EINVAL, "1.0001k is not whole"},
	{&many, "1.00001k", -EINVAL, "1.00001k is not whole"},
	{&many, "18446744073709551.616k", -ERANGE, "18446744073709551.616k is out of range"},
	{&many, "99999999999G", -ERANGE, "99999999999G is out of range"},
	{&time_ns, "11s", -ERANGE, "11s is out of range"},
	{&time_ns, "1m", -EINVAL, "'1m' is not a number"},
	{&late, "late", -EINVAL, "unknown policy 'late'"},
	{&late, "laterly", -EINVAL, "unknown policy 'laterly'"},
	{&late, "never 5", -EINVAL, "text after 'never'"},
	{&late, "later 5 6", -EINVAL, "'5 6' is not a number"},
	{&late, "later -1", -EINVAL, "'-1' is not a number"},
	{&share, "1", -EINVAL, "'1' is not a share"},
	{&share, "%", -EINVAL, "'%' is not a share"},
	{&share, "1%%", -EINVAL, "'1%%' is not a share"},
	{&share, "-1%", -EINVAL, "'-1%' is not a share"},
	{&share, "0.0000001%", -EINVAL, "0.0000001% is too exact"},
	{&share, "50.000001%", -ERANGE, "50.000001% is out of range"},
	{&moment, "+", -EINVAL, "'+' is not a time"},
	{&moment, "now", -EINVAL, "'now' is not a time"},
	{&moment, "12:00", -EINVAL, "'12:00' is not a time"},
	{&moment, "1.2.3", -EINVAL, "'1.2.3' is not a time"},
	{&moment, "+1h", -EINVAL, "'+1h' is not a time"},
	{&moment, "2026-12-01", -EINVAL, "'2026-12-01' is not a time"},
	{&moment, "2026-13-01T00:00:00Z", -EINVAL, "'2026-13-01T00:00:00Z' is not a time"},
	{&moment, "2026-12-01T00:00:00", -EINVAL, "'2026-12-01T00:00:00' is not a time"},
	{&moment, "2026-12-01T00:00:00+01Z", -EINVAL, "'2026-12-01T00:00:00+01Z' is not a time"},
	{&moment, "1960-01-01T00:00:00Z", -ERANGE, "1960-01-01T00:00:00Z is out of range"},
	{&moment, "99999999999999", -ERANGE, "99999999999999 is out of range"},
	{&rate, "0", -ERANGE, "0 is out of range"},
	{&rate, "0G", -ERANGE, "0G is out of range"},
	{&rate, "abc", -EINVAL, "'abc' is not a rate"},
	{&rate, "10GL2", -EINVAL, "'10GL2' is not a rate"},
	{&rate, "L1", -EINVAL, "'L1' is not a rate"},
	{&rate, "50%L1", -EINVAL, "'50%L1' is not a rate"},
	{&rate, "100.000001%", -ERANGE, "100.000001% is more than all"},
	{&rate, "1001T", -ERANGE, "1001T is out of range"},
	{&ip6, "fd00::2::1", -EINVAL, "'fd00::2::1' is not an IPv6 address"},
	{&ip6, "fd00::2/64", -EINVAL, "'fd00::2/64' is not an IPv6 address"},
	{&ip6, "198.18.0.1", -EINVAL, "'198.18.0.1' is not an IPv6 address"},
	{&hex, "0", -EINVAL, "'0' is not a hexadecimal number of 2 digits"},
	{&hex, "0ff", -EINVAL, "'0ff' is not a hexadecimal number of 2 digits"},
	{&hex, "0x", -EINVAL, "'0x' is not a hexadecimal number of 2 digits"},
	{&pairs, "60", -EINVAL, "'60' has no weight"},
	{&pairs, "60,7 590", -EINVAL, "'590' has no weight"},
	{&pairs, "41,7", -ERANGE, "'41' is no size"},
	{&pairs, "1515,7", -ERANGE, "'1515' is no size"},
	{&pairs, "x,7", -ERANGE, "'x' is no size"},
	{&pairs, ",7", -ERANGE, "'' is no size"},
	{&pairs, "60,0", -ERANGE, "'0' is no weight"},
	{&pairs, "60,", -ERANGE, "'' is no weight"},
	{&pairs, "60,7,8", -ERANGE, "'7,8' is no weight"},
	{&pairs, "60,10000000000", -ERANGE, "'10000000000' is no weight"},
	{&pairs,
		"60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 60,1 "
		"60,1 60,1 60,1 60,1 60,1",
		-E2BIG, "more than 20 pairs"},
	{&hexes, "1,2,3,4", -E2BIG, "more than 3 words"},
	{&hexes, "1,", -EINVAL, "'' is not a word of 1 to 8 hexadecimal digits"},
	{&hexes, ",1", -EINVAL, "'' is not a word of 1 to 8 hexadecimal digits"},
	{&hexes, "123456789", -EINVAL, "'123456789' is not a word of 1 to 8 hexadecimal digits"},
	{&hexes, "x", -EINVAL, "'x' is not a word of 1 to 8 hexadecimal digits"},
	{&hexes, "1,0", -EINVAL, "a word is zero"},
};

static void
test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(good); i++) {
		const struct pg_arg *arg = good[i].arg;
		union pg_value value = {0}, again = {0};
		struct pg_error err = {0};
		char out[PG_TEXT_MAX] = "";

		CHECK(arg->type->parse(arg, good[i].token, &value, &err) == 0, "'%s': %s",
			good[i].token, err.text);
		arg->type->format(arg, &value, out, sizeof(out));
		CHECK_TEXT(out, good[i].want, "'%s'", good[i].token);
		// What is written is read back as the same value.
		CHECK(arg->type->parse(arg, out, &again, &err) == 0, "'%s'", out);
		if (arg->type != &pg_type_ip4)
			CHECK(memcmp(&value, &again, sizeof(value)) == 0, "'%s'", out);
	}
}

static void
test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(bad); i++) {
		const struct pg_arg *arg = bad[i].arg;
		union pg_value value = {0};
		struct pg_error err = {0};
		int rc = arg->type->parse(arg, bad[i].token, &value, &err);

		CHECK(rc == bad[i].rc, "'%s': %d", bad[i].token, rc);
		CHECK_TEXT(err.text, bad[i].want, "'%s'", bad[i].token);
		CHECK_U64(err.code, -bad[i].rc, "'%s'", bad[i].token);
		assert_int_equal(err.fault, PG_FAULT_INPUT);
	}
}

static void
test_expect(void **state)
{
	static const struct {
		const struct pg_arg *arg;
		const char *want;
	} cases[] = {
		{&wide, "a number from 0 to 18446744073709551615"},
		{&pair, "a number of bytes from 42 to 43"},
		{&mac, "a MAC address of six bytes, xx:xx:xx:xx:xx:xx"},
		{&ip4, "an IPv4 address, four numbers from 0 to 255 with dots between"},
		{&word, "one of start, stop"},
		{&flag, "a flag, with ! before it to clear it: start, stop"},
		{&text, "a text of at most 511 characters"},
		{&name, "a name of at most 4 characters"},
		{&line, "arguments of at most 511 characters"},
		{&many, "a number from 0 to 18446744073709551615 (k, M and G may follow)"},
		{&time_ns, "a number from 0 to 10000000000 (ns, us, ms and s may follow)"},
		{&ip6, "an IPv6 address"},
		{&hex, "2 hexadecimal digits"},
		{&sample, "off, sampled N with N from 2 to 1000, or full"},
		{&hexes, "1 to 3 words of at most 8 hexadecimal digits with commas between, or 0"},
	};
	char out[320];

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const struct pg_arg *arg = cases[i].arg;

		arg->type->expect(arg, out, sizeof(out));
		CHECK_TEXT(out, cases[i].want, "row %zu", i);
		for (size_t size = 1; size < 12; size++) { // cut, never beyond
			memset(out, '#', sizeof(out));
			arg->type->expect(arg, out, size);
			CHECK(strlen(out) == size - 1 && out[size] == '#', "row %zu: '%.20s'", i,
				out);
		}
	}
}

static void
test_values(void **state)
{
	union pg_value value = {0};
	struct pg_error err = {0};
	static const uint8_t bytes[] = {0x90, 0xe2, 0xba, 0x00, 0x01, 0xff};

	(void)state;
	assert_int_equal(pg_type_ip4.parse(&ip4, "198.18.0.1", &value, &err), 0);
	assert_int_equal(value.ip4.addr, 198u << 24 | 18u << 16 | 1); // host order
	assert_string_equal(value.ip4.text, "198.18.0.1");
	memset(&value, 0, sizeof(value));
	assert_int_equal(pg_type_mac.parse(&mac, "90:e2:ba:00:01:ff", &value, &err), 0);
	assert_memory_equal(value.mac.addr_bytes, bytes, sizeof(bytes));
	memset(&value, 0, sizeof(value));
	assert_int_equal(pg_type_flag.parse(&flag, "!stop", &value, &err), 0);
	assert_true(value.flag.mask == 2 && value.flag.clear);
}

static void
test_rates(void **state)
{
	static const struct {
		const char *token;
		uint8_t kind;
		uint64_t value;
	} cases[] = {
		{"300", PG_RATE_KERNEL, 300}, // Mbit/s without FCS
		{"300M", PG_RATE_L2, 300000000},
		{"9.5G", PG_RATE_L2, 9500000000},
		{"1k", PG_RATE_L2, 1000},
		{"1T", PG_RATE_L2, 1000000000000},
		{"10GL1", PG_RATE_L1, 10000000000},
		{"2.5GL1", PG_RATE_L1, 2500000000},
		{"50%", PG_RATE_PERCENT, 50 * PG_RATE_PERCENT_UNIT},
		{"0.5%", PG_RATE_PERCENT, PG_RATE_PERCENT_UNIT / 2},
		{"100%", PG_RATE_PERCENT, 100 * PG_RATE_PERCENT_UNIT},
		{"100.0000000%", PG_RATE_PERCENT, 100 * PG_RATE_PERCENT_UNIT},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		union pg_value value = {0}, again = {0};
		struct pg_error err = {0};
		char out[80] = "";

		CHECK(pg_type_rate.parse(&rate, cases[i].token, &value, &err) == 0, "'%s': %s",
			cases[i].token, err.text);
		CHECK_U64(value.rate.kind, cases[i].kind, "'%s'", cases[i].token);
		CHECK_U64(value.rate.value, cases[i].value, "'%s'", cases[i].token);
		// "Write the value as the language writes it": it can be read back.
		pg_type_rate.format(&rate, &value, out, sizeof(out));
		CHECK(pg_type_rate.parse(&rate, out, &again, &err) == 0, "'%s' became '%s': %s",
			cases[i].token, out, err.text);
		CHECK(memcmp(&value, &again, sizeof(value)) == 0, "'%s' became '%s'",
			cases[i].token, out);
	}
}

// The empty list is written 0, which is how it is read.
static void
test_empty_list(void **state)
{
	union pg_value value;
	struct pg_error err = {0};
	char out[80] = "";

	(void)state;
	memset(&value, 0xa5, sizeof(value));
	assert_int_equal(pg_type_hex_list.parse(&hexes, "0", &value, &err), 0);
	assert_int_equal(value.list.count, 0);
	pg_type_hex_list.format(&hexes, &value, out, sizeof(out));
	CHECK(pg_type_hex_list.parse(&hexes, out, &value, &err) == 0, "'%s': %s", out, err.text);
	assert_int_equal(value.list.count, 0);
}

// A field takes its own bytes only, whatever lies beside it.
static void
test_storage_width(void **state)
{
	static const uint8_t widths[] = {1, 2, 4, 8};

	(void)state;
	for (size_t i = 0; i < DIM(widths); i++) {
		struct pg_arg arg = {.type = &pg_type_number, .width = widths[i]};
		union pg_value value = {.u64 = 0x0123456789abcdef}, back;
		uint8_t field[24];
		uint64_t mask = widths[i] == 8 ? UINT64_MAX : (1ull << 8 * widths[i]) - 1;

		memset(field, 0xee, sizeof(field));
		pg_arg_store(&arg, field + 8, &value);
		for (size_t b = 0; b < sizeof(field); b++)
			CHECK(b >= 8 && b < 8u + widths[i] ? 1 : field[b] == 0xee, "byte %zu", b);
		pg_arg_load(&arg, field + 8, &back);
		CHECK_U64(back.u64, 0x0123456789abcdef & mask, "width %u", widths[i]);
	}
}

// Flags are set and cleared one by one.
static void
test_storage_flags(void **state)
{
	static const struct {
		uint32_t before;
		uint64_t mask;
		bool clear;
		uint32_t after;
	} cases[] = {
		{0, 1, false, 1},
		{0x80000000, 1, false, 0x80000001},
		{0xffffffff, 4, true, 0xfffffffb},
		{4, 4, false, 4},
		{3, 4, true, 3},
		{0, 0x80000000, false, 0x80000000},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		union pg_value value = {.flag = {cases[i].mask, cases[i].clear}};
		uint32_t field[3] = {0xeeeeeeee, cases[i].before, 0xeeeeeeee};

		pg_arg_store(&flag, &field[1], &value);
		CHECK_U64(field[1], cases[i].after, "row %zu", i);
		assert_true(field[0] == 0xeeeeeeee && field[2] == 0xeeeeeeee);
	}
}

static void
test_long_texts(void **state)
{
	char long_text[PG_TEXT_MAX + 2];
	union pg_value value = {0};
	struct pg_error err = {0};

	(void)state;
	memset(long_text, 'x', sizeof(long_text));
	long_text[PG_TEXT_MAX - 1] = '\0';
	assert_int_equal(pg_type_text.parse(&text, long_text, &value, &err), 0);
	assert_string_equal(value.text, long_text);
	long_text[PG_TEXT_MAX - 1] = 'x';
	long_text[PG_TEXT_MAX] = '\0';
	assert_int_equal(pg_type_text.parse(&text, long_text, &value, &err), -E2BIG);
	// The message stays readable: 40 characters of the text.
	assert_string_equal(err.text, "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' is too long");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_expect),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_empty_list),
		cmocka_unit_test(test_storage_width),
		cmocka_unit_test(test_storage_flags),
		cmocka_unit_test(test_long_texts),
	};

	return cmocka_run_group_tests_name("lang_types", tests, NULL, NULL);
}
