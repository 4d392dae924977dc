/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_ORACLE_H
#define RX_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "pg_error.h"
#include "pg_rx.h"

/** A second implementation of every chain, written to be obvious: it decides where each packet must
 *  end. It shares nothing with the nodes but the texts of settings, read. */
struct rx_oracle;

/** Shape:   words[n] as the chain has them, of constant names.  Errors: NULL with text. */
struct rx_oracle *rx_oracle_create(const char *const *words, unsigned int n,
	const struct pg_rx_config *config, struct pg_error *err);
void rx_oracle_destroy(struct rx_oracle *oracle);
/** Forget the sockets of the run before. */
void rx_oracle_begin(struct rx_oracle *oracle);

/** Five-tuple of a packet that is for a socket. */
struct rx_oracle_flow {
	uint8_t version, proto, src[16], dst[16];
	uint32_t sport, dport;
	uint32_t ports; /**< 1: it has some */
};

/** Read the flow of an IP packet whose header is known to be right. Shape: frame[length]. */
void rx_oracle_read_flow(const uint8_t *frame, uint32_t length, struct rx_oracle_flow *flow);

/** How flows are spread over threads. */
struct rx_oracle_steer {
	uint32_t n, own; /**< threads, and which of them this one is; n: none of them */
	bool raw;        /**< what is spread are frames as they came */
	bool tail;       /**< all that comes was steered to this one */
};
void rx_oracle_steer(struct rx_oracle *oracle, const struct rx_oracle_steer *steer);
/** The thread that a packet's flow is for. Shape: frame[length]. */
uint32_t rx_oracle_lane(const uint8_t *frame, uint32_t length, const struct rx_oracle_steer *steer);

/** Where a packet must end: a word, or a reason; "steered": in a ring to another thread. "socket"
 * of a flow that has none yet also stands for "local: table full": which of a burst's flows come
 * first is the graph's business. Shape:   frame[whole] is the packet, of which the first segment
 * has `length` bytes; mac[6] is ours. */
const char *rx_oracle_verdict(const struct rx_oracle *oracle, const uint8_t *frame, uint32_t length,
	uint32_t whole, const uint8_t *mac, struct rx_oracle_flow *flow);
/** The graph has delivered to a flow's socket. False: there are as many as there may be. */
bool rx_oracle_socket(struct rx_oracle *oracle, const struct rx_oracle_flow *flow);
/** The graph has found no room for a flow's socket; asked after all of the burst that did. False:
 *  it has one, or there was room. */
bool rx_oracle_full(const struct rx_oracle *oracle, const struct rx_oracle_flow *flow);

#endif
