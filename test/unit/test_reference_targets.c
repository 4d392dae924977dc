/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of pgctrl and the threads (reference 2 and 3) through the strict door, in the program's
 * world on an engine whose ports are only names. A new row is a line in the table here. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "app.h"
#include "support_eal.h"
#include "support_engine.h"

static struct app app;
static char thread_name[32];

static int
probe(void *ctx, const char *name, struct pg_error *err)
{
	(void)ctx;
	if (strncmp(name, "nosuch", 6) != 0)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, ENODEV, "unknown device '%s'", name);
	return pg_error_expect(err, "another");
}

static int
open_port(void *ctx, struct pg_port *port, struct pg_error *err)
{
	int rc = probe(ctx, port->name, err);

	return rc < 0 ? rc : fake_ports.open(ctx, port, err);
}

static int
setup(void **state)
{
	static struct pg_port_ops ports;
	const struct pg_engine_config config = {.ports = &ports, .clock = &app.clock};
	struct pg_world world;
	struct pg_error err = {0};

	(void)state;
	ports = fake_ports;
	ports.probe = probe;
	ports.open = open_port;
	memset(&app, 0, sizeof(app));
	app.out = fopen("/dev/null", "we");
	assert_non_null(app.out);
	pg_clock_init(&app.clock);
	pg_clock_settle(&app.clock, 1000000);
	app.engine = pg_engine_create(&config, &err);
	CHECK(app.engine != NULL, "%s", err.text);
	world = app_world(&app);
	app.lang = pg_lang_create(app_commands, app_ncommands, &world);
	assert_non_null(app.lang);
	snprintf(thread_name, sizeof(thread_name), "kpktgend_%u",
		pg_engine_next_thread(app.engine, NULL)->lcore);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	pg_lang_destroy(app.lang);
	pg_engine_destroy(app.engine);
	fclose(app.out);
	return 0;
}

// What a user can see of it.
static char *
seen(void)
{
	struct pg_thread *thread = pg_engine_next_thread(app.engine, NULL);
	const struct pg_device *device;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	pg_report_thread(app.engine, thread, out);
	TAILQ_FOREACH(device, pg_engine_devices(app.engine), in_engine)
	pg_report_device(device, out);
	fclose(out);
	return text;
}

// %T is the thread's name.
static void
fill_in(const char *line, char *out, size_t size)
{
	const char *mark = strstr(line, "%T");

	if (mark == NULL)
		snprintf(out, size, "%s", line);
	else
		snprintf(out, size, "%.*s%s%s", (int)(mark - line), line, thread_name, mark + 2);
}

static void
takes(const char *pattern, const char *reply)
{
	struct pg_error err = {0};
	struct pg_reply got;
	char line[200];

	fill_in(pattern, line, sizeof(line));
	CHECK(pg_lang_run(app.lang, line, &got, &err) == 0, "'%s': %s", line, err.text);
	if (reply != NULL)
		CHECK_TEXT(got.text, reply, "'%s'", line);
}

static void
refuse(const char *pattern, int code)
{
	char marked[200], line[200], *before = seen(), *after;
	struct pg_error err = {0};
	struct pg_reply reply;
	size_t mark;
	int rc;

	fill_in(pattern, marked, sizeof(marked));
	mark = strcspn(marked, "|");
	snprintf(line, sizeof(line), "%.*s%s", (int)mark, marked, marked + mark + 1);
	rc = pg_lang_run(app.lang, line, &reply, &err);
	CHECK(rc == -code, "'%s' gave %d \"%s\", not %d", line, rc, err.text, -code);
	CHECK(err.column == mark + 1, "'%s': column %u", line, err.column);
	CHECK(err.fault == PG_FAULT_INPUT && err.text[0] != '\0', "'%s'", line);
	CHECK(err.expected[0] != '\0', "'%s' expects nothing", line);
	CHECK_TEXT(reply.text, "", "'%s'", line);
	after = seen();
	CHECK_TEXT(after, before, "'%s' has changed something", line);
	free(before);
	free(after);
}

/** A line, what stands before it, and its reply (NULL: pgctrl has none) or, with '|', its errno. */
static const struct {
	const char *before, *line, *reply;
	int code;
} cases[] = {
	// pgctrl: the word, exactly, and nothing behind it. A start without devices ends at once.
	{NULL, "pgctrl start", NULL, 0},
	{NULL, "pgctrl start |now", NULL, EINVAL},
	{NULL, "pgctrl |Start", NULL, EINVAL},
	{NULL, "pgctrl |starts", NULL, EINVAL},
	{NULL, "pgctrl stop", NULL, 0},
	{NULL, "pgctrl stop |1", NULL, EINVAL},
	{NULL, "pgctrl |stop,", NULL, EINVAL},
	{NULL, "pgctrl reset", NULL, 0},
	{"%T add_device eth0", "pgctrl reset", NULL, 0},
	{NULL, "pgctrl reset |eth0", NULL, EINVAL},
	{NULL, "pgctrl|", NULL, EINVAL},
	{NULL, "pgctrl |count 5", NULL, EINVAL},
	{NULL, "pgctrl |add_device eth0", NULL, EINVAL},
	{NULL, "|Pgctrl start", NULL, ENODEV},
	// Threads: the same name once, another tag is another name.
	{NULL, "%T add_device eth0", "OK: add_device=eth0", 0},
	{NULL, "%T add_device eth0@1", "OK: add_device=eth0@1", 0},
	{"%T add_device eth0", "%T add_device eth0@1", "OK: add_device=eth0@1", 0},
	{"%T add_device eth0", "%T add_device |eth0", NULL, EBUSY},
	{"%T add_device eth0@1", "%T add_device |eth0@1", NULL, EBUSY},
	{NULL, "%T add_device 1234567890123456789012345678901",
		"OK: add_device=1234567890123456789012345678901", 0},
	{NULL, "%T add_device |1234567890123456789012345678901234567890123456789012345678901234",
		NULL, E2BIG},
	{NULL, "%T add_device |nosuch0", NULL, ENODEV},
	{NULL, "%T add_device |nosuch0@1", NULL, ENODEV},
	{NULL, "%T add_device|", NULL, EINVAL},
	{NULL, "%T add_device eth0 |eth1", NULL, EINVAL},
	{NULL, "%T max_before_softirq", "OK: Note! max_before_softirq is obsoleted -- Do not use",
		0},
	{NULL, "%T max_before_softirq 100",
		"OK: Note! max_before_softirq is obsoleted -- Do not use", 0},
	{NULL, "%T rem_device_all", "OK: rem_device_all", 0},
	{"%T add_device eth0", "%T rem_device_all", "OK: rem_device_all", 0},
	{"%T add_device eth0", "%T rem_device_all |eth0", NULL, EINVAL},
	{NULL, "%T |rem_device eth0", NULL, EINVAL},
	{NULL, "%T |start", NULL, EINVAL},
	{NULL, "%T |Add_device eth0", NULL, EINVAL},
	{NULL, "%T|", NULL, EINVAL},
	{NULL, "|kpktgend_ add_device eth0", NULL, ENODEV},
	{NULL, "|kpktgend_00 add_device eth0", NULL, ENODEV},
	{NULL, "|kpktgend_999 add_device eth0", NULL, ENODEV},
	{NULL, "|kpktgend_x add_device eth0", NULL, ENODEV},
	{NULL, "|eth0 count 5", NULL, ENODEV},
	{"%T add_device eth0;%T rem_device_all", "|eth0 count 5", NULL, ENODEV},
	{"%T add_device eth0;pgctrl reset", "|eth0 count 5", NULL, ENODEV},
	{"%T add_device eth0", "eth0 count 5", "OK: count=5", 0},
	{"%T add_device eth0", "|eth0@1 count 5", NULL, ENODEV},
};

static void
test_cases(void **state)
{
	for (size_t i = 0; i < DIM(cases); i++) {
		const char *before = cases[i].before;

		setup(state);
		while (before != NULL && *before != '\0') {
			size_t length = strcspn(before, ";");
			char line[200];

			snprintf(line, sizeof(line), "%.*s", (int)length, before);
			takes(line, NULL);
			before += length + (before[length] == ';');
		}
		if (cases[i].code != 0)
			refuse(cases[i].line, cases[i].code);
		else
			takes(cases[i].line, cases[i].reply);
		teardown(state);
	}
}

// What reading a thread shows: `Result: NA` at first, the newest device first (reference 3.1).
static void
test_thread_file(void **state)
{
	const char *newest_first =
		"Running: \nStopped: eth0@1 eth0 \nResult: OK: add_device=eth0@1\n";
	char *text;

	setup(state);
	text = seen();
	CHECK_TEXT(text, "Running: \nStopped: \nResult: NA\n", "a new thread");
	free(text);
	takes("%T add_device eth0", NULL);
	takes("%T add_device eth0@1", NULL);
	text = seen();
	CHECK(strncmp(text, newest_first, strlen(newest_first)) == 0, "%s", text);
	free(text);
	takes("%T rem_device_all", NULL);
	text = seen();
	CHECK_TEXT(text, "Running: \nStopped: \nResult: OK: rem_device_all\n", "after all");
	free(text);
	teardown(state);
}

// Nothing that Linux has is left out.
static void
test_every_row(void **state)
{
	(void)state;
	for (size_t l = 0; l < app_ncommands; l++) {
		for (size_t i = 0; i < app_commands[l]->count; i++) {
			const struct pg_command *row = &app_commands[l]->rows[i];
			char word[80];
			size_t k = 0;

			snprintf(word, sizeof(word), " %s", row->name);
			while (k < DIM(cases) && strstr(cases[k].line, word) == NULL)
				k++;
			CHECK(row->target == PG_TARGET_DEVICE || k < DIM(cases) ||
					(row->flags & PG_COMMAND_EXTENSION) != 0,
				"no test here for '%s'", row->name);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_thread_file),
		cmocka_unit_test(test_every_row),
	};

	return cmocka_run_group_tests_name(
		"reference targets", tests, support_eal_start, support_eal_stop);
}
