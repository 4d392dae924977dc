/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <rte_common.h>

#include "terminal.h"

#define LINES_DEFAULT   24
#define COLUMNS_DEFAULT 80

/** What ends a program at once. */
static const int fatal[] = {
	SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP, SIGQUIT, SIGHUP};

static struct termios found;
static struct sigaction before[RTE_DIM(fatal)];
static volatile sig_atomic_t opened, changed;

// A program in the background leaves the terminal to the one that has it.
static bool
in_foreground(void)
{
	pid_t group = tcgetpgrp(STDIN_FILENO);

	return group < 0 || group == getpgrp();
}

void
app_terminal_restore(void)
{
	int saved = errno;

	if (changed && in_foreground()) {
		changed = 0;
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
	}
	errno = saved;
}

// The signal comes again when this returns, and finds what was there before.
static void
set_back(int sig)
{
	app_terminal_restore();
	for (size_t i = 0; i < RTE_DIM(fatal); i++) {
		if (fatal[i] == sig)
			sigaction(sig, &before[i], NULL);
	}
	raise(sig);
}

bool
app_terminal_open(void)
{
	struct sigaction action = {.sa_handler = set_back};

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &found) < 0)
		return false;
	for (size_t i = 0; i < RTE_DIM(fatal); i++) {
		sigaction(fatal[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &action, NULL);
	}
	opened = 1;
	atexit(app_terminal_restore);
	return true;
}

static void
set(bool signals)
{
	struct termios raw = found;

	if (!opened)
		return;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	if (!signals)
		raw.c_lflag &= ~(tcflag_t)ISIG;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	changed = 1;
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

void
app_terminal_edit(void)
{
	set(false);
}

void
app_terminal_run(void)
{
	set(true);
}

static unsigned int
from_environment(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);
	long n = text != NULL ? strtol(text, NULL, 10) : 0;

	return n > 0 && n < 10000 ? (unsigned int)n : otherwise;
}

void
app_terminal_size(int fd, unsigned int *lines, unsigned int *columns)
{
	struct winsize size = {0};

	(void)ioctl(fd, TIOCGWINSZ, &size);
	*lines = size.ws_row > 0 ? size.ws_row : from_environment("LINES", LINES_DEFAULT);
	*columns = size.ws_col > 0 ? size.ws_col : from_environment("COLUMNS", COLUMNS_DEFAULT);
}
