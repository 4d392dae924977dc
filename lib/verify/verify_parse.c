/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames, read as a receiver reads them. Headers lie in the first segment. */
#include <string.h>

#include "verify_priv.h"

#define TYPE_VLAN 0x8100 // IEEE 802.1Q; the kernel's generator writes it for the outer tag too
#define TYPE_MPLS 0x8847 // RFC 5332
#define LABEL_S   0x100  // bottom of stack (RFC 3032)

/** What is left of the first segment. */
struct reader {
	const uint8_t *start;
	uint32_t at, end;
	bool over;
};

static verify_wide
take(struct reader *r, uint32_t bytes)
{
	verify_wide value = 0;

	if (r->end - r->at < bytes) {
		r->over = true;
		return 0;
	}
	for (uint32_t i = 0; i < bytes; i++)
		value = value << 8 | r->start[r->at++];
	return value;
}

static void
parse_link(struct reader *r, struct verify_frame *f)
{
	f->dst_mac = (uint64_t)take(r, 6);
	f->src_mac = (uint64_t)take(r, 6);
	f->type[0] = (uint16_t)take(r, 2);
	while (f->type[f->ntags] == TYPE_VLAN && f->ntags < VERIFY_TAGS_MAX) {
		f->tci[f->ntags++] = (uint16_t)take(r, 2);
		f->type[f->ntags] = (uint16_t)take(r, 2);
	}
	if (f->type[f->ntags] != TYPE_MPLS)
		return;
	do
		f->label[f->nlabels++] = (uint32_t)take(r, 4);
	while (!r->over && !(f->label[f->nlabels - 1] & LABEL_S) && f->nlabels <= PG_MPLS_MAX);
}

// RFC 791. Options are never sent: a header of another length is named, and read as one without.
static void
parse_ip4(struct reader *r, struct verify_frame *f)
{
	f->ip_words = (uint8_t)take(r, 1) & 15;
	f->tos = (uint8_t)take(r, 1);
	f->ip_length = (uint16_t)take(r, 2);
	f->ip_id = (uint16_t)take(r, 2);
	f->ip_fragment = (uint16_t)take(r, 2);
	f->ttl = (uint8_t)take(r, 1);
	f->protocol = (uint8_t)take(r, 1);
	f->ip_checksum = (uint16_t)take(r, 2);
	f->src = take(r, 4);
	f->dst = take(r, 4);
}

// RFC 8200.
static void
parse_ip6(struct reader *r, struct verify_frame *f)
{
	uint32_t word = (uint32_t)take(r, 4);

	f->tos = (uint8_t)(word >> 20);
	f->flow_label = word & 0xfffff;
	f->ip_length = (uint16_t)take(r, 2);
	f->protocol = (uint8_t)take(r, 1);
	f->ttl = (uint8_t)take(r, 1);
	f->src = take(r, 16);
	f->dst = take(r, 16);
}

// RFC 768, and pktgen's header (reference 8.5).
static void
parse_udp(struct reader *r, struct verify_frame *f)
{
	f->l4 = r->at;
	f->udp_src = (uint16_t)take(r, 2);
	f->udp_dst = (uint16_t)take(r, 2);
	f->udp_length = (uint16_t)take(r, 2);
	f->udp_checksum = (uint16_t)take(r, 2);
	f->payload = r->at;
	f->magic = (uint32_t)take(r, 4);
	f->sequence = (uint32_t)take(r, 4);
	f->seconds = (uint32_t)take(r, 4);
	f->microseconds = (uint32_t)take(r, 4);
}

enum verify_depth
verify_parse(const struct rte_mbuf *mbuf, struct verify_frame *f)
{
	struct reader r = {.start = rte_pktmbuf_mtod(mbuf, const uint8_t *), .end = mbuf->data_len};

	memset(f, 0, sizeof(*f));
	f->first = mbuf->data_len;
	for (const struct rte_mbuf *seg = mbuf; seg != NULL; seg = seg->next) {
		f->length += seg->data_len;
		f->segments++;
	}
	parse_link(&r, f);
	f->l3 = r.at;
	if (r.over)
		return VERIFY_NOTHING;
	if (r.at == r.end)
		return VERIFY_LINK;
	f->version = r.start[r.at] >> 4;
	if (f->version == 4)
		parse_ip4(&r, f);
	else if (f->version == 6)
		parse_ip6(&r, f);
	else
		return VERIFY_LINK;
	parse_udp(&r, f);
	return r.over ? VERIFY_LINK : VERIFY_ALL;
}

uint32_t
verify_sum(const struct rte_mbuf *mbuf, uint32_t offset, uint32_t bytes, uint64_t sum)
{
	uint32_t shift = 8; // of the next byte in its 16-bit word

	for (; mbuf != NULL && bytes > 0; mbuf = mbuf->next) {
		const uint8_t *at = rte_pktmbuf_mtod(mbuf, const uint8_t *);
		uint32_t n;

		if (offset >= mbuf->data_len) {
			offset -= mbuf->data_len;
			continue;
		}
		n = RTE_MIN(mbuf->data_len - offset, bytes);
		for (uint32_t i = 0; i < n; i++, shift ^= 8)
			sum += (uint64_t)at[offset + i] << shift;
		bytes -= n;
		offset = 0;
	}
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)sum;
}

uint32_t
verify_padding(const struct rte_mbuf *mbuf, uint32_t offset, uint32_t length)
{
	uint32_t start = 0;

	for (; mbuf != NULL; start += mbuf->data_len, mbuf = mbuf->next) {
		const uint8_t *at = rte_pktmbuf_mtod(mbuf, const uint8_t *);

		for (uint32_t i = offset > start ? offset - start : 0; i < mbuf->data_len; i++) {
			if (at[i] != 0)
				return start + i;
		}
	}
	return length;
}
