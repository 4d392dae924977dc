/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_PRIV_H
#define LANG_PRIV_H

#include "pg_lang.h"

#define KERNEL_DIGITS 10 /**< of a decimal number in a control file (reference 1.1) */
#define KERNEL_TEXT   32 /**< a word or address there, with its NUL */
#define KERNEL_IP6    128

/** Take the next token: a run of characters other than pktgen's separators (space, tab, newline,
 *  carriage return, `"`, `=`); a token that starts with `#` ends the line.
 *  Shape:   *cursor moves behind the token; out[size]; *column of the token, from 1.
 *  Errors:  0 if there is none, 1 if there is one, -E2BIG if it does not fit. */
int lang_token(const char *line, const char **cursor, char *out, size_t size, unsigned int *column);

/** Is this one of the separators? A NUL is none. */
bool lang_is_separator(char c);

/** Skip separators; take a run of other bytes, at most size - 1, and end it by a NUL. */
void lang_scan_word(struct pg_scan *scan, char *out, size_t size);
void lang_scan_blanks(struct pg_scan *scan);
/** Read at most `digits` decimal digits; none is 0. */
void lang_scan_number(struct pg_scan *scan, unsigned int digits, uint64_t *value);

/** A line, understood: what to run on what. */
struct lang_line {
	struct pg_target target;
	char target_name[PG_TARGET_MAX];
	const struct pg_command *command; /**< NULL: nothing to do (empty line or section) */
	unsigned int target_column, command_column, value_column;
	union pg_value value;
};

/** Parse what stands behind a line's command. Errors: -errno with a positioned error. */
int lang_parse_argument(
	const char *text, const char *cursor, struct lang_line *line, struct pg_error *err);

/** Run an understood line: change or act, reply, tell. Errors: -errno with a positioned error. */
int lang_run_line(
	struct pg_lang *lang, struct lang_line *line, struct pg_reply *reply, struct pg_error *err);

/** Try a setting on a copy; only a change that passes its checks reaches the target. */
int lang_change(const struct pg_lang *lang, const struct lang_line *line, struct pg_error *err);
/** As lang_table_check(). */
int lang_verify(const struct pg_lang *lang, enum pg_target_kind kind, const void *settings,
	struct pg_error *err);
bool lang_is_setting(const struct pg_command *row);
/** Tell every list that watches this kind of target of a committed change. */
void lang_tell_changed(const struct pg_lang *lang, const struct pg_call *call);
/** Find a target that exists; drafts are not looked at. */
int lang_find_existing(const struct pg_lang *lang, const char *name, struct pg_target *target);
const struct pg_world *lang_world(const struct pg_lang *lang);
bool lang_implies_control(const struct pg_lang *lang);
/** The whole table as one sequence. NULL: no more rows. */
const struct pg_command *lang_row_at(const struct pg_lang *lang, size_t i);

/** The same of a table in its parts. */
const struct pg_command *lang_table_row(
	const struct pg_command_list *const *lists, size_t count, size_t i);
/** Look at a whole settings object with every list's check. */
int lang_table_check(const struct pg_command_list *const *lists, size_t count,
	enum pg_target_kind kind, const void *settings, struct pg_error *err);
/** Put a row's value into settings, which are a copy: a refused value stays in them.
 *  Errors: what the row's check or a list's says of it. */
int lang_table_set(const struct pg_command_list *const *lists, size_t count,
	const struct pg_command *row, const union pg_value *value, void *settings,
	struct pg_error *err);

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
