/* SPDX-License-Identifier: BSD-3-Clause */
/* Running and checking lines: sections, transactions, what is declared, who may change what. */
#include "support.h"
#include "support_world.h"

#include <errno.h>

static int
run(struct fake_speaker *s, const char *line, struct pg_reply *reply, struct pg_error *err)
{
	memset(err, 0, sizeof(*err));
	snprintf(reply->text, sizeof(reply->text), "untouched");
	return pg_lang_run(s->lang, line, reply, err);
}

static void
run_ok(struct fake_speaker *s, const char *line, const char *want)
{
	struct pg_reply reply;
	struct pg_error err;

	CHECK(run(s, line, &reply, &err) == 0, "'%s': %s", line, err.text);
	CHECK_TEXT(reply.text, want, "'%s'", line);
}

static void
run_error(struct fake_speaker *s, const char *line, int code, unsigned int column)
{
	struct fake_settings before = s->settings;
	unsigned int replied = s->world.nreplied, ran = s->world.nrun;
	struct pg_reply reply;
	struct pg_error err;

	CHECK(run(s, line, &reply, &err) == -code, "'%s': %d %s", line, err.code, err.text);
	CHECK_U64(err.column, column, "'%s': %s", line, err.text);
	CHECK_TEXT(reply.text, "", "'%s'", line);
	assert_memory_equal(&before, &s->settings, sizeof(before));
	assert_int_equal(s->world.nreplied, replied);
	assert_int_equal(s->world.nrun, ran);
}

static void
test_settings_and_replies(void **state)
{
	static const struct {
		const char *line, *reply;
	} cases[] = {
		{"dev count 10000000", "OK: count=10000000"},
		{"dev small 0020", "OK: small=20"},
		{"dev flag !BETA", "OK: flag=!BETA"},
		{"dev mode quick", "OK: mode=fast"},
		{"dev mac 90:E2:BA:FF:FF:FF", "OK: themac 90:e2:ba:ff:ff:ff"},
		{"dev ip4 198.18.0.1", "OK: ip4=198.18.0.1"},
		{"dev twin 5", "OK: twin=5"},
		{"dev go", "OK: go"},
		{"dev note x", "noted x"},
		{"kpktgend_1 say x", "OK: say=x"},
	};
	struct fake_speaker *s = *state;

	for (size_t i = 0; i < DIM(cases); i++) {
		run_ok(s, cases[i].line, cases[i].reply);
		CHECK_TEXT(s->world.replied, cases[i].reply, "row %zu", i);
		assert_int_equal(s->world.nreplied, i + 1);
	}
	assert_true(s->settings.count == 10000000 && s->settings.small == 20);
	assert_true(s->settings.flags == 0 && s->settings.mode == 7);
	assert_true(s->settings.twin == 5 && s->settings.other_twin == 5);
	assert_true(s->settings.ip4.addr == 0xc6120001);
	assert_int_equal(s->world.replied_kind, PG_TARGET_THREAD);
}

// A line changes its own setting only.
static void
test_defaults(void **state)
{
	struct fake_speaker *s = *state;
	struct fake_settings want = {.count = 1000, .small = 10, .flags = 4, .port = 9};

	assert_memory_equal(&want, &s->settings, sizeof(want));
	run_ok(s, "dev port 80", "OK: port=80");
	want.port = 80;
	assert_memory_equal(&want, &s->settings, sizeof(want));
}

static void
test_sections(void **state)
{
	struct fake_settings other = {0};
	struct fake_speaker *s = *state;

	fake_world_add(&s->world, "dev@1", &other, &other, sizeof(other));
	run_error(s, "count 1", ENODEV, 1); // no section yet
	run_ok(s, "[dev]", "");
	run_ok(s, "count 1", "OK: count=1");
	run_ok(s, "dev@1 count 2", "OK: count=2"); // another target, for one line
	run_ok(s, "count 3", "OK: count=3");
	run_ok(s, "pgctrl start", "OK: start");
	run_ok(s, "port 4", "OK: port=4");
	run_ok(s, "[dev@1]", "");
	run_ok(s, "port 5", "OK: port=5");
	run_ok(s, "dev port 6", "OK: port=6");
	assert_true(s->settings.count == 3 && s->settings.port == 6);
	assert_true(other.count == 2 && other.port == 5);
	pg_lang_rewind(s->lang);
	run_error(s, "count 1", ENODEV, 1);
}

// A bad section leaves the old one in force.
static void
test_bad_section_keeps_old(void **state)
{
	static const char *const lines[] = {"[nosuch]", "[pgctrl", "[pgctrl] x", "[]"};
	struct fake_speaker *s = *state;
	struct pg_reply reply;
	struct pg_error err;

	run_ok(s, "[dev]", "");
	for (size_t i = 0; i < DIM(lines); i++) {
		assert_true(run(s, lines[i], &reply, &err) < 0);
		run_ok(s, "count 8", "OK: count=8");
	}
}

// A change is tried on a copy: refused by its check, it leaves every field as it was.
static void
test_refused_change(void **state)
{
	struct fake_speaker *s = *state;
	struct pg_reply reply;
	struct pg_error err;

	run_ok(s, "dev twin 12", "OK: twin=12");
	run_error(s, "dev twin 13", EDOM, 10);
	assert_true(s->settings.twin == 12 && s->settings.other_twin == 12);
	assert_true(run(s, "dev  twin=13", &reply, &err) == -EDOM);
	assert_int_equal(err.column, 11); // the argument, where the check itself named no place
	assert_string_equal(err.text, "thirteen is refused");
	assert_string_equal(err.expected, "another number");
	run_error(s, "dev twin 100", ERANGE, 10);
	run_error(s, "dev twin x", EINVAL, 10);
}

static void
test_failing_action(void **state)
{
	struct fake_speaker *s = *state;
	struct pg_reply reply;
	struct pg_error err;

	run_error(s, "pgctrl  fail", EIO, 9);
	run(s, "pgctrl fail", &reply, &err);
	assert_int_equal(err.fault, PG_FAULT_ENV);
	assert_string_equal(err.text, "it broke");
	assert_string_equal(err.remedy, "mend it");
}

static void
test_busy(void **state)
{
	struct fake_speaker *s = *state;

	s->world.busy = true;
	run_error(s, "dev count 1", EBUSY, 5);
	run_error(s, "dev go", EBUSY, 5);
	run_error(s, "  kpktgend_0 say x", EBUSY, 14);
	run_ok(s, "dev anytime", "OK: anytime");
	run_ok(s, "[dev]", "");
	run_error(s, " count 1", EBUSY, 2);
	run_error(s, "count x", EINVAL, 7); // a wrong value is wrong at any time
	s->world.busy = false;
	run_ok(s, "count 1", "OK: count=1");
}

static int
check(struct fake_speaker *s, const char *line, struct pg_error *err)
{
	memset(err, 0, sizeof(*err));
	return pg_lang_check(s->lang, line, err);
}

// Checking changes and runs nothing.
static void
test_check_is_dry(void **state)
{
	static const char *const lines[] = {"dev count 5", "dev flag !BETA", "dev twin 13",
		"dev go", "pgctrl start", "pgctrl fail", "kpktgend_0 add_device new", "[dev]",
		"count 7"};
	struct fake_speaker *s = *state;
	struct fake_settings before = s->settings;
	struct pg_error err;

	for (size_t i = 0; i < DIM(lines); i++)
		CHECK(check(s, lines[i], &err) == 0, "'%s': %s", lines[i], err.text);
	assert_memory_equal(&before, &s->settings, sizeof(before));
	assert_int_equal(s->world.nrun, 0);
	assert_int_equal(s->world.nreplied, 0);
}

// A device that an earlier checked line adds is known to the lines after it, and not before.
static void
test_declared(void **state)
{
	struct fake_speaker *s = *state;
	struct pg_error err;

	assert_int_equal(check(s, "new count 5", &err), -ENODEV);
	assert_int_equal(check(s, "kpktgend_0 add_device new", &err), 0);
	assert_int_equal(check(s, "kpktgend_0 add_device new", &err), -EBUSY);
	assert_int_equal(check(s, "new count 5", &err), 0);
	assert_int_equal(check(s, "[new]", &err), 0);
	assert_int_equal(check(s, "count 5", &err), 0);
	assert_int_equal(check(s, "count x", &err), -EINVAL);
	assert_int_equal(err.column, 7);
	assert_int_equal(check(s, "start", &err), -EINVAL); // it is a device
	assert_int_equal(check(s, "new2 count 5", &err), -EINVAL);
	pg_lang_rewind(s->lang);
	assert_int_equal(check(s, "new2 count 5", &err), -ENODEV);
	assert_int_equal(check(s, "new count 5", &err), 0);
}

// What cannot be a device is not declared; the world says why, the line says where.
static void
test_declared_probe(void **state)
{
	struct fake_speaker *s = *state;
	struct pg_error err;

	assert_int_equal(check(s, "kpktgend_0  add_device bad0", &err), -ENODEV);
	assert_int_equal(err.column, 24);
	assert_string_equal(err.text, "unknown device 'bad0'");
	assert_int_equal(check(s, "bad0 count 5", &err), -ENODEV);
	assert_string_equal(err.text, "unknown target 'bad0'");
	s->world.world.device_probe = NULL; // may be absent; the speaker has its own copy
	assert_int_equal(check(s, "kpktgend_0 add_device good", &err), 0);
}

// Declared but never made: running a line for it names the target where it stands.
static void
test_declared_but_absent(void **state)
{
	struct fake_speaker *s = *state;
	struct pg_error err;

	assert_int_equal(check(s, "kpktgend_0 add_device ghost", &err), 0);
	run_error(s, "ghost count 5", ENODEV, 1);
	run_error(s, "   ghost count 5", ENODEV, 4);
}

// A line that names its target needs no section; that of a removed device is no obstacle.
static void
test_section_of_removed_device(void **state)
{
	struct fake_settings other = {0};
	struct fake_speaker *s = *state;

	fake_world_add(&s->world, "dev@1", &other, &other, sizeof(other));
	run_ok(s, "[dev@1]", "");
	run_ok(s, "count 5", "OK: count=5");
	fake_world_drop(&s->world);
	run_error(s, "  count 6", ENODEV, 3);
	run_ok(s, "[dev]", "");
	run_ok(s, "count 7", "OK: count=7");
	fake_world_add(&s->world, "dev@1", &other, &other, sizeof(other));
	run_ok(s, "[dev@1]", "");
	fake_world_drop(&s->world);
	run_ok(s, "pgctrl start", "OK: start");
}

static void
test_find(void **state)
{
	struct fake_speaker *s = *state;

	assert_non_null(pg_lang_find(s->lang, PG_TARGET_DEVICE, "count"));
	assert_null(pg_lang_find(s->lang, PG_TARGET_CONTROL, "count"));
	assert_null(pg_lang_find(s->lang, PG_TARGET_DEVICE, "coun"));
	assert_null(pg_lang_find(s->lang, PG_TARGET_DEVICE, "Count"));
	assert_null(pg_lang_find(s->lang, PG_TARGET_DEVICE, ""));
	assert_string_equal(pg_lang_find(s->lang, PG_TARGET_THREAD, "say")->name, "say");
	pg_lang_destroy(NULL); // accepted
}

#define WITH_SPEAKER(test) \
	cmocka_unit_test_setup_teardown(test, fake_speaker_setup, fake_speaker_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SPEAKER(test_settings_and_replies),
		WITH_SPEAKER(test_defaults),
		WITH_SPEAKER(test_sections),
		WITH_SPEAKER(test_bad_section_keeps_old),
		WITH_SPEAKER(test_refused_change),
		WITH_SPEAKER(test_failing_action),
		WITH_SPEAKER(test_busy),
		WITH_SPEAKER(test_check_is_dry),
		WITH_SPEAKER(test_declared),
		WITH_SPEAKER(test_declared_probe),
		WITH_SPEAKER(test_declared_but_absent),
		WITH_SPEAKER(test_section_of_removed_device),
		WITH_SPEAKER(test_find),
	};

	return cmocka_run_group_tests_name("lang_run", tests, NULL, NULL);
}
