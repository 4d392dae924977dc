/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes: from a file, or as many random ones as are asked for. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "pg_random.h"
#include "pg_rx.h"
#include "rx_routes.h"

#define LINE_MAX_BYTES 256
#define BLOCK_LENGTH   32 // of IPv6: what a registry gives to a network
#define BLOCK_ROUTES   8  // that a network announces, on average

/** How many of a million prefixes have a length: the shape of the Internet's routing tables, where
 *  /24 and /48 are most (BGP reports of the APNIC, potaroo.net, 2023), rounded. */
struct share {
	uint8_t length;
	uint32_t share;
};

static const struct share ip4_shares[] = {{24, 604000}, {22, 112000}, {23, 102000}, {21, 54000},
	{20, 46000}, {19, 26500}, {18, 14500}, {16, 14000}, {17, 8700}, {25, 2000}, {26, 2000},
	{27, 2000}, {28, 2000}, {29, 2000}, {32, 3000}, {15, 2100}, {14, 1250}, {13, 600},
	{12, 305}, {11, 105}, {10, 40}, {9, 10}, {8, 10}};
static const struct share ip6_shares[] = {{48, 480000}, {32, 120000}, {44, 110000}, {40, 100000},
	{36, 40000}, {29, 27000}, {47, 25000}, {46, 25000}, {33, 20000}, {34, 18000}, {56, 12000},
	{64, 10000}, {30, 6000}, {28, 4000}, {20, 3000}};

static int
compare(const void *a, const void *b)
{
	const struct rx_route *x = a, *y = b;
	int order = memcmp(x->addr, y->addr, sizeof(x->addr));

	return order != 0 ? order : (int)x->length - (int)y->length;
}

// Of equal prefixes the first stays. Returns how many are left.
static size_t
unique(struct rx_route *route, size_t n)
{
	size_t kept = 0;

	qsort(route, n, sizeof(route[0]), compare);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || compare(&route[kept - 1], &route[i]) != 0)
			route[kept++] = route[i];
	}
	return kept;
}

static void
cut(uint8_t *addr, unsigned int length)
{
	for (unsigned int bit = length; bit < 128; bit++)
		addr[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
}

static uint8_t
draw_length(const struct share *shares, size_t n, uint64_t random)
{
	uint32_t at = (uint32_t)((random >> 32) * 1000000 >> 32);

	for (size_t i = 0; i < n; i++) {
		if (at < shares[i].share)
			return shares[i].length;
		at -= shares[i].share;
	}
	return shares[0].length;
}

// A global unicast address, at random. IPv6 prefixes lie in blocks, as networks announce them.
static struct rx_route
draw(bool is_ip6, size_t blocks, uint64_t i)
{
	static const struct pg_key key = {.wide = 0x726f757465730001};
	uint64_t length = pg_random_64(&key, 3 * i), a = pg_random_64(&key, 3 * i + 1),
		 b = pg_random_64(&key, 3 * i + 2);
	struct rx_route route = {.hop = (uint16_t)(1 + (length & 15))};

	if (is_ip6) {
		uint64_t block = pg_mix64(1 + (a >> 32) * blocks / (UINT64_C(1) << 32));

		memcpy(route.addr, &block, BLOCK_LENGTH / 8);
		memcpy(route.addr + BLOCK_LENGTH / 8, &b, 8);
		route.addr[0] = 0x20 | (route.addr[0] & 0x1f);
		route.length = draw_length(ip6_shares, RTE_DIM(ip6_shares), length);
	} else {
		memcpy(route.addr, &a, 4);
		route.addr[0] = (uint8_t)(1 + (a >> 32) % 223);
		route.length = draw_length(ip4_shares, RTE_DIM(ip4_shares), length);
	}
	cut(route.addr, route.length);
	return route;
}

static int
draw_routes(struct rx_routes *routes, size_t n, bool is_ip6)
{
	uint64_t drawn = 0;

	routes->route = calloc(RTE_MAX(n, 1u), sizeof(routes->route[0]));
	if (routes->route == NULL)
		return -ENOMEM;
	while (routes->n < n) {
		while (routes->n < n)
			routes->route[routes->n++] = draw(is_ip6, n / BLOCK_ROUTES + 1, drawn++);
		routes->n = unique(routes->route, n);
	}
	return 0;
}

static int
add_route(struct rx_routes *routes, const struct rx_route *route)
{
	struct rx_route *more = routes->route;

	if ((routes->n & (routes->n - 1)) == 0) // a power of two is full
		more = realloc(more, RTE_MAX(2 * routes->n, 1u) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	routes->route = more;
	more[routes->n++] = *route;
	return 0;
}

int
rx_prefix_parse(const char *text, uint8_t *addr, uint8_t *length, bool *is_ip6)
{
	const char *slash = strchr(text, '/');
	unsigned long bits;
	char name[INET6_ADDRSTRLEN], *end;

	snprintf(name, sizeof(name), "%.*s", slash ? (int)(slash - text) : (int)sizeof(name), text);
	memset(addr, 0, 16);
	*is_ip6 = strchr(name, ':') != NULL;
	if (inet_pton(*is_ip6 ? AF_INET6 : AF_INET, name, addr) != 1)
		return -EINVAL;
	*length = *is_ip6 ? 128 : 32;
	if (slash == NULL)
		return 0;
	bits = strtoul(slash + 1, &end, 10);
	if (!isdigit((unsigned char)slash[1]) || *end != '\0' || bits > *length)
		return -EINVAL;
	*length = (uint8_t)bits;
	cut(addr, *length);
	return 0;
}

// "PREFIX [NEXT_HOP]"; nothing, and # up to the end of the line, is no route.
static int
read_line(char *line, struct rx_routes *ip4, struct rx_routes *ip6, struct pg_error *err)
{
	struct rx_route route = {.hop = 1};
	char prefix[64], hop[16], more[2];
	bool is_ip6;
	int n;

	line[strcspn(line, "#\n")] = '\0';
	n = sscanf(line, "%63s %15s %1s", prefix, hop, more);
	if (n <= 0)
		return 0;
	if (rx_prefix_parse(prefix, route.addr, &route.length, &is_ip6) < 0)
		return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%s' is no prefix", prefix);
	if (n > 1) {
		char *end;
		unsigned long value = strtoul(hop, &end, 10);

		if (!isdigit((unsigned char)hop[0]) || *end != '\0' || value == 0 ||
			value > RX_HOP_MAX || n > 2)
			return pg_error_set(err, PG_FAULT_INPUT, EINVAL, "'%s%s' is no next hop",
				hop, n > 2 ? " ..." : "");
		route.hop = (uint16_t)value;
	}
	if ((is_ip6 ? ip6 : ip4)->n == (is_ip6 ? RX_ROUTES6_MAX : RX_ROUTES_MAX))
		return pg_error_set(err, PG_FAULT_INPUT, E2BIG, "too many routes");
	return add_route(is_ip6 ? ip6 : ip4, &route) < 0
		       ? pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory")
		       : 0;
}

static int
read_file(const char *name, struct rx_routes *ip4, struct rx_routes *ip6, struct pg_error *err)
{
	FILE *file = fopen(name, "re");
	char line[LINE_MAX_BYTES];
	int rc = 0;

	if (file == NULL)
		return pg_error_set(err, PG_FAULT_INPUT, errno, "cannot read the routes %s: %s",
			name, strerror(errno));
	for (unsigned int number = 1; rc == 0 && fgets(line, sizeof(line), file) != NULL;
		number++) {
		struct pg_error fault;

		rc = read_line(line, ip4, ip6, &fault);
		if (rc == 0)
			continue;
		pg_error_set(err, fault.fault, fault.code, "%.120s:%u: %.120s", name, number,
			fault.text);
		pg_error_expect(err,
			"PREFIX [NEXT_HOP], next hops from 1 to %d, at most %d IPv4 "
			"and %d IPv6 routes",
			RX_HOP_MAX, RX_ROUTES_MAX, RX_ROUTES6_MAX);
	}
	fclose(file);
	if (ip4->n > 0)
		ip4->n = unique(ip4->route, ip4->n);
	if (ip6->n > 0)
		ip6->n = unique(ip6->route, ip6->n);
	return rc;
}

// N or N,N6. False: it is no such thing.
static bool
read_numbers(const char *text, unsigned long *n4, unsigned long *n6)
{
	char *end;

	*n6 = 0;
	if (!isdigit((unsigned char)text[0]))
		return false;
	*n4 = strtoul(text, &end, 10);
	if (*end == ',' && isdigit((unsigned char)end[1]))
		*n6 = strtoul(end + 1, &end, 10);
	return *end == '\0';
}

int
pg_rx_routes_check(const char *text, struct pg_error *err)
{
	unsigned long n4, n6;

	if (!read_numbers(text, &n4, &n6) || (n4 <= RX_ROUTES_MAX && n6 <= RX_ROUTES6_MAX))
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, ERANGE, "'%.40s' are too many routes", text);
	return pg_error_expect(err, "at most %d for IPv4 and %d for IPv6, or the name of a file",
		RX_ROUTES_MAX, RX_ROUTES6_MAX);
}

static int
default_route(struct rx_routes *routes)
{
	const struct rx_route route = {.hop = 1};

	return add_route(routes, &route);
}

int
rx_routes_read(const char *text, struct rx_routes *ip4, struct rx_routes *ip6, struct pg_error *err)
{
	unsigned long n4, n6;
	int rc;

	memset(ip4, 0, sizeof(*ip4));
	memset(ip6, 0, sizeof(*ip6));
	if (text != NULL && !read_numbers(text, &n4, &n6)) {
		rc = read_file(text, ip4, ip6, err);
	} else if (text == NULL) {
		rc = default_route(ip4) < 0 || default_route(ip6) < 0 ? -ENOMEM : 0;
	} else {
		rc = draw_routes(ip4, n4, false);
		if (rc == 0)
			rc = draw_routes(ip6, n6, true);
	}
	if (rc == -ENOMEM)
		pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	if (rc < 0) {
		rx_routes_fini(ip4);
		rx_routes_fini(ip6);
	}
	return rc;
}

void
rx_routes_fini(struct rx_routes *routes)
{
	free(routes->route);
	memset(routes, 0, sizeof(*routes));
}
