/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_PROG_H
#define PG_PROG_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "pg_error.h"
#include "pg_flow.h"

/* A flow compiled for the loop: an image of the packet and a short list of operations that turn
 * copies of it into packets i, i+1, ... of the stream, operations outermost. */

#define PG_BURST_MAX 512 /**< packets of one burst; DPDK's calls take 16 bits */

struct pg_prog;
struct pg_prog_state;
struct pg_prog_scratch;

/** What the kernel's walk remembers from one run of a device to the next: IP id, flow table and
 *  current flow, and the source MAC it came to. */
struct pg_walk;

struct pg_prog_config {
	const struct pg_flow *flow; /**< borrowed during the call */
	const char *stream;         /**< the stream's name: a part of every random field's key */
	uint32_t part, parts;       /**< packet j is packet part + j * parts of it; parts 0: all */
	uint64_t seed;
	uint32_t copies; /**< packets on the wire per packet built (clone_skb); at least 1 */
	bool frags_kept; /**< fragments are zero already and nobody changes them */
	bool image_kept; /**< buffers hold the image already and nobody changes it */
	bool mbuf_kept;  /**< nor the mbufs' metadata */
	bool paced;      /**< every packet has its own intended time */
	int socket;      /**< NUMA node of the program's memory */
	bool portable;   /**< use no CPU feature beyond the baseline (tests) */
	/** Of a flow as Linux walks it: what was before. Borrowed as long as the program lives; has
	 *  room for the flow's `flows`. */
	const struct pg_walk *walk;
};

/** Errors: NULL, out of memory. Owner: the caller, pg_walk_destroy(). */
struct pg_walk *pg_walk_create(void);
struct pg_walk *pg_walk_copy(const struct pg_walk *walk);
void pg_walk_destroy(struct pg_walk *walk);

/** Room for so many flows. Errors: -ENOMEM; then nothing has changed. */
int pg_walk_reserve(struct pg_walk *walk, uint32_t flows);

/** The destination of the last packet, host byte order. */
uint32_t pg_walk_daddr(const struct pg_walk *walk);

/** The kernel's quirk: a source MAC that is no longer walked stays where the walk came to. */
void pg_walk_source(const struct pg_walk *walk, struct rte_ether_addr *src_mac);

/** Take note of a run that built so many packets. Context: control, after the run. */
void pg_walk_end(struct pg_walk *walk, const struct pg_prog *prog, uint64_t built);

/** Errors: NULL with text. Owner: the caller, pg_prog_destroy(). */
struct pg_prog *pg_prog_compile(const struct pg_prog_config *config, struct pg_error *err);
void pg_prog_destroy(struct pg_prog *prog);

/** Columns of a burst: scratch that the programs of one thread share. Owner: the caller,
 *  pg_prog_scratch_destroy(). Errors: NULL with errno ENOMEM. */
struct pg_prog_scratch *pg_prog_scratch_create(int socket);
void pg_prog_scratch_destroy(struct pg_prog_scratch *scratch);

/** Go to packet `index` of those that the program makes. Flows as Linux walks them begin at packet
 * 0: the state's walk then goes through all packets before. */
void pg_prog_seek(const struct pg_prog *prog, struct pg_prog_state *state, uint64_t index);

/** Go back to the packet built last. Flow starts stay counted. */
void pg_prog_back(const struct pg_prog *prog, struct pg_prog_state *state);

/** Put the image and the metadata into a buffer of a pool: what `image_kept` relies on. */
void pg_prog_prepare(const struct pg_prog *prog, struct rte_mbuf *mbuf);

/** Bytes of the longest frame, without FCS. */
uint32_t pg_prog_frame_max(const struct pg_prog *prog);

/** Bytes of the headers before pktgen's own, and whether sizes vary (for tests and reports). */
bool pg_prog_size_varies(const struct pg_prog *prog);

/** Lengths of the next n packets into scratch->length, without building or advancing.
 *  Shape:   1 <= n <= PG_BURST_MAX; the program's sizes vary.  Context: the state's owner. */
void pg_prog_sizes(const struct pg_prog *prog, struct pg_prog_state *state, unsigned int n);

/** The value of a field in packet `index`: address, port or configured size in host byte order.
 *  Not for the destination of flows as Linux walks them: see pg_walk_daddr(). */
uint32_t pg_prog_field(const struct pg_prog *prog, enum pg_field field, uint64_t index);

/** The IPv6 addresses of packet `index`; zero for a program of IPv4. */
void pg_prog_ip6(
	const struct pg_prog *prog, uint64_t index, struct pg_ip6 *src, struct pg_ip6 *dst);

/** Make packet `index` alone.
 *  Shape:   out[size], size >= pg_prog_frame_max() rounded up to 64.
 *  Units:   stamp_ns is the time the packet is meant to leave, ns since 1970.
 *  Errors:  the frame's length, or -ENOMEM. */
int pg_prog_packet(
	const struct pg_prog *prog, uint64_t index, uint64_t stamp_ns, uint8_t *out, size_t size);

/** How many fragments packet `index` has, and room for the longest of all packets, in bytes. */
uint32_t pg_prog_frags(const struct pg_prog *prog, uint64_t index);
uint32_t pg_prog_frag_max(const struct pg_prog *prog);

/** The instruction set the program was linked with: "portable" or "avx2". */
const char *pg_prog_isa(const struct pg_prog *prog);

#endif
