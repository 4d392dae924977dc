/* SPDX-License-Identifier: BSD-3-Clause */
/* What nodes beyond the checks of layer 3 ask of a packet: its protocol, addresses and ports. */
#ifndef RX_IP_H
#define RX_IP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>

#define RX_EXTENSIONS_MAX 8 /**< IPv6 extension headers that are looked behind */

/** The five-tuple, as hash and classifier take it. Network byte order; IPv4 addresses stand in the
 *  first word; without ports (a later fragment, another protocol, cut short) they are 0. */
struct rx_key {
	uint8_t proto;
	uint8_t version;
	uint16_t zero;
	rte_be32_t src[4], dst[4];
	rte_be16_t sport, dport;
};

static_assert(sizeof(struct rx_key) == 40, "no padding: it is hashed");

static inline const uint8_t *
rx_layer3(const struct rte_mbuf *mbuf)
{
	return rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, RTE_ETHER_HDR_LEN);
}

/** The destination in an IPv4 header, host byte order. */
static inline uint32_t
rx_ip4_dst(const uint8_t *ip)
{
	rte_be32_t dst;

	memcpy(&dst, ip + offsetof(struct rte_ipv4_hdr, dst_addr), sizeof(dst));
	return rte_be_to_cpu_32(dst);
}

static inline uint32_t
rx_be16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

/** The upper protocol behind IPv6's extension headers, and where it begins behind the IPv6 header's
 *  start; *at is 0 if that is not to be had: a later fragment, cut short, too many.
 *  Shape: ip[end]. */
static inline uint8_t
rx_ip6_upper(const uint8_t *ip, uint32_t end, uint32_t *at)
{
	uint8_t proto = ip[6];
	uint32_t where = sizeof(struct rte_ipv6_hdr);

	for (unsigned int i = 0; i < RX_EXTENSIONS_MAX; i++) {
		bool fragment = proto == IPPROTO_FRAGMENT;

		*at = where;
		if (proto != IPPROTO_HOPOPTS && proto != IPPROTO_ROUTING && !fragment &&
			proto != IPPROTO_DSTOPTS)
			return proto;
		if (where + 8 > end)
			break;
		proto = ip[where];
		if (fragment && (rx_be16(ip + where + 2) & 0xfff8) != 0)
			break;
		where += fragment ? 8 : 8 * (ip[where + 1] + 1u);
	}
	*at = 0;
	return proto;
}

/** Read the five-tuple of a packet that ip4 or ip6 has passed. False: it has no ports. */
static inline bool
rx_key(const struct rte_mbuf *mbuf, struct rx_key *key)
{
	const uint8_t *ip = rx_layer3(mbuf);
	uint32_t there = mbuf->data_len - RTE_ETHER_HDR_LEN, end, at;

	memset(key, 0, sizeof(*key));
	key->version = ip[0] >> 4;
	if (key->version == 4) {
		end = RTE_MIN(there, rx_be16(ip + 2));
		key->proto = ip[9];
		memcpy(key->src, ip + 12, 4);
		memcpy(key->dst, ip + 16, 4);
		at = (rx_be16(ip + 6) & RTE_IPV4_HDR_OFFSET_MASK) == 0 ? (ip[0] & 15) * 4u : 0;
	} else {
		end = RTE_MIN(there, rx_be16(ip + 4) + (uint32_t)sizeof(struct rte_ipv6_hdr));
		memcpy(key->src, ip + 8, 16);
		memcpy(key->dst, ip + 24, 16);
		key->proto = rx_ip6_upper(ip, end, &at);
	}
	if (at == 0 || at + 4 > end ||
		(key->proto != IPPROTO_UDP && key->proto != IPPROTO_TCP &&
			key->proto != IPPROTO_SCTP))
		return false;
	memcpy(&key->sport, ip + at, 2);
	memcpy(&key->dport, ip + at + 2, 2);
	return true;
}

#endif
