/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of the command table that set a device's transmit settings. */
#include <errno.h>
#include <inttypes.h>
#include <numa.h>
#include <string.h>

#include "pg_lang.h"
#include "tx_priv.h"

// What is about packets that are built says nothing of those that come from a port.
static int
check_source(const struct pg_device_settings *set, struct pg_error *err)
{
	const char *what = set->rate.kind != PG_RATE_NONE           ? "a rate"
			   : set->verify != 0                       ? "a receipt"
			   : set->inject != PG_INJECT_DIRECT        ? "inject ring"
			   : set->rx.buffers != PG_RX_BUFFERS_FRESH ? "rx_buffers"
								    : NULL;

	if (what == NULL || set->xmit_mode != PG_XMIT_NETIF_RECEIVE ||
		set->rx_source != PG_SOURCE_PORT)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EOPNOTSUPP,
		"rx_source port and %s exclude each other: nothing is built", what);
	return pg_error_expect(err, "rx_source inject, or neither rate, verify, inject ring nor "
				    "rx_buffers");
}

// What does not go together (reference 4.1 and 6.5), in whatever order it was set.
static int
check_sharing(const void *settings, struct pg_error *err)
{
	const struct pg_device_settings *set = settings;
	bool shared = (set->tmpl.flags & PG_FLAG_SHARED) != 0;

	if (set->clone_skb > 0 && set->xmit_mode == PG_XMIT_NETIF_RECEIVE) {
		pg_error_set(err, PG_FAULT_INPUT, EOPNOTSUPP,
			"clone_skb and xmit_mode netif_receive exclude each other");
		return pg_error_expect(err, "clone_skb 0, or xmit_mode start_xmit");
	}
	if (set->clone_skb > 0 && set->tmpl.imix.count > 0) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"clone_skb and imix_weights exclude each other");
		return pg_error_expect(err, "clone_skb 0, or no mix of sizes");
	}
	if (!shared && (set->clone_skb > 0 || set->burst > 1)) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"clone_skb and burst need packets that may be shared");
		return pg_error_expect(err, "flag SHARED, or clone_skb 0 and burst 1");
	}
	return check_source(set, err);
}

// 0 becomes 1 (reference 4.1).
static void
apply_burst(void *settings, const union pg_value *value)
{
	struct pg_device_settings *set = settings;

	set->burst = RTE_MAX(value->u64, UINT64_C(1));
}

static int
reply_burst(const struct pg_call *call)
{
	const struct pg_device_settings *set = call->target->settings;

	snprintf(call->reply->text, sizeof(call->reply->text), "OK: burst=%u", set->burst);
	return 0;
}

static int
run_clear_counters(const struct pg_call *call)
{
	struct pg_device *device = call->target->object;

	device->current.seq_num = 1;
	device->result.sent = device->result.errors = device->result.bytes = 0;
	device->result.idle_ns = 0;
	return 0;
}

static uint32_t debug_level;

void
pg_set_debug(uint32_t debug)
{
	__atomic_store_n(&debug_level, debug, __ATOMIC_RELAXED);
}

uint32_t
pg_debug(void)
{
	return __atomic_load_n(&debug_level, __ATOMIC_RELAXED);
}

static int
run_debug(const struct pg_call *call)
{
	pg_set_debug((uint32_t)call->value->u64);
	return 0;
}

static int
check_node(const void *settings, struct pg_error *err)
{
	const struct pg_device_settings *set = settings;

	if (numa_available() < 0 ? set->node == 0
				 : set->node >= 0 && set->node <= numa_max_node() &&
					   numa_bitmask_isbitset(numa_nodes_ptr, set->node))
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "there is no memory node %d", (int)set->node);
	return pg_error_expect(err, "a node that this machine has (numactl -H)");
}

// A changed range moves the current value at once, as in pktgen; start sets it anew.
static void
follow_setting(const struct pg_call *call)
{
	struct pg_device_current *cur = &((struct pg_device *)call->target->object)->current;
	const union pg_value *value = call->value;

	switch (call->command->offset) {
	case offsetof(struct pg_template, src_min):
	case offsetof(struct pg_template, src_max):
		cur->saddr = value->ip4.addr;
		break;
	case offsetof(struct pg_template, dst_min):
	case offsetof(struct pg_template, dst_max):
		cur->daddr = value->ip4.addr;
		break;
	case offsetof(struct pg_template, udp_src_min):
	case offsetof(struct pg_template, udp_src_max):
		cur->udp_src = value->u64;
		break;
	case offsetof(struct pg_template, udp_dst_min):
	case offsetof(struct pg_template, udp_dst_max):
		cur->udp_dst = value->u64;
		break;
	case offsetof(struct pg_template, src6):
		cur->saddr6 = value->ip6;
		break;
	case offsetof(struct pg_template, dst6):
	case offsetof(struct pg_template, dst6_min):
		cur->daddr6 = value->ip6;
		break;
	case offsetof(struct pg_template, src_mac_count):
		cur->src_mac_offset = 0;
		break;
	case offsetof(struct pg_template, dst_mac_count):
		cur->dst_mac_offset = 0;
		break;
	}
}

// A word that nobody knows is answered; the checks are on the whole settings.
static int
write_xmit_mode(const struct pg_call *call, int scanned)
{
	if (scanned < 0) {
		snprintf(call->reply->text, sizeof(call->reply->text),
			"xmit_mode -:%.31s:- unknown\nAvailable modes: start_xmit, netif_receive\n",
			call->value->text);
		return 0;
	}
	pg_command_store(call->command, call->target->settings, call->value);
	pg_call_reply(call);
	return 0;
}

// One packet per call has no use for a burst.
static int
check_burst(const void *settings, struct pg_error *err)
{
	const struct pg_device_settings *set = settings;

	if (set->xmit_mode != PG_XMIT_QUEUE_XMIT || set->burst <= 1)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EOPNOTSUPP,
		"burst and xmit_mode queue_xmit exclude each other");
	return pg_error_expect(err, "burst 1, or xmit_mode start_xmit");
}

static const struct pg_word xmit_modes[] = {
	{"start_xmit", PG_XMIT_START_XMIT, "the driver's transmit function", false, false, false},
	{"netif_receive", PG_XMIT_NETIF_RECEIVE, "the receive graph", false, false, false},
	{"queue_xmit", PG_XMIT_QUEUE_XMIT, "start_xmit, one packet per call: there is no qdisc",
		false, false, false},
	{"tx", PG_XMIT_START_XMIT, "start_xmit", true, false, false},
	{"rx_inject", PG_XMIT_NETIF_RECEIVE, "netif_receive", true, false, false},
	{NULL, 0, NULL, false, false, false},
};

static const struct pg_word verify_words[] = {
	{"off", 0, "no receipt", false, false, false},
	{"sampled", 2, "one packet of so many", false, false, false},
	{"full", 1, "every packet, and what only all of them show", false, false, false},
	{NULL, 0, NULL, false, false, false},
};

#define SETTING(word, member)                     \
	.target = PG_TARGET_DEVICE, .name = word, \
	.offset = offsetof(struct pg_device_settings, member)

static const struct pg_command device_rows[] = {
	{
		SETTING("count", count),
		.differs = "exact; Linux sends up to a burst more",
		.def = "1000",
		.arg = {.type = &pg_type_number,
			.max = UINT64_MAX,
			.unit = "packets",
			.width = 8,
			.suffix = PG_SUFFIX_METRIC},
		.help = "packets to send; 0: until stopped",
		.example = "count 10000000",
	},
	{
		SETTING("burst", burst),
		.answer = "OK: burst=<value>",
		.differs = "distinct packets per transmit call, 32 if not set; in Linux copies of "
			   "one packet",
		.def = "",
		.apply = apply_burst,
		.check = check_burst,
		.run = reply_burst,
		.arg = {.type = &pg_type_number,
			.max = UINT32_MAX,
			.least = 1,
			.most = UINT32_MAX,
			.unit = "packets",
			.width = 4,
			.suffix = PG_SUFFIX_METRIC},
		.help = "distinct packets per transmit call, 32 if not set; a call carries at most "
			"512, a walk "
			"of the receive graph 256",
		.example = "burst 64",
	},
	{
		SETTING("clone_skb", clone_skb),
		.differs = "counts packets, not calls; every port accepts it",
		.def = "0",
		.arg = {.type = &pg_type_number,
			.max = INT32_MAX,
			.unit = "sends",
			.width = 4,
			.suffix = PG_SUFFIX_METRIC,
			.is_signed = true},
		.help = "times each packet is sent before a new one is built; 0 and 1: once",
		.example = "clone_skb 8",
	},
	{
		SETTING("xmit_mode", xmit_mode),
		.differs = "queue_xmit sends straight to the driver: there is no qdisc",
		.def = "start_xmit",
		.check = check_burst,
		.write = write_xmit_mode,
		.arg = {.type = &pg_type_word, .words = xmit_modes, .unit = "mode", .width = 1},
		.help = "where packets go: the driver's transmit function or the receive graph",
		.example = "xmit_mode netif_receive",
	},
	{
		SETTING("node", node),
		.def = "",
		.check = check_node,
		.refusal = "ERROR: node not possible",
		.arg = {.type = &pg_type_number, .max = RTE_MAX_NUMA_NODES - 1, .width = 4},
		.help = "memory node of the buffers, used with the flag NODE; else the lcore's own",
		.example = "node 0",
	},
	{
		SETTING("stream", stream),
		.def = "",
		.arg = {.type = &pg_type_stream},
		.flags = PG_COMMAND_EXTENSION,
		.help = "send packets PART, PART + PARTS, ... of the stream NAME: devices with all "
			"parts make its traffic together",
		.example = "stream web 0/2",
	},
	{
		SETTING("verify", verify),
		.def = "off",
		.arg = {.type = &pg_type_sample,
			.min = 2,
			.max = 1000000000,
			.words = verify_words,
			.width = 4},
		.flags = PG_COMMAND_EXTENSION,
		.help = "read packets back before they leave, and check them against the settings: "
			"the run's receipt",
		.example = "verify sampled 1024",
	},
	{
		.target = PG_TARGET_DEVICE,
		.name = "debug",
		.differs = "Linux then also refuses writes without a NUL behind them",
		.run = run_debug,
		.arg = {.type = &pg_type_number, .max = UINT32_MAX, .width = 4},
		.flags = PG_COMMAND_ANYTIME,
		.help = "above 0: print the reply to every command, of all devices",
		.example = "debug 1",
	},
	{
		.target = PG_TARGET_DEVICE,
		.name = "clear_counters",
		.run = run_clear_counters,
		.reply = "OK: Clearing counters.\n",
		.help = "set the counters of the last run to zero",
		.example = "clear_counters",
	},
};

const struct pg_command_list pg_tx_device_commands = {
	.rows = device_rows,
	.count = RTE_DIM(device_rows),
	.checked = PG_TARGET_DEVICE,
	.check = check_sharing,
	.changed = follow_setting,
};

static const struct pg_command_list *const lists[] = {
	&pg_flow_commands, &pg_tx_device_commands, &pg_tx_rate_commands, &pg_tx_receive_commands};

int
pg_device_defaults(struct pg_device_settings *settings, struct pg_error *err)
{
	memset(settings, 0, sizeof(*settings)); // padding too: settings are compared
	settings->node = -1;
	return pg_lang_defaults(lists, RTE_DIM(lists), PG_TARGET_DEVICE, settings, err);
}

int
pg_device_save(const struct pg_device *device, FILE *out, struct pg_error *err)
{
	struct pg_device_settings defaults;
	int rc = pg_device_defaults(&defaults, err);

	if (rc == 0)
		pg_lang_save(lists, RTE_DIM(lists), PG_TARGET_DEVICE, &defaults, &device->settings,
			sizeof(defaults), out);
	return rc;
}
