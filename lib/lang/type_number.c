/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

static void
number_expect(const struct pg_arg *arg, char *out, size_t size)
{
	snprintf(out, size, "a number%s%s from %" PRIu64 " to %" PRIu64, arg->unit ? " of " : "",
		arg->unit ? arg->unit : "", arg->min, arg->max);
}

static int
number_parse(
	const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	uint64_t n = 0;
	bool wrapped = false;

	for (const char *c = token; *c != '\0'; c++) {
		if (*c < '0' || *c > '9')
			return pg_error_set(
				err, PG_FAULT_INPUT, EINVAL, "'%s' is not a number", token);
		wrapped |= __builtin_mul_overflow(n, 10, &n);
		wrapped |= __builtin_add_overflow(n, (uint64_t)(*c - '0'), &n);
	}
	if (wrapped || n < arg->min || n > arg->max)
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "%s is out of range", token);
	value->u64 = n;
	return 0;
}

static void
number_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size, "%" PRIu64, value->u64);
}

const struct pg_type pg_type_number = {
	.name = "number",
	.parse = number_parse,
	.format = number_format,
	.expect = number_expect,
};
