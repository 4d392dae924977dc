/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

static const struct pg_arg limit = {.type = &pg_type_number,
	.max = UINT64_MAX,
	.unit = "ns",
	.width = 8,
	.suffix = PG_SUFFIX_TIME};

static void
late_expect(const struct pg_arg *arg, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size,
		"catchup, with the time that is caught up at most behind it (ns, us, ms and s may "
		"follow), skip or stretch");
}

// WORD, or `catchup TIME`.
static int
late_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	const size_t length = strcspn(token, " \t");
	const char *rest = token + length + strspn(token + length, " \t");
	const struct pg_word *word = arg->words;
	union pg_value number = {.u64 = PG_LATE_MAX_NS};

	while (word->name != NULL &&
		(strlen(word->name) != length || strncmp(word->name, token, length) != 0))
		word++;
	if (word->name == NULL)
		return pg_error_set(
			err, PG_FAULT_INPUT, EINVAL, "unknown policy '%.*s'", (int)length, token);
	if (*rest != '\0' && word->value != PG_LATE_CATCHUP)
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "text after '%s'", word->name);
	if (*rest != '\0' && pg_type_number.parse(&limit, rest, &number, err) < 0)
		return -err->code;
	value->late = (struct pg_late){
		word->value == PG_LATE_CATCHUP ? number.u64 : 0, (uint8_t)word->value};
	return 0;
}

static void
late_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	const struct pg_word *word = arg->words;

	while (word->name != NULL && word->value != value->late.kind)
		word++;
	if (value->late.kind == PG_LATE_CATCHUP)
		snprintf(out, size, "%s %" PRIu64, word->name, value->late.max_ns);
	else
		snprintf(out, size, "%s", word->name);
}

const struct pg_type pg_type_late = {
	.name = "late",
	.rest = true,
	.size = sizeof(struct pg_late),
	.parse = late_parse,
	.format = late_format,
	.expect = late_expect,
};
