/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "lang_priv.h"

/** What may follow the digits, and what it multiplies by. */
static const struct lang_suffix suffixes[][6] = {
	[PG_SUFFIX_NONE] = {{NULL, 0}},
	[PG_SUFFIX_METRIC] = {{"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {NULL, 0}},
	[PG_SUFFIX_TIME] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}},
};

// Digits, and a fraction if `scale` is there to make a whole number of it.
static int
whole_number(const char *text, size_t length, uint64_t scale, uint64_t *value)
{
	unsigned __int128 n = 0, unit = scale;
	bool fraction = false, digits = false, whole = true;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && !fraction && digits && scale > 1) {
			fraction = true;
			digits = false;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		digits = true;
		if (!fraction) {
			n = n * 10 + (unsigned int)(text[i] - '0') * (unsigned __int128)scale;
		} else {
			if (unit % 10 != 0 && text[i] != '0')
				whole = false;
			if (unit % 10 != 0)
				continue;
			unit /= 10;
			n += (unsigned int)(text[i] - '0') * unit;
		}
		if (n > UINT64_MAX)
			return -ERANGE;
	}
	*value = (uint64_t)n;
	return !digits ? -EINVAL : whole ? 0 : -EDOM;
}

int
lang_number(const char *text, const struct lang_suffix *suffix, uint64_t *value)
{
	size_t length = strlen(text);

	for (; suffix->name != NULL; suffix++) {
		size_t more = strlen(suffix->name);

		// "ms" also ends in "s": what stands before the suffix must be a number.
		if (length > more && strcmp(text + length - more, suffix->name) == 0 &&
			text[length - more - 1] >= '0' && text[length - more - 1] <= '9')
			return whole_number(text, length - more, suffix->scale, value);
	}
	return whole_number(text, length, 1, value);
}

static void
number_expect(const struct pg_arg *arg, char *out, size_t size)
{
	static const char *const more[] = {
		[PG_SUFFIX_NONE] = "",
		[PG_SUFFIX_METRIC] = " (k, M and G may follow)",
		[PG_SUFFIX_TIME] = " (ns, us, ms and s may follow)",
	};

	snprintf(out, size, "a number%s%s from %" PRIu64 " to %" PRIu64 "%s",
		arg->unit ? " of " : "", arg->unit ? arg->unit : "", arg->min, arg->max,
		more[arg->suffix]);
}

static int
number_parse(
	const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	uint64_t n = 0;
	int rc = lang_number(token, suffixes[arg->suffix], &n);

	if (rc == -EINVAL)
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%s' is not a number", token);
	if (rc == -EDOM)
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "%s is not whole", token);
	if (rc < 0 || n < arg->min || n > arg->max)
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "%s is out of range", token);
	value->u64 = n;
	return 0;
}

// No digits at all are 0; values are cut to the field that they are for.
static int
number_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	uint64_t n;

	lang_scan_number(scan, arg->digits != 0 ? arg->digits : KERNEL_DIGITS, &n);
	if (n < arg->least)
		n = arg->least;
	else if (arg->most != 0 && n > arg->most)
		n = arg->most;
	else if (arg->least == 0 && n < arg->min)
		return -EINVAL;
	value->u64 = arg->width < 8 ? n & ((UINT64_C(1) << 8 * arg->width) - 1) : n;
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
	.scan = number_scan,
	.format = number_format,
	.expect = number_expect,
};
