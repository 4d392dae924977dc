/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of checks and fields, and how values are written. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_byteorder.h>

#include "verify_priv.h"

static char *
number(verify_wide value, char *out, size_t size)
{
	snprintf(out, size, "%" PRIu64, (uint64_t)value);
	return out;
}

static char *
hex(verify_wide value, char *out, size_t size)
{
	snprintf(out, size, "0x%" PRIx64, (uint64_t)value);
	return out;
}

static char *
mac(verify_wide value, char *out, size_t size)
{
	uint64_t bits = (uint64_t)value;

	snprintf(out, size, "%02x:%02x:%02x:%02x:%02x:%02x", (unsigned int)(bits >> 40 & 255),
		(unsigned int)(bits >> 32 & 255), (unsigned int)(bits >> 24 & 255),
		(unsigned int)(bits >> 16 & 255), (unsigned int)(bits >> 8 & 255),
		(unsigned int)(bits & 255));
	return out;
}

static char *
ip4(verify_wide value, char *out, size_t size)
{
	struct in_addr in = {htonl((uint32_t)value)};

	(void)inet_ntop(AF_INET, &in, out, (socklen_t)size);
	return out;
}

static char *
ip6(verify_wide value, char *out, size_t size)
{
	uint64_t words[2] = {
		rte_cpu_to_be_64((uint64_t)(value >> 64)), rte_cpu_to_be_64((uint64_t)value)};

	(void)inet_ntop(AF_INET6, words, out, (socklen_t)size);
	return out;
}

static char *
microseconds(verify_wide value, char *out, size_t size)
{
	uint64_t us = (uint64_t)value;

	snprintf(out, size, "%" PRIu64 ".%06" PRIu64 " s", us / PG_US_PER_S, us % PG_US_PER_S);
	return out;
}

#define MPLS(i) [VERIFY_MPLS + (i)] = {"mpls." #i, hex}

const struct verify_field_row verify_fields[VERIFY_FIELDS] = {
	[VERIFY_PACKETS] = {"packets", number},
	[VERIFY_FRAME_LENGTH] = {"frame.length", number},
	[VERIFY_MBUF_LENGTH] = {"mbuf.pkt_len", number},
	[VERIFY_MBUF_SEGMENTS] = {"mbuf.nb_segs", number},
	[VERIFY_SEGMENT] = {"mbuf.data_len", number},
	[VERIFY_PRIORITY] = {"mbuf.queue_id", number},
	[VERIFY_ETH_DST] = {"eth.dst", mac},
	[VERIFY_ETH_SRC] = {"eth.src", mac},
	[VERIFY_ETH_TYPE] = {"eth.type", hex},
	[VERIFY_SVLAN_ID] = {"svlan.id", number},
	[VERIFY_SVLAN_P] = {"svlan.priority", number},
	[VERIFY_SVLAN_CFI] = {"svlan.cfi", number},
	[VERIFY_VLAN_ID] = {"vlan.id", number},
	[VERIFY_VLAN_P] = {"vlan.priority", number},
	[VERIFY_VLAN_CFI] = {"vlan.cfi", number},
	[VERIFY_MPLS_DEPTH] = {"mpls.depth", number},
	MPLS(0),
	MPLS(1),
	MPLS(2),
	MPLS(3),
	MPLS(4),
	MPLS(5),
	MPLS(6),
	MPLS(7),
	MPLS(8),
	MPLS(9),
	MPLS(10),
	MPLS(11),
	MPLS(12),
	MPLS(13),
	MPLS(14),
	MPLS(15),
	[VERIFY_IP_VERSION] = {"ip.version", number},
	[VERIFY_IP_HEADER] = {"ip.ihl", number},
	[VERIFY_IP_TOS] = {"ip.tos", hex},
	[VERIFY_IP_LENGTH] = {"ip.length", number},
	[VERIFY_IP_ID] = {"ip.id", number},
	[VERIFY_IP_FRAGMENT] = {"ip.fragment", hex},
	[VERIFY_IP_TTL] = {"ip.ttl", number},
	[VERIFY_IP_PROTOCOL] = {"ip.protocol", number},
	[VERIFY_IP_CHECKSUM] = {"ip.checksum", hex},
	[VERIFY_IP_SRC] = {"ip.src", ip4},
	[VERIFY_IP_DST] = {"ip.dst", ip4},
	[VERIFY_IP6_CLASS] = {"ip6.class", hex},
	[VERIFY_IP6_LABEL] = {"ip6.flow_label", hex},
	[VERIFY_IP6_LENGTH] = {"ip6.length", number},
	[VERIFY_IP6_NEXT] = {"ip6.next_header", number},
	[VERIFY_IP6_HOPS] = {"ip6.hop_limit", number},
	[VERIFY_IP6_SRC] = {"ip6.src", ip6},
	[VERIFY_IP6_DST] = {"ip6.dst", ip6},
	[VERIFY_UDP_SRC] = {"udp.src", number},
	[VERIFY_UDP_DST] = {"udp.dst", number},
	[VERIFY_UDP_LENGTH] = {"udp.length", number},
	[VERIFY_UDP_CHECKSUM] = {"udp.checksum", hex},
	[VERIFY_MAGIC] = {"pktgen.magic", hex},
	[VERIFY_SEQUENCE] = {"pktgen.sequence", number},
	[VERIFY_SECONDS] = {"pktgen.seconds", number},
	[VERIFY_MICROSECONDS] = {"pktgen.microseconds", number},
	[VERIFY_TIME] = {"pktgen.time", microseconds},
	[VERIFY_PADDING] = {"first byte that is not zero", number},
	[VERIFY_GAP] = {"intended time in cycles after the first", number},
	[VERIFY_FLOW_PACKETS] = {"packets of the flow", number},
	[VERIFY_FLOW_COUNT] = {"flows at once", number},
	[VERIFY_SHARE] = {"packets of its size", number},
};

static const char *const checks[PG_VERIFY_CHECKS] = {
	[PG_VERIFY_PACKETS] = "packets",
	[PG_VERIFY_LENGTHS] = "lengths",
	[PG_VERIFY_ETHERNET] = "ethernet",
	[PG_VERIFY_TAGS] = "tags",
	[PG_VERIFY_IP] = "ip",
	[PG_VERIFY_UDP] = "udp",
	[PG_VERIFY_CHECKSUMS] = "checksums",
	[PG_VERIFY_PAYLOAD] = "payload",
	[PG_VERIFY_SEQUENCE] = "sequence",
	[PG_VERIFY_STAMPS] = "stamps",
	[PG_VERIFY_GAPS] = "gaps",
	[PG_VERIFY_FLOWS] = "flows",
	[PG_VERIFY_SHARES] = "shares",
	[PG_VERIFY_RANDOM] = "random",
	[PG_VERIFY_SEGMENTS] = "segments",
	[PG_VERIFY_PRIORITY] = "priority",
};

const char *
pg_verify_check_name(enum pg_verify_check check)
{
	return checks[check];
}

const char *
pg_verify_field_name(uint8_t field)
{
	return verify_fields[field].name;
}

static char *
value_text(const struct pg_verify_fault *fault, const struct pg_verify_value *value, char *out,
	size_t size)
{
	verify_wide wide = (verify_wide)value->high << 64 | value->low;

	// Of a draw the counts are compared, whatever the field.
	return (fault->counts ? number : verify_fields[fault->field].format)(wide, out, size);
}

char *
pg_verify_found_text(const struct pg_verify_fault *fault, char *out, size_t size)
{
	return value_text(fault, &fault->found, out, size);
}

char *
pg_verify_expected_text(const struct pg_verify_fault *fault, char *out, size_t size)
{
	char least[PG_IP6_TEXT_MAX], most[PG_IP6_TEXT_MAX];

	value_text(fault, &fault->least, least, sizeof(least));
	value_text(fault, &fault->most, most, sizeof(most));
	if (fault->least.high == fault->most.high && fault->least.low == fault->most.low)
		snprintf(out, size, "%s", least);
	else
		snprintf(out, size, "%s to %s", least, most);
	return out;
}

char *
pg_verify_fault_text(const struct pg_verify_fault *fault, char *out, size_t size)
{
	char found[PG_IP6_TEXT_MAX], expected[2 * PG_IP6_TEXT_MAX + 8];

	pg_verify_found_text(fault, found, sizeof(found));
	pg_verify_expected_text(fault, expected, sizeof(expected));
	snprintf(out, size,
		fault->counts ? "packet %" PRIu64 ": %s came %s times in a part of its "
				"range, expected %s"
			      : "packet %" PRIu64 ": %s is %s, expected %s",
		fault->packet, pg_verify_field_name(fault->field), found, expected);
	return out;
}
