/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROMPT_H
#define PROMPT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "app.h"

struct rdline;

#define PROMPT_LINE_MAX 4096 /**< of a line from a pipe; the editor's are shorter */

/** What can be said at the place where a line ends, as it is listed. */
struct prompt_choices {
	char **text;    /**< what may stand there */
	char **line;    /**< and how it is listed */
	size_t n, head; /**< head: lines before the first choice */
};

/** The prompt. control thread: rw, but for what is said below. */
struct prompt {
	struct app *app;
	struct pg_lang *lang; /**< a speaker of its own: the current target is the prompt's */
	struct rdline *rdl;   /**< NULL: standard input is no terminal */
	struct prompt_choices choices;
	char line[PROMPT_LINE_MAX];
	size_t length;
	bool overlong, whole;
	bool end, quit; /**< no further line; because it was said */
	size_t number;  /**< of the line, for errors */
	int history;    /**< descriptor; -1: none */
	int wake;       /**< eventfd: the terminal has to be set again */
	pthread_mutex_t lock;
	/* Under lock, for the thread that takes signals. */
	bool active;  /**< the editor is there: Ctrl-C does not end the program */
	bool running; /**< a line runs */
};

/** The editor's callback for Tab (*state 0) and ? (*state -1). */
int prompt_complete(struct rdline *rdl, const char *line, char *out, unsigned int size, int *state);
void prompt_choices_free(struct prompt_choices *choices);

#endif
