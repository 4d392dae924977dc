/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_version.h>

#include "pg_units.h"
#include "report_priv.h"

static void
asked_rate(const struct pg_rate *rate, FILE *out)
{
	char text[32];

	switch (rate->kind) {
	case PG_RATE_DELAY:
		if (rate->value == UINT64_MAX)
			fprintf(out, ", never to be sent");
		else
			fprintf(out, " at %spps",
				pg_units_si(1e9 / (double)rate->value, text, sizeof(text)));
		break;
	case PG_RATE_PPS:
		fprintf(out, " at %spps", pg_units_si((double)rate->value, text, sizeof(text)));
		break;
	case PG_RATE_KERNEL:
		fprintf(out, " at %" PRIu64 " Mbit/s without FCS", rate->value);
		break;
	case PG_RATE_L2:
	case PG_RATE_L1:
		fprintf(out, " at %sbit/s with %s",
			pg_units_si((double)rate->value, text, sizeof(text)),
			rate->kind == PG_RATE_L2 ? "FCS" : "preamble and gap");
		break;
	case PG_RATE_PERCENT:
		fprintf(out, " at %.6g %% of the port's speed",
			(double)rate->value / (double)PG_RATE_PERCENT_UNIT);
		break;
	default:
		break;
	}
}

static void
asked_and_sent(const struct pg_device *device, const struct pg_run *run, FILE *out)
{
	const struct pg_result *r = &device->result;
	char rate[32];

	fprintf(out, "     asked: ");
	if (device->asked != 0)
		fprintf(out, "%" PRIu64 " packets", device->asked);
	else
		fprintf(out, "packets until stopped");
	asked_rate(&device->asked_rate, out);
	fprintf(out, "\n     %s: %" PRIu64 " packets", device->received ? "received" : "sent",
		r->sent);
	if (device->asked != 0)
		fprintf(out, " (%.2f %%)", 100 * (double)r->sent / (double)device->asked);
	fprintf(out, " at %spps%s\n", pg_units_si(r->rate_pps, rate, sizeof(rate)),
		run->interrupted ? ", interrupted" : "");
	if (r->short_calls > 0 || r->pool_empty > 0)
		fprintf(out,
			"     held up: %" PRIu64 " of %" PRIu64
			" calls took less than offered, %" PRIu64 " turns had no free buffer\n",
			r->short_calls, r->calls, r->pool_empty);
	if (device->fell_short)
		fprintf(out, "     fell short: %s\n", device->shortfall);
}

static void
rates(const struct pg_device *device, FILE *out)
{
	const struct pg_result *r = &device->result;
	char l2[32], l1[32];

	fprintf(out, "     L2: %sbit/s with FCS   L1: %sbit/s with preamble and gap\n",
		pg_units_si(r->l2_bps, l2, sizeof(l2)), pg_units_si(r->l1_bps, l1, sizeof(l1)));
	fprintf(out, "     cycles: %.2f per packet, %u packets a call, %s\n", r->cycles_per_packet,
		device->call_packets, device->isa);
}

// What became of the packets that were asked for.
static void
account(const struct pg_device *device, FILE *out)
{
	const struct pg_account *a = &device->account;

	if (a->asked_pps > 0)
		fprintf(out, "     asked %.0f pps, offered %.0f (%.2f %%)%s%s\n", a->asked_pps,
			a->offered_pps, 100 * a->share, a->limit[0] != '\0' ? ", limit: " : "",
			a->limit);
	if (!a->has_intended || (a->asked_pps == 0 && a->intended == device->result.sent))
		return;
	fprintf(out, "     account: intended %" PRIu64 ", offered %" PRIu64, a->intended,
		device->result.sent);
	if (a->driver_sent != PG_COUNTER_ABSENT)
		fprintf(out, ", sent %" PRIu64, a->driver_sent);
	fprintf(out, ", not offered %" PRIu64, a->late + a->ended);
	if (a->late > 0)
		fprintf(out, ", late %" PRIu64, a->late);
	if (a->skipped > 0)
		fprintf(out, ", skipped %" PRIu64, a->skipped);
	if (a->ended > 0)
		fprintf(out, ", not due yet %" PRIu64, a->ended);
	if (a->moves > 0)
		fprintf(out, "; schedule moved %" PRIu64 " times, %.3f ms in all", a->moves,
			(double)a->moved_ns / 1e6);
	fputc('\n', out);
}

static void
spent(const struct pg_device *device, FILE *out)
{
	const struct pg_spent *s = &device->account.spent;

	if (device->account.asked_pps == 0)
		return;
	fprintf(out,
		"     time: %.2f %% busy, %.2f %% waiting for packets to be due, %.2f %% for the "
		"driver, %.2f %% for buffers; %.2f %% off the cpu\n",
		100 * s->busy, 100 * s->waited[PG_WAIT_DUE], 100 * s->waited[PG_WAIT_PORT],
		100 * s->waited[PG_WAIT_POOL], 100 * s->off_cpu);
}

static void
time_text(double ns, char *out, size_t size)
{
	if (ns < 1e3)
		snprintf(out, size, "%.0f ns", ns);
	else if (ns < 1e6)
		snprintf(out, size, "%.2f us", ns / 1e3);
	else
		snprintf(out, size, "%.3f ms", ns / 1e6);
}

static void
gaps(const struct pg_gaps_result *g, FILE *out)
{
	char text[4][24];

	if (g->packets == 0)
		return;
	time_text(g->late_p50_ns, text[0], sizeof(text[0]));
	time_text(g->late_p99_ns, text[1], sizeof(text[1]));
	time_text(g->late_p999_ns, text[2], sizeof(text[2]));
	time_text(g->late_max_ns, text[3], sizeof(text[3]));
	fprintf(out, "     lateness: p50 %s, p99 %s, p99.9 %s, max %s\n     within", text[0],
		text[1], text[2], text[3]);
	for (unsigned int i = 0; i < PG_GAPS_LIMITS; i++)
		fprintf(out, "%s %u %s: %.2f %%", i > 0 ? "," : "",
			pg_gaps_limit_ns[i] / (pg_gaps_limit_ns[i] < 1000 ? 1 : 1000),
			pg_gaps_limit_ns[i] < 1000 ? "ns" : "us", 100 * g->within[i]);
	time_text(g->gap_p50_ns, text[0], sizeof(text[0]));
	time_text(g->gap_p99_ns, text[1], sizeof(text[1]));
	time_text(g->gap_max_ns, text[2], sizeof(text[2]));
	time_text((double)g->absent_ns, text[3], sizeof(text[3]));
	fprintf(out,
		"\n     gaps: p50 %s, p99 %s, max %s; %.2f %% back to back; thread absent %" PRIu64
		" times, %s in all\n",
		text[0], text[1], text[2], 100 * g->back_to_back, g->absences, text[3]);
}

static void
start_line(const struct pg_device *device, FILE *out)
{
	char text[24];

	if (device->account.start_late_ns == PG_COUNTER_ABSENT)
		return;
	time_text((double)device->account.start_late_ns, text, sizeof(text));
	fprintf(out, "     started %s after the instant that start_at asked for\n", text);
}

static void
sum_line(struct pg_engine *engine, FILE *out)
{
	struct report_sum sum;

	report_sum(engine, &sum);
	if (sum.ndevices < 2)
		return;
	fprintf(out, "all devices: offered %" PRIu64, sum.offered);
	if (sum.has_intended)
		fprintf(out, " of %" PRIu64 " intended", sum.intended);
	if (sum.driver_sent != PG_COUNTER_ABSENT)
		fprintf(out, ", sent %" PRIu64 " by the drivers' count", sum.driver_sent);
	if (sum.has_intended)
		fprintf(out, ", not offered %" PRIu64, sum.late + sum.ended);
	fputc('\n', out);
}

static void
page_size(size_t bytes, FILE *out)
{
	if (bytes >= 1 << 30)
		fprintf(out, ", %zu GB pages", bytes >> 30);
	else if (bytes >= 1 << 20)
		fprintf(out, ", %zu MB pages", bytes >> 20);
	else if (bytes > 0)
		fprintf(out, ", %zu kB pages", bytes >> 10);
}

// Where the buffers really are, and who has to reach across sockets for them.
static void
memory(const struct pg_placement *p, FILE *out)
{
	bool lcore = pg_placement_remote(p, p->lcore);
	bool port = p->port_used && pg_placement_remote(p, p->port);

	if (p->pool == PG_NODE_UNKNOWN && p->page_bytes == 0)
		return;
	if (p->pool == PG_NODE_UNKNOWN)
		fprintf(out, "     memory: node unknown");
	else if (p->pool == PG_NODE_SEVERAL)
		fprintf(out, "     memory: several nodes");
	else
		fprintf(out, "     memory: node %d", p->pool);
	if (p->asked >= 0 && p->asked != p->pool)
		fprintf(out, " (node %d was asked for)", p->asked);
	if (p->lcore >= 0)
		fprintf(out, ", lcore on node %d", p->lcore);
	if (p->port_used && p->port >= 0)
		fprintf(out, ", port on node %d", p->port);
	page_size(p->page_bytes, out);
	if (p->fast_free)
		fprintf(out, ", fast free");
	if (lcore || port)
		fprintf(out, "; %s across sockets",
			!port    ? "the lcore reaches it"
			: !lcore ? "the port reaches it"
				 : "lcore and port reach it");
	fputc('\n', out);
}

static void
buffers(const struct pg_device *device, FILE *out)
{
	const struct pg_placement *p = &device->placement;

	if (device->received) {
		fprintf(out, "     buffers: of the port\n");
		return;
	}
	fprintf(out, "     buffers: %s", pg_report_buffers(p->buffers));
	if (p->buffers == PG_RX_BUFFERS_COLD)
		fprintf(out, ", %" PRIu32 " by turns, more than the %s cache of %zu kB holds",
			device->pool_size, p->outgrown, p->outgrown_bytes >> 10);
	if (p->buffers == PG_RX_BUFFERS_HOT)
		fprintf(out, ", the first %" PRIu32 " packets again and again", p->repeated);
	if (p->replaced > 0)
		fprintf(out, ", %" PRIu64 " more for those that were held", p->replaced);
	fputc('\n', out);
}

static void
profile_line(const struct pg_rx_node_count *node, double all, FILE *out)
{
	char name[80];

	snprintf(name, sizeof(name), "%s%s", node->drop ? "drop, " : "", node->name);
	fprintf(out, "     %-26s %14" PRIu64 " %16.2f %8.2f %%", name, node->packets,
		(double)node->cycles / (double)node->packets,
		all > 0 ? 100 * (double)node->cycles / all : 0);
	if (node->sampled > 0)
		fprintf(out, " %7.1f %7.1f %7.1f", node->p50, node->p99, node->max);
	fputc('\n', out);
}

// As the program that is the model of xdp says it.
static void
protocols(const struct pg_rx_profile *p, uint64_t duration_ns, FILE *out)
{
	uint64_t drops[PG_RX_PROTOCOLS] = {0};
	char name[24];

	if (duration_ns == 0 || !pg_rx_profile_protocols(p, drops))
		return;
	for (unsigned int i = 0; i < PG_RX_PROTOCOLS; i++) {
		if (drops[i] > 0)
			fprintf(out, "     %s: %.0f drops/s\n",
				pg_report_protocol(i, name, sizeof(name)),
				1e9 * (double)drops[i] / (double)duration_ns);
	}
}

// What the nodes of one thread counted; `all` are its busy cycles.
static void
nodes(const struct pg_rx_profile *p, double all, uint64_t duration_ns, FILE *out)
{
	fprintf(out, "     profile: node %27s %16s %10s", "packets", "cycles/packet", "share");
	if (p->node[0].sampled > 0)
		fprintf(out, " %7s %7s %7s  of 1 burst in %d", "p50", "p99", "max", PG_RX_SAMPLED);
	fputc('\n', out);
	for (unsigned int i = 0; i < p->nnodes; i++) {
		if (p->node[i].packets > 0)
			profile_line(&p->node[i], all, out);
	}
	for (unsigned int i = 0; i < p->ncounters; i++) {
		if (p->counter[i] > 0 && p->counter_name[i].text[0] != '\0')
			fprintf(out, "     counted, %-17s %14" PRIu64 "\n", p->counter_name[i].text,
				p->counter[i]);
	}
	protocols(p, duration_ns, out);
}

// Per node what rte_graph counted; then the whole, gross and without the generator's own cost.
static void
profile(const struct pg_device *device, FILE *out)
{
	const struct pg_rx_profile *p = &device->profile;
	double net = device->result.cycles_per_packet - device->own_cycles;

	if ((p->nnodes == 0 && device->nreceivers == 0) || device->result.sent == 0)
		return;
	fprintf(out, "     graph: %s\n", report_walked(device)->graph);
	buffers(device, out);
	if (report_walked(device)->atomic)
		fprintf(out, "     counters: atomic, %" PRIu64 " packets dropped by all threads\n",
			pg_rx_shared_drops());
	if (p->nnodes > 0)
		nodes(p, (double)device->result.cycles, device->result.duration_ns, out);
	fprintf(out, "     gross: %.2f cycles/packet", device->result.cycles_per_packet);
	if (device->own_cycles > 0)
		fprintf(out, "   generator into an empty graph: %.2f   net: %.2f",
			device->own_cycles, net > 0 ? net : 0);
	fputc('\n', out);
}

// What verification looked at, and the first packet that ended elsewhere.
static void
verified(const struct pg_rx_verified *v, FILE *out)
{
	if (v == NULL)
		return;
	fprintf(out,
		"     verified: %" PRIu64 " packets, %" PRIu64 " ended elsewhere than they must\n",
		v->packets, v->differences);
	if (v->differences == 0)
		return;
	fprintf(out, "     packet %" PRIu64 ", %u bytes: must end as '%s', ended as '%s'\n    ",
		v->index, v->length, v->must, v->did);
	for (uint32_t i = 0; i < v->length && i < PG_RX_SHOWN; i++)
		fprintf(out, " %02x", v->bytes[i]);
	fprintf(out, "%s\n", v->length > PG_RX_SHOWN ? " ..." : "");
}

// What other threads did with packets of the device.
static void
receivers(const struct pg_device *device, FILE *out)
{
	for (unsigned int i = 0; i < device->nreceivers; i++) {
		const struct pg_receiver *r = &device->receivers[i];

		fprintf(out,
			"     kpktgend_%u: received %" PRIu64 " of %" PRIu64
			" packets handed to it, lost %" PRIu64
			" to its full ring of %u, in flight %" PRIu64 "\n",
			r->thread->lcore, r->received, r->offered, r->lost, r->ring_size,
			r->in_flight);
		if (r->received == 0)
			continue;
		nodes(&r->profile, (double)r->cycles, device->result.duration_ns, out);
		fprintf(out, "     kpktgend_%u: %.2f cycles/packet\n", r->thread->lcore,
			r->cycles_per_packet);
		verified(r->profile.verified, out);
	}
}

// What came from a port, and what its driver could not give.
static void
port_received(const struct pg_port_account *account, FILE *out)
{
	fprintf(out, "port %s (%s): its driver counts %" PRIu64 " received, taken %" PRIu64,
		account->port->name, account->port->driver, account->received, account->taken);
	if (account->missed > 0)
		fprintf(out, "; missed %" PRIu64 ": its queue was full", account->missed);
	if (account->no_buffer > 0)
		fprintf(out, "; no buffer for %" PRIu64, account->no_buffer);
	if (account->receive_errors > 0)
		fprintf(out, "; errors %" PRIu64, account->receive_errors);
	fputc('\n', out);
}

static void
port_line(const struct pg_port_account *account, FILE *out)
{
	if (account->taken != PG_COUNTER_ABSENT && account->received != PG_COUNTER_ABSENT)
		port_received(account, out);
	if (account->offered == 0 && account->lost == 0)
		return;
	fprintf(out, "port %s (%s): offered %" PRIu64, account->port->name, account->port->driver,
		account->offered);
	if (account->opackets == PG_COUNTER_ABSENT)
		fprintf(out, ", its driver does not count");
	else
		fprintf(out, ", its driver counts %" PRIu64 " sent and %" PRIu64 " errors",
			account->opackets, account->oerrors);
	if (account->in_flight != PG_COUNTER_ABSENT)
		fprintf(out, "; received %" PRIu64 ", in flight %" PRIu64, account->received,
			account->in_flight);
	if (account->lost > 0)
		fprintf(out, "; lost %" PRIu64 ": refused by the driver", account->lost);
	if (account->not_drained > 0)
		fprintf(out, "; %" PRIu64 " still in the ring: it did not drain",
			account->not_drained);
	fputc('\n', out);
}

void
pg_report_run(struct pg_engine *engine, FILE *out)
{
	const struct pg_run *run = pg_engine_run(engine);
	const struct pg_clock *clock = pg_engine_clock(engine);
	const struct pg_device *device;
	char result[PG_RESULT_MAX];

	TAILQ_FOREACH(device, pg_engine_devices(engine), in_engine)
	{
		if (!device->has_run)
			continue;
		pg_report_result(&device->result, result, sizeof(result));
		fprintf(out, "%s: Result: %s\n", device->name, result);
		asked_and_sent(device, run, out);
		rates(device, out);
		report_receipt(device, out);
		start_line(device, out);
		account(device, out);
		spent(device, out);
		gaps(&device->gaps, out);
		memory(&device->placement, out);
		profile(device, out);
		verified(device->profile.verified, out);
		receivers(device, out);
	}
	sum_line(engine, out);
	for (const struct pg_port_account *a = run->ports; a != NULL; a = a->next)
		port_line(a, out);
	fprintf(out,
		"clock: TSC %.6f MHz against CLOCK_MONOTONIC_RAW, within %.2f ppm, "
		"at the start within %.2f ppm; seed: %" PRIu64 "\n",
		clock->hz / 1e6, clock->error_ppm, run->clock_ppm, run->seed);
	fflush(out);
}

void
pg_report_dry_run(struct pg_engine *engine, const char *file, FILE *out)
{
	const struct pg_run *run = pg_engine_run(engine);
	const struct pg_device *device;

	TAILQ_FOREACH(device, pg_engine_devices(engine), in_engine)
	{
		fprintf(out, "%s: dry run: %" PRIu64 " packets to %s%s\n", device->name,
			device->result.sent, file, run->interrupted ? ", interrupted" : "");
		report_receipt(device, out);
	}
	fprintf(out, "seed: %" PRIu64 "\n", run->seed);
	fflush(out);
}
