/* SPDX-License-Identifier: BSD-3-Clause */
/* A world without DPDK for the language: targets that are only names, and a small table whose
 * rows cover every type and every kind of row. */
#ifndef SUPPORT_WORLD_H
#define SUPPORT_WORLD_H

#include "pg_lang.h"

/** What the rows of fake_commands set. */
struct fake_settings {
	uint64_t count;
	uint32_t small; /**< 10 to 20 */
	uint32_t flags;
	uint16_t port;
	uint8_t mode;
	uint64_t twin, other_twin; /**< set together by the row `twin`; refused when 13 */
	struct rte_ether_addr mac;
	struct pg_ip4 ip4;
	const char *list;
};

#define FAKE_DEVICES 8

struct fake_device {
	const char *name;
	void *object, *settings;
	size_t settings_size;
};

/** The world; everything is found by name: pgctrl, kpktgend_0, kpktgend_1 and the devices. */
struct fake_world {
	struct pg_world world; /**< for pg_lang_create() */
	struct fake_device device[FAKE_DEVICES];
	size_t ndevices;
	char thread[2]; /**< what kpktgend_0 and kpktgend_1 point to */
	bool busy;
	unsigned int nreplied; /**< calls of replied(), and the last of them */
	enum pg_target_kind replied_kind;
	char replied[PG_REPLY_MAX];
	unsigned int nrun; /**< actions run, and the text of the last one */
	char run[PG_TEXT_MAX];
};

/** No device yet. */
void fake_world_init(struct fake_world *fake);
void fake_world_add(struct fake_world *fake, const char *name, void *object, void *settings,
	size_t settings_size);
/** Forget the device that was added last. */
void fake_world_drop(struct fake_world *fake);

/** Device rows: count small flag port mode twin mac ip4 (settings), go anytime note (actions).
 *  Thread rows: add_device, say TEXT. Control rows: start, fail, rest LINE, maybe [TEXT]. */
extern const struct pg_command_list fake_commands;
extern const struct pg_command_list *const fake_lists[1];

/** A speaker on one device `dev` with settings, and what a test needs to see that nothing moved. */
struct fake_speaker {
	struct fake_world world;
	struct fake_settings settings;
	struct pg_lang *lang;
};

/** A cmocka setup and teardown: *state becomes a struct fake_speaker. */
int fake_speaker_setup(void **state);
int fake_speaker_teardown(void **state);

#endif
