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

#define SETTING(word, member)                     \
	.target = PG_TARGET_DEVICE, .name = word, \
	.offset = offsetof(struct pg_device_settings, member), .flags = PG_COMMAND_EXTENSION

static const struct pg_command receive_rows[] = {
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
};

const struct pg_command_list pg_tx_receive_commands = {
	.rows = receive_rows,
	.count = RTE_DIM(receive_rows),
};
