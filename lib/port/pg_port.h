/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_PORT_H
#define PG_PORT_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>
#include <rte_ether.h>

#include "pg_address.h"
#include "pg_error.h"

#define PG_PORT_NAME_MAX 64

/** A port that devices send on: an ethdev, and what templates and queues need to know of it.
 *  control: rw. */
struct pg_port {
	char name[PG_PORT_NAME_MAX]; /**< as the user names it */
	char ethdev[PG_PORT_NAME_MAX];
	uint16_t id; /**< ethdev port number */
	char driver[32];
	struct rte_ether_addr mac;
	uint32_t ip4;      /**< first address of the kernel interface behind it; 0: none */
	struct pg_ip6 ip6; /**< its link-local address; all zero: none */
	uint32_t mtu;
	uint32_t frame_max;  /**< longest frame without FCS it can be set up for */
	uint32_t speed_mbps; /**< 0: unknown */
	bool link_up;
	uint16_t max_txqs;
	int socket;                  /**< -1: any */
	char interface[IF_NAMESIZE]; /**< kernel interface behind it; empty: none */
	bool attached;               /**< on the spot: goes with its last device */
	bool can_segments;           /**< its driver sends chains of buffers */
	uint64_t can_offload;        /**< transmit offloads that its driver has, of the two below */
	uint64_t want_offload;       /**< control: w before pg_port_setup() */
	uint64_t offload;            /**< set up for */
	bool keeps_packets;          /**< its driver never writes to a packet it sends */
	unsigned int users;          /**< devices on it */
	uint16_t ntxqs;              /**< queues it is set up for; 0: not started */
	uint16_t ntxds;              /**< descriptors of a queue */
	uint16_t max_rxqs;
	uint16_t rx_least;        /**< packets that its driver has to be asked for at least */
	uint16_t want_rxqs;       /**< control: w before pg_port_setup(): that are received from */
	uint32_t want_rx_buffers; /**< the same: buffers beside those in its rings */
	uint16_t nrxqs;           /**< set up for ... */
	uint32_t rx_buffers;      /**< ... both */
	struct rte_mempool *rx_pool; /**< what it receives lies in; NULL: nothing is received */
	bool loops;                  /**< what it sends comes back to it */
	struct pg_port *next;
};

/** What a port counts itself. Absent values are UINT64_MAX, never 0. */
struct pg_port_counters {
	uint64_t opackets, oerrors; /**< the driver's */
	uint64_t ipackets;          /**< the driver's; and what it had to leave: */
	uint64_t imissed, ierrors, rx_nombuf;
	uint64_t kernel_tx; /**< packets that passed the kernel interface behind it */
};

#define PG_COUNTER_ABSENT UINT64_MAX

/** What a port may be asked for: chains of buffers; and that the driver frees what it has sent
 *  without looking, for all that a queue gets is whole, used once and of one pool. */
#define PG_PORT_SEGMENTS  RTE_ETH_TX_OFFLOAD_MULTI_SEGS
#define PG_PORT_FAST_FREE RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE

/** How names become ports; a test can supply its own.
 *  open() fills a zeroed port (name is set) or fails with text; close() undoes it. */
struct pg_port_ops {
	/** Could this name be a port at all? 0, or -ENODEV with text. Attaches nothing. */
	int (*probe)(void *ctx, const char *name, struct pg_error *err);
	int (*open)(void *ctx, struct pg_port *port, struct pg_error *err);
	void (*close)(void *ctx, struct pg_port *port);
	void *ctx;
	/** Is the interface behind an open port up? Asked when another device wants the port.
	 *  0, or -ENETDOWN with text. NULL: always. */
	int (*up)(void *ctx, const struct pg_port *port, struct pg_error *err);
};

/** Ethdev: name, number, kernel interface through net_af_packet, or virtual device attached on
 *  the spot (DESIGN 1). */
extern const struct pg_port_ops pg_port_ethdev;

/** The ports in use. */
struct pg_ports;

/** Errors: NULL with errno. */
struct pg_ports *pg_ports_create(const struct pg_port_ops *ops);
void pg_ports_destroy(struct pg_ports *ports);

/** Find or open the port of a name and count a user. Errors: NULL with text. */
struct pg_port *pg_ports_get(struct pg_ports *ports, const char *name, struct pg_error *err);

/** The open port of a name, by whichever name; NULL: none. */
struct pg_port *pg_ports_find(const struct pg_ports *ports, const char *name);

/** Drop a user; a port attached on the spot goes with its last one. */
void pg_ports_put(struct pg_ports *ports, struct pg_port *port);

/** See pg_port_ops.probe. */
int pg_ports_probe(const struct pg_ports *ports, const char *name, struct pg_error *err);

/** The first port; follow ->next. */
struct pg_port *pg_ports_first(const struct pg_ports *ports);

/** Attach a device from EAL device arguments (`net_pcap0,tx_pcap=FILE`), and detach it again.
 *  Errors: -errno with text; detach refuses a port that devices use. */
int pg_port_attach(const char *devargs, struct pg_error *err);
/** The same, remembered until it is detached. */
int pg_ports_attach(struct pg_ports *ports, const char *devargs, struct pg_error *err);
/** What was attached so, in its order. NULL: no more. */
const char *pg_ports_attached(const struct pg_ports *ports, size_t i);
int pg_ports_detach(struct pg_ports *ports, const char *name, struct pg_error *err);

/** Give every port that is set up from now on a receive queue: dpdk-dumpcap captures both
 *  directions or none. */
void pg_ports_set_captured(bool captured);

/** Configure and start a port with `ntxqs` transmit queues and room for frames of frame_bytes, for
 *  chains of buffers if they are wanted, and with the receive queues that are; nothing happens if
 * it is so already. Errors:  -errno with text; more queues than the port has is -EINVAL. */
int pg_port_setup(struct pg_port *port, uint32_t ntxqs, uint32_t frame_bytes, struct pg_error *err);

/** Stop a port that pg_port_setup() started: its rings let go of their buffers. */
void pg_port_stop(struct pg_port *port);

/** Is the device behind it, or its kernel interface, there no more? */
bool pg_port_gone(const struct pg_port *port);

/** Wait until the link is up, at most timeout_ms. */
bool pg_port_link_wait(struct pg_port *port, unsigned int timeout_ms);

void pg_port_counters_read(const struct pg_port *port, struct pg_port_counters *counters);

/** Check that every `--vdev` of an EAL argument list became a device: EAL itself does not fail.
 *  Errors: -ENODEV with text. */
int pg_port_check_vdevs(int argc, char **argv, struct pg_error *err);

/** A locally administered unicast MAC that depends on the name alone. */
void pg_port_mac_from_name(const char *name, struct rte_ether_addr *mac);

#endif
