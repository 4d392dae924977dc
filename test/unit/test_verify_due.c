/* SPDX-License-Identifier: BSD-3-Clause */
/* The receipt's plan of intended times beside the schedule's own arithmetic, over rates, bursts,
 * drawn gaps, lateness and changes of the rate at random: it says nothing, unless a time is off. */
#include "support.h"

#include <stdlib.h>

#include "pg_pace.h"
#include "support_receipt.h"

#define S      UINT64_C(1000000000)
#define RUNS   40 // of each row and mode
#define LONG   600
#define WALL   (1ull << 50)
#define VICTIM 217
#define PLAIN  "pkt_size 60;"
#define SIZES  "min_pkt_size 60;max_pkt_size 1514;flag TXSIZE_RND;"

static const struct row {
	const char *commands;
	struct pg_rate rate;
	uint32_t unit, copies;
	bool drawn, late, changes, cuts;
	enum pg_late_kind policy;
} rows[] = {
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 1, .late = false},
	{PLAIN, {1000, PG_RATE_DELAY}, 32, 1, .late = false},
	{PLAIN, {3, PG_RATE_PPS}, 32, 1, .late = false},
	{PLAIN, {1000, PG_RATE_KERNEL}, 7, 3, .cuts = true},
	{SIZES, {100000000, PG_RATE_L1}, 1, 1, .late = false},
	{SIZES, {100000000, PG_RATE_L2}, 16, 1, .late = false},
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 1, .drawn = true},
	{PLAIN, {7000000, PG_RATE_PPS}, 1, 3, .drawn = true},
	{PLAIN, {1, PG_RATE_PPS}, 32, 1, .drawn = true},
	{PLAIN, {1000, PG_RATE_PPS}, 32, 2, .drawn = true, .cuts = true},
	{SIZES, {100000000, PG_RATE_L1}, 1, 1, .drawn = true},
	{SIZES, {100000000, PG_RATE_L1}, 16, 1, .drawn = true},
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 1, .late = true, .policy = PG_LATE_STRETCH},
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 2, .late = true, .policy = PG_LATE_SKIP},
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 1, .late = true, .policy = PG_LATE_CATCHUP},
	{PLAIN, {1000000, PG_RATE_PPS}, 16, 1, .late = true, .policy = PG_LATE_STRETCH},
	{PLAIN, {1000000, PG_RATE_PPS}, 16, 1, .late = true, .policy = PG_LATE_SKIP},
	{SIZES, {100000000, PG_RATE_L1}, 1, 1, .late = true, .policy = PG_LATE_SKIP},
	{SIZES, {100000000, PG_RATE_L2}, 8, 1, .late = true, .policy = PG_LATE_STRETCH},
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 1, .drawn = true, .late = true, .policy = PG_LATE_SKIP},
	{PLAIN, {1000000, PG_RATE_PPS}, 8, 1, .drawn = true, .late = true,
		.policy = PG_LATE_STRETCH},
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 1, .changes = true},
	{PLAIN, {1000000, PG_RATE_PPS}, 32, 1, .changes = true},
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 1, .changes = true, .late = true,
		.policy = PG_LATE_SKIP},
	{PLAIN, {1000000, PG_RATE_PPS}, 16, 1, .changes = true, .late = true,
		.policy = PG_LATE_CATCHUP},
	{SIZES, {100000000, PG_RATE_L1}, 1, 1, .changes = true, .late = true,
		.policy = PG_LATE_STRETCH},
	{PLAIN, {1000000, PG_RATE_PPS}, 1, 1, .drawn = true, .changes = true},
	{PLAIN, {1000000, PG_RATE_PPS}, 8, 1, .drawn = true, .changes = true, .late = true,
		.policy = PG_LATE_CATCHUP},
	{PLAIN, {0, PG_RATE_NONE}, 1, 1, .changes = true},
};

/** What is wrong: nothing; one packet's time; each packet's, more and more; moves are not told. */
enum fault { NOTHING, ONE, EACH, SILENT };

/** A run in a time that only numbers make. */
static struct {
	const struct row *row;
	struct receipt_case *c;
	struct pg_clock clock;
	struct pg_pace pace;
	struct pg_key key;
	bool begun, paced, moved;
	uint64_t seed, now, off;
	enum fault fault;
} run;

static uint64_t
below(uint64_t n)
{
	return support_draw(&run.seed) % n;
}

static const uint32_t *
next_lengths(void *ctx, unsigned int n)
{
	(void)ctx;
	pg_prog_sizes(run.c->prog, &buffers.state, n);
	return buffers.state.scratch->length;
}

static const struct pg_pace_lengths lengths = {next_lengths, NULL};

// As the engine does it.
static struct pg_pace
pace_of(const struct pg_rate *rate)
{
	const bool sizes = pg_prog_size_varies(run.c->prog);
	const uint32_t frame = pg_prog_frame_max(run.c->prog);
	struct pg_pace pace;

	if (rate->kind == PG_RATE_DELAY || rate->kind == PG_RATE_NONE)
		pg_pace_init(&pace, &run.clock, rate->value);
	else if (rate->kind == PG_RATE_PPS)
		pg_pace_init_ratio(&pace, &run.clock, S, rate->value);
	else
		pg_pace_init_bits(&pace, &run.clock,
			rate->value * (rate->kind == PG_RATE_KERNEL ? 1000000 : 1),
			sizes ? 0 : frame,
			rate->kind == PG_RATE_KERNEL ? 0
			: rate->kind == PG_RATE_L2   ? 4
						     : 24);
	if (run.row->unit > 1)
		pg_pace_set_burst(&pace, run.row->unit);
	if (run.row->drawn)
		pg_pace_set_random(&pace, &run.key);
	pg_pace_set_late(&pace, &run.clock, run.row->policy, 20000, frame);
	return pace;
}

static uint32_t
next_bytes(bool wanted)
{
	return wanted ? next_lengths(NULL, 1)[0] : 0;
}

static void
change_rate(struct pg_verify *verify)
{
	static const struct pg_rate rates[] = {{1000000, PG_RATE_PPS}, {7, PG_RATE_PPS},
		{12345, PG_RATE_DELAY}, {PG_PACE_NEVER, PG_RATE_DELAY}, {90000000, PG_RATE_PPS},
		{0, PG_RATE_NONE}, {300000000, PG_RATE_L1}, {100, PG_RATE_KERNEL}};
	const struct pg_rate *rate = &rates[below(DIM(rates))];
	struct pg_verify_change change;
	struct pg_pace next;
	uint64_t dropped = 0;
	uint32_t bytes;

	// The clock is better known meanwhile.
	pg_clock_derive(&run.clock, 24454258880 + below(100), 10 * S, 0);
	change.ns_per_cycle = run.clock.ns_per_cycle;
	next = pace_of(rate);
	bytes = next_bytes(run.pace.sizes || next.sizes);
	pg_verify_gap(verify, rate, 0, &change.gap);
	if (run.paced) {
		dropped = pg_pace_change(&run.pace, &next, run.now, bytes);
	} else {
		run.pace = next;
		pg_pace_start(&run.pace, run.now);
	}
	run.paced = true;
	pg_verify_changed(verify, &change, run.now, dropped, bytes);
}

// Time goes on: to the next packet, or to some later time.
static void
go_on(struct pg_verify *verify)
{
	bool change = run.row->changes && below(4) == 0;

	// Nobody waits for ever.
	while (change || (run.row->changes && !pg_pace_is_due(&run.pace, run.now) &&
				 run.pace.due - run.now > 1000000000000)) {
		run.now += below(5000);
		change_rate(verify);
		change = false;
	}
	if (!pg_pace_is_due(&run.pace, run.now))
		run.now = run.pace.due;
	if (run.row->late && below(3) == 0)
		run.now += below(4000000);
	else
		run.now += below(3000);
}

static void
be_late(struct pg_verify *verify)
{
	uint64_t moved = run.pace.moved, skipped;
	uint32_t bytes = next_bytes(run.pace.sizes);

	skipped = pg_pace_late(&run.pace, run.now, bytes, UINT64_MAX);
	run.moved = true;
	if (run.fault != SILENT)
		pg_verify_moved(verify, run.now, run.pace.moved - moved, skipped, bytes);
}

// A burst that is cut short: what was taken and not built is taken again later.
static unsigned int
take_part(struct pg_verify *verify, uint64_t *due, unsigned int most)
{
	const struct pg_pace_mark mark = pg_pace_mark(&run.pace);
	const uint32_t copies = run.c->config.copies;
	const unsigned int n = copies * (1 + (unsigned int)below((most - 1) / copies));

	(void)pg_pace_taker (&run.pace)(&run.pace, run.now, due, &lengths, most);
	pg_pace_rewind(&run.pace, &mark);
	(void)pg_pace_taker (&run.pace)(&run.pace, run.now, due, &lengths, n);
	pg_verify_cut(verify, n);
	return n;
}

static unsigned int
times(struct receipt_case *c, struct pg_verify *verify, uint64_t *due, unsigned int n)
{
	const unsigned int most = run.row->unit > 1 ? run.row->unit : RTE_MIN(n, 32u);
	unsigned int taken = 0;

	if (!run.begun) {
		run.pace = pace_of(&run.row->rate);
		pg_pace_start(&run.pace, run.now);
		run.paced = run.row->rate.kind != PG_RATE_NONE;
		run.begun = true;
	}
	do {
		go_on(verify);
		if (pg_pace_is_due(&run.pace, run.now) && pg_pace_is_late(&run.pace, run.now))
			be_late(verify);
	} while (!pg_pace_is_due(&run.pace, run.now));
	if (run.row->cuts && below(5) == 0)
		taken = take_part(verify, due, most);
	// Whole packets with their copies; nothing happens in between.
	while (taken == 0 || taken % c->config.copies != 0) {
		if (!pg_pace_is_due(&run.pace, run.now))
			run.now = run.pace.due;
		taken += pg_pace_taker(&run.pace)(&run.pace, run.now, due + taken, &lengths, most);
	}
	return taken;
}

static void
tamper(struct rte_mbuf **pkts, uint64_t *due, uint64_t first, unsigned int n)
{
	(void)pkts;
	for (unsigned int k = 0; k < n; k++) {
		if (run.fault == ONE && first + k == VICTIM)
			due[k] += run.off;
		else if (run.fault == EACH)
			due[k] += run.off * (first + k);
	}
}

static struct pg_receipt
receipt_of_row(const struct row *row, uint64_t seed, uint32_t every, enum fault fault)
{
	const char *more =
		fault != NOTHING || row->rate.kind == PG_RATE_NONE ? "flag NO_TIMESTAMP" : "";
	char commands[200];
	struct receipt_case c;

	snprintf(commands, sizeof(commands), "%s%s", row->commands, more);
	c = receipt_case(commands);
	memset(&run, 0, sizeof(run));
	run.row = row;
	run.c = &c;
	run.seed = seed;
	run.now = WALL;
	run.key = pg_key_make(seed, "dev", 1);
	run.fault = fault;
	// What is drawn, or begins anew, is not known to a cycle.
	run.off = row->drawn ? 100000 : row->changes ? 1000 : 3;
	pg_clock_derive(&run.clock, 24454258880, 10 * S, 0);
	c.paced = row->rate.kind != PG_RATE_NONE;
	c.ns_per_cycle = run.clock.ns_per_cycle;
	c.built = LONG;
	c.times = times;
	c.tamper = tamper;
	c.config.rate = row->rate;
	c.config.unit = row->unit;
	c.config.copies = row->copies;
	c.config.every = every;
	c.config.drawn = row->drawn ? &run.key : NULL;
	return receipt_of(&c);
}

static bool
by_bytes(const struct row *row)
{
	return strcmp(row->commands, SIZES) == 0;
}

static void
test_silent(void **state)
{
	static const uint32_t every[] = {1, 1, 5};
	char what[80];

	(void)state;
	for (size_t i = 0; i < DIM(rows) * RUNS; i++) {
		const struct row *row = &rows[i / RUNS];
		uint32_t one_in = every[i % DIM(every)];
		struct pg_receipt receipt = receipt_of_row(row, i, one_in, NOTHING);

		snprintf(what, sizeof(what), "row %zu, seed %zu, one in %u", i / RUNS, i, one_in);
		receipt_silent(&receipt, what);
		CHECK(receipt.check[PG_VERIFY_GAPS].packets == receipt.packets || row->changes ||
				(by_bytes(row) && one_in > 1),
			"%s: not all are checked", what);
	}
}

// One packet that is off is named by its number; whole samples by what is read of them.
static void
test_faults(void **state)
{
	char what[80];

	(void)state;
	for (size_t i = 0; i < DIM(rows) * RUNS; i++) {
		const struct row *row = &rows[i / RUNS];
		enum fault fault = i % 2 == 0 ? ONE : EACH;
		struct pg_receipt receipt;
		const struct pg_receipt_check *check;

		if (row->changes || (by_bytes(row) && fault == EACH))
			continue; // below; not checked
		receipt = receipt_of_row(row, i, fault == ONE ? 1 : 5, fault);
		snprintf(what, sizeof(what), "row %zu, seed %zu", i / RUNS, i);
		check = receipt_names(&receipt, PG_VERIFY_GAPS, what);
		CHECK(fault == EACH || check->first.packet == VICTIM, "%s: packet %llu", what,
			(unsigned long long)check->first.packet);
	}
}

// A rate that changes leaves few packets whose time is not known: the first one of some changes.
static void
test_faults_of_changes(void **state)
{
	char what[80];

	(void)state;
	for (size_t r = 0; r < DIM(rows); r++) {
		unsigned int named = 0;

		for (size_t i = 0; rows[r].changes && i < RUNS; i++) {
			struct pg_receipt receipt = receipt_of_row(&rows[r], i, 1, ONE);
			const struct pg_receipt_check *check = pg_receipt_fault(&receipt);

			snprintf(what, sizeof(what), "row %zu, seed %zu", r, i);
			if (check != NULL)
				check = receipt_names(&receipt, PG_VERIFY_GAPS, what);
			// The first packet of a change may be taken as it is, and then another
			// one is off.
			CHECK(check == NULL ||
					(check->first.packet >= VICTIM &&
						check->first.packet <= VICTIM + rows[r].unit),
				"%s: packet %llu", what, (unsigned long long)check->first.packet);
			named += check != NULL;
		}
		CHECK(!rows[r].changes || named > RUNS / 4, "row %zu: %u of %u", r, named, RUNS);
	}
}

// A schedule that moves and does not say so.
static void
test_moved_silently(void **state)
{
	char what[80];

	(void)state;
	for (size_t r = 0; r < DIM(rows); r++) {
		unsigned int moved = 0;

		for (size_t i = 0; rows[r].late && !rows[r].changes && i < RUNS; i++) {
			struct pg_receipt receipt = receipt_of_row(&rows[r], i, 1, SILENT);

			moved += run.moved;
			snprintf(what, sizeof(what), "row %zu, seed %zu", r, i);
			if (run.moved)
				receipt_names(&receipt, PG_VERIFY_GAPS, what);
		}
		CHECK(moved > 0 || !rows[r].late || rows[r].changes, "row %zu never moved", r);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_faults_of_changes),
		cmocka_unit_test(test_moved_silently),
	};

	return cmocka_run_group_tests_name("verify_due", tests, rig_start, rig_stop);
}
