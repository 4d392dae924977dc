/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include "app.h"
#include "support_door.h"

static void
run(struct door *door, const char *line)
{
	struct pg_error err = {0};
	struct pg_reply reply;

	CHECK(pg_lang_run(door->lang, line, &reply, &err) == 0, "'%s': %s", line, err.text);
}

void
door_open(struct door *door, const char *before)
{
	struct pg_error err = {0};

	memset(door, 0, sizeof(*door));
	fake_world_init(&door->world);
	fake_world_add(&door->world, "eth0", &door->device, &door->device.settings,
		sizeof(door->device.settings));
	door->world.world.device_settings_size = sizeof(door->device.settings);
	door->lang = pg_lang_create(app_commands, app_ncommands, &door->world.world);
	assert_non_null(door->lang);
	CHECK(pg_lang_defaults(app_commands, app_ncommands, PG_TARGET_DEVICE,
		      &door->device.settings, &err) == 0,
		"%s", err.text);
	run(door, "[eth0]");
	while (before != NULL && *before != '\0') {
		size_t length = strcspn(before, ";");
		char line[600];

		snprintf(line, sizeof(line), "%.*s", (int)length, before);
		run(door, line);
		before += length + (before[length] == ';');
	}
}

void
door_close(struct door *door)
{
	pg_lang_destroy(door->lang);
}

void
door_accept(struct door *door, const char *line, const char *reply)
{
	unsigned int replied = door->world.nreplied;
	struct pg_error err = {0};
	struct pg_reply got;

	CHECK(pg_lang_run(door->lang, line, &got, &err) == 0, "'%s': %s", line, err.text);
	CHECK_TEXT(got.text, reply, "'%s'", line);
	CHECK(door->world.nreplied - replied == (reply[0] != '\0'), "'%s': %u replies", line,
		door->world.nreplied - replied);
}

static void
look_at(const char *line, const char *how, int rc, const struct pg_error *err, int code,
	unsigned int column)
{
	CHECK(rc == -code && err->code == code, "%s '%s' gave %d \"%s\", not %d", how, line, rc,
		rc != 0 ? err->text : "", -code);
	CHECK(err->column == column, "%s '%s': column %u, not %u", how, line, err->column, column);
	CHECK(err->text[0] != '\0' && err->expected[0] != '\0', "%s '%s' says nothing", how, line);
	CHECK(err->fault == PG_FAULT_INPUT, "%s '%s': not the input's fault", how, line);
}

// On its own speaker: what it has checked before is nothing to it.
static void
check(const struct door *door, const char *line, int code, unsigned int column)
{
	struct pg_error err = {0};
	struct pg_lang *lang = pg_lang_create(app_commands, app_ncommands, &door->world.world);

	assert_non_null(lang);
	assert_int_equal(pg_lang_check(lang, "[eth0]", &err), 0);
	look_at(line, "checking", pg_lang_check(lang, line, &err), &err, code, column);
	pg_lang_destroy(lang);
}

void
door_refuse(struct door *door, const char *marked, int code)
{
	const struct pg_device before = door->device;
	unsigned int replied = door->world.nreplied;
	size_t mark = strcspn(marked, "|");
	struct pg_error err = {0};
	struct pg_reply reply;
	char line[1200];

	CHECK(marked[mark] == '|', "'%s' marks no word", marked);
	snprintf(line, sizeof(line), "%.*s%s", (int)mark, marked, marked + mark + 1);
	check(door, line, code, mark + 1);
	look_at(line, "running", pg_lang_run(door->lang, line, &reply, &err), &err, code, mark + 1);
	CHECK_TEXT(reply.text, "", "'%s'", line);
	CHECK(door->world.nreplied == replied, "'%s' has changed the Result", line);
	CHECK(memcmp(&before, &door->device, sizeof(before)) == 0, "'%s' has changed the device",
		line);
}

void
door_accepts(const char *before, const char *line, const char *reply)
{
	struct door door;

	door_open(&door, before);
	door_accept(&door, line, reply);
	door_close(&door);
}

void
door_refuses(const char *before, const char *marked, int code)
{
	struct door door;

	door_open(&door, before);
	door_refuse(&door, marked, code);
	door_close(&door);
}

const struct pg_command *
door_row(enum pg_target_kind kind, const char *name)
{
	for (size_t l = 0; l < app_ncommands; l++) {
		for (size_t i = 0; i < app_commands[l]->count; i++) {
			const struct pg_command *row = &app_commands[l]->rows[i];

			if (row->target == kind && strcmp(row->name, name) == 0)
				return row;
		}
	}
	fail_msg("there is no row '%s'", name);
	return NULL;
}
