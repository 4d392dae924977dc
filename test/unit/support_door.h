/* SPDX-License-Identifier: BSD-3-Clause */
/* The strict door, through which files, -e and the prompt go, on one device `eth0` and the
 * program's whole table; and what a line has to do there. */
#ifndef SUPPORT_DOOR_H
#define SUPPORT_DOOR_H

#include "pg_lang.h"
#include "pg_tx.h"
#include "support_world.h"

struct door {
	struct fake_world world;
	struct pg_device device;
	struct pg_lang *lang;
};

/** A device with its defaults, and lines separated by ';' run on it; NULL: none. */
void door_open(struct door *door, const char *before);
void door_close(struct door *door);

/** The line is accepted with this reply; "": the device's Result stays as it was. */
void door_accept(struct door *door, const char *line, const char *reply);

/** The line with '|' before the wrong word is refused: by its check and by its run alike, with this
 *  errno, at this column, with a text that says what was expected; the device stays as it is, byte
 *  for byte, and so does its Result. */
void door_refuse(struct door *door, const char *marked, int code);

/** The same on a device of its own. */
void door_accepts(const char *before, const char *line, const char *reply);
void door_refuses(const char *before, const char *marked, int code);

/** The program's row of this name; it must be there. */
const struct pg_command *door_row(enum pg_target_kind kind, const char *name);

#endif
