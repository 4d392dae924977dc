/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of the command table that set what packets meet in netif_receive. */
#include <rte_common.h>

#include "pg_lang.h"
#include "pg_rx_words.h"
#include "pg_tx.h"

enum {
#define ID(id, ...) WORD_##id,
	PG_RX_WORDS(ID) PG_RX_PRESETS(ID)
#undef ID
};

#define WORD(id, name, takes, follow, needs, not_after, help) \
	{#name, WORD_##id, help, false, false, false},
#define PRESET(id, name, chain, help) {#name, WORD_##id, help, false, false, false},

static const struct pg_word chain_words[] = {
	PG_RX_WORDS(WORD) PG_RX_PRESETS(PRESET){NULL, 0, NULL, false, false, false},
};

static const struct pg_word verify_modes[] = {
	{"off", PG_RX_VERIFY_OFF, "nothing is verified", false, false, false},
	{"sampled", PG_RX_VERIFY_SAMPLED, "one burst in 64", false, false, false},
	{"full", PG_RX_VERIFY_FULL, "every packet", false, false, false},
	{NULL, 0, NULL, false, false, false},
};

static const struct pg_word counters_kinds[] = {
	{"percpu", PG_RX_COUNTERS_PERCPU, "each thread counts for itself", false, false, false},
	{"atomic", PG_RX_COUNTERS_ATOMIC,
		"each dropped packet also in one counter of all threads, by an atomic instruction",
		false, false, false},
	{NULL, 0, NULL, false, false, false},
};

static const struct pg_word buffer_kinds[] = {
	{"fresh", PG_RX_BUFFERS_FRESH, "what was freed last is taken first", false, false, false},
	{"hot", PG_RX_BUFFERS_HOT, "the first burst is built, and injected again and again", false,
		false, false},
	{"cold", PG_RX_BUFFERS_COLD, "all by turns, more than the caches hold", false, false,
		false},
	{NULL, 0, NULL, false, false, false},
};

static const struct pg_word sources[] = {
	{"inject", PG_SOURCE_INJECT, "packets are built", false, false, false},
	{"port", PG_SOURCE_PORT, "the device's port receives them", false, false, false},
	{NULL, 0, NULL, false, false, false},
};

static const struct pg_word inject_modes[] = {
	{"direct", PG_INJECT_DIRECT, "through the graph of the device's own thread", false, false,
		false},
	{"ring", PG_INJECT_RING, "to another thread, whose graph they walk through", false, false,
		false},
	{NULL, 0, NULL, false, false, false},
};

#define SETTING(word, member)                     \
	.target = PG_TARGET_DEVICE, .name = word, \
	.offset = offsetof(struct pg_device_settings, member), .flags = PG_COMMAND_EXTENSION

static const struct pg_command receive_rows[] = {
	{
		SETTING("rx_source", rx_source),
		.def = "inject",
		.arg = {.type = &pg_type_word, .words = sources, .unit = "source", .width = 1},
		.help = "where packets of netif_receive come from: they are built, or the device's "
			"port receives them, count of them",
		.example = "rx_source port",
	},
	{
		SETTING("inject", inject),
		.def = "direct",
		.arg = {.type = &pg_type_word, .words = inject_modes, .unit = "mode", .width = 1},
		.help = "which thread's graph packets walk through in netif_receive: the device's "
			"own, or another one's, which gets them through a ring",
		.example = "inject ring",
	},
	{
		SETTING("rx_thread", rx_thread),
		.def = "",
		.arg = {.type = &pg_type_string,
			.complete = PG_COMPLETE_THREADS,
			.valid = pg_rx_thread_check,
			.unit = "kpktgend_N, a thread"},
		.help = "the thread that receives with inject ring; if not set, the next one after "
			"the device's own",
		.example = "rx_thread kpktgend_1",
	},
	{
		SETTING("rx_steer", rx.steer),
		.def = "",
		.arg = {.type = &pg_type_string,
			.separator = ',',
			.complete = PG_COMPLETE_THREADS,
			.valid = pg_rx_threads_check,
			.unit = "kpktgend_N,..., threads with commas between,"},
		.help = "the threads that steer, as a word of rx_graph or an action of rx_rules, "
			"spreads flows over; if not set, all",
		.example = "rx_steer kpktgend_0,kpktgend_1",
	},
	{
		SETTING("rx_ring", rx_ring),
		.def = "1024",
		.arg = {.type = &pg_type_number,
			.min = 1,
			.max = PG_RX_RING_MAX,
			.unit = "packets",
			.width = 4,
			.suffix = PG_SUFFIX_METRIC},
		.help = "packets that a ring to another thread holds; what comes while it is full "
			"is dropped",
		.example = "rx_ring 4096",
	},
	{
		SETTING("rx_graph", rx.graph),
		.def = "host",
		.arg = {.type = &pg_type_string,
			.words = chain_words,
			.separator = ',',
			.complete = PG_COMPLETE_USER_NODES,
			.valid = pg_rx_chain_check,
			.unit = "a preset, or words with commas between,"},
		.help = "the nodes that packets walk through in netif_receive: a preset, or words "
			"with commas between",
		.example = "rx_graph eth,ip4,deliver",
	},
	{
		SETTING("rx_routes", rx.routes),
		.def = "",
		.arg = {.type = &pg_type_string,
			.complete = PG_COMPLETE_FILES,
			.valid = pg_rx_routes_check,
			.unit = "a number of random IPv4 routes, and behind a comma of IPv6 "
				"routes, or a file of PREFIX [NEXT_HOP] lines"},
		.help = "the routes of the node fib: so many random ones, 100000 or 100000,1000 "
			"with IPv6, or those in a file; if not set, a default route",
		.example = "rx_routes 100000",
	},
	{
		SETTING("rx_rules", rx.rules),
		.def = "",
		.arg = {.type = &pg_type_string_line,
			.complete = PG_COMPLETE_FILES,
			.valid = pg_rx_rules_check,
			.unit = "rules with ; between, or a file with one a line"},
		.help = "the rules of the node acl: pass, drop, count or steer, then what must "
			"match of "
			"proto, src, dst, sport and dport; the first that matches decides",
		.example = "rx_rules count proto udp dport 9; drop src 10.0.0.0/8",
	},
	{
		SETTING("rx_filter", rx.filter),
		.def = "",
		.arg = {.type = &pg_type_string_line,
			.valid = pg_rx_filter_check,
			.unit = "an expression as tcpdump takes it"},
		.help = "what the node filter lets go on: an expression as in pcap-filter(7); if "
			"not set, everything",
		.example = "rx_filter udp port 9",
	},
	{
		SETTING("rx_bpf", rx.bpf),
		.def = "",
		.arg = {.type = &pg_type_string_line,
			.complete = PG_COMPLETE_FILES,
			.valid = pg_rx_bpf_check,
			.unit = "FILE [SECTION], an eBPF object"},
		.help = "the program of the node bpf: an object that clang -target bpf has made, "
			"and which section of it; if not said, the first with code",
		.example = "rx_bpf bpf_program.o xdp",
	},
	{
		SETTING("rx_flows", rx.flows),
		.def = "65536",
		.arg = {.type = &pg_type_number,
			.min = 1,
			.max = PG_RX_FLOWS_MAX,
			.unit = "flows",
			.width = 8,
			.suffix = PG_SUFFIX_METRIC},
		.help = "flows that the node local has sockets for",
		.example = "rx_flows 100000",
	},
	{
		SETTING("rx_tap", rx.tap),
		.def = "",
		.arg = {.type = &pg_type_string,
			.complete = PG_COMPLETE_FILES,
			.unit = "ring, or a file to write as pcapng"},
		.help = "where the node tap's packets go: a file, or a ring that somebody else "
			"empties; if not set, they are read by nobody and held by nobody",
		.example = "rx_tap tap.pcapng",
	},
	{
		SETTING("rx_buffers", rx.buffers),
		.def = "fresh",
		.arg = {.type = &pg_type_word, .words = buffer_kinds, .unit = "kind", .width = 8},
		.help = "the buffers that packets come in: those freed last, a few that are not "
			"built anew, or by turns more than the caches hold",
		.example = "rx_buffers cold",
	},
	{
		SETTING("rx_counters", rx.counters),
		.def = "percpu",
		.arg = {.type = &pg_type_word, .words = counters_kinds, .unit = "kind", .width = 8},
		.help = "where dropped packets are counted: by each thread for itself, or also in "
			"one counter that all threads add to",
		.example = "rx_counters atomic",
	},
	{
		SETTING("rx_verify", rx.verify),
		.def = "off",
		.arg = {.type = &pg_type_word, .words = verify_modes, .unit = "mode", .width = 8},
		.help = "hold each packet's end against a second, naive implementation of the "
			"chain",
		.example = "rx_verify full",
	},
};

const struct pg_command_list pg_tx_receive_commands = {
	.rows = receive_rows,
	.count = RTE_DIM(receive_rows),
};
