/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

#define PARTS_MAX 65536

static const struct lang_suffix no_suffix[] = {{NULL, 0}};

static void
stream_expect(const struct pg_arg *arg, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size,
		"NAME PART/PARTS, a name of at most %d characters, PART from 0 to PARTS - 1, "
		"PARTS from 1 to %d",
		PG_STREAM_NAME_MAX - 1, PARTS_MAX);
}

static int
parse_part(const char *text, size_t length, uint64_t *value)
{
	char digits[8];

	if (length == 0 || length >= sizeof(digits))
		return -ERANGE;
	memcpy(digits, text, length);
	digits[length] = '\0';
	return lang_number(digits, no_suffix, value);
}

static int
stream_parse(
	const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	size_t name = strcspn(token, " \t");
	const char *part = token + name + strspn(token + name, " \t");
	const char *slash = strchr(part, '/');
	uint64_t k, n;

	(void)arg;
	if (name >= PG_STREAM_NAME_MAX)
		return pg_error_set(err, PG_FAULT_INPUT, E2BIG, "the name is too long");
	if (slash == NULL || parse_part(part, slash - part, &k) < 0 ||
		parse_part(slash + 1, strlen(slash + 1), &n) < 0)
		return pg_error_set(
			err, PG_FAULT_INPUT, EINVAL, "'%.60s' is not a part of a stream", token);
	if (n == 0 || n > PARTS_MAX || k >= n)
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "there is no part '%.20s'", part);
	value->stream = (struct pg_stream){.part = (uint32_t)k, .parts = (uint32_t)n};
	memcpy(value->stream.name, token, name);
	return 0;
}

static void
stream_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	const struct pg_stream *stream = &value->stream;

	(void)arg;
	out[0] = '\0';
	if (stream->parts != 0)
		snprintf(out, size, "%s %" PRIu32 "/%" PRIu32, stream->name, stream->part,
			stream->parts);
}

const struct pg_type pg_type_stream = {
	.name = "stream",
	.rest = true,
	.size = sizeof(struct pg_stream),
	.parse = stream_parse,
	.format = stream_format,
	.expect = stream_expect,
};
