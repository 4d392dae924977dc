/* SPDX-License-Identifier: BSD-3-Clause */
/* How many are looked at: none, one of so many, or all. As a number: 0, N or 1. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

#define ONE_OF "sampled"

static const struct lang_suffix no_suffix[] = {{NULL, 0}};

static void
sample_expect(const struct pg_arg *arg, char *out, size_t size)
{
	snprintf(out, size, "off, sampled N with N from %" PRIu64 " to %" PRIu64 ", or full",
		arg->min, arg->max);
}

static int
sample_parse(
	const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	size_t word = strcspn(token, " \t");
	const char *number = token + word + strspn(token + word, " \t");
	uint64_t n;

	value->u64 = strcmp(token, "full") == 0;
	if (value->u64 == 1 || strcmp(token, "off") == 0)
		return 0;
	if (word != strlen(ONE_OF) || strncmp(token, ONE_OF, word) != 0 ||
		lang_number(number, no_suffix, &n) < 0)
		return pg_error_set(
			err, PG_FAULT_INPUT, EINVAL, "'%.60s' does not say how many", token);
	if (n < arg->min || n > arg->max)
		return pg_error_set(
			err, PG_FAULT_INPUT, ERANGE, "one of '%.20s' is out of range", number);
	value->u64 = n;
	return 0;
}

static void
sample_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	(void)arg;
	if (value->u64 > 1)
		snprintf(out, size, ONE_OF " %" PRIu64, value->u64);
	else
		snprintf(out, size, "%s", value->u64 == 1 ? "full" : "off");
}

const struct pg_type pg_type_sample = {
	.name = "sample",
	.rest = true,
	.parse = sample_parse,
	.format = sample_format,
	.expect = sample_expect,
};
