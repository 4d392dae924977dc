/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures that the JSON report, telemetry and metrics have: each is named here, once. */
#include "report_priv.h"

#define NS_PER_SECOND 1e-9 // metrics have base units
#define BYTES_PER_BIT 0.125

static bool
driver_counts(const void *object)
{
	return ((const struct pg_port_account *)object)->opackets != PG_COUNTER_ABSENT;
}

static bool
leads_to_itself(const void *object)
{
	return ((const struct pg_port_account *)object)->in_flight != PG_COUNTER_ABSENT;
}

static bool
is_received_from(const void *object)
{
	return ((const struct pg_port_account *)object)->taken != PG_COUNTER_ABSENT;
}

static bool
counts_received(const void *object)
{
	return ((const struct pg_port_account *)object)->received != PG_COUNTER_ABSENT;
}

static bool
counts_received_from(const void *object)
{
	return is_received_from(object) && counts_received(object);
}

static bool
has_interface(const void *object)
{
	return ((const struct pg_port_account *)object)->port->interface[0] != '\0';
}

static bool
has_rate(const void *object)
{
	return ((const struct pg_device *)object)->account.asked_pps > 0;
}

static bool
has_intended(const void *object)
{
	return ((const struct pg_device *)object)->account.has_intended;
}

static bool
has_instant(const void *object)
{
	const struct pg_device *device = object;

	return device->has_run && device->account.start_late_ns != PG_COUNTER_ABSENT;
}

static bool
has_port_alone(const void *object)
{
	const struct pg_device *device = object;

	return device->has_run && device->account.driver_sent != PG_COUNTER_ABSENT;
}

static bool
was_sampled(const void *object)
{
	return ((const struct pg_rx_node_count *)object)->sampled > 0;
}

#define AT(kind, member)     .offset = offsetof(struct kind, member)
#define U64(kind, member)    .type = REPORT_U64, AT(kind, member)
#define U32(kind, member)    .type = REPORT_U32, AT(kind, member)
#define REAL(kind, member)   .type = REPORT_REAL, AT(kind, member)
#define COUNTER              .counter = true
#define METRIC(name, unit_)  .metric = name, .unit = unit_
#define IN_SECONDS(name)     METRIC(name, "seconds"), .scale = NS_PER_SECOND
#define IN_BYTES_PER_S(name) METRIC(name, "bytes_per_second"), .scale = BYTES_PER_BIT

const struct report_field report_device_fields[] = {
	{"sent", U64(pg_device, result.sent), METRIC("sent_packets", "packets"), COUNTER,
		.help = "Packets that the driver or the receive graph took"},
	{"intended", U64(pg_device, account.intended), METRIC("intended_packets", "packets"),
		.has = has_intended,
		.help = "Packets asked for: sent, late and ended together, of the last run"},
	{"late", U64(pg_device, account.late), METRIC("late_packets", "packets"),
		.has = has_intended, .help = "Packets that were due, but not offered"},
	{"ended", U64(pg_device, account.ended), METRIC("ended_packets", "packets"),
		.has = has_intended,
		.help = "Packets of the count that were not due when the run was ended"},
	{"skipped", U64(pg_device, account.skipped), METRIC("skipped_packets", "packets"), COUNTER,
		.help = "Late packets that were given up"},
	{"moves", U64(pg_device, account.moves), METRIC("moves", NULL), COUNTER,
		.help = "Times that the schedule was moved because it was late"},
	{"moved_ns", U64(pg_device, account.moved_ns), IN_SECONDS("moved_seconds"), COUNTER,
		.help = "How far the schedule was moved in all"},
	{"start_late_ns", U64(pg_device, account.start_late_ns), IN_SECONDS("start_late_seconds"),
		.has = has_instant,
		.help = "How much later than the instant of start_at the thread started"},
	{"driver_sent", U64(pg_device, account.driver_sent),
		METRIC("driver_sent_packets", "packets"), .has = has_port_alone,
		.help = "Packets of the last run that its driver counts as sent"},
	{"offered_pps", REAL(pg_device, account.offered_pps),
		METRIC("offered_packets_per_second", "packets_per_second"), .has = has_rate,
		.help = "How much of the rate asked for was offered in time"},
	{"errors", U64(pg_device, result.errors), METRIC("errors", NULL), COUNTER,
		.help = "Packets that the receive graph dropped"},
	{"bytes", U64(pg_device, result.bytes), METRIC("bytes", "bytes"), COUNTER,
		.help = "Bytes of the packets sent, without FCS"},
	{"duration_ns", U64(pg_device, result.duration_ns), IN_SECONDS("duration_seconds"),
		.help = "Time from the start to the last packet, or to now"},
	{"idle_ns", U64(pg_device, result.idle_ns), IN_SECONDS("idle_seconds"), COUNTER,
		.help = "Time waiting for a packet to be due or for the driver"},
	{"calls", U64(pg_device, result.calls), METRIC("calls", NULL), COUNTER,
		.help = "Transmit calls, or walks of the receive graph"},
	{"short_calls", U64(pg_device, result.short_calls), METRIC("short_calls", NULL), COUNTER,
		.help = "Calls that took less than they were offered"},
	{"pool_empty", U64(pg_device, result.pool_empty), METRIC("pool_empty", NULL), COUNTER,
		.help = "Turns in which no buffer was free"},
	{"pps", REAL(pg_device, result.rate_pps),
		METRIC("packets_per_second", "packets_per_second"),
		.help = "Mean packets per second of the run so far"},
	{"l2_bps", REAL(pg_device, result.l2_bps), IN_BYTES_PER_S("l2_bytes_per_second"),
		.help = "Mean rate with FCS"},
	{"l1_bps", REAL(pg_device, result.l1_bps), IN_BYTES_PER_S("l1_bytes_per_second"),
		.help = "Mean rate with FCS, preamble and gap"},
	{"cycles_per_packet", REAL(pg_device, result.cycles_per_packet),
		METRIC("cycles_per_packet", NULL), .help = "Busy TSC cycles per packet sent"},
	{"burst", U32(pg_device, call_packets), METRIC("burst_packets", "packets"),
		.help = "Packets that a call carries at most"},
	{"pool_size", U32(pg_device, pool_size), METRIC("pool_size", NULL),
		.help = "Buffers in the pool of its queue"},
	{"pool_in_use", U32(pg_device, pool_in_use), METRIC("pool_in_use", NULL),
		.help = "Buffers of its pools that the port or a reader held after the last run"},
	{0},
};

const struct report_field report_port_fields[] = {
	{"offered", U64(pg_port_account, offered), METRIC("offered_packets", "packets"), COUNTER,
		.help = "Packets handed to the driver in the last run"},
	{"sent", U64(pg_port_account, opackets), METRIC("sent_packets", "packets"), COUNTER,
		.has = driver_counts, .help = "Packets that the driver counts as sent"},
	{"errors", U64(pg_port_account, oerrors), METRIC("errors", NULL), COUNTER,
		.has = driver_counts, .help = "Errors that the driver counts"},
	{"lost", U64(pg_port_account, lost), METRIC("lost_packets", "packets"), COUNTER,
		.has = driver_counts, .help = "Packets offered, but not counted as sent"},
	{"received", U64(pg_port_account, received), METRIC("received_packets", "packets"), COUNTER,
		.has = counts_received,
		.help = "Packets that its driver counts as received, of a port that leads to "
			"itself or "
			"that devices receive from"},
	{"taken", U64(pg_port_account, taken), METRIC("taken_packets", "packets"), COUNTER,
		.has = is_received_from, .help = "Packets that devices took from it"},
	{"missed", U64(pg_port_account, missed), METRIC("missed_packets", "packets"), COUNTER,
		.has = counts_received_from,
		.help = "Packets that found its receive queue full, by the driver's count"},
	{"no_buffer", U64(pg_port_account, no_buffer), METRIC("no_buffer_packets", "packets"),
		COUNTER, .has = counts_received_from,
		.help = "Packets that its driver found no buffer for"},
	{"receive_errors", U64(pg_port_account, receive_errors), METRIC("receive_errors", NULL),
		COUNTER, .has = counts_received_from,
		.help = "Packets that its driver counts as received with errors"},
	{"in_flight", U64(pg_port_account, in_flight), METRIC("in_flight_packets", "packets"),
		.has = leads_to_itself, .help = "Packets sent to such a ring, and still in it"},
	{"not_drained", U64(pg_port_account, not_drained), METRIC("not_drained_packets", "packets"),
		COUNTER, .has = has_interface,
		.help = "Packets sent by the driver's count, but not by the kernel's"},
	{0},
};

const struct report_field report_node_fields[] = {
	{"packets", U64(pg_rx_node_count, packets), METRIC("packets", "packets"), COUNTER,
		.help = "Packets that a node of the receive graph saw"},
	{"calls", U64(pg_rx_node_count, calls), METRIC("calls", NULL), COUNTER,
		.help = "Visits of a node"},
	{"cycles", U64(pg_rx_node_count, cycles), METRIC("cycles", "cycles"), COUNTER,
		.help = "TSC cycles spent in a node"},
	{"sampled", U64(pg_rx_node_count, sampled), METRIC("sampled_bursts", NULL), COUNTER,
		.help = "Bursts that a node was looked at for by themselves"},
	{"p50", REAL(pg_rx_node_count, p50), METRIC("cycles_per_packet_p50", NULL),
		.has = was_sampled, .help = "Cycles per packet that half of those took at most"},
	{"p99", REAL(pg_rx_node_count, p99), METRIC("cycles_per_packet_p99", NULL),
		.has = was_sampled, .help = "Cycles per packet that 99 % of those took at most"},
	{"max", REAL(pg_rx_node_count, max), METRIC("cycles_per_packet_max", NULL),
		.has = was_sampled, .help = "Cycles per packet of the dearest of those"},
	{0},
};

const struct report_field report_receiver_fields[] = {
	{"ring_size", U32(pg_receiver, ring_size), METRIC("ring_size", NULL),
		.help = "Packets that the ring to a receiving thread holds"},
	{"offered", U64(pg_receiver, offered), METRIC("offered_packets", "packets"), COUNTER,
		.help = "Packets handed to that ring"},
	{"lost", U64(pg_receiver, lost), METRIC("lost_packets", "packets"), COUNTER,
		.help = "Packets dropped because it was full"},
	{"received", U64(pg_receiver, received), METRIC("received_packets", "packets"), COUNTER,
		.help = "Packets that the receiving thread took out of it"},
	{"in_flight", U64(pg_receiver, in_flight), METRIC("in_flight_packets", "packets"),
		.help = "Packets in it"},
	{"errors", U64(pg_receiver, errors), METRIC("errors", NULL), COUNTER,
		.help = "Packets received that the graph of that thread dropped"},
	{"calls", U64(pg_receiver, calls), METRIC("calls", NULL), COUNTER,
		.help = "Walks of that graph"},
	{"cycles_per_packet", REAL(pg_receiver, cycles_per_packet),
		METRIC("cycles_per_packet", NULL),
		.help = "Busy TSC cycles of that thread per packet received"},
	{0},
};

const struct report_field report_clock_fields[] = {
	{"hz", REAL(pg_clock, hz), METRIC("hertz", "hertz"), .help = "TSC cycles per second"},
	{"error_ppm", REAL(pg_clock, error_ppm), METRIC("error_ratio", "ratio"), .scale = 1e-6,
		.help = "How far that may be off"},
	{0},
};

bool
report_field_read(const struct report_field *field, const void *object, struct report_value *value)
{
	const char *at = (const char *)object + field->offset;

	if (field->has != NULL && !field->has(object))
		return false;
	value->real = field->type == REPORT_REAL;
	if (field->type == REPORT_REAL) {
		value->number = *(const double *)at;
		return true;
	}
	value->u64 = field->type == REPORT_U64 ? *(const uint64_t *)at : *(const uint32_t *)at;
	value->number = (double)value->u64;
	return true;
}

void
report_sum(struct pg_engine *engine, struct report_sum *sum)
{
	const struct pg_device *device;

	*sum = (struct report_sum){.has_intended = true};
	TAILQ_FOREACH(device, pg_engine_devices(engine), in_engine)
	{
		if (!device->has_run)
			continue;
		sum->ndevices++;
		sum->has_intended &= device->account.has_intended;
		sum->intended += device->account.intended;
		sum->offered += device->result.sent;
		sum->late += device->account.late;
		sum->ended += device->account.ended;
	}
	for (const struct pg_port_account *a = pg_engine_run(engine)->ports; a != NULL;
		a = a->next) {
		if (a->offered > 0 && a->opackets == PG_COUNTER_ABSENT)
			sum->driver_sent = PG_COUNTER_ABSENT;
		else if (a->offered > 0 && sum->driver_sent != PG_COUNTER_ABSENT)
			sum->driver_sent += a->opackets;
	}
}

const struct pg_rx_profile *
report_walked(const struct pg_device *device)
{
	return device->profile.nnodes > 0 ? &device->profile : &device->receivers[0].profile;
}

double
report_asked_pps(const struct pg_device *device)
{
	if (device->rate_changes == 0 && device->asked_rate.kind == PG_RATE_PPS)
		return (double)device->asked_rate.value;
	if (device->rate_changes == 0 && device->asked_rate.kind == PG_RATE_DELAY &&
		device->asked_rate.value != UINT64_MAX)
		return 1e9 / (double)device->asked_rate.value;
	return device->account.asked_pps;
}
