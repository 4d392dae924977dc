/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LIVE_H
#define LIVE_H

#include "app.h"
#include "pg_units.h"

/** What a device had done at some time. */
struct live_sample {
	char name[PG_DEVICE_NAME_MAX];
	uint64_t ns, sent, bytes, idle_ns, cycles;
};

/** What a device does. */
struct live_row {
	const struct pg_device *device; /**< borrowed; under the control lock */
	bool running;
	uint64_t sent, errors, asked; /**< asked 0: until stopped */
	uint64_t asked_part;          /**< what of asked was sent */
	uint64_t packets, span_ns;    /**< since the sample before */
	double pps, l1_bps;
	double percent; /**< of the rate asked for; negative: none was */
	double idle;    /**< percent of the time */
	double cycles;  /**< per packet; 0: unknown */
	double left_s;  /**< at this rate; negative: unknown */
};

/** What all devices dropped by protocol: so far, and a second since the sample before. */
struct live_drops {
	bool any; /**< some of them tell protocols apart */
	uint64_t packets[PG_RX_PROTOCOLS];
	double pps[PG_RX_PROTOCOLS];
};

/** All devices, or some of them. */
struct live_sum {
	uint64_t began_ns, now_ns;
	size_t n, nrunning, nendless; /**< endless: until stopped */
	struct live_row row;
	double idle, cycles;            /**< sums, the cycles weighted by packets */
	const struct live_drops *drops; /**< borrowed; NULL: not looked at */
};

/** Read a device. last may be NULL. Context: the control lock is held. */
void live_read(struct pg_device *device, const struct live_sample *last, uint64_t now_ns,
	uint64_t began_ns, struct live_sample *sample, struct live_row *row);
void live_add(struct live_sum *sum, const struct live_row *row);
/** How fast drops[PG_RX_PROTOCOLS] have come since `drops` was made, which they become. */
void live_drops(struct live_drops *drops, const uint64_t *packets, bool any, uint64_t span_ns);

/** At most `lines` lines of less than `columns` characters: devices, or as many as fit and the
 *  others in one, their sum, and how far it is. */
void live_table(const struct live_sum *all, const struct live_row *rows, unsigned int lines,
	unsigned int columns, FILE *out);

/** A line for each device, or one for all if there are many. */
void live_plain(const struct live_sum *all, const struct live_row *rows, FILE *out);

#endif
