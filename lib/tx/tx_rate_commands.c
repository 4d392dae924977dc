/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of the command table that say when a device's packets leave. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "pg_lang.h"
#include "tx_priv.h"

#define DURATION_MAX UINT64_C(315360000000000000) // ten years
#define DELAY_NEVER  0x7FFFFFFFULL                // "never send", shown as 2^64 - 1 (reference 4.1)

// What pktgen keeps of a rate: whole ns, from the smallest size set so far (reference 4.1).
static void
set_rate(struct pg_device_settings *set, enum pg_rate_kind kind, uint64_t value, uint64_t delay_ns)
{
	set->rate = (struct pg_rate){value, value != 0 ? kind : PG_RATE_NONE};
	set->delay_ns = delay_ns;
}

static void
apply_delay(void *settings, const union pg_value *value)
{
	uint64_t ns = value->u64 == DELAY_NEVER ? PG_PACE_NEVER : value->u64;

	set_rate(settings, PG_RATE_DELAY, ns, ns);
}

static void
apply_ratep(void *settings, const union pg_value *value)
{
	set_rate(settings, PG_RATE_PPS, value->u64, PG_NS_PER_S / value->u64);
}

static void
apply_rate(void *settings, const union pg_value *value)
{
	struct pg_device_settings *set = settings;
	uint64_t n = value->rate.value, bytes = set->tmpl.min_size, delay_ns = 0;

	if (value->rate.kind == PG_RATE_KERNEL)
		delay_ns = pg_muldiv(bytes, 8 * 1000, n);
	else if (value->rate.kind == PG_RATE_L2)
		delay_ns = pg_muldiv(bytes + PG_FCS_BYTES, 8 * PG_NS_PER_S, n);
	else if (value->rate.kind == PG_RATE_L1)
		delay_ns = pg_muldiv(bytes + PG_FCS_BYTES + PG_L1_EXTRA_BYTES, 8 * PG_NS_PER_S, n);
	set_rate(set, value->rate.kind, n, delay_ns);
}

static uint64_t
delay_of_rate(const struct pg_device_settings *set, uint32_t min_size)
{
	struct pg_device_settings other = *set;
	const union pg_value value = {.rate = set->rate};

	other.tmpl.min_size = min_size;
	apply_rate(&other, &value);
	return other.delay_ns;
}

// The delay that a rate shows is of the smallest size when it was set. Any size with that delay
// will do; the present one is the most likely.
static bool
lead_rate(const void *settings, char *line, size_t size)
{
	const struct pg_device_settings *set = settings;
	uint32_t now = set->tmpl.min_size, least = PG_SIZE_MIN, most = PG_SIZE_MAX;

	if (set->rate.kind <= PG_RATE_PPS || set->rate.kind == PG_RATE_PERCENT)
		return false;
	if (now != 0 && delay_of_rate(set, now) == set->delay_ns)
		least = now;
	else if (delay_of_rate(set, 0) == set->delay_ns)
		return false;
	else
		while (least < most) {
			uint32_t middle = (least + most) / 2;

			if (delay_of_rate(set, middle) < set->delay_ns)
				least = middle + 1;
			else
				most = middle;
		}
	snprintf(line, size, "%s %u",
		least == now && now == set->tmpl.max_size ? "pkt_size" : "min_pkt_size", least);
	return true;
}

// A running device goes on at the rate that is set, if it can; nothing has changed yet.
static int
admit(const struct pg_call *call, struct pg_rate rate)
{
	if (!call->target->busy)
		return 0;
	return tx_rate_admit(call->target->object, &rate, call->err);
}

static int
go_on(const struct pg_call *call)
{
	if (!call->target->busy)
		return 0;
	return tx_rate_change(call->target->object, call->err);
}

static int
admit_delay(const struct pg_call *call)
{
	uint64_t ns = call->value->u64;

	return admit(call, (struct pg_rate){ns, ns != 0 ? PG_RATE_DELAY : PG_RATE_NONE});
}

static int
admit_ratep(const struct pg_call *call)
{
	return admit(call, (struct pg_rate){call->value->u64, PG_RATE_PPS});
}

static int
admit_bit_rate(const struct pg_call *call)
{
	return admit(call, call->value->rate);
}

static int
run_delay(const struct pg_call *call)
{
	const struct pg_device_settings *set = call->target->settings;

	snprintf(call->reply->text, sizeof(call->reply->text), "OK: delay=%" PRIu64, set->delay_ns);
	return go_on(call);
}

static int
run_rate(const struct pg_call *call)
{
	const struct pg_rate *rate = &call->value->rate;
	char *out = call->reply->text;
	size_t size = sizeof(call->reply->text);

	if (rate->kind == PG_RATE_L2 || rate->kind == PG_RATE_L1)
		snprintf(out, size, "OK: rate=%" PRIu64 " bit/s with %s", rate->value,
			rate->kind == PG_RATE_L2 ? "FCS" : "preamble and gap");
	else if (rate->kind == PG_RATE_PERCENT)
		snprintf(out, size, "OK: rate=%g %% of the port's speed",
			(double)rate->value / (double)PG_RATE_PERCENT_UNIT);
	return go_on(call);
}

static const struct pg_word pacings[] = {
	{"smooth", PG_PACING_SMOOTH, "each packet at its own time", false, false, false},
	{"burst", PG_PACING_BURST, "burst packets at once, when the first of them is due", false,
		false, false},
	{NULL, 0, NULL, false, false, false},
};

static const struct pg_word arrivals[] = {
	{"constant", PG_ARRIVAL_CONSTANT, "evenly", false, false, false},
	{"poisson", PG_ARRIVAL_POISSON, "gaps drawn from an exponential distribution", false, false,
		false},
	{NULL, 0, NULL, false, false, false},
};

static const struct pg_word lates[] = {
	{"catchup", PG_LATE_CATCHUP,
		"they leave without a pause, as far as the time behind it reaches, 1s if none is "
		"there; what is further behind moves the schedule",
		false, false, false},
	{"skip", PG_LATE_SKIP, "they are given up: they count, but are not offered", false, false,
		false},
	{"stretch", PG_LATE_STRETCH, "the schedule is moved, so that no gap is shorter than asked",
		false, false, false},
	{NULL, 0, NULL, false, false, false},
};

static const struct pg_word gaps_modes[] = {
	{"auto", PG_GAPS_AUTO, "where a thread has at most 64 devices with a rate", false, false,
		false},
	{"off", PG_GAPS_OFF, "nothing is noted", false, false, false},
	{"on", PG_GAPS_ON, "whatever the number of devices", false, false, false},
	{NULL, 0, NULL, false, false, false},
};

#define SETTING(word, member)                     \
	.target = PG_TARGET_DEVICE, .name = word, \
	.offset = offsetof(struct pg_device_settings, member)

static const struct pg_command rate_rows[] = {
	{
		SETTING("duration", duration_ns),
		.def = "0",
		.arg = {.type = &pg_type_number,
			.max = DURATION_MAX,
			.unit = "ns",
			.width = 8,
			.suffix = PG_SUFFIX_TIME},
		.flags = PG_COMMAND_EXTENSION,
		.help = "time after which the device ends, if its count does not end it before; 0: "
			"none",
		.example = "duration 30s",
	},
	{
		SETTING("delay", delay_ns),
		.answer = "OK: delay=<ns>, 18446744073709551615 for never",
		.differs = "the time from packet to packet, not from call to call; packets bear "
			   "the time they are meant to leave",
		.def = "0",
		.apply = apply_delay,
		.admit = admit_delay,
		.run = run_delay,
		.flags = PG_COMMAND_ANYTIME,
		.arg = {.type = &pg_type_number,
			.max = UINT64_MAX,
			.unit = "ns",
			.width = 8,
			.suffix = PG_SUFFIX_TIME},
		.help = "time from one packet to the next; 0: none, 2147483647: never send",
		.example = "delay 1000",
	},
	{
		SETTING("ratep", rate),
		.differs = "the exact rate is kept, and delay: shows it in whole ns; with compat "
			   "linux the delay counts",
		.def = "",
		.apply = apply_ratep,
		.admit = admit_ratep,
		.run = go_on,
		.flags = PG_COMMAND_ANYTIME,
		.arg = {.type = &pg_type_number,
			.min = 1,
			.max = 1000000000000,
			.unit = "packets per second",
			.width = 8,
			.suffix = PG_SUFFIX_METRIC},
		.reply = "OK: rate=",
		.help = "packets per second",
		.example = "ratep 14.88M",
	},
	{
		SETTING("rate", rate),
		.answer = "OK: rate=<value>, and what it means if it has a unit",
		.differs = "resolved at start from the sizes that are sent; Linux makes a delay of "
			   "it at once, from min_pkt_size",
		.def = "",
		.apply = apply_rate,
		.admit = admit_bit_rate,
		.run = run_rate,
		.flags = PG_COMMAND_ANYTIME,
		.lead = lead_rate,
		.arg = {.type = &pg_type_rate},
		.help = "bits per second: N is Mbit/s without FCS as in Linux, 9.5G has the FCS, "
			"10GL1 preamble and gap too, 50% is of the port's speed",
		.example = "rate 300M",
	},
	{
		SETTING("pacing", pacing),
		.def = "smooth",
		.arg = {.type = &pg_type_word, .words = pacings, .unit = "way to pace", .width = 1},
		.flags = PG_COMMAND_EXTENSION,
		.help = "how packets of a rate leave: each at its time, or a burst at once",
		.example = "pacing burst",
	},
	{
		SETTING("arrival", arrival),
		.def = "constant",
		.arg = {.type = &pg_type_word, .words = arrivals, .unit = "process", .width = 1},
		.flags = PG_COMMAND_EXTENSION,
		.help = "how the times of a rate are spread; drawn gaps depend on the seed",
		.example = "arrival poisson",
	},
	{
		SETTING("late", late),
		.def = "catchup 1000000000",
		.arg = {.type = &pg_type_late, .words = lates, .unit = "policy"},
		.flags = PG_COMMAND_EXTENSION,
		.help = "what happens to packets that could not leave at their time; a packet is "
			"late once it is 10 us and a gap behind",
		.example = "late catchup 100ms",
	},
	{
		SETTING("tolerance", tolerance),
		.def = "1%",
		.arg = {.type = &pg_type_share, .max = 100 * PG_PERCENT},
		.flags = PG_COMMAND_EXTENSION,
		.help = "how much less than the rate may be offered before the run fell short",
		.example = "tolerance 0.1%",
	},
	{
		SETTING("gaps", gaps),
		.def = "auto",
		.arg = {.type = &pg_type_word, .words = gaps_modes, .unit = "mode", .width = 1},
		.flags = PG_COMMAND_EXTENSION,
		.help = "note when each packet of a rate leaves, in a histogram",
		.example = "gaps off",
	},
};

const struct pg_command_list pg_tx_rate_commands = {rate_rows, RTE_DIM(rate_rows)};
