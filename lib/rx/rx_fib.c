/* SPDX-License-Identifier: BSD-3-Clause */
/* Forwarding tables made of routes, shared by all graphs that ask for the same; what they need is
 * computed before anything is allocated. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "rx_fib.h"
#include "rx_routes.h"

#define FIRST_BITS  24
#define TABLE24     (UINT64_C(1) << FIRST_BITS)
#define GROUP       256 // entries of a table behind it
#define ENTRY_BYTES 4
#define RIB_NODES   2  // of a routing table for each route, in rte_fib
#define RIB_BYTES   48 // of its node
#define RIB6_BYTES  80

static struct rx_fib *tables;

// Groups of entries behind the first table: for IPv4 one for each /24 with longer prefixes in it.
static uint64_t
groups4(const struct rx_routes *routes)
{
	const struct rx_route *last = NULL;
	uint64_t n = 0;

	for (size_t i = 0; i < routes->n; i++) {
		const struct rx_route *route = &routes->route[i];

		if (route->length <= FIRST_BITS)
			continue;
		n += last == NULL || memcmp(last->addr, route->addr, FIRST_BITS / 8) != 0;
		last = route;
	}
	return n + 1;
}

// For IPv6 rte_fib6 reserves one for each byte of a prefix beyond, whether it shares them or not.
static uint64_t
groups6(const struct rx_routes *routes)
{
	uint64_t n = 1;

	for (size_t i = 0; i < routes->n; i++) {
		if (routes->route[i].length > FIRST_BITS)
			n += (routes->route[i].length - FIRST_BITS + 7u) / 8;
	}
	return n;
}

static uint64_t
need_bytes(const struct rx_routes *routes, uint64_t ngroups, uint32_t node_bytes)
{
	return (TABLE24 + ngroups * GROUP) * ENTRY_BYTES +
	       RIB_NODES * routes->n * (uint64_t)rte_mempool_calc_obj_size(node_bytes, 0, NULL);
}

static int
refuse(struct pg_error *err, uint64_t n, uint64_t need, uint64_t there)
{
	pg_error_set(err, PG_FAULT_ENV, ENOMEM,
		"%" PRIu64 " routes need %" PRIu64 " MB of memory, and %" PRIu64 " MB are free", n,
		(need >> 20) + 1, there >> 20);
	return pg_error_remedy(err,
		"reserve %" PRIu64 " MB or more with --memory, or ask for fewer",
		(need >> 20) + 256);
}

// What EAL has, and on hugepages what it can still take.
static uint64_t
free_bytes(void)
{
	uint64_t bytes = 0, pages = 0;
	FILE *file;

	for (int socket = 0; socket < RTE_MAX_NUMA_NODES; socket++) {
		struct rte_malloc_socket_stats stats;

		if (rte_malloc_get_socket_stats(socket, &stats) == 0)
			bytes += stats.heap_freesz_bytes;
	}
	if (!rte_eal_has_hugepages())
		return bytes;
	file = fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "re");
	if (file != NULL && fscanf(file, "%" SCNu64, &pages) != 1)
		pages = 0;
	if (file != NULL)
		fclose(file);
	return bytes + (pages << 21);
}

static int
build4(struct rx_fib *fib, const struct rx_routes *routes, uint64_t ngroups, int socket)
{
	struct rte_fib_conf conf = {.type = RTE_FIB_DIR24_8,
		.max_routes = (int)RTE_MAX(routes->n, 1u),
		.dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_4B, .num_tbl8 = (uint32_t)ngroups}};
	char name[32];
	int rc = 0;

	snprintf(name, sizeof(name), "pg_fib_%u", fib->number);
	fib->ip4 = rte_fib_create(name, socket, &conf);
	if (fib->ip4 == NULL)
		return -rte_errno;
	for (size_t i = 0; rc == 0 && i < routes->n; i++) {
		const struct rx_route *route = &routes->route[i];
		uint32_t addr;

		memcpy(&addr, route->addr, sizeof(addr));
		rc = rte_fib_add(fib->ip4, rte_be_to_cpu_32(addr), route->length, route->hop);
	}
	return rc;
}

static int
build6(struct rx_fib *fib, const struct rx_routes *routes, uint64_t ngroups, int socket)
{
	struct rte_fib6_conf conf = {.type = RTE_FIB6_TRIE,
		.max_routes = (int)RTE_MAX(routes->n, 1u),
		.trie = {.nh_sz = RTE_FIB6_TRIE_4B, .num_tbl8 = (uint32_t)ngroups}};
	char name[32];
	int rc = 0;

	snprintf(name, sizeof(name), "pg_fib6_%u", fib->number);
	fib->ip6 = rte_fib6_create(name, socket, &conf);
	if (fib->ip6 == NULL)
		return -rte_errno;
	for (size_t i = 0; rc == 0 && i < routes->n; i++)
		rc = pg_compat_fib6_add(fib->ip6, routes->route[i].addr, routes->route[i].length,
			routes->route[i].hop);
	return rc;
}

static int
build(struct rx_fib *fib, const struct rx_routes *ip4, const struct rx_routes *ip6, int socket,
	struct pg_error *err)
{
	uint64_t ngroups4 = groups4(ip4), ngroups6 = groups6(ip6), need = 0, there;
	int rc = 0;

	need += fib->families & RX_FIB_IP4 ? need_bytes(ip4, ngroups4, RIB_BYTES) : 0;
	need += fib->families & RX_FIB_IP6 ? need_bytes(ip6, ngroups6, RIB6_BYTES) : 0;
	there = free_bytes();
	if (need > there)
		return refuse(err, ip4->n + ip6->n, need, there);
	if (fib->families & RX_FIB_IP4)
		rc = build4(fib, ip4, ngroups4, socket);
	if (rc == 0 && (fib->families & RX_FIB_IP6))
		rc = build6(fib, ip6, ngroups6, socket);
	if (rc == -ENOMEM)
		return refuse(err, ip4->n + ip6->n, need, free_bytes());
	return rc < 0 ? pg_error_set(err, PG_FAULT_ENV, -rc, "cannot make the routing table: %s",
				rte_strerror(-rc))
		      : 0;
}

static void
destroy(struct rx_fib *fib)
{
	rte_fib_free(fib->ip4);
	rte_fib6_free(fib->ip6);
	free(fib);
}

struct rx_fib *
rx_fib_get(const char *routes, uint32_t families, int socket, struct pg_error *err)
{
	static unsigned int number;
	struct rx_routes ip4, ip6;
	struct rx_fib *fib = tables;
	int rc;

	while (fib != NULL && (fib->routes != routes || fib->families != families))
		fib = fib->next;
	if (fib != NULL) {
		fib->users++;
		return fib;
	}
	fib = calloc(1, sizeof(*fib));
	if (fib == NULL || rx_routes_read(routes, &ip4, &ip6, err) < 0) {
		if (fib == NULL)
			pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
		free(fib);
		return NULL;
	}
	*fib = (struct rx_fib){
		.routes = routes, .families = families, .number = number++, .users = 1};
	rc = build(fib, &ip4, &ip6, socket, err);
	rx_routes_fini(&ip4);
	rx_routes_fini(&ip6);
	if (rc < 0) {
		destroy(fib);
		return NULL;
	}
	fib->next = tables;
	tables = fib;
	return fib;
}

void
rx_fib_put(struct rx_fib *fib)
{
	struct rx_fib **link = &tables;

	if (fib == NULL || --fib->users > 0)
		return;
	while (*link != fib)
		link = &(*link)->next;
	*link = fib->next;
	destroy(fib);
}
