/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that are settings. Each is kept once for the life of the process, so that settings hold a
 * pointer, are copied as they are, and are the same text exactly if they are the same pointer. */
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang_priv.h"

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

// Lines are parsed on any thread.
static const char *
keep(const char *text)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static void *texts;
	const char *kept = NULL;
	char *const *found;

	pthread_mutex_lock(&lock);
	found = tfind(text, &texts, compare);
	if (found != NULL) {
		kept = *found;
	} else {
		char *copy = strdup(text);

		if (copy != NULL && tsearch(copy, &texts, compare) != NULL)
			kept = copy;
		else
			free(copy);
	}
	pthread_mutex_unlock(&lock);
	return kept;
}

static void
string_expect(const struct pg_arg *arg, char *out, size_t size)
{
	size_t used;

	if (arg->words == NULL) {
		snprintf(out, size, "%s", arg->unit);
		return;
	}
	used = snprintf(out, size, "%s of ", arg->unit);
	pg_words_list(arg->words, out + used, size - used);
}

// Which word was meant by the one that was refused?
static void
tell_nearest(const struct pg_arg *arg, const char *token, struct pg_error *err)
{
	const char ends[] = {arg->separator, '\0'};
	struct lang_nearest nearest;
	char word[48];

	if (arg->words == NULL || err->column >= strlen(token))
		return;
	token += err->column;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(token, ends), token);
	lang_nearest_init(&nearest, word);
	for (const struct pg_word *w = arg->words; w->name != NULL; w++) {
		if (strcmp(w->name, word) == 0)
			return; // known, but in the wrong place
		lang_nearest_offer(&nearest, w->name);
	}
	lang_nearest_tell(&nearest, err);
}

static int
string_parse(
	const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	if (arg->valid != NULL && arg->valid(token, err) < 0) {
		tell_nearest(arg, token, err);
		return -err->code;
	}
	value->string = keep(token);
	return value->string != NULL ? 0 : pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
}

static void
string_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size, "%s", value->string != NULL ? value->string : "");
}

const struct pg_type pg_type_string = {
	.name = "string",
	.size = sizeof(const char *),
	.parse = string_parse,
	.format = string_format,
	.expect = string_expect,
};

const struct pg_type pg_type_string_line = {
	.name = "string",
	.rest = true,
	.size = sizeof(const char *),
	.parse = string_parse,
	.format = string_format,
	.expect = string_expect,
};
