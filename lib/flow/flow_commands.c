/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <string.h>

#include <rte_common.h>

#include "pg_flow.h"
#include "pg_lang.h"

static const struct pg_word flag_words[] = {
	{"IPSRC_RND", PG_FLAG_IPSRC_RND, "random source address from src_min to src_max", false},
	{"IPDST_RND", PG_FLAG_IPDST_RND, "random destination address from dst_min to dst_max",
		false},
	{"TXSIZE_RND", PG_FLAG_TXSIZE_RND, "random size from min_pkt_size to max_pkt_size", false},
	{"UDPSRC_RND", PG_FLAG_UDPSRC_RND, "random source port", false},
	{"UDPDST_RND", PG_FLAG_UDPDST_RND, "random destination port", false},
	{"UDPCSUM", PG_FLAG_UDPCSUM, "fill in the UDP checksum", false},
	{"NO_TIMESTAMP", PG_FLAG_NO_TIMESTAMP, "zero in the time fields of the payload", false},
	{"QUEUE_MAP_CPU", PG_FLAG_QUEUE_MAP_CPU, "the queue of the thread that sends", false},
	{"SHARED", PG_FLAG_SHARED, "packets may be sent more than once", false},
	{NULL, 0, NULL, false},
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
			.width = 4},                                       \
		FIELD(member), .def = "", .help = text, .example = sample, \
	}

#define PORT_ROW(word, text)                                                                  \
	{                                                                                     \
		.target = PG_TARGET_DEVICE, .name = #word,                                    \
		.arg = {.type = &pg_type_number, .max = UINT16_MAX, .width = 2}, FIELD(word), \
		.def = "9", .help = text, .example = #word " 1024",                           \
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

static int
reply_flags(const struct pg_call *call)
{
	const struct pg_template *tmpl = call->target->settings;

	snprintf(call->reply->text, sizeof(call->reply->text), "OK: flags=0x%x", tmpl->flags);
	return 0;
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
			.width = 4},
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
	MAC_ROW(dst_mac, "OK: dstmac ", "destination MAC address"),
	MAC_ROW(src_mac, "OK: srcmac ", "source MAC address; unset: the port's"),
	PORT_ROW(udp_src_min, "first UDP source port"),
	PORT_ROW(udp_src_max, "last UDP source port"),
	PORT_ROW(udp_dst_min, "first UDP destination port"),
	PORT_ROW(udp_dst_max, "last UDP destination port"),
	{
		.target = PG_TARGET_DEVICE,
		.name = "flag",
		.arg = {.type = &pg_type_flag, .words = flag_words, .width = 4},
		FIELD(flags),
		.def = "SHARED",
		.run = reply_flags,
		.help = "set a flag, or clear it with ! before it",
		.example = "flag IPDST_RND",
	},
};

const struct pg_command_list pg_flow_commands = {rows, RTE_DIM(rows)};
