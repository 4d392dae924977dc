/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_UNITS_H
#define PG_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PG_NS_PER_S  UINT64_C(1000000000)
#define PG_NS_PER_US UINT64_C(1000)
#define PG_US_PER_S  UINT64_C(1000000)

/** Bytes that a frame has on the wire beyond what an mbuf holds.
 *  Source:  IEEE 802.3: frame check sequence 4; preamble and delimiter 8, gap 12. */
#define PG_FCS_BYTES      4
#define PG_L1_EXTRA_BYTES 20

/** A rate as it was asked for. */
enum pg_rate_kind {
	PG_RATE_NONE,    /**< as fast as possible */
	PG_RATE_DELAY,   /**< ns between packets; UINT64_MAX: never send */
	PG_RATE_PPS,     /**< packets per second */
	PG_RATE_KERNEL,  /**< Mbit/s of frames without FCS, as pktgen counts */
	PG_RATE_L2,      /**< bit/s with FCS */
	PG_RATE_L1,      /**< bit/s with preamble and gap too */
	PG_RATE_PERCENT, /**< 10^-6 % of the port's speed, L1 */
};

struct pg_rate {
	uint64_t value;
	uint8_t kind; /**< enum pg_rate_kind */
};

#define PG_RATE_PERCENT_UNIT UINT64_C(1000000)
#define PG_PERCENT           PG_RATE_PERCENT_UNIT       /**< 1 % where shares count 10^-6 % */
#define PG_RATE_MAX          UINT64_C(1000000000000000) /**< 1 Pbit/s: products stay in range */

/** What happens to a schedule that is further behind than its limit. */
enum pg_late_kind {
	PG_LATE_CATCHUP, /**< it is moved until the limit is all that is to be caught up */
	PG_LATE_SKIP,    /**< what should have left by now is given up */
	PG_LATE_STRETCH, /**< it is moved until it is on time */
};

/** The same as it was asked for. */
struct pg_late {
	uint64_t max_ns; /**< of PG_LATE_CATCHUP: how far behind is caught up */
	uint8_t kind;    /**< enum pg_late_kind */
};

/** A time: ns since 1970, or from now on. */
struct pg_moment {
	uint64_t ns;
	bool relative;
};

#define PG_MOMENT_MAX (UINT64_C(1) << 62)

#define PG_LATE_MAX_NS PG_NS_PER_S /**< unless said otherwise */

/** floor(a * b / c) without overflow of the product.
 *  Units:   c > 0.  Errors: a result above 64 bits becomes UINT64_MAX. */
static inline uint64_t
pg_muldiv(uint64_t a, uint64_t b, uint64_t c)
{
	unsigned __int128 q = (unsigned __int128)a * b / c;

	return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
}

/** Write a number with a metric prefix and three decimals at most: 14.881 M, 9.5 G, 60.
 *  Shape:   out[size]; returns out. */
char *pg_units_si(double value, char *out, size_t size);

#endif
