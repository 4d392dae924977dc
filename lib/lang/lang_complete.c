/* SPDX-License-Identifier: BSD-3-Clause */
/* What may stand at the end of a line that is being typed. */
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

/** Passes on what begins as the word does. */
struct filter {
	const char *prefix;
	const char *before, *after; /**< around each: brackets, `!` */
	pg_offer_fn fn;
	void *ctx;
};

static void
offer(void *ctx, const char *text, const char *help)
{
	const struct filter *filter = ctx;
	char whole[2 * PG_TEXT_MAX];

	snprintf(
		whole, sizeof(whole), "%s%.*s%s", filter->before, PG_TEXT_MAX, text, filter->after);
	if (strncmp(whole, filter->prefix, strlen(filter->prefix)) == 0)
		filter->fn(filter->ctx, whole, help);
}

static void
offer_world(const struct pg_lang *lang, enum pg_complete what, struct filter *filter)
{
	const struct pg_world *world = lang_world(lang);

	if (world->offer != NULL)
		world->offer(world->ctx, what, filter->prefix, offer, filter);
}

static void
offer_commands(const struct pg_lang *lang, enum pg_target_kind kind, struct filter *filter)
{
	const struct pg_command *row;

	for (size_t i = 0; (row = lang_row_at(lang, i)) != NULL; i++) {
		if (row->target == kind)
			offer(filter, row->name, row->help);
	}
}

static void
offer_flags(const struct pg_command *row, struct filter *filter)
{
	bool clear = filter->prefix[0] == '!';

	filter->before = clear ? "!" : "";
	for (const struct pg_word *w = row->arg.words; w->name != NULL; w++) {
		if (!w->second && (clear || !w->clear_only))
			offer(filter, w->name, w->help);
	}
}

static void
offer_all_words(const struct pg_lang *lang, struct filter *filter)
{
	const struct pg_command *row;

	for (size_t i = 0; (row = lang_row_at(lang, i)) != NULL; i++) {
		offer(filter, row->name, row->help);
		for (const struct pg_word *w = row->arg.words; w != NULL && w->name != NULL; w++)
			offer(filter, w->name, w->help);
	}
}

static void
offer_argument(const struct pg_lang *lang, const struct pg_command *row, struct filter *filter)
{
	char before[PG_TEXT_MAX] = "";

	if (row->arg.type == &pg_type_flag) {
		offer_flags(row, filter);
		return;
	}
	if (row->arg.separator != '\0') { // the words before the last one stay
		const char *last = strrchr(filter->prefix, row->arg.separator);

		snprintf(before, sizeof(before), "%.*s",
			last != NULL ? (int)(last - filter->prefix) + 1 : 0, filter->prefix);
		filter->before = before;
	}
	for (const struct pg_word *w = row->arg.words; w != NULL && w->name != NULL; w++) {
		if (!w->second)
			offer(filter, w->name, w->help);
	}
	if (row->arg.complete == PG_COMPLETE_HELP)
		offer_all_words(lang, filter);
	else if (row->arg.complete != PG_COMPLETE_NOTHING)
		offer_world(lang, row->arg.complete, filter);
	filter->before = "";
}

static void
offer_first(const struct pg_lang *lang, const struct pg_target *section, bool known,
	struct filter *filter)
{
	if (known)
		offer_commands(lang, section->kind, filter);
	if (lang_implies_control(lang) && !(known && section->kind == PG_TARGET_CONTROL))
		offer_commands(lang, PG_TARGET_CONTROL, filter);
	offer_world(lang, PG_COMPLETE_TARGETS, filter);
}

// The command of a line whose words so far are complete, and how many words of it these are.
static const struct pg_command *
row_of(const struct pg_lang *lang, const char (*words)[PG_TARGET_MAX], size_t n,
	const struct pg_target *section, bool known, size_t *used, struct pg_target *target)
{
	const struct pg_command *row = NULL;

	*used = 1;
	if (known)
		row = pg_lang_find(lang, section->kind, words[0]);
	if (row != NULL)
		return row;
	if (lang_find_existing(lang, words[0], target) == 0) {
		*used = 2;
		return n > 1 ? pg_lang_find(lang, target->kind, words[1]) : NULL;
	}
	target->kind = PG_TARGET_KINDS;
	return lang_implies_control(lang) ? pg_lang_find(lang, PG_TARGET_CONTROL, words[0]) : NULL;
}

struct pg_completion
pg_lang_complete(const struct pg_lang *lang, const char *line, pg_offer_fn fn, void *ctx)
{
	struct pg_completion at = {strlen(line), NULL};
	char words[3][PG_TARGET_MAX] = {""};
	const char *cursor = line;
	struct pg_target section, target = {.kind = PG_TARGET_KINDS};
	bool known = lang_find_existing(lang, pg_lang_section(lang), &section) == 0;
	struct filter filter = {"", "", "", fn, ctx};
	unsigned int column;
	size_t n = 0, used;

	while (n < 3 && lang_token(line, &cursor, words[n], PG_TARGET_MAX, &column) != 0) {
		if (*cursor == '\0') { // the word that is being typed
			at.start = column - 1;
			break;
		}
		n++;
	}
	filter.prefix = line + at.start;
	if (n < 3 && *filter.prefix == '\0' && strchr(line, '#') != NULL)
		return at; // a comment
	if (n == 0 && *filter.prefix == '[') {
		filter.before = "[";
		filter.after = "]";
		offer_world(lang, PG_COMPLETE_TARGETS, &filter);
		return at;
	}
	if (n == 0) {
		offer_first(lang, &section, known, &filter);
		return at;
	}
	at.row = row_of(lang, words, n, &section, known, &used, &target);
	if (at.row != NULL && n == used)
		offer_argument(lang, at.row, &filter);
	else if (at.row == NULL && n == 1 && target.kind != PG_TARGET_KINDS)
		offer_commands(lang, target.kind, &filter);
	return at;
}
