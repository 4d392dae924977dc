/* SPDX-License-Identifier: BSD-3-Clause */
/* How often each value comes, over as many packets as it takes to be sure. */
#include "support.h"

#include <math.h>

#include "support_prog.h"

#define PLAIN    "flag NO_TIMESTAMP;flag UDPCSUM"
#define VALUES   65536
#define ETHER    14
#define SRC_PORT (ETHER + 20)
#define DST_PORT (ETHER + 22)
#define SRC_LOW  (ETHER + 14) // the last two bytes of an address
#define DST_LOW  (ETHER + 18)
#define DST_MAC  4
#define SRC_MAC  10

static uint32_t
read_be16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

/** Do something with each of n packets from `first` on, in the largest bursts. */
static void
for_packets(const struct pg_prog *prog, uint64_t first, uint64_t n,
	void (*visit)(const struct rte_mbuf *mbuf, const uint8_t *frame))
{
	rig_dirty(&buffers, PG_BURST_MAX);
	pg_prog_seek(prog, &buffers.state, first);
	for (uint64_t at = 0; at < n; at += PG_BURST_MAX) {
		unsigned int now = n - at < PG_BURST_MAX ? n - at : PG_BURST_MAX;

		pg_prog_run(prog, &buffers.state, buffers.mbuf, now);
		for (unsigned int k = 0; k < now; k++)
			visit(buffers.mbuf[k], rig_frame(&buffers, k));
	}
}

static uint32_t count[VALUES], offset;

static void
count_value(const struct rte_mbuf *mbuf, const uint8_t *frame)
{
	(void)mbuf;
	count[read_be16(frame + offset)]++;
}

/** Sixteen bits of a frame whose values lo .. hi shall come equally often. */
struct uniform {
	const char *commands;
	uint32_t offset, lo, hi;
};

// Every value comes, no other does, and they come as often as chance has it: with k values the sum
// of (count - n / k)^2 / (n / k) has the mean k - 1 and the standard deviation sqrt(2 (k - 1)).
// Beyond 6 of those on either side a fair draw falls once in 500 million times; too even is as
// wrong as too uneven. With n = 30 k or more packets, k * exp(-30) values are expected to be
// missed.
static void
check_uniform(const struct uniform *u, uint64_t seed, uint64_t n, bool portable)
{
	struct pg_flow flow = flow_make(u->commands);
	struct pg_prog *prog = rig_compile_flow(&flow, seed, portable);
	double k = u->hi - u->lo + 1, share = (double)n / k, sum = 0;
	uint32_t came = 0, strange = 0;

	assert_true((double)n >= 30 * k);
	memset(count, 0, sizeof(count));
	offset = u->offset;
	for_packets(prog, 0, n, count_value);
	for (uint32_t v = 0; v < VALUES; v++) {
		bool inside = v >= u->lo && v <= u->hi;

		came += inside && count[v] > 0;
		strange += inside ? 0 : count[v];
		sum += inside ? (count[v] - share) * (count[v] - share) / share : 0;
	}
	CHECK_U64(came, u->hi - u->lo + 1, "distinct values: %s", u->commands);
	CHECK_U64(strange, 0, "values outside: %s", u->commands);
	CHECK(fabs(sum - (k - 1)) <= 6 * sqrt(2 * (k - 1)), "chi-square %.1f of %.0f values: %s",
		sum, k, u->commands);
	pg_prog_destroy(prog);
}

// Ten million packets with a random port: all 64 512 of them.
static void
test_port(void **state)
{
	static const struct uniform port = {
		PLAIN ";flag UDPSRC_RND;udp_src_min 1024;udp_src_max 65535", SRC_PORT, 1024, 65535};

	(void)state;
	check_uniform(&port, 1, 10000000, false);
}

// The whole of every field of 16 bits, with both instruction sets.
static void
test_sixteen_bits(void **state)
{
	static const struct uniform fields[] = {
		{PLAIN ";flag UDPSRC_RND;udp_src_min 0;udp_src_max 65535", SRC_PORT, 0, 65535},
		{PLAIN ";flag UDPDST_RND;udp_dst_min 0;udp_dst_max 65535", DST_PORT, 0, 65535},
		{PLAIN ";flag UDPDST_RND;udp_dst_min 1;udp_dst_max 65535", DST_PORT, 1, 65535},
		{PLAIN ";flag IPSRC_RND;src_min 10.0.0.0;src_max 10.0.255.255", SRC_LOW, 0, 65535},
		{PLAIN ";flag IPDST_RND;dst_min 10.0.0.0;dst_max 10.0.255.254", DST_LOW, 0, 65534},
		{PLAIN ";dst_mac 02:00:00:00:00:00;flag MACDST_RND;dst_mac_count 65536", DST_MAC, 0,
			65535},
		{PLAIN ";src_mac 02:00:00:00:00:00;flag MACSRC_RND;src_mac_count 65536", SRC_MAC, 0,
			65535},
		{PLAIN ";vlan_id 1;flag VID_RND", ETHER, 0, 4095},
		{PLAIN ";vlan_id 1;svlan_id 1;flag SVID_RND", ETHER, 0, 4095},
	};

	(void)state;
	for (size_t i = 0; i < DIM(fields) * 2; i++)
		check_uniform(&fields[i / 2], i, 32 * VALUES, i % 2);
}

#define MIX_PACKETS 12000
#define MIX_CYCLE   12

static const uint32_t mix_size[3] = {60, 590, 1514}, mix_weight[3] = {7, 4, 1};
static uint32_t mix_at, mix_count[MIX_PACKETS / MIX_CYCLE][3];

static void
count_size(const struct rte_mbuf *mbuf, const uint8_t *frame)
{
	(void)frame;
	for (int s = 0; s < 3; s++)
		mix_count[mix_at / MIX_CYCLE][s] += mbuf->pkt_len == mix_size[s];
	mix_at++;
}

// A mix: 7 000, 4 000 and 1 000 of 12 000 packets, 7, 4 and 1 of each 12 from a multiple of 12 on.
static void
test_mix(void **state)
{
	struct pg_flow flow = flow_make(PLAIN ";imix_weights 60,7 590,4 1514,1");
	static const uint64_t firsts[] = {0, 12 * 100000007ull, 12 * ((1ull << 32) / 12 - 400)};

	(void)state;
	for (size_t i = 0; i < DIM(firsts) * 4; i++) {
		struct pg_prog *prog = rig_compile_flow(&flow, i, i % 2);
		uint32_t all[3] = {0};

		memset(mix_count, 0, sizeof(mix_count));
		mix_at = 0;
		for_packets(prog, firsts[i / 4], MIX_PACKETS, count_size);
		for (uint32_t c = 0; c < MIX_PACKETS / MIX_CYCLE; c++) {
			for (int s = 0; s < 3; s++) {
				CHECK_U64(mix_count[c][s], mix_weight[s],
					"packets of %u bytes in cycle %u, seed %zu", mix_size[s], c,
					i);
				all[s] += mix_count[c][s];
			}
		}
		assert_true(all[0] == 7000 && all[1] == 4000 && all[2] == 1000);
		pg_prog_destroy(prog);
	}
}

// In turn: of n packets each of 255 addresses gets n / 255, or one more.
static void
test_round_robin(void **state)
{
	struct pg_flow flow = flow_make(PLAIN
		";src_min 198.18.7.1;src_max 198.18.7.255;dst_min 10.0.0.1;dst_max 10.0.0.255");
	static const uint64_t packets[] = {1, 254, 255, 256, 1000, 65536, 1000003},
			      firsts[] = {0, 1, 100, (1ull << 32) - 500};
	const uint32_t offsets[] = {SRC_LOW, DST_LOW};

	(void)state;
	for (size_t i = 0; i < DIM(packets) * DIM(firsts) * 2; i++) {
		struct pg_prog *prog = rig_compile_flow(&flow, 1, i / 2 % 2);
		uint64_t n = packets[i / 2 % DIM(packets)], came = 0;
		uint32_t base = i % 2 ? 0 : 7 << 8;

		memset(count, 0, sizeof(count));
		offset = offsets[i % 2];
		for_packets(prog, firsts[i / 2 / DIM(packets)], n, count_value);
		for (uint32_t v = 1; v <= 255; v++) {
			uint64_t times = count[base + v];

			CHECK(times == n / 255 || times == (n + 254) / 255,
				"address %u came %llu times in %llu packets", v,
				(unsigned long long)times, (unsigned long long)n);
			came += times;
		}
		CHECK_U64(came, n, "packets to and from the 255 addresses");
		pg_prog_destroy(prog);
	}
}

static uint32_t asked, asked_most; // the size of the next packet, and the last one of the range

// The buffer, layer 3 and UDP say the size that was asked for.
static void
check_size(const struct rte_mbuf *mbuf, const uint8_t *frame)
{
	const uint8_t *ip = frame + ETHER;
	bool ip4 = ip[0] >> 4 == 4;
	uint32_t udp = ETHER + (ip4 ? 20 : 40);

	CHECK(mbuf->pkt_len == asked && mbuf->data_len == asked, "%u and %u bytes, not %u",
		mbuf->pkt_len, mbuf->data_len, asked);
	CHECK_U64(read_be16(ip + (ip4 ? 2 : 4)), asked - (ip4 ? ETHER : udp), "length of IP");
	CHECK_U64(read_be16(frame + udp + 4), asked - udp, "length of UDP");
	asked += asked < asked_most;
}

// 60 to 1514 bytes, each of them: as a range and as the size of all packets.
static void
test_sizes(void **state)
{
	static const struct {
		const char *more;
		uint32_t lo;
	} versions[] = {{"", 60}, {";src6 fd00::1;dst6 fd00::2", 78}};

	(void)state;
	for (size_t i = 0; i < DIM(versions) * 2; i++) {
		uint32_t lo = versions[i / 2].lo, hi = 1514;
		struct pg_prog *prog;
		struct pg_flow flow;
		char commands[200];

		snprintf(commands, sizeof(commands), PLAIN ";min_pkt_size %u;max_pkt_size %u%s", lo,
			hi, versions[i / 2].more);
		flow = flow_make(commands);
		prog = rig_compile_flow(&flow, 1, i % 2);
		asked = lo;
		asked_most = hi;
		for_packets(prog, 0, hi - lo + 1, check_size);
		assert_int_equal(asked, hi);
		pg_prog_destroy(prog);
		for (uint32_t size = lo; size <= hi; size++) {
			flow.field[PG_FIELD_SIZE] = (struct pg_range){size, size, 0};
			prog = rig_compile_flow(&flow, 1, i % 2);
			asked = asked_most = size;
			for_packets(prog, 0, 3, check_size);
			pg_prog_destroy(prog);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_port),
		cmocka_unit_test(test_sixteen_bits),
		cmocka_unit_test(test_mix),
		cmocka_unit_test(test_round_robin),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests_name("prog_distribution", tests, rig_start, rig_stop);
}
