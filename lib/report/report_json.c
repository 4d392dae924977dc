/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <numa.h>

#include <rte_lcore.h>
#include <rte_version.h>

#include "pg_version.h"
#include "report_priv.h"

void
report_set_int(json_t *object, const char *key, uint64_t value)
{
	// JSON's integers here have 63 bits; what is larger becomes text rather than wrong.
	char text[24];

	if (value <= INT64_MAX) {
		json_object_set_new(object, key, json_integer((json_int_t)value));
		return;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	json_object_set_new(object, key, json_string(text));
}

static void
set_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, json_real(value));
}

static void
set_text(json_t *object, const char *key, const char *value)
{
	json_t *string = json_string(value);

	json_object_set_new(object, key, string ? string : json_string("(not UTF-8)"));
}

static void
set_fields(json_t *json, const struct report_field *fields, const void *object)
{
	struct report_value value;

	for (const struct report_field *f = fields; f->key != NULL; f++) {
		if (!report_field_read(f, object, &value))
			continue;
		if (value.real)
			set_real(json, f->key, value.number);
		else
			report_set_int(json, f->key, value.u64);
	}
}

static json_t *
cpu_model(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	json_t *model = NULL;
	char line[256];

	while (file != NULL && model == NULL && fgets(line, sizeof(line), file) != NULL) {
		char *value = strstr(line, ": ");

		if (strncmp(line, "model name", 10) != 0 || value == NULL)
			continue;
		value[strcspn(value, "\n")] = '\0';
		model = json_string(value + 2);
	}
	if (file != NULL)
		fclose(file);
	return model != NULL ? model : json_string("unknown");
}

json_t *
pg_report_json_begin(int eal_argc, char **eal_argv)
{
	json_t *report = json_object(), *args = json_array();

	report_set_int(report, "schema", PG_REPORT_SCHEMA);
	set_text(report, "pmdgen", PG_VERSION);
	set_text(report, "dpdk", rte_version());
	for (int i = 1; i < eal_argc; i++)
		json_array_append_new(args, json_string(eal_argv[i]));
	json_object_set_new(report, "eal_args", args);
	json_object_set_new(report, "cpu", cpu_model());
	report_set_int(
		report, "numa_nodes", numa_available() < 0 ? 1 : numa_num_configured_nodes());
	json_object_set_new(report, "runs", json_array());
	return report;
}

// cycles: busy, of the thread whose nodes they are.
static json_t *
nodes_json(const struct pg_rx_profile *p, uint64_t cycles, const struct pg_thread *thread)
{
	json_t *nodes = json_array();
	char name[24];

	for (unsigned int i = 0; i < p->nnodes; i++) {
		const struct pg_rx_node_count *n = &p->node[i];
		json_t *node = json_object();

		set_text(node, "name", n->name);
		if (thread != NULL) {
			snprintf(name, sizeof(name), "kpktgend_%u", thread->lcore);
			set_text(node, "thread", name);
		}
		json_object_set_new(node, "drop", json_boolean(n->drop));
		set_fields(node, report_node_fields, n);
		if (n->packets > 0)
			set_real(node, "cycles_per_packet", (double)n->cycles / (double)n->packets);
		if (cycles > 0)
			set_real(node, "share", (double)n->cycles / (double)cycles);
		json_array_append_new(nodes, node);
	}
	return nodes;
}

json_t *
pg_report_json_nodes(const struct pg_device *device)
{
	json_t *nodes = nodes_json(&device->profile, device->result.cycles, NULL), *more;

	for (unsigned int i = 0; i < device->nreceivers; i++) {
		const struct pg_receiver *r = &device->receivers[i];

		more = nodes_json(&r->profile, r->cycles, r->thread);
		json_array_extend(nodes, more);
		json_decref(more);
	}
	return nodes;
}

// Those that counted something.
static json_t *
counters_json(const struct pg_rx_profile *p, double seconds)
{
	json_t *counters = json_array();

	for (unsigned int i = 0; i < p->ncounters; i++) {
		const struct pg_rx_counter_name *name = &p->counter_name[i];
		uint64_t packets = __atomic_load_n(&p->counter[i], __ATOMIC_RELAXED);
		json_t *counter;

		if (packets == 0 || name->text[0] == '\0')
			continue;
		counter = json_object();
		set_text(counter, "name", name->text);
		if (name->protocol >= 0 && name->protocol != PG_RX_NOT_IP)
			report_set_int(counter, "protocol", (uint64_t)name->protocol);
		report_set_int(counter, "packets", packets);
		set_real(counter, "pps", seconds > 0 ? (double)packets / seconds : 0);
		json_array_append_new(counters, counter);
	}
	return counters;
}

json_t *
pg_report_json_counters(const struct pg_device *device)
{
	double seconds = (double)device->result.duration_ns / 1e9;
	json_t *counters = counters_json(&device->profile, seconds), *more;

	for (unsigned int i = 0; i < device->nreceivers; i++) {
		more = counters_json(&device->receivers[i].profile, seconds);
		json_array_extend(counters, more);
		json_decref(more);
	}
	return counters;
}

static json_t *
verified_json(const struct pg_rx_verified *v)
{
	json_t *object = json_object();
	char hex[2 * PG_RX_SHOWN + 1] = "";

	report_set_int(object, "packets", v->packets);
	report_set_int(object, "differences", v->differences);
	if (v->differences == 0)
		return object;
	for (uint32_t i = 0; i < v->length && i < PG_RX_SHOWN; i++)
		snprintf(hex + 2 * i, 3, "%02x", v->bytes[i]);
	report_set_int(object, "index", v->index);
	report_set_int(object, "length", v->length);
	set_text(object, "must", v->must);
	set_text(object, "did", v->did);
	set_text(object, "bytes", hex);
	return object;
}

static void
set_profile(json_t *object, const struct pg_rx_profile *p, uint64_t cycles, double seconds)
{
	json_object_set_new(object, "nodes", nodes_json(p, cycles, NULL));
	if (p->ncounters > 0)
		json_object_set_new(object, "counters", counters_json(p, seconds));
	if (p->verified != NULL)
		json_object_set_new(object, "verified", verified_json(p->verified));
}

static json_t *
profile_json(const struct pg_device *device)
{
	double net = device->result.cycles_per_packet - device->own_cycles;
	double seconds = (double)device->result.duration_ns / 1e9;
	const struct pg_placement *place = &device->placement;
	const struct pg_rx_profile *walked = report_walked(device);
	json_t *object = json_object();

	set_text(object, "graph", walked->graph);
	set_text(object, "buffers", device->received ? "port" : pg_report_buffers(place->buffers));
	if (place->buffers == PG_RX_BUFFERS_HOT) {
		report_set_int(object, "repeated", place->repeated);
		report_set_int(object, "replaced", place->replaced);
	}
	if (place->outgrown != NULL) {
		set_text(object, "outgrown", place->outgrown);
		report_set_int(object, "outgrown_bytes", place->outgrown_bytes);
	}
	set_text(object, "drop_counters", walked->atomic ? "atomic" : "percpu");
	if (walked->atomic)
		report_set_int(object, "shared_drops", pg_rx_shared_drops());
	set_profile(object, &device->profile, device->result.cycles, seconds);
	set_real(object, "gross_cycles_per_packet", device->result.cycles_per_packet);
	if (device->own_cycles > 0) { // else nothing was built, or no buffer was left for it
		set_real(object, "generator_cycles_per_packet", device->own_cycles);
		set_real(object, "net_cycles_per_packet", net > 0 ? net : 0);
	}
	return object;
}

// What the other threads did that received from it.
json_t *
pg_report_json_receivers(const struct pg_device *device, bool with_nodes)
{
	double seconds = (double)device->result.duration_ns / 1e9;
	json_t *receivers = json_array();
	char name[24];

	for (unsigned int i = 0; i < device->nreceivers; i++) {
		const struct pg_receiver *r = &device->receivers[i];
		json_t *object = json_object();

		snprintf(name, sizeof(name), "kpktgend_%u", r->thread->lcore);
		set_text(object, "thread", name);
		set_fields(object, report_receiver_fields, r);
		if (with_nodes)
			set_profile(object, &r->profile, r->cycles, seconds);
		json_array_append_new(receivers, object);
	}
	return receivers;
}

static void
set_node(json_t *object, const char *key, int node)
{
	if (node >= 0)
		report_set_int(object, key, node);
}

static void
set_asked(json_t *object, const struct pg_device *device)
{
	double pps = report_asked_pps(device);
	json_t *asked = json_object();

	if (device->asked != 0)
		report_set_int(asked, "packets", device->asked);
	if (pps > 0)
		set_real(asked, "pps", pps);
	set_node(asked, "node", device->placement.asked);
	json_object_set_new(object, "asked", asked);
}

// How late packets left, and how far apart.
static json_t *
gaps_json(const struct pg_gaps_result *gaps)
{
	json_t *object = json_object(), *within = json_array();

	report_set_int(object, "packets", gaps->packets);
	report_set_int(object, "calls", gaps->calls);
	for (unsigned int i = 0; i < PG_GAPS_LIMITS; i++) {
		json_t *limit = json_object();

		report_set_int(limit, "ns", pg_gaps_limit_ns[i]);
		set_real(limit, "share", gaps->within[i]);
		json_array_append_new(within, limit);
	}
	json_object_set_new(object, "within", within);
	set_real(object, "late_p50_ns", gaps->late_p50_ns);
	set_real(object, "late_p99_ns", gaps->late_p99_ns);
	set_real(object, "late_p999_ns", gaps->late_p999_ns);
	set_real(object, "late_max_ns", gaps->late_max_ns);
	set_real(object, "gap_p50_ns", gaps->gap_p50_ns);
	set_real(object, "gap_p99_ns", gaps->gap_p99_ns);
	set_real(object, "gap_max_ns", gaps->gap_max_ns);
	set_real(object, "back_to_back", gaps->back_to_back);
	report_set_int(object, "absences", gaps->absences);
	report_set_int(object, "absent_ns", gaps->absent_ns);
	return object;
}

static json_t *
spent_json(const struct pg_spent *spent)
{
	json_t *object = json_object();

	set_real(object, "busy", spent->busy);
	set_real(object, "waited_due", spent->waited[PG_WAIT_DUE]);
	set_real(object, "waited_port", spent->waited[PG_WAIT_PORT]);
	set_real(object, "waited_pool", spent->waited[PG_WAIT_POOL]);
	set_real(object, "off_cpu", spent->off_cpu);
	return object;
}

static bool
crosses(const struct pg_placement *p)
{
	return pg_placement_remote(p, p->lcore) ||
	       (p->port_used && pg_placement_remote(p, p->port));
}

// Before the first run only the settings say it.
static const char *
mode_of(const struct pg_device *device)
{
	static const char *const names[] = {
		[PG_XMIT_START_XMIT] = "start_xmit",
		[PG_XMIT_NETIF_RECEIVE] = "netif_receive",
		[PG_XMIT_QUEUE_XMIT] = "queue_xmit",
	};

	if (device->task == NULL && !device->has_run)
		return names[device->settings.xmit_mode];
	return names[device->profile.nnodes > 0 || device->nreceivers > 0 ? PG_XMIT_NETIF_RECEIVE
									  : device->asked_mode];
}

json_t *
pg_report_json_device(const struct pg_device *device, bool interrupted)
{
	const struct pg_template *tmpl = &device->settings.tmpl;
	const struct rte_ether_addr *src =
		pg_mac_is_zero(&tmpl->src_mac) ? &device->port->mac : &tmpl->src_mac;
	json_t *object = json_object();
	char text[PG_RESULT_MAX], mac[RTE_ETHER_ADDR_FMT_SIZE];

	set_text(object, "name", device->name);
	snprintf(text, sizeof(text), "kpktgend_%u", device->thread->lcore);
	set_text(object, "thread", text);
	set_text(object, "port", device->port->name);
	set_text(object, "xmit_mode", mode_of(device));
	pg_report_mac(src, mac, sizeof(mac));
	set_text(object, "src_mac", mac);
	pg_report_result(&device->result, text, sizeof(text));
	set_text(object, "result", text);
	set_asked(object, device);
	set_fields(object, report_device_fields, device);
	set_node(object, "pool_node", device->placement.pool);
	set_node(object, "lcore_node", device->placement.lcore);
	set_node(object, "port_node", device->placement.port);
	if (device->placement.page_bytes > 0)
		report_set_int(object, "page_bytes", device->placement.page_bytes);
	json_object_set_new(object, "cross_socket", json_boolean(crosses(&device->placement)));
	json_object_set_new(object, "fast_free", json_boolean(device->placement.fast_free));
	if (device->isa != NULL)
		set_text(object, "isa", device->isa);
	json_object_set_new(object, "interrupted", json_boolean(interrupted));
	json_object_set_new(object, "fell_short", json_boolean(device->fell_short));
	if (device->fell_short)
		set_text(object, "shortfall", device->shortfall);
	if (device->receipt != NULL)
		json_object_set_new(object, "receipt", report_receipt_json(device->receipt));
	if (device->has_run)
		json_object_set_new(object, "spent", spent_json(&device->account.spent));
	if (device->account.limit[0] != '\0')
		set_text(object, "limit", device->account.limit);
	if (device->gaps.packets > 0)
		json_object_set_new(object, "gaps", gaps_json(&device->gaps));
	if (device->profile.nnodes > 0 || device->nreceivers > 0)
		json_object_set_new(object, "profile", profile_json(device));
	if (device->nreceivers > 0)
		json_object_set_new(object, "receivers", pg_report_json_receivers(device, true));
	return object;
}

// What was set, as lines of the language.
static json_t *
settings_json(const struct pg_device *device)
{
	json_t *settings = json_array();
	char *text = NULL, *rest, *line;
	struct pg_error err;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (memory == NULL)
		return settings;
	(void)pg_device_save(device, memory, &err); // the table's defaults are good
	fclose(memory);
	for (rest = text; (line = strsep(&rest, "\n")) != NULL;) {
		if (line[0] != '\0')
			json_array_append_new(settings, json_string(line));
	}
	free(text);
	return settings;
}

static json_t *
device_json(const struct pg_device *device, bool interrupted)
{
	json_t *object = pg_report_json_device(device, interrupted);

	json_object_set_new(object, "settings", settings_json(device));
	return object;
}

static json_t *
port_json(const struct pg_port_account *account)
{
	json_t *object = json_object();

	set_text(object, "name", account->port->name);
	set_text(object, "driver", account->port->driver);
	report_set_int(object, "tx_queues", account->port->ntxqs);
	set_fields(object, report_port_fields, account);
	return object;
}

static json_t *
sum_json(const struct report_sum *sum)
{
	json_t *object = json_object();

	report_set_int(object, "offered", sum->offered);
	if (sum->has_intended) {
		report_set_int(object, "intended", sum->intended);
		report_set_int(object, "late", sum->late);
		report_set_int(object, "ended", sum->ended);
	}
	if (sum->driver_sent != PG_COUNTER_ABSENT)
		report_set_int(object, "driver_sent", sum->driver_sent);
	return object;
}

void
pg_report_json_run(json_t *report, struct pg_engine *engine)
{
	const struct pg_run *run = pg_engine_run(engine);
	json_t *object = json_object(), *devices = json_array(), *ports = json_array();
	const struct pg_device *device;
	struct report_sum sum;

	report_set_int(object, "seed", run->seed);
	report_set_int(object, "started_ns", run->started_wall_ns);
	set_real(object, "clock_error_ppm", run->clock_ppm);
	set_text(object, "compat", pg_engine_compat(engine) == PG_COMPAT_LINUX ? "linux" : "exact");
	json_object_set_new(object, "interrupted", json_boolean(run->interrupted));
	json_object_set_new(object, "fell_short", json_boolean(run->fell_short));
	TAILQ_FOREACH(device, pg_engine_devices(engine), in_engine)
	{
		if (device->has_run)
			json_array_append_new(devices, device_json(device, run->interrupted));
	}
	for (const struct pg_port_account *a = run->ports; a != NULL; a = a->next)
		json_array_append_new(ports, port_json(a));
	report_sum(engine, &sum);
	json_object_set_new(object, "account", sum_json(&sum));
	json_object_set_new(object, "devices", devices);
	json_object_set_new(object, "ports", ports);
	json_array_append_new(json_object_get(report, "runs"), object);
}

int
pg_report_json_write(json_t *report, const struct pg_clock *clock, FILE *out)
{
	json_t *object = json_object();

	set_text(object, "source", "TSC against CLOCK_MONOTONIC_RAW");
	set_fields(object, report_clock_fields, clock);
	json_object_set_new(report, "clock", object);
	if (json_dumpf(report, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
		fputc('\n', out) == EOF || fflush(out) != 0)
		return -EIO;
	return 0;
}
