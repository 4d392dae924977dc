/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

static const struct lang_suffix percent[] = {{"%", PG_PERCENT}, {NULL, 0}};

static void
share_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	uint64_t rest = value->u64 % PG_PERCENT;
	unsigned int digits = 6;

	(void)arg;
	for (; digits > 0 && rest % 10 == 0; rest /= 10)
		digits--;
	if (digits == 0)
		snprintf(out, size, "%" PRIu64 "%%", value->u64 / PG_PERCENT);
	else
		snprintf(out, size, "%" PRIu64 ".%0*" PRIu64 "%%", value->u64 / PG_PERCENT,
			(int)digits, rest);
}

static void
share_expect(const struct pg_arg *arg, char *out, size_t size)
{
	const union pg_value most = {.u64 = arg->max};
	char text[32];

	share_format(arg, &most, text, sizeof(text));
	snprintf(out, size, "a share from 0%% to %s", text);
}

static int
share_parse(
	const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	uint64_t n = 0;
	int rc = strchr(token, '%') != NULL ? lang_number(token, percent, &n) : -EINVAL;

	if (rc == -EINVAL)
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%.60s' is not a share", token);
	if (rc == -EDOM)
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "%.60s is too exact", token);
	if (rc < 0 || n > arg->max)
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "%.60s is out of range", token);
	value->u64 = n;
	return 0;
}

const struct pg_type pg_type_share = {
	.name = "share",
	.size = sizeof(uint64_t),
	.parse = share_parse,
	.format = share_format,
	.expect = share_expect,
};
