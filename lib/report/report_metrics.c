/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics as text, for Prometheus and what reads its formats. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <rte_version.h>

#include "pg_version.h"
#include "report_priv.h"

/** A page being written. */
struct page {
	struct pg_engine *engine;
	bool openmetrics;
	FILE *out;
};

// One family: all samples of a metric stand together, below what describes it.
static void
family(const struct page *page, const char *object, const struct report_field *f)
{
	const char *total = f->counter && !page->openmetrics ? "_total" : "";

	fprintf(page->out, "# TYPE pmdgen_%s_%s%s %s\n", object, f->metric, total,
		f->counter ? "counter" : "gauge");
	if (page->openmetrics && f->unit != NULL)
		fprintf(page->out, "# UNIT pmdgen_%s_%s %s\n", object, f->metric, f->unit);
	fprintf(page->out, "# HELP pmdgen_%s_%s%s %s.\n", object, f->metric, total, f->help);
}

static void
label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (const char *c = value; *c != '\0'; c++) {
		if (*c == '\\' || *c == '"')
			fputc('\\', out);
		if (*c == '\n')
			fputs("\\n", out);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void
number(FILE *out, const struct report_field *f, const struct report_value *value)
{
	double figure = f->scale != 0 ? value->number * f->scale : value->number;

	if (!value->real && f->scale == 0)
		fprintf(out, "%" PRIu64 "\n", value->u64);
	else
		fprintf(out, "%.15g\n", isfinite(figure) ? figure : 0);
}

static void
sample_start(const struct page *page, const char *object, const struct report_field *f)
{
	fprintf(page->out, "pmdgen_%s_%s%s", object, f->metric, f->counter ? "_total" : "");
}

// thread: the device's own, or one that receives from it.
static void
thread_labels(FILE *out, const struct pg_device *device, const struct pg_thread *on)
{
	char thread[24];

	snprintf(thread, sizeof(thread), "kpktgend_%u", on->lcore);
	fputc('{', out);
	label(out, "device", device->name);
	fputc(',', out);
	label(out, "thread", thread);
	fputc(',', out);
	label(out, "port", device->port->name);
}

static void
device_labels(FILE *out, const struct pg_device *device)
{
	thread_labels(out, device, device->thread);
}

static void
devices(const struct page *page)
{
	const struct pg_device *device;
	struct report_value value;

	for (const struct report_field *f = report_device_fields; f->key != NULL; f++) {
		family(page, "device", f);
		TAILQ_FOREACH(device, pg_engine_devices(page->engine), in_engine)
		{
			if (!report_field_read(f, device, &value))
				continue;
			sample_start(page, "device", f);
			device_labels(page->out, device);
			fputs("} ", page->out);
			number(page->out, f, &value);
		}
	}
}

static const struct report_field running = {
	"running", "running", .help = "1 while the device's part of a run goes on"};
static const struct report_field asked = {"packets", "asked_packets", "packets",
	.help = "Packets asked for in the run; 0 until stopped"};
static const struct report_field asked_pps = {"pps", "asked_packets_per_second",
	"packets_per_second", .help = "Packets per second asked for; 0 as fast as possible"};

// What is no figure of a field: it is asked or derived.
static void
device_states(const struct page *page)
{
	const struct report_field *const fields[] = {&running, &asked, &asked_pps};
	const struct pg_device *device;

	for (size_t i = 0; i < RTE_DIM(fields); i++) {
		family(page, "device", fields[i]);
		TAILQ_FOREACH(device, pg_engine_devices(page->engine), in_engine)
		{
			sample_start(page, "device", fields[i]);
			device_labels(page->out, device);
			if (fields[i] == &running)
				fprintf(page->out, "} %d\n", pg_device_running(device));
			else if (fields[i] == &asked)
				fprintf(page->out, "} %" PRIu64 "\n", device->asked);
			else
				fprintf(page->out, "} %.15g\n", report_asked_pps(device));
		}
	}
}

static void
nodes_of(const struct page *page, const struct report_field *f, const struct pg_device *device,
	const struct pg_thread *thread, const struct pg_rx_profile *profile)
{
	struct report_value value;

	for (unsigned int i = 0; i < profile->nnodes; i++) {
		const struct pg_rx_node_count *n = &profile->node[i];

		if (!report_field_read(f, n, &value))
			continue;
		sample_start(page, "node", f);
		thread_labels(page->out, device, thread);
		fputc(',', page->out);
		label(page->out, "node", n->name);
		fprintf(page->out, ",drop=\"%s\"} ", n->drop ? "true" : "false");
		number(page->out, f, &value);
	}
}

static void
nodes(const struct page *page)
{
	const struct pg_device *device;

	for (const struct report_field *f = report_node_fields; f->key != NULL; f++) {
		family(page, "node", f);
		TAILQ_FOREACH(device, pg_engine_devices(page->engine), in_engine)
		{
			nodes_of(page, f, device, device->thread, &device->profile);
			for (unsigned int i = 0; i < device->nreceivers; i++)
				nodes_of(page, f, device, device->receivers[i].thread,
					&device->receivers[i].profile);
		}
	}
}

static void
receivers(const struct page *page)
{
	const struct pg_device *device;
	struct report_value value;

	for (const struct report_field *f = report_receiver_fields; f->key != NULL; f++) {
		family(page, "receiver", f);
		TAILQ_FOREACH(device, pg_engine_devices(page->engine), in_engine)
		{
			for (unsigned int i = 0; i < device->nreceivers; i++) {
				if (!report_field_read(f, &device->receivers[i], &value))
					continue;
				sample_start(page, "receiver", f);
				thread_labels(page->out, device, device->receivers[i].thread);
				fputs("} ", page->out);
				number(page->out, f, &value);
			}
		}
	}
}

static const struct report_field counted = {"packets", "packets", "packets", .counter = true,
	.help = "What a node of the receive graph counts beside its packets"};

static void
counters_of(const struct page *page, const struct pg_device *device, const struct pg_thread *thread,
	const struct pg_rx_profile *p)
{
	for (unsigned int i = 0; i < p->ncounters; i++) {
		uint64_t n = __atomic_load_n(&p->counter[i], __ATOMIC_RELAXED);

		if (n == 0 || p->counter_name[i].text[0] == '\0')
			continue;
		sample_start(page, "counter", &counted);
		thread_labels(page->out, device, thread);
		fputc(',', page->out);
		label(page->out, "counter", p->counter_name[i].text);
		fprintf(page->out, "} %" PRIu64 "\n", n);
	}
}

static void
counters(const struct page *page)
{
	const struct pg_device *device;

	family(page, "counter", &counted);
	TAILQ_FOREACH(device, pg_engine_devices(page->engine), in_engine)
	{
		counters_of(page, device, device->thread, &device->profile);
		for (unsigned int i = 0; i < device->nreceivers; i++)
			counters_of(page, device, device->receivers[i].thread,
				&device->receivers[i].profile);
	}
}

static void
ports(const struct page *page)
{
	// Until a run has ended its account is not made.
	const struct pg_port_account *first =
		pg_engine_running(page->engine) ? NULL : pg_engine_run(page->engine)->ports;
	struct report_value value;

	for (const struct report_field *f = report_port_fields; f->key != NULL; f++) {
		family(page, "port", f);
		for (const struct pg_port_account *a = first; a != NULL; a = a->next) {
			if (!report_field_read(f, a, &value))
				continue;
			sample_start(page, "port", f);
			fputc('{', page->out);
			label(page->out, "port", a->port->name);
			fputc(',', page->out);
			label(page->out, "driver", a->port->driver);
			fputs("} ", page->out);
			number(page->out, f, &value);
		}
	}
}

static void
program(const struct page *page)
{
	const struct pg_clock *clock = pg_engine_clock(page->engine);
	struct report_value value;

	fputs("# TYPE pmdgen_info gauge\n# HELP pmdgen_info Versions.\npmdgen_info{", page->out);
	label(page->out, "version", PG_VERSION);
	fputc(',', page->out);
	label(page->out, "dpdk", rte_version());
	fprintf(page->out,
		"} 1\n# TYPE pmdgen_running gauge\n# HELP pmdgen_running 1 while a run goes on.\n"
		"pmdgen_running %d\n",
		pg_engine_running(page->engine));
	for (const struct report_field *f = report_clock_fields; f->key != NULL; f++) {
		family(page, "clock", f);
		sample_start(page, "clock", f);
		fputc(' ', page->out);
		if (report_field_read(f, clock, &value))
			number(page->out, f, &value);
	}
}

void
pg_report_metrics(struct pg_engine *engine, bool openmetrics, FILE *out)
{
	const struct page page = {engine, openmetrics, out};
	struct pg_device *device;

	TAILQ_FOREACH(device, pg_engine_devices(engine), in_engine)
	pg_device_refresh(device);
	program(&page);
	devices(&page);
	device_states(&page);
	nodes(&page);
	receivers(&page);
	counters(&page);
	ports(&page);
	fputs("# EOF\n", out);
}
