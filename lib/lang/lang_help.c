/* SPDX-License-Identifier: BSD-3-Clause */
/* What people read: help from the table, and errors. */
#include <errno.h>
#include <string.h>

#include "lang_priv.h"

#define WIDTH 79

static const char *
kind_phrase(enum pg_target_kind kind)
{
	return kind == PG_TARGET_DEVICE ? "a device" : pg_lang_kind_name(kind);
}

static void
help_row(const struct pg_command *row, FILE *out)
{
	char text[320];

	fprintf(out, "%s %s%s\n  %s\n", pg_lang_kind_name(row->target), row->name,
		row->flags & PG_COMMAND_EXTENSION ? " (extension)" : "", row->help);
	if (row->arg.type != NULL) {
		row->arg.type->expect(&row->arg, text, sizeof(text));
		fprintf(out, "  argument: %s%s\n", text,
			row->arg.optional ? "; it may be left out" : "");
	}
	for (const struct pg_word *w = row->arg.words; w != NULL && w->name != NULL; w++)
		fprintf(out, "    %-14s %s\n", w->name, w->help);
	if (row->def != NULL && row->def[0] != '\0')
		fprintf(out, "  default: %s\n", row->def);
	if (row->differs != NULL)
		fprintf(out, "  differs from Linux: %s\n", row->differs);
	fprintf(out, "  example: %s\n", row->example);
}

static void
help_word(const struct pg_command *row, const struct pg_word *word, FILE *out)
{
	fprintf(out, "%s %s %s\n  %s\n", pg_lang_kind_name(row->target), row->name, word->name,
		word->help);
}

static int
unknown_word(const struct pg_command_list *const *lists, size_t count, const char *word,
	struct pg_error *err)
{
	struct lang_nearest nearest;

	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "there is no help for '%.60s'", word);
	pg_error_expect(err, "a command, or a word that one takes");
	lang_nearest_init(&nearest, word);
	for (size_t l = 0; l < count; l++) {
		for (size_t i = 0; i < lists[l]->count; i++) {
			const struct pg_word *w = lists[l]->rows[i].arg.words;

			lang_nearest_offer(&nearest, lists[l]->rows[i].name);
			for (; w != NULL && w->name != NULL; w++)
				lang_nearest_offer(&nearest, w->name);
		}
	}
	lang_nearest_tell(&nearest, err);
	return -EINVAL;
}

int
pg_lang_help(const struct pg_command_list *const *lists, size_t count, const char *word, FILE *out,
	struct pg_error *err)
{
	unsigned int found = 0;

	for (size_t l = 0; l < count; l++) {
		for (size_t i = 0; i < lists[l]->count; i++) {
			const struct pg_command *row = &lists[l]->rows[i];
			const struct pg_word *w = row->arg.words;

			if (strcmp(row->name, word) == 0) {
				help_row(row, out);
				found++;
			}
			for (; w != NULL && w->name != NULL; w++) {
				if (strcmp(w->name, word + (word[0] == '!')) != 0)
					continue;
				help_word(row, w, out);
				found++;
			}
		}
	}
	return found > 0 ? 0 : unknown_word(lists, count, word, err);
}

void
pg_lang_help_all(const struct pg_command_list *const *lists, size_t count, FILE *out)
{
	fputs("A line is TARGET COMMAND [ARGUMENT]. [TARGET] on a line of its own makes TARGET "
	      "the\n"
	      "current one, and the lines after it need none.\n",
		out);
	for (int kind = 0; kind < PG_TARGET_KINDS; kind++) {
		int column = WIDTH;

		fprintf(out, "Commands of %s:", kind_phrase(kind));
		for (size_t l = 0; l < count; l++) {
			for (size_t i = 0; i < lists[l]->count; i++) {
				const struct pg_command *row = &lists[l]->rows[i];

				if ((int)row->target != kind)
					continue;
				if (column + 1 + (int)strlen(row->name) > WIDTH)
					column = fprintf(out, "\n ") - 1;
				column += fprintf(out, " %s", row->name);
			}
		}
		fputc('\n', out);
	}
	fputs("help COMMAND tells what it does, help WORD what a named value or flag means.\n",
		out);
}

void
pg_lang_print_error(
	FILE *out, const char *name, size_t number, const char *line, const struct pg_error *err)
{
	size_t length = strcspn(line, "\n");

	fprintf(out, "%s:%zu:%u: %s", name, number, err->column ? err->column : 1, err->text);
	if (err->expected[0] != '\0')
		fprintf(out, "; expected %s", err->expected);
	if (err->remedy[0] != '\0')
		fprintf(out, "; %s", err->remedy);
	fprintf(out, "\n  %.*s\n  ", (int)length, line);
	// Tabs stay tabs, so that the caret stands below its column.
	for (size_t i = 1; i < err->column && i <= length; i++)
		fputc(line[i - 1] == '\t' ? '\t' : ' ', out);
	fputs("^\n", out);
}
