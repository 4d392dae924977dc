/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_PROGRAM_H
#define RX_PROGRAM_H

#include <pcap/pcap.h>
#include <rte_bpf.h>

#include "pg_error.h"

/** A loaded eBPF program. Const once made. */
struct rx_program {
	struct rte_bpf *bpf;
	uint64_t (*native)(void *); /**< NULL: it is interpreted */
};

/** Compile an expression as tcpdump takes it, for Ethernet frames; NULL: one that all match.
 *  Shape:   out is freed by pcap_freecode().  Errors: -EINVAL with text. */
int rx_filter_compile(const char *text, struct bpf_program *out, struct pg_error *err);

/** Make a program ready to run.
 *  Errors:  -errno; why[size] says what rte_bpf has against it.  Context: control. */
int rx_program_load(
	const struct rte_bpf_prm *prm, struct rx_program *program, char *why, size_t size);

/** Load a filter as a program over mbufs. Errors: -errno with text. Context: control. */
int rx_program_filter(const char *text, struct rx_program *program, struct pg_error *err);
void rx_program_fini(struct rx_program *program);

/** What the program says of each packet.
 *  Shape:   args[n] as the program has them, out[n]. */
static __rte_always_inline void
rx_program_run(const struct rx_program *program, void **args, uint64_t *out, uint16_t n)
{
	if (unlikely(program->native == NULL)) {
		rte_bpf_exec_burst(program->bpf, args, out, n);
		return;
	}
	for (uint16_t k = 0; k < n; k++)
		out[k] = program->native(args[k]);
}

#endif
