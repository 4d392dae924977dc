/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPORT_PRIV_H
#define REPORT_PRIV_H

#include "pg_report.h"

enum report_type { REPORT_U64, REPORT_U32, REPORT_REAL };

/** One figure: the name that it has in JSON, telemetry and metrics, and where it stands. */
struct report_field {
	const char *key; /**< in JSON and telemetry; a unit is its end */
	const char
		*metric;  /**< behind "pmdgen_device_" and the like: the key, its unit spelt out */
	const char *unit; /**< the metric's last word if it is a unit; NULL: a plain number */
	const char *help;
	enum report_type type;
	size_t offset;
	double scale; /**< the metric's value is the figure times this; 0: the figure */
	bool counter; /**< counts up during a run */
	/** Is there a figure at all? NULL: always. */
	bool (*has)(const void *object);
};

struct report_value {
	bool real;
	uint64_t u64;
	double number; /**< either way */
};

/** Figures of a struct pg_device, a struct pg_port_account, a struct pg_rx_node_count, a struct
 *  pg_receiver and a struct pg_clock, each ended by a NULL key. */
extern const struct report_field report_device_fields[];
extern const struct report_field report_port_fields[];
extern const struct report_field report_node_fields[];
extern const struct report_field report_receiver_fields[];
extern const struct report_field report_clock_fields[];

/** Read a figure. False: there is none. */
bool report_field_read(
	const struct report_field *field, const void *object, struct report_value *value);

/** An integer of any 64-bit value. */
void report_set_int(json_t *object, const char *key, uint64_t value);

/** The lines and the object of a device's receipt; no lines without one. */
void report_receipt(const struct pg_device *device, FILE *out);
json_t *report_receipt_json(const struct pg_receipt *receipt);

/** The account of a run: the sum over its devices. A figure that one of them lacks is absent. */
struct report_sum {
	unsigned int ndevices;
	bool has_intended;
	uint64_t intended, offered, late, ended;
	uint64_t driver_sent; /**< of all ports that were sent on; PG_COUNTER_ABSENT */
};
void report_sum(struct pg_engine *engine, struct report_sum *sum);

/** What was asked of a device: packets per second, the mean of its schedule. 0: no rate. */
double report_asked_pps(const struct pg_device *device);

/** The profile of a device's own graph, or of the first thread that receives from it; one walks. */
const struct pg_rx_profile *report_walked(const struct pg_device *device);

#endif
