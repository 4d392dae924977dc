/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_RX_H
#define PG_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "pg_error.h"

/* The receive graph (DESIGN 7): a source node injects bursts, nodes do what a receive path does. */

#define PG_RX_BURST_MAX 256 /**< packets of one walk: RTE_GRAPH_BURST_SIZE */
#define PG_RX_NODES_MAX 64
#define PG_RX_TAP_RING  4096 /**< packets that may wait for the reader of a tap */
#define PG_RX_FLOWS_MAX 1048576
/** One walk in so many is looked at by itself, from the first on. A prime: what repeats in powers
 * of two is met at every phase. */
#define PG_RX_SAMPLED 17

/** Which packets' ends are held against what the oracle says. */
enum pg_rx_verify_mode {
	PG_RX_VERIFY_OFF,
	PG_RX_VERIFY_SAMPLED, /**< of one burst in 64 */
	PG_RX_VERIFY_FULL,    /**< of all */
};

/** Which buffers packets come in. */
enum pg_rx_buffers {
	PG_RX_BUFFERS_FRESH, /**< what was freed last is taken first */
	PG_RX_BUFFERS_COLD,  /**< all by turns, more than a cache holds */
	PG_RX_BUFFERS_HOT,   /**< the same few; their sender keeps a reference to each */
};

/** Where the packets that a graph drops are counted. */
enum pg_rx_counters {
	PG_RX_COUNTERS_PERCPU, /**< by each graph for itself, which its thread alone writes to */
	PG_RX_COUNTERS_ATOMIC, /**< and one by one in a single counter of all threads */
};

/** Everything that makes one graph differ from another; graphs of equal configurations are
 *  interchangeable. Texts are kept for the life of the process, so that the pointer tells them
 *  apart. */
struct pg_rx_config {
	const char *graph;  /**< first: "host", "eth,ip4,drop" */
	const char *routes; /**< of `fib`: "100000,1000" or a file; NULL: default routes */
	const char *rules;  /**< of `acl`: rules or a file; NULL: none */
	const char *filter; /**< of `filter`: "udp port 9"; NULL: all match */
	const char *bpf;    /**< of `bpf`: "FILE [SECTION]"; NULL: none */
	const char *tap;    /**< of `tap`: "ring" or a file; NULL: nobody reads */
	uint64_t flows;     /**< of `local`: sockets that there may be */
	uint64_t verify;    /**< enum pg_rx_verify_mode */
	uint64_t counters;  /**< enum pg_rx_counters */
	uint64_t buffers;   /**< enum pg_rx_buffers */
	const char *steer;  /**< of `steer`: "kpktgend_0,kpktgend_1"; NULL: all threads */
	uint64_t tail;      /**< 1: only what stands behind `steer`, of a thread steered to */
};

/** Packets that nodes of such a graph may hold at once. */
uint32_t pg_rx_config_keeps(const struct pg_rx_config *config);

/** May nodes of such a graph write to buffers of packets that have at least so many bytes? */
bool pg_rx_config_writes(const struct pg_rx_config *config, uint32_t shortest);

/** Bytes from a packet's start that nodes of such a graph look at, however short it is. */
uint32_t pg_rx_config_reach(const struct pg_rx_config *config);

/** May devices of these share a graph? */
bool pg_rx_config_alike(const struct pg_rx_config *a, const struct pg_rx_config *b);

struct pg_rx_graph;
struct rte_ring;

#define PG_RX_RING_MAX 262144 /**< packets that a ring to another thread may hold */

/** The way of packets to another thread's graph. producer: rw; control: r. */
struct pg_rx_lane {
	struct rte_ring *ring; /**< of one producer and one consumer; never waited for */
	uint64_t offered;      /**< packets that were to go this way ... */
	uint64_t lost;         /**< ... and did not, for the ring was full */
};

#define PG_RX_STEER_MAX 64 /**< threads that flows are spread over */

/** What a device's graph on one thread needs to spread flows. Const while a run lasts. */
struct pg_rx_steer {
	uint32_t n;   /**< threads */
	uint32_t own; /**< number of this one among them; n: it is none */
	struct pg_rx_lane *lane[PG_RX_STEER_MAX]; /**< to each; NULL: this one */
};

/** Does a graph of this configuration steer? Errors: -errno with text. */
int pg_rx_config_steers(const struct pg_rx_config *config, bool *steers, struct pg_error *err);
/** Look at a list of threads; the lcores that it means, of NULL all that there are.
 *  Shape:   lcore[PG_RX_STEER_MAX]; returns how many, 0: it is no such list. */
int pg_rx_threads_check(const char *text, struct pg_error *err);
unsigned int pg_rx_threads_read(const char *text, unsigned int *lcore);

/** Look at the name of a thread, kpktgend_N; the lcore that it means. Errors: -EINVAL with text. */
int pg_rx_thread_check(const char *text, struct pg_error *err);
int pg_rx_thread_read(const char *text, unsigned int *lcore);

#define PG_RX_PROTOCOLS 257 /**< those of IP, and what is not IP */
#define PG_RX_NOT_IP    256

/** The name of what a node counts beside its packets: "xdp: udp". */
struct pg_rx_counter_name {
	char text[40];
	int16_t protocol; /**< below PG_RX_PROTOCOLS: drops of that one are counted; or -1 */
};

#define PG_RX_SHOWN 128 /**< bytes of a packet that ended where it should not */

/** What verification found. */
struct pg_rx_verified {
	uint64_t packets, differences;
	/* Of the first difference: */
	uint64_t index;   /**< of the packet, in the device's run */
	uint32_t length;  /**< its bytes, of which PG_RX_SHOWN at most are here */
	const char *must; /**< where the oracle says that it ends */
	const char *did;  /**< where it ended; "none": nowhere yet */
	uint8_t bytes[PG_RX_SHOWN];
};

/** What the nodes of a graph counted. */
struct pg_rx_profile {
	const char *graph; /**< as its configuration says it */
	bool atomic;       /**< its drops are in pg_rx_shared_drops() too */
	unsigned int nnodes;
	struct pg_rx_node_count {
		const char *name; /**< "eth", "ip4"; of a drop its reason: "ip4: wrong host" */
		bool drop;
		uint64_t packets, calls, cycles;
		/* When the run is over, of the walks looked at that came by; cycles a packet: */
		uint64_t sampled; /**< walks; 0: nothing is known */
		double p50, p99, max;
	} node[PG_RX_NODES_MAX];
	struct pg_hist *spread; /**< owned, of each node. worker: rw; NULL: no run lasts */
	unsigned int ncounters;
	struct pg_rx_counter_name *counter_name; /**< owned, as `counter` is */
	uint64_t *counter;                       /**< worker: rw while a run lasts */
	struct pg_rx_verified *verified;         /**< owned; NULL: rx_verify off */
};

/** Look at a chain as rx_graph has it: a preset, or words with commas between.
 *  Errors:  -EINVAL with text, and the column of the word that is wrong, from 0. */
int pg_rx_chain_check(const char *text, struct pg_error *err);

/** Look at a number of routes. Errors: -ERANGE with text. */
int pg_rx_routes_check(const char *text, struct pg_error *err);

/** Look at rules. The name of a file is taken as it is. Errors: -EINVAL with text. */
int pg_rx_rules_check(const char *text, struct pg_error *err);

/** Look at an expression as tcpdump takes it. Errors: -EINVAL with text. */
int pg_rx_filter_check(const char *text, struct pg_error *err);

/** Look at a program's names. What is in the file is found out when a graph is made.
 *  Errors:  -EINVAL with text. */
int pg_rx_bpf_check(const char *text, struct pg_error *err);

/** The nodes of the user's own, from 0 on. NULL: no more. Needs EAL's plugins. */
const char *pg_rx_user_word(unsigned int i);

/** Make a graph for one thread.
 *  Shape:   name is unique in the process; config is copied.
 *  Errors:  NULL with text. */
struct pg_rx_graph *pg_rx_graph_create(
	const char *name, const struct pg_rx_config *config, int socket, struct pg_error *err);
void pg_rx_graph_destroy(struct pg_rx_graph *rx);

/** Has a file that a node runs been written anew since? */
bool pg_rx_graph_stale(const struct pg_rx_graph *rx);

/** Forget what nodes remember of the run before. */
void pg_rx_graph_begin(struct pg_rx_graph *rx);
/** References to packets that the graph's tap holds; *by: the last node that may hold any, or NULL.
 */
unsigned int pg_rx_graph_held(const struct pg_rx_graph *rx, const char **by);

/** Packets that graphs with PG_RX_COUNTERS_ATOMIC have dropped since pg_rx_shared_begin(), by the
 *  counter that they share. Context: any thread; begin: while no graph runs. */
uint64_t pg_rx_shared_drops(void);
void pg_rx_shared_begin(void);

/** Start counting: what the nodes counted so far belongs to nobody.
 *  Shape:   the profile gets the chain's node names, in order, and zeros; what it had is freed.
 *  Errors:  -ENOMEM. */
int pg_rx_profile_begin(struct pg_rx_graph *rx, struct pg_rx_profile *profile);
/** A run is over: what the walks looked at were like. Context: control. */
void pg_rx_profile_end(struct pg_rx_profile *profile);
/** Add the drops of each protocol that nodes have counted so far. False: none tells them apart.
 *  Shape:   drops[PG_RX_PROTOCOLS].  Context: control; the worker goes on counting. */
bool pg_rx_profile_protocols(const struct pg_rx_profile *profile, uint64_t *drops);
/** Free what a profile owns, and forget the rest. */
void pg_rx_profile_fini(struct pg_rx_profile *profile);

#endif
