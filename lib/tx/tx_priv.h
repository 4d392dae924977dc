/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TX_PRIV_H
#define TX_PRIV_H

#include <pthread.h>

#include <rte_mempool.h>

#include "pg_gaps.h"
#include "pg_pace.h"
#include "pg_tx.h"
#include "pg_verify.h"
#include "prog_run.h"
#include "rx_run.h"

/** Which of its thread's queues a packet takes (reference 7.7): a function of the packet's number
 *  among those built. */
struct tx_map_plan {
	uint16_t lo, hi; /**< inclusive, in the thread's own set */
	uint16_t start;  /**< in order: of the first packet; below lo it is counted up to there */
	bool random;
	struct pg_key key;
};

/** A device with several queues: packets built wait in line for theirs. worker: rw. */
struct tx_map {
	/** Write the lines of the next n packets to line_of[]. */
	void (*number)(struct tx_map *map, unsigned int n);
	uint16_t nlines;         /**< const */
	uint16_t room;           /**< const: half of a line; a burst is built if none holds more */
	uint32_t pending;        /**< packets in all lines */
	uint32_t longest;        /**< packets in the longest line */
	uint64_t index;          /**< of the next packet to draw for */
	uint16_t next, now;      /**< queues of the next packet built and of the one repeated */
	uint16_t base;           /**< const: queue of line 0 */
	uint32_t copies;         /**< const: sends per packet built */
	uint32_t left;           /**< of the packet repeated */
	struct tx_map_plan plan; /**< const */
	uint16_t line_of[PG_BURST_MAX];
	struct tx_line {
		struct rte_mbuf **pkts; /**< const: 2 * room */
		uint32_t npkts;
	} line[];
};

/** Another rate, while a run goes on. Owner: the task, until it is destroyed. */
struct tx_change {
	struct tx_change *next;
	struct pg_pace pace;
};

/** One device's part of a run. Hot fields first.
 *  worker: rw while the run lasts; control: rw before and after. */
struct pg_task {
	/** Send one burst, or what is left of one; false when the task is finished. */
	bool (*turn)(struct pg_task *task);
	/** Build the next burst into the scratch; false: nothing is due, or no buffer is free. */
	bool (*build)(struct pg_task *task);
	const struct pg_prog *prog; /**< const */
	struct rte_mempool *pool;   /**< const */
	uint64_t left;              /**< packets still to be built */
	uint64_t wait_since;        /**< cycles; 0: not waiting */
	uint16_t port, queue;       /**< const */
	uint16_t burst;             /**< const: packets per call */
	uint16_t head, npkts;       /**< of pkts[]: what the driver has not taken yet */
	uint8_t done;               /**< worker: w, once, when it has ended the task */
	bool paced;                 /**< has a schedule; set when it gets a rate */
	uint8_t wait_for;           /**< enum pg_wait */
	uint8_t to_sample;          /**< walks before one is looked at by itself */
	struct pg_prog_state state __rte_cache_aligned; /**< in the second line */
	/* Of a paced task; stop_at of any. */
	uint64_t wake __rte_cache_aligned; /**< cycles, before which nothing is due */
	pg_pace_take_fn take;              /**< of its pace */
	uint64_t stop_at;                  /**< cycles, from which on nothing is due ... */
	struct pg_gaps *gaps;              /**< owned; NULL: not noted */
	struct pg_pace pace;
	uint64_t give_up_at;           /**< ... nor is anything tried any more */
	uint32_t copies;               /**< const: sends per packet built */
	uint32_t place;                /**< const: in the worker's tasks */
	struct rte_mempool *frag_pool; /**< const; NULL: no fragments */
	struct pg_rx_graph *rx;        /**< const; NULL: its packets do not walk on this thread */
	struct pg_rx_lane *lane;       /**< const; NULL: they are not handed to another */
	struct pg_rx_steer *steer;     /**< const, owned; NULL: its graph does not steer */
	const struct tx_handoff *from; /**< const; NULL: it builds them itself */
	uint64_t mac;                  /**< const: the port's, for the receive graph */
	struct tx_hot *hot;     /**< owned; NULL: each packet is built in a buffer of its own */
	struct rte_mbuf *clone; /**< the packet being repeated, with a reference of ours */
	uint32_t clone_left;
	uint64_t clone_bytes;          /**< of all copies taken, of hot packets too */
	struct pg_rx_profile *profile; /**< the device's; collected after each walk when shared */
	struct tx_change *change;      /**< control: w; the worker then takes it over */
	uint8_t cancelled;             /**< control: w, once; the worker then ends the task */
	bool shared;                   /**< const: other devices use the same graph */
	bool injects;                  /**< const: its packets meet a receive graph */
	bool receives;                 /**< const: they come from the port */
	uint16_t least;                /**< const: packets that the port has to be asked for */
	uint32_t surplus;              /**< worker: w: taken so beyond the count, and freed */
	struct tx_map *map;            /**< const, owned; NULL: all packets take one queue */
	struct pg_verify *verify;      /**< const, owned; NULL: no receipt */
	struct pg_counters counters;
	uint64_t patience; /**< const: cycles without a free buffer after which it ends */
	/* control only */
	bool finished; /**< the device has its result */
	bool refusals; /**< calls that the driver refuses are errors */
	uint32_t held; /**< worker: w at the end: packets in hand that the driver did not take */
	const struct tx_change *changed;   /**< worker: w: the last one taken over */
	struct tx_change *changes;         /**< owned, all of the run, the last one first */
	uint64_t before_cycles;            /**< that a test lets the run have behind it */
	uint64_t run_cycles, grace_cycles; /**< from start to stop_at, and on to give_up_at */
	struct pg_device *device;
	struct tx_handoff *handoffs; /**< owned; of the device's own task: all of the device */
	struct pg_placement placement;
	struct tx_map_plan plan;
	struct pg_prog *owned_prog;
	struct pg_prog_state ended; /**< the state at the run's end, before the own cost is taken */
	struct pg_walk *spare;      /**< a walk for what is built after the run; owned */
	struct pg_rx_graph *null;   /**< the empty graph that the own cost is measured with */
	double own_cycles;
	struct rte_mbuf *pkts[] __rte_cache_aligned; /**< burst: of the last one, what is left */
};

/** A ring that leads a device's packets to another thread, and the task that receives them there.
 */
struct tx_handoff {
	struct pg_rx_lane lane; /**< producer: rw */
	/** producer: w, once, behind its last packet. The rest: const. */
	uint8_t closed __rte_cache_aligned;
	const struct pg_task *producer;
	struct pg_thread *thread; /**< that receives */
	struct pg_task *task;     /**< owned, of that thread */
	struct pg_receiver *receiver;
	struct tx_handoff *next;      /**< of the device */
	struct tx_handoff *in_thread; /**< to the same thread */
} __rte_cache_aligned;

/** Is a time there, or over? */
static inline bool
tx_is_past(uint64_t now, uint64_t time)
{
	return (int64_t)(now - time) >= 0;
}

/** A paced task does nothing before its next packet, or its end. */
static inline void
tx_task_awake(struct pg_task *task)
{
	task->wake = tx_is_past(task->pace.due, task->stop_at) ? task->stop_at : task->pace.due;
}

static inline void
tx_wait_begin(struct pg_task *task, uint64_t now, enum pg_wait what)
{
	if (task->wait_since == 0) {
		task->wait_since = now;
		task->wait_for = what;
	}
}

static inline void
tx_wait_end(struct pg_task *task, uint64_t now)
{
	pg_counter_add(&task->counters.idle_cycles, now - task->wait_since);
	pg_counter_add(&task->counters.waited[task->wait_for], now - task->wait_since);
	task->wait_since = 0;
}

/** Has it packets that the driver has not taken yet? */
static inline bool
tx_task_holds(const struct pg_task *task)
{
	return task->npkts != 0 || (task->map != NULL && task->map->pending != 0);
}

static_assert(offsetof(struct pg_task, counters) % RTE_CACHE_LINE_SIZE == 0,
	"counters have lines of their own");

/** The transmit queues of one thread on one port, or its place to inject from, for the devices
 *  whose buffers are on one memory node. Those of other nodes use the same queues from other pools.
 */
struct tx_queue {
	struct pg_port *port; /**< NULL: netif_receive */
	struct pg_port *from; /**< whose pool it is, that packets come from; NULL: they are built */
	int socket;           /**< asked for */
	uint8_t buffers;      /**< enum pg_rx_buffers */
	uint16_t first;       /**< ethdev queue number */
	uint16_t nqueues;     /**< that the widest queue map needs */
	unsigned int ndevices; /**< that share it and its pool */
	uint32_t frame_max, burst_max;
	uint32_t priority; /**< of the first device */
	bool alike;        /**< all devices' packets have the same metadata */
	bool prepared;     /**< the pool's buffers hold it */
	uint32_t kept;     /**< packets that nodes of receive graphs may hold */
	uint32_t reach;    /**< bytes of a buffer that they look at, whatever is in it */
	struct rte_mempool *pool;
	uint32_t buffer_bytes; /**< data room of the pool's buffers */
	uint32_t cache;
	struct pg_placement placement; /**< of the pool; the rest is each device's */
	struct tx_queue *next;
};

/** What a worker is told while it runs. */
enum tx_order {
	TX_GO,
	TX_REVIEW, /**< end the tasks that are cancelled, go on with the others */
	TX_STOP,
};

/** A lcore's side of the engine. */
struct pg_worker {
	pthread_mutex_t lock;
	pthread_cond_t wake;    /**< control -> worker: tasks, or quit */
	struct pg_task **tasks; /**< control: rw while idle; worker: r while running */
	unsigned int ntasks;
	struct tx_share *share; /**< as tasks; NULL: a single one, or none */
	bool busy, quit;        /**< under lock */
	pthread_t self;         /**< under lock; known once the worker has come up */
	bool self_known;
	uint8_t order __rte_cache_aligned; /**< enum tx_order; any thread: w; worker: r */
	struct pg_prog_scratch *scratch __rte_cache_aligned;
	struct tx_queue *queues;     /**< control only */
	unsigned int nrated;         /**< control only: devices that have a rate at start */
	struct tx_graph *graphs;     /**< control only */
	struct tx_handoff *handoffs; /**< control only: to this thread, of this run */
	/* worker: w, once, at the run's end: of its thread while tasks ran, as the kernel counts */
	uint64_t wall_ns, cpu_ns, preempted, sleeps;
	bool usage_known;
	uint64_t start_late; /**< cycles behind the instant of start_at */
};

/** A receive graph of a thread, for the devices there that are configured alike. */
struct tx_graph {
	struct pg_rx_config config;
	struct pg_rx_graph *rx;
	unsigned int ndevices; /**< that share it */
	bool wanted;           /**< by a device, or to measure the generator alone */
	struct tx_graph *next;
};

struct pg_engine {
	struct pg_engine_config config;
	struct pg_ports *ports;
	struct pg_thread *threads[RTE_MAX_LCORE]; /**< by lcore; NULL: no such lcore */
	struct pg_device_list devices;
	void *names;            /**< tsearch() tree of devices by name */
	struct pg_device *last; /**< found last: one line after the other is about it */
	struct pg_run run;
	struct pg_moment start_at; /**< of the runs to come; relative 0: at once */
	clockid_t start_clock;     /**< of this run ... */
	uint64_t start_ns;         /**< ... 0: at once */
	uint64_t seed;
	bool seed_fixed;
	enum pg_compat compat;
	unsigned int npools;     /**< ever made: a part of their names */
	unsigned int ngraphs;    /**< the same of graphs */
	unsigned int nhandoffs;  /**< of this run */
	unsigned int nlaunched;  /**< workers of this run ... */
	unsigned int ncome;      /**< ... and those that have come to it. worker: rw, atomic */
	pthread_mutex_t control; /**< pg_engine_lock(); taken before `lock` */
	pthread_mutex_t lock;
	pthread_cond_t done; /**< worker -> control: one more is idle */
	unsigned int nbusy;  /**< workers running; under lock */
	bool running;        /**< from start to the end of wait; under lock */
	bool stopped;        /**< stop was called during the run; under lock */
	bool stop_next;      /**< a signal came without a run: the next one ends at once */
	bool restarting;     /**< the run is ended for the next one; under lock */
};

/** Fix the instant that the run to come starts at. Errors: -EINVAL with text: it has passed. */
int tx_instant_set(struct pg_engine *engine, struct pg_error *err);

/** Sleep, then spin until the run's instant, or until the worker is told to stop.
 *  Returns the instant in cycles; now, if there is none.  Context: the worker. */
uint64_t tx_instant_wait(struct pg_worker *worker, const struct pg_engine *engine);

/** Note that a run begins, with the stop that came too early for the last one, or that it ended. */
void tx_running_set(struct pg_engine *engine, bool running);

/** Derive the results of a run whose workers are idle. False: a run goes on.
 *  Context: the control lock is held. */
bool tx_run_settle(struct pg_engine *engine);

/** End what a worker runs, and wait until it is idle; the others go on.
 *  Context: the control lock is held. */
void tx_worker_stop(struct pg_engine *engine, struct pg_worker *worker);

/** End a run that goes on; its results say `interrupted`. Context: the control lock is held. */
void tx_run_end(struct pg_engine *engine);

/** Choose the function that a receiving task's loop calls. timed: it has an end. */
void tx_task_bind_receiver(struct pg_task *task, bool timed);

/** Does a device take packets from its port? */
static inline bool
tx_receives(const struct pg_device *device)
{
	return device->settings.xmit_mode == PG_XMIT_NETIF_RECEIVE &&
	       device->settings.rx_source == PG_SOURCE_PORT;
}

/** Choose the function that a task's loop calls. timed: it has an end, but no rate. */
void tx_task_bind(struct pg_task *task, bool paced, bool timed);

/** A paced run that ends later than scheduled by more than 1 % and this much fell short: time for
 *  threads to wake up and for one preemption near the end. */
#define TX_LATE_SLACK_NS 10e6

/** A run that is stopped while its port has taken nothing for so long fell short: a reader
 *  that is only slow, or that the system has interrupted, is back sooner. */
#define TX_STUCK_NS 100000000

/** How long a run waits for packets that nodes of a receive graph hold: at its end, or when it has
 *  no buffers left and ends for that. */
#define TX_HELD_WAIT_NS UINT64_C(2000000000)

/** Bytes of what a task has built so far, repeated ones each time. Context: any thread. */
static inline uint64_t
tx_task_bytes(const struct pg_task *task)
{
	return pg_counter_read(
		task->copies > 1 || task->hot != NULL ? &task->clone_bytes : &task->state.bytes);
}

/** Put the intended times of the next n packets into the scratch, and build them into the task's
 *  pkts[]: a turn without a clock. Returns how many were built: less than n if the pool is empty.
 *  Context: control. */
void tx_task_schedule(struct pg_task *task, unsigned int n);
unsigned int tx_task_build(struct pg_task *task, unsigned int n);

/** Take buffers for n packets from the task's pools, fragments apart. False: empty.
 *  Shape:   pkts[n]. */
bool tx_task_take(struct pg_task *task, struct rte_mbuf **pkts, unsigned int n);

/** Hot buffers: can the device have them, -EINVAL with text; make room for a task's packets, if it
 *  wants them, -ENOMEM; put the next n into the scratch, and add to *built how many of them were
 *  built, 0 if the pool is empty; give them back; and what is to be said of them. */
int tx_hot_check(const struct pg_device *device, struct pg_error *err);
int tx_hot_create(struct pg_task *task);
unsigned int tx_hot_build(struct pg_task *task, unsigned int n, uint64_t *built);
void tx_hot_release(struct pg_task *task);
void tx_hot_tell(const struct pg_task *task, struct pg_placement *out);

/** Fragments: can the device's port send them; pool and stash of a task; give the stash back; the
 *  pool goes with its device. Errors: -errno with text. */
int tx_frags_check(const struct pg_device *device, struct pg_error *err);
int tx_frags_prepare(struct pg_task *task, struct pg_device *device, struct pg_error *err);
void tx_frags_release(struct pg_task *task);
void tx_frags_forget(struct pg_device *device);

/** Let a task's schedule and stamps follow another clock from time 0 on. */
void tx_task_virtual(
	struct pg_task *task, const struct pg_device *device, const struct pg_clock *clock);

/** The receipt of a task, if the device wants one; what comes of it once the task has ended.
 *  Errors: -ENOMEM with text. */
int tx_verify_prepare(struct pg_task *task, struct pg_error *err);
void tx_verify_finish(struct pg_device *device);

/** Write every packet of the prepared tasks to the engine's dry sink. */
int tx_dry_run(struct pg_engine *engine, struct pg_error *err);

/** How the tasks of a worker share it. Errors: NULL, out of memory. Owner: the caller, rte_free().
 */
struct tx_share *tx_share_create(unsigned int ntasks, int socket);

/** Cycles of all turns that sent something. Context: any thread. */
uint64_t tx_share_busy(const struct tx_share *share);

/** Let the worker's tasks take turns until all are done or its order changes. Context: worker. */
void tx_share_run(struct pg_worker *worker);

/** What a worker was told last. */
static inline uint8_t
tx_order(const struct pg_worker *worker)
{
	return __atomic_load_n(&worker->order, __ATOMIC_RELAXED);
}

/** End a task: it sends no more, and its account stands. Context: worker. */
void tx_task_end(struct pg_task *task);

/** Run a worker's tasks until all are finished or it is told to stop. Context: the worker. */
void tx_worker_run(struct pg_worker *worker, struct pg_engine *engine);

/** Prepare one device's task on its queue. Errors: -errno with text. */
int tx_task_create(struct pg_device *device, struct tx_queue *queue, struct pg_error *err);
void tx_task_destroy(struct pg_task *task);

/** Find out which queues the devices need, set up pools and graphs, and ports if asked to.
 *  Errors:  -errno with text. */
int tx_queues_prepare(struct pg_engine *engine, bool ports, struct pg_error *err);
struct tx_queue *tx_queue_of(const struct pg_device *device);
void tx_queues_destroy(struct pg_worker *worker);
/** Find out where the memory of a new pool is, and on what pages. */
void tx_placement_of_pool(struct rte_mempool *pool, struct pg_placement *out);
/** Where a device of that queue and its buffers are. */
void tx_placement(
	const struct pg_device *device, const struct tx_queue *queue, struct pg_placement *out);

/** Give each thread the graphs that devices need there, and take away the others; then each
 *  device's. Errors: -errno with text. */
int tx_graphs_prepare(struct pg_engine *engine, struct pg_error *err);
void tx_graphs_destroy(struct pg_worker *worker);
/** What a worker needs to take packets in hand. Errors: -ENOMEM with text. */
int tx_scratch_prepare(struct pg_thread *thread, struct pg_error *err);
struct tx_graph *tx_graph_of(const struct pg_device *device);
/** The graph of a thread that the device's steers to. */
struct tx_graph *tx_graph_tail(const struct pg_device *device, const struct pg_thread *thread);
/** The empty graph of a device's thread, for buffers of its kind. */
struct pg_rx_graph *tx_graph_null(const struct pg_device *device);

/** The thread whose graph a device's packets enter. NULL: there is no such thread. */
struct pg_thread *tx_receiving_thread(const struct pg_device *device);
/** The other threads that its graph steers to, or may. Shape: thread[PG_RX_STEER_MAX]. */
unsigned int tx_steered_threads(const struct pg_device *device, struct pg_thread **thread);
/** Can a device's packets be handed to the thread that is to receive them? -errno with text. */
int tx_handoff_check(const struct pg_device *device, struct pg_error *err);
/** The rings of a device's task and the tasks behind them, if it hands packets over.
 *  Errors: -ENOMEM with text. */
int tx_handoffs_create(struct pg_device *device, struct pg_error *err);
void tx_handoffs_destroy(struct pg_task *task);
/** Nothing more comes from that task. Context: its worker, once. */
void tx_handoffs_close(const struct pg_task *task);
/** Have all ended that receive from a device's task? */
bool tx_handoffs_done(const struct pg_task *task);
/** Bring the receivers of a device up to now. Returns the packets that their graphs dropped. */
uint64_t tx_handoffs_read(struct pg_device *device);
void tx_handoffs_finish(struct pg_device *device);
/** Free the receivers' results. */
void tx_receivers_forget(struct pg_device *device);

/** The device's template with its port's defaults. Errors: -EINVAL with text. */
int tx_device_resolve(const struct pg_device *device, struct pg_flow *flow, struct pg_error *err);

/** The next packet's length, of a program whose sizes vary. Context: worker. */
static inline uint32_t
tx_task_next_bytes(struct pg_task *task)
{
	pg_prog_sizes(task->prog, &task->state, 1);
	return task->state.scratch->length[0];
}

/** Set up a task's schedule, and when it ends, from its device's settings. */
void tx_rate_set(
	struct pg_task *task, const struct pg_device *device, const struct pg_clock *clock);

/** Could a running device go on at that rate? 0, or -EINVAL with text. */
int tx_rate_admit(struct pg_device *device, const struct pg_rate *rate, struct pg_error *err);

/** Let a device whose part of a run goes on take over its settings' rate, from the next packet.
 *  Errors:  -errno with text; then the old rate stays. */
int tx_rate_change(struct pg_device *device, struct pg_error *err);
void tx_rate_forget(struct pg_task *task);

/** Is a device to note when its packets leave, and what it notes it in. Errors: -ENOMEM. */
bool tx_gaps_wanted(const struct pg_device *device);
int tx_gaps_create(struct pg_task *task);

/** Can the rate asked for be kept with this flow on this port? Errors: -EINVAL with text. */
int tx_rate_check(const struct pg_device *device, const struct pg_flow *flow, struct pg_error *err);

/** The queue map that a device has at start: what was set within the queues that its port has. */
void tx_map_plan(const struct pg_device *device, struct tx_map_plan *plan);
/** The queue of packet `index` built, in the thread's own set. */
uint16_t tx_map_queue(const struct tx_map_plan *plan, uint64_t index);
/** A queue number as start leaves it: below what the port has (reference 6.1.1). */
uint16_t tx_map_clamp(const struct pg_port *port, uint16_t queue);
/** Lines for a plan of several queues. Owner: the caller, rte_free(). Errors: NULL. */
struct tx_map *tx_map_create(
	const struct tx_map_plan *plan, uint32_t burst, uint32_t copies, int socket);
/** Free what is still in line, and take its bytes off what was counted, if it was. */
void tx_map_drop(struct tx_map *map, uint64_t *bytes);

/** Packets per transmit call that a device really uses. */
uint32_t tx_call_packets(const struct pg_device_settings *settings);

/** May its receive graph write to the packets of a device with these settings? */
bool tx_graph_writes(const struct pg_device_settings *set);

/** Read the ports' own counters before a run, and make the account after it. */
int tx_account_begin(struct pg_engine *engine, struct pg_error *err);
void tx_account_end(struct pg_engine *engine);
/** A device goes while a run does: what it sent stays in its port's account. */
void tx_account_leave(struct pg_engine *engine, const struct pg_device *device);
/** Free the account of a port; NULL: of all. */
void tx_account_forget(struct pg_engine *engine, const struct pg_port *port);

/** Take over what the kernel's walk leaves behind: its state, and random tags and labels, which
 *  become the device's settings. After any run of `compat linux`; of others nothing is left. */
void tx_device_walked(struct pg_device *device);

/** Buffers of the task's pools that a driver, a ring or a reader holds. Context: control, while no
 *  worker runs. */
uint32_t tx_pool_in_use(const struct pg_task *task);

/** Has it ended because nodes of its receive graph did not give back any buffer? */
static inline bool
tx_task_starved(const struct pg_task *task)
{
	return task->wait_since != 0 && task->wait_for == PG_WAIT_POOL &&
	       task->counters.stop_cycles - task->wait_since > task->patience;
}

/** Wait, but not for long, until nobody holds packets of devices that inject; who still does, fell
 *  short. Context: control, while no worker runs. */
void tx_graphs_settle(struct pg_engine *engine);
/** Make a device's account of its finished task, and say whether it fell short. */
void tx_judge(struct pg_device *device, bool interrupted);

/** Find anew where its time went and what the limit was, once its worker is idle. */
void tx_judge_limit(struct pg_device *device);

/** Derive a device's result, profile and current values from its finished task; once. */
void tx_device_finish(struct pg_device *device);

/** A port loses a device: if it is the last, the queues that point to it go. */
void tx_queues_forget(struct pg_engine *engine, struct pg_port *port);
/** Stop a port; its queues and their pools go. */
void tx_queues_drop(struct pg_engine *engine, struct pg_port *port);

#endif
