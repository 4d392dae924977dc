/* SPDX-License-Identifier: BSD-3-Clause */
/* The program with a fault: PMDGEN_FAULT says what goes wrong with packet 17 of each device, or
 * packet PMDGEN_VICTIM, between the builder and the receipt: one of the words below, or
 * `byte OFFSET XOR [L3]`, which changes a byte of the frame and, if it is told where layer 3
 * begins, makes the checksums right again. The linker puts this before tx_task_bind(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tx_priv.h"

// Offsets in a frame of Ethernet, IPv4 and UDP.
#define SOURCE_AT 35 // the lower byte

#define IP4_BYTES 20
#define IP6_BYTES 40
#define UDP       17

void __real_tx_task_bind(struct pg_task *task, bool paced, bool by_size);
void __wrap_tx_task_bind(struct pg_task *task, bool paced, bool by_size);

static prog_fn right;
static const char *fault;
static uint64_t victim = 17;

static bool
is(const char *name)
{
	return strcmp(fault, name) == 0;
}

static uint32_t
sum_of(const uint8_t *at, uint32_t bytes, uint32_t sum)
{
	for (uint32_t i = 0; i < bytes; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void
put_sum(uint8_t *at, uint32_t sum)
{
	at[0] = (uint8_t)(~sum >> 8);
	at[1] = (uint8_t)~sum;
}

// As a receiver has it, of the bytes that are there (RFC 791, 768, 8200).
static void
mend_sums(uint8_t *ip, uint32_t bytes)
{
	const bool ip6 = ip[0] >> 4 == 6;
	const uint32_t l3 = ip6 ? IP6_BYTES : IP4_BYTES;
	uint8_t *udp = ip + l3;

	if (!ip6) {
		ip[10] = ip[11] = 0;
		put_sum(ip + 10, sum_of(ip, IP4_BYTES, 0));
	}
	if (udp[6] == 0 && udp[7] == 0)
		return;
	udp[6] = udp[7] = 0;
	put_sum(udp + 6, sum_of(udp, bytes - l3,
				 sum_of(ip + (ip6 ? 8 : 12), ip6 ? 32 : 8, UDP + bytes - l3)));
}

static void
break_byte(struct rte_mbuf *mbuf, uint8_t *frame)
{
	unsigned int at, xor, l3;
	int n = sscanf(fault, "byte %u %x %u", &at, &xor, &l3);

	if (n < 2)
		return;
	frame[at] ^= (uint8_t) xor ;
	if (n == 3)
		mend_sums(frame + l3, mbuf->pkt_len - l3);
}

static void
break_victim(struct rte_mbuf **pkts, unsigned int at, uint64_t *due)
{
	struct rte_mbuf *mbuf = pkts[at];
	uint8_t *frame = rte_pktmbuf_mtod(mbuf, uint8_t *);

	rte_pktmbuf_refcnt_update(
		mbuf, 1); // what never changes is not written again: it stays away
	break_byte(mbuf, frame);
	if (is("length"))
		mbuf->pkt_len = mbuf->data_len = mbuf->pkt_len - 1;
	else if (is("pkt_len"))
		mbuf->pkt_len++;
	else if (is("nb_segs"))
		mbuf->nb_segs++;
	else if (is("segment"))
		mbuf->next->data_len--, mbuf->next->next->data_len++;
	else if (is("queue_id"))
		mbuf->hash.sched.queue_id++;
	else if (is("order"))
		pkts[at] = pkts[at + 1], pkts[at + 1] = mbuf;
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
	if (first <= victim && victim < first + n)
		break_victim(pkts, victim - first, state->scratch->due);
	for (unsigned int k = 0; is("random") && k < n; k++)
		rte_pktmbuf_mtod(pkts[k], uint8_t *)[SOURCE_AT] &= 0xfe;
	for (unsigned int k = 0; is("hold") && k < n; k++) // as a driver that gives nothing back
		rte_mbuf_refcnt_update(pkts[k], 1);
}

// Before the first call of a run: a rate that changes binds anew.
void
__wrap_tx_task_bind(struct pg_task *task, bool paced, bool by_size)
{
	struct prog_op *last = &task->owned_prog->ops[task->owned_prog->nops - 1];
	const char *number = getenv("PMDGEN_VICTIM");

	__real_tx_task_bind(task, paced, by_size);
	fault = getenv("PMDGEN_FAULT");
	if (fault == NULL || last->fn == wrong)
		return;
	if (number != NULL)
		victim = strtoull(number, NULL, 10);
	right = last->fn;
	last->fn = wrong;
}
