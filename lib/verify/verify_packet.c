/* SPDX-License-Identifier: BSD-3-Clause */
/* One packet against the plan. */
#include "verify_priv.h"

#define TYPE_VLAN    0x8100
#define TYPE_MPLS    0x8847
#define TYPE_IP4     0x0800
#define TYPE_IP6     0x86dd
#define UDP          17
#define TTL          32         // reference 8.2
#define MAGIC        0xbe9be955 // reference 8.5
#define UDP_BYTES    8
#define PKTGEN_BYTES 16

static void
want(struct verify *v, const struct verify_at *at, enum pg_verify_check check, uint8_t field,
	verify_wide expected, verify_wide found)
{
	(void)verify_want(v, check, at->packet, field, expected, expected, found);
}

static void
looked(struct verify *v, enum pg_verify_check check)
{
	v->receipt.check[check].packets++;
}

static bool
in_range(const struct verify_var *var, verify_wide value)
{
	if (var->masked)
		return (value & ~var->last) == 0 &&
		       (value & var->base & var->last) == (var->base & var->last);
	if (var->bits < 128 && value >> var->bits != var->base >> var->bits)
		return false;
	if (var->skips && verify_is_reserved((uint32_t)value))
		return false;
	return var->values == 0 || verify_offset(var, value) < var->values;
}

static verify_wide
in_turn(const struct verify_var *var, uint64_t number)
{
	uint64_t values = (uint64_t)var->values;
	verify_wide value = var->base + (number % values + var->ahead) % values;
	verify_wide mask = ((verify_wide)1 << var->bits) - 1;

	return (var->base & ~mask) | (value & mask);
}

// A field that may vary. What a flow's fields are within their range is the flow's business.
static void
want_var(struct verify *v, const struct verify_at *at, unsigned int place, verify_wide found)
{
	struct verify_var *var = &v->var[place];

	if (var->walk == VERIFY_LINEAR && !var->by_flow)
		want(v, at, var->check, var->field, in_turn(var, at->index), found);
	else if (!in_range(var, found))
		verify_fault(v, var->check, at->packet, var->field, var->base, var->last, found);
	else if (var->buckets != NULL && at->fresh && !var->by_flow)
		verify_draw(var, found);
	var->value = found;
}

static void
check_lengths(struct verify *v, const struct rte_mbuf *mbuf, const struct verify_frame *f,
	const struct verify_at *at)
{
	const struct verify_var *size = &v->var[VERIFY_VAR_SIZE];
	uint32_t least = (uint32_t)size->base - v->size_clamped;

	looked(v, PG_VERIFY_LENGTHS);
	if (v->nsizes > 0)
		verify_size(v, f->length, at);
	else if (v->size_clamped && f->length == least)
		; // one of those that were drawn too short
	else if (size->walk == VERIFY_ANY)
		want_var(v, at, VERIFY_VAR_SIZE, f->length);
	else
		want(v, at, PG_VERIFY_LENGTHS, VERIFY_FRAME_LENGTH,
			RTE_MAX((uint32_t)in_turn(size, at->index), v->frame_min), f->length);
	want(v, at, PG_VERIFY_LENGTHS, VERIFY_MBUF_LENGTH, f->length, mbuf->pkt_len);
	want(v, at, PG_VERIFY_LENGTHS, VERIFY_MBUF_SEGMENTS, f->segments, mbuf->nb_segs);
}

// floor(rest / frags) bytes in each fragment, what is left in the last; what does not fit into
// pages of 4096 bytes stays in the first buffer; an empty one is left out (reference 8.6).
static void
check_segments(struct verify *v, const struct rte_mbuf *mbuf, const struct verify_frame *f,
	const struct verify_at *at)
{
	uint32_t rest = f->length > v->frame_min ? f->length - v->frame_min : 0;
	uint32_t over = rest > v->frags * PG_FRAG_BYTES ? rest - v->frags * PG_FRAG_BYTES : 0;
	uint32_t each;

	if (v->frags == 0) {
		want(v, at, PG_VERIFY_LENGTHS, VERIFY_MBUF_SEGMENTS, 1, f->segments);
		return;
	}
	looked(v, PG_VERIFY_SEGMENTS);
	rest -= over;
	each = rest / v->frags;
	want(v, at, PG_VERIFY_SEGMENTS, VERIFY_SEGMENT, v->frame_min + over, mbuf->data_len);
	for (uint32_t i = 1; i <= v->frags; i++) {
		uint32_t bytes = i < v->frags ? each : rest - each * (v->frags - 1);

		if (bytes == 0)
			continue;
		mbuf = mbuf->next;
		if (mbuf == NULL)
			break;
		want(v, at, PG_VERIFY_SEGMENTS, VERIFY_SEGMENT, bytes, mbuf->data_len);
	}
	want(v, at, PG_VERIFY_SEGMENTS, VERIFY_MBUF_SEGMENTS,
		rest == 0 ? 1 : 1 + (each > 0 ? v->frags : 1), f->segments);
}

// False: what follows is not where it should be, and is not read.
static bool
check_ethernet(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	uint16_t inner = v->mpls.count > 0 ? TYPE_MPLS : v->ip6 ? TYPE_IP6 : TYPE_IP4;
	uint32_t tags = (v->vlan.id != PG_VLAN_OFF) + (v->svlan.id != PG_VLAN_OFF);

	looked(v, PG_VERIFY_ETHERNET);
	if (v->learn_src_mac && !v->any)
		v->var[VERIFY_VAR_SRC_MAC].base = v->var[VERIFY_VAR_SRC_MAC].last = f->src_mac;
	want_var(v, at, VERIFY_VAR_DST_MAC, f->dst_mac);
	want_var(v, at, VERIFY_VAR_SRC_MAC, f->src_mac);
	for (uint32_t i = 0; i <= tags; i++) {
		uint16_t type = i < tags ? TYPE_VLAN : inner;

		if (!verify_want(v, PG_VERIFY_ETHERNET, at->packet, VERIFY_ETH_TYPE, type, type,
			    f->type[i]))
			return false;
	}
	return true;
}

static bool
tagged(const struct verify *v)
{
	return v->vlan.id != PG_VLAN_OFF || v->svlan.id != PG_VLAN_OFF || v->mpls.count > 0;
}

static void
check_tag(struct verify *v, const struct verify_at *at, uint16_t tci, unsigned int place,
	const struct pg_vlan *vlan, uint8_t priority, uint8_t cfi)
{
	want_var(v, at, place, tci & 0xfff);
	want(v, at, PG_VERIFY_TAGS, priority, vlan->p, tci >> 13);
	want(v, at, PG_VERIFY_TAGS, cfi, vlan->cfi, tci >> 12 & 1);
}

static bool
check_tags(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	uint32_t tag = 0;

	looked(v, PG_VERIFY_TAGS);
	if (v->svlan.id != PG_VLAN_OFF && tag < f->ntags)
		check_tag(v, at, f->tci[tag++], VERIFY_VAR_SVLAN, &v->svlan, VERIFY_SVLAN_P,
			VERIFY_SVLAN_CFI);
	if (v->vlan.id != PG_VLAN_OFF && tag < f->ntags)
		check_tag(v, at, f->tci[tag++], VERIFY_VAR_VLAN, &v->vlan, VERIFY_VLAN_P,
			VERIFY_VLAN_CFI);
	if (v->mpls.count == 0)
		return true;
	for (uint32_t i = 0; i < v->mpls.count && i < f->nlabels; i++)
		want_var(v, at, VERIFY_VAR_MPLS + i, f->label[i] & ~(uint32_t)PG_MPLS_S);
	return verify_want(v, PG_VERIFY_TAGS, at->packet, VERIFY_MPLS_DEPTH, v->mpls.count,
		v->mpls.count, f->nlabels);
}

static void
check_ip4(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	uint16_t id = (uint16_t)at->index;

	if (v->as_linux && !v->any)
		v->first_id = f->ip_id - id;
	want(v, at, PG_VERIFY_IP, VERIFY_IP_HEADER, 5, f->ip_words);
	want(v, at, PG_VERIFY_IP, VERIFY_IP_TOS, v->tos, f->tos);
	want(v, at, PG_VERIFY_IP, VERIFY_IP_ID, (uint16_t)(id + v->first_id), f->ip_id);
	want(v, at, PG_VERIFY_IP, VERIFY_IP_FRAGMENT, 0, f->ip_fragment);
	want(v, at, PG_VERIFY_IP, VERIFY_IP_TTL, TTL, f->ttl);
	want(v, at, PG_VERIFY_IP, VERIFY_IP_PROTOCOL, UDP, f->protocol);
	want(v, at, PG_VERIFY_LENGTHS, VERIFY_IP_LENGTH, f->length - f->l3, f->ip_length);
}

static void
check_ip6(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	want(v, at, PG_VERIFY_IP, VERIFY_IP6_CLASS, v->traffic_class, f->tos);
	want(v, at, PG_VERIFY_IP, VERIFY_IP6_LABEL, 0, f->flow_label);
	want(v, at, PG_VERIFY_IP, VERIFY_IP6_NEXT, UDP, f->protocol);
	want(v, at, PG_VERIFY_IP, VERIFY_IP6_HOPS, TTL, f->ttl);
	want(v, at, PG_VERIFY_LENGTHS, VERIFY_IP6_LENGTH, f->length - f->l4, f->ip_length);
}

static void
check_ip(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	looked(v, PG_VERIFY_IP);
	if (v->ip6)
		check_ip6(v, f, at);
	else
		check_ip4(v, f, at);
	want_var(v, at, VERIFY_VAR_SRC, f->src);
	if (v->flow_walk != VERIFY_FLOWS_LINUX)
		want_var(v, at, VERIFY_VAR_DST, f->dst);
}

static void
check_udp(struct verify *v, const struct verify_frame *f, const struct verify_at *at)
{
	looked(v, PG_VERIFY_UDP);
	want_var(v, at, VERIFY_VAR_UDP_SRC, f->udp_src);
	want_var(v, at, VERIFY_VAR_UDP_DST, f->udp_dst);
	want(v, at, PG_VERIFY_LENGTHS, VERIFY_UDP_LENGTH, f->length - f->l4, f->udp_length);
}

// The checksum that the bytes beside it ask for (RFC 1071).
static uint16_t
checksum_of(uint32_t sum_with_it, uint16_t it)
{
	uint32_t sum = sum_with_it + (uint16_t)~it;

	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

// RFC 791; RFC 768 and RFC 8200, 8.1: a sum of zero is sent as all ones, and zero means none.
static void
check_checksums(struct verify *v, const struct rte_mbuf *mbuf, const struct verify_frame *f,
	const struct verify_at *at)
{
	uint32_t addresses = v->ip6 ? 32 : 8, udp_bytes = f->length - f->l4, sum;
	uint16_t expected;

	looked(v, PG_VERIFY_CHECKSUMS);
	if (!v->ip6) {
		expected = checksum_of(verify_sum(mbuf, f->l3, f->l4 - f->l3, 0), f->ip_checksum);
		want(v, at, PG_VERIFY_CHECKSUMS, VERIFY_IP_CHECKSUM, expected, f->ip_checksum);
	}
	if (!v->udp_checksum) {
		want(v, at, PG_VERIFY_CHECKSUMS, VERIFY_UDP_CHECKSUM, 0, f->udp_checksum);
		return;
	}
	sum = verify_sum(mbuf, f->l4 - addresses, addresses, (uint64_t)UDP + udp_bytes);
	expected = checksum_of(verify_sum(mbuf, f->l4, udp_bytes, sum), f->udp_checksum);
	want(v, at, PG_VERIFY_CHECKSUMS, VERIFY_UDP_CHECKSUM, expected != 0 ? expected : 0xffff,
		f->udp_checksum);
}

static void
check_payload(struct verify *v, const struct rte_mbuf *mbuf, const struct verify_frame *f,
	const struct verify_at *at)
{
	looked(v, PG_VERIFY_PAYLOAD);
	want(v, at, PG_VERIFY_PAYLOAD, VERIFY_MAGIC, MAGIC, f->magic);
	want(v, at, PG_VERIFY_PAYLOAD, VERIFY_PADDING, f->length,
		verify_padding(mbuf, f->payload + PKTGEN_BYTES, f->length));
	looked(v, PG_VERIFY_SEQUENCE);
	want(v, at, PG_VERIFY_SEQUENCE, VERIFY_SEQUENCE, (uint32_t)(1 + at->index * v->copies),
		f->sequence);
}

void
verify_packet(struct verify *v, const struct rte_mbuf *mbuf, const struct verify_at *at)
{
	uint8_t version = v->ip6 ? 6 : 4;
	struct verify_frame f;
	enum verify_depth depth = verify_parse(mbuf, &f);

	check_lengths(v, mbuf, &f, at);
	check_segments(v, mbuf, &f, at);
	if (v->priority != 0) {
		looked(v, PG_VERIFY_PRIORITY);
		want(v, at, PG_VERIFY_PRIORITY, VERIFY_PRIORITY, v->priority,
			mbuf->hash.sched.queue_id);
	}
	if (depth == VERIFY_NOTHING || (depth == VERIFY_LINK && f.version == version)) {
		verify_fault(v, PG_VERIFY_LENGTHS, at->packet, VERIFY_FRAME_LENGTH, v->frame_min,
			UINT32_MAX, f.first);
		return;
	}
	if (!check_ethernet(v, &f, at) || (tagged(v) && !check_tags(v, &f, at)))
		return;
	if (f.version != version) {
		want(v, at, PG_VERIFY_IP, VERIFY_IP_VERSION, version, f.version);
		return;
	}
	check_ip(v, &f, at);
	check_udp(v, &f, at);
	check_checksums(v, mbuf, &f, at);
	check_payload(v, mbuf, &f, at);
	verify_flow(v, at);
	verify_stamp(v, &f, at);
	verify_due(v, &f, at);
	v->any = true;
}
