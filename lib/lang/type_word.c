/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

void
pg_words_list(const struct pg_word *words, char *out, size_t size)
{
	size_t used = 0;

	for (const struct pg_word *w = words; w->name != NULL && used < size; w++) {
		if (!w->second)
			used += snprintf(
				out + used, size - used, "%s%s", w == words ? "" : ", ", w->name);
	}
}

static const struct pg_word *
word_find(const struct pg_arg *arg, const char *token, const char *what, struct pg_error *err)
{
	struct lang_nearest nearest;

	for (const struct pg_word *w = arg->words; w->name != NULL; w++) {
		if (strcmp(w->name, token) == 0)
			return w;
	}
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "unknown %s '%s'", what, token);
	arg->type->expect(arg, err->expected, sizeof(err->expected));
	lang_nearest_init(&nearest, token);
	for (const struct pg_word *w = arg->words; w->name != NULL; w++)
		lang_nearest_offer(&nearest, w->name);
	lang_nearest_tell(&nearest, err);
	return NULL;
}

static void
word_expect(const struct pg_arg *arg, char *out, size_t size)
{
	size_t used = snprintf(out, size, "one of ");

	pg_words_list(arg->words, out + used, size - used);
}

static int
word_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	const struct pg_word *word = word_find(arg, token, arg->unit ? arg->unit : "word", err);

	if (word == NULL)
		return -EINVAL;
	value->u64 = word->value;
	return 0;
}

static int
word_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	char text[KERNEL_TEXT];
	struct pg_error err = {0};

	lang_scan_word(scan, text, sizeof(text));
	if (arg->type->parse(arg, text, value, &err) == 0)
		return 0;
	snprintf(value->text, sizeof(value->text), "%s", text);
	return -EINVAL;
}

static void
word_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	for (const struct pg_word *w = arg->words; w->name != NULL; w++) {
		if (!w->second && w->value == value->u64)
			snprintf(out, size, "%s", w->name);
	}
}

const struct pg_type pg_type_word = {
	.name = "word",
	.parse = word_parse,
	.scan = word_scan,
	.scanned = "31 characters; an unknown word is answered with the words there are, and the "
		   "write succeeds",
	.format = word_format,
	.expect = word_expect,
};

static void
flag_expect(const struct pg_arg *arg, char *out, size_t size)
{
	size_t used = snprintf(out, size, "a flag, with ! before it to clear it: ");

	pg_words_list(arg->words, out + used, size - used);
}

static int
flag_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	bool clear = token[0] == '!';
	const struct pg_word *word = word_find(arg, token + clear, "flag", err);

	if (word == NULL)
		return -EINVAL;
	if (word->clear_only && !clear) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%s' cannot be set by itself", token);
		return pg_error_expect(err, "!%s; %s", token, word->help);
	}
	value->flag.mask = word->value;
	value->flag.clear = clear != word->inverted;
	return 0;
}

static void
flag_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	for (const struct pg_word *w = arg->words; w->name != NULL; w++) {
		if (!w->second && !w->inverted && w->value == value->flag.mask)
			snprintf(out, size, "%s%s", value->flag.clear ? "!" : "", w->name);
	}
}

static void
flag_store(const struct pg_arg *arg, void *field, const union pg_value *value)
{
	uint64_t flags = 0;

	memcpy(&flags, field, arg->width);
	flags = value->flag.clear ? flags & ~value->flag.mask : flags | value->flag.mask;
	memcpy(field, &flags, arg->width);
}

const struct pg_type pg_type_flag = {
	.name = "flag",
	.parse = flag_parse,
	.scan = word_scan,
	.scanned = "31 characters; an unknown word is answered with the words there are, and the "
		   "write succeeds",
	.format = flag_format,
	.expect = flag_expect,
	.store = flag_store,
};
