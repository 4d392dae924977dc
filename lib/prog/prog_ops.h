/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of operations share; each is compiled once per instruction set, and once
 * more for parts of a stream. */
#ifndef PROG_OPS_H
#define PROG_OPS_H

#include "prog_priv.h"

#ifndef PROG_ISA
#define PROG_ISA portable
#endif
#ifndef PROG_VECTOR
#define PROG_VECTOR 16 // bytes of a vector register
#endif
#ifndef PROG_PARTS
#define PROG_PARTS 1
#endif

/** From one packet to the next in the stream: known to the compiler where all are made. */
static inline uint32_t
stride_of(const struct pg_prog *prog)
{
	return PROG_PARTS ? prog->stride : 1;
}

/** A table of one compilation: prog_ops_avx2, prog_ops_avx2_parts. */
#define PROG_NAME(table)             PROG_PASTE(table, PROG_ISA)
#define PROG_PASTE(table, isa)       PROG_PASTE_NAMES(table, isa)
#define PROG_PASTE_NAMES(table, isa) table##_##isa

/** Columns are worked in blocks of so many packets, whole vectors without a rest: what is behind
 *  the burst's last packet is written too, and means nothing. */
#define PROG_BLOCK 8

#define OP_ARGS                                                                            \
	const struct pg_prog *prog, const struct prog_op *op, struct pg_prog_state *state, \
		struct rte_mbuf **pkts, unsigned int n
#define OP_UNUSED    \
	(void)prog;  \
	(void)op;    \
	(void)state; \
	(void)pkts

#endif
