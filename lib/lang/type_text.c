/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

static void
text_expect(const struct pg_arg *arg, char *out, size_t size)
{
	snprintf(out, size, "%s of at most %u characters", arg->unit ? arg->unit : "a text",
		(unsigned int)(arg->max != 0 ? arg->max : PG_TEXT_MAX - 1));
}

static int
text_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	size_t length = strlen(token);

	if (length >= sizeof(value->text) || (arg->max != 0 && length > arg->max))
		return pg_error_set(err, PG_FAULT_INPUT, E2BIG, "'%.40s%s' is too long", token,
			length > 40 ? "..." : "");
	memcpy(value->text, token, length + 1);
	return 0;
}

static void
text_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size, "%s", value->text);
}

static int
text_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	(void)arg;
	lang_scan_word(scan, value->text, KERNEL_TEXT);
	return 0;
}

// Texts are arguments of actions only: they live nowhere.
const struct pg_type pg_type_text = {
	.name = "text",
	.parse = text_parse,
	.scan = text_scan,
	.format = text_format,
	.expect = text_expect,
};

const struct pg_type pg_type_line = {
	.name = "line",
	.rest = true,
	.parse = text_parse,
	.format = text_format,
	.expect = text_expect,
};
