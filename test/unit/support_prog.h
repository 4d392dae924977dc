/* SPDX-License-Identifier: BSD-3-Clause */
/* For the tests of lib/prog: flows from lines of the language, a second implementation of the
 * packet, byte by byte from reference 8, and buffers to run programs over. */
#ifndef SUPPORT_PROG_H
#define SUPPORT_PROG_H

#include <stdbool.h>
#include <stdint.h>

#include "pg_flow.h"
#include "prog_run.h"

/** What device commands make of a fresh device: `commands` are separated by ';'. On a port with
 *  the MAC 02:00:00:00:00:01 that carries any frame. Fails the test if one is refused. */
struct pg_flow flow_make(const char *commands);

/** The same in two steps: what the commands make of the settings, and of those on such a port. */
struct pg_template template_make(const char *commands);
struct pg_flow template_resolve(const struct pg_template *tmpl);

/** What one packet is made of, beside the flow's constants. */
struct packet {
	uint32_t value[PG_FIELDS]; /**< host byte order; the size as configured, MACs as offsets */
	struct pg_ip6 src6, dst6;  /**< of IPv6 packets */
	uint64_t index;
	uint32_t copies;
	uint64_t stamp_ns;
};

/** Write the frame of a packet; returns its length. */
uint32_t packet_build(const struct pg_flow *flow, const struct packet *packet, uint8_t *out);

/** Read the fields of a frame back; the size is the frame's length. */
void packet_read(
	const struct pg_flow *flow, const uint8_t *frame, uint32_t length, struct packet *packet);

/** Do the checksums hold, as a receiver sees it? UDP's may be absent (zero). */
bool packet_sums_ok(const struct pg_flow *flow, const uint8_t *frame, uint32_t length);

/** Bytes of a frame before the IP header. */
uint32_t packet_l3(const struct pg_flow *flow);

/** The value of a linear field in packet `index`: reference 7 with DESIGN 8's inclusive ranges. */
uint32_t packet_linear(const struct pg_range *range, uint64_t index);

/** Buffers laid out as those of a pool without private area, and a state to run on. */
struct rig {
	struct rte_mbuf *mbuf[PG_BURST_MAX];
	uint8_t *memory;
	size_t stride;
	struct pg_prog_state state;
};

#define RIG_ROOM 10240 /**< bytes of a buffer's frame */

/** What the tests of a program run on, there between rig_start() and rig_stop(). */
extern struct rig buffers;

/** A cmocka group setup and teardown: EAL and the buffers. */
int rig_start(void **state);
int rig_stop(void **state);

void rig_init(struct rig *rig);
void rig_fini(struct rig *rig);

/** Rubbish everywhere that a program writes: what it leaves out is seen. */
void rig_dirty(struct rig *rig, unsigned int n);

uint8_t *rig_frame(const struct rig *rig, unsigned int k);

/** Compile; fails the test if that fails. */
struct pg_prog *rig_compile(const struct pg_prog_config *config);

/** Compile a flow as the stream of a device that sends each packet once. */
struct pg_prog *rig_compile_flow(const struct pg_flow *flow, uint64_t seed, bool portable);

/** Run the program over n fresh, dirty buffers from packet `index` on. */
void rig_run(struct rig *rig, const struct pg_prog *prog, uint64_t index, unsigned int n);

#endif
