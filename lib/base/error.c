/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "pg_error.h"

int
pg_error_set(struct pg_error *err, enum pg_fault fault, int code, const char *fmt, ...)
{
	va_list ap;

	memset(err, 0, sizeof(*err));
	err->code = code;
	err->fault = fault;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -code;
}

int
pg_error_expect(struct pg_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->expected, sizeof(err->expected), fmt, ap);
	va_end(ap);
	return -err->code;
}

int
pg_error_remedy(struct pg_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->remedy, sizeof(err->remedy), fmt, ap);
	va_end(ap);
	return -err->code;
}
