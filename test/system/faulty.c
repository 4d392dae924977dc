/* SPDX-License-Identifier: BSD-3-Clause */
/* The program with a fault: PMDGEN_FAULT names what goes wrong with packet 17 of each device
 * between the builder and the receipt. The linker puts this before tx_task_bind(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tx_priv.h"

#define VICTIM 17

// Offsets in a frame of Ethernet, IPv4 and UDP.
#define CHECKSUM_AT 24
#define SOURCE_AT   35 // the lower byte
#define DEST_AT     37
#define SEQUENCE_AT 49

void __real_tx_task_bind(struct pg_task *task, bool paced, bool by_size);
void __wrap_tx_task_bind(struct pg_task *task, bool paced, bool by_size);

static prog_fn right;
static const char *fault;

static bool
is(const char *name)
{
	return strcmp(fault, name) == 0;
}

static void
break_victim(struct rte_mbuf **pkts, unsigned int at, uint64_t *due)
{
	struct rte_mbuf *victim = pkts[at];
	uint8_t *frame = rte_pktmbuf_mtod(victim, uint8_t *);

	if (is("field"))
		frame[DEST_AT]++;
	else if (is("length"))
		victim->pkt_len = victim->data_len = victim->pkt_len - 1;
	else if (is("checksum"))
		frame[CHECKSUM_AT] ^= 1;
	else if (is("sequence"))
		frame[SEQUENCE_AT]++;
	else if (is("order"))
		pkts[at] = pkts[at + 1], pkts[at + 1] = victim;
	else if (is("flow"))
		frame[SOURCE_AT] ^= 1;
	else if (is("gap"))
		due[at] += 1000; // cycles: less than a microsecond
}

static void
wrong(const struct pg_prog *prog, const struct prog_op *op, struct pg_prog_state *state,
	struct rte_mbuf **pkts, unsigned int n)
{
	uint64_t first = state->index;

	right(prog, op, state, pkts, n);
	if (first <= VICTIM && VICTIM < first + n)
		break_victim(pkts, VICTIM - first, state->scratch->due);
	for (unsigned int k = 0; is("random") && k < n; k++)
		rte_pktmbuf_mtod(pkts[k], uint8_t *)[SOURCE_AT] &= 0xfe;
}

void
__wrap_tx_task_bind(struct pg_task *task, bool paced, bool by_size)
{
	struct prog_op *last = &task->owned_prog->ops[task->owned_prog->nops - 1];

	__real_tx_task_bind(task, paced, by_size);
	fault = getenv("PMDGEN_FAULT");
	if (fault == NULL)
		return;
	right = last->fn;
	last->fn = wrong;
}
