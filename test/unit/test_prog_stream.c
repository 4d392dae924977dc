/* SPDX-License-Identifier: BSD-3-Clause */
/* `stream NAME K/N`: packet j of a part is packet K + j * N of the stream, byte for byte, so that N
 * parts make together exactly the packets of one. */
#include "support.h"

#include <stdlib.h>

#include "support_eal.h"
#include "support_prog.h"

static struct rig rig;

static struct pg_prog *
compile(const struct pg_flow *flow, uint32_t part, uint32_t parts, uint32_t copies, bool portable)
{
	const struct pg_prog_config config = {.flow = flow,
		.stream = "s",
		.part = part,
		.parts = parts,
		.seed = 3,
		.copies = copies,
		.portable = portable};

	return rig_compile(&config);
}

static const char *const templates[] = {
	"pkt_size 60",
	"flag UDPCSUM;src_min 1.2.3.4;src_max 1.2.3.9;dst_min 10.0.0.0;dst_max 10.0.3.1;"
	"udp_src_min 9;udp_src_max 12;udp_dst_min 0;udp_dst_max 65535",
	"flag UDPCSUM;src_min 0.0.0.0;src_max 255.255.255.255;dst_min 1.0.0.0;dst_max 255.0.0.0;"
	"src_mac_count 4294967295;dst_mac_count 5",
	"flag IPSRC_RND;flag IPDST_RND;flag UDPSRC_RND;flag UDPDST_RND;src_min 1.2.3.4;"
	"src_max 1.2.3.19;dst_min 126.0.0.0;dst_max 130.0.0.5;udp_src_max 73;udp_dst_max 1000",
	"flag TXSIZE_RND;min_pkt_size 60;max_pkt_size 90;flag UDPCSUM;vlan_id 5;svlan_id 6;"
	"flag VID_RND;flag SVID_RND",
	"min_pkt_size 60;max_pkt_size 99;mpls 100,100;flag UDPCSUM",
	"imix_weights 60,7 70,4 80,1;flag UDPCSUM",
	"flows 7;flowlen 3;flag FLOW_SEQ;dst_min 10.0.0.0;dst_max 10.0.0.99;flag UDPSRC_RND;"
	"udp_src_max 999",
	"flows 5;flowlen 4;dst_min 10.0.0.0;dst_max 10.9.0.0;flag IPSRC_RND;src_min 1.0.0.0;"
	"src_max 2.0.0.0",
	"src6 fd00::1;dst6_min fd00::;dst6_max fd00::ffff:0",
	"src6_min fd00::1;src6_max fd00::2:1;dst6 fd00::2;flows 3;flowlen 2",
};

#define FIRST_PACKETS 700

// Against one packet alone, which knows nothing of parts or bursts.
static void
check_part(const struct pg_flow *flow, uint32_t part, uint32_t parts, uint64_t from,
	unsigned int burst, bool portable)
{
	uint32_t copies = 1 + part % 3;
	struct pg_prog *prog = compile(flow, part, parts, copies, portable);
	struct pg_prog *whole = compile(flow, 0, 0, copies, !portable);
	static uint8_t want[RIG_ROOM];

	pg_prog_seek(prog, &rig.state, from);
	for (unsigned int at = 0; at < FIRST_PACKETS; at += burst) {
		rig_dirty(&rig, burst);
		pg_prog_run(prog, &rig.state, rig.mbuf, burst);
		for (unsigned int k = 0; k < burst; k += burst == 512 ? 73 : 1) {
			uint64_t index = part + (from + at + k) * (uint64_t)(parts ? parts : 1);
			int length = pg_prog_packet(whole, index, 0, want, sizeof(want));

			CHECK_U64(rig.mbuf[k]->pkt_len, length, "packet %llu, part %u of %u",
				(unsigned long long)index, part, parts);
			CHECK(memcmp(rig_frame(&rig, k), want, length) == 0,
				"packet %llu, part %u of %u, burst %u", (unsigned long long)index,
				part, parts, burst);
		}
	}
	pg_prog_destroy(prog);
	pg_prog_destroy(whole);
}

static void
test_parts(void **state)
{
	static const struct {
		uint32_t part, parts;
	} parts[] = {{0, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 3}, {6, 7}, {31, 32}, {511, 513},
		{12, 65537}, {4000000000u, 4294967295u}};
	static const unsigned int bursts[] = {1, 7, 32, 512};

	(void)state;
	for (size_t t = 0; t < DIM(templates); t++) {
		char commands[400];
		struct pg_flow flow;

		snprintf(commands, sizeof(commands), "flag NO_TIMESTAMP;%s", templates[t]);
		flow = flow_make(commands);
		for (size_t p = 0; p < DIM(parts); p++) {
			uint32_t n = parts[p].parts ? parts[p].parts : 1;
			uint64_t block = (1ull << 32) / n;

			check_part(&flow, parts[p].part, parts[p].parts, 0, bursts[(t + p) % 4],
				(t + p) % 2);
			// Where the upper half of the stream's index changes.
			check_part(&flow, parts[p].part, parts[p].parts,
				block > 50 ? block - 50 : 0, 512, (t + p) % 2);
		}
	}
}

/** Flow starts that a part counts in its first n packets. */
static uint64_t
starts(const struct pg_flow *flow, uint32_t part, uint32_t parts, unsigned int n)
{
	struct pg_prog *prog = compile(flow, part, parts, 1, false);

	rig.state.seen = calloc(1, PG_FLOWS_MAX / 8);
	pg_prog_seek(prog, &rig.state, 0);
	for (unsigned int k = 0; k < n; k += 10) {
		rig_dirty(&rig, 10);
		pg_prog_run(prog, &rig.state, rig.mbuf, 10);
		if (k == 50) { // a packet built again starts nothing
			pg_prog_back(prog, &rig.state);
			rig_dirty(&rig, 1);
			pg_prog_run(prog, &rig.state, rig.mbuf, 1);
		}
	}
	free(rig.state.seen);
	rig.state.seen = NULL;
	pg_prog_destroy(prog);
	return rig.state.flows_started;
}

// A part counts the flows that it has packets of.
static void
test_flow_starts(void **state)
{
	struct pg_flow seq = flow_make("flows 7;flowlen 5;flag FLOW_SEQ");
	struct pg_flow any = flow_make("flows 7;flowlen 5");

	(void)state;
	CHECK_U64(starts(&seq, 0, 1, 100), 20, "whole");
	CHECK_U64(starts(&seq, 1, 2, 100), 40, "every flow has packets of either half");
	CHECK_U64(starts(&seq, 4, 5, 100), 100, "a packet of each flow");
	CHECK_U64(starts(&seq, 3, 11, 100), 100, "a packet of some flows");
	CHECK_U64(starts(&any, 0, 1, 350), 70, "whole blocks");
	CHECK_U64(starts(&any, 34, 35, 100), 100, "a packet of each block");
}

static int
start(void **state)
{
	int rc = support_eal_start(state);

	if (rc == 0)
		rig_init(&rig);
	return rc;
}

static int
stop(void **state)
{
	rig_fini(&rig);
	return support_eal_stop(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_flow_starts),
	};

	return cmocka_run_group_tests_name("prog_stream", tests, start, stop);
}
