/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of a builder in the receipt's hands, and a test between the two. */
#ifndef SUPPORT_RECEIPT_H
#define SUPPORT_RECEIPT_H

#include "pg_verify.h"
#include "support_prog.h"

#define RECEIPT_GAP_NS 1234567

/** A run that a receipt reads. */
struct receipt_case {
	struct pg_template tmpl;
	struct pg_verify_config config; /**< tmpl and port are filled in */
	const char *stream;
	uint64_t seed;
	unsigned int built, burst; /**< packets to build, at most so many at once */
	bool paced;
	uint64_t ns_per_cycle;      /**< of the schedule, as in pg_clock; 0: a cycle is 1 ns */
	const struct pg_prog *prog; /**< the builder's, of the run that goes on */
	/** Called for the intended times of the next packets: due[n], and what moved them is told.
	 *  Returns how many, whole packets with their copies. NULL: even gaps. */
	unsigned int (*times)(
		struct receipt_case *c, struct pg_verify *verify, uint64_t *due, unsigned int n);
	const char *built_as;     /**< commands for the builder, if the receipt is told others */
	unsigned int unaccounted; /**< packets that the account says were sent and never came */
	/** Called between builder and receipt: pkts[n] are packets `first` and on of the run,
	 * due[n] their intended times. NULL: nothing is done to them. */
	void (*tamper)(struct rte_mbuf **pkts, uint64_t *due, uint64_t first, unsigned int n);
};

/** A case of device commands, separated by ';': all of 64 packets, each read. */
struct receipt_case receipt_case(const char *commands);

/** Build the packets and read them. */
struct pg_receipt receipt_of(struct receipt_case *c);

/** Fail the test unless there is no fault. */
void receipt_silent(const struct pg_receipt *receipt, const char *what);

/** Fail the test unless this check alone has faults. Returns it. */
const struct pg_receipt_check *receipt_names(
	const struct pg_receipt *receipt, enum pg_verify_check check, const char *what);

#endif
