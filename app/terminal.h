/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>

/* The terminal that the prompt reads from: how it is set while a line is edited and while one
 * runs, and that it is set back whatever ends the program. */

/** Remember how standard input is set. False: it is no terminal. */
bool app_terminal_open(void);

/** Character by character: every key is the editor's. */
void app_terminal_edit(void);

/** The same, but Ctrl-C and Ctrl-Z are signals: while a line runs. */
void app_terminal_run(void);

/** As it was found. Context: any, a signal handler too. */
void app_terminal_restore(void);

/** Its lines and columns; COLUMNS and LINES, or 24 and 80, where it does not say. */
void app_terminal_size(int fd, unsigned int *lines, unsigned int *columns);

#endif
