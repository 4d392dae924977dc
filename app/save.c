/* SPDX-License-Identifier: BSD-3-Clause */
/* `pgctrl save`: a command file that makes all of this again. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_common.h>

#include "app.h"
#include "pg_version.h"

static void
save_control(struct app *app, FILE *out)
{
	const struct pg_ports *ports = pg_engine_ports(app->engine);
	const char *devargs;
	struct pg_moment moment;
	uint64_t seed;
	bool fixed = pg_engine_seed(app->engine, &seed);
	bool linux_walks = pg_engine_compat(app->engine) == PG_COMPAT_LINUX;

	bool waits = pg_engine_start_at(app->engine, &moment) && moment.relative;

	if (pg_ports_attached(ports, 0) == NULL && !fixed && !linux_walks && !waits)
		return;
	fputs("\n[pgctrl]\n", out);
	for (size_t i = 0; (devargs = pg_ports_attached(ports, i)) != NULL; i++)
		fprintf(out, "attach %s\n", devargs);
	if (fixed)
		fprintf(out, "seed %" PRIu64 "\n", seed);
	if (linux_walks)
		fputs("compat linux\n", out);
	if (waits)
		fprintf(out, "start_at +%" PRIu64 "\n", moment.ns);
}

// All devices first, in the order of adding over all threads: it decides who shares what.
static void
save_threads(struct app *app, FILE *out)
{
	const struct pg_thread *thread = NULL;
	const struct pg_device *device;

	TAILQ_FOREACH(device, pg_engine_devices(app->engine), in_engine)
	{
		if (device->thread != thread)
			fprintf(out, "\n[kpktgend_%u]\n", device->thread->lcore);
		thread = device->thread;
		fprintf(out, "add_device %s\n", device->name);
	}
}

static int
save_devices(struct app *app, FILE *out, struct pg_error *err)
{
	const struct pg_device *device;
	uint32_t debug = pg_debug();
	int rc = 0;

	TAILQ_FOREACH(device, pg_engine_devices(app->engine), in_engine)
	{
		char *lines = NULL;
		size_t size = 0;
		FILE *memory = open_memstream(&lines, &size);

		if (memory == NULL)
			return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
		rc = pg_device_save(device, memory, err);
		if (debug > 0) // one for all devices
			fprintf(memory, "debug %" PRIu32 "\n", debug);
		debug = 0;
		fclose(memory);
		if (rc == 0 && size > 0)
			fprintf(out, "\n[%s]\n%s", device->name, lines);
		free(lines);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
save_all(struct app *app, FILE *out, struct pg_error *err)
{
	fprintf(out, "# Saved by pmdgen %s.\n", PG_VERSION);
	save_control(app, out);
	save_threads(app, out);
	return save_devices(app, out, err);
}

static int
cannot_write(const char *name, int code, struct pg_error *err)
{
	pg_error_set(err, PG_FAULT_ENV, code, "cannot write %.200s: %s", name, strerror(code));
	return pg_error_remedy(err, "name a file in a directory that you can write");
}

static int
put(int fd, const char *text, size_t size)
{
	ssize_t done = 1;

	for (; size > 0 && done > 0; text += done, size -= done) {
		do {
			done = write(fd, text, size);
		} while (done < 0 && errno == EINTR);
		if (done < 0)
			return -errno;
	}
	return 0;
}

// A file that is there is replaced by a whole one or stays; a device or a pipe is written to.
static int
write_file(const char *name, const char *text, size_t size, struct pg_error *err)
{
	char path[PG_TEXT_MAX + 16];
	bool replace;
	struct stat st;
	int fd, rc;

	replace = stat(name, &st) < 0 ? errno == ENOENT : S_ISREG(st.st_mode);
	snprintf(path, sizeof(path), replace ? "%s.%ld" : "%s", name, (long)getpid());
	// Nonblocking, so that a pipe nobody reads is an error and no wait.
	fd = open(path, O_WRONLY | O_CLOEXEC | (replace ? O_CREAT | O_EXCL : O_NONBLOCK), 0666);
	if (fd < 0)
		return cannot_write(name, errno, err);
	rc = put(fd, text, size);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && replace && rename(path, name) < 0)
		rc = -errno;
	if (rc < 0 && replace)
		unlink(path);
	return rc < 0 ? cannot_write(name, -rc, err) : 0;
}

static int
run_save(const struct pg_call *call)
{
	struct app *app = call->ctx;
	const char *name = call->value->text;
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	int rc;

	if (memory == NULL)
		return pg_error_set(call->err, PG_FAULT_ENV, ENOMEM, "out of memory");
	rc = save_all(app, memory, call->err);
	fclose(memory);
	if (rc == 0 && strcmp(name, "-") == 0)
		fputs(text, app->out);
	else if (rc == 0)
		rc = write_file(name, text, size, call->err);
	free(text);
	return rc;
}

static int
run_help(const struct pg_call *call)
{
	struct app *app = call->ctx;
	const char *word = call->value->text;

	call->reply->text[0] = '\0';
	if (word[0] != '\0')
		return pg_lang_help(app_commands, app_ncommands, word, app->out, call->err);
	pg_lang_help_all(app_commands, app_ncommands, app->out);
	return 0;
}

static const struct pg_command rows[] = {
	{
		.target = PG_TARGET_CONTROL,
		.name = "save",
		.run = run_save,
		.arg = {.type = &pg_type_line,
			.complete = PG_COMPLETE_FILES,
			.unit = "a file's name, or - for standard output,"},
		.flags = PG_COMMAND_ANYTIME | PG_COMMAND_EXTENSION,
		.help = "write a command file that adds all devices again, with their settings",
		.example = "pgctrl save mine.pktgen",
	},
	{
		.target = PG_TARGET_CONTROL,
		.name = "help",
		.run = run_help,
		.arg = {.type = &pg_type_text,
			.max = PG_TARGET_MAX - 1,
			.complete = PG_COMPLETE_HELP,
			.optional = true,
			.unit = "a command or a word it takes, or nothing,"},
		.flags = PG_COMMAND_ANYTIME | PG_COMMAND_EXTENSION,
		.help = "print what a command or a named value does",
		.example = "pgctrl help count",
	},
};

const struct pg_command_list app_save_commands = {rows, RTE_DIM(rows)};
