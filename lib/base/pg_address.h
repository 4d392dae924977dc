/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_ADDRESS_H
#define PG_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_ether.h>

/** rte_is_zero_ether_addr() reads bytes as words, which the compiler may move before the bytes
 *  are written. */
static inline bool
pg_mac_is_zero(const struct rte_ether_addr *mac)
{
	static const struct rte_ether_addr zero;

	return memcmp(mac, &zero, sizeof(zero)) == 0;
}

#define PG_IP4_TEXT_MAX 32

/** An IPv4 address as it was typed and as a number; the text is echoed as pktgen does. */
struct pg_ip4 {
	uint32_t addr;              /**< host byte order */
	char text[PG_IP4_TEXT_MAX]; /**< empty: not set */
};

/** An IPv6 address in network byte order. */
struct pg_ip6 {
	uint8_t bytes[16];
};

#define PG_IP6_TEXT_MAX 48

/** Write an address as the kernel prints it: the first longest run of two or more zero words as
 *  `::`, an IPv4 tail for v4-mapped (RFC 4291) and ISATAP (RFC 5214) addresses.
 *  Shape:   out[size], size >= PG_IP6_TEXT_MAX.  Returns out. */
const char *pg_ip6_text(const struct pg_ip6 *ip, char *out, size_t size);

#define PG_HEX_LIST_MAX 16

/** A list of 32-bit words. */
struct pg_hex_list {
	uint32_t count;
	uint32_t word[PG_HEX_LIST_MAX];
};

#define PG_PAIRS_MAX       20
#define PG_PAIR_WEIGHT_MAX UINT64_C(9999999999) /**< ten digits, as pktgen reads them */

/** Sizes and how often each comes. */
struct pg_pairs {
	uint32_t count;
	struct {
		uint64_t weight;
		uint32_t size;
	} pair[PG_PAIRS_MAX];
};

#define PG_STREAM_NAME_MAX 64

/** Packets part, part + parts, part + 2 * parts, ... of a named stream. */
struct pg_stream {
	uint32_t part, parts;          /**< part < parts; parts 0: not set */
	char name[PG_STREAM_NAME_MAX]; /**< empty: the device's own */
};

#endif
