/* SPDX-License-Identifier: BSD-3-Clause */
/* Tab and `?`: what may stand where the line ends. */
#include <stdlib.h>
#include <string.h>

#include <cmdline_rdline.h>

#include "prompt.h"

enum { STATE_HELP = -1, STATE_COMPLETE, STATE_LIST }; // the editor's *state

void
prompt_choices_free(struct prompt_choices *choices)
{
	for (size_t i = 0; i < choices->n; i++) {
		free(choices->text[i]);
		free(choices->line[i]);
	}
	free(choices->text);
	free(choices->line);
	*choices = (struct prompt_choices){.n = 0};
}

static void
add(struct prompt_choices *choices, const char *text, const char *line)
{
	size_t n = choices->n + 1;
	char **texts = realloc(choices->text, n * sizeof(char *));
	char **lines = realloc(choices->line, n * sizeof(char *));

	if (texts != NULL)
		choices->text = texts;
	if (lines != NULL)
		choices->line = lines;
	if (texts == NULL || lines == NULL)
		return;
	texts[n - 1] = strdup(text);
	lines[n - 1] = strdup(line);
	if (texts[n - 1] != NULL && lines[n - 1] != NULL) {
		choices->n = n;
		return;
	}
	free(texts[n - 1]);
	free(lines[n - 1]);
}

static void
offered(void *ctx, const char *text, const char *help)
{
	struct prompt_choices *choices = ctx;
	char line[PG_TEXT_MAX + 160];

	for (size_t i = choices->head; i < choices->n; i++) {
		if (strcmp(choices->text[i], text) == 0)
			return;
	}
	snprintf(line, sizeof(line), "%-20s %s", text, help != NULL ? help : "");
	add(choices, text, help != NULL ? line : text);
}

// The prompt's own word stands where a line starts.
static struct pg_completion
look(struct prompt *prompt, const char *line)
{
	struct prompt_choices *choices = &prompt->choices;
	struct pg_completion at;
	const char *word;

	pg_engine_lock(prompt->app->engine);
	at = pg_lang_complete(prompt->lang, line, offered, choices);
	pg_engine_unlock(prompt->app->engine);
	word = line + at.start;
	if (strspn(line, " \t") == at.start && strncmp("quit", word, strlen(word)) == 0)
		offered(choices, "quit", "end the program, as Ctrl-D does");
	return at;
}

static void
help_lines(struct prompt *prompt, const char *line)
{
	struct prompt_choices *choices = &prompt->choices, found = {.n = 0};
	char text[400] = "", whole[sizeof(prompt->line)];
	struct pg_completion at = look(prompt, line);

	found = *choices;
	*choices = (struct prompt_choices){.n = 0};
	if (at.row != NULL) {
		snprintf(whole, sizeof(whole), "%s: %s", at.row->name, at.row->help);
		add(choices, "", whole);
		if (at.row->arg.type != NULL)
			at.row->arg.type->expect(&at.row->arg, text, sizeof(text));
		snprintf(whole, sizeof(whole), "expected: %s",
			text[0] != '\0' ? text : "the end of the line");
		// What it lists is listed below, with help.
		if (at.row->arg.words == NULL)
			add(choices, "", whole);
	} else if (found.n == 0)
		add(choices, "", "nothing is known to stand here");
	choices->head = choices->n;
	for (size_t i = 0; i < found.n; i++)
		add(choices, found.text[i], found.line[i]);
	prompt_choices_free(&found);
}

static size_t
common_prefix(const struct prompt_choices *choices)
{
	size_t length = strlen(choices->text[0]);

	for (size_t i = 1; i < choices->n; i++) {
		size_t same = 0;

		while (same < length && choices->text[i][same] == choices->text[0][same])
			same++;
		length = same;
	}
	return length;
}

// What can be added to the line for sure. Nothing: the choices have to be listed.
static void
addition(const struct prompt_choices *choices, size_t typed, char *out, size_t size)
{
	size_t length = common_prefix(choices);
	const char *first = choices->text[0];
	bool done = choices->n == 1 && (length == 0 || strchr("/]", first[length - 1]) == NULL);

	snprintf(out, size, "%.*s%s", (int)(length - typed), first + typed, done ? " " : "");
}

int
prompt_complete(struct rdline *rdl, const char *line, char *out, unsigned int size, int *state)
{
	struct prompt *prompt = rdline_get_opaque(rdl);
	struct prompt_choices *choices = &prompt->choices;
	struct pg_completion at;

	if (*state <= STATE_COMPLETE)
		prompt_choices_free(choices);
	if (*state == STATE_COMPLETE) {
		at = look(prompt, line);
		if (choices->n == 0)
			return 0;
		addition(choices, strlen(line + at.start), out, size);
		if (out[0] != '\0')
			return RDLINE_RES_COMPLETE;
		*state = STATE_LIST;
	} else if (*state == STATE_HELP) {
		help_lines(prompt, line);
		*state = STATE_LIST;
	}
	if ((size_t)(*state - STATE_LIST) >= choices->n)
		return 0;
	snprintf(out, size, "%s", choices->line[*state - STATE_LIST]);
	(*state)++;
	return 1;
}
