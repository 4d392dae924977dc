/* SPDX-License-Identifier: BSD-3-Clause */
/* The receipt says nothing of packets that are right, over templates at random, and names what a
 * test has broken of them: each field, length and checksum alone. */
#include "support.h"

#include <stdlib.h>

#include "support_receipt.h"
#include "support_template.h"

#define TEMPLATES 600
#define VICTIM    17

static struct template_case sample;

// What a template at random makes is as asked: in order, of any part of a stream, in copies, read
// whole and in samples.
static void
test_silent(void **state)
{
	static const uint32_t every[] = {1, 1, 2, 7};
	unsigned int checks = 0;

	(void)state;
	for (uint64_t number = 0; number < TEMPLATES; number++) {
		struct pg_receipt receipt;
		struct receipt_case c;

		template_draw(&sample, number);
		c = receipt_case(sample.commands);
		c.stream = sample.stream;
		c.seed = sample.seed;
		c.built = number % 16 == 0 ? 700 : 100;
		c.burst = 1 + template_below(&sample, 64);
		c.paced = number % 3 == 0;
		c.config.copies = 1 + template_below(&sample, 3);
		c.config.every = every[number % DIM(every)];
		c.config.first = number % 5 == 0 ? 0 : sample.first / 4;
		if (number % 7 == 0) {
			c.config.parts = 3;
			c.config.part = template_below(&sample, 3);
		}
		receipt = receipt_of(&c);
		receipt_silent(&receipt, sample.commands);
		checks += pg_receipt_checks(&receipt);
	}
	CHECK(checks > 9 * TEMPLATES, "%u checks", checks);
}

#define IP4  "vlan_id 5;vlan_p 3;svlan_id 6;flag UDPCSUM;pkt_size 100;tos b8;"
#define IP6  "src6 fd00::1;dst6 fd00::2;traffic_class 20;pkt_size 120;"
#define MPLS "mpls 0001000a,0002000a;pkt_size 80;"

enum fix { AS_IT_IS, FIX_IP = 1, FIX_UDP = 2, FIX = FIX_IP | FIX_UDP };

/** Bytes of the victim's frame to write, at an offset behind layer 2's header of the template; the
 *  checksums that are made right again; who names it, and how. */
static const struct fault {
	const char *commands;
	uint32_t l3, at;
	const char *hex;
	enum fix fix;
	enum pg_verify_check check;
	const char *field, *expected, *found;
} faults[] = {
	{IP4, 22, 0, "020000000003", AS_IT_IS, PG_VERIFY_ETHERNET, "eth.dst", "00:00:00:00:00:00",
		"02:00:00:00:00:03"},
	{IP4, 22, 6, "020000000002", AS_IT_IS, PG_VERIFY_ETHERNET, "eth.src", "02:00:00:00:00:01",
		"02:00:00:00:00:02"},
	{IP4, 22, 12, "8101", AS_IT_IS, PG_VERIFY_ETHERNET, "eth.type", "0x8100", "0x8101"},
	{IP4, 22, 16, "88a8", AS_IT_IS, PG_VERIFY_ETHERNET, "eth.type", "0x8100", "0x88a8"},
	{IP4, 22, 20, "86dd", AS_IT_IS, PG_VERIFY_ETHERNET, "eth.type", "0x800", "0x86dd"},
	{IP4, 22, 14, "0007", AS_IT_IS, PG_VERIFY_TAGS, "svlan.id", "6", "7"},
	{IP4, 22, 14, "2006", AS_IT_IS, PG_VERIFY_TAGS, "svlan.priority", "0", "1"},
	{IP4, 22, 14, "1006", AS_IT_IS, PG_VERIFY_TAGS, "svlan.cfi", "0", "1"},
	{IP4, 22, 18, "6004", AS_IT_IS, PG_VERIFY_TAGS, "vlan.id", "5", "4"},
	{IP4, 22, 18, "0005", AS_IT_IS, PG_VERIFY_TAGS, "vlan.priority", "3", "0"},
	{IP4, 22, 18, "7005", AS_IT_IS, PG_VERIFY_TAGS, "vlan.cfi", "0", "1"},
	{MPLS, 22, 14, "0001000b", AS_IT_IS, PG_VERIFY_TAGS, "mpls.0", "0x1000a", "0x1000b"},
	{MPLS, 22, 18, "1002010a", AS_IT_IS, PG_VERIFY_TAGS, "mpls.1", "0x2000a", "0x1002000a"},
	{MPLS, 22, 14, "0001010a", AS_IT_IS, PG_VERIFY_TAGS, "mpls.depth", "2", "1"},
	{IP4, 22, 22, "65", AS_IT_IS, PG_VERIFY_IP, "ip.version", "4", "6"},
	{IP4, 22, 22, "46", FIX, PG_VERIFY_IP, "ip.ihl", "5", "6"},
	{IP4, 22, 23, "b0", FIX, PG_VERIFY_IP, "ip.tos", "0xb8", "0xb0"},
	{IP4, 22, 24, "004f", FIX, PG_VERIFY_LENGTHS, "ip.length", "78", "79"},
	{IP4, 22, 26, "0012", FIX, PG_VERIFY_IP, "ip.id", "17", "18"},
	{IP4, 22, 28, "2000", FIX, PG_VERIFY_IP, "ip.fragment", "0x0", "0x2000"},
	{IP4, 22, 30, "1f", FIX, PG_VERIFY_IP, "ip.ttl", "32", "31"},
	{IP4, 22, 31, "06", FIX_IP, PG_VERIFY_IP, "ip.protocol", "17", "6"},
	{IP4, 22, 32, "1234", AS_IT_IS, PG_VERIFY_CHECKSUMS, "ip.checksum", NULL, "0x1234"},
	{IP4, 22, 34, "0a000001", FIX, PG_VERIFY_IP, "ip.src", "0.0.0.0", "10.0.0.1"},
	{IP4, 22, 38, "c6120001", FIX, PG_VERIFY_IP, "ip.dst", "0.0.0.0", "198.18.0.1"},
	{IP4, 22, 42, "000a", FIX, PG_VERIFY_UDP, "udp.src", "9", "10"},
	{IP4, 22, 44, "0008", FIX, PG_VERIFY_UDP, "udp.dst", "9", "8"},
	{IP4, 22, 46, "003b", FIX, PG_VERIFY_LENGTHS, "udp.length", "58", "59"},
	{IP4, 22, 48, "0000", AS_IT_IS, PG_VERIFY_CHECKSUMS, "udp.checksum", NULL, "0x0"},
	{"pkt_size 60;", 14, 40, "ffff", AS_IT_IS, PG_VERIFY_CHECKSUMS, "udp.checksum", "0x0",
		"0xffff"},
	{IP4, 22, 50, "be9be954", FIX, PG_VERIFY_PAYLOAD, "pktgen.magic", "0xbe9be955",
		"0xbe9be954"},
	{IP4, 22, 54, "00000011", FIX, PG_VERIFY_SEQUENCE, "pktgen.sequence", "18", "17"},
	{IP4, 22, 62, "000f4240", FIX, PG_VERIFY_STAMPS, "pktgen.microseconds", "0 to 999999",
		"1000000"},
	{IP4, 22, 58, "6659f606", FIX, PG_VERIFY_STAMPS, "pktgen.time",
		"1717171717.144443 s to 1717171717.144445 s", "1717171718.144444 s"},
	{IP4 "flag NO_TIMESTAMP", 22, 58, "00000001", FIX, PG_VERIFY_STAMPS, "pktgen.seconds", "0",
		"1"},
	{IP4, 22, 99, "01", FIX, PG_VERIFY_PAYLOAD, "first byte that is not zero", "100", "99"},
	{IP6, 14, 14, "62100000", FIX_UDP, PG_VERIFY_IP, "ip6.class", "0x20", "0x21"},
	{IP6, 14, 14, "62000001", FIX_UDP, PG_VERIFY_IP, "ip6.flow_label", "0x0", "0x1"},
	{IP6, 14, 18, "0043", FIX_UDP, PG_VERIFY_LENGTHS, "ip6.length", "66", "67"},
	{IP6, 14, 20, "06", AS_IT_IS, PG_VERIFY_IP, "ip6.next_header", "17", "6"},
	{IP6, 14, 21, "ff", FIX_UDP, PG_VERIFY_IP, "ip6.hop_limit", "32", "255"},
	{IP6, 14, 37, "02", FIX_UDP, PG_VERIFY_IP, "ip6.src", "fd00::1", "fd00::2"},
	{IP6, 14, 38, "fe", FIX_UDP, PG_VERIFY_IP, "ip6.dst", "fd00::2", "fe00::2"},
	{IP6, 14, 60, "0000", AS_IT_IS, PG_VERIFY_CHECKSUMS, "udp.checksum", NULL, "0x0"},
	{IP6, 14, 60, "ffff", AS_IT_IS, PG_VERIFY_CHECKSUMS, "udp.checksum", NULL, "0xffff"},
};

static const struct fault *fault;

static uint32_t
sum_of(const uint8_t *at, uint32_t n, uint32_t sum)
{
	for (uint32_t i = 0; i < n; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

// As a receiver has it, of the bytes that are there.
static void
fix_sums(uint8_t *ip, uint32_t bytes, bool ip6, enum fix fix)
{
	uint32_t l3 = ip6 ? 40 : 20, sum;
	uint8_t *udp = ip + l3;

	if (fix & FIX_IP) {
		ip[10] = ip[11] = 0;
		sum = ~sum_of(ip, 20, 0);
		ip[10] = (uint8_t)(sum >> 8);
		ip[11] = (uint8_t)sum;
	}
	if (fix & FIX_UDP) {
		udp[6] = udp[7] = 0;
		sum = sum_of(ip + (ip6 ? 8 : 12), ip6 ? 32 : 8, 17 + bytes - l3);
		sum = ~sum_of(udp, bytes - l3, sum);
		udp[6] = (uint8_t)(sum >> 8);
		udp[7] = (uint8_t)sum;
	}
}

static void
write_hex(uint8_t *at, const char *hex)
{
	for (unsigned int value; *hex != '\0'; hex += 2) {
		assert_int_equal(sscanf(hex, "%2x", &value), 1);
		*at++ = (uint8_t)value;
	}
}

static void
break_field(struct rte_mbuf **pkts, uint64_t *due, uint64_t first, unsigned int n)
{
	uint8_t *frame;

	(void)due;
	if (first > VICTIM || first + n <= VICTIM)
		return;
	frame = rte_pktmbuf_mtod(pkts[VICTIM - first], uint8_t *);
	write_hex(frame + fault->at, fault->hex);
	fix_sums(frame + fault->l3, pkts[VICTIM - first]->pkt_len - fault->l3,
		strstr(fault->commands, "src6") != NULL, fault->fix);
}

static void
test_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(faults); i++) {
		struct receipt_case c = receipt_case(faults[i].commands);
		const struct pg_receipt_check *check;
		char what[80], text[PG_VERIFY_TEXT_MAX];
		struct pg_receipt receipt;

		fault = &faults[i];
		c.paced = true;
		snprintf(what, sizeof(what), "%s, row %zu", fault->field, i);
		receipt = receipt_of(&c);
		receipt_silent(&receipt, what);
		c.tamper = break_field;
		receipt = receipt_of(&c);
		check = receipt_names(&receipt, fault->check, what);
		CHECK_U64(check->faults, 1, "%s", what);
		CHECK_U64(check->first.packet, VICTIM, "%s", what);
		CHECK_TEXT(pg_verify_field_name(check->first.field), fault->field, "row %zu", i);
		CHECK_TEXT(pg_verify_found_text(&check->first, text, sizeof(text)), fault->found,
			"%s", what);
		pg_verify_expected_text(&check->first, text, sizeof(text));
		CHECK(fault->expected == NULL || strcmp(text, fault->expected) == 0,
			"expected '%s', %s", text, what);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests_name("verify", tests, rig_start, rig_stop);
}
