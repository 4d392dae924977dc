/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_ERROR_H
#define PG_ERROR_H

#include <stdarg.h>

/** What kind of thing went wrong; it decides the exit status (DESIGN 2). */
enum pg_fault {
	PG_FAULT_INPUT, /**< the command line or a command is wrong: exit 2 */
	PG_FAULT_ENV,   /**< EAL, a device, memory or a permission refused: exit 3 */
};

/** One error, filled by whoever finds it and printed by app/ alone. */
struct pg_error {
	int code; /**< errno value, positive; 0 while there is no error */
	enum pg_fault fault;
	unsigned int column; /**< 1 is the line's first character; 0: no position */
	char text[320];      /**< what is wrong */
	char expected[320];  /**< what was expected instead; may be empty */
	char remedy[200];    /**< one thing to do, for faults of the environment; may be empty */
};

/** Fill an error with a text; a later call replaces an earlier one.
 *  Errors:  returns -code, so that `return pg_error_set(...)` reads well. */
int pg_error_set(struct pg_error *err, enum pg_fault fault, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** Add what was expected to an error that is set. Returns -err->code. */
int pg_error_expect(struct pg_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** Add the one thing to do to an error that is set. Returns -err->code. */
int pg_error_remedy(struct pg_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
