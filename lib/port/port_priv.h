/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORT_PRIV_H
#define PORT_PRIV_H

#include "pg_port.h"

/** What has to be known of a driver beyond what it says of itself (each found by measuring). */
struct port_traits {
	const char *driver;   /**< NULL: all others */
	bool rx_like_tx;      /**< as many receive as transmit queues (net_tap) */
	bool needs_rx;        /**< at least one receive queue */
	bool keeps_packets;   /**< never writes to a packet it sends, nor hands it on */
	bool takes_chains;    /**< frees chains of buffers, though it does not say so */
	bool fixed_mtu;       /**< its limit is the kernel interface's MTU, or set at attach */
	bool any_frame;       /**< takes frames of any length without being told before */
	bool slots;           /**< frames must fit into slots fixed at attach (net_af_packet) */
	bool kernel_receives; /**< what it sends, the interface behind it receives (net_tap) */
	bool loops;           /**< what it sends, it receives (net_ring) */
	bool foreign_mac;     /**< its MAC belongs to a kernel interface and is left alone */
};

const struct port_traits *port_traits_find(const char *driver);

/** Write the net_af_packet arguments that carry a kernel interface's MTU and one queue for each
 *  lcore; both are fixed at attach. Errors: -errno with text. */
int port_af_packet_args(const char *interface, char *out, size_t size, struct pg_error *err);

/** What the kernel knows of an interface. */
void port_kernel_addresses(const char *interface, uint32_t *ip4, struct pg_ip6 *ip6);
/** Errors: -ENETDOWN with text. */
int port_kernel_up(const char *interface, struct pg_error *err);
bool port_kernel_carrier(const char *interface); /**< up, and connected */
uint32_t port_kernel_mtu(const char *interface); /**< 0: unknown */
/** Packets that the interface has sent, or received; PG_COUNTER_ABSENT: unknown. */
uint64_t port_kernel_packets(const char *interface, bool received);

/** The longest frame that fits into a net_af_packet slot, from the device's arguments. */
uint32_t port_af_packet_frame_max(const char *args);

/** Fill a port from its ethdev: everything but the name. Errors: -errno with text. */
int port_describe(struct pg_port *port, struct pg_error *err);

#endif
