/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine, seen through a dry run: which packets, how many, and when each is meant to leave. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "support_eal.h"
#include "support_engine.h"
#include "support_prog.h"

#define PACKETS 2000
#define ROOM    256

static struct record {
	uint64_t ns;
	uint32_t bytes;
	uint8_t frame[ROOM];
} records[PACKETS], kept[PACKETS];
static unsigned int nrecords, fail_at;
static struct rig_engine rig;

static int
record(void *ctx, uint64_t ns, const uint8_t *frame, uint32_t bytes)
{
	struct record *r = &records[nrecords];

	(void)ctx;
	if (nrecords == fail_at)
		return -ENOSPC;
	assert_true(nrecords < PACKETS && bytes <= ROOM);
	nrecords++;
	r->ns = ns;
	r->bytes = bytes;
	memset(r->frame, 0, ROOM);
	memcpy(r->frame, frame, bytes);
	return 0;
}

static const struct pg_dry_sink sink = {.write = record};

static int
setup(void **state)
{
	*state = &rig;
	nrecords = 0;
	fail_at = PACKETS;
	rig_engine_init(&rig, &sink);
	pg_engine_set_seed(rig.engine, 1, true);
	return 0;
}

// A fresh engine.
static void
renew(void)
{
	void *state = &rig;

	rig_engine_teardown(&state);
	setup(&state);
}

static void
start_run(void)
{
	nrecords = 0;
	rig_engine_start(&rig);
	assert_true(pg_engine_running(rig.engine));
	pg_engine_wait(rig.engine);
	assert_false(pg_engine_running(rig.engine));
}

/** A fresh engine with one device `dev`, set up and run. */
static void
run(const char *commands)
{
	renew();
	rig_engine_add(&rig, "dev");
	rig_engine_set(&rig, "dev", commands);
	start_run();
}

#define PLAIN "pkt_size 60;dst_min 198.18.0.42;src_min 198.18.0.1;"

// Exactly `count` packets, each of them what the second implementation makes of its number.
static void
test_packets(void **state)
{
	static const struct {
		const char *count, *settings;
		unsigned int n;
	} cases[] = {
		{"count 1;", PLAIN, 1},
		{"count 31;", PLAIN "flag UDPCSUM", 31},
		{"count 32;", PLAIN "udp_src_min 9;udp_src_max 12;vlan_id 5", 32},
		{"count 33;", PLAIN "flag NO_TIMESTAMP;dst_max 198.18.0.49;tos b8", 33},
		{"count 1000;", PLAIN "src_max 198.18.1.1;src_mac_count 7;mpls 1,2", 1000},
		{"count 700;burst 512;", "min_pkt_size 60;max_pkt_size 90;flag UDPCSUM", 700},
		{"count 700;burst 1;", "min_pkt_size 60;max_pkt_size 90;dst6 fd00::1", 700},
		{"count 100;xmit_mode netif_receive;", PLAIN, 100},
	};
	static uint8_t want[ROOM];

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_flow flow = flow_make(cases[i].settings);
		char commands[300];

		snprintf(commands, sizeof(commands), "%s%s", cases[i].count, cases[i].settings);
		run(commands);
		CHECK_U64(nrecords, cases[i].n, "packets of row %zu", i);
		for (unsigned int k = 0; k < nrecords; k++) {
			struct packet p = {.index = k,
				.copies = 1,
				.src6 = flow.src6.lo,
				.dst6 = flow.dst6.lo};

			for (int f = 0; f < PG_FIELDS; f++)
				p.value[f] = packet_linear(&flow.field[f], k);
			CHECK_U64(records[k].bytes, packet_build(&flow, &p, want), "row %zu", i);
			CHECK(memcmp(records[k].frame, want, records[k].bytes) == 0,
				"packet %u of row %zu", k, i);
			CHECK_U64(records[k].ns, 0, "the time of packet %u", k);
		}
	}
}

// Packet i leaves i gaps after the first, to the ns; the stamp in it is that time.
static void
test_times(void **state)
{
	static const struct {
		const char *commands;
		uint64_t num, den; // ns between packets
	} cases[] = {
		{"delay 1000", 1000, 1},
		{"delay 1ms", 1000000, 1},
		{"ratep 3000000", 1000, 3},
		{"ratep 14880952", 1000000000, 14880952},
		{"ratep 1", 1000000000, 1},
		{"rate 100", 4800, 1},             // 480 bits at 100 Mbit/s
		{"rate 7", 480000, 7},             // the kernel would floor
		{"rate 100M", 5120, 1},            // 512 bits with FCS
		{"rate 10GL1", 672, 10},           // 672 bits with preamble and gap
		{"rate 7;clone_skb 4", 480000, 7}, // each packet sent counts
		{"ratep 3M;burst 1", 1000, 3},
		{"ratep 3M;xmit_mode netif_receive", 1000, 3},
	};
	char commands[200];

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		uint32_t clones = strstr(cases[i].commands, "clone_skb") ? 4 : 1;

		snprintf(commands, sizeof(commands), "count 1500;" PLAIN "%s", cases[i].commands);
		run(commands);
		assert_int_equal(nrecords, 1500);
		for (uint64_t k = 0; k < nrecords; k++) {
			uint64_t want = k * cases[i].num / cases[i].den;
			uint64_t first = records[k / clones * clones].ns; // when it was built
			const uint8_t *stamp = records[k].frame + 50;

			CHECK(records[k].ns == want || records[k].ns + 1 == want,
				"packet %llu of '%s' leaves at %llu, not %llu",
				(unsigned long long)k, cases[i].commands,
				(unsigned long long)records[k].ns, (unsigned long long)want);
			CHECK_U64((uint64_t)stamp[0] << 24 | stamp[1] << 16 | stamp[2] << 8 |
					  stamp[3],
				first / 1000000000, "seconds of packet %llu of '%s'",
				(unsigned long long)k, cases[i].commands);
			CHECK_U64((uint64_t)stamp[4] << 24 | stamp[5] << 16 | stamp[6] << 8 |
					  stamp[7],
				first / 1000 % 1000000, "microseconds of packet %llu of '%s'",
				(unsigned long long)k, cases[i].commands);
		}
	}
}

// With sizes that vary the gap behind a packet is as long as the packet.
static void
test_times_of_sizes(void **state)
{
	static const struct {
		const char *rate;
		uint64_t bps;
		uint32_t extra;
	} cases[] = {{"rate 100", 100000000, 0}, {"rate 1G", 1000000000, 4},
		{"rate 9.5GL1", 9500000000, 24}};
	char commands[200];

	(void)state;
	for (size_t i = 0; i < DIM(cases) * 2; i++) {
		uint64_t bits = 0;

		snprintf(commands, sizeof(commands), "count 1000;%s;%s",
			i % 2 ? "imix_weights 60,7 128,2 200,1"
			      : "min_pkt_size 60;max_pkt_size 200;flag TXSIZE_RND",
			cases[i / 2].rate);
		run(commands);
		for (unsigned int k = 0; k < nrecords; k++) {
			uint64_t want =
				(uint64_t)((unsigned __int128)bits * 1000000000 / cases[i / 2].bps);

			CHECK(records[k].ns == want || records[k].ns + 1 == want,
				"packet %u of '%s' leaves at %llu, not %llu", k, commands,
				(unsigned long long)records[k].ns, (unsigned long long)want);
			bits += 8ull * (records[k].bytes + cases[i / 2].extra);
		}
	}
}

// clone_skb C: each packet built is sent C times, and the count is exact all the same.
static void
test_clones(void **state)
{
	static const struct {
		unsigned int count, clones, burst;
	} cases[] = {{10, 3, 32}, {9, 3, 2}, {100, 7, 10}, {5, 100, 32}, {1, 2, 32}, {1000, 1, 32},
		{1000, 64, 512}, {513, 2, 512}};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		char commands[200];

		snprintf(commands, sizeof(commands),
			PLAIN "flag NO_TIMESTAMP;udp_src_max 65535;count %u;clone_skb %u;burst %u",
			cases[i].count, cases[i].clones, cases[i].burst);
		run(commands);
		CHECK_U64(nrecords, cases[i].count, "row %zu", i);
		for (unsigned int k = 0; k < nrecords; k++) {
			unsigned int built = k / cases[i].clones;
			const uint8_t *f = records[k].frame;

			CHECK_U64((uint32_t)f[46] << 24 | f[47] << 16 | f[48] << 8 | f[49],
				1 + built * cases[i].clones, "the sequence of packet %u, row %zu",
				k, i);
			CHECK_U64((uint32_t)f[18] << 8 | f[19], built, "the id of packet %u", k);
			CHECK_U64((uint32_t)f[34] << 8 | f[35], 9 + built, "the port of packet %u",
				k);
		}
	}
}

#define RANDOM_ALL                                                                 \
	"count 1000;min_pkt_size 60;max_pkt_size 200;flag TXSIZE_RND;"             \
	"dst_min 10.0.0.0;dst_max 10.255.255.255;flag IPDST_RND;src_min 20.0.0.0;" \
	"src_max 20.255.255.255;flag IPSRC_RND;udp_src_max 65535;flag UDPSRC_RND"

static unsigned int
same_as_kept(void)
{
	unsigned int same = 0;

	for (unsigned int k = 0; k < nrecords; k++)
		same += memcmp(&records[k], &kept[k], sizeof(kept[k])) == 0;
	return same;
}

// The same bytes on every run with the same seed, on any number of packets per call.
static void
test_repeatable(void **state)
{
	static const char *const more[] = {"", ";burst 1", ";burst 7", ";burst 512",
		";burst 4294967295", ";xmit_mode netif_receive"};
	char commands[500];

	(void)state;
	for (size_t i = 0; i < DIM(more); i++) {
		snprintf(commands, sizeof(commands), RANDOM_ALL "%s", more[i]);
		run(commands);
		assert_int_equal(nrecords, 1000);
		if (i == 0)
			memcpy(kept, records, sizeof(kept));
		CHECK_U64(same_as_kept(), 1000, "packets alike with '%s'", more[i]);
	}
	start_run(); // a second run of the same engine begins anew
	CHECK_U64(same_as_kept(), 1000, "packets alike in a second run");
	pg_engine_set_seed(rig.engine, 2, true);
	start_run();
	CHECK(same_as_kept() < 5, "%u packets are alike with another seed", same_as_kept());
	assert_true(pg_engine_run(rig.engine)->seed == 2);
	pg_engine_set_seed(rig.engine, 0, false); // a fresh one for every run
	start_run();
	memcpy(kept, records, sizeof(kept));
	start_run();
	CHECK(same_as_kept() < 5, "%u packets are alike without a seed", same_as_kept());
}

// Several devices: by time, and each its own stream.
static void
test_several_devices(void **state)
{
	static const char *const names[] = {"dev@0", "dev@1", "other"};
	static const unsigned int gaps[] = {1000, 1500, 700};
	unsigned int seen[3] = {0}, alike = 0;
	char commands[200];

	(void)state;
	for (size_t d = 0; d < DIM(names); d++) {
		rig_engine_add(&rig, names[d]);
		// The size tells whose packet it is.
		snprintf(commands, sizeof(commands),
			"count %u;pkt_size %zu;delay %u;dst_min 10.0.0.0;dst_max 10.255.255.255;"
			"flag IPDST_RND;flag NO_TIMESTAMP",
			100 + 50 * (unsigned int)d, 60 + d, gaps[d]);
		rig_engine_set(&rig, names[d], commands);
	}
	start_run();
	assert_int_equal(nrecords, 100 + 150 + 200);
	for (unsigned int k = 0; k < nrecords; k++) {
		unsigned int d = records[k].bytes - 60;

		CHECK(k == 0 || records[k].ns >= records[k - 1].ns, "packet %u is out of order", k);
		CHECK_U64(records[k].ns, seen[d] * (uint64_t)gaps[d], "packet %u of %s", seen[d],
			names[d]);
		if (k > 0)
			alike += memcmp(records[k].frame + 30, records[k - 1].frame + 30, 4) == 0;
		seen[d]++;
	}
	CHECK(alike <= 1, "%u destinations are alike", alike);
	assert_true(seen[0] == 100 && seen[1] == 150 && seen[2] == 200);
}

static void
test_refused(void **state)
{
	static const struct {
		const char *commands;
		int code;
	} cases[] = {
		{"count 0", EINVAL}, // would never end
		{"count 1;dst_min 127.0.0.1;dst_max 127.0.0.9;flag IPDST_RND", EINVAL},
		{"count 1;dst6_min fd00::9;dst6_max fd00::2", EINVAL},
		{"count 1;rate 50%", EINVAL}, // of a speed that nobody knows
		{"count 1;min_pkt_size 60;max_pkt_size 70;clone_skb 2;rate 100", EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_error err = {0};

		renew();
		rig_engine_add(&rig, "dev");
		rig_engine_set(&rig, "dev", cases[i].commands);
		CHECK(pg_engine_start(rig.engine, &err) == -cases[i].code, "'%s': %s",
			cases[i].commands, err.text);
		assert_int_equal(err.fault, PG_FAULT_INPUT);
		assert_true(err.text[0] != '\0' && err.expected[0] != '\0');
		assert_false(pg_engine_running(rig.engine));
		assert_int_equal(nrecords, 0);
		rig_engine_set(
			&rig, "dev", "flag !IPV6;flag !IPDST_RND;clone_skb 0;count 3;delay 1");
		start_run(); // it is as good as new
		assert_int_equal(nrecords, 3);
	}
}

static void
test_write_error(void **state)
{
	struct pg_error err = {0};

	(void)state;
	rig_engine_add(&rig, "dev");
	rig_engine_set(&rig, "dev", PLAIN "count 100");
	fail_at = 40;
	assert_int_equal(pg_engine_start(rig.engine, &err), -ENOSPC);
	assert_int_equal(err.fault, PG_FAULT_ENV);
	assert_int_equal(nrecords, 40);
	assert_false(pg_engine_running(rig.engine));
	fail_at = PACKETS;
	start_run();
	assert_int_equal(nrecords, 100);
}

// A delay of 2147483647 means never.
static void
test_never(void **state)
{
	struct pg_error err = {0};

	(void)state;
	rig_engine_add(&rig, "dev");
	rig_engine_set(&rig, "dev", PLAIN "count 5;delay 2147483647");
	if (pg_engine_start(rig.engine, &err) == 0)
		pg_engine_wait(rig.engine);
	CHECK_U64(nrecords, 0, "packets that are never to be sent");
}

#define DRY(test) cmocka_unit_test_setup_teardown(test, setup, rig_engine_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		DRY(test_packets),
		DRY(test_times),
		DRY(test_times_of_sizes),
		DRY(test_clones),
		DRY(test_repeatable),
		DRY(test_several_devices),
		DRY(test_refused),
		DRY(test_write_error),
		DRY(test_never),
	};

	return cmocka_run_group_tests_name("dry", tests, support_eal_start, support_eal_stop);
}
