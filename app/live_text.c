/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of the live view and how they are written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "live.h"
#include "pg_report.h"

#define LINE_MAX_CHARS 512
#define NAME_WIDTH     20
#define BAR_MAX        40
#define PLAIN_ROWS     8 /**< more devices are one line */

// Packets per second that a rate asks for, with packets of this length. 0: none.
static double
asked_pps(const struct pg_device *device, double bytes)
{
	const struct pg_rate *rate = &device->asked_rate;
	double n = (double)rate->value, l1 = 8 * (bytes + PG_FCS_BYTES + PG_L1_EXTRA_BYTES);

	switch (rate->kind) {
	case PG_RATE_DELAY:
		return rate->value == UINT64_MAX ? 0 : 1e9 / n;
	case PG_RATE_PPS:
		return n;
	case PG_RATE_KERNEL:
		return n * 1e6 / (8 * bytes);
	case PG_RATE_L2:
		return n / (8 * (bytes + PG_FCS_BYTES));
	case PG_RATE_L1:
		return n / l1;
	case PG_RATE_PERCENT:
		return n / (100.0 * PG_RATE_PERCENT_UNIT) * device->port->speed_mbps * 1e6 / l1;
	default:
		return 0;
	}
}

void
live_read(struct pg_device *device, const struct live_sample *last, uint64_t now_ns,
	uint64_t began_ns, struct live_sample *sample, struct live_row *row)
{
	static const struct live_sample none;
	const struct pg_result *r = &device->result;
	double seconds, packets, bytes, asked;

	pg_device_refresh(device);
	*sample = (struct live_sample){.ns = now_ns,
		.sent = r->sent,
		.bytes = r->bytes,
		.idle_ns = r->idle_ns,
		.cycles = r->cycles};
	snprintf(sample->name, sizeof(sample->name), "%s", device->name);
	// clear_counters sets them back.
	if (last == NULL || last->sent > r->sent || last->cycles > r->cycles)
		last = &none;
	*row = (struct live_row){.device = device,
		.running = pg_device_running(device),
		.sent = r->sent,
		.errors = r->errors,
		.asked = device->asked,
		.asked_part = r->sent < device->asked ? r->sent : device->asked,
		.packets = r->sent - last->sent,
		.span_ns = now_ns - (last->ns != 0 ? last->ns : began_ns),
		.percent = -1,
		.left_s = -1};
	if (!row->running || row->span_ns == 0)
		return;
	seconds = (double)row->span_ns / 1e9;
	packets = (double)row->packets;
	bytes = (double)(r->bytes - last->bytes);
	row->pps = packets / seconds;
	row->l1_bps = 8 * (bytes + packets * (PG_FCS_BYTES + PG_L1_EXTRA_BYTES)) / seconds;
	row->idle = 100 * RTE_MIN(1.0, (double)(r->idle_ns - last->idle_ns) / (double)row->span_ns);
	if (row->packets > 0)
		row->cycles = (double)(r->cycles - last->cycles) / packets;
	asked = row->packets > 0 ? asked_pps(device, bytes / packets) : 0;
	if (asked > 0)
		row->percent = 100 * row->pps / asked;
	if (device->asked != 0 && row->pps > 0)
		row->left_s = (double)(device->asked - row->asked_part) / row->pps;
}

void
live_add(struct live_sum *sum, const struct live_row *row)
{
	struct live_row *all = &sum->row;

	sum->n++;
	sum->nrunning += row->running;
	sum->nendless += row->running && row->asked == 0;
	all->sent += row->sent;
	all->errors += row->errors;
	all->asked += row->asked;
	all->asked_part += row->asked_part;
	all->packets += row->packets;
	all->pps += row->pps;
	all->l1_bps += row->l1_bps;
	all->percent = -1;
	sum->idle += row->idle;
	sum->cycles += row->cycles * (double)row->packets;
	all->idle = sum->nrunning > 0 ? sum->idle / (double)sum->nrunning : 0;
	all->cycles = all->packets > 0 ? sum->cycles / (double)all->packets : 0;
	if (row->left_s > all->left_s)
		all->left_s = row->left_s;
}

void
live_drops(struct live_drops *drops, const uint64_t *packets, bool any, uint64_t span_ns)
{
	drops->any = any;
	for (unsigned int i = 0; i < PG_RX_PROTOCOLS; i++) {
		// A device that has gone takes what it counted with it.
		uint64_t before = packets[i] >= drops->packets[i] ? drops->packets[i] : 0;

		drops->pps[i] =
			span_ns == 0 ? 0 : 1e9 * (double)(packets[i] - before) / (double)span_ns;
		drops->packets[i] = packets[i];
	}
}

// False: there are none to speak of.
static bool
drops_text(const struct live_drops *drops, char *out, size_t size)
{
	size_t used = 0;
	char name[24];

	out[0] = '\0';
	for (unsigned int i = 0; drops != NULL && drops->any && i < PG_RX_PROTOCOLS; i++) {
		if (drops->packets[i] > 0 && used < size)
			used += snprintf(out + used, size - used, "%s%s: %.0f drops/s",
				used > 0 ? ", " : "", pg_report_protocol(i, name, sizeof(name)),
				drops->pps[i]);
	}
	return used > 0;
}

static void
put(char *line, unsigned int columns, FILE *out)
{
	// One column less: some terminals wrap when the last one is filled.
	fprintf(out, "%.*s\n", columns > 1 ? (int)columns - 1 : 1, line);
}

static void
put_row(const char *name, const struct live_row *row, unsigned int columns, FILE *out)
{
	char line[LINE_MAX_CHARS], pps[32], l1[32], percent[16] = "-", cycles[16] = "-";

	if (row->percent >= 0)
		snprintf(percent, sizeof(percent), "%.1f %%", row->percent);
	if (row->cycles > 0)
		snprintf(cycles, sizeof(cycles), "%.1f", row->cycles);
	snprintf(line, sizeof(line),
		"%-*.*s %9spps %9sbit/s %8s %14" PRIu64 " %8" PRIu64 " %5.1f %% %8s", NAME_WIDTH,
		NAME_WIDTH, name, pg_units_si(row->pps, pps, sizeof(pps)),
		pg_units_si(row->l1_bps, l1, sizeof(l1)), percent, row->sent, row->errors,
		row->idle, cycles);
	put(line, columns, out);
}

static void
time_text(double seconds, char *out, size_t size)
{
	unsigned long s = (unsigned long)(seconds + 0.5);

	if (seconds >= 1e9)
		snprintf(out, size, "years");
	else if (s >= 3600)
		snprintf(out, size, "%lu h %02lu min", s / 3600, s / 60 % 60);
	else if (s >= 60)
		snprintf(out, size, "%lu min %02lu s", s / 60, s % 60);
	else
		snprintf(out, size, "%lu s", s);
}

// How far towards count, if all devices have one.
static void
progress_text(const struct live_sum *all, char *out, size_t size)
{
	char since[32], left[32] = "";
	double done = all->row.asked > 0 ? (double)all->row.asked_part / (double)all->row.asked : 0;

	time_text((double)(all->now_ns - all->began_ns) / 1e9, since, sizeof(since));
	if (all->nendless > 0) {
		snprintf(out, size, "%s, until stopped", since);
		return;
	}
	if (all->row.left_s >= 0)
		time_text(all->row.left_s, left, sizeof(left));
	snprintf(out, size, "%.1f %%, %s%s%s", 100 * done, since, left[0] != '\0' ? ", left: " : "",
		left);
}

static void
put_progress(const struct live_sum *all, unsigned int columns, FILE *out)
{
	char text[128], line[LINE_MAX_CHARS], bar[BAR_MAX + 1];
	double done = all->row.asked > 0 ? (double)all->row.asked_part / (double)all->row.asked : 0;
	int filled = (int)(done * BAR_MAX);

	progress_text(all, text, sizeof(text));
	if (all->nendless > 0) {
		snprintf(line, sizeof(line), "%s (Ctrl-C)", text);
	} else {
		memset(bar, '.', BAR_MAX);
		memset(bar, '#', filled);
		bar[BAR_MAX] = '\0';
		snprintf(line, sizeof(line), "[%s] %s", bar, text);
	}
	put(line, columns, out);
}

void
live_table(const struct live_sum *all, const struct live_row *rows, unsigned int lines,
	unsigned int columns, FILE *out)
{
	struct live_sum rest = {.n = 0};
	char line[LINE_MAX_CHARS], drops[LINE_MAX_CHARS];
	// The cursor's line stays free, as do those of the head, the sum and the progress.
	bool told = lines > 6 && drops_text(all->drops, drops, sizeof(drops));
	size_t room = lines > 5 ? lines - 5 - told : 0, shown = all->n <= room ? all->n : room;

	if (shown < all->n && shown > 0)
		shown--; // the others have a line too
	if (lines > 3) {
		snprintf(line, sizeof(line), "%-*s %12s %14s %8s %14s %8s %7s %8s", NAME_WIDTH,
			"device", "rate", "L1", "of asked", "sent", "errors", "idle", "cyc/pkt");
		put(line, columns, out);
	}
	for (size_t i = 0; i < shown; i++)
		put_row(rows[i].device->name, &rows[i], columns, out);
	for (size_t i = shown; i < all->n; i++)
		live_add(&rest, &rows[i]);
	if (rest.n > 0 && shown > 0) {
		snprintf(line, sizeof(line), "%zu more", rest.n);
		put_row(line, &rest.row, columns, out);
	}
	if (all->n > 1 && lines > 2) {
		snprintf(line, sizeof(line), "all %zu, %zu running", all->n, all->nrunning);
		put_row(line, &all->row, columns, out);
	}
	if (told)
		put(drops, columns, out);
	if (lines > 1)
		put_progress(all, columns, out);
}

static void
plain_row(const char *name, const struct live_row *row, const char *since, FILE *out)
{
	char pps[32], l1[32];

	fprintf(out,
		"%s: %s: %spps, %sbit/s L1, %" PRIu64 " sent, %" PRIu64 " errors, %.1f %% idle",
		name, since, pg_units_si(row->pps, pps, sizeof(pps)),
		pg_units_si(row->l1_bps, l1, sizeof(l1)), row->sent, row->errors, row->idle);
	if (row->percent >= 0)
		fprintf(out, ", %.1f %% of the rate asked for", row->percent);
	if (row->cycles > 0)
		fprintf(out, ", %.1f cycles/packet", row->cycles);
	fputc('\n', out);
}

void
live_plain(const struct live_sum *all, const struct live_row *rows, FILE *out)
{
	char since[128], name[64], drops[LINE_MAX_CHARS];

	progress_text(all, since, sizeof(since));
	for (size_t i = 0; i < all->n && all->n <= PLAIN_ROWS; i++) {
		if (rows[i].running)
			plain_row(rows[i].device->name, &rows[i], since, out);
	}
	if (all->n > PLAIN_ROWS) {
		snprintf(name, sizeof(name), "%zu devices, %zu running", all->n, all->nrunning);
		plain_row(name, &all->row, since, out);
	}
	if (drops_text(all->drops, drops, sizeof(drops)))
		fprintf(out, "%s\n", drops);
}
