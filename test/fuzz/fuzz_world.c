/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz_world.h"

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "app.h"

#define LISTS_MAX 16
#define ROWS_MAX  256

static struct pg_command rows[ROWS_MAX];
static struct pg_command_list lists[LISTS_MAX];
static const struct pg_command_list *table[LISTS_MAX];

static int
run_nothing(const struct pg_call *call)
{
	(void)call;
	return 0;
}

static int
add(struct fuzz_speaker *speaker, const char *name, const void *thread, struct pg_error *err)
{
	struct fake_world *fake = &speaker->world;
	struct pg_device *device = &speaker->device[fake->ndevices];

	if (fake->ndevices == FAKE_DEVICES)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "too many devices for this world");
	memset(device, 0, sizeof(*device));
	snprintf(device->name, sizeof(device->name), "%s", name);
	if (pg_lang_defaults(table, app_ncommands, PG_TARGET_DEVICE, &device->settings, err) < 0)
		return -err->code;
	speaker->thread[fake->ndevices] = thread;
	fake_world_add(fake, device->name, device, &device->settings, sizeof(device->settings));
	return 0;
}

static int
run_add_device(const struct pg_call *call)
{
	struct fuzz_speaker *speaker = call->ctx;
	const struct pg_world *world = &speaker->world.world;
	const char *name = call->value->text;
	struct pg_target exists;

	if (world->target_find(call->ctx, name, &exists) == 0) {
		pg_error_set(call->err, PG_FAULT_INPUT, EBUSY, "'%s' exists", name);
		return pg_error_expect(call->err, "another");
	}
	if (world->device_probe(call->ctx, name, call->err) < 0)
		return -call->err->code;
	return add(speaker, name, call->target->object, call->err);
}

// The devices of a thread, or all of pgctrl's. Those that stay move up.
static int
run_remove(const struct pg_call *call)
{
	bool all = call->target->kind == PG_TARGET_CONTROL;
	struct fuzz_speaker *speaker = call->ctx;
	struct fake_world *fake = &speaker->world;
	size_t n = fake->ndevices;

	fake->ndevices = 0;
	for (size_t i = 0; i < n; i++) {
		size_t to = fake->ndevices;
		struct pg_device *device = &speaker->device[to];

		if (all || speaker->thread[i] == call->target->object)
			continue;
		if (to != i)
			*device = speaker->device[i];
		speaker->thread[to] = speaker->thread[i];
		fake_world_add(
			fake, device->name, device, &device->settings, sizeof(device->settings));
	}
	return 0;
}

// The program's table, in which what needs an engine is replaced.
static void
make_table(void)
{
	struct pg_command *row = rows;

	FUZZ_REQUIRE(app_ncommands <= LISTS_MAX, "LISTS_MAX is too small");
	for (size_t l = 0; l < app_ncommands; l++) {
		lists[l] = *app_commands[l];
		lists[l].rows = row;
		table[l] = &lists[l];
		for (size_t i = 0; i < lists[l].count; i++, row++) {
			FUZZ_REQUIRE(row < rows + ROWS_MAX, "ROWS_MAX is too small");
			*row = app_commands[l]->rows[i];
			if (row->target != PG_TARGET_DEVICE)
				row->write = NULL;
			if (row->flags & PG_COMMAND_DECLARES)
				row->run = run_add_device;
			else if (row->flags & PG_COMMAND_REMOVES)
				row->run = run_remove;
			else if (row->target != PG_TARGET_DEVICE)
				row->run = run_nothing;
		}
	}
}

void
fuzz_speaker_init(struct fuzz_speaker *speaker)
{
	if (table[0] == NULL)
		make_table();
	fake_world_init(&speaker->world);
	speaker->world.world.device_settings_size = sizeof(struct pg_device_settings);
	speaker->lang = pg_lang_create(table, app_ncommands, &speaker->world.world);
	FUZZ_REQUIRE(speaker->lang != NULL, "out of memory");
}

void
fuzz_speaker_fini(struct fuzz_speaker *speaker)
{
	pg_lang_destroy(speaker->lang);
}

void
fuzz_speaker_add(struct fuzz_speaker *speaker, const char *name)
{
	struct pg_target thread;
	struct pg_error err = {0};

	FUZZ_REQUIRE(speaker->world.world.target_find(&speaker->world, "kpktgend_0", &thread) == 0,
		"no thread");
	FUZZ_REQUIRE(add(speaker, name, thread.object, &err) == 0, "%s", err.text);
}

// What a user sees of it is written too.
static void
look_at(int rc, const char *line, const struct pg_error *err)
{
	static FILE *nowhere;

	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "we");
	if (rc == 0)
		return;
	FUZZ_REQUIRE(rc < 0 && err->code == -rc, "returned %d, errno %d", rc, err->code);
	FUZZ_REQUIRE(err->text[0] != '\0', "an error without a text");
	FUZZ_REQUIRE(err->fault == PG_FAULT_ENV || err->expected[0] != '\0',
		"'%s' does not say what was expected", err->text);
	FUZZ_REQUIRE(err->column >= 1 && err->column <= strlen(line) + 1, "'%s' in column %u",
		err->text, err->column);
	pg_lang_print_error(nowhere, "fuzz", 1, line, err);
}

int
fuzz_check(struct pg_lang *lang, const char *line, struct pg_error *err)
{
	int rc;

	memset(err, 0, sizeof(*err));
	rc = pg_lang_check(lang, line, err);
	look_at(rc, line, err);
	return rc;
}

int
fuzz_run(struct pg_lang *lang, const char *line, struct pg_error *err)
{
	struct pg_reply reply;
	int rc;

	memset(err, 0, sizeof(*err));
	rc = pg_lang_run(lang, line, &reply, err);
	look_at(rc, line, err);
	FUZZ_REQUIRE(memchr(reply.text, '\0', sizeof(reply.text)) != NULL, "a reply without end");
	FUZZ_REQUIRE(rc == 0 || reply.text[0] == '\0', "a reply beside an error");
	return rc;
}

int
fuzz_run_whole(struct fuzz_speaker *speaker, const char *line, struct pg_error *err)
{
	static struct fuzz_speaker before;
	size_t n = speaker->world.ndevices;
	int rc;

	memcpy(before.device, speaker->device, n * sizeof(before.device[0]));
	rc = fuzz_run(speaker->lang, line, err);
	FUZZ_REQUIRE(rc == 0 || (speaker->world.ndevices == n &&
					memcmp(before.device, speaker->device,
						n * sizeof(before.device[0])) == 0),
		"a line that failed has changed something");
	return rc;
}

void
fuzz_agree(const char *line, const struct pg_error *checked, const struct pg_error *run)
{
	if (run->fault == PG_FAULT_ENV) // what no check can know
		return;
	FUZZ_REQUIRE(checked->code == run->code && checked->column == run->column,
		"checked: %d \"%s\" in column %u; run: %d \"%s\" in column %u; line: %s",
		checked->code, checked->text, checked->column, run->code, run->text, run->column,
		line);
}

char *
fuzz_text(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	FUZZ_REQUIRE(text != NULL, "out of memory");
	return text;
}
