/* SPDX-License-Identifier: BSD-3-Clause */
/* How a line is cut: reference 1.1, and DESIGN 2 for sections and comments. */
#include "support.h"
#include "support_world.h"

#include <errno.h>

#include "lang_priv.h"

static void
test_token_table(void **state)
{
	static const struct {
		const char *line;
		const char *tokens[4];   // up to the first NULL
		unsigned int columns[4]; // of the tokens, then of the end
	} cases[] = {
		{"", {NULL}, {1}}, {" ", {NULL}, {2}}, {" \t\n\r\"=", {NULL}, {7}},
		{"a", {"a"}, {1, 2}}, {"count 5", {"count", "5"}, {1, 7, 8}},
		{"count=5", {"count", "5"}, {1, 7, 8}}, {"count = 5", {"count", "5"}, {1, 9, 10}},
		{" count \"5\"", {"count", "5"}, {2, 9, 11}},
		{"\tcount\t5", {"count", "5"}, {2, 8, 9}},
		{"a=\"b\"\tc\r\n", {"a", "b", "c"}, {1, 4, 7, 10}}, {"# comment", {NULL}, {10}},
		{"  # comment", {NULL}, {12}}, {"a # b c", {"a"}, {1, 8}}, {"a #", {"a"}, {1, 4}},
		{"a#b c", {"a#b", "c"}, {1, 5, 6}}, {"a b#", {"a", "b#"}, {1, 3, 5}},
		{"a=#b", {"a"}, {1, 5}}, {"[x] !y -z", {"[x]", "!y", "-z"}, {1, 5, 8, 10}},
		{"\xc3\xa4 b", {"\xc3\xa4", "b"}, {1, 4, 5}}, // columns count bytes
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const char *cursor = cases[i].line;
		unsigned int column = 0;
		char token[16];
		size_t t = 0;

		for (; t < 4 && cases[i].tokens[t] != NULL; t++) {
			int rc = lang_token(cases[i].line, &cursor, token, sizeof(token), &column);

			CHECK(rc == 1, "row %zu, token %zu: %d", i, t, rc);
			CHECK_TEXT(token, cases[i].tokens[t], "row %zu, token %zu", i, t);
			CHECK_U64(column, cases[i].columns[t], "row %zu, token %zu", i, t);
		}
		CHECK(lang_token(cases[i].line, &cursor, token, sizeof(token), &column) == 0,
			"row %zu goes on with %s", i, token);
		CHECK_U64(column, cases[i].columns[t], "row %zu, the end", i);
	}
}

// A token that does not fit is an error at its column; the cursor has moved behind it.
static void
test_token_limit(void **state)
{
	const char *line = " 1234567 12345678 123", *cursor = line;
	unsigned int column;
	char token[8];

	(void)state;
	assert_int_equal(lang_token(line, &cursor, token, sizeof(token), &column), 1);
	assert_string_equal(token, "1234567");
	assert_int_equal(lang_token(line, &cursor, token, sizeof(token), &column), -E2BIG);
	assert_int_equal(column, 10);
	assert_int_equal(lang_token(line, &cursor, token, sizeof(token), &column), 1);
	assert_string_equal(token, "123");
	assert_int_equal(column, 19);
}

static void
test_rest_table(void **state)
{
	static const struct {
		const char *line, *rest;
		unsigned int column;
	} cases[] = {
		{"", NULL, 1},
		{"  ", NULL, 3},
		{"  # nothing", NULL, 12},
		{"a", "a", 1},
		{" a b  c ", "a b  c", 2},
		{"\ta=b,c=d\r\n", "a=b,c=d", 2},
		{"net_pcap0,tx_pcap=/tmp/x # why", "net_pcap0,tx_pcap=/tmp/x", 1},
		{"net_x,name=a#b # why", "net_x,name=a#b", 1},
		{"a\t#b", "a", 1},
		{"\"a b\"", "a b", 2},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		const char *cursor = cases[i].line;
		unsigned int column = 0;
		char rest[64] = "";
		int rc = lang_rest(cases[i].line, &cursor, rest, sizeof(rest), &column);

		CHECK(rc == (cases[i].rest != NULL), "row %zu: %d", i, rc);
		if (cases[i].rest != NULL)
			CHECK_TEXT(rest, cases[i].rest, "row %zu", i);
		CHECK_U64(column, cases[i].column, "row %zu", i);
	}
}

/** Run a line that must succeed; returns its reply. */
static const char *
run(struct fake_speaker *s, const char *line)
{
	static struct pg_reply reply;
	struct pg_error err = {0};

	CHECK(pg_lang_check(s->lang, line, &err) == 0, "checking '%s': %s", line, err.text);
	CHECK(pg_lang_run(s->lang, line, &reply, &err) == 0, "'%s': %s", line, err.text);
	return reply.text;
}

// All ways to write the same command.
static void
test_same_command(void **state)
{
	static const char *const lines[] = {"count 5", "count=5", "count = 5", " count \"5\"",
		"\tcount\t5", "count 5\n", "count 5\r\n", "\"count\"\"5\"", "count\"5", "count==5",
		"=count=5=", "count 5 # five", "count 5\t#five", "count 5 # # 6", "count 0005",
		"dev count 5", "dev=count=5", " \"dev\" count = 5", "dev\tcount\t\"5\" # five"};
	struct fake_speaker *s = *state;

	run(s, "[dev]");
	for (size_t i = 0; i < DIM(lines); i++) {
		s->settings.count = 77;
		CHECK_TEXT(run(s, lines[i]), "OK: count=5", "'%s'", lines[i]);
		CHECK_U64(s->settings.count, 5, "'%s'", lines[i]);
	}
	assert_int_equal(s->world.nreplied, DIM(lines));
}

static void
test_empty_lines(void **state)
{
	static const char *const lines[] = {"", " ", "\t", "\n", "\r\n", "\"", "=", "#",
		"# count 5", "   # [nosuch]", "\"#", "#[dev", " \t # count abc"};
	struct fake_speaker *s = *state;
	struct fake_settings before = s->settings;

	for (int with_section = 0; with_section < 2; with_section++) {
		for (size_t i = 0; i < DIM(lines); i++)
			CHECK_TEXT(run(s, lines[i]), "", "'%s'", lines[i]);
		run(s, "[dev]");
	}
	assert_memory_equal(&before, &s->settings, sizeof(before));
	assert_int_equal(s->world.nreplied, 0);
}

static void
test_section_forms(void **state)
{
	static const char *const lines[] = {"[dev]", " [dev]", "[dev] ", "\t[dev]\r\n", "[dev]#x",
		"[dev] # [pgctrl]", "\"[dev]\"", "=[dev]="};
	struct fake_speaker *s = *state;

	for (size_t i = 0; i < DIM(lines); i++) {
		run(s, "[pgctrl]");
		CHECK_TEXT(run(s, lines[i]), "", "'%s'", lines[i]);
		CHECK_TEXT(run(s, "count 6"), "OK: count=6", "behind '%s'", lines[i]);
	}
}

// Words of the table that take the rest of the line, one text, or perhaps none.
static void
test_text_arguments(void **state)
{
	static const struct {
		const char *line, *got, *reply;
	} cases[] = {
		{"pgctrl rest net_x0,a=b,c=d e # why", "net_x0,a=b,c=d e",
			"OK: rest=net_x0,a=b,c=d e"},
		{"pgctrl rest  a  b ", "a  b", "OK: rest=a  b"},
		{"pgctrl maybe", "", "OK: maybe="},
		{"pgctrl maybe # none", "", "OK: maybe="},
		{"pgctrl maybe abc", "abc", "OK: maybe=abc"},
		{"pgctrl start", "", "OK: start"},
		{"pgctrl=start", "", "OK: start"},
		{"kpktgend_0 say #x", NULL, NULL},
		{"kpktgend_0 say x#y", "x#y", "OK: say=x#y"},
		{"dev note abc", "abc", "noted abc"},
	};
	struct fake_speaker *s = *state;

	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_error err = {0};
		struct pg_reply reply;
		int rc = pg_lang_run(s->lang, cases[i].line, &reply, &err);

		CHECK((rc == 0) == (cases[i].got != NULL), "row %zu: %s", i, err.text);
		if (rc < 0)
			continue;
		CHECK_TEXT(s->world.run, cases[i].got, "row %zu", i);
		CHECK_TEXT(reply.text, cases[i].reply, "row %zu", i);
		CHECK_TEXT(s->world.replied, cases[i].reply, "row %zu", i);
	}
}

#define WITH_SPEAKER(test) \
	cmocka_unit_test_setup_teardown(test, fake_speaker_setup, fake_speaker_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token_table),
		cmocka_unit_test(test_token_limit),
		cmocka_unit_test(test_rest_table),
		WITH_SPEAKER(test_same_command),
		WITH_SPEAKER(test_empty_lines),
		WITH_SPEAKER(test_section_forms),
		WITH_SPEAKER(test_text_arguments),
	};

	return cmocka_run_group_tests_name("lang_tokens", tests, NULL, NULL);
}
