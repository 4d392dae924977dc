/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "lang_priv.h"

struct pg_lang {
	const struct pg_command_list *const *lists;
	size_t nlists;
	struct pg_world world;
	char section[PG_TARGET_MAX]; /**< the current target; empty: none */
	struct lang_drafts drafts;   /**< what checked lines have made so far */
	bool checking;               /**< drafts go before what really exists */
	bool implies_control;        /**< pgctrl may be left out */
};

struct pg_lang *
pg_lang_create(
	const struct pg_command_list *const *lists, size_t count, const struct pg_world *world)
{
	struct pg_lang *lang = calloc(1, sizeof(*lang));

	if (lang == NULL)
		return NULL;
	lang->lists = lists;
	lang->nlists = count;
	lang->world = *world;
	return lang;
}

void
pg_lang_destroy(struct pg_lang *lang)
{
	if (lang == NULL)
		return;
	lang_drafts_fini(&lang->drafts);
	free(lang);
}

void
pg_lang_rewind(struct pg_lang *lang)
{
	lang->section[0] = '\0';
}

void
pg_lang_imply_control(struct pg_lang *lang)
{
	lang->implies_control = true;
}

bool
lang_implies_control(const struct pg_lang *lang)
{
	return lang->implies_control;
}

const char *
pg_lang_section(const struct pg_lang *lang)
{
	return lang->section;
}

const struct pg_command *
lang_row_at(const struct pg_lang *lang, size_t i)
{
	return lang_table_row(lang->lists, lang->nlists, i);
}

const struct pg_command *
pg_lang_find(const struct pg_lang *lang, enum pg_target_kind kind, const char *name)
{
	for (size_t l = 0; l < lang->nlists; l++) {
		for (size_t i = 0; i < lang->lists[l]->count; i++) {
			const struct pg_command *row = &lang->lists[l]->rows[i];

			if (row->target == kind && strcmp(row->name, name) == 0)
				return row;
		}
	}
	return NULL;
}

// While lines are checked, drafts are what counts; later a draft without a device is only known to
// have been named.
static int
find_target(struct pg_lang *lang, const char *name, struct pg_target *target)
{
	struct lang_draft *draft = lang_draft_find(&lang->drafts, name);

	if (lang->checking && draft != NULL) {
		*target = (struct pg_target){.kind = PG_TARGET_DEVICE,
			.settings = draft->settings,
			.settings_size = lang->world.device_settings_size};
		return draft->removed ? -ENOENT : 0;
	}
	if (lang->world.target_find(lang->world.ctx, name, target) == 0)
		return 0;
	if (draft == NULL)
		return -ENOENT;
	*target = (struct pg_target){.kind = PG_TARGET_DEVICE};
	return 0;
}

static int
unknown_target(struct pg_lang *lang, const char *name, unsigned int column, struct pg_error *err)
{
	pg_error_set(err, PG_FAULT_INPUT, ENODEV, "unknown target '%s'", name);
	lang->world.target_list(lang->world.ctx, err->expected, sizeof(err->expected));
	err->column = column;
	return -ENODEV;
}

static int
unknown_command(struct pg_lang *lang, enum pg_target_kind kind, const char *name,
	unsigned int column, struct pg_error *err)
{
	struct lang_nearest nearest;

	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "unknown command '%s'", name);
	pg_error_expect(err, "a command of %s (--list-commands shows them)",
		kind == PG_TARGET_DEVICE ? "a device" : pg_lang_kind_name(kind));
	lang_nearest_init(&nearest, name);
	for (size_t l = 0; l < lang->nlists; l++) {
		for (size_t i = 0; i < lang->lists[l]->count; i++) {
			if (lang->lists[l]->rows[i].target == kind)
				lang_nearest_offer(&nearest, lang->lists[l]->rows[i].name);
		}
	}
	lang_nearest_tell(&nearest, err);
	for (size_t l = 0; l < lang->nlists; l++) {
		const struct pg_instead *i = lang->lists[l]->instead;

		for (; i != NULL && i->word != NULL && kind == PG_TARGET_DEVICE; i++) {
			if (strcmp(i->word, name) == 0)
				pg_error_expect(err, "%s", i->expected);
		}
	}
	err->column = column;
	return -EINVAL;
}

static int
too_long(const char *what, size_t limit, unsigned int column, struct pg_error *err)
{
	pg_error_set(err, PG_FAULT_INPUT, E2BIG, "%s is too long", what);
	pg_error_expect(err, "at most %zu characters", limit - 1);
	err->column = column;
	return -E2BIG;
}

// `[TARGET]`: the brackets stand alone on their line.
static int
parse_section(struct pg_lang *lang, const char *line, const char *open, struct pg_error *err)
{
	const char *close = strchr(open, ']');
	char name[PG_TARGET_MAX], extra[8];
	struct pg_target target;
	unsigned int column = open - line + 2;
	const char *cursor;

	if (close == NULL) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'[' without ']'");
		pg_error_expect(err, "a section, [TARGET]");
		err->column = column - 1;
		return -EINVAL;
	}
	if ((size_t)(close - open) > sizeof(name))
		return too_long("the target's name", sizeof(name), column, err);
	memcpy(name, open + 1, close - open - 1);
	name[close - open - 1] = '\0';
	if (find_target(lang, name, &target) < 0)
		return unknown_target(lang, name, column, err);
	cursor = close + 1;
	if (lang_token(line, &cursor, extra, sizeof(extra), &column) != 0) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "text after the section");
		pg_error_expect(err, "the end of the line");
		err->column = column;
		return -EINVAL;
	}
	strcpy(lang->section, name);
	return 0;
}

int
lang_parse_argument(
	const char *line, const char *cursor, struct lang_line *out, struct pg_error *err)
{
	const struct pg_arg *arg = &out->command->arg;
	char token[PG_TEXT_MAX] = "";
	unsigned int column;
	int rc = 0;

	memset(&out->value, 0, sizeof(out->value));
	if (arg->type != NULL) {
		rc = (arg->type->rest ? lang_rest : lang_token)(
			line, &cursor, token, sizeof(token), &column);
		out->value_column = column;
		if (rc == -E2BIG)
			return too_long("the argument", sizeof(token), column, err);
		if (rc == 0 && arg->optional)
			return 0;
		if (rc == 0)
			pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%s' needs an argument",
				out->command->name);
		if (rc == 0 || arg->type->parse(arg, token, &out->value, err) < 0) {
			if (err->expected[0] == '\0')
				arg->type->expect(arg, err->expected, sizeof(err->expected));
			err->column += column;
			return -err->code;
		}
	}
	rc = lang_token(line, &cursor, token, sizeof(token), &column);
	if (rc != 0) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "text after '%s%s'", out->command->name,
			arg->type != NULL ? " ARGUMENT" : "");
		pg_error_expect(err, "the end of the line");
		err->column = column;
		return -EINVAL;
	}
	return 0;
}

// Decide whether the first word is a command of the section or names a target of its own.
static int
parse_target(struct pg_lang *lang, const char *line, const char **cursor, char *word, size_t size,
	struct lang_line *out, struct pg_error *err)
{
	unsigned int column = out->command_column;
	struct pg_target section = {.object = NULL};
	bool in_section = lang->section[0] != '\0';
	bool known = in_section && find_target(lang, lang->section, &section) == 0;
	int rc;

	out->target_column = column;
	if (known && pg_lang_find(lang, section.kind, word) != NULL) {
		out->target = section;
		strcpy(out->target_name, lang->section);
		return 0;
	}
	if (find_target(lang, word, &out->target) < 0) {
		if (lang->implies_control && pg_lang_find(lang, PG_TARGET_CONTROL, word) != NULL) {
			strcpy(out->target_name, pg_lang_kind_name(PG_TARGET_CONTROL));
			return find_target(lang, out->target_name, &out->target);
		}
		if (known)
			return unknown_command(lang, section.kind, word, column, err);
		return unknown_target(lang, in_section ? lang->section : word, column, err);
	}
	snprintf(out->target_name, sizeof(out->target_name), "%s", word);
	rc = lang_token(line, cursor, word, size, &out->command_column);
	if (rc == -E2BIG)
		return too_long("the command", size, out->command_column, err);
	if (rc == 0) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "no command for '%s'", out->target_name);
		pg_error_expect(err,
			"TARGET COMMAND [ARGUMENT], or [%s] to address the lines that follow",
			out->target_name);
		err->column = out->command_column;
		return -EINVAL;
	}
	return 0;
}

static int
parse_line(struct pg_lang *lang, const char *text, struct lang_line *out, struct pg_error *err)
{
	const char *cursor = text;
	char word[PG_TARGET_MAX] = "";
	int rc;

	memset(out, 0, offsetof(struct lang_line, value));
	rc = lang_token(text, &cursor, word, sizeof(word), &out->command_column);
	if (rc == 0)
		return 0;
	if (text[out->command_column - 1] == '[')
		return parse_section(lang, text, text + out->command_column - 1, err);
	if (rc == -E2BIG)
		return too_long("the word", sizeof(word), out->command_column, err);
	rc = parse_target(lang, text, &cursor, word, sizeof(word), out, err);
	if (rc < 0)
		return rc;
	out->command = pg_lang_find(lang, out->target.kind, word);
	if (out->command == NULL)
		return unknown_command(lang, out->target.kind, word, out->command_column, err);
	return lang_parse_argument(text, cursor, out, err);
}

int
lang_verify(const struct pg_lang *lang, enum pg_target_kind kind, const void *settings,
	struct pg_error *err)
{
	return lang_table_check(lang->lists, lang->nlists, kind, settings, err);
}

int
lang_change(const struct pg_lang *lang, const struct lang_line *line, struct pg_error *err)
{
	_Alignas(16) char copy[PG_SETTINGS_MAX];

	memcpy(copy, line->target.settings, line->target.settings_size);
	if (lang_table_set(lang->lists, lang->nlists, line->command, &line->value, copy, err) < 0)
		return -err->code;
	memcpy(line->target.settings, copy, line->target.settings_size);
	return 0;
}

void
lang_tell_changed(const struct pg_lang *lang, const struct pg_call *call)
{
	for (size_t l = 0; l < lang->nlists; l++) {
		const struct pg_command_list *list = lang->lists[l];

		if (list->changed != NULL && list->checked == call->command->target)
			list->changed(call);
	}
}

bool
lang_is_setting(const struct pg_command *row)
{
	return row->def != NULL || row->apply != NULL;
}

static int
no_memory(struct pg_error *err)
{
	return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
}

static int
draft_device(struct pg_lang *lang, const struct lang_line *line, struct pg_error *err)
{
	const char *name = line->value.text;
	struct lang_draft *draft = lang_draft_find(&lang->drafts, name);
	struct pg_target exists;

	if (find_target(lang, name, &exists) == 0 && (draft == NULL || !draft->removed)) {
		pg_error_set(err, PG_FAULT_INPUT, EBUSY, "device '%s' exists already", name);
		return pg_error_expect(err, "another name, such as NAME@TAG");
	}
	if (lang->world.device_probe != NULL &&
		lang->world.device_probe(lang->world.ctx, name, err) < 0)
		return -err->code;
	draft = lang_draft_make(
		&lang->drafts, name, line->target_name, lang->world.device_settings_size);
	if (draft == NULL)
		return no_memory(err);
	return lang->world.device_settings_size == 0
		       ? 0
		       : pg_lang_defaults(
				 lang->lists, lang->nlists, PG_TARGET_DEVICE, draft->settings, err);
}

// A device that exists gets its draft with the first setting that is checked on it.
static int
draft_setting(struct pg_lang *lang, struct lang_line *line, struct pg_error *err)
{
	if (line->target.object != NULL) {
		struct lang_draft *draft = lang_draft_make(
			&lang->drafts, line->target_name, "", line->target.settings_size);

		if (draft == NULL)
			return no_memory(err);
		memcpy(draft->settings, line->target.settings, line->target.settings_size);
		line->target.settings = draft->settings;
	}
	return lang_change(lang, line, err);
}

int
pg_lang_check(struct pg_lang *lang, const char *text, struct pg_error *err)
{
	const struct pg_command *row;
	struct lang_line line;
	int rc;

	lang->checking = true;
	rc = parse_line(lang, text, &line, err);
	row = line.command;
	if (rc == 0 && row != NULL) {
		if (row->flags & PG_COMMAND_DECLARES)
			rc = draft_device(lang, &line, err);
		else if (row->flags & PG_COMMAND_REMOVES)
			lang_drafts_remove(&lang->drafts,
				row->target == PG_TARGET_THREAD ? line.target_name : NULL);
		else if (lang_is_setting(row) && row->target == PG_TARGET_DEVICE &&
			 lang->world.device_settings_size != 0)
			rc = draft_setting(lang, &line, err);
		if (rc < 0 && err->column == 0)
			err->column = line.value_column ? line.value_column : line.command_column;
	}
	lang->checking = false;
	return rc;
}

int
lang_run_line(
	struct pg_lang *lang, struct lang_line *line, struct pg_reply *reply, struct pg_error *err)
{
	const struct pg_command *row = line->command;
	struct pg_call call = {lang->world.ctx, row, &line->target, &line->value, reply, err};
	int rc = 0;

	if (line->target.busy && !(row->flags & PG_COMMAND_ANYTIME)) {
		pg_error_set(err, PG_FAULT_INPUT, EBUSY, "'%s' cannot change while %s runs",
			row->name, line->target_name);
		pg_error_expect(err, "pgctrl stop before it");
		err->column = line->command_column;
		return -EBUSY;
	}
	if (row->admit != NULL)
		rc = row->admit(&call);
	if (rc == 0 && lang_is_setting(row))
		rc = lang_change(lang, line, err);
	if (rc == 0)
		pg_call_reply(&call);
	if (rc == 0 && row->run != NULL)
		rc = row->run(&call);
	if (rc == 0 && lang_is_setting(row))
		lang_tell_changed(lang, &call);
	if (rc < 0) {
		reply->text[0] = '\0';
		if (err->column == 0)
			err->column =
				line->value_column ? line->value_column : line->command_column;
		return rc;
	}
	if (lang->world.replied != NULL && reply->text[0] != '\0')
		lang->world.replied(lang->world.ctx, &line->target, reply->text);
	return 0;
}

int
pg_lang_run(struct pg_lang *lang, const char *text, struct pg_reply *reply, struct pg_error *err)
{
	struct lang_line line;
	int rc = parse_line(lang, text, &line, err);

	reply->text[0] = '\0';
	if (rc < 0 || line.command == NULL)
		return rc;
	if (line.target.object == NULL) // declared by a check, but gone or never made
		return unknown_target(lang, line.target_name, line.target_column, err);
	return lang_run_line(lang, &line, reply, err);
}

int
lang_find_existing(const struct pg_lang *lang, const char *name, struct pg_target *target)
{
	return lang->world.target_find(lang->world.ctx, name, target);
}

const struct pg_world *
lang_world(const struct pg_lang *lang)
{
	return &lang->world;
}
