/* SPDX-License-Identifier: BSD-3-Clause */
/* What the receipt sees of many packets together: order, times, flows, shares, distributions and
 * counts; and of the buffers that they lie in. Each is broken alone, and named alone. */
#include "support.h"

#include "support_receipt.h"

#define VICTIM 17

static bool
has_victim(uint64_t first, unsigned int n)
{
	return first <= VICTIM && VICTIM < first + n;
}

static struct rte_mbuf *
victim_of(struct rte_mbuf **pkts, uint64_t first, unsigned int n)
{
	return has_victim(first, n) ? pkts[VICTIM - first] : NULL;
}

#define TAMPER(name) \
	static void name(struct rte_mbuf **pkts, uint64_t *due, uint64_t first, unsigned int n)

TAMPER(swap)
{
	(void)due;
	if (has_victim(first, n)) {
		struct rte_mbuf *other = pkts[VICTIM - first + 1];

		pkts[VICTIM - first + 1] = pkts[VICTIM - first];
		pkts[VICTIM - first] = other;
	}
}

TAMPER(repeat)
{
	(void)due;
	if (has_victim(first, n))
		pkts[VICTIM - first] = pkts[VICTIM - first - 1];
}

TAMPER(late)
{
	(void)pkts;
	if (has_victim(first, n))
		due[VICTIM - first] += 500;
}

// From one packet on.
TAMPER(late_from)
{
	(void)pkts;
	for (unsigned int k = 0; k < n; k++)
		due[k] += first + k >= VICTIM ? 500 : 0;
}

TAMPER(length_of_mbuf)
{
	struct rte_mbuf *victim = victim_of(pkts, first, n);

	(void)due;
	if (victim != NULL)
		victim->pkt_len++;
}

TAMPER(segments_of_mbuf)
{
	struct rte_mbuf *victim = victim_of(pkts, first, n);

	(void)due;
	if (victim != NULL)
		victim->nb_segs = 2;
}

TAMPER(shorter)
{
	struct rte_mbuf *victim = victim_of(pkts, first, n);

	(void)due;
	if (victim != NULL)
		victim->pkt_len = victim->data_len = victim->pkt_len - 1;
}

TAMPER(cut)
{
	struct rte_mbuf *victim = victim_of(pkts, first, n);

	(void)due;
	if (victim != NULL)
		victim->pkt_len = victim->data_len = 40;
}

#define SOURCE 35 // the lower byte of the UDP source

// One packet of the next flow.
TAMPER(other_flow)
{
	struct rte_mbuf *victim = victim_of(pkts, first, n);

	(void)due;
	if (victim != NULL)
		rte_pktmbuf_mtod(victim, uint8_t *)[SOURCE]++;
}

TAMPER(even_ports)
{
	(void)due;
	(void)first;
	for (unsigned int k = 0; k < n; k++)
		rte_pktmbuf_mtod(pkts[k], uint8_t *)[SOURCE] &= 0xfe;
}

#define PORTS "udp_src_min 1024;udp_src_max 2047;"

/** The commands, what the builder is told instead (NULL: the same), and who names it. */
static const struct {
	const char *what, *commands, *built_as;
	void (*tamper)(struct rte_mbuf **pkts, uint64_t *due, uint64_t first, unsigned int n);
	enum pg_verify_check check;
	unsigned int built;
	bool paced;
	uint64_t packet; /**< 0: any */
	const char *text;
} cases[] = {
	{"two packets in the other order", "dst6 fd00::1;flag NO_TIMESTAMP", NULL, swap,
		PG_VERIFY_SEQUENCE, 64, false, VICTIM, "pktgen.sequence is 19, expected 18"},
	{"a packet twice", "dst6 fd00::1;flag NO_TIMESTAMP", NULL, repeat, PG_VERIFY_SEQUENCE, 64,
		false, VICTIM, "pktgen.sequence is 17, expected 18"},
	{"a packet half a microsecond late", "pkt_size 60", NULL, late, PG_VERIFY_GAPS, 64, true,
		VICTIM, "is 20988139, expected 20987638 to 20987640"},
	{"a gap too long", "pkt_size 60", NULL, late_from, PG_VERIFY_GAPS, 64, true, VICTIM,
		"is 20988139, expected 20987638 to 20987640"},
	{"an mbuf's length", "pkt_size 60", NULL, length_of_mbuf, PG_VERIFY_LENGTHS, 64, false,
		VICTIM, "mbuf.pkt_len is 61, expected 60"},
	{"an mbuf's segments", "pkt_size 60", NULL, segments_of_mbuf, PG_VERIFY_LENGTHS, 64, false,
		VICTIM, "mbuf.nb_segs is 2, expected 1"},
	{"a frame's length", "pkt_size 60", NULL, shorter, PG_VERIFY_LENGTHS, 64, false, VICTIM,
		"frame.length is 59, expected 60"},
	{"a frame that is cut", "pkt_size 60", NULL, cut, PG_VERIFY_LENGTHS, 64, false, VICTIM,
		"frame.length is 40, expected 60"},
	{"a size out of its turn", "min_pkt_size 60;max_pkt_size 70",
		"min_pkt_size 60;max_pkt_size 69", NULL, PG_VERIFY_LENGTHS, 64, false, 10,
		"frame.length is 60, expected 70"},
	{"a size out of its range", "flag TXSIZE_RND;min_pkt_size 60;max_pkt_size 70",
		"flag TXSIZE_RND;min_pkt_size 60;max_pkt_size 71", NULL, PG_VERIFY_LENGTHS, 200,
		false, 0, "frame.length is 71, expected 60 to 70"},
	{"a size that is not of the mix", "imix_weights 60,7 590,4", "imix_weights 60,7 591,4",
		NULL, PG_VERIFY_LENGTHS, 9, false, 0, "frame.length is 591, expected 60"},
	{"shares of a mix", "imix_weights 60,6 590,5", "imix_weights 60,7 590,4", NULL,
		PG_VERIFY_SHARES, 110, false, 0, "packets of its size is 7, expected 0 to 6"},
	{"one packet in pieces", "frags 1;pkt_size 100", "pkt_size 100", NULL, PG_VERIFY_SEGMENTS,
		64, false, 0, "packet 0: mbuf.data_len is 100, expected 58"},
	{"a priority", "skb_priority 6", "skb_priority 5", NULL, PG_VERIFY_PRIORITY, 64, false, 0,
		"packet 0: mbuf.queue_id is 5, expected 6"},
	{"a flow in sequence that is cut", PORTS "flows 5;flowlen 4;flag FLOW_SEQ", NULL,
		other_flow, PG_VERIFY_FLOWS, 64, false, VICTIM, "udp.src is 1029, expected 1028"},
	{"flows in sequence that are too short", PORTS "flows 5;flowlen 4;flag FLOW_SEQ",
		PORTS "flows 5;flowlen 3;flag FLOW_SEQ", NULL, PG_VERIFY_FLOWS, 64, false, 3,
		"udp.src is 1025, expected 1024"},
	{"random flows in sequence that are too long",
		PORTS "flows 5;flowlen 4;flag FLOW_SEQ;flag UDPSRC_RND",
		PORTS "flows 5;flowlen 5;flag FLOW_SEQ;flag UDPSRC_RND", NULL, PG_VERIFY_FLOWS, 64,
		false, 5, "udp.src is "},
	{"a packet of another flow", PORTS "flows 5;flowlen 4", NULL, other_flow, PG_VERIFY_FLOWS,
		64, false, 0, ""},
	{"flows that are too long", PORTS "flows 5;flowlen 4", PORTS "flows 5;flowlen 5", NULL,
		PG_VERIFY_FLOWS, 100, false, 0, "packets of the flow is 5, expected 4"},
	{"more flows than asked", PORTS "flows 5;flowlen 4", PORTS "flows 6;flowlen 4", NULL,
		PG_VERIFY_FLOWS, 120, false, 0, ""},
	{"random flows that are too short", PORTS "flows 5;flowlen 4;flag UDPSRC_RND",
		PORTS "flows 5;flowlen 3;flag UDPSRC_RND", NULL, PG_VERIFY_FLOWS, 60, false, 0, ""},
	{"half of a random range", PORTS "flag UDPSRC_RND",
		"udp_src_min 1024;udp_src_max 1535;flag UDPSRC_RND", NULL, PG_VERIFY_RANDOM, 4000,
		false, 0, "udp.src came "},
	{"a bit that never comes", PORTS "flag UDPSRC_RND", NULL, even_ports, PG_VERIFY_RANDOM,
		20000, false, 0, "udp.src came "},
	{"a random field that only counts", PORTS "flag UDPSRC_RND",
		"udp_src_min 1024;udp_src_max 1040", NULL, PG_VERIFY_RANDOM, 4000, false, 0,
		"udp.src came "},
	{"an address that never changes", "dst6 fd00::1;dst6_min fd00::1;dst6_max fd00::1:0:0:0",
		"dst6 fd00::5", NULL, PG_VERIFY_RANDOM, 4000, false, 0, "ip6.dst came "},
	{"a label that never changes", "mpls 0001010a", "mpls 0000000a", NULL, PG_VERIFY_RANDOM,
		4000, false, 0, "mpls.0 came "},
};

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct receipt_case c = receipt_case(cases[i].commands);
		const struct pg_receipt_check *check;
		char text[PG_VERIFY_TEXT_MAX];
		struct pg_receipt receipt;

		c.paced = cases[i].paced;
		c.built = cases[i].built;
		if (cases[i].check != PG_VERIFY_SEGMENTS) { // the rig's buffers are in one piece
			receipt = receipt_of(&c);
			receipt_silent(&receipt, cases[i].what);
			CHECK(receipt.check[cases[i].check].counted, "%s", cases[i].what);
		}
		c.tamper = cases[i].tamper;
		c.built_as = cases[i].built_as;
		receipt = receipt_of(&c);
		check = receipt_names(&receipt, cases[i].check, cases[i].what);
		pg_verify_fault_text(&check->first, text, sizeof(text));
		CHECK(strstr(text, cases[i].text) != NULL, "%s: '%s'", cases[i].what, text);
		CHECK(cases[i].packet == 0 || check->first.packet == cases[i].packet, "%s: '%s'",
			cases[i].what, text);
	}
}

static void
test_packets(void **state)
{
	struct receipt_case c = receipt_case("pkt_size 60");
	const struct pg_receipt_check *check;
	char text[PG_VERIFY_TEXT_MAX];
	struct pg_receipt receipt;

	(void)state;
	c.unaccounted = 1;
	receipt = receipt_of(&c);
	check = receipt_names(&receipt, PG_VERIFY_PACKETS, "a packet that never came");
	CHECK_TEXT(pg_verify_fault_text(&check->first, text, sizeof(text)),
		"packet 64: packets is 64, expected 65", "");
}

// One packet of so many is read, each at a place of its own, and all of them are counted.
static void
test_samples(void **state)
{
	static const uint32_t every[] = {1, 2, 3, 10, 1000};

	(void)state;
	for (size_t i = 0; i < DIM(every); i++) {
		struct receipt_case c = receipt_case("pkt_size 60");
		struct pg_receipt receipt;

		c.built = 3000;
		c.burst = 7;
		c.config.every = every[i];
		receipt = receipt_of(&c);
		receipt_silent(&receipt, "samples");
		CHECK_U64(receipt.every, every[i], "row %zu", i);
		CHECK_U64(receipt.check[PG_VERIFY_PACKETS].packets, 3000, "row %zu", i);
		CHECK(receipt.packets >= 3000 / every[i] && receipt.packets <= 3000 / every[i] + 1,
			"%llu read, one in %u", (unsigned long long)receipt.packets, every[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_samples),
	};

	return cmocka_run_group_tests_name("verify_stream", tests, rig_start, rig_stop);
}
