/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_TX_H
#define PG_TX_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include "pg_clock.h"
#include "pg_error.h"
#include "pg_flow.h"
#include "pg_gaps.h"
#include "pg_port.h"
#include "pg_rx.h"
#include "pg_stats.h"
#include "pg_units.h"
#include "pg_verify.h"

/* The engine: threads (one per lcore), devices on them, and runs. Everything here is called on
 * control threads unless it says otherwise. Where there are several, each holds the control lock
 * (pg_engine_lock) around a command and around what it reads; pg_engine_stop() alone needs none. */

#define PG_DEVICE_NAME_MAX 64
#define PG_RESULT_MAX      512 /**< pktgen's result buffer */
#define PG_BURST_DEFAULT   32
#define PG_KICK_SIGNAL     SIGUSR1   /**< interrupts a driver's sleep; app/ gives it a handler */
#define PG_SEED_MAX        INT64_MAX /**< what JSON's integers carry */

enum pg_xmit_mode {
	PG_XMIT_START_XMIT,    /**< the driver's transmit function */
	PG_XMIT_NETIF_RECEIVE, /**< the receive graph */
	PG_XMIT_QUEUE_XMIT,    /**< start_xmit, one packet per call */
};

/** Which walk varying fields take (DESIGN 5). */
enum pg_compat {
	PG_COMPAT_EXACT, /**< inclusive ranges from min, packet i a function of i */
	PG_COMPAT_LINUX, /**< the kernel's walks, order and exclusive ends, delays in whole ns */
};

/** How packets of a rate leave. */
enum pg_pacing {
	PG_PACING_SMOOTH, /**< each at its own time */
	PG_PACING_BURST,  /**< `burst` of them at once */
};

/** How their times are spread. */
enum pg_arrival {
	PG_ARRIVAL_CONSTANT, /**< evenly */
	PG_ARRIVAL_POISSON,  /**< gaps are drawn from an exponential distribution */
};

/** Whether a run with a rate keeps a histogram of lateness and gaps. */
enum pg_gaps_mode {
	PG_GAPS_AUTO, /**< if no more than PG_GAPS_DEVICES of a thread would */
	PG_GAPS_OFF,
	PG_GAPS_ON,
};
#define PG_GAPS_DEVICES 64 /**< 20 kB each: more would leave no cache to the packets */

/** Where packets of netif_receive come from. */
enum pg_source {
	PG_SOURCE_INJECT, /**< they are built */
	PG_SOURCE_PORT,   /**< the device's port receives them */
};

/** Which thread's graph packets of netif_receive walk through. */
enum pg_inject {
	PG_INJECT_DIRECT, /**< the device's own */
	PG_INJECT_RING,   /**< another one's, through a ring */
};

/** What the user set on a device. The template comes first: its rows write here too. */
struct pg_device_settings {
	struct pg_template tmpl;
	uint64_t count;      /**< packets; 0: until stopped */
	uint64_t delay_ns;   /**< what `delay:` shows: the rate in whole ns, as pktgen has it */
	struct pg_rate rate; /**< what was asked: delay, ratep or rate */
	uint32_t burst;      /**< packets per transmit call as written; 0: not written */
	uint32_t clone_skb;  /**< times each packet is sent; 0 and 1: once */
	uint8_t xmit_mode;   /**< enum pg_xmit_mode */
	uint8_t pacing;      /**< enum pg_pacing */
	uint8_t arrival;     /**< enum pg_arrival */
	uint8_t gaps;        /**< enum pg_gaps_mode */
	struct pg_late late;
	uint64_t duration_ns; /**< 0: until count or stop */
	uint64_t tolerance;   /**< of an asked rate, in 10^-6 % */
	int32_t node;         /**< NUMA node of buffers, if the flag NODE is set; -1: not set */
	struct pg_stream stream;
	struct pg_rx_config rx; /**< of netif_receive */
	uint8_t rx_source;      /**< enum pg_source */
	uint8_t inject;         /**< enum pg_inject */
	uint32_t rx_ring;       /**< packets that a ring to another thread holds */
	const char *rx_thread;  /**< "kpktgend_1", which receives; NULL: the next one */
	uint32_t verify;        /**< read one packet of so many for the receipt; 1: all; 0: none */
};

#define PG_NODE_UNKNOWN (-1) /**< the system does not say, or there is none */
#define PG_NODE_SEVERAL (-2) /**< pages of several nodes */

/** Memory nodes as they really are, or one of the two above. */
struct pg_placement {
	int pool, lcore, port;
	int asked;            /**< what `flag NODE` with `node N` wants; PG_NODE_UNKNOWN: nothing */
	bool port_used;       /**< the buffers go to the port */
	size_t page_bytes;    /**< of the pool's memory; 0: of several sizes, or not known */
	bool fast_free;       /**< the port's driver frees them without looking at each */
	uint8_t buffers;      /**< enum pg_rx_buffers */
	uint32_t repeated;    /**< hot ones: packets that the run repeated ... */
	uint64_t replaced;    /**< ... and those in the place of others that somebody held */
	const char *outgrown; /**< the cache that cold buffers do not fit into; NULL: others */
	size_t outgrown_bytes; /**< its size */
};

/** Are buffers away from that node, the lcore's or the port's? */
bool pg_placement_remote(const struct pg_placement *placement, int node);

/** The live values of a device's text (reference 5, "Current:"). */
struct pg_device_current {
	uint64_t seq_num;
	uint64_t started_us, stopped_us;
	uint32_t saddr, daddr;
	struct pg_ip6 saddr6, daddr6;
	uint32_t src_mac_offset, dst_mac_offset;
	uint16_t udp_src, udp_dst;
	uint16_t queue_map;
	uint64_t flows; /**< started in the last run */
};

/** What took a thread's time, as shares of a device's run. */
struct pg_spent {
	double busy;             /**< building and handing over packets */
	double waited[PG_WAITS]; /**< by what for */
	double off_cpu; /**< of all that, not on its CPU: others had it, or the driver slept */
};

/** What was asked of a device in a run, and what became of it. Packets add up:
 *  intended = offered + late + ended, where offered are those that the driver or graph took. */
struct pg_account {
	bool has_intended;      /**< false: until stopped, as fast as possible */
	uint64_t intended;      /**< packets whose time came in the run, or all of its count */
	uint64_t late;          /**< due, but not offered */
	uint64_t ended;         /**< of its count, not due yet when it was ended early */
	uint64_t skipped;       /**< of the late ones, given up by `late skip` */
	uint64_t moves;         /**< times the schedule was moved ... */
	uint64_t moved_ns;      /**< ... and how far in all */
	uint64_t start_late_ns; /**< behind start_at's instant; PG_COUNTER_ABSENT */
	uint64_t driver_sent;   /**< of a port to itself; PG_COUNTER_ABSENT */
	double asked_pps;       /**< mean of the schedule; 0: no rate */
	double offered_pps;     /**< the share of it that was offered in time */
	double share;           /**< offered_pps / asked_pps */
	struct pg_spent spent;
	char limit[96]; /**< why less than asked was offered; empty: it was not */
};

/** What another thread did with a device's packets. Packets add up:
 *  offered = received + lost + in_flight. */
struct pg_receiver {
	const struct pg_thread *thread;
	uint32_t ring_size;
	uint64_t offered;   /**< handed to its ring */
	uint64_t lost;      /**< that the full ring did not take */
	uint64_t received;  /**< that walked through its graph */
	uint64_t in_flight; /**< in the ring; 0 once the run is over */
	uint64_t errors;    /**< of the received, that its graph dropped */
	uint64_t calls;     /**< walks */
	uint64_t cycles;    /**< busy */
	double cycles_per_packet;
	struct pg_rx_profile profile;
} __rte_cache_aligned; // each is written to by another worker

/** One packet stream on one thread. */
struct pg_device {
	TAILQ_ENTRY(pg_device) in_thread; /**< newest first, as pktgen lists them */
	TAILQ_ENTRY(pg_device) in_engine; /**< in order of adding */
	char name[PG_DEVICE_NAME_MAX];
	struct pg_thread *thread;
	struct pg_port *port;
	struct pg_device_settings settings;
	struct pg_device_current current;
	char reply[PG_RESULT_MAX]; /**< of the last command; empty: the last run's result counts */
	bool has_run;
	struct rte_mempool *frag_pool; /**< owned; NULL: never needed */
	uint32_t frag_bytes;           /**< room of its buffers */
	struct pg_walk *walk;          /**< owned; NULL before the first run in `compat linux` */
	/* The last run. */
	struct pg_task *task; /**< owned; NULL while no run is prepared */
	struct pg_result result;
	struct pg_rx_profile profile;  /**< of the own thread's graph; nnodes 0: none was walked */
	bool received;                 /**< its packets came from the port */
	uint16_t rx_queue;             /**< that they come from; control, before a run */
	struct pg_receiver *receivers; /**< owned: other threads that received from it */
	unsigned int nreceivers;
	double own_cycles; /**< generator into an empty graph, cycles per packet */
	uint64_t asked;    /**< packets; 0: until stopped */
	struct pg_rate asked_rate;
	unsigned int rate_changes; /**< while the run went on */
	uint8_t asked_mode;        /**< enum pg_xmit_mode */
	struct pg_account account;
	struct pg_gaps_result gaps;        /**< packets 0: not noted */
	uint64_t imix_count[PG_PAIRS_MAX]; /**< packets built of each size of the mix */
	uint32_t call_packets;             /**< packets per transmit call really used */
	uint32_t pool_size;
	uint32_t pool_in_use; /**< buffers that somebody still holds once all workers are idle */
	struct pg_placement placement;
	const char *isa;
	const struct pg_receipt *receipt; /**< of the last run; NULL: none was wanted */
	bool fell_short;
	char shortfall[160]; /**< why */
};
TAILQ_HEAD(pg_device_list, pg_device);

struct pg_task;
struct rte_mempool;
struct pg_walk;
struct pg_worker;

/** kpktgend_N: EAL lcore N. */
struct pg_thread {
	struct pg_engine *engine;
	unsigned int lcore;
	struct pg_device_list devices;
	char reply[PG_RESULT_MAX]; /**< of its last command; empty: "NA" */
	struct pg_worker *worker;
};

/** What a port counted during a run, beside what was offered to it. */
struct pg_port_account {
	const struct pg_port *port;
	uint64_t offered;           /**< packets that its driver took from us */
	uint64_t opackets, oerrors; /**< PG_COUNTER_ABSENT: the driver does not say */
	uint64_t lost;              /**< taken by the driver, but not sent */
	/* PG_COUNTER_ABSENT unless it leads to itself, or devices received from it: */
	uint64_t received;  /**< by the driver's count */
	uint64_t in_flight; /**< of a ring that leads to itself: sent, but not received */
	uint64_t taken;     /**< that devices took from it */
	uint64_t missed, receive_errors, no_buffer; /**< that its driver could not give */
	uint64_t not_drained; /**< sent by the driver's count, not yet by the kernel's */
	struct pg_port_account *next;
};

/** The last run as a whole. */
struct pg_run {
	uint64_t seed;
	uint64_t started_wall_ns;
	bool at_instant;  /**< started_wall_ns is what start_at asked for */
	bool interrupted; /**< ended by stop or a signal */
	bool fell_short;  /**< a device or port did not do what was asked */
	struct pg_port_account *ports;
};

struct pg_engine;

/** Where a dry run's packets go. write: 0 or -errno; ns counts from the run's start. */
struct pg_dry_sink {
	int (*write)(void *ctx, uint64_t ns, const uint8_t *frame, uint32_t bytes);
	void *ctx;
};

/** What runs have behind them when they start, so that what long ones come to can be tested. */
struct pg_origin {
	uint64_t packets; /**< of each device: built and sent, a part of its count */
	uint64_t bytes;   /**< of these, where sizes vary */
	uint64_t ns;      /**< that this took */
	uint64_t wall_ns; /**< what CLOCK_REALTIME shows then; 0: the truth */
};

struct pg_engine_config {
	const struct pg_port_ops *ports;
	struct pg_clock *clock; /**< borrowed; refined at the end of every run */
	/** Called on the starting thread with the CPUs that begin to poll, and with an empty set
	 *  when they stop. May be NULL. */
	void (*polling)(void *ctx, const cpu_set_t *cpus);
	/** Called when the results of a run stand, on the thread that derived them: in
	 *  pg_engine_wait(), pg_engine_restart() or pg_thread_clear(). May be NULL. */
	void (*finished)(void *ctx);
	void *ctx;
	/** Not NULL: runs write their packets here instead of sending them; pg_engine_start()
	 *  returns when all are written. */
	const struct pg_dry_sink *dry;
	const struct pg_origin *origin; /**< NULL: nothing. Borrowed; for tests */
};

/** One engine per process, on the lcores that EAL has. Errors: NULL with text. */
struct pg_engine *pg_engine_create(const struct pg_engine_config *config, struct pg_error *err);
void pg_engine_destroy(struct pg_engine *engine);

/** The worker loop of one lcore: sleeps, runs what start gives it, returns after quit.
 *  Context: the lcore itself; main calls it directly for the main lcore. */
int pg_engine_worker(void *thread);
/** Let every worker return. */
void pg_engine_quit(struct pg_engine *engine);

struct pg_thread *pg_engine_thread(struct pg_engine *engine, unsigned int lcore);
struct pg_thread *pg_engine_next_thread(struct pg_engine *engine, const struct pg_thread *thread);
struct pg_device *pg_engine_device(struct pg_engine *engine, const char *name);
const struct pg_device_list *pg_engine_devices(const struct pg_engine *engine);
struct pg_ports *pg_engine_ports(struct pg_engine *engine);
const struct pg_run *pg_engine_run(const struct pg_engine *engine);
const struct pg_clock *pg_engine_clock(const struct pg_engine *engine);
bool pg_engine_running(const struct pg_engine *engine);

/** Add a device to a thread; NAME or NAME@TAG, NAME resolves to a port.
 *  Errors:  -EBUSY same full name, -ENODEV no such port, others from attaching; with text. */
int pg_device_add(struct pg_thread *thread, const char *name, struct pg_error *err);
/** Could this device be added at all? Attaches nothing. 0, or -ENODEV with text. */
int pg_device_probe(struct pg_engine *engine, const char *name, struct pg_error *err);
/** Every setting at its default, from the rows of the command table. */
int pg_device_defaults(struct pg_device_settings *settings, struct pg_error *err);
/** Write the lines, without a target, that give a fresh device these settings.
 *  Errors:  as pg_device_defaults(). */
int pg_device_save(const struct pg_device *device, FILE *out, struct pg_error *err);
/** Remove every device of a thread. Those of a run end first, without a result; the other threads
 *  go on. */
void pg_thread_clear(struct pg_thread *thread);
/** Does the device's part of a run still go on? */
bool pg_device_running(const struct pg_device *device);
/** Bring sent, errors, bytes and idle time of `result`, and `current`, up to now while a run goes
 *  on; once the device's part of it has ended, its result stands. Else nothing changes.
 *  Context: control, holding the control lock; the worker is not disturbed. */
void pg_device_refresh(struct pg_device *device);

/** The control lock: held around each command and around reading what commands change. Not
 *  recursive. */
void pg_engine_lock(struct pg_engine *engine);
void pg_engine_unlock(struct pg_engine *engine);

/** Start all devices: compile, set up ports, pools and graphs, then let the workers go.
 *  Errors:  -EBUSY if a run goes on; -errno with text; then nothing runs and nothing has changed.
 */
int pg_engine_start(struct pg_engine *engine, struct pg_error *err);
/** The same, as control files do it: a run that goes on is ended first, its results say
 *  `interrupted`, and those who wait for it wait for the new one.
 *  Errors:  as pg_engine_start(), then no run goes on any more. */
int pg_engine_restart(struct pg_engine *engine, struct pg_error *err);
/** Make one packet of a device's stream alone, stamped with time 0, as a run with the engine's
 *  seed would.
 *  Shape:   frame[size], size >= PG_SIZE_MAX rounded up to 64.
 *  Errors:  the frame's length, or -errno with text. */
int pg_device_packet(struct pg_device *device, uint64_t index, uint8_t *frame, size_t size,
	struct pg_error *err);
/** Wait until no run goes on; who finds the last one's workers idle first derives its results.
 *  Context: the control lock is held, and released meanwhile; or no other thread needs it. */
void pg_engine_wait(struct pg_engine *engine);
/** End the run within a burst. Any thread; false if none goes on. sticky: then the next one ends as
 *  it starts, so that a signal is never too early. */
bool pg_engine_stop(struct pg_engine *engine, bool sticky);
/** Forget a sticky stop that no run has taken. */
void pg_engine_stop_forget(struct pg_engine *engine);

/** The walks of the runs to come. */
void pg_engine_set_compat(struct pg_engine *engine, enum pg_compat compat);
enum pg_compat pg_engine_compat(const struct pg_engine *engine);

/** pktgen's `debug`, one for all devices: above 0, replies are printed as with --verbose. */
void pg_set_debug(uint32_t debug);
uint32_t pg_debug(void);

/** When runs start: a time from each `start` on, or once at a time of day.
 *  False: at once. */
void pg_engine_set_start(struct pg_engine *engine, const struct pg_moment *moment);
bool pg_engine_start_at(const struct pg_engine *engine, struct pg_moment *moment);

/** 0: a fresh random seed for every run. */
void pg_engine_set_seed(struct pg_engine *engine, uint64_t seed, bool fixed);
/** False: none is set. */
bool pg_engine_seed(const struct pg_engine *engine, uint64_t *seed);

struct pg_command_list;
/** Rows of the command table: pgctrl, kpktgend_N, and a device's settings: how packets are sent,
 *  and when, and the receive graph. */
extern const struct pg_command_list pg_tx_control_commands;
extern const struct pg_command_list pg_tx_device_commands;
extern const struct pg_command_list pg_tx_rate_commands;
extern const struct pg_command_list pg_tx_receive_commands;

#endif
