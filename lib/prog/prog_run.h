/* SPDX-License-Identifier: BSD-3-Clause */
/* What must inline into a loop; included by lib/prog and by the workers only. */
#ifndef PROG_RUN_H
#define PROG_RUN_H

#include <rte_common.h>
#include <rte_reciprocal.h>

#include "pg_prog.h"
#include "pg_random.h"

/** Kinds of operations; a table per instruction set maps them to functions. */
enum prog_kind {
	PROG_FLOWS_SEQ,    /**< flow[] = the flow each packet belongs to, one after the other */
	PROG_FLOWS_RANDOM, /**< the same, permuted within each block of flows * flowlen */
	PROG_FLOWS_WIDE,   /**< the same for blocks of more than 2^32 packets */
	PROG_WALK_SEQ,     /**< column = each packet's destination as Linux walks flows */
	PROG_WALK_SEQ_RANDOM,
	PROG_WALK_ANY,
	PROG_WALK_ANY_RANDOM,
	PROG_FILL,           /**< column = lo */
	PROG_LINEAR_FLOW,    /**< column = lo + (flow mod n) */
	PROG_RANDOM_FLOW,    /**< column = lo + 64-bit hash of the flow scaled to n */
	PROG_RANDOM_FLOW_32, /**< column = lo + 32-bit hash of the flow scaled to n */
	PROG_IMIX,           /**< size column from the mix, exact in each cycle of the weights */
	PROG_IMIX_WIDE,      /**< the same for cycles above 2^32 */
	PROG_LINEAR,         /**< column = lo + ((i + ahead) mod n) */
	PROG_RANDOM_BITS,    /**< column = lo + the top bits of a hash, n a power of two */
	PROG_RANDOM_32,      /**< column = lo + 32-bit hash scaled to n */
	PROG_RANDOM_64,      /**< column = lo + 64-bit hash scaled to n */
	PROG_SKIP,           /**< column: step over reserved intervals */
	PROG_MBUF,           /**< the mbuf's fields, fixed length */
	PROG_MBUF_SIZES,  /**< the mbuf's fields, length from the size column, kept in length[] */
	PROG_FRAGS,       /**< the data behind pktgen's header in segments of their own */
	PROG_FRAGS_CLEAR, /**< the same, and their bytes zeroed */
	PROG_IMAGE,       /**< the image, fixed length */
	PROG_IMAGE_SIZES, /**< the image, length[] of it */
	PROG_MACS,        /**< both MAC addresses, from the columns of their offsets */
	PROG_TCI,         /**< column into a VLAN tag */
	PROG_LABEL,       /**< column into an MPLS entry */
	PROG_LENGTH,      /**< length[] without the op's lo into the header of layer 3 */
	PROG_IP6_FLOW,    /**< as PROG_IP6, by flow */
	PROG_IP6_MASKED,  /**< as PROG_IP6, but (random | lo) & hi, as Linux does */
	PROG_IP6_TAIL,    /**< column into the last 32 bits of an IPv6 address and the UDP sum */
	PROG_IP6,         /**< a random IPv6 address and its part of the UDP sum */
	PROG_STAMP,       /**< one time for the burst */
	PROG_STAMP_EACH,  /**< each packet's own time */
	PROG_SEAL,        /**< the first of PROG_SEALS: see enum prog_seal */
	PROG_KINDS = PROG_SEAL + 64,
};

/** What the last operation writes besides id, IPv4 checksum and sequence number: added to
 *  PROG_SEAL. */
enum prog_seal {
	PROG_SEAL_ADDRESSES = 1 << 0, /**< both addresses, from their columns */
	PROG_SEAL_PORTS = 1 << 1,     /**< both ports, from their columns */
	PROG_SEAL_CHECKSUM = 1 << 2,  /**< the UDP checksum */
	PROG_SEAL_LENGTH = 1 << 3,    /**< the UDP length, from length[] */
	PROG_SEAL_IP6 = 1 << 4,       /**< IPv6: neither id nor checksum in layer 3 */
	PROG_SEAL_IMAGE = 1 << 5,     /**< before them the image, of fixed length */
};

#define PROG_OPS_MAX   64
#define PROG_SKIPS_MAX 4

struct prog_op;

typedef void (*prog_fn)(const struct pg_prog *prog, const struct prog_op *op,
	struct pg_prog_state *state, struct rte_mbuf **pkts, unsigned int n);

/** The first cache line is all that most kinds read. */
struct prog_op {
	_Alignas(RTE_CACHE_LINE_SIZE) prog_fn fn;
	uint8_t kind;    /**< enum prog_kind */
	uint8_t column;  /**< of the scratch; fields that share one use it at once. PROG_SEAL: of
			  *   parts of the UDP sum */
	uint8_t field;   /**< enum pg_field; PG_FIELDS: of none, so run for each */
	uint8_t half;    /**< of a cycle's permutation: bits, of the wide one: half of them */
	uint16_t offset; /**< of what it writes, from the Ethernet header */
	uint16_t bits;   /**< PROG_TCI: priority and CFI; PROG_LABEL: the S bit */
	uint32_t lo;
	uint32_t n;     /**< values of the range; 0: 2^32. PROG_WALK_*: the last value */
	uint32_t shift; /**< PROG_RANDOM_BITS. PROG_WALK_*: from one value to the next */
	uint16_t run;   /**< so many of one kind from here on: one call does them */
	uint16_t ahead; /**< PROG_LINEAR: 1 if packet 0 has the second value */
	struct pg_key key;
	const uint32_t *steps; /**< k * stride mod n, for k <= PG_BURST_MAX */
	/** How far one packet moves on: within a cycle, and in whole cycles. PROG_LINEAR_FLOW:
	 *  2^128 / cycle, for modulo(). */
	uint64_t step, step_cycles;
	/** PROG_IMIX: sum of the weights; PROG_FLOWS_*: packets of a block, or of a flow where they
	 *  are in sequence; PROG_WALK_*, PROG_LINEAR_FLOW: values */
	uint64_t cycle;
	struct rte_reciprocal by_flowlen; /**< PROG_FLOWS_RANDOM */
	uint32_t nskips;
	struct {
		uint32_t from, length;
	} skip[PROG_SKIPS_MAX];
};

static_assert(offsetof(struct prog_op, step_cycles) == RTE_CACHE_LINE_SIZE,
	"what most kinds read is in the first cache line");

/** Const while a run lasts; shared by every queue that runs it. */
struct pg_prog {
	struct prog_op *ops; /**< nops, behind the image */
	uint32_t nops;
	uint32_t frame;       /**< fixed frame length; 0: sizes vary */
	uint32_t frame_min;   /**< the shortest that holds the headers */
	uint32_t image_bytes; /**< frame_max rounded up to 64 */
	uint32_t ip_base;     /**< sum of the IPv4 header's 16-bit words that never change */
	uint32_t udp_base;    /**< the same for UDP with its pseudo header */
	uint32_t ttl_proto;   /**< bytes 8 and 9 of the IPv4 header, in the upper half */
	uint32_t ports;       /**< both UDP ports, where they do not vary */
	uint32_t udp_length;  /**< in the upper half; 0 if sizes vary */
	uint32_t copies;
	uint16_t l3, l4, payload; /**< offsets from the Ethernet header */
	bool ip6;
	uint32_t first, stride; /**< packet j is packet first + j * stride of the stream */
	/* Behind the first cache line: what only some packets need. */
	uint64_t rearm[2];      /**< data_off, refcnt, nb_segs, port, ol_flags of an mbuf */
	uint64_t priority;      /**< in the upper half, as it lies behind data_len and vlan_tci */
	uint32_t frame_max;     /**< bytes without FCS */
	uint32_t frags;         /**< segments behind the first; 0: one piece */
	uint64_t per_frag;      /**< 2^32 / frags, rounded up */
	uint64_t frag_rearm[2]; /**< the same of a fragment */
	struct pg_flow flow;
	const struct pg_walk *walk; /**< borrowed: history, of flows as Linux walks them */
	const char *isa;
	uint64_t imix_below[PG_PAIRS_MAX]; /**< sums of the weights up to each entry */
	uint32_t *steps[PG_FIELDS];        /**< owned tables of short ranges */
	/** image_bytes, and the operations behind them: a thread with many devices walks through
	 *  many programs, so they are no longer than they must be. */
	_Alignas(RTE_CACHE_LINE_SIZE) uint8_t image[];
};

/** 8 bytes of a packet, big endian, as they are stored. */
struct prog_word {
	uint32_t first, second;
};

/** Elements of a column: a burst, and two cache lines so that columns do not start in the same
 *  sets of the first-level cache. */
#define PROG_COLUMN (PG_BURST_MAX + 32)

/** Fields up to the size have a column of their own; tags and labels take turns on one. What has
 *  none adds its part of the UDP sum to another; the last one is zeros, for packets without any. */
#define PROG_COLUMN_TAG  (PG_FIELD_SIZE + 1)
#define PROG_COLUMN_SUM  (PROG_COLUMN_TAG + 1)
#define PROG_COLUMN_ZERO (PROG_COLUMN_SUM + 1)
#define PROG_COLUMNS     (PROG_COLUMN_ZERO + 1)

/** Columns of one burst, written and read within one pg_prog_run(). worker: rw. */
struct pg_prog_scratch {
	uint32_t column[PROG_COLUMNS][PROG_COLUMN];
	uint32_t length[PROG_COLUMN];
	uint32_t sequence[PROG_COLUMN]; /**< as stored */
	struct prog_word id[PROG_COLUMN], addresses[PROG_COLUMN], udp[PROG_COLUMN];
	uint64_t flow[PROG_COLUMN]; /**< number of the flow, over all blocks */
	/* Within one operation: which cycle of a permutation, and where in it. */
	uint64_t cycle[PROG_COLUMN];
	uint32_t place[PROG_COLUMN], round_key[PROG_COLUMN];
	uint64_t due[PROG_COLUMN]; /**< cycles; PROG_STAMP_EACH: set by the worker before */
	/** The burst itself, from the pool to the driver. One for all devices of a thread: a place
	 *  that is always in the cache. `alike` of them from the first are known to be `same`. */
	struct rte_mbuf *pkts[PG_BURST_MAX], *same;
	unsigned int alike;
};

/** Segments that wait to be used, of a pool without headroom. worker: rw. */
struct pg_frags {
	uint32_t n;
	struct rte_mbuf *seg[];
};

/** What advances, one per runner of a program. worker: rw; control reads it after the run. */
struct pg_prog_state {
	uint64_t index; /**< of the next packet to build */
	struct pg_prog_scratch *scratch;
	uint32_t id;            /**< of packet 0 */
	struct pg_walk *walk;   /**< borrowed; NULL: none */
	struct pg_frags *frags; /**< owned; the program's frags for each packet of a burst */
	uint64_t bytes;         /**< of all frames of varying size built, without FCS */
	/* How stamps are made: wall_ns at wall_cycles, then ns_per_cycle of pg_clock. */
	uint64_t wall_ns, wall_cycles, ns_per_cycle;
	uint32_t residue[PG_FIELDS]; /**< PROG_LINEAR: index mod n */
	uint64_t *seen; /**< PROG_FLOWS_RANDOM: a bit for each flow of this block; owned */
	uint64_t block; /**< that seen[] is about; PROG_FLOWS_SEQ: the flow before */
	uint64_t flows_started;
	uint64_t imix_count[PG_PAIRS_MAX]; /**< packets built of each entry */
};

/** Bytes from an mbuf to its frame: buffers come from pools without private area. */
#define PROG_DATA_DELTA (sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM)

/** Build the next n packets: index, index + stride, ... of the stream.
 *  Shape:   pkts[n], 1 <= n <= PG_BURST_MAX, raw buffers of a pool (refcnt 1, one segment).
 *  Units:   scratch->due[n] in cycles, if the program is paced and stamps.
 *  Errors:  none (a compiled program cannot fail).  Context: the worker that owns `state`. */
static inline void
pg_prog_run(const struct pg_prog *prog, struct pg_prog_state *state, struct rte_mbuf **pkts,
	unsigned int n)
{
	const struct prog_op *op = prog->ops, *end = op + prog->nops;

	do { // the last one, PROG_SEAL, is always there
		op->fn(prog, op, state, pkts, n);
		op += op->run;
	} while (op < end);
	state->index += (uint64_t)n * prog->stride;
}

#endif
