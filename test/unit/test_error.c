/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <errno.h>

#include "pg_error.h"

static void
test_set_fills_and_returns(void **state)
{
	static const struct {
		enum pg_fault fault;
		int code;
	} cases[] = {
		{PG_FAULT_INPUT, EINVAL},
		{PG_FAULT_INPUT, ERANGE},
		{PG_FAULT_ENV, ENOMEM},
		{PG_FAULT_ENV, ENODEV},
	};
	struct pg_error err;

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		memset(&err, 0xa5, sizeof(err));
		assert_int_equal(pg_error_set(&err, cases[i].fault, cases[i].code, "row %d: %s",
					 (int)i, "text"),
			-cases[i].code);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(err.fault, cases[i].fault);
		assert_int_equal(err.column, 0);
		assert_string_equal(err.expected, "");
		assert_string_equal(err.remedy, "");
		CHECK(strncmp(err.text, "row ", 4) == 0 && strstr(err.text, ": text"), "%s",
			err.text);
	}
}

static void
test_parts_are_added(void **state)
{
	struct pg_error err;

	(void)state;
	pg_error_set(&err, PG_FAULT_ENV, EBUSY, "what");
	err.column = 7;
	assert_int_equal(pg_error_expect(&err, "at most %u", 12u), -EBUSY);
	assert_int_equal(pg_error_remedy(&err, "do %s", "this"), -EBUSY);
	assert_string_equal(err.text, "what");
	assert_string_equal(err.expected, "at most 12");
	assert_string_equal(err.remedy, "do this");
	assert_int_equal(err.column, 7);
	assert_int_equal(err.fault, PG_FAULT_ENV);
}

// A later error replaces an earlier one with all its parts.
static void
test_later_replaces(void **state)
{
	struct pg_error err;

	(void)state;
	pg_error_set(&err, PG_FAULT_ENV, EBUSY, "first, and longer than the second");
	pg_error_expect(&err, "x");
	pg_error_remedy(&err, "y");
	err.column = 3;
	assert_int_equal(pg_error_set(&err, PG_FAULT_INPUT, EINVAL, "second"), -EINVAL);
	assert_string_equal(err.text, "second");
	assert_string_equal(err.expected, "");
	assert_string_equal(err.remedy, "");
	assert_int_equal(err.column, 0);
	assert_int_equal(err.fault, PG_FAULT_INPUT);
}

// What does not fit is cut, never written beyond its field.
static void
test_long_texts_are_cut(void **state)
{
	char text[2000];
	struct {
		struct pg_error err;
		char guard[16];
	} box;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memset(&box, 0, sizeof(box));
	memset(box.guard, '#', sizeof(box.guard));
	pg_error_set(&box.err, PG_FAULT_INPUT, E2BIG, "%s", text);
	pg_error_expect(&box.err, "%s", text);
	pg_error_remedy(&box.err, "%s", text);
	assert_int_equal(strlen(box.err.text), sizeof(box.err.text) - 1);
	assert_int_equal(strlen(box.err.expected), sizeof(box.err.expected) - 1);
	assert_int_equal(strlen(box.err.remedy), sizeof(box.err.remedy) - 1);
	for (size_t i = 0; i < sizeof(box.guard); i++)
		assert_int_equal(box.guard[i], '#');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_fills_and_returns),
		cmocka_unit_test(test_parts_are_added),
		cmocka_unit_test(test_later_replaces),
		cmocka_unit_test(test_long_texts_are_cut),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
