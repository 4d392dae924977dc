/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <rte_common.h>

#include "flow_priv.h"

#define QUEUE_MAP_MAX 1023 // DPDK's RTE_MAX_QUEUES_PER_PORT

static const struct pg_word flag_words[] = {
	{"IPV6", PG_FLAG_IPV6, "the IPv6 addresses set it", false, true, false},
	{"IPSRC_RND", PG_FLAG_IPSRC_RND, "random source address from src_min to src_max", false,
		false, false},
	{"IPDST_RND", PG_FLAG_IPDST_RND, "random destination address from dst_min to dst_max",
		false, false, false},
	{"TXSIZE_RND", PG_FLAG_TXSIZE_RND, "random size from min_pkt_size to max_pkt_size", false,
		false, false},
	{"UDPSRC_RND", PG_FLAG_UDPSRC_RND, "random source port", false, false, false},
	{"UDPDST_RND", PG_FLAG_UDPDST_RND, "random destination port", false, false, false},
	{"UDPCSUM", PG_FLAG_UDPCSUM, "fill in the UDP checksum", false, false, false},
	{"NO_TIMESTAMP", PG_FLAG_NO_TIMESTAMP, "zero in the time fields of the payload", false,
		false, false},
	{"MPLS_RND", PG_FLAG_MPLS_RND, "random labels where the S bit was given", false, false,
		false},
	{"QUEUE_MAP_RND", PG_FLAG_QUEUE_MAP_RND, "random queue from queue_map_min to queue_map_max",
		false, false, false},
	{"QUEUE_MAP_CPU", PG_FLAG_QUEUE_MAP_CPU, "the queue of the thread that sends", false, false,
		false},
	{"FLOW_SEQ", PG_FLAG_FLOW_SEQ, "flows one after the other instead of at random", false,
		false, false},
	{"FLOW_RND", PG_FLAG_FLOW_SEQ, "flows at random: the opposite of FLOW_SEQ", true, false,
		true},
	{"MACSRC_RND", PG_FLAG_MACSRC_RND, "random source MAC of src_mac_count", false, false,
		false},
	{"MACDST_RND", PG_FLAG_MACDST_RND, "random destination MAC of dst_mac_count", false, false,
		false},
	{"VID_RND", PG_FLAG_VID_RND, "random VLAN id", false, false, false},
	{"SVID_RND", PG_FLAG_SVID_RND, "random outer VLAN id", false, false, false},
	{"NODE", PG_FLAG_NODE, "buffers on the memory node that node names", false, false, false},
	{"NODE_ALLOC", PG_FLAG_NODE, "NODE, by the name it had before Linux 4.16", true, false,
		false},
	{"SHARED", PG_FLAG_SHARED, "packets may be sent more than once", false, false, false},
	{NULL, 0, NULL, false, false, false},
};

const char *
pg_flow_flag_name(uint32_t bit)
{
	for (const struct pg_word *w = flag_words; w->name != NULL; w++) {
		if (w->value == bit)
			return w->name;
	}
	return NULL;
}

// min = max = n, but only if n differs from the present min (reference 4.1).
static void
apply_pkt_size(void *settings, const union pg_value *value)
{
	struct pg_template *tmpl = settings;

	if (tmpl->min_size != value->u64)
		tmpl->min_size = tmpl->max_size = value->u64;
}

#define FIELD(member) .offset = offsetof(struct pg_template, member)

#define SIZE_ROW(word, member, text, sample)                               \
	{                                                                  \
		.target = PG_TARGET_DEVICE, .name = word,                  \
		.arg = {.type = &pg_type_number,                           \
			.min = PG_SIZE_MIN,                                \
			.max = PG_SIZE_MAX,                                \
			.unit = "bytes",                                   \
			.width = 4,                                        \
			.suffix = PG_SUFFIX_METRIC,                        \
			.is_signed = true,                                 \
			.least = PG_SIZE_MIN},                             \
		FIELD(member), .def = "", .help = text, .example = sample, \
	}

#define PORT_ROW(word, text)                                                                  \
	{                                                                                     \
		.target = PG_TARGET_DEVICE, .name = #word,                                    \
		.arg = {.type = &pg_type_number, .max = UINT16_MAX, .width = 2}, FIELD(word), \
		.def = "9", .help = text, .example = #word " 1024",                           \
	}

#define QUEUE_ROW(word, text)                                                                    \
	{                                                                                        \
		.target = PG_TARGET_DEVICE, .name = #word,                                       \
		.arg = {.type = &pg_type_number, .max = QUEUE_MAP_MAX, .width = 2, .digits = 5}, \
		FIELD(word), .def = "0", .help = text, .example = #word " 3",                    \
	}

#define IP4_ROW(word, member, answer, text)                                              \
	{                                                                                \
		.target = PG_TARGET_DEVICE, .name = word, .arg = {.type = &pg_type_ip4}, \
		FIELD(member), .def = "", .reply = answer, .help = text,                 \
		.example = word " 198.18.0.1",                                           \
	}

#define MAC_ROW(word, answer, text)                                                       \
	{                                                                                 \
		.target = PG_TARGET_DEVICE, .name = #word, .arg = {.type = &pg_type_mac}, \
		FIELD(word), .def = "00:00:00:00:00:00", .reply = answer, .help = text,   \
		.example = #word " 90:e2:ba:ff:ff:ff",                                    \
	}

// A tag turns labels off and labels turn tags off; so does the kernel.
static void
apply_vlan_id(void *settings, const union pg_value *value)
{
	struct pg_template *tmpl = settings;

	tmpl->vlan.id = value->u64;
	if (tmpl->vlan.id == PG_VLAN_OFF)
		tmpl->svlan.id = PG_VLAN_OFF;
	else
		tmpl->mpls.count = 0;
}

static void
apply_mpls(void *settings, const union pg_value *value)
{
	struct pg_template *tmpl = settings;

	tmpl->mpls = value->list;
	if (tmpl->mpls.count > 0)
		tmpl->vlan.id = tmpl->svlan.id = PG_VLAN_OFF;
	for (uint32_t i = 0; i < tmpl->mpls.count; i++) {
		if (tmpl->mpls.word[i] & PG_MPLS_S)
			tmpl->flags |= PG_FLAG_MPLS_RND;
	}
}

// Each of them makes the packets IPv6 (reference 4.1).
#define APPLY_IP6(word)                                                       \
	static void apply_##word(void *settings, const union pg_value *value) \
	{                                                                     \
		struct pg_template *tmpl = settings;                          \
                                                                              \
		tmpl->word = value->ip6;                                      \
		tmpl->flags |= PG_FLAG_IPV6;                                  \
	}

APPLY_IP6(dst6)
APPLY_IP6(dst6_min)
APPLY_IP6(dst6_max)
APPLY_IP6(src6)
APPLY_IP6(src6_min)
APPLY_IP6(src6_max)

static int
reply_flags(const struct pg_call *call)
{
	const struct pg_template *tmpl = call->target->settings;

	snprintf(call->reply->text, sizeof(call->reply->text), "OK: flags=0x%x", tmpl->flags);
	return 0;
}

// pktgen says nothing of a list that became empty.
static int
reply_mpls(const struct pg_call *call)
{
	if (call->value->list.count == 0)
		snprintf(call->reply->text, sizeof(call->reply->text), "OK: mpls=");
	return 0;
}

// Some rows leave the Result as it was (reference 4.1): a mix, and a tag that goes.
static int
reply_nothing(const struct pg_call *call)
{
	call->reply->text[0] = '\0';
	return 0;
}

static int
reply_tag(const struct pg_call *call)
{
	return call->value->u64 == PG_VLAN_OFF ? reply_nothing(call) : 0;
}

static int
check_vlan(const void *settings, struct pg_error *err)
{
	const struct pg_template *tmpl = settings;

	if (tmpl->vlan.id != PG_VLAN_OFF)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "there is no VLAN tag");
	return pg_error_expect(err, "vlan_id before");
}

static int
check_svlan(const void *settings, struct pg_error *err)
{
	const struct pg_template *tmpl = settings;

	if (tmpl->svlan.id != PG_VLAN_OFF)
		return check_vlan(settings, err);
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "there is no outer VLAN tag");
	return pg_error_expect(err, "svlan_id before");
}

#define COUNT_ROW(word, text)                                                  \
	{                                                                      \
		.target = PG_TARGET_DEVICE, .name = #word,                     \
		.arg = {.type = &pg_type_number,                               \
			.max = UINT32_MAX,                                     \
			.width = 4,                                            \
			.unit = "addresses",                                   \
			.is_signed = true},                                    \
		FIELD(word), .def = "0", .help = text, .example = #word " 16", \
	}

#define TAG_ROW(word, member, most_text, limit, verify, text)                            \
	{                                                                                \
		.target = PG_TARGET_DEVICE, .name = word,                                \
		.arg = {.type = &pg_type_number, .max = limit, .width = 1, .digits = 1}, \
		FIELD(member), .def = "0", .check = verify,                              \
		.refusal = "ERROR: " word " must be " most_text, .help = text,           \
		.example = word " 1",                                                    \
	}

#define IP6_ROW(word, more, text)                                                             \
	{                                                                                     \
		.target = PG_TARGET_DEVICE, .name = #word, .flags = more,                     \
		.arg = {.type = &pg_type_ip6}, FIELD(word), .def = "", .apply = apply_##word, \
		.write = flow_write_ip6, .help = text, .example = #word " fd00::1",           \
	}

static const struct pg_command rows[] = {
	SIZE_ROW("min_pkt_size", min_size, "smallest frame, without FCS", "min_pkt_size 60"),
	SIZE_ROW("max_pkt_size", max_size, "largest frame, without FCS", "max_pkt_size 1514"),
	{
		.target = PG_TARGET_DEVICE,
		.name = "pkt_size",
		.arg = {.type = &pg_type_number,
			.min = PG_SIZE_MIN,
			.max = PG_SIZE_MAX,
			.unit = "bytes",
			.width = 4,
			.suffix = PG_SUFFIX_METRIC,
			.is_signed = true,
			.least = PG_SIZE_MIN},
		FIELD(min_size),
		.def = "",
		.apply = apply_pkt_size,
		.help = "frame size, without FCS: smallest and largest at once",
		.example = "pkt_size 60",
	},
	IP4_ROW("dst", dst_min, "OK: dst_min=", "destination address, or the first of the range"),
	IP4_ROW("dst_min", dst_min, NULL, "first destination address"),
	IP4_ROW("dst_max", dst_max, NULL, "last destination address"),
	IP4_ROW("src_min", src_min, NULL, "first source address; unset: the interface's"),
	IP4_ROW("src_max", src_max, NULL, "last source address"),
	IP6_ROW(dst6, 0, "IPv6 destination address; packets become IPv6"),
	IP6_ROW(dst6_min, 0, "first random IPv6 destination; packets become IPv6"),
	IP6_ROW(dst6_max, 0, "last random IPv6 destination; packets become IPv6"),
	IP6_ROW(src6, 0, "IPv6 source address; unset: the interface's link-local one"),
	IP6_ROW(src6_min, PG_COMMAND_EXTENSION, "first random IPv6 source"),
	IP6_ROW(src6_max, PG_COMMAND_EXTENSION, "last random IPv6 source"),
	MAC_ROW(dst_mac, "OK: dstmac ", "destination MAC address"),
	MAC_ROW(src_mac, "OK: srcmac ", "source MAC address; unset: the port's"),
	{
		.target = PG_TARGET_DEVICE,
		.name = "imix_weights",
		.answer = "in a control file none: the last one stays",
		.differs = "weights are exact, to one packet a cycle; Linux rounds to hundredths",
		.arg = {.type = &pg_type_pairs, .min = PG_SIZE_MIN, .max = PG_SIZE_MAX},
		FIELD(imix),
		.def = "",
		.run = reply_nothing,
		.write = flow_write_imix,
		.help = "a mix of sizes, each as often as its weight says",
		.example = "imix_weights 60,7 590,4 1514,1",
	},
	{
		.target = PG_TARGET_DEVICE,
		.name = "flows",
		.differs = "a flow keeps its addresses and ports; in Linux, and with compat linux, "
			   "only the IPv4 destination",
		.arg = {.type = &pg_type_number,
			.max = PG_FLOWS_MAX,
			.most = PG_FLOWS_MAX,
			.width = 4,
			.unit = "flows",
			.suffix = PG_SUFFIX_METRIC},
		FIELD(flows),
		.def = "0",
		.help = "concurrent flows; a flow keeps its addresses and ports. 0: off",
		.example = "flows 1000",
	},
	{
		.target = PG_TARGET_DEVICE,
		.name = "flowlen",
		.arg = {.type = &pg_type_number,
			.max = UINT32_MAX,
			.width = 4,
			.unit = "packets",
			.suffix = PG_SUFFIX_METRIC},
		FIELD(flowlen),
		.def = "0",
		.help = "packets of a flow before it starts anew with other addresses; 0: one",
		.example = "flowlen 8",
	},
	COUNT_ROW(dst_mac_count, "destination MAC addresses to walk, from dst_mac on"),
	COUNT_ROW(src_mac_count, "source MAC addresses to walk, from src_mac on"),
	{
		.target = PG_TARGET_DEVICE,
		.name = "vlan_id",
		.answer = "OK: vlan_id=<value>; in a control file none when the tag goes",
		.arg = {.type = &pg_type_number, .max = PG_VLAN_OFF, .width = 2, .digits = 4},
		FIELD(vlan.id),
		.def = "4096",
		.apply = apply_vlan_id,
		.run = reply_tag,
		.write = flow_write_vlan_id,
		.help = "VLAN tag; 4096: no tag. A tag turns MPLS off",
		.example = "vlan_id 100",
	},
	TAG_ROW("vlan_p", vlan.p, "0-7", 7, check_vlan, "priority in the VLAN tag"),
	TAG_ROW("vlan_cfi", vlan.cfi, "0-1", 1, check_vlan,
		"CFI (drop eligible) bit in the VLAN tag"),
	{
		.target = PG_TARGET_DEVICE,
		.name = "svlan_id",
		.answer = "OK: svlan_id=<value>; in a control file none when the tags go",
		.arg = {.type = &pg_type_number, .max = PG_VLAN_OFF, .width = 2, .digits = 4},
		FIELD(svlan.id),
		.def = "4096",
		.check = check_vlan,
		.run = reply_tag,
		.write = flow_write_svlan_id,
		.help = "outer VLAN tag, on top of vlan_id; 4096: none",
		.example = "svlan_id 200",
	},
	TAG_ROW("svlan_p", svlan.p, "0-7", 7, check_svlan, "priority in the outer VLAN tag"),
	TAG_ROW("svlan_cfi", svlan.cfi, "0-1", 1, check_svlan, "CFI bit in the outer VLAN tag"),
	{
		.target = PG_TARGET_DEVICE,
		.name = "mpls",
		.answer = "OK: mpls=<words>, empty for none",
		.arg = {.type = &pg_type_hex_list, .max = PG_MPLS_MAX},
		FIELD(mpls),
		.def = "",
		.apply = apply_mpls,
		.run = reply_mpls,
		.write = flow_write_mpls,
		.help = "MPLS stack entries, outermost first; 0: none. An entry with its S bit "
			"is random. Labels turn VLAN tags off",
		.example = "mpls 0001000a,0002000a",
	},
	{
		.target = PG_TARGET_DEVICE,
		.name = "tos",
		.arg = {.type = &pg_type_hex, .width = 1},
		FIELD(tos),
		.def = "00",
		.reply = "OK: tos=0x",
		.refusal = "ERROR: tos must be 00-ff",
		.help = "IPv4 type of service byte",
		.example = "tos b8",
	},
	{
		.target = PG_TARGET_DEVICE,
		.name = "traffic_class",
		.arg = {.type = &pg_type_hex, .width = 1},
		FIELD(traffic_class),
		.def = "00",
		.reply = "OK: traffic_class=0x",
		.refusal = "ERROR: traffic_class must be 00-ff",
		.help = "IPv6 traffic class byte",
		.example = "traffic_class b8",
	},
	{
		.target = PG_TARGET_DEVICE,
		.name = "frags",
		.differs = "a device that cannot send segments refuses at start",
		.arg = {.type = &pg_type_number,
			.max = INT32_MAX,
			.width = 4,
			.unit = "fragments",
			.is_signed = true},
		FIELD(frags),
		.def = "0",
		.help = "fragments that the payload is spread over, at most 17; 0: one buffer",
		.example = "frags 3",
	},
	{
		.target = PG_TARGET_DEVICE,
		.name = "skb_priority",
		.differs = "Linux keeps it for the qdisc; here drivers and nodes can read it",
		.arg = {.type = &pg_type_number, .max = UINT32_MAX, .width = 4, .digits = 9},
		FIELD(skb_priority),
		.def = "0",
		.help = "priority in the mbuf's scheduler field, for drivers and nodes that read "
			"it",
		.example = "skb_priority 7",
	},
	QUEUE_ROW(queue_map_min, "first transmit queue of the thread's own set to send on"),
	QUEUE_ROW(queue_map_max, "last transmit queue of the thread's own set to send on"),
	PORT_ROW(udp_src_min, "first UDP source port"),
	PORT_ROW(udp_src_max, "last UDP source port"),
	PORT_ROW(udp_dst_min, "first UDP destination port"),
	PORT_ROW(udp_dst_max, "last UDP destination port"),
	{
		.target = PG_TARGET_DEVICE,
		.name = "flag",
		.answer = "OK: flags=0x<all flags>",
		.arg = {.type = &pg_type_flag, .words = flag_words, .width = 4},
		FIELD(flags),
		.def = "SHARED",
		.run = reply_flags,
		.write = flow_write_flag,
		.help = "set a flag, or clear it with ! before it",
		.example = "flag IPDST_RND",
	},
};

// The kernel's own document has these; its code does not (reference 4.1).
static const struct pg_instead instead[] = {
	{"dstmac", "dst_mac, as pktgen's code calls it"},
	{"srcmac", "src_mac, as pktgen's code calls it"},
	{"svlan", "svlan_id, as pktgen's code calls it"},
	{"spi", "nothing: packets are not put into IPsec"},
	{NULL, NULL},
};

const struct pg_command_list pg_flow_commands = {
	.rows = rows,
	.count = RTE_DIM(rows),
	.instead = instead,
};
