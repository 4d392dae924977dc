/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "pg_report.h"

static uint16_t
word_at(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t
long_at(const uint8_t *at)
{
	return (uint32_t)word_at(at) << 16 | word_at(at + 2);
}

// Tags and labels; returns the EtherType of layer 3, *at moves to it.
static uint16_t
layer_2(const uint8_t **at, FILE *out)
{
	uint16_t type = word_at(*at);
	uint32_t entry;

	*at += 2;
	for (; type == RTE_ETHER_TYPE_VLAN; *at += 4) {
		uint16_t tci = word_at(*at);

		fprintf(out, "  VLAN: id %u, priority %u, CFI %u\n", tci & 0xfff, tci >> 13,
			tci >> 12 & 1);
		type = word_at(*at + 2);
	}
	if (type != RTE_ETHER_TYPE_MPLS)
		return type;
	do {
		entry = long_at(*at);
		fprintf(out, "  MPLS: label %u, class %u, bottom %u, TTL %u\n", entry >> 12,
			entry >> 9 & 7, entry >> 8 & 1, entry & 0xff);
		*at += 4;
	} while (!(entry & 0x100));
	return (*at)[0] >> 4 == 6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4;
}

static const uint8_t *
layer_3(const uint8_t *at, uint16_t type, FILE *out)
{
	char src[PG_IP6_TEXT_MAX], dst[PG_IP6_TEXT_MAX];

	if (type == RTE_ETHER_TYPE_IPV6) {
		pg_ip6_text((const struct pg_ip6 *)(at + 8), src, sizeof(src));
		pg_ip6_text((const struct pg_ip6 *)(at + 24), dst, sizeof(dst));
		fprintf(out, "  IPv6: %s > %s, payload %u, class 0x%02x, hop limit %u\n", src, dst,
			word_at(at + 4), long_at(at) >> 20 & 0xff, at[7]);
		return at + sizeof(struct rte_ipv6_hdr);
	}
	inet_ntop(AF_INET, at + 12, src, sizeof(src));
	inet_ntop(AF_INET, at + 16, dst, sizeof(dst));
	fprintf(out, "  IPv4: %s > %s, length %u, id %u, TOS 0x%02x, TTL %u, checksum 0x%04x\n",
		src, dst, word_at(at + 2), word_at(at + 4), at[1], at[8], word_at(at + 10));
	return at + sizeof(struct rte_ipv4_hdr);
}

void
pg_report_packet(const uint8_t *frame, uint32_t bytes, FILE *out)
{
	const uint8_t *m = frame, *at = frame + 2 * RTE_ETHER_ADDR_LEN;
	uint16_t type;

	fprintf(out,
		"  Ethernet: %02x:%02x:%02x:%02x:%02x:%02x > %02x:%02x:%02x:%02x:%02x:%02x, %u "
		"bytes\n",
		m[6], m[7], m[8], m[9], m[10], m[11], m[0], m[1], m[2], m[3], m[4], m[5], bytes);
	type = layer_2(&at, out);
	at = layer_3(at, type, out);
	fprintf(out, "  UDP: %u > %u, length %u, checksum 0x%04x\n", word_at(at), word_at(at + 2),
		word_at(at + 4), word_at(at + 6));
	at += sizeof(struct rte_udp_hdr);
	fprintf(out, "  pktgen: magic 0x%08x, sequence %u, time %u.%06u\n", long_at(at),
		long_at(at + 4), long_at(at + 8), long_at(at + 12));
	for (uint32_t i = 0; i < bytes; i++)
		fprintf(out, "%s%02x%s", i % 16 == 0 ? "  " : "", frame[i],
			i % 16 == 15 || i + 1 == bytes ? "\n" : " ");
}
