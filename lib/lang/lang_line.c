/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "lang_priv.h"

// pktgen's separators, all equal (reference 1.1).
static const char separators[] = " \t\n\r\"=";

static bool
is_separator(char c)
{
	return c != '\0' && strchr(separators, c) != NULL;
}

// The first character of the next token; NULL at the line's end or a comment.
static const char *
token_start(const char *cursor)
{
	while (is_separator(*cursor))
		cursor++;
	return *cursor == '\0' || *cursor == '#' ? NULL : cursor;
}

static int
take(const char *line, const char **cursor, const char *start, const char *end, char *out,
	size_t size, unsigned int *column)
{
	size_t length = end - start;

	*cursor = end;
	*column = start - line + 1;
	if (length >= size)
		return -E2BIG;
	memcpy(out, start, length);
	out[length] = '\0';
	return 1;
}

int
lang_token(const char *line, const char **cursor, char *out, size_t size, unsigned int *column)
{
	const char *start = token_start(*cursor);
	const char *end = start;

	if (start == NULL) {
		*column = strlen(line) + 1;
		return 0;
	}
	while (*end != '\0' && !is_separator(*end))
		end++;
	return take(line, cursor, start, end, out, size, column);
}

int
lang_rest(const char *line, const char **cursor, char *out, size_t size, unsigned int *column)
{
	const char *start = token_start(*cursor);
	const char *end;

	if (start == NULL) {
		*column = strlen(line) + 1;
		return 0;
	}
	// A comment needs a blank before it: device arguments may hold a '#'.
	for (end = start; *end != '\0'; end++) {
		if (*end == '#' && (end[-1] == ' ' || end[-1] == '\t'))
			break;
	}
	// An equals sign at the end belongs to device arguments.
	while (end > start && end[-1] != '=' && is_separator(end[-1]))
		end--;
	return take(line, cursor, start, end, out, size, column);
}
