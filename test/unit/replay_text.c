/* SPDX-License-Identifier: BSD-3-Clause */
/* A file as read, line by line: equal, but for times, rates, how far an unlimited run has come and
 * what was drawn at random; those by format, arithmetic and range. */
#include "support_replay.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "support.h"

/** What of a device's text decides how its lines are compared. */
struct facts {
	uint64_t count, sofar, errors, seq, T, C, D, N, pps, mbps, bps;
	uint64_t result_errors, min_size, max_size;
	unsigned int burst;
	int size, frags;
	bool result, imix;
	uint64_t imix_bytes, imix_packets;
	const char *text;
};

static const char *
find_line(const char *text, const char *label)
{
	const char *found = strstr(text, label);

	return found != NULL && (found == text || found[-1] == '\n') ? found : NULL;
}

static void
gather_imix(struct facts *f, const char *line)
{
	unsigned int used = 0;
	uint64_t size, count;
	int n;

	line += strlen("     imix_size_counts: ");
	while (sscanf(line + used, "%" SCNu64 ",%" SCNu64 " %n", &size, &count, &n) == 2) {
		f->imix_bytes += size * count;
		f->imix_packets += count;
		used += n;
	}
	f->imix = true;
}

static struct facts
gather(const char *text)
{
	struct facts f = {.text = text, .burst = 1};
	const char *line;

	sscanf(text, "Params: count %" SCNu64 "  min_pkt_size: %" SCNu64 "  max_pkt_size: %" SCNu64,
		&f.count, &f.min_size, &f.max_size);
	line = find_line(text, "     pkts-sofar: ");
	if (line != NULL)
		sscanf(line, " pkts-sofar: %" SCNu64 " errors: %" SCNu64, &f.sofar, &f.errors);
	line = find_line(text, "     seq_num: ");
	if (line != NULL)
		sscanf(line, " seq_num: %" SCNu64, &f.seq);
	line = find_line(text, "     burst: ");
	if (line != NULL)
		sscanf(line, " burst: %u", &f.burst);
	line = find_line(text, "     imix_size_counts: ");
	if (line != NULL)
		gather_imix(&f, line);
	line = find_line(text, "Result: OK: ");
	f.result =
		line != NULL && sscanf(line,
					"Result: OK: %" SCNu64 "(c%" SCNu64 "+d%" SCNu64
					") usec, %" SCNu64 " (%dbyte,%dfrags) %" SCNu64
					"pps %" SCNu64 "Mb/sec (%" SCNu64 "bps) errors: %" SCNu64,
					&f.T, &f.C, &f.D, &f.N, &f.size, &f.frags, &f.pps, &f.mbps,
					&f.bps, &f.result_errors) == 10;
	return f;
}

// How many packets were sent says nothing when the run was stopped, or goes on.
static bool
open_ended(const struct facts *want, bool running)
{
	return running || want->count == 0 || want->sofar < want->count;
}

static void
compare_sofar(
	struct replay *replay, const struct facts *want, const struct facts *got, bool running)
{
	bool overshot = want->burst > 1 && want->count != 0 && want->sofar > want->count;

	if (overshot && got->sofar == want->count)
		replay_differ(replay, REPLAY_LINE, "overshoot", "%" PRIu64 " packets, not %" PRIu64,
			got->sofar, want->sofar);
	else if (open_ended(want, running) ? (want->sofar > 0) != (got->sofar > 0)
					   : got->sofar != want->sofar)
		replay_differ(replay, REPLAY_LINE,
			"     pkts-sofar: ", "%" PRIu64 " packets, not %" PRIu64, got->sofar,
			want->sofar);
	// Where every packet is an error, as many as there are.
	if (overshot && want->errors == want->sofar && got->errors == got->sofar)
		return;
	if (open_ended(want, running) && want->errors > 0 ? got->errors == 0
							  : got->errors != want->errors)
		replay_differ(replay, REPLAY_LINE,
			"     errors: ", "%" PRIu64 " errors, not %" PRIu64, got->errors,
			want->errors);
}

static void
compare_result(struct replay *replay, const struct facts *want, const struct facts *got)
{
	double pps = got->T > 0 ? (double)got->N * 1e6 / (double)got->T : 0;
	double low = (double)got->N * 1e6 / ((double)got->T + 1);
	double bps = got->imix ? (double)got->imix_bytes * 8e6 / (double)got->T
			       : (double)got->pps * 8 * (uint32_t)got->size;
	// A mix that was taken away after the run has left its figure (packets-2744).
	bool taken =
		!got->imix && want->bps != 0 && want->bps != want->pps * 8 * (uint32_t)want->size;

	if (got->C + got->D > got->T || got->C + got->D + 1 < got->T)
		replay_differ(replay, REPLAY_LINE, "T", "%" PRIu64 " is not %" PRIu64 " + %" PRIu64,
			got->T, got->C, got->D);
	if (got->N != got->sofar)
		replay_differ(replay, REPLAY_LINE, "N", "%" PRIu64 " sent, %" PRIu64 " so far",
			got->N, got->sofar);
	if (got->size != want->size &&
		!(want->min_size < want->max_size && !want->imix &&
			got->size >= (int)want->min_size && got->size <= (int)want->max_size) &&
		!(want->imix && strstr(want->text, ",") != NULL))
		replay_differ(
			replay, REPLAY_LINE, "size", "%d bytes, not %d", got->size, want->size);
	if (got->frags != want->frags)
		replay_differ(
			replay, REPLAY_LINE, "frags", "%d frags, not %d", got->frags, want->frags);
	if ((got->T > 0 && (double)got->pps > pps + 1) || (double)got->pps < low - 1)
		replay_differ(replay, REPLAY_LINE, "pps", "%" PRIu64 " pps, not %g", got->pps, pps);
	if ((double)got->bps > fmax(bps, taken ? pps * 8 * got->size : 0) * 1.0000001 + 1 ||
		(double)got->bps <
			bps * (got->imix ? (double)got->T / ((double)got->T + 1) : 1) - 1)
		replay_differ(replay, REPLAY_LINE, "bps", "%" PRIu64 " bps, not %g", got->bps, bps);
	if (got->mbps != got->bps / 1000000)
		replay_differ(replay, REPLAY_LINE, "mbps", "%" PRIu64 " Mb/sec of %" PRIu64,
			got->mbps, got->bps);
	if (got->result_errors != got->errors)
		replay_differ(replay, REPLAY_LINE, "errors",
			"%" PRIu64 " errors, %" PRIu64 " so far", got->result_errors, got->errors);
}

// Lines whose numbers are a run's: their format, and what binds them.
static void
compare_format(struct replay *replay, const char *want, const char *got)
{
	const char *w = want, *g = got;

	while (*w != '\0' && *w != '\n' && *g != '\0' && *g != '\n') {
		bool digits = strchr("0123456789", *w) != NULL && strchr("0123456789", *g) != NULL;

		if (!digits && *w != *g)
			break;
		w += digits ? strspn(w, "0123456789") : 1;
		g += digits ? strspn(g, "0123456789") : 1;
	}
	if ((*w != '\0' && *w != '\n') || (*g != '\0' && *g != '\n'))
		replay_differ(replay, REPLAY_LINE, want, "\"%.*s\" has not the form of \"%.*s\"",
			(int)strcspn(got, "\n"), got, (int)strcspn(want, "\n"), want);
}

static bool
starts(const char *line, const char *label)
{
	return strncmp(line, label, strlen(label)) == 0;
}

// The second line of a run's result begins with a figure.
static bool
is_figures(const char *line)
{
	size_t digits = line[0] == ' ' && line[1] == ' ' ? strspn(line + 2, "0123456789") : 0;

	return digits > 0 && starts(line + 2 + digits, "pps ");
}

static uint32_t
address(const char *text)
{
	char copy[20];
	struct in_addr in = {0};

	snprintf(copy, sizeof(copy), "%.*s", (int)strspn(text, "0123456789."), text);
	(void)inet_pton(AF_INET, copy, &in);
	return ntohl(in.s_addr);
}

static uint64_t
value_of(const char *text, const char *label)
{
	const char *found = strstr(text, label);

	return found != NULL ? strtoull(found + strlen(label), NULL, 10) : 0;
}

static bool
address_in(
	const char *text, const char *line, const char *current, const char *min, const char *max)
{
	const char *lo = strstr(text, min), *hi = strstr(text, max), *at = strstr(line, current);
	uint32_t now;

	if (lo == NULL || hi == NULL || at == NULL)
		return false;
	now = address(at + strlen(current));
	return now >= address(lo + strlen(min)) && now <= address(hi + strlen(max));
}

// A current value that depends on how far a run came, or on chance: in its range.
static bool
in_range(const struct facts *got, const char *line)
{
	const char *text = got->text;
	uint64_t a, b;

	if (starts(line, "     cur_saddr: "))
		return strstr(text, "IPV6 ") != NULL ||
		       ((address_in(text, line, "cur_saddr: ", "src_min: ", "src_max: ") ||
				address(strstr(text, "src_max: ") + 9) == 0) &&
			       (address_in(text, line, "cur_daddr: ", "dst_min: ", "dst_max: ") ||
				       address(strstr(text, "dst_max: ") + 9) == 0));
	if (sscanf(line, " cur_udp_dst: %" SCNu64 " cur_udp_src: %" SCNu64, &a, &b) == 2)
		return a >= value_of(text, "udp_dst_min: ") &&
		       b >= value_of(text, "udp_src_min: ") &&
		       a <= value_of(text, "udp_dst_max: ") && b <= value_of(text, "udp_src_max: ");
	if (sscanf(line, " cur_queue_map: %" SCNu64, &a) == 1)
		return a >= value_of(text, "queue_map_min: ") &&
		       a <= value_of(text, "queue_map_max: ");
	if (sscanf(line,
		    " seq_num: %*u cur_dst_mac_offset: %" SCNu64 " cur_src_mac_offset: %" SCNu64,
		    &a, &b) == 2)
		return a < RTE_MAX(1u, value_of(text, "dst_mac_count: ")) &&
		       b < RTE_MAX(1u, value_of(text, "src_mac_count: "));
	return starts(line, "     flows: ") || starts(line, "     imix_size_counts: ");
}

// Does chance decide this line?
static bool
drawn(const char *text, const char *line)
{
	static const struct {
		const char *label, *flag;
	} random[] = {
		{"     cur_saddr: ", "IPSRC_RND"},
		{"     cur_saddr: ", "IPDST_RND"},
		{"     cur_saddr: ", "FLOW_RND"},
		{"     cur_udp_dst: ", "UDPSRC_RND"},
		{"     cur_udp_dst: ", "UDPDST_RND"},
		{"     cur_queue_map: ", "QUEUE_MAP_RND"},
		{"     seq_num: ", "MACSRC_RND"},
		{"     seq_num: ", "MACDST_RND"},
		{"     flows: ", "FLOW_RND"},
		{"     imix_size_counts: ", ""},
		{"     cur_saddr: ", "min_daddr: fd"},
		{"     vlan_id: ", "VID_RND"},
		{"     svlan_id: ", "SVID_RND"},
		{"     mpls: ", "MPLS_RND"},
	};

	for (size_t i = 0; i < DIM(random); i++) {
		if (starts(line, random[i].label) && strstr(text, random[i].flag) != NULL)
			return true;
	}
	return false;
}

static bool
stored_at_random(const char *line)
{
	return starts(line, "     vlan_id: ") || starts(line, "     svlan_id: ") ||
	       starts(line, "     mpls: ");
}

static void
compare_line(struct replay *replay, const char *want, const char *got, const struct facts *w,
	const struct facts *g, bool running)
{
	size_t n = strcspn(want, "\n");
	bool open = open_ended(w, running);

	if (starts(want, "     started: ")) {
		compare_format(replay, want, got);
	} else if (starts(want, "     imix_size_counts: ") &&
		   starts(got, "     imix_size_counts: ")) {
		bool own = g->imix_packets == g->sofar && w->imix_packets > w->sofar;

		if (!open && w->imix_packets != g->imix_packets)
			replay_differ(replay, REPLAY_LINE, own ? "counts of the run" : want,
				"%" PRIu64 " packets of a size, not %" PRIu64, g->imix_packets,
				w->imix_packets);
	} else if (starts(want, "     pkts-sofar: ")) {
		compare_format(replay, want, got);
		compare_sofar(replay, w, g, running);
	} else if (w->result && g->result && starts(want, "Result: ")) {
		compare_format(replay, want, got);
		compare_result(replay, w, g);
	} else if (w->result && g->result && is_figures(want)) {
		compare_format(replay, want, got);
	} else if (n == strcspn(got, "\n") && strncmp(want, got, n) == 0) {
		return;
	} else if (starts(want, "     seq_num: ") && w->seq == w->sofar + 1 && in_range(g, got) &&
		   (open || drawn(g->text, got) || g->sofar != w->sofar)) {
		// Read while it runs, the two numbers may be a burst apart.
		if (!running && g->seq != g->sofar + 1)
			replay_differ(replay, REPLAY_LINE, want,
				"seq_num %" PRIu64 " after %" PRIu64, g->seq, g->sofar);
	} else if (drawn(g->text, got) && (stored_at_random(got) || in_range(g, got))) {
		if (!starts(got, "     cur_saddr: ")) // addresses have many forms
			compare_format(replay, want, got);
	} else if (!(open && in_range(g, got))) {
		replay_differ(replay, REPLAY_LINE, want, "\"%.*s\", not \"%.*s\"",
			(int)strcspn(got, "\n"), got, (int)n, want);
	}
}

static const char *
next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line[0] == '\n' ? line + 1 : line;
}

static bool
same_label(const char *a, const char *b)
{
	size_t n = strcspn(a, ":\n");

	return (is_figures(a) && is_figures(b)) ||
	       (n == strcspn(b, ":\n") && strncmp(a, b, n) == 0);
}

static void
differ_line(struct replay *replay, const char *what, const char *line)
{
	size_t n = strcspn(line, "\n");
	char text[REPLAY_TEXT_MAX];

	memcpy(text, line, n);
	text[n] = '\0';
	replay_differ(replay, REPLAY_LINE, line, "%s \"%s\"", what, text);
}

void
replay_compare_text(
	struct replay *replay, const char *want, const char *got, const char *whole, bool running)
{
	struct facts w = gather(want), g = gather(got);
	const struct pg_device *device = replay_device(replay, replay->file);

	g.text = whole;
	if (device != NULL) // a part of a text does not have it
		w.burst = device->settings.burst;

	while (want[0] != '\0' || got[0] != '\0') {
		const char *found = got;

		while (want[0] != '\0' && found[0] != '\0' && !same_label(want, found))
			found = next_line(found);
		if (want[0] != '\0' && found[0] == '\0') {
			differ_line(replay, "there is no line", want);
			want = next_line(want);
		} else if (want[0] == '\0' || found != got) {
			differ_line(replay, "there is a line", got);
			got = next_line(got);
		} else {
			compare_line(replay, want, got, &w, &g, running);
			want = next_line(want);
			got = next_line(got);
		}
	}
}
