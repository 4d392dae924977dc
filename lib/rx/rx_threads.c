/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads by name, as settings of the receive side have them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_config.h>

#include "pg_rx.h"

#define PREFIX "kpktgend_"

int
pg_rx_thread_read(const char *text, unsigned int *lcore)
{
	const char *digits = text + strlen(PREFIX);
	char *end;

	if (strncmp(text, PREFIX, strlen(PREFIX)) != 0 || !isdigit((unsigned char)*digits) ||
		(digits[0] == '0' && digits[1] != '\0') || strlen(digits) > 4)
		return -EINVAL;
	*lcore = (unsigned int)strtoul(digits, &end, 10);
	return *end == '\0' && *lcore < RTE_MAX_LCORE ? 0 : -EINVAL;
}

int
pg_rx_thread_check(const char *text, struct pg_error *err)
{
	unsigned int lcore;

	if (pg_rx_thread_read(text, &lcore) == 0)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%.40s' is no thread", text);
	pg_error_expect(err, "kpktgend_N, a thread");
	return -EINVAL;
}
