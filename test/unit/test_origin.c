/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that have a long past: counters on their way past 2^32 and time past 2^62 ns are as good as
 * small ones, in the result, the account, the text and JSON. */
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>

#include "support_eal.h"
#include "support_engine.h"

#define TWO_32 (UINT64_C(1) << 32)
#define S      UINT64_C(1000000000)

static struct rig_engine rig;

static void
setup(const struct pg_origin *origin)
{
	rig_engine_open(&rig, &(struct pg_engine_config){.ports = &fake_ports, .origin = origin});
	rig_engine_work(&rig, 1);
}

static struct pg_device *
run(const char *commands)
{
	struct pg_device *device = rig_engine_add(&rig, "dev");

	rig_engine_set(&rig, "dev", "xmit_mode netif_receive;dst_mac 02:00:00:00:00:01");
	rig_engine_set(&rig, "dev", commands);
	rig_engine_run(&rig);
	return device;
}

static uint64_t
json_number(const struct pg_device *device, const char *key)
{
	json_t *object = pg_report_json_device(device, false), *value;
	uint64_t n;

	value = json_object_get(object, key);
	assert_non_null(value);
	n = json_is_string(value) ? strtoull(json_string_value(value), NULL, 10)
				  : (uint64_t)json_integer_value(value);
	json_decref(object);
	return n;
}

static void
says(const char *format, uint64_t n)
{
	char want[120], *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	pg_report_run(rig.engine, file);
	fclose(file);
	snprintf(want, sizeof(want), format, n);
	CHECK(strstr(text, want) != NULL, "no '%s' in: %s", want, text);
	free(text);
}

/** A past, and what is sent beyond it at 1 Mpps. */
static const struct {
	uint64_t packets, more;
} pasts[] = {
	{TWO_32 - 1000, 2000}, {TWO_32 * 2 - 1, 2}, {(UINT64_C(1) << 52) - 1000, 2000},
	{UINT64_C(4611686018427387) - 500, 1000}, // 2^62 ns
};

static void
check_past(size_t i)
{
	const uint64_t before = pasts[i].packets, all = before + pasts[i].more;
	const struct pg_origin origin = {.packets = before, .ns = before * 1000};
	struct pg_device *device;
	char commands[120];

	setup(&origin);
	snprintf(commands, sizeof(commands), "count %" PRIu64 ";ratep 1M;pkt_size 60", all);
	device = run(commands);
	CHECK_U64(device->result.sent, all, "row %zu", i);
	CHECK_U64(device->result.bytes, all * 60, "row %zu", i);
	CHECK_U64(device->account.intended, all, "row %zu", i);
	CHECK_U64(device->account.late + device->account.ended, 0, "row %zu", i);
	CHECK_U64(device->current.seq_num, all + 1, "row %zu", i);
	CHECK_U64(json_number(device, "sent"), all, "row %zu", i);
	CHECK_U64(json_number(device, "intended"), all, "row %zu", i);
	// 1 Mpps over all of its time; what this machine is late by is nothing beside that.
	CHECK_NEAR(device->result.rate_pps, 1e6, 1e-3, "row %zu", i);
	CHECK_NEAR(device->account.asked_pps, 1e6, 1e-9, "row %zu", i);
	CHECK(device->result.pps >= 999000 && device->result.pps <= 1001000, "row %zu", i);
	CHECK(!device->fell_short, "%s", device->shortfall);
	says("     sent: %" PRIu64 " packets (100.00 %%) at ", all);
	says("account: intended %" PRIu64 ", ", all);
	rig_engine_fini(&rig);
}

static void
test_packets(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(pasts); i++)
		check_past(i);
}

// Bytes of sizes that vary are counted one by one.
static void
test_bytes(void **state)
{
	static const uint64_t befores[] = {TWO_32 - 1000, (UINT64_C(1) << 62) - 1};

	(void)state;
	for (size_t i = 0; i < DIM(befores); i++) {
		const struct pg_origin origin = {.packets = 11, .bytes = befores[i], .ns = 11000};
		struct pg_device *device;

		setup(&origin);
		// Packets 11 to 1110 have each of eleven sizes a hundred times.
		device = run("count 1111;min_pkt_size 60;max_pkt_size 70");
		CHECK_U64(device->result.bytes, befores[i] + UINT64_C(1100) * 65, "row %zu", i);
		CHECK_U64(json_number(device, "bytes"), device->result.bytes, "row %zu", i);
		assert_true(!device->fell_short);
		rig_engine_fini(&rig);
	}
}

// Without an asked number of packets the last one is the one that a stop finds.
static void
test_duration(void **state)
{
	const struct pg_origin origin = {.packets = TWO_32 - 5, .ns = 100 * S};
	struct pg_device *device;

	(void)state;
	setup(&origin);
	device = run("count 0;ratep 1000;duration 20ms");
	// 20 more: at 0, 1, ..., 19 ms.
	CHECK_U64(device->account.intended, TWO_32 + 15, "intended");
	CHECK_U64(device->result.sent + device->account.late, TWO_32 + 15, "sent and late");
	assert_true(device->result.duration_ns >= 100 * S);
	rig_engine_fini(&rig);
}

#define FRAMES 20

static uint32_t
be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint8_t frames[FRAMES][64];
static uint64_t nframes;

static int
keep(void *ctx, uint64_t ns, const uint8_t *frame, uint32_t bytes)
{
	(void)ctx;
	(void)ns;
	if (nframes < FRAMES)
		memcpy(frames[nframes++], frame, bytes < 64 ? bytes : 64);
	return 0;
}

// Sequence numbers have 32 bits, and go on from 2^32 - 1 to 0; the packets are those that
// show_packet makes.
static void
test_sequence(void **state)
{
	const struct pg_origin origin = {.packets = TWO_32 - 10};
	const struct pg_dry_sink sink = {keep, NULL};
	struct pg_device *device;
	struct pg_error err = {0};
	static uint8_t frame[65536];

	(void)state;
	nframes = 0;
	rig_engine_open(&rig,
		&(struct pg_engine_config){.ports = &fake_ports, .dry = &sink, .origin = &origin});
	pg_engine_set_seed(rig.engine, 1, true);
	device = rig_engine_add(&rig, "dev");
	rig_engine_set(&rig, "dev",
		"count 4294967306;pkt_size 60;flag NO_TIMESTAMP;src_min 10.0.0.1;"
		"src_max 10.0.255.254;flag IPSRC_RND");
	rig_engine_run(&rig);
	CHECK_U64(nframes, FRAMES, "packets");
	for (uint64_t k = 0; k < FRAMES; k++) {
		uint64_t i = TWO_32 - 10 + k;

		CHECK_U64(be32(frames[k] + 46), (uint32_t)(i + 1), "sequence of packet %llu",
			(unsigned long long)i);
		assert_int_equal(pg_device_packet(device, i, frame, sizeof(frame), &err), 60);
		CHECK(memcmp(frame, frames[k], 60) == 0, "packet %llu", (unsigned long long)i);
	}
	rig_engine_fini(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_sequence),
	};

	return cmocka_run_group_tests_name("origin", tests, support_eal_start, support_eal_stop);
}
