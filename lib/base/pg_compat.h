/* SPDX-License-Identifier: BSD-3-Clause */
/* The only file that knows about DPDK versions (DESIGN 11). 22.11 is the reference. */
#ifndef PG_COMPAT_H
#define PG_COMPAT_H

#include <rte_version.h>

#if RTE_VERSION < RTE_VERSION_NUM(22, 11, 0, 0)
#error "pmdgen needs DPDK 22.11 or newer"
#endif

#include <rte_ethdev.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#include <rte_graph.h>
#include <rte_graph_worker.h>
#include <rte_telemetry.h>

/* rte_node_register: __rte_node_register is what RTE_NODE_REGISTER's constructor calls; a static
 * library would drop that constructor, so nodes are registered by an explicit list. */
static inline rte_node_t
pg_compat_node_register(const struct rte_node_register *node)
{
	return __rte_node_register(node);
}

/* Addresses became structs of the same bytes in 24.11. */
static inline int
pg_compat_fib6_add(struct rte_fib6 *fib, const uint8_t addr[16], uint8_t length, uint64_t hop)
{
#if RTE_VERSION < RTE_VERSION_NUM(24, 11, 0, 0)
	return rte_fib6_add(fib, addr, length, hop);
#else
	return rte_fib6_add(fib, (const struct rte_ipv6_addr *)addr, length, hop);
#endif
}

static inline int
pg_compat_fib6_lookup(struct rte_fib6 *fib, uint8_t (*addrs)[16], uint64_t *hops, int n)
{
#if RTE_VERSION < RTE_VERSION_NUM(24, 11, 0, 0)
	return rte_fib6_lookup_bulk(fib, addrs, hops, n);
#else
	return rte_fib6_lookup_bulk(fib, (struct rte_ipv6_addr *)addrs, hops, n);
#endif
}

/* Numbers without a sign got another name in 23.03; the old one went in 25.11. */
static inline int
pg_compat_tel_u64(struct rte_tel_data *data, const char *name, uint64_t value)
{
#if RTE_VERSION < RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_tel_data_add_dict_u64(data, name, value);
#else
	return rte_tel_data_add_dict_uint(data, name, value);
#endif
}

#endif
