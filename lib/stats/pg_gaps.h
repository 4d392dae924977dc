/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_GAPS_H
#define PG_GAPS_H

#include <stdbool.h>

#include <rte_branch_prediction.h>

#include "pg_clock.h"
#include "pg_hist.h"

/* When packets of a schedule really left: how much later than they were meant to, and how far from
 * those before them. A packet leaves when the call that hands it over begins. */

#define PG_GAPS_LIMITS 7

/** One device's in one run. worker: rw; control: r after the run. */
struct pg_gaps {
	uint64_t last;   /**< cycles: when the last call began; 0: none yet */
	uint64_t polled; /**< cycles: the last look at the clock while waiting; 0: not waiting */
	uint64_t absent_min; /**< const: cycles between two such looks that are an absence */
	uint64_t absences, absent_cycles;
	uint64_t *due; /**< const: as long as a burst: of packets that a call did not take */
	struct pg_hist late;
	struct pg_hist gap; /**< between calls; within one packets are back to back */
};

/** Note that a call that began at `now` took the first n packets of due[]. Context: worker. */
static inline void
pg_gaps_note(struct pg_gaps *gaps, const uint64_t *due, uint64_t now, unsigned int n)
{
	uint32_t first, last;

	if (unlikely(n == 0))
		return;
	if (likely(gaps->last != 0))
		pg_hist_add(&gaps->gap, now - gaps->last, 1);
	gaps->last = now;
	first = pg_hist_bucket(now - due[0]);
	last = pg_hist_bucket(now - due[n - 1]);
	if (now - due[0] > gaps->late.max)
		gaps->late.max = now - due[0];
	if (first == last) { // times are in order
		gaps->late.count[first] += n;
		return;
	}
	for (unsigned int k = 0; k < n; k++)
		gaps->late.count[pg_hist_bucket(now - due[k])]++;
}

/** Note a look at the clock: the thread waits, or it has done so until now. Context: worker. */
static inline void
pg_gaps_poll(struct pg_gaps *gaps, uint64_t now, bool waits)
{
	if (unlikely(gaps->polled != 0 && now - gaps->polled > gaps->absent_min)) {
		gaps->absences++;
		gaps->absent_cycles += now - gaps->polled;
	}
	gaps->polled = waits ? now : 0;
}

/** The same in figures. */
struct pg_gaps_result {
	uint64_t packets; /**< 0: nothing was noted */
	uint64_t calls;
	double back_to_back;           /**< share of packets in the call of the one before */
	double within[PG_GAPS_LIMITS]; /**< share less late than pg_gaps_limit_ns[] */
	double late_p50_ns, late_p99_ns, late_p999_ns, late_max_ns;
	double gap_p50_ns, gap_p99_ns, gap_max_ns; /**< between calls */
	uint64_t absences, absent_ns; /**< the thread did not run, though it was to wait */
};

extern const uint32_t pg_gaps_limit_ns[PG_GAPS_LIMITS];

void pg_gaps_result(
	const struct pg_gaps *gaps, const struct pg_clock *clock, struct pg_gaps_result *out);

#endif
