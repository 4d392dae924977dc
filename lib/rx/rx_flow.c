/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_thash.h>

#include "rx_flow.h"
#include "rx_ip.h"
#include "rx_priv.h"

#define WORDS_MAX 9 // of IPv6: two addresses, and both ports in one
#define FRAGMENT  (RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)

/** The key that the specification's examples are made with, in words of the CPU's order. */
static const uint32_t key[WORDS_MAX + 1] = {0x6d5a56da, 0x255b0ec2, 0x4167253d, 0x43a38fb0,
	0xd0ca2bcb, 0xae7b30b4, 0x77cb2da3, 0x8030f20c, 0x6a42b73b, 0xbeac01fa};

/** What is hashed. */
struct tuple {
	uint32_t word[WORDS_MAX];
	unsigned int n;
};

static void
put_words(struct tuple *tuple, const uint8_t *at, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		rte_be32_t word;

		memcpy(&word, at + 4 * i, sizeof(word));
		tuple->word[tuple->n++] = rte_be_to_cpu_32(word);
	}
}

static bool
has_ports(uint8_t proto)
{
	return proto == IPPROTO_UDP || proto == IPPROTO_TCP || proto == IPPROTO_SCTP;
}

// Shape: ip[there]. False: it is not IP.
static bool
read_tuple(const uint8_t *ip, uint32_t there, struct tuple *tuple)
{
	uint32_t header, end;
	uint8_t proto;

	tuple->n = 0;
	if (there >= sizeof(struct rte_ipv4_hdr) && ip[0] >> 4 == 4) {
		header = (ip[0] & 15) * 4u;
		end = RTE_MIN(there, rx_be16(ip + 2));
		proto = (rx_be16(ip + 6) & FRAGMENT) == 0 && header >= 20 ? ip[9] : 0;
		put_words(tuple, ip + 12, 2);
	} else if (there >= sizeof(struct rte_ipv6_hdr) && ip[0] >> 4 == 6) {
		header = sizeof(struct rte_ipv6_hdr);
		end = RTE_MIN(there, header + rx_be16(ip + 4));
		proto = ip[6];
		put_words(tuple, ip + 8, 8);
	} else {
		return false;
	}
	if (has_ports(proto) && header + 4 <= end)
		put_words(tuple, ip + header, 1);
	return true;
}

// Where IP begins in a frame that nobody has looked at; its end: there is none.
static uint32_t
find_ip(const uint8_t *frame, uint32_t length)
{
	uint32_t at = RTE_ETHER_HDR_LEN;
	enum rx_kind kind;

	for (unsigned int tags = 0;; tags++) {
		rte_be16_t type;

		if (at > length)
			return length;
		memcpy(&type, frame + at - sizeof(type), sizeof(type));
		kind = rx_kind(type);
		if (kind != RX_VLAN || tags == RX_TAGS_MAX)
			break;
		at += sizeof(struct rte_vlan_hdr);
	}
	if (kind == RX_MPLS) {
		bool last = false;

		for (unsigned int i = 0; i < RX_MPLS_MAX && !last && at + 4 <= length; i++) {
			last = frame[at + 2] & 1;
			at += 4;
		}
		return last ? at : length;
	}
	return kind == RX_IP4 || kind == RX_IP6 ? at : length;
}

bool
rx_flow_hash(const struct rte_mbuf *mbuf, bool raw, uint32_t *hash)
{
	const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
	uint32_t at = raw ? find_ip(frame, mbuf->data_len) : RTE_ETHER_HDR_LEN;
	struct tuple tuple;

	if (!read_tuple(frame + at, mbuf->data_len - at, &tuple))
		return false;
	*hash = rte_softrss_be(tuple.word, tuple.n, (const uint8_t *)key);
	return true;
}
