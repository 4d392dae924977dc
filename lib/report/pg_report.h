/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_REPORT_H
#define PG_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include "pg_tx.h"

/* What people and machines read of the engine. */

#define PG_REPORT_SCHEMA 1 /**< of the JSON report */

/** What reading a target's file gives in pktgen (reference 2.1, 3.1, 5). */
void pg_report_control(FILE *out);
void pg_report_thread(struct pg_engine *engine, const struct pg_thread *thread, FILE *out);
void pg_report_device(const struct pg_device *device, FILE *out);

/** pktgen's two result lines, `OK: ...` without "Result: ".
 *  Shape:   out[size]; PG_RESULT_MAX is enough. */
void pg_report_result(const struct pg_result *result, char *out, size_t size);

/** A MAC address in lower case, as pktgen writes it. Returns out. */
const char *pg_report_mac(const struct rte_ether_addr *mac, char *out, size_t size);

/** The word for a kind of buffers, of enum pg_rx_buffers. */
const char *pg_report_buffers(uint8_t buffers);

/** A protocol below PG_RX_PROTOCOLS: "proto 17". Returns out. */
const char *pg_report_protocol(unsigned int protocol, char *out, size_t size);

/** The results of the last run: for each device pktgen's lines, pmdgen's own, the profile; then
 *  the ports' account and the conditions. */
void pg_report_run(struct pg_engine *engine, FILE *out);

/** What a dry run wrote to `file`. */
void pg_report_dry_run(struct pg_engine *engine, const char *file, FILE *out);

/** A packet, decoded and in hex. Shape: frame[bytes], as the program built it. */
void pg_report_packet(const uint8_t *frame, uint32_t bytes, FILE *out);

/** The JSON report, grown run by run. Owner: the caller, json_decref(). */
json_t *pg_report_json_begin(int eal_argc, char **eal_argv);
void pg_report_json_run(json_t *report, struct pg_engine *engine);
/** What the report says of one device; during a run, what is so now (pg_device_refresh()).
 *  Owner: the caller.  Context: the control lock is held. */
json_t *pg_report_json_device(const struct pg_device *device, bool interrupted);
/** The nodes of its profile, as the report lists them, and of those who receive from it; an empty
 *  list without any. */
json_t *pg_report_json_nodes(const struct pg_device *device);
/** What its nodes counted beside their packets, likewise; during a run, so far. */
json_t *pg_report_json_counters(const struct pg_device *device);
/** Other threads that receive from it; with what their nodes counted, or without. */
json_t *pg_report_json_receivers(const struct pg_device *device, bool with_nodes);
/** Complete it with the clock as it is known now and write it. 0 or -EIO. */
int pg_report_json_write(json_t *report, const struct pg_clock *clock, FILE *out);

/** A page of metrics: each figure of the report under its key, with its unit spelt out.
 *  Shape:   openmetrics: as OpenMetrics 1.0 has it; else the older text format, in which a counter
 *           is declared under the name of its sample.
 *  Context: the control lock is held. */
void pg_report_metrics(struct pg_engine *engine, bool openmetrics, FILE *out);

#endif
