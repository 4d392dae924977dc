/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors: what, where (the exact column) and what was expected; and that nothing has changed. */
#include "support.h"
#include "support_world.h"

#include <errno.h>

#include "lang_priv.h"

#define COUNT_IS      "a number of packets from 0 to 18446744073709551615"
#define TARGETS       "one of those that there are"
#define COMMAND(kind) "a command of " kind " (--list-commands shows them)"
#define END           "the end of the line"
#define FORM(name)    "TARGET COMMAND [ARGUMENT], or [" name "] to address the lines that follow"
#define X63           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

struct error_case {
	const char *section; // NULL: none
	const char *line;
	int code;
	unsigned int column;
	const char *text, *expected;
};

static const struct error_case words_and_targets[] = {
	{NULL, "nosuch count 5", ENODEV, 1, "unknown target 'nosuch'", TARGETS},
	{NULL, "  nosuch", ENODEV, 3, "unknown target 'nosuch'", TARGETS},
	{NULL, "count 5", ENODEV, 1, "unknown target 'count'", TARGETS},
	{NULL, "kpktgend_2 say x", ENODEV, 1, "unknown target 'kpktgend_2'", TARGETS},
	{NULL, "\t\"dev2\" count 5", ENODEV, 3, "unknown target 'dev2'", TARGETS},
	{NULL, "dev", EINVAL, 4, "no command for 'dev'", FORM("dev")},
	{NULL, "pgctrl  ", EINVAL, 9, "no command for 'pgctrl'", FORM("pgctrl")},
	{NULL, "dev zzzzzz 5", EINVAL, 5, "unknown command 'zzzzzz'", COMMAND("a device")},
	{NULL, "dev\tzzzzzz=5", EINVAL, 5, "unknown command 'zzzzzz'", COMMAND("a device")},
	{NULL, "pgctrl zzzzzz", EINVAL, 8, "unknown command 'zzzzzz'", COMMAND("pgctrl")},
	{NULL, "kpktgend_1 zzzzzz", EINVAL, 12, "unknown command 'zzzzzz'", COMMAND("kpktgend_N")},
	{NULL, "pgctrl add_device x", EINVAL, 8, "unknown command 'add_device'", COMMAND("pgctrl")},
	{NULL, X63, ENODEV, 1, "unknown target '" X63 "'", TARGETS},
	{NULL, X63 "x count 5", E2BIG, 1, "the word is too long", "at most 63 characters"},
	{NULL, "  " X63 X63, E2BIG, 3, "the word is too long", "at most 63 characters"},
	{NULL, "dev " X63 "x 5", E2BIG, 5, "the command is too long", "at most 63 characters"},
	{"dev", "zzzzzz 5", EINVAL, 1, "unknown command 'zzzzzz'", COMMAND("a device")},
	{"dev", "   zzzzzz", EINVAL, 4, "unknown command 'zzzzzz'", COMMAND("a device")},
	{"dev", X63 "x 5", E2BIG, 1, "the word is too long", "at most 63 characters"},
	{"pgctrl", "zzzzzz", EINVAL, 1, "unknown command 'zzzzzz'", COMMAND("pgctrl")},
	{"pgctrl", "count 5", EINVAL, 1, "unknown command 'count'", COMMAND("pgctrl")},
	{"kpktgend_0", "zzzzzz", EINVAL, 1, "unknown command 'zzzzzz'", COMMAND("kpktgend_N")},
	{"dev", "pgctrl zzzzzz", EINVAL, 8, "unknown command 'zzzzzz'", COMMAND("pgctrl")},
};

static const struct error_case sections[] = {
	{NULL, "[dev", EINVAL, 1, "'[' without ']'", "a section, [TARGET]"},
	{NULL, "   [dev count 5", EINVAL, 4, "'[' without ']'", "a section, [TARGET]"},
	{NULL, "[nosuch]", ENODEV, 2, "unknown target 'nosuch'", TARGETS},
	{NULL, "  [nosuch]", ENODEV, 4, "unknown target 'nosuch'", TARGETS},
	{NULL, "[]", ENODEV, 2, "unknown target ''", TARGETS},
	{NULL, "[dev] count 5", EINVAL, 7, "text after the section", END},
	{NULL, "[dev]\tx", EINVAL, 7, "text after the section", END},
	{NULL, "[dev]]", EINVAL, 6, "text after the section", END},
	{NULL, "[" X63 "]", ENODEV, 2, "unknown target '" X63 "'", TARGETS},
	{NULL, "[" X63 "x]", E2BIG, 2, "the target's name is too long", "at most 63 characters"},
	{NULL, " [" X63 X63, EINVAL, 2, "'[' without ']'", "a section, [TARGET]"},
};

static const struct error_case arguments[] = {
	{"dev", "count", EINVAL, 6, "'count' needs an argument", COUNT_IS},
	{"dev", "count ", EINVAL, 7, "'count' needs an argument", COUNT_IS},
	{"dev", " count =\t", EINVAL, 10, "'count' needs an argument", COUNT_IS},
	{NULL, "dev count", EINVAL, 10, "'count' needs an argument", COUNT_IS},
	{"dev", "count abc", EINVAL, 7, "'abc' is not a number", COUNT_IS},
	{"dev", "count=abc", EINVAL, 7, "'abc' is not a number", COUNT_IS},
	{"dev", "count \"-5\"", EINVAL, 8, "'-5' is not a number", COUNT_IS},
	{"dev", "\tcount\t5x", EINVAL, 8, "'5x' is not a number", COUNT_IS},
	{"dev", "count 5#6", EINVAL, 7, "'5#6' is not a number", COUNT_IS},
	{"dev", "count 5 6", EINVAL, 9, "text after 'count ARGUMENT'", END},
	{"dev", "count 5  x # y", EINVAL, 10, "text after 'count ARGUMENT'", END},
	{"dev", "count=5=6", EINVAL, 9, "text after 'count ARGUMENT'", END},
	{"dev", "count 5 " X63 X63, EINVAL, 9, "text after 'count ARGUMENT'", END},
	{NULL, "dev count 5 6", EINVAL, 13, "text after 'count ARGUMENT'", END},
	{NULL, "pgctrl start now", EINVAL, 14, "text after 'start'", END},
	{NULL, "pgctrl maybe a b", EINVAL, 16, "text after 'maybe ARGUMENT'", END},
	{NULL, "pgctrl maybe abcdef", E2BIG, 14, "'abcdef' is too long",
		"a text of at most 5 characters"},
	{NULL, "pgctrl rest", EINVAL, 12, "'rest' needs an argument",
		"a text of at most 511 characters"},
	{"dev", "small 9", ERANGE, 7, "9 is out of range", "a number from 10 to 20"},
	{"dev", "small 21", ERANGE, 7, "21 is out of range", "a number from 10 to 20"},
	{"dev", "port 65536", ERANGE, 6, "65536 is out of range", "a number from 0 to 65535"},
	{"dev", "mac 1:2:3:4:5:6", EINVAL, 5, "'1:2:3:4:5:6' is not a MAC address",
		"a MAC address of six bytes, xx:xx:xx:xx:xx:xx"},
	{"dev", "ip4 1.2.3.400", EINVAL, 5, "'1.2.3.400' is not an IPv4 address",
		"an IPv4 address, four numbers from 0 to 255 with dots between"},
	{"dev", "mode zzzzzz", EINVAL, 6, "unknown mode 'zzzzzz'", "one of slow, fast"},
	{"dev", "flag !ZZZZZZ", EINVAL, 6, "unknown flag 'ZZZZZZ'",
		"a flag, with ! before it to clear it: ALPHA, BETA, GAMMA_RAY"},
	{"kpktgend_0", "add_device " X63 "x", E2BIG, 12,
		"'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' is too long",
		"NAME of at most 63 characters"},
	{"kpktgend_0", "say " X63 X63 X63 X63 X63 X63 X63 X63 "xxxxxxxxx", E2BIG, 5,
		"the argument is too long", "at most 511 characters"},
};

static void
check_error(struct fake_speaker *s, const struct error_case *want, bool run)
{
	struct pg_error err = {0};
	struct pg_reply reply = {"untouched"};
	int rc = run ? pg_lang_run(s->lang, want->line, &reply, &err)
		     : pg_lang_check(s->lang, want->line, &err);

	CHECK(rc == -want->code && err.code == want->code, "'%s' gave %d, \"%s\"", want->line, rc,
		err.text);
	CHECK_TEXT(err.text, want->text, "'%s'", want->line);
	CHECK_TEXT(err.expected, want->expected, "'%s'", want->line);
	CHECK_U64(err.column, want->column, "the column of '%s'", want->line);
	assert_int_equal(err.fault, PG_FAULT_INPUT);
	if (run)
		CHECK_TEXT(reply.text, "", "the reply to '%s'", want->line);
}

static void
check_errors(struct fake_speaker *s, const struct error_case *cases, size_t n)
{
	struct fake_settings before = s->settings;

	for (size_t i = 0; i < n; i++) {
		char section[80];
		struct pg_error err = {0};

		pg_lang_rewind(s->lang);
		snprintf(
			section, sizeof(section), "[%s]", cases[i].section ? cases[i].section : "");
		if (cases[i].section != NULL)
			assert_int_equal(pg_lang_check(s->lang, section, &err), 0);
		check_error(s, &cases[i], false);
		check_error(s, &cases[i], true);
		assert_memory_equal(&before, &s->settings, sizeof(before));
	}
	assert_int_equal(s->world.nreplied, 0);
	assert_int_equal(s->world.nrun, 0);
}

static void
test_words_and_targets(void **state)
{
	check_errors(*state, words_and_targets, DIM(words_and_targets));
}

static void
test_sections(void **state)
{
	check_errors(*state, sections, DIM(sections));
}

static void
test_arguments(void **state)
{
	check_errors(*state, arguments, DIM(arguments));
}

// Nothing of an earlier line decides how a word that is too long is read. The calls come from one
// place, so that each finds on its stack what the one before has left there.
static void
test_long_word_after_section(void **state)
{
	static const struct {
		const char *line;
		unsigned int column;
	} lines[] = {{"[dev]", 0}, {X63 "x 5", 1}, {"[pgctrl]", 0}, {"  " X63 "x", 3}, {"[dev]", 0},
		{X63 "]", 1}, {"[nosuch]", 2}, {X63 "x", 1}};
	struct fake_speaker *s = *state;

	for (size_t i = 0; i < DIM(lines); i++) {
		struct pg_error err = {0};
		int rc = pg_lang_check(s->lang, lines[i].line, &err);

		CHECK_U64(err.column, lines[i].column, "'%s'", lines[i].line);
		if (lines[i].line[0] != '[')
			CHECK(rc == -E2BIG, "'%s': %s", lines[i].line, err.text);
	}
}

static void
check_hint(struct fake_speaker *s, const char *line, const char *meant)
{
	struct pg_error err = {0};
	struct pg_reply reply;
	char want[80];
	const char *hint;

	CHECK(pg_lang_run(s->lang, line, &reply, &err) < 0, "'%s' was taken", line);
	hint = strstr(err.expected, "; did you mean");
	snprintf(want, sizeof(want), "; did you mean '%s'?", meant ? meant : "");
	CHECK_TEXT(hint ? hint : "no hint", meant ? want : "no hint", "'%s'", line);
}

// The nearest word of the right table, and none if nothing is near.
static void
test_did_you_mean(void **state)
{
	static const struct {
		const char *line, *meant;
	} cases[] = {
		{"dev coutn 5", "count"}, // a swap is one edit
		{"dev cuont 5", "count"},
		{"dev counts 5", "count"},
		{"dev cont 5", "count"},
		{"dev smal 5", "small"},
		{"dev anytyme", "anytime"},
		{"dev zzzzzz", NULL},
		{"dev c 5", NULL},          // one letter resembles everything
		{"dev add_device x", NULL}, // a command of another target
		{"pgctrl strat", "start"},
		{"pgctrl count", NULL},
		{"kpktgend_0 adddevice x", "add_device"},
		{"dev mode sloe", "slow"},
		{"dev mode quik", "quick"},
		{"dev flag ALPHB", "ALPHA"},
		{"dev flag !GAMMARAY", "GAMMA_RAY"},
		{"dev flag OMEGA", NULL},
	};
	struct fake_speaker *s = *state;

	for (size_t i = 0; i < DIM(cases); i++)
		check_hint(s, cases[i].line, cases[i].meant);
}

// The same within a section, where the target's name is not on the line.
static void
test_did_you_mean_in_section(void **state)
{
	static const struct {
		const char *section, *line, *meant;
	} cases[] = {
		{"[dev]", "coutn 5", "count"},
		{"[dev]", "strat", NULL},
		{"[pgctrl]", "strat", "start"},
		{"[pgctrl]", "coutn 5", NULL},
		{"[kpktgend_1]", "add_devise x", "add_device"},
	};
	struct fake_speaker *s = *state;
	struct pg_error err = {0};

	for (size_t i = 0; i < DIM(cases); i++) {
		assert_int_equal(pg_lang_check(s->lang, cases[i].section, &err), 0);
		check_hint(s, cases[i].line, cases[i].meant);
	}
}

// Optimal string alignment by its definition, without a table.
static unsigned int
naive_distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned int best, d;

	if (la == 0 || lb == 0)
		return (unsigned int)(la + lb);
	best = naive_distance(a, la - 1, b, lb - 1) + (a[la - 1] != b[lb - 1]);
	d = naive_distance(a, la - 1, b, lb) + 1;
	best = d < best ? d : best;
	d = naive_distance(a, la, b, lb - 1) + 1;
	best = d < best ? d : best;
	if (la > 1 && lb > 1 && a[la - 1] == b[lb - 2] && a[la - 2] == b[lb - 1]) {
		d = naive_distance(a, la - 2, b, lb - 2) + 1;
		best = d < best ? d : best;
	}
	return best;
}

static void
test_distance(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		char a[7] = "", b[7] = "";
		size_t la = support_draw(&seed) % 7, lb = support_draw(&seed) % 7;
		unsigned int limit = (unsigned int)(support_draw(&seed) % 8), want;

		for (size_t k = 0; k < la; k++)
			a[k] = (char)('a' + support_draw(&seed) % 3);
		for (size_t k = 0; k < lb; k++)
			b[k] = (char)('a' + support_draw(&seed) % 3);
		want = naive_distance(a, la, b, lb);
		want = want > limit ? limit + 1 : want;
		CHECK_U64(lang_distance(a, b, limit), want, "%s %s, at most %u", a, b, limit);
	}
	// Words longer than any command are far from everything, and harm nothing.
	assert_int_equal(lang_distance(X63 X63, "count", 3), 4);
	assert_int_equal(lang_distance("count", X63 X63, 3), 4);
}

#define WITH_SPEAKER(test) \
	cmocka_unit_test_setup_teardown(test, fake_speaker_setup, fake_speaker_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SPEAKER(test_words_and_targets),
		WITH_SPEAKER(test_sections),
		WITH_SPEAKER(test_arguments),
		WITH_SPEAKER(test_long_word_after_section),
		WITH_SPEAKER(test_did_you_mean),
		WITH_SPEAKER(test_did_you_mean_in_section),
		cmocka_unit_test(test_distance),
	};

	return cmocka_run_group_tests_name("lang_errors", tests, NULL, NULL);
}
