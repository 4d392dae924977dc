/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_PRIV_H
#define LANG_PRIV_H

#include "pg_lang.h"

/** Take the next token: a run of characters other than pktgen's separators (space, tab, newline,
 *  carriage return, `"`, `=`); a token that starts with `#` ends the line.
 *  Shape:   *cursor moves behind the token; out[size]; *column of the token, from 1.
 *  Errors:  0 if there is none, 1 if there is one, -E2BIG if it does not fit. */
int lang_token(const char *line, const char **cursor, char *out, size_t size, unsigned int *column);

/** Take the rest of the line without blanks and comment at its end; as lang_token() otherwise. */
int lang_rest(const char *line, const char **cursor, char *out, size_t size, unsigned int *column);

/** A device as checked lines have it so far. */
struct lang_draft {
	char name[PG_TARGET_MAX];
	char thread[PG_TARGET_MAX]; /**< the target that added it; empty: it was there before */
	bool removed;
	struct lang_draft *next;
	_Alignas(16) char settings[]; /**< the world's device_settings_size */
};

struct lang_drafts {
	void *tree; /**< tsearch() by name */
	struct lang_draft *first;
};

/** NULL: no such draft; a removed one is found. */
struct lang_draft *lang_draft_find(struct lang_drafts *drafts, const char *name);
/** A draft with zeroed settings, new or anew. NULL: out of memory. */
struct lang_draft *lang_draft_make(
	struct lang_drafts *drafts, const char *name, const char *thread, size_t size);
/** Mark the drafts of a thread, or all (NULL), as removed. */
void lang_drafts_remove(struct lang_drafts *drafts, const char *thread);
void lang_drafts_fini(struct lang_drafts *drafts);

/** A suffix of a number and what it multiplies by; lists end with a NULL name. */
struct lang_suffix {
	const char *name;
	uint64_t scale;
};

/** Read a whole number with an optional suffix; a fraction is allowed where the suffix makes the
 *  result whole. Errors: -EINVAL not a number, -EDOM not whole, -ERANGE above 64 bits. */
int lang_number(const char *text, const struct lang_suffix *suffix, uint64_t *value);

/** Number of edits between two words, at most `limit` + 1 (insert, delete, replace, swap). */
unsigned int lang_distance(const char *a, const char *b, unsigned int limit);

/** Keeps the nearest of the candidates offered to it. */
struct lang_nearest {
	const char *word;
	const char *best;
	unsigned int distance;
};

void lang_nearest_init(struct lang_nearest *nearest, const char *word);
void lang_nearest_offer(struct lang_nearest *nearest, const char *candidate);

/** Append `; did you mean 'x'?` to an error's expectation if a candidate was near enough. */
void lang_nearest_tell(const struct lang_nearest *nearest, struct pg_error *err);

#endif
