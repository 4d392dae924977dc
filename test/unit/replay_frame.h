/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of the capture and of a dry run: where their fields stand and what they hold. */
#ifndef REPLAY_FRAME_H
#define REPLAY_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define FRAME_KEPT 1024 // at most 1000 bytes of a frame were recorded

enum frame_field {
	FRAME_DMAC,
	FRAME_SMAC,
	FRAME_VLAN0,
	FRAME_VLAN1,
	FRAME_MPLS0,
	FRAME_MPLS1,
	FRAME_MPLS2,
	FRAME_IP_LENGTH,
	FRAME_IP_ID,
	FRAME_IP_SUM,
	FRAME_SRC,
	FRAME_DST,
	FRAME_SPORT,
	FRAME_DPORT,
	FRAME_UDP_LENGTH,
	FRAME_UDP_SUM,
	FRAME_SEQ,
	FRAME_STAMP, /**< seconds and microseconds */
	FRAME_FIELDS,
};

extern const char *const frame_names[FRAME_FIELDS]; /**< as the record's `stats` call them */

/** Where the fields of a frame stand; size 0: it has none such, or it was cut before. */
struct frame_map {
	uint16_t offset[FRAME_FIELDS], size[FRAME_FIELDS];
	uint16_t ip, udp; /**< 0: none */
	bool ip6;
};

/** A frame of a dry run. */
struct frame {
	uint32_t length;
	uint16_t kept;
	bool ip_sum, udp_sum; /**< right; a UDP checksum of 0 over IPv4 is right */
	uint8_t bytes[FRAME_KEPT];
};

void frame_map(const uint8_t *bytes, uint32_t length, struct frame_map *map);
/** Keep a frame, and check its sums while it is whole. */
void frame_take(struct frame *frame, const uint8_t *bytes, uint32_t length);
/** The field that holds a byte; FRAME_FIELDS: none. */
enum frame_field frame_field_at(const struct frame_map *map, uint32_t offset);

struct replay;
struct pg_template;

/** Compare the `stats` of a case with the frames of a run; random: is a field drawn at random? */
void replay_stats(struct replay *replay, const json_t *one, const struct frame *frames, size_t n,
	bool (*random)(const struct pg_template *tmpl, enum frame_field field),
	const struct pg_template *tmpl);

#endif
