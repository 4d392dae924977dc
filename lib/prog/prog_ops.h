/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of operations share; each is compiled once per instruction set. */
#ifndef PROG_OPS_H
#define PROG_OPS_H

#include "prog_priv.h"

#ifndef PROG_ISA
#define PROG_ISA portable
#endif

/** The table of one instruction set: prog_ops_avx2. */
#define PROG_NAME(table)             PROG_PASTE(table, PROG_ISA)
#define PROG_PASTE(table, isa)       PROG_PASTE_NAMES(table, isa)
#define PROG_PASTE_NAMES(table, isa) table##_##isa

#define OP_ARGS                                                                            \
	const struct pg_prog *prog, const struct prog_op *op, struct pg_prog_state *state, \
		struct rte_mbuf **pkts, unsigned int n
#define OP_UNUSED    \
	(void)prog;  \
	(void)op;    \
	(void)state; \
	(void)pkts

#endif
