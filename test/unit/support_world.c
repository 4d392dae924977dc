/* SPDX-License-Identifier: BSD-3-Clause */
#include "support_world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

static const struct pg_word modes[] = {
	{"slow", 0, "one by one", false},
	{"fast", 7, "all at once", false},
	{"quick", 7, "fast", true},
	{NULL, 0, NULL, false},
};

static const struct pg_word flags[] = {
	{"ALPHA", 0x1, "the first", false},
	{"BETA", 0x4, "the second", false},
	{"GAMMA_RAY", 0x80000000, "the last", false},
	{NULL, 0, NULL, false},
};

static void
apply_twin(void *settings, const union pg_value *value)
{
	struct fake_settings *set = settings;

	set->twin = set->other_twin = value->u64;
}

static int
check_twin(const void *settings, struct pg_error *err)
{
	const struct fake_settings *set = settings;

	if (set->twin == set->other_twin && set->twin != 13)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EDOM, "thirteen is refused");
	return pg_error_expect(err, "another number");
}

// Refuses the letter x, where it stands.
static int
valid_list(const char *text, struct pg_error *err)
{
	const char *x = strchr(text, 'x');

	if (x == NULL)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EDOM, "no x");
	err->column = (unsigned int)(x - text);
	return -EDOM;
}

static int
run_record(const struct pg_call *call)
{
	struct fake_world *fake = call->ctx;

	fake->nrun++;
	snprintf(fake->run, sizeof(fake->run), "%s", call->value->text);
	return 0;
}

static int
run_fail(const struct pg_call *call)
{
	pg_error_set(call->err, PG_FAULT_ENV, EIO, "it broke");
	return pg_error_remedy(call->err, "mend it");
}

static int
run_note(const struct pg_call *call)
{
	snprintf(call->reply->text, sizeof(call->reply->text), "noted %.5s", call->value->text);
	return run_record(call);
}

#define ROW(kind, word, text) \
	.target = PG_TARGET_##kind, .name = word, .help = text, .example = word
#define SETS(member) .offset = offsetof(struct fake_settings, member)
#define NUMBER(...)  .arg = {.type = &pg_type_number, __VA_ARGS__}

static const struct pg_command rows[] = {
	{ROW(DEVICE, "count", "a wide number"), SETS(count), .def = "1000",
		NUMBER(.max = UINT64_MAX, .unit = "packets", .width = 8)},
	{ROW(DEVICE, "small", "a bounded number"), SETS(small), .def = "10",
		NUMBER(.min = 10, .max = 20, .width = 4)},
	{ROW(DEVICE, "port", "a narrow number"), SETS(port), .def = "9",
		NUMBER(.max = 65535, .width = 2)},
	{ROW(DEVICE, "flag", "flags"), SETS(flags), .def = "BETA",
		.arg = {.type = &pg_type_flag, .words = flags, .width = 4}},
	{ROW(DEVICE, "mode", "a word"), SETS(mode), .def = "slow",
		.arg = {.type = &pg_type_word, .words = modes, .unit = "mode", .width = 1}},
	{ROW(DEVICE, "twin", "two fields"), SETS(twin), .def = "0", .apply = apply_twin,
		.check = check_twin, NUMBER(.max = 99, .width = 8)},
	{ROW(DEVICE, "mac", "a MAC address"), SETS(mac), .def = "00:00:00:00:00:00",
		.arg = {.type = &pg_type_mac}, .reply = "OK: themac "},
	{ROW(DEVICE, "ip4", "an IPv4 address"), SETS(ip4), .def = "",
		.arg = {.type = &pg_type_ip4}},
	{ROW(DEVICE, "list", "words with commas between"), SETS(list), .def = "",
		.arg = {.type = &pg_type_string,
			.words = modes,
			.separator = ',',
			.valid = valid_list,
			.unit = "words"}},
	{ROW(DEVICE, "go", "no argument"), .run = run_record},
	{ROW(DEVICE, "anytime", "while it runs"), .run = run_record, .flags = PG_COMMAND_ANYTIME},
	{ROW(DEVICE, "note", "a text"), .run = run_note, .arg = {.type = &pg_type_text, .max = 5}},
	{ROW(THREAD, "add_device", "declares"), .run = run_record, .flags = PG_COMMAND_DECLARES,
		.arg = {.type = &pg_type_text, .max = 63, .unit = "NAME"}},
	{ROW(THREAD, "say", "a text"), .run = run_record, .arg = {.type = &pg_type_text}},
	{ROW(CONTROL, "start", "no argument"), .run = run_record},
	{ROW(CONTROL, "fail", "always fails"), .run = run_fail},
	{ROW(CONTROL, "rest", "the rest of the line"), .run = run_record,
		.arg = {.type = &pg_type_line}},
	{ROW(CONTROL, "maybe", "an optional text"), .run = run_record,
		.arg = {.type = &pg_type_text, .max = 5, .optional = true}},
};

const struct pg_command_list fake_commands = {rows, RTE_DIM(rows)};
const struct pg_command_list *const fake_lists[1] = {&fake_commands};

// What a failed search leaves in *target is nobody's business: rubbish, to see who looks.
static int
target_find(void *ctx, const char *name, struct pg_target *target)
{
	struct fake_world *fake = ctx;

	*target = (struct pg_target){.kind = PG_TARGET_CONTROL, .object = fake, .busy = fake->busy};
	if (strcmp(name, "pgctrl") == 0)
		return 0;
	target->kind = PG_TARGET_THREAD;
	if (strcmp(name, "kpktgend_0") == 0 || strcmp(name, "kpktgend_1") == 0) {
		target->object = &fake->thread[name[9] - '0'];
		return 0;
	}
	for (size_t i = 0; i < fake->ndevices; i++) {
		const struct fake_device *device = &fake->device[i];

		if (strcmp(device->name, name) != 0)
			continue;
		target->kind = PG_TARGET_DEVICE;
		target->object = device->object;
		target->settings = device->settings;
		target->settings_size = device->settings_size;
		return 0;
	}
	return -ENOENT;
}

static int
device_probe(void *ctx, const char *name, struct pg_error *err)
{
	(void)ctx;
	if (strncmp(name, "bad", 3) != 0)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, ENODEV, "unknown device '%s'", name);
	return pg_error_expect(err, "another");
}

static void
target_list(void *ctx, char *out, size_t size)
{
	(void)ctx;
	snprintf(out, size, "one of those that there are");
}

static void
replied(void *ctx, const struct pg_target *target, const char *reply)
{
	struct fake_world *fake = ctx;

	fake->nreplied++;
	fake->replied_kind = target->kind;
	snprintf(fake->replied, sizeof(fake->replied), "%s", reply);
}

void
fake_world_init(struct fake_world *fake)
{
	memset(fake, 0, sizeof(*fake));
	fake->world = (struct pg_world){
		.ctx = fake,
		.target_find = target_find,
		.device_probe = device_probe,
		.target_list = target_list,
		.replied = replied,
	};
}

void
fake_world_add(struct fake_world *fake, const char *name, void *object, void *settings,
	size_t settings_size)
{
	fake->device[fake->ndevices++] =
		(struct fake_device){name, object, settings, settings_size};
}

void
fake_world_drop(struct fake_world *fake)
{
	fake->ndevices--;
}

int
fake_speaker_setup(void **state)
{
	struct fake_speaker *speaker = calloc(1, sizeof(*speaker));
	struct pg_error err = {0};

	if (speaker == NULL)
		return -1;
	*state = speaker;
	fake_world_init(&speaker->world);
	fake_world_add(
		&speaker->world, "dev", speaker, &speaker->settings, sizeof(speaker->settings));
	speaker->lang = pg_lang_create(fake_lists, 1, &speaker->world.world);
	return speaker->lang != NULL && pg_lang_defaults(fake_lists, 1, PG_TARGET_DEVICE,
						&speaker->settings, &err) == 0
		       ? 0
		       : -1;
}

int
fake_speaker_teardown(void **state)
{
	struct fake_speaker *speaker = *state;

	pg_lang_destroy(speaker->lang);
	free(speaker);
	return 0;
}
