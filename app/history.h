/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HISTORY_H
#define HISTORY_H

struct rdline;

/* The lines that were typed, kept in $XDG_STATE_HOME/pmdgen/history. */

/** Read the last lines into an editor, and open the file for more.
 *  Errors: -1: no file is kept; nothing depends on it. Else a descriptor, the caller's. */
int app_history_open(struct rdline *rdl);

/** Put a line at the end of an editor's lines and of the file. fd may be -1. */
void app_history_add(struct rdline *rdl, int fd, const char *line);

#endif
