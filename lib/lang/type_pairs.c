/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

static const struct lang_suffix no_suffix[] = {{NULL, 0}};

static void
pairs_expect(const struct pg_arg *arg, char *out, size_t size)
{
	snprintf(out, size,
		"1 to %d pairs SIZE,WEIGHT with blanks between, sizes from %" PRIu64 " to %" PRIu64
		", weights from 1 to %" PRIu64,
		PG_PAIRS_MAX, arg->min, arg->max, PG_PAIR_WEIGHT_MAX);
}

// One pair; *text moves behind it.
static int
parse_pair(
	const struct pg_arg *arg, const char **text, struct pg_pairs *pairs, struct pg_error *err)
{
	size_t length = strcspn(*text, " \t");
	char pair[48], *comma;
	uint64_t size, weight;

	if (length >= sizeof(pair))
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%.20s...' is not a pair", *text);
	snprintf(pair, sizeof(pair), "%.*s", (int)length, *text);
	*text += length;
	comma = strchr(pair, ',');
	if (comma == NULL)
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%s' has no weight", pair);
	*comma = '\0';
	if (lang_number(pair, no_suffix, &size) < 0 || size < arg->min || size > arg->max)
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "'%s' is no size", pair);
	if (lang_number(comma + 1, no_suffix, &weight) < 0 || weight == 0 ||
		weight > PG_PAIR_WEIGHT_MAX)
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "'%s' is no weight", comma + 1);
	if (pairs->count == PG_PAIRS_MAX)
		return pg_error_set(err, PG_FAULT_INPUT, E2BIG, "more than %d pairs", PG_PAIRS_MAX);
	pairs->pair[pairs->count].size = (uint32_t)size;
	pairs->pair[pairs->count++].weight = weight;
	return 0;
}

static int
pairs_parse(
	const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	value->pairs.count = 0;
	while (*token != '\0') {
		if (parse_pair(arg, &token, &value->pairs, err) < 0)
			return -err->code;
		token += strspn(token, " \t");
	}
	return 0;
}

// One pair; *more says whether another must follow.
static int
scan_pair(const struct pg_arg *arg, struct pg_scan *scan, struct pg_pairs *pairs, bool *more)
{
	uint64_t size, weight;

	if (pairs->count == PG_PAIRS_MAX)
		return -E2BIG;
	lang_scan_number(scan, KERNEL_DIGITS, &size);
	if (scan->at == scan->end || *scan->at++ != ',')
		return -EINVAL;
	lang_scan_number(scan, KERNEL_DIGITS, &weight);
	if (weight == 0)
		return -EINVAL;
	pairs->pair[pairs->count].size = (uint32_t)(size < arg->min ? arg->min : size);
	pairs->pair[pairs->count++].weight = weight;
	*more = scan->at < scan->end && *scan->at++ == ' ';
	return 0;
}

// On an error the pairs before it stay (reference 7.5).
static int
pairs_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	bool more = true;
	int rc = 0;

	memset(&value->pairs, 0, sizeof(value->pairs));
	while (rc == 0 && more)
		rc = scan_pair(arg, scan, &value->pairs, &more);
	return rc;
}

static void
pairs_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	size_t used = 0;

	(void)arg;
	out[0] = '\0';
	for (uint32_t i = 0; i < value->pairs.count && used < size; i++)
		used += snprintf(out + used, size - used, "%s%u,%" PRIu64, i > 0 ? " " : "",
			value->pairs.pair[i].size, value->pairs.pair[i].weight);
}

const struct pg_type pg_type_pairs = {
	.name = "pairs",
	.rest = true,
	.size = sizeof(struct pg_pairs),
	.parse = pairs_parse,
	.scan = pairs_scan,
	.scanned = "one blank between pairs, sizes below the smallest are raised; an error leaves "
		   "the pairs before it",
	.format = pairs_format,
	.expect = pairs_expect,
};
