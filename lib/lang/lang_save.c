/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines that make one settings object of another. Which rows move which fields, and what they
 * refuse, is known to them alone; so each line is tried on a copy, and the one is kept that leaves
 * the least to be said. */
#include <string.h>

#include "lang_priv.h"

#define ROUNDS    4 /**< what one row sets, another may have to set again */
#define DEPTH     2 /**< rows that may stand before one that asks for them */
#define STEPS_MAX (DEPTH + 2)

struct save {
	const struct pg_command_list *const *lists;
	size_t count;
	enum pg_target_kind kind;
	const char *want;
	size_t size;
	FILE *out;
};

/** What a line sets: the field of a row, or one flag of it. */
struct goal {
	const struct pg_command *row;
	const struct pg_word *word; /**< NULL: the whole field */
};

struct steps {
	size_t n;
	struct {
		const struct pg_command *row;
		char text[PG_TEXT_MAX];
	} step[STEPS_MAX];
};

static const struct pg_command *
row_at(const struct save *save, size_t i)
{
	return lang_table_row(save->lists, save->count, i);
}

static bool
is_saved(const struct save *save, const struct pg_command *row)
{
	return row->target == save->kind && lang_is_setting(row);
}

// Flags are set and cleared one by one.
static bool
is_flags(const struct pg_command *row)
{
	return row->arg.type == &pg_type_flag;
}

static void
field_text(const struct pg_command *row, const char *settings, char *out, size_t size)
{
	union pg_value value;

	pg_arg_load(&row->arg, settings + row->offset, &value);
	out[0] = '\0';
	row->arg.type->format(&row->arg, &value, out, size);
}

static void
goal_text(const struct goal *goal, const char *want, char *out, size_t size)
{
	uint64_t flags = 0;

	if (goal->word == NULL) {
		field_text(goal->row, want, out, size);
		return;
	}
	memcpy(&flags, want + goal->row->offset, goal->row->arg.width);
	snprintf(out, size, "%s%s", flags & goal->word->value ? "" : "!", goal->word->name);
}

// Lists may keep rests of longer ones behind their end.
static bool
is_met(const struct save *save, const struct goal *goal, const char *have)
{
	const struct pg_command *row = goal->row;
	const char *a = have + row->offset, *b = save->want + row->offset;
	char x[PG_TEXT_MAX], y[PG_TEXT_MAX];
	uint64_t differ = 0;

	if (goal->word != NULL) {
		for (size_t i = 0; i < row->arg.width; i++)
			differ |= (uint64_t)(uint8_t)(a[i] ^ b[i]) << 8 * i;
		return (differ & goal->word->value) == 0;
	}
	if (memcmp(a, b, row->arg.type->size ? row->arg.type->size : row->arg.width) == 0)
		return true;
	if (row->arg.type != &pg_type_hex_list && row->arg.type != &pg_type_pairs)
		return false;
	field_text(row, have, x, sizeof(x));
	field_text(row, save->want, y, sizeof(y));
	return strcmp(x, y) == 0;
}

// Would this line be taken? Then have is as it leaves it.
static bool
say(const struct save *save, const struct pg_command *row, const char *text, char *have)
{
	struct pg_error err = {0};
	union pg_value value;

	memset(&value, 0, sizeof(value));
	if (text[0] == '\0' || row->arg.type->parse(&row->arg, text, &value, &err) < 0)
		return false;
	return lang_table_set(save->lists, save->count, row, &value, have, &err) == 0;
}

static size_t
differences(const struct save *save, const char *have)
{
	size_t n = 0;

	for (size_t i = 0; i < save->size; i++)
		n += have[i] != save->want[i];
	return n;
}

static void
add_step(struct steps *steps, const struct pg_command *row, const char *text)
{
	steps->step[steps->n].row = row;
	snprintf(steps->step[steps->n++].text, PG_TEXT_MAX, "%s", text);
}

// One line, of the goal's row or of another, that reaches the goal; of several the best. Of those
// rows alone whose own field is as wanted already, or is not.
static bool
reach_by(
	const struct save *save, const struct goal *goal, bool met, char *have, struct steps *steps)
{
	_Alignas(16) char copy[PG_SETTINGS_MAX], best[PG_SETTINGS_MAX];
	size_t least = SIZE_MAX;
	const struct pg_command *row;
	char text[PG_TEXT_MAX];

	for (size_t i = 0; (row = row_at(save, i)) != NULL; i++) {
		struct goal other = {row, row == goal->row ? goal->word : NULL};

		if (!is_saved(save, row) || (is_flags(row) && other.word == NULL) ||
			is_met(save, &other, have) != met)
			continue;
		memcpy(copy, have, save->size);
		goal_text(&other, save->want, text, sizeof(text));
		if (!say(save, row, text, copy) || !is_met(save, goal, copy) ||
			differences(save, copy) >= least)
			continue;
		steps->n -= least != SIZE_MAX;
		add_step(steps, row, text);
		least = differences(save, copy);
		memcpy(best, copy, save->size);
	}
	if (least == SIZE_MAX)
		return false;
	memcpy(have, best, save->size);
	return true;
}

// Rows whose own field is as wanted are asked only if no other will do.
static bool
reach_at_once(const struct save *save, const struct goal *goal, char *have, struct steps *steps)
{
	return reach_by(save, goal, false, have, steps) || reach_by(save, goal, true, have, steps);
}

// A row may ask for another one first (a tag, for its priority): then that one's example will do,
// and the rounds to come put it right.
static bool
reach(const struct save *save, const struct goal *goal, char *have, unsigned int depth,
	struct steps *steps)
{
	_Alignas(16) char copy[PG_SETTINGS_MAX];
	const struct pg_command *row;

	if (reach_at_once(save, goal, have, steps))
		return true;
	for (size_t i = 0; depth > 0 && (row = row_at(save, i)) != NULL; i++) {
		const char *text = row->example + strcspn(row->example, " ");
		size_t n = steps->n;

		if (!is_saved(save, row) || row == goal->row)
			continue;
		memcpy(copy, have, save->size);
		text += strspn(text, " ");
		if (!say(save, row, text, copy))
			continue;
		add_step(steps, row, text);
		if (reach(save, goal, copy, depth - 1, steps)) {
			memcpy(have, copy, save->size);
			return true;
		}
		steps->n = n;
	}
	return false;
}

static void
pursue(const struct save *save, const struct goal *goal, char *have)
{
	struct steps steps;
	bool reached = false;

	if (is_met(save, goal, have))
		return;
	steps.n = 0; // the texts are long
	for (unsigned int depth = 0; !reached && depth <= DEPTH; depth++)
		reached = reach(save, goal, have, depth, &steps);
	for (size_t i = 0; i < steps.n; i++)
		fprintf(save->out, "%s %s\n", steps.step[i].row->name, steps.step[i].text);
}

typedef void (*goal_fn)(const struct save *save, const struct goal *goal, char *have);

static void
each_goal(const struct save *save, goal_fn fn, char *have)
{
	const struct pg_command *row;

	for (size_t i = 0; (row = row_at(save, i)) != NULL; i++) {
		const struct pg_word *w = row->arg.words;

		if (!is_saved(save, row))
			continue;
		if (!is_flags(row))
			fn(save, &(struct goal){row, NULL}, have);
		for (; is_flags(row) && w->name != NULL; w++) {
			if (!w->second && !w->inverted)
				fn(save, &(struct goal){row, w}, have);
		}
	}
}

// Rows whose meaning depends on what was set before them come first, after what they ask for.
static void
lead(const struct save *save, const struct goal *goal, char *have)
{
	char line[PG_TEXT_MAX];
	const struct pg_command *row;

	if (goal->row->lead == NULL || is_met(save, goal, have))
		return;
	if (goal->row->lead(save->want, line, sizeof(line))) {
		size_t length = strcspn(line, " ");

		for (size_t i = 0; (row = row_at(save, i)) != NULL; i++) {
			if (is_saved(save, row) && strlen(row->name) == length &&
				strncmp(row->name, line, length) == 0 &&
				say(save, row, line + length + 1, have))
				fprintf(save->out, "%s\n", line);
		}
	}
	pursue(save, goal, have);
}

// What only a control file takes, such as an address that is none.
static void
complain(const struct save *save, const struct goal *goal, char *have)
{
	char text[PG_TEXT_MAX];
	_Alignas(16) char copy[PG_SETTINGS_MAX];

	memcpy(copy, have, save->size);
	goal_text(goal, save->want, text, sizeof(text));
	if (!is_met(save, goal, have) && !say(save, goal->row, text, copy))
		fprintf(save->out, "# only a control file takes: %s %s\n", goal->row->name, text);
}

void
pg_lang_save(const struct pg_command_list *const *lists, size_t count, enum pg_target_kind kind,
	const void *from, const void *settings, size_t size, FILE *out)
{
	const struct save save = {lists, count, kind, settings, size, out};
	_Alignas(16) char have[PG_SETTINGS_MAX];

	memcpy(have, from, size);
	each_goal(&save, lead, have);
	for (unsigned int round = 0; round < ROUNDS; round++)
		each_goal(&save, pursue, have);
	each_goal(&save, complain, have);
}
