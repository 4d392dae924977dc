/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "lang_priv.h"

// pktgen's separators, all equal (reference 1.1).
static const char separators[] = " \t\n\r\"=";

bool
lang_is_separator(char c)
{
	return c != '\0' && strchr(separators, c) != NULL;
}

// The first character of the next token; NULL at the line's end or a comment.
static const char *
token_start(const char *cursor)
{
	while (lang_is_separator(*cursor))
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
	while (*end != '\0' && !lang_is_separator(*end))
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
	while (end > start && end[-1] != '=' && lang_is_separator(end[-1]))
		end--;
	return take(line, cursor, start, end, out, size, column);
}

void
lang_scan_blanks(struct pg_scan *scan)
{
	while (scan->at < scan->end && lang_is_separator(*scan->at))
		scan->at++;
}

void
lang_scan_word(struct pg_scan *scan, char *out, size_t size)
{
	size_t kept = 0;

	lang_scan_blanks(scan);
	while (kept < size - 1 && scan->at < scan->end && !lang_is_separator(*scan->at))
		out[kept++] = *scan->at++;
	out[kept] = '\0';
}

void
lang_scan_number(struct pg_scan *scan, unsigned int digits, uint64_t *value)
{
	const char *start = scan->at;

	*value = 0;
	while (scan->at < scan->end && (size_t)(scan->at - start) < digits && *scan->at >= '0' &&
		*scan->at <= '9')
		*value = *value * 10 + (unsigned int)(*scan->at++ - '0');
}
