/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_OBJECT_H
#define RX_OBJECT_H

#include <rte_bpf.h>

#include "pg_error.h"

/** The code of one section of an eBPF object. */
struct rx_object {
	struct ebpf_insn *ins; /**< owned */
	uint32_t n;
	char section[64];
	bool stores; /**< it may write to what it is given */
};

/** Read it, its calls resolved to places in xsym[nxsym].
 *  Shape:   section NULL: the first that has code.
 *  Errors:  -errno with text: no such file, no such object, or nothing that rte_bpf has.
 *  Source:  ELF-64; RFC 9669 for the instructions. */
int rx_object_read(const char *file, const char *section, const struct rte_bpf_xsym *xsym,
	uint32_t nxsym, struct rx_object *out, struct pg_error *err);
void rx_object_fini(struct rx_object *object);

#endif
