/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang_priv.h"

#define WORD_DIGITS 8

static bool
all_hex(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return false;
	}
	return length > 0;
}

static void
hex_expect(const struct pg_arg *arg, char *out, size_t size)
{
	snprintf(out, size, "%d hexadecimal digits", 2 * arg->width);
}

// Exactly as many digits as the field has.
static int
hex_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	size_t length = strlen(token);

	if (length != 2u * arg->width || !all_hex(token, length))
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"'%.40s' is not a hexadecimal number of %d digits", token, 2 * arg->width);
	value->u64 = strtoull(token, NULL, 16);
	return 0;
}

// Hexadecimal digits, at most `most`. Returns how many there were.
static size_t
scan_hex(struct pg_scan *scan, size_t most, uint32_t *value)
{
	size_t n = 0;

	*value = 0;
	for (; n < most && scan->at < scan->end && isxdigit((unsigned char)*scan->at); n++) {
		char digit[2] = {*scan->at++, '\0'};

		*value = *value << 4 | (uint32_t)strtoul(digit, NULL, 16);
	}
	return n;
}

static int
hex_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	uint32_t n;

	if (scan_hex(scan, 2u * arg->width, &n) != 2u * arg->width)
		return -EINVAL;
	value->u64 = n;
	return 0;
}

static void
hex_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	snprintf(out, size, "%0*" PRIx64, 2 * arg->width, value->u64);
}

const struct pg_type pg_type_hex = {
	.name = "hex",
	.parse = hex_parse,
	.scan = hex_scan,
	.scanned = "exactly two digits; what follows them is ignored",
	.format = hex_format,
	.expect = hex_expect,
};

static void
list_expect(const struct pg_arg *arg, char *out, size_t size)
{
	snprintf(out, size,
		"1 to %" PRIu64 " words of at most %d hexadecimal digits with commas between, or 0",
		arg->max, WORD_DIGITS);
}

// A list of one zero is the empty list; a zero in a longer list is a mistake.
static int
list_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	const char *word = token;

	value->list.count = 0;
	if (strcmp(token, "0") == 0)
		return 0;
	for (;;) {
		size_t length = strcspn(word, ",");

		if (length > WORD_DIGITS || !all_hex(word, length))
			return pg_error_set(err, PG_FAULT_INPUT, EINVAL,
				"'%.*s' is not a word of 1 to %d hexadecimal digits",
				(int)(length < 40 ? length : 40), word, WORD_DIGITS);
		if (value->list.count == arg->max)
			return pg_error_set(err, PG_FAULT_INPUT, E2BIG,
				"more than %" PRIu64 " words", arg->max);
		value->list.word[value->list.count] = (uint32_t)strtoul(word, NULL, 16);
		if (value->list.word[value->list.count++] == 0)
			return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "a word is zero");
		if (word[length] == '\0')
			return 0;
		word += length + 1;
	}
}

// A zero or empty word ends the list and empties it: then count is 0, and the words before it can
// still be seen. On an error too, count says how many there were (reference 4.3).
static int
list_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	struct pg_hex_list *list = &value->list;
	uint32_t n = 0;

	memset(list, 0, sizeof(*list));
	do {
		if (n == arg->max)
			return -E2BIG;
		if (scan->at == scan->end)
			return -EINVAL;
		if (scan_hex(scan, WORD_DIGITS, &list->word[n]) == 0 || list->word[n] == 0)
			return 0;
		n++;
	} while (scan->at < scan->end && *scan->at++ == ',');
	list->count = n;
	return 0;
}

static void
list_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	size_t used = 0;

	(void)arg;
	snprintf(out, size, "%s", value->list.count == 0 ? "0" : "");
	for (uint32_t i = 0; i < value->list.count && used < size; i++)
		used += snprintf(
			out + used, size - used, "%s%08x", i > 0 ? "," : "", value->list.word[i]);
}

const struct pg_type pg_type_hex_list = {
	.name = "hex list",
	.size = sizeof(struct pg_hex_list),
	.parse = list_parse,
	.scan = list_scan,
	.scanned = "up to eight digits a word; a word without digits, or zero, empties the list, "
		   "as does an error",
	.format = list_format,
	.expect = list_expect,
};
