/* SPDX-License-Identifier: BSD-3-Clause */
/* The control side: the thread that runs what the doors bring in, and the one that takes signals.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "pg_report.h"
#include "terminal.h"

#define LINE_MAX_BYTES 4096

/** A source of lines, read whole before it is run, or line by line from a descriptor. */
struct source {
	const char *name;
	char *text; /**< owned; NULL-terminated lines follow one another */
	size_t length;
};

static bool
told_to_quit(const struct app *app)
{
	return __atomic_load_n(&app->quit, __ATOMIC_RELAXED);
}

int
app_status_of(const struct pg_error *err)
{
	return err->fault == PG_FAULT_ENV ? APP_BAD_ENVIRONMENT : APP_BAD_INPUT;
}

int
app_print_error(const struct pg_error *err)
{
	fprintf(stderr, "pmdgen: %s%s%s\n", err->text, err->remedy[0] != '\0' ? "; " : "",
		err->remedy);
	return app_status_of(err);
}

void
app_stay_off(struct app *app, const cpu_set_t *polling)
{
	cpu_set_t stay = app->cpus;

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, polling))
			CPU_CLR(cpu, &stay);
	}
	if (CPU_COUNT(&stay) == 0)
		stay = app->cpus;
	app->stay = stay;
	(void)pthread_setaffinity_np(app->control, sizeof(stay), &stay);
	(void)pthread_setaffinity_np(app->signals, sizeof(stay), &stay);
	door_files_stay_off(app, &stay);
	app_live_stay_on(&stay);
}

void
app_thread_stay_off(const struct app *app)
{
	(void)pthread_setaffinity_np(pthread_self(), sizeof(app->stay), &app->stay);
}

void
app_run_polling(void *ctx, const cpu_set_t *cpus)
{
	app_stay_off(ctx, cpus);
	app_live_run(CPU_COUNT(cpus) > 0);
}

void
app_run_finished(void *ctx)
{
	struct app *app = ctx;

	if (app->options.dry_run != NULL) {
		pg_report_dry_run(app->engine, app->options.dry_run, app->out);
	} else {
		pg_report_run(app->engine, app->out);
		if (app->json_file != NULL)
			pg_report_json_run(app->report, app->engine);
	}
	if (pg_engine_run(app->engine)->fell_short && app->status == APP_OK)
		app->status = APP_FELL_SHORT;
}

static void
ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

// Sent to a worker whose driver sleeps: only the interruption counts.
static void
ignore_kick(int sig)
{
	(void)sig;
}

void
app_signals_block(void)
{
	const struct sigaction kick = {.sa_handler = ignore_kick}; // no SA_RESTART
	sigset_t set;

	ending_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigaction(PG_KICK_SIGNAL, &kick, NULL);
}

// SIGINT ends the run, a second one the program; without a run the first does. SIGTERM ends both:
// who sends it (timeout, a service manager) sends it once.
void *
app_signals_main(void *arg)
{
	struct app *app = arg;
	uint64_t one = 1;
	sigset_t set;
	int sig, seen = 0;
	bool quit = false;

	ending_signals(&set);
	app_prompt_signals(&set);
	while (sigwait(&set, &sig) == 0) {
		bool ran;

		if (app_prompt_take_signal(sig))
			continue;

		// Told before, and still here: whatever holds control up is not worth waiting for.
		if (quit) {
			app_terminal_restore();
			door_files_abandon(app);
			signal(sig, SIG_DFL);
			pthread_sigmask(SIG_UNBLOCK, &set, NULL);
			raise(sig);
		}
		ran = pg_engine_stop(app->engine, true);

		if (++seen > 1 || !ran || sig == SIGTERM) {
			quit = true;
			__atomic_store_n(&app->quit, true, __ATOMIC_RELAXED);
			if (write(app->quit_fd, &one, sizeof(one)) < 0)
				break;
		}
	}
	return NULL;
}

static int
run_line(struct app *app, const char *name, size_t number, const char *line)
{
	struct pg_error err = {0};
	struct pg_reply reply;
	int rc;

	pg_engine_lock(app->engine);
	rc = pg_lang_run(app->lang, line, &reply, &err);
	pg_engine_unlock(app->engine);
	if (rc == 0)
		return 0;
	pg_lang_print_error(stderr, name, number, line, &err);
	app->status = app_status_of(&err);
	return -1;
}

static int
check_line(struct app *app, const char *name, size_t number, const char *line)
{
	struct pg_error err = {0};
	int rc;

	pg_engine_lock(app->engine);
	rc = pg_lang_check(app->lang, line, &err);
	pg_engine_unlock(app->engine);
	if (rc == 0)
		return 0;
	pg_lang_print_error(stderr, name, number, line, &err);
	app->status = app_status_of(&err);
	return -1;
}

typedef int (*line_fn)(struct app *app, const char *name, size_t number, const char *line);

static int
each_line(struct app *app, const struct source *source, line_fn fn)
{
	size_t number = 0;

	pg_lang_rewind(app->lang);
	for (const char *line = source->text; line < source->text + source->length;
		line += strlen(line) + 1) {
		if (fn == run_line && told_to_quit(app))
			return -1;
		if (fn(app, source->name, ++number, line) < 0)
			return -1;
	}
	return 0;
}

static int
refuse_file(struct app *app, const char *name, const char *why)
{
	fprintf(stderr, "pmdgen: %s: %s\n", name, why);
	app->status = APP_BAD_INPUT;
	return -1;
}

// Read a file; each line ends with a NUL afterwards. The file may lack the last newline.
static int
load_file(struct app *app, struct source *source)
{
	FILE *file = fopen(source->name, "re");
	size_t room = 0;
	ssize_t got;

	if (file == NULL)
		return refuse_file(app, source->name, strerror(errno));
	errno = 0;
	got = getdelim(&source->text, &room, '\0', file);
	if (got < 0 && (ferror(file) || errno != 0)) {
		fclose(file);
		return refuse_file(app, source->name, strerror(errno));
	}
	if (getc(file) != EOF || (got > 0 && strlen(source->text) != (size_t)got)) {
		fclose(file);
		return refuse_file(app, source->name, "not a text file: it holds a NUL byte");
	}
	fclose(file);
	source->length = got > 0 ? (size_t)got : 0;
	for (size_t i = 0; i < source->length; i++) {
		if (source->text[i] == '\n')
			source->text[i] = '\0';
	}
	return 0;
}

static int
load_exec(struct app *app, struct source *source)
{
	FILE *out = open_memstream(&source->text, &source->length);

	source->name = "-e";
	if (out == NULL)
		return refuse_file(app, source->name, strerror(errno));
	for (int i = 0; i < app->options.nlines; i++) {
		fputs(app->options.lines[i], out);
		fputc('\0', out);
	}
	fclose(out);
	return 0;
}

// Wait until standard input can be read. False: the program shall end.
static bool
wait_input(const struct app *app)
{
	struct pollfd fds[2] = {
		{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = app->quit_fd, .events = POLLIN}};

	while (!told_to_quit(app)) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents != 0)
			return true;
	}
	return false;
}

// Standard input may be a pipe that someone goes on writing to: run line by line.
static int
run_input(struct app *app)
{
	char buffer[LINE_MAX_BYTES];
	size_t used = 0, number = 0;
	ssize_t got = 1;
	int rc = 0;

	pg_lang_rewind(app->lang);
	while (rc == 0 && got > 0 && wait_input(app)) {
		char *line = buffer, *end;

		got = read(STDIN_FILENO, buffer + used, sizeof(buffer) - 1 - used);
		if (got < 0)
			return refuse_file(app, "-", strerror(errno));
		used += got;
		if (got == 0 && used > 0) // the last line may lack its newline
			buffer[used++] = '\n';
		while (rc == 0 && !told_to_quit(app) &&
			(end = memchr(line, '\n', buffer + used - line)) != NULL) {
			*end = '\0';
			if (strlen(line) != (size_t)(end - line))
				return refuse_file(app, "-", "a line holds a NUL byte");
			rc = run_line(app, "-", ++number, line);
			line = end + 1;
		}
		used -= line - buffer;
		memmove(buffer, line, used);
		if (used == sizeof(buffer) - 1)
			return refuse_file(app, "-", "a line is longer than 4094 characters");
	}
	return rc;
}

// Everything but standard input is checked before anything runs.
static int
run_sources(struct app *app)
{
	int n = app->options.nfiles + 1, rc = 0;
	bool checkable = true; // what follows standard input may need what it brings
	struct source *sources = calloc(n, sizeof(*sources));

	if (sources == NULL) {
		app->status = APP_BAD_ENVIRONMENT;
		return -1;
	}
	for (int i = 0; rc == 0 && i < n; i++) {
		bool file = i < app->options.nfiles;

		if (file)
			sources[i].name = app->options.files[i];
		if (file && strcmp(sources[i].name, "-") == 0) {
			checkable = false;
			continue;
		}
		rc = file ? load_file(app, &sources[i]) : load_exec(app, &sources[i]);
		if (rc == 0 && checkable)
			rc = each_line(app, &sources[i], check_line);
	}
	for (int i = 0; rc == 0 && i < n; i++) {
		if (sources[i].text == NULL && strcmp(sources[i].name, "-") == 0)
			rc = run_input(app);
		else
			rc = each_line(app, &sources[i], run_line);
	}
	for (int i = 0; i < n; i++)
		free(sources[i].text);
	free(sources);
	return rc;
}

// Does a door go on when files and lines are through?
static bool
serves(const struct app *app)
{
	return app->options.serve || app->options.control != NULL;
}

// Until a signal.
static void
serve(struct app *app)
{
	struct pollfd fd = {.fd = app->quit_fd, .events = POLLIN};

	while (!told_to_quit(app) && (poll(&fd, 1, -1) >= 0 || errno == EINTR))
		;
	door_files_served(app);
}

void *
app_control_main(void *arg)
{
	struct app *app = arg;
	bool nothing = app->options.nfiles == 0 && app->options.nlines == 0;
	int refused = door_files_open(app), rc = 0;

	app_telemetry_open(app);
	if (refused >= 0)
		app->status = refused;
	else if (!nothing || app->options.interactive)
		rc = run_sources(app);
	else if (!serves(app))
		(void)run_input(app);
	if (refused < 0 && rc == 0 && app->options.interactive)
		app_prompt_main(app);
	else if (serves(app) && app->status != APP_BAD_INPUT && app->status != APP_BAD_ENVIRONMENT)
		serve(app);
	app_telemetry_close(app);
	door_files_close(app);
	pg_engine_quit(app->engine);
	return NULL;
}
