/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_BPF_H
#define RX_BPF_H

#include <sys/stat.h>

#include "rx_program.h"

#define RX_BPF_REACH    16384 /**< bytes from a frame's start that a program may ask for */
#define RX_BPF_COUNTERS 64    /**< that pg_count() has */

/** A user's eBPF program over frames. Const once made. */
struct rx_bpf {
	struct rx_program program;
	uint32_t reach; /**< bytes from a frame's start that it may look at, whatever its length */
	bool stores;    /**< it may write to the frame */
	const char *text;
	struct stat stamp; /**< of its file, when it was loaded */
};

/** The frame that a program looks at now. worker: rw, of its own. */
struct rx_bpf_frame {
	uint64_t length;
	uint64_t *counters; /**< RX_BPF_COUNTERS, and one for numbers beyond */
};

extern __thread struct rx_bpf_frame rx_bpf_frame;

/** Load "FILE [SECTION]". Errors: -errno with text. Context: control. */
int rx_bpf_load(const char *text, struct rx_bpf *out, struct pg_error *err);
void rx_bpf_fini(struct rx_bpf *bpf);

/** Has its file been written anew? */
bool rx_bpf_stale(const struct rx_bpf *bpf);

/** The same of a text, without the program; of one that cannot be loaded the worst.
 *  Context: control. */
void rx_bpf_facts(const char *text, uint32_t *reach, bool *stores);

#endif
