/* SPDX-License-Identifier: BSD-3-Clause */
/* What people read of the language: errors with a caret, and the lists of commands. */
#include "support.h"
#include "support_world.h"

#include <errno.h>
#include <stdlib.h>

#include <jansson.h>

static void
print(char *out, size_t size, const char *line, const struct pg_error *err)
{
	FILE *file = fmemopen(out, size, "w");

	assert_non_null(file);
	pg_lang_print_error(file, "NAME", 12, line, err);
	fclose(file);
}

static void
test_error_format(void **state)
{
	static const struct {
		const char *line;
		unsigned int column;
		const char *expected, *remedy, *want;
	} cases[] = {
		{"count abc", 7, "a number", "",
			"NAME:12:7: what; expected a number\n  count abc\n        ^\n"},
		{"count abc", 1, "", "", "NAME:12:1: what\n  count abc\n  ^\n"},
		{"count", 6, "x", "", "NAME:12:6: what; expected x\n  count\n       ^\n"},
		{"", 1, "", "", "NAME:12:1: what\n  \n  ^\n"},
		{"pgctrl start", 8, "", "do this",
			"NAME:12:8: what; do this\n  pgctrl start\n"
			"         ^\n"},
		{"pgctrl start", 8, "x", "do this",
			"NAME:12:8: what; expected x; do this\n  pgctrl start\n         ^\n"},
		// Tabs before the caret stay tabs: it stands below its column at any tab width.
		{"\tcount\tabc", 8, "", "", "NAME:12:8: what\n  \tcount\tabc\n  \t     \t^\n"},
		{"a\tb", 2, "", "", "NAME:12:2: what\n  a\tb\n   ^\n"},
		{"a\tb", 3, "", "", "NAME:12:3: what\n  a\tb\n   \t^\n"},
		// Without a position the first column; behind the end no further than that.
		{"count 5", 0, "", "", "NAME:12:1: what\n  count 5\n  ^\n"},
		{"ab", 9, "", "", "NAME:12:9: what\n  ab\n    ^\n"},
		{"ab\n", 2, "", "", "NAME:12:2: what\n  ab\n   ^\n"},
	};
	char out[400];

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_error err;

		pg_error_set(&err, PG_FAULT_INPUT, EINVAL, "what");
		snprintf(err.expected, sizeof(err.expected), "%s", cases[i].expected);
		snprintf(err.remedy, sizeof(err.remedy), "%s", cases[i].remedy);
		err.column = cases[i].column;
		print(out, sizeof(out), cases[i].line, &err);
		CHECK_TEXT(out, cases[i].want, "row %zu", i);
	}
}

// From a line to what is printed.
static void
test_error_of_line(void **state)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{"dev coutn 5",
			"NAME:12:5: unknown command 'coutn'; expected a command of a device "
			"(--list-commands shows them); did you mean 'count'?\n"
			"  dev coutn 5\n"
			"      ^\n"},
		{"\tdev\tsmall=21 # why",
			"NAME:12:12: 21 is out of range; expected a number from 10 to 20\n"
			"  \tdev\tsmall=21 # why\n"
			"  \t   \t      ^\n"},
		{"pgctrl fail", "NAME:12:8: it broke; mend it\n"
				"  pgctrl fail\n"
				"         ^\n"},
	};
	struct fake_speaker *s = *state;
	char out[400];

	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_error err = {0};
		struct pg_reply reply;

		assert_true(pg_lang_run(s->lang, cases[i].line, &reply, &err) < 0);
		print(out, sizeof(out), cases[i].line, &err);
		CHECK_TEXT(out, cases[i].want, "row %zu", i);
	}
}

static void
test_list_text(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	const char *last = NULL;

	(void)state;
	assert_non_null(file);
	pg_lang_list_text(fake_lists, 1, file);
	fclose(file);
	// One heading for each kind of target, then its rows in the table's order.
	for (int kind = 0; kind < PG_TARGET_KINDS; kind++) {
		char heading[40];

		snprintf(heading, sizeof(heading), "[%s]\n", pg_lang_kind_name(kind));
		last = strstr(text, heading);
		CHECK(last != NULL, "no %s", heading);
		for (size_t i = 0; i < fake_commands.count; i++) {
			const struct pg_command *row = &fake_commands.rows[i];
			char start[80];

			if ((int)row->target != kind)
				continue;
			snprintf(start, sizeof(start), "\n%s ", row->name);
			last = strstr(last, start);
			CHECK(last != NULL, "no %s", row->name);
			CHECK(strstr(last, row->help) != NULL, "no help of %s", row->name);
		}
	}
	assert_non_null(strstr(text, "a number from 10 to 20; default 10\n"));
	assert_non_null(strstr(text, "no argument\n"));
	free(text);
}

static const char *
member(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value != NULL ? value : "(absent)";
}

static void
test_list_json(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	json_t *list;

	(void)state;
	assert_non_null(file);
	assert_int_equal(pg_lang_list_json(fake_lists, 1, file), 0);
	fclose(file);
	list = json_loads(text, 0, NULL);
	assert_true(json_is_array(list));
	assert_int_equal(json_array_size(list), fake_commands.count);
	for (size_t i = 0; i < fake_commands.count; i++) {
		const struct pg_command *row = &fake_commands.rows[i];
		const json_t *object = json_array_get(list, i);

		CHECK_TEXT(member(object, "name"), row->name, "row %zu", i);
		CHECK_TEXT(member(object, "help"), row->help, "row %zu", i);
		CHECK_TEXT(member(object, "example"), row->example, "row %zu", i);
		CHECK_TEXT(member(object, "target"), pg_lang_kind_name(row->target), "row %zu", i);
		if (row->def != NULL)
			CHECK_TEXT(member(object, "default"), row->def, "row %zu", i);
		if (row->arg.type != NULL)
			CHECK_TEXT(member(object, "type"), row->arg.type->name, "row %zu", i);
		CHECK(json_is_true(json_object_get(object, "anytime")) ==
				((row->flags & PG_COMMAND_ANYTIME) != 0),
			"row %zu", i);
	}
	json_decref(list);
	free(text);
}

#define WITH_SPEAKER(test) \
	cmocka_unit_test_setup_teardown(test, fake_speaker_setup, fake_speaker_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_format),
		WITH_SPEAKER(test_error_of_line),
		cmocka_unit_test(test_list_text),
		cmocka_unit_test(test_list_json),
	};

	return cmocka_run_group_tests_name("lang_print", tests, NULL, NULL);
}
