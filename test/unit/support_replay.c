/* SPDX-License-Identifier: BSD-3-Clause */
/* A boot of the guest: the engine, its workers, the program's world; and its files. */
#include "support_replay.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include <rte_lcore.h>

#include "pg_report.h"
#include "support.h"

static void
replace(char *line, const char *old, const char *new)
{
	char *found;

	while ((found = strstr(line, old)) != NULL) {
		memmove(found + strlen(new), found + strlen(old), strlen(found + strlen(old)) + 1);
		memcpy(found, new, strlen(new));
	}
}

// DESIGN 8: "IPSEC needs xfrm | as a kernel without CONFIG_XFRM": such a kernel's texts have
// neither the flag nor its bit. Returns whether there was any.
static bool
without_xfrm(char *line)
{
	size_t length = strlen(line);
	char *found = line, *end, digits[20];

	while ((found = strstr(found, "OK: flags=0x")) != NULL) {
		unsigned long flags = strtoul(found + 12, &end, 16);
		int n = snprintf(digits, sizeof(digits), "%lx", flags & ~0x1000ul);

		if (flags & 0x1000 && n == (int)(end - found - 12)) {
			memcpy(found + 12, digits, n);
			length = 0;
		}
		found = end;
	}
	while ((found = strstr(line, "  spi:")) != NULL)
		memmove(found, found + 6 + strspn(found + 6, "0123456789"),
			strlen(found + 6 + strspn(found + 6, "0123456789")) + 1);
	replace(line, "IPSEC  ", "");
	replace(line, "FLOW_SEQ, IPSEC, ", "FLOW_SEQ, ");
	return strlen(line) != length;
}

json_t *
replay_load(const char *path)
{
	json_t *list = json_array();
	char *line = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "r");

	CHECK(file != NULL, "no %s", path);
	while (getline(&line, &size, file) > 0) {
		bool ipsec = without_xfrm(line);
		json_error_t error;
		json_t *step = json_loadb(line, strlen(line), JSON_ALLOW_NUL, &error);

		CHECK(step != NULL, "%s: %s", path, error.text);
		if (ipsec)
			json_object_set_new(step, "ipsec", json_true());
		json_array_append_new(list, step);
	}
	free(line);
	fclose(file);
	return list;
}

const char *
replay_text(const json_t *step, const char *key)
{
	return json_string_value(json_object_get(step, key));
}

// As EAL's lcores run it; the lcore's number is what pools keep their caches by.
static void *
work(void *arg)
{
	struct pg_thread *thread = arg;

	RTE_PER_LCORE(_lcore_id) = thread->lcore;
	pg_engine_worker(thread);
	return NULL;
}

static struct pg_world world;

static struct pg_lang *
speaker(struct replay *replay)
{
	struct pg_lang *lang;

	world = app_world(&replay->app);
	lang = pg_lang_create(app_commands, app_ncommands, &world);
	assert_non_null(lang);
	return lang;
}

void
replay_boot(struct replay *replay, const struct pg_dry_sink *dry)
{
	struct pg_engine_config config = {
		.ports = &replay_ports, .clock = &replay->clock, .dry = dry};
	struct pg_error err = {0};

	guest_reset();
	pg_clock_init(&replay->clock);
	pg_clock_settle(&replay->clock, 1000000);
	replay->app.out = fopen("/dev/null", "w");
	replay->app.engine = pg_engine_create(&config, &err);
	CHECK(replay->app.engine != NULL, "%s", err.text);
	pg_engine_set_compat(replay->app.engine, PG_COMPAT_LINUX);
	replay->lang = speaker(replay);
	for (size_t i = 0; i < REPLAY_STARTERS; i++)
		replay->starter[i] =
			(struct replay_starter){.replay = replay, .lang = speaker(replay)};
	for (unsigned int i = 0; i < DIM(replay->worker); i++) {
		struct pg_thread *thread = pg_engine_thread(replay->app.engine, i);

		CHECK(thread != NULL, "no lcore %u", i);
		assert_int_equal(pthread_create(&replay->worker[i], NULL, work, thread), 0);
	}
	replay->device[0] = '\0';
	memset(replay->seen, 0, sizeof(replay->seen));
}

void
replay_halt(struct replay *replay)
{
	pg_engine_stop(replay->app.engine, false);
	for (size_t i = 0; i < REPLAY_STARTERS; i++) {
		if (replay->starter[i].used)
			pthread_join(replay->starter[i].thread, NULL);
		pg_lang_destroy(replay->starter[i].lang);
	}
	guest_settle();
	pg_engine_quit(replay->app.engine);
	for (unsigned int i = 0; i < DIM(replay->worker); i++)
		pthread_join(replay->worker[i], NULL);
	pg_lang_destroy(replay->lang);
	pg_engine_destroy(replay->app.engine);
	fclose(replay->app.out);
}

ssize_t
replay_write(struct replay *replay, struct pg_lang *lang, const char *file, const char *bytes,
	size_t size, const char *after)
{
	// Of exactly that size, so that a sanitizer sees who reads on.
	char *copy = malloc(size + strlen(after) + 1);
	ssize_t ret;

	assert_non_null(copy);
	if (!pg_engine_running(replay->app.engine))
		guest_settle();
	memcpy(copy, bytes, size);
	memcpy(copy + size, after, strlen(after) + 1);
	pg_engine_lock(replay->app.engine);
	ret = pg_lang_write(lang, file, copy, size);
	pg_engine_unlock(replay->app.engine);
	free(copy);
	return ret;
}

struct pg_device *
replay_device(struct replay *replay, const char *name)
{
	return pg_engine_device(replay->app.engine, name);
}

bool
replay_read(struct replay *replay, const char *file, char *text)
{
	struct pg_engine *engine = replay->app.engine;
	struct pg_device *device = NULL;
	unsigned int lcore = 0;
	FILE *out;

	text[0] = '\0';
	if (strcmp(file, "pgctrl") != 0 && sscanf(file, "kpktgend_%u", &lcore) != 1) {
		device = pg_engine_device(engine, file);
		if (device == NULL)
			return false;
	}
	out = fmemopen(text, REPLAY_TEXT_MAX, "w");
	assert_non_null(out);
	pg_engine_lock(engine);
	if (device != NULL) {
		pg_device_refresh(device);
		pg_report_device(device, out);
	} else if (strcmp(file, "pgctrl") == 0) {
		pg_report_control(out);
	} else {
		pg_report_thread(engine, pg_engine_thread(engine, lcore), out);
	}
	pg_engine_unlock(engine);
	fclose(out);
	return true;
}

void
replay_result(const char *text, char *result)
{
	const char *found = strstr(text, "Result: ");
	size_t length;

	snprintf(result, REPLAY_TEXT_MAX, "%s", found != NULL ? found + 8 : "");
	length = strlen(result);
	if (length > 0 && result[length - 1] == '\n')
		result[length - 1] = '\0';
}
