/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lang_priv.h"

static const struct lang_suffix times[] = {
	{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
static const struct lang_suffix seconds[] = {{"s", 1000000000}, {NULL, 0}};

static void
moment_expect(const struct pg_arg *arg, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size,
		"+TIME (ns, us, ms and s may follow), seconds since 1970, or "
		"YYYY-MM-DDTHH:MM:SSZ; both may have a fraction");
}

// SECONDS[.FRACTION] since 1970.
static int
parse_seconds(const char *text, uint64_t *ns)
{
	char with_unit[40];

	if ((size_t)snprintf(with_unit, sizeof(with_unit), "%ss", text) >= sizeof(with_unit))
		return -EINVAL;
	return lang_number(with_unit, seconds, ns);
}

// YYYY-MM-DDTHH:MM:SS[.FRACTION]Z: universal time.
static int
parse_date(const char *text, uint64_t *ns)
{
	struct tm tm = {0};
	char fraction[40] = "0";
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	size_t length = rest != NULL ? strlen(rest) : 0;
	uint64_t part = 0;
	time_t at;
	int rc = 0;

	if (length == 0 || rest[length - 1] != 'Z' || length >= sizeof(fraction) - 1)
		return -EINVAL;
	if (length > 1) {
		snprintf(fraction, sizeof(fraction), "0%.*s", (int)length - 1, rest);
		rc = rest[0] == '.' ? parse_seconds(fraction, &part) : -EINVAL;
	}
	at = timegm(&tm);
	if (rc < 0 || at < 0)
		return rc < 0 ? rc : -ERANGE;
	*ns = (uint64_t)at * PG_NS_PER_S + part;
	return 0;
}

static int
moment_parse(
	const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	struct pg_moment *moment = &value->moment;
	int rc;

	(void)arg;
	moment->relative = token[0] == '+';
	if (moment->relative)
		rc = lang_number(token + 1, times, &moment->ns);
	else
		rc = strchr(token, '-') != NULL ? parse_date(token, &moment->ns)
						: parse_seconds(token, &moment->ns);
	if (rc == -ERANGE || (rc == 0 && moment->ns > PG_MOMENT_MAX))
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "%.60s is out of range", token);
	if (rc < 0)
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%.60s' is not a time", token);
	return 0;
}

static void
moment_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	const struct pg_moment *moment = &value->moment;

	(void)arg;
	if (moment->relative)
		snprintf(out, size, "+%" PRIu64, moment->ns);
	else
		snprintf(out, size, "%" PRIu64 ".%09" PRIu64, moment->ns / PG_NS_PER_S,
			moment->ns % PG_NS_PER_S);
}

const struct pg_type pg_type_moment = {
	.name = "moment",
	.size = sizeof(struct pg_moment),
	.parse = moment_parse,
	.format = moment_format,
	.expect = moment_expect,
};
