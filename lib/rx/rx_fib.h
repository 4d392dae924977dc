/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_FIB_H
#define RX_FIB_H

#include <inttypes.h>
#include <stdint.h>

#include "pg_compat.h"
#include "pg_error.h"

enum { RX_FIB_IP4 = 1, RX_FIB_IP6 = 2 };

/** Forwarding tables, const once they are made. A next hop of 0 is none. */
struct rx_fib {
	struct rte_fib *ip4;
	struct rte_fib6 *ip6;
	const char *routes;
	uint32_t families; /**< mask of RX_FIB_* */
	unsigned int number, users;
	struct rx_fib *next;
};

/** The tables of routes as rx_routes says them; made if there are none yet.
 *  Errors:  NULL with text: memory, with the figure; a file's fault.  Context: control. */
struct rx_fib *rx_fib_get(const char *routes, uint32_t families, int socket, struct pg_error *err);
void rx_fib_put(struct rx_fib *fib);

#endif
