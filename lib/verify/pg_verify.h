/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_VERIFY_H
#define PG_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "pg_clock.h"
#include "pg_error.h"
#include "pg_flow.h"
#include "pg_random.h"
#include "pg_units.h"

/* The receipt: an independent reader of finished packets, right before they go to the driver. It
 * has a parser of its own and derives what a packet may look like from what the user said; it knows
 * neither the program that built the packets nor its values, so that a fault in one is not a fault
 * in both. */

/** What is checked. One that does not apply to a device is not counted. */
enum pg_verify_check {
	PG_VERIFY_PACKETS,   /**< as many as asked, or as were sent */
	PG_VERIFY_LENGTHS,   /**< of the frame, and what mbuf, IP and UDP say of it */
	PG_VERIFY_ETHERNET,  /**< addresses and type */
	PG_VERIFY_TAGS,      /**< VLAN tags and MPLS labels */
	PG_VERIFY_IP,        /**< fields of layer 3 */
	PG_VERIFY_UDP,       /**< ports */
	PG_VERIFY_CHECKSUMS, /**< of IPv4 and UDP */
	PG_VERIFY_PAYLOAD,   /**< pktgen's magic, and zeros behind its header */
	PG_VERIFY_SEQUENCE,  /**< pktgen's sequence number: each packet once, in order */
	PG_VERIFY_STAMPS,    /**< seconds and microseconds against the intended time */
	PG_VERIFY_GAPS,      /**< intended times against the rate asked for */
	PG_VERIFY_FLOWS,     /**< every flow has its length and keeps its addresses and ports */
	PG_VERIFY_SHARES,    /**< how often each size of a mix comes */
	PG_VERIFY_RANDOM,    /**< how random fields are distributed over their ranges */
	PG_VERIFY_SEGMENTS,  /**< fragments: how many, and how long each is */
	PG_VERIFY_PRIORITY,  /**< the mbuf's scheduler field */
	PG_VERIFY_CHECKS,
};

/** A number or an address, host byte order, up to 128 bits. */
struct pg_verify_value {
	uint64_t high, low;
};

/** What was found where something else was expected. */
struct pg_verify_fault {
	uint64_t packet; /**< on the wire, from 0 */
	uint8_t field;   /**< enum verify_field: see pg_verify_field_name() */
	bool counts;     /**< how often the field's values came is compared, not a value */
	struct pg_verify_value least, most, found;
};

/** What the receipt of one device's run says. */
struct pg_receipt {
	uint32_t every;           /**< one packet of so many was read; 1: all of them */
	uint64_t packets;         /**< read */
	uint64_t cycles;          /**< spent on it */
	double cycles_per_packet; /**< of all packets sent */
	struct pg_receipt_check {
		bool counted;
		uint64_t packets, faults;
		struct pg_verify_fault first;
	} check[PG_VERIFY_CHECKS];
};

/** The receipt's reader of one device. worker: rw while a run lasts; control: rw before and after.
 */
struct pg_verify {
	uint64_t seen; /**< packets that went by */
	uint64_t next; /**< the next one to read */
	uint64_t last; /**< intended time of the last one in cycles; the start */
};

#define PG_VERIFY_NEVER ((long double)UINT64_MAX)

/** What a rate comes to: from packet to packet, or for each byte of one. */
struct pg_verify_gap {
	long double ns; /**< 0: none; PG_VERIFY_NEVER: no packet is due */
	uint32_t extra; /**< bytes that count with each packet */
	bool by_bytes;
};

/** Another rate in the middle of a run, of a schedule that counts in this ratio. */
struct pg_verify_change {
	struct pg_verify_gap gap;
	uint64_t ns_per_cycle; /**< as in pg_clock */
};

/** What was asked for: settings and what a port adds to them. */
struct pg_verify_config {
	const struct pg_template *tmpl;  /**< borrowed during the call */
	const struct pg_flow_port *port; /**< the same; as_linux: ranges as the kernel walks them */
	uint32_t part, parts;            /**< of the stream; parts 0: all of it */
	uint32_t copies;                 /**< packets on the wire per packet built */
	uint32_t every;                  /**< read one packet of so many; 1: all */
	uint64_t count;                  /**< packets asked for; 0: until stopped */
	uint64_t first;                  /**< built packet that the run begins with */
	struct pg_rate rate;
	uint64_t delay_ns;   /**< what the kernel paces by: see pg_verify_config.port->as_linux */
	uint32_t speed_mbps; /**< of the port, for a rate in percent */
	uint32_t unit;       /**< packets that are due at once: 1, or a burst */
	const struct pg_key *drawn; /**< of gaps that are exponential; NULL: they are even */
	int socket;                 /**< memory node */
};

/** The reader of a device's packets.
 *  Memory:  8 kB, 1 kB for each random field, and with random flows that are all read 32 to 64
 * bytes a flow and 8 for each of its fields in sequence: at most 4.5 MB. Errors:  NULL, out of
 * memory. Owner: the caller, pg_verify_destroy(). */
struct pg_verify *pg_verify_create(const struct pg_verify_config *config);
void pg_verify_destroy(struct pg_verify *verify);

/** A run begins.
 *  Units:   wall_ns is the time of day at `cycles` of the counter, ns_per_cycle as in pg_clock:
 * what intended times are counted in; stamp_ns_per_cycle the same for packets' stamps, 0 if the
 * time of day stands still. */
void pg_verify_begin(struct pg_verify *verify, uint64_t cycles, uint64_t wall_ns,
	uint64_t ns_per_cycle, uint64_t stamp_ns_per_cycle);

/** What another rate would come to. Context: control. */
void pg_verify_gap(const struct pg_verify *verify, const struct pg_rate *rate, uint64_t delay_ns,
	struct pg_verify_gap *gap);

/** The schedule was late and has been moved before the next packet: by so many cycles, and by the
 *  time of `skipped` packets that are given up.
 *  Units:   now: cycles; bytes: of the next packet, where each has its own.  Context: worker. */
void pg_verify_moved(
	struct pg_verify *verify, uint64_t now, uint64_t cycles, uint64_t skipped, uint32_t bytes);

/** The next packet and those behind it have another rate: of the packets that are owed, `dropped`
 *  are not owed any more. Units, context: as above. */
void pg_verify_changed(struct pg_verify *verify, const struct pg_verify_change *change,
	uint64_t now, uint64_t dropped, uint32_t bytes);

/** The burst that begins with the next packet has only n packets, n > 0. Context: worker. */
void pg_verify_cut(struct pg_verify *verify, unsigned int n);

/** Read those of n packets that are to be read.
 *  Shape:   pkts[n]; due[n] are their intended times in cycles; n > 0.
 *  Context: worker. */
void pg_verify_read(struct pg_verify *verify, struct rte_mbuf *const *pkts, const uint64_t *due,
	unsigned int n);

/** The next n packets go to the driver. */
static inline void
pg_verify_pass(
	struct pg_verify *verify, struct rte_mbuf *const *pkts, const uint64_t *due, unsigned int n)
{
	if (unlikely(verify->next - verify->seen < n))
		pg_verify_read(verify, pkts, due, n);
	verify->seen += n;
	verify->last = due[n - 1];
}

/** What comes of it.
 *  Units:   of all packets that went by `sent` were taken, `unsent` were not when the run ended.
 *  Returns what lives as long as `verify`.  Context: control, once, after the run. */
const struct pg_receipt *pg_verify_end(struct pg_verify *verify, uint64_t sent, uint64_t unsent);

/** Checks that are counted, and those of them without a fault. */
unsigned int pg_receipt_checks(const struct pg_receipt *receipt);
unsigned int pg_receipt_ok(const struct pg_receipt *receipt);

/** The check whose fault came first; NULL: all are good. */
const struct pg_receipt_check *pg_receipt_fault(const struct pg_receipt *receipt);

#define PG_VERIFY_TEXT_MAX 160

const char *pg_verify_check_name(enum pg_verify_check check);
const char *pg_verify_field_name(uint8_t field);
/** A value as its field is written; a range as "LEAST to MOST". Returns out. */
char *pg_verify_found_text(const struct pg_verify_fault *fault, char *out, size_t size);
char *pg_verify_expected_text(const struct pg_verify_fault *fault, char *out, size_t size);
/** "packet 17: udp.dst is 10, expected 9". Shape: out[size], PG_VERIFY_TEXT_MAX is enough. */
char *pg_verify_fault_text(const struct pg_verify_fault *fault, char *out, size_t size);

#endif
