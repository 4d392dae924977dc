/* SPDX-License-Identifier: BSD-3-Clause */
/* The prompt. On a terminal librte_cmdline's editor makes the lines, and a mistake only costs the
 * line; from a pipe they come as they are, each is echoed behind its prompt so that what comes out
 * reads like a session, and a mistake shows in the exit status. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmdline_rdline.h>

#include "history.h"
#include "prompt.h"
#include "terminal.h"

#define PROMPT_MAX 31 // librte_cmdline's, without the NUL
#define EDITED_MAX 511
#define CTRL(c)    ((c)&0x1f)

static struct prompt prompt = {.history = -1, .wake = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static bool
told_to_quit(void)
{
	return __atomic_load_n(&prompt.app->quit, __ATOMIC_RELAXED);
}

void
app_prompt_init(struct app *app)
{
	sigset_t set;

	if (!app->options.interactive)
		return;
	prompt.app = app;
	if (!isatty(fileno(app->out)) || !app_terminal_open())
		return;
	prompt.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sigemptyset(&set);
	app_prompt_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void
app_prompt_signals(sigset_t *set)
{
	if (prompt.wake < 0)
		return;
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGCONT);
}

static void
wake(void)
{
	uint64_t one = 1;

	if (write(prompt.wake, &one, sizeof(one)) < 0)
		return; // it is awake already
}

bool
app_prompt_take_signal(int sig)
{
	bool taken = true;

	if (prompt.wake < 0)
		return false;
	switch (sig) {
	case SIGTSTP:
		app_terminal_restore();
		kill(getpid(), SIGSTOP);
		return true;
	case SIGCONT:
		wake();
		return true;
	case SIGINT: // ends what runs, never the program
		pthread_mutex_lock(&prompt.lock);
		taken = prompt.active;
		if (taken)
			(void)pg_engine_stop(prompt.app->engine, prompt.running);
		pthread_mutex_unlock(&prompt.lock);
		return taken;
	default:
		return false;
	}
}

// Long names lose their middle.
static void
prompt_text(char *out, size_t size)
{
	const char *section = pg_lang_section(prompt.lang);
	int length = (int)strlen(section), room = PROMPT_MAX - (int)strlen("pmdgen > ");

	if (section[0] == '\0')
		snprintf(out, size, "pmdgen> ");
	else if (length <= room)
		snprintf(out, size, "pmdgen %s> ", section);
	else
		snprintf(out, size, "pmdgen %.9s..%s> ", section, section + length - (room - 11));
}

static void
set_running(bool running)
{
	pthread_mutex_lock(&prompt.lock);
	prompt.running = running;
	if (!running)
		pg_engine_stop_forget(prompt.app->engine);
	pthread_mutex_unlock(&prompt.lock);
}

static void
set_active(bool active)
{
	pthread_mutex_lock(&prompt.lock);
	prompt.active = active;
	pthread_mutex_unlock(&prompt.lock);
}

static void
run_line(const char *line)
{
	struct app *app = prompt.app;
	struct pg_error err = {0};
	struct pg_reply reply;
	int rc;

	pg_engine_lock(app->engine);
	rc = pg_lang_run(prompt.lang, line, &reply, &err);
	pg_engine_unlock(app->engine);
	fflush(app->out);
	if (rc == 0)
		return;
	pg_lang_print_error(stderr, "prompt", prompt.number, line, &err);
	if (prompt.rdl == NULL)
		app->status = app_status_of(&err);
}

static void
refuse(const char *what)
{
	fflush(prompt.app->out);
	fprintf(stderr, "prompt:%zu:1: %s\n", prompt.number, what);
	if (prompt.rdl == NULL)
		prompt.app->status = APP_BAD_INPUT;
}

static bool
is_quit(const char *line)
{
	char word[5], more;

	return sscanf(line, "%4s %c", word, &more) == 1 && strcmp(word, "quit") == 0;
}

// prompt.line is whole: run it.
static void
take_line(void)
{
	prompt.number++;
	if (prompt.overlong)
		refuse(prompt.rdl != NULL ? "the line is longer than 511 characters"
					  : "the line is longer than 4095 characters");
	else if (strlen(prompt.line) != prompt.length)
		refuse("the line holds a NUL byte");
	else if (is_quit(prompt.line))
		prompt.end = prompt.quit = true;
	else
		run_line(prompt.line);
	prompt.overlong = false;
	prompt.length = 0;
}

static int
write_char(struct rdline *rdl, char c)
{
	(void)rdl;
	return putc(c, prompt.app->out) == EOF ? -1 : 1;
}

static void
edited(struct rdline *rdl, const char *line, unsigned int size)
{
	(void)rdl;
	(void)size;
	snprintf(prompt.line, sizeof(prompt.line), "%.*s", (int)strcspn(line, "\n"), line);
	prompt.length = strlen(prompt.line);
	prompt.whole = true;
}

static void
new_line(void)
{
	char text[PROMPT_MAX + 1];

	prompt_text(text, sizeof(text));
	if (prompt.rdl != NULL) {
		app_terminal_edit();
		rdline_newline(prompt.rdl, text);
	} else if (!prompt.app->options.quiet)
		fputs(text, prompt.app->out);
	prompt.whole = false;
	fflush(prompt.app->out);
}

// A key of the terminal; true: a line is whole.
static bool
edit(char c)
{
	int rc;

	switch (c) {
	case CTRL('c'):
		fputs("^C\r\n", prompt.app->out);
		prompt.overlong = false;
		new_line();
		return false;
	case CTRL('z'):
		kill(0, SIGTSTP);
		return false;
	}
	// The editor drops what has no room, and half a line must not run.
	if (isprint((unsigned char)c) && strcspn(rdline_get_buffer(prompt.rdl), "\n") >= EDITED_MAX)
		prompt.overlong = true;
	rc = rdline_char_in(prompt.rdl, c);
	if (rc == RDLINE_RES_EOF || rc == RDLINE_RES_EXITED)
		prompt.end = true;
	if (prompt.whole)
		app_history_add(prompt.rdl, prompt.history, prompt.overlong ? "" : prompt.line);
	return prompt.whole;
}

// A byte of a pipe.
static bool
collect(char c)
{
	if (c == '\n') {
		prompt.line[prompt.length] = '\0';
		if (!prompt.app->options.quiet)
			fprintf(prompt.app->out, "%s\n", prompt.line);
		return true;
	}
	if (prompt.length < sizeof(prompt.line) - 1)
		prompt.line[prompt.length++] = c;
	else
		prompt.overlong = true;
	return false;
}

static void
take_bytes(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n && !prompt.end && !told_to_quit(); i++) {
		if (!(prompt.rdl != NULL ? edit(bytes[i]) : collect(bytes[i])))
			continue;
		if (prompt.rdl != NULL)
			app_terminal_run();
		set_running(true);
		take_line();
		set_running(false);
		if (!prompt.end && !told_to_quit())
			new_line();
	}
	fflush(prompt.app->out);
}

// The program was stopped and goes on: the terminal is as others left it.
static void
come_back(void)
{
	uint64_t count;

	if (read(prompt.wake, &count, sizeof(count)) < 0)
		return;
	app_terminal_edit();
	fputs("\r\n", prompt.app->out);
	rdline_redisplay(prompt.rdl);
	fflush(prompt.app->out);
}

static void
read_lines(void)
{
	struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = prompt.app->quit_fd, .events = POLLIN},
		{.fd = prompt.wake, .events = POLLIN}};
	char bytes[512];
	ssize_t got;

	new_line();
	while (!prompt.end && !told_to_quit()) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			break;
		if (fds[2].revents != 0 && prompt.rdl != NULL)
			come_back();
		if (fds[0].revents == 0)
			continue;
		got = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0) {
			// The last line may lack its newline.
			if (prompt.rdl == NULL && prompt.length > 0)
				take_bytes("\n", 1);
			break;
		}
		take_bytes(bytes, (size_t)got);
	}
}

void
app_prompt_main(struct app *app)
{
	const struct pg_world world = app_world(app);

	prompt.app = app;
	prompt.lang = pg_lang_create(app_commands, app_ncommands, &world);
	if (prompt.lang != NULL && prompt.wake >= 0)
		prompt.rdl = rdline_new(write_char, edited, prompt_complete, &prompt);
	if (prompt.lang == NULL || (prompt.wake >= 0 && prompt.rdl == NULL)) {
		fprintf(stderr, "pmdgen: out of memory\n");
		app->status = APP_BAD_ENVIRONMENT;
		goto out;
	}
	pg_lang_imply_control(prompt.lang);
	if (prompt.rdl != NULL)
		prompt.history = app_history_open(prompt.rdl);
	set_active(prompt.rdl != NULL);
	read_lines();
	set_active(false);
	if (!prompt.quit && !(prompt.rdl == NULL && app->options.quiet))
		fputc('\n', app->out);
	fflush(app->out);
	app_terminal_restore();
	if (prompt.history >= 0)
		close(prompt.history);
out:
	prompt_choices_free(&prompt.choices);
	rdline_free(prompt.rdl);
	pg_lang_destroy(prompt.lang);
}
