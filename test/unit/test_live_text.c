/* SPDX-License-Identifier: BSD-3-Clause */
/* The live view: its sums, and that it fits into any terminal. */
#include "support.h"

#include <stdlib.h>

#include "live.h"

#define DEVICES 50

static struct pg_device device[DEVICES];
static struct live_row row[DEVICES];

static struct live_drops drops;

static struct live_sum
make(size_t n, uint64_t asked)
{
	struct live_sum all = {
		.began_ns = PG_NS_PER_S, .now_ns = 11 * PG_NS_PER_S, .drops = &drops};

	for (size_t i = 0; i < n; i++) {
		snprintf(device[i].name, sizeof(device[i].name), "net_null0@%zu", i);
		row[i] = (struct live_row){.device = &device[i],
			.running = true,
			.sent = 1000,
			.asked = asked,
			.asked_part = asked != 0 ? 1000 : 0,
			.packets = 100,
			.pps = 100,
			.l1_bps = 8400,
			.percent = 50,
			.idle = 10,
			.cycles = (double)(i + 1),
			.left_s = asked != 0 ? (double)(asked - 1000) / 100 : -1};
		live_add(&all, &row[i]);
	}
	return all;
}

static char *
table(size_t n, uint64_t asked, unsigned int lines, unsigned int columns)
{
	struct live_sum all = make(n, asked);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	live_table(&all, row, lines, columns, out);
	fclose(out);
	return text;
}

static void
test_sums(void **state)
{
	struct live_sum all = make(4, 2000);

	(void)state;
	CHECK_U64(all.n, 4, "devices");
	CHECK_U64(all.row.sent, 4000, "sent");
	CHECK_U64(all.row.asked, 8000, "asked");
	CHECK_NEAR(all.row.pps, 400, 1e-9, "pps");
	CHECK_NEAR(all.row.idle, 10, 1e-9, "idle");
	CHECK_NEAR(all.row.cycles, 2.5, 1e-9, "cycles, by packets");
	CHECK_NEAR(all.row.left_s, 10, 1e-9, "seconds left");
}

static void
test_progress(void **state)
{
	char *text = table(1, 4000, 24, 200);

	(void)state;
	CHECK(strstr(text, "[##########..............................] 25.0 %, 10 s, left: 30 s\n"),
		"%s", text);
	CHECK(strstr(text, "net_null0@0 ") != NULL && strstr(text, "50.0 %") != NULL, "%s", text);
	free(text);
	text = table(2, 0, 24, 200);
	CHECK(strstr(text, "10 s, until stopped (Ctrl-C)\n") != NULL, "%s", text);
	CHECK(strstr(text, "all 2, 2 running") != NULL, "%s", text);
	free(text);
}

// The cursor stays on a line of its own below, so the table has one less than the terminal.
static void
test_it_fits(void **state)
{
	(void)state;
	for (size_t n = 1; n <= DEVICES; n += n < 10 ? 1 : 13) {
		for (unsigned int lines = 1; lines < 60; lines++) {
			for (unsigned int columns = 1; columns < 150; columns += 9) {
				char *text = table(n, 2000, lines, columns), *line, *rest = text;
				unsigned int used = 0;

				while ((line = strsep(&rest, "\n")) != NULL && rest != NULL) {
					CHECK(strlen(line) < columns || columns == 1, "'%s'", line);
					used++;
				}
				CHECK(used < lines || lines == 1, "%u of %u lines, %zu devices",
					used, lines, n);
				free(text);
			}
		}
	}
}

// Devices that have no line of their own are summed in one.
static void
test_many(void **state)
{
	char *text = table(50, 2000, 24, 200);

	(void)state;
	CHECK(strstr(text, "net_null0@17 ") != NULL, "%s", text);
	CHECK(strstr(text, "net_null0@18 ") == NULL, "%s", text);
	CHECK(strstr(text, "32 more ") != NULL, "%s", text);
	CHECK(strstr(text, "all 50, 50 running") != NULL, "%s", text);
	free(text);
}

static void
test_plain(void **state)
{
	struct live_sum all = make(1, 4000);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	live_plain(&all, row, out);
	all = make(9, 0);
	live_plain(&all, row, out);
	fclose(out);
	CHECK_TEXT(text,
		"net_null0@0: 25.0 %, 10 s, left: 30 s: 100 pps, 8.4 kbit/s L1, 1000 sent, 0 "
		"errors, 10.0 % idle, 50.0 % of the rate asked for, 1.0 cycles/packet\n"
		"9 devices, 9 running: 10 s, until stopped: 900 pps, 75.6 kbit/s L1, 9000 sent, "
		"0 errors, 10.0 % idle, 5.0 cycles/packet\n",
		"of one device, and of nine");
	free(text);
}

// Two looks, a second and half a second apart: UDP, TCP and what is not IP.
static void
test_drops(void **state)
{
	uint64_t packets[PG_RX_PROTOCOLS] = {[6] = 5, [17] = 1000};
	char *text = table(1, 4000, 24, 200);

	(void)state;
	CHECK(strstr(text, "drops/s") == NULL, "%s", text);
	free(text);
	live_drops(&drops, packets, true, PG_NS_PER_S);
	text = table(1, 4000, 24, 200);
	CHECK(strstr(text, "\nproto 6: 5 drops/s, proto 17: 1000 drops/s\n[") != NULL, "%s", text);
	free(text);
	packets[17] = 4000;
	packets[PG_RX_NOT_IP] = 7;
	live_drops(&drops, packets, true, PG_NS_PER_S / 2);
	text = table(1, 4000, 24, 200);
	CHECK(strstr(text, "\nproto 6: 0 drops/s, proto 17: 6000 drops/s, not IP: 14 drops/s\n[") !=
			NULL,
		"%s", text);
	free(text);
	test_it_fits(state);
	// A device went, and counters start anew; then nobody tells protocols apart.
	packets[17] = 100;
	live_drops(&drops, packets, true, PG_NS_PER_S);
	CHECK_NEAR(drops.pps[17], 100, 1e-9, "after a device has gone");
	live_drops(&drops, packets, false, PG_NS_PER_S);
	text = table(1, 4000, 24, 200);
	CHECK(strstr(text, "drops/s") == NULL, "%s", text);
	free(text);
	drops = (struct live_drops){.any = false};
}

static void
test_drops_plain(void **state)
{
	const uint64_t packets[PG_RX_PROTOCOLS] = {[1] = 3};
	struct live_sum all = make(1, 4000);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	live_drops(&drops, packets, true, 2 * PG_NS_PER_S);
	live_plain(&all, row, out);
	fclose(out);
	CHECK(strstr(text, " cycles/packet\nproto 1: 2 drops/s\n") != NULL, "%s", text);
	free(text);
	drops = (struct live_drops){.any = false};
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_it_fits),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_drops_plain),
	};

	return cmocka_run_group_tests_name("live_text", tests, NULL, NULL);
}
