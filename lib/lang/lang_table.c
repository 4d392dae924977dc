/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include <rte_common.h>

#include "lang_priv.h"

// Values start their union, and the machine is little endian: the first bytes are the value.
void
pg_arg_store(const struct pg_arg *arg, void *field, const union pg_value *value)
{
	if (arg->type->store != NULL)
		arg->type->store(arg, field, value);
	else
		memcpy(field, value, arg->type->size ? arg->type->size : arg->width);
}

void
pg_arg_load(const struct pg_arg *arg, const void *field, union pg_value *value)
{
	memset(value, 0, sizeof(*value));
	memcpy(value, field, arg->type->size ? arg->type->size : arg->width);
}

void
pg_command_store(const struct pg_command *row, void *settings, const union pg_value *value)
{
	if (row->apply != NULL)
		row->apply(settings, value);
	else
		pg_arg_store(&row->arg, (char *)settings + row->offset, value);
}

void
pg_call_reply(const struct pg_call *call)
{
	const struct pg_command *row = call->command;
	char argument[PG_TEXT_MAX] = "", *out = call->reply->text;
	const size_t size = sizeof(call->reply->text);

	if (row->arg.type != NULL)
		row->arg.type->format(&row->arg, call->value, argument, sizeof(argument));
	if (row->reply != NULL)
		snprintf(out, size, "%s%.400s", row->reply, argument);
	else
		snprintf(out, size, "OK: %s%s%.400s", row->name, row->arg.type != NULL ? "=" : "",
			argument);
}

const struct pg_command *
lang_table_row(const struct pg_command_list *const *lists, size_t count, size_t i)
{
	for (size_t l = 0; l < count; l++) {
		if (i < lists[l]->count)
			return &lists[l]->rows[i];
		i -= lists[l]->count;
	}
	return NULL;
}

int
lang_table_check(const struct pg_command_list *const *lists, size_t count, enum pg_target_kind kind,
	const void *settings, struct pg_error *err)
{
	for (size_t l = 0; l < count; l++) {
		if (lists[l]->check != NULL && lists[l]->checked == kind &&
			lists[l]->check(settings, err) < 0)
			return -err->code;
	}
	return 0;
}

int
lang_table_set(const struct pg_command_list *const *lists, size_t count,
	const struct pg_command *row, const union pg_value *value, void *settings,
	struct pg_error *err)
{
	pg_command_store(row, settings, value);
	if (row->check != NULL && row->check(settings, err) < 0)
		return -err->code;
	return lang_table_check(lists, count, row->target, settings, err);
}

const char *
pg_lang_kind_name(enum pg_target_kind kind)
{
	static const char *const names[PG_TARGET_KINDS] = {
		[PG_TARGET_CONTROL] = "pgctrl",
		[PG_TARGET_THREAD] = "kpktgend_N",
		[PG_TARGET_DEVICE] = "DEVICE",
	};

	return names[kind];
}

int
pg_lang_defaults(const struct pg_command_list *const *lists, size_t count, enum pg_target_kind kind,
	void *settings, struct pg_error *err)
{
	union pg_value value;

	for (size_t l = 0; l < count; l++) {
		for (size_t i = 0; i < lists[l]->count; i++) {
			const struct pg_command *row = &lists[l]->rows[i];

			if (row->target != kind || row->def == NULL || row->def[0] == '\0')
				continue;
			memset(&value, 0, sizeof(value));
			if (row->arg.type->parse(&row->arg, row->def, &value, err) < 0)
				return -err->code;
			pg_command_store(row, settings, &value);
		}
	}
	return 0;
}

static void
argument_text(const struct pg_command *row, char *out, size_t size)
{
	if (row->arg.type == NULL)
		snprintf(out, size, "no argument");
	else
		row->arg.type->expect(&row->arg, out, size);
}

void
pg_lang_list_text(const struct pg_command_list *const *lists, size_t count, FILE *out)
{
	char argument[320];

	for (int kind = 0; kind < PG_TARGET_KINDS; kind++) {
		fprintf(out, "%s[%s]\n", kind == 0 ? "" : "\n", pg_lang_kind_name(kind));
		for (size_t l = 0; l < count; l++) {
			for (size_t i = 0; i < lists[l]->count; i++) {
				const struct pg_command *row = &lists[l]->rows[i];

				if ((int)row->target != kind)
					continue;
				argument_text(row, argument, sizeof(argument));
				fprintf(out, "%-14s %s\n%15s%s", row->name, row->help, "",
					argument);
				if (row->def != NULL && row->def[0] != '\0')
					fprintf(out, "; default %s", row->def);
				fprintf(out, "%s\n",
					row->flags & PG_COMMAND_EXTENSION ? "; extension" : "");
			}
		}
	}
}

static json_t *
words_json(const struct pg_word *words)
{
	json_t *list = json_array();

	for (const struct pg_word *w = words; w->name != NULL; w++)
		json_array_append_new(
			list, json_pack("{s:s, s:s}", "name", w->name, "help", w->help));
	return list;
}

// How a control file reads the argument.
static void
control_text(const struct pg_command *row, char *out, size_t size)
{
	const struct pg_arg *arg = &row->arg;
	size_t used = 0;

	out[0] = '\0';
	if (arg->type == NULL || row->flags & PG_COMMAND_EXTENSION)
		return;
	if (arg->type == &pg_type_number) {
		used = snprintf(out, size, "%u digit%s, none is 0",
			arg->digits != 0 ? arg->digits : KERNEL_DIGITS,
			arg->digits == 1 ? "" : "s");
		if (arg->width < sizeof(uint64_t) && row->refusal == NULL)
			used += snprintf(
				out + used, size - used, ", cut to %u bits", 8u * arg->width);
		if (arg->least != 0)
			used += snprintf(out + used, size - used,
				", less than %" PRIu64 " becomes %" PRIu64, arg->least, arg->least);
		if (arg->most != 0)
			used += snprintf(out + used, size - used,
				", more than %" PRIu64 " becomes %" PRIu64, arg->most, arg->most);
	} else if (arg->type->scanned != NULL) {
		used = snprintf(out, size, "%s", arg->type->scanned);
	}
	if (row->refusal != NULL)
		snprintf(out + used, size - used,
			"; what cannot be is answered \"%s\", and the write succeeds",
			row->refusal);
}

static void
reply_text(const struct pg_command *row, char *out, size_t size)
{
	if (row->answer != NULL)
		snprintf(out, size, "%s", row->answer);
	else if (row->reply != NULL)
		snprintf(out, size, "%s%s", row->reply, row->arg.type != NULL ? "<value>" : "");
	else
		snprintf(out, size, "OK: %s%s", row->name, row->arg.type != NULL ? "=<value>" : "");
}

static json_t *
row_json(const struct pg_command *row)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:b, s:b}", "target",
		pg_lang_kind_name(row->target), "name", row->name, "help", row->help, "example",
		row->example, "anytime", (row->flags & PG_COMMAND_ANYTIME) != 0, "extension",
		(row->flags & PG_COMMAND_EXTENSION) != 0);
	char argument[320], control[320], reply[PG_REPLY_MAX];

	argument_text(row, argument, sizeof(argument));
	control_text(row, control, sizeof(control));
	reply_text(row, reply, sizeof(reply));
	json_object_set_new(object, "argument", json_string(argument));
	json_object_set_new(object, "reply", json_string(reply));
	if (control[0] != '\0')
		json_object_set_new(object, "control_file", json_string(control));
	if (row->differs != NULL)
		json_object_set_new(object, "differs", json_string(row->differs));
	if (row->arg.type != NULL)
		json_object_set_new(object, "type", json_string(row->arg.type->name));
	if (row->def != NULL)
		json_object_set_new(object, "default", json_string(row->def));
	if (row->arg.words != NULL)
		json_object_set_new(object, "words", words_json(row->arg.words));
	return object;
}

int
pg_lang_list_json(const struct pg_command_list *const *lists, size_t count, FILE *out)
{
	json_t *list = json_array();
	int rc;

	for (size_t l = 0; l < count; l++) {
		for (size_t i = 0; i < lists[l]->count; i++)
			json_array_append_new(list, row_json(&lists[l]->rows[i]));
	}
	rc = json_dumpf(list, out, JSON_INDENT(2));
	json_decref(list);
	fputc('\n', out);
	return rc == 0 ? 0 : -EIO;
}
