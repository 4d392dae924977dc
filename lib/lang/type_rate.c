/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

static const struct lang_suffix bits[] = {
	{"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {"T", 1000000000000}, {NULL, 0}};
static const struct lang_suffix percent[] = {{"%", PG_RATE_PERCENT_UNIT}, {NULL, 0}};

static void
rate_expect(const struct pg_arg *arg, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size,
		"Mbit/s without FCS as a bare number, bit/s with FCS with k, M, G or T, with "
		"preamble "
		"and gap too with L1 behind it, or a share of the port's speed with %%");
}

// N, N{k,M,G,T}, N{k,M,G,T}L1, N%.
static int
rate_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	size_t length = strlen(token);
	char text[40];
	int rc;

	(void)arg;
	value->rate.kind = PG_RATE_L2;
	if (length > 2 && length < sizeof(text) && strcmp(token + length - 2, "L1") == 0) {
		value->rate.kind = PG_RATE_L1;
		length -= 2;
	}
	snprintf(text, sizeof(text), "%.*s", (int)length, token);
	if (strchr(text, '%') != NULL) {
		rc = value->rate.kind == PG_RATE_L1
			     ? -EINVAL
			     : lang_number(text, percent, &value->rate.value);
		value->rate.kind = PG_RATE_PERCENT;
	} else {
		rc = lang_number(text, bits, &value->rate.value);
		if (rc == 0 && strpbrk(text, "kMGT") == NULL && value->rate.kind == PG_RATE_L2)
			value->rate.kind = PG_RATE_KERNEL;
	}
	if (rc == -EINVAL || length >= sizeof(text))
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%.60s' is not a rate", token);
	if (rc < 0 || value->rate.value == 0 || value->rate.value > PG_RATE_MAX)
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "%s is out of range", token);
	if (value->rate.kind == PG_RATE_PERCENT && value->rate.value > 100 * PG_RATE_PERCENT_UNIT)
		return pg_error_set(err, PG_FAULT_INPUT, ERANGE, "%s is more than all", token);
	return 0;
}

// Mbit/s, whatever follows the digits.
static int
rate_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	(void)arg;
	value->rate.kind = PG_RATE_KERNEL;
	lang_scan_number(scan, KERNEL_DIGITS, &value->rate.value);
	return value->rate.value != 0 ? 0 : -EINVAL;
}

// A number of thousandths without trailing zeros: 12500 is 12.5.
static void
put_thousandths(uint64_t n, const char *suffix, char *out, size_t size)
{
	unsigned int digits = 3, rest = n % 1000;

	for (; digits > 0 && rest % 10 == 0; rest /= 10)
		digits--;
	if (digits == 0)
		snprintf(out, size, "%" PRIu64 "%s", n / 1000, suffix);
	else
		snprintf(out, size, "%" PRIu64 ".%0*u%s", n / 1000, digits, rest, suffix);
}

static void
rate_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	uint64_t n = value->rate.value;
	bool l1 = value->rate.kind == PG_RATE_L1;

	(void)arg;
	if (value->rate.kind == PG_RATE_KERNEL)
		snprintf(out, size, "%" PRIu64, n);
	else if (value->rate.kind == PG_RATE_PERCENT)
		snprintf(out, size, "%" PRIu64 ".%06" PRIu64 "%%", n / PG_RATE_PERCENT_UNIT,
			n % PG_RATE_PERCENT_UNIT);
	else if (n % 1000000 == 0)
		put_thousandths(n / 1000000, l1 ? "GL1" : "G", out, size);
	else if (n % 1000 == 0)
		put_thousandths(n / 1000, l1 ? "ML1" : "M", out, size);
	else
		put_thousandths(n, l1 ? "kL1" : "k", out, size);
}

const struct pg_type pg_type_rate = {
	.name = "rate",
	.size = sizeof(struct pg_rate),
	.parse = rate_parse,
	.scan = rate_scan,
	.scanned = "ten digits of Mbit/s; what follows them is ignored",
	.format = rate_format,
	.expect = rate_expect,
};
