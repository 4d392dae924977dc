/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_ROUTES_H
#define RX_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pg_error.h"

#define RX_ROUTES_MAX  1000000
#define RX_ROUTES6_MAX 100000
#define RX_HOP_MAX     0x3fff /**< next hops are 1 .. this: 15 bits of a table's entry hold them */

/** A prefix in network byte order, the bits behind it zero; IPv4 in the first 4 bytes. */
struct rx_route {
	uint8_t addr[16];
	uint8_t length;
	uint16_t hop;
};

/** Routes of one family, sorted by address and length, each prefix once. */
struct rx_routes {
	struct rx_route *route; /**< owned */
	size_t n;
};

/** Read what rx_routes says: N or N,N6 random prefixes, the name of a file, or NULL: a default
 * route of each family. The same N gives the same prefixes always. Errors:  -errno with text; a
 * file's fault with its line. */
int rx_routes_read(
	const char *text, struct rx_routes *ip4, struct rx_routes *ip6, struct pg_error *err);
void rx_routes_fini(struct rx_routes *routes);

/** Read "10.0.0.0/8" or "2001:db8::/32", or an address alone.
 *  Shape:   addr[16].  Errors: -EINVAL. */
int rx_prefix_parse(const char *text, uint8_t *addr, uint8_t *length, bool *is_ip6);

#endif
