/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads by name, as settings of the receive side have them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>

#include "pg_rx.h"

#define PREFIX "kpktgend_"

// Digits alone, few enough to be a lcore's number, and one way to write it: checked lines tell
// threads by name.
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

// Names with commas between; each once.
static unsigned int
read_list(const char *text, unsigned int *lcore)
{
	unsigned int n = 0;
	char name[24];

	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");

		if (n == PG_RX_STEER_MAX || length >= sizeof(name))
			return 0;
		memcpy(name, at, length);
		name[length] = '\0';
		if (pg_rx_thread_read(name, &lcore[n]) < 0)
			return 0;
		for (unsigned int i = 0; i < n; i++) {
			if (lcore[i] == lcore[n])
				return 0;
		}
		n++;
		at += length;
		if (*at == '\0')
			return n;
	}
}

unsigned int
pg_rx_threads_read(const char *text, unsigned int *lcore)
{
	unsigned int n = 0, id;

	if (text != NULL)
		return read_list(text, lcore);
	RTE_LCORE_FOREACH (id) {
		if (n < PG_RX_STEER_MAX)
			lcore[n++] = id;
	}
	return n;
}

int
pg_rx_threads_check(const char *text, struct pg_error *err)
{
	unsigned int lcore[PG_RX_STEER_MAX];

	if (read_list(text, lcore) > 0)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%.60s' is no list of threads", text);
	pg_error_expect(err, "kpktgend_N,..., threads with commas between, each once");
	return -EINVAL;
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
