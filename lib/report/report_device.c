/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pg_report.h"
#include "pg_units.h"

const char *
pg_report_mac(const struct rte_ether_addr *mac, char *out, size_t size)
{
	rte_ether_format_addr(out, size, mac);
	for (char *c = out; *c != '\0'; c++) {
		if (*c >= 'A' && *c <= 'F')
			*c += 'a' - 'A';
	}
	return out;
}

const char *
pg_report_buffers(uint8_t buffers)
{
	static const char *const names[] = {
		[PG_RX_BUFFERS_FRESH] = "fresh",
		[PG_RX_BUFFERS_COLD] = "cold",
		[PG_RX_BUFFERS_HOT] = "hot",
	};

	return names[buffers];
}

const char *
pg_report_protocol(unsigned int protocol, char *out, size_t size)
{
	if (protocol == PG_RX_NOT_IP)
		snprintf(out, size, "not IP");
	else
		snprintf(out, size, "proto %u", protocol);
	return out;
}

static const char *
ip4_text(uint32_t addr, char *out, size_t size)
{
	struct in_addr in = {htonl(addr)};

	return inet_ntop(AF_INET, &in, out, size);
}

void
pg_report_control(FILE *out)
{
	fputs("Packet Generator for packet performance testing. Version: 2.75\n", out);
}

static void
list_devices(const struct pg_thread *thread, bool running, FILE *out)
{
	const struct pg_device *device;

	fputs(running ? "Running: " : "Stopped: ", out);
	TAILQ_FOREACH(device, &thread->devices, in_thread)
	{
		if (running == pg_device_running(device))
			fprintf(out, "%s ", device->name);
	}
	fputc('\n', out);
}

void
pg_report_thread(struct pg_engine *engine, const struct pg_thread *thread, FILE *out)
{
	(void)engine;
	list_devices(thread, true, out);
	list_devices(thread, false, out);
	fprintf(out, "Result: %s\n", thread->reply[0] != '\0' ? thread->reply : "NA");
}

static void
range6(char which, const struct pg_ip6 *one, const struct pg_ip6 *lo, const struct pg_ip6 *hi,
	FILE *out)
{
	char text[3][PG_IP6_TEXT_MAX];

	fprintf(out, "     %caddr: %s  min_%caddr: %s  max_%caddr: %s\n", which,
		pg_ip6_text(one, text[0], sizeof(text[0])), which,
		pg_ip6_text(lo, text[1], sizeof(text[1])), which,
		pg_ip6_text(hi, text[2], sizeof(text[2])));
}

static void
addresses(const struct pg_template *tmpl, FILE *out)
{
	if (tmpl->flags & PG_FLAG_IPV6) {
		range6('s', &tmpl->src6, &tmpl->src6_min, &tmpl->src6_max, out);
		range6('d', &tmpl->dst6, &tmpl->dst6_min, &tmpl->dst6_max, out);
		return;
	}
	fprintf(out, "     dst_min: %s  dst_max: %s\n     src_min: %s  src_max: %s\n",
		tmpl->dst_min.text, tmpl->dst_max.text, tmpl->src_min.text, tmpl->src_max.text);
}

static void
tag(const char *name, const struct pg_vlan *vlan, FILE *out)
{
	if (vlan->id != PG_VLAN_OFF)
		fprintf(out, "     %s: %u  vlan_p: %u  vlan_cfi: %u\n", name, vlan->id, vlan->p,
			vlan->cfi);
}

static void
tags(const struct pg_template *tmpl, FILE *out)
{
	for (uint32_t i = 0; i < tmpl->mpls.count; i++)
		fprintf(out, "%s%08x%s", i == 0 ? "     mpls: " : ", ", tmpl->mpls.word[i],
			i + 1 == tmpl->mpls.count ? "\n" : "");
	tag("vlan_id", &tmpl->vlan, out);
	tag("svlan_id", &tmpl->svlan, out);
	if (tmpl->tos != 0)
		fprintf(out, "     tos: 0x%02x\n", tmpl->tos);
	if (tmpl->traffic_class != 0)
		fprintf(out, "     traffic_class: 0x%02x\n", tmpl->traffic_class);
}

// Pairs of a size and its weight, or of a size and how many were built.
static void
mix(const char *name, const struct pg_template *tmpl, const uint64_t *counts, FILE *out)
{
	const struct pg_pairs *imix = &tmpl->imix;

	if (imix->count == 0)
		return;
	fprintf(out, "     %s: ", name);
	for (uint32_t i = 0; i < imix->count; i++)
		fprintf(out, "%u,%" PRIu64 " ", imix->pair[i].size,
			counts != NULL ? counts[i] : imix->pair[i].weight);
	fputc('\n', out);
}

static void
flags(const struct pg_template *tmpl, FILE *out)
{
	fprintf(out, "     Flags: ");
	for (uint32_t bit = 1; bit != 0; bit <<= 1) {
		// With flows one of the two names stands in FLOW_SEQ's place.
		if (bit == PG_FLAG_FLOW_SEQ && tmpl->flows > 0)
			fprintf(out, "%s  ", tmpl->flags & bit ? "FLOW_SEQ" : "FLOW_RND");
		else if (bit != PG_FLAG_FLOW_SEQ && tmpl->flags & bit)
			fprintf(out, "%s  ", pg_flow_flag_name(bit));
	}
	fputc('\n', out);
}

// What is as it always is does not show, so that the text stays pktgen's.
static void
receive(const struct pg_device_settings *set, FILE *out)
{
	const struct pg_rx_config *rx = &set->rx;

	if (set->rx_source == PG_SOURCE_PORT)
		fprintf(out, "     rx_source: port\n");
	if (set->inject == PG_INJECT_RING)
		fprintf(out, "     inject: ring  rx_ring: %u\n", set->rx_ring);
	if (set->rx_thread != NULL)
		fprintf(out, "     rx_thread: %s\n", set->rx_thread);
	if (rx->steer != NULL)
		fprintf(out, "     rx_steer: %s\n", rx->steer);
	if (rx->graph != NULL && strcmp(rx->graph, "host") != 0)
		fprintf(out, "     rx_graph: %s\n", rx->graph);
	if (rx->routes != NULL)
		fprintf(out, "     rx_routes: %s\n", rx->routes);
	if (rx->rules != NULL)
		fprintf(out, "     rx_rules: %s\n", rx->rules);
	if (rx->filter != NULL)
		fprintf(out, "     rx_filter: %s\n", rx->filter);
	if (rx->bpf != NULL)
		fprintf(out, "     rx_bpf: %s\n", rx->bpf);
	if (rx->tap != NULL)
		fprintf(out, "     rx_tap: %s\n", rx->tap);
	if (rx->buffers != PG_RX_BUFFERS_FRESH)
		fprintf(out, "     rx_buffers: %s\n", pg_report_buffers((uint8_t)rx->buffers));
	if (rx->counters == PG_RX_COUNTERS_ATOMIC)
		fprintf(out, "     rx_counters: atomic\n");
	if (rx->verify != PG_RX_VERIFY_OFF)
		fprintf(out, "     rx_verify: %s\n",
			rx->verify == PG_RX_VERIFY_FULL ? "full" : "sampled");
}

static void
params(const struct pg_device *device, FILE *out)
{
	const struct pg_device_settings *set = &device->settings;
	const struct pg_template *tmpl = &set->tmpl;
	const struct rte_ether_addr *src =
		pg_mac_is_zero(&tmpl->src_mac) ? &device->port->mac : &tmpl->src_mac;
	char src_mac[RTE_ETHER_ADDR_FMT_SIZE], dst_mac[RTE_ETHER_ADDR_FMT_SIZE];

	fprintf(out, "Params: count %" PRIu64 "  min_pkt_size: %u  max_pkt_size: %u\n", set->count,
		tmpl->min_size, tmpl->max_size);
	mix("imix_weights", tmpl, NULL, out);
	fprintf(out, "     frags: %d  delay: %" PRIu64 "  clone_skb: %d  ifname: %s\n",
		(int)tmpl->frags, set->delay_ns, (int)set->clone_skb, device->name);
	fprintf(out, "     flows: %u flowlen: %u\n", tmpl->flows, tmpl->flowlen);
	fprintf(out, "     queue_map_min: %u  queue_map_max: %u\n", tmpl->queue_map_min,
		tmpl->queue_map_max);
	if (tmpl->skb_priority != 0)
		fprintf(out, "     skb_priority: %u\n", tmpl->skb_priority);
	addresses(tmpl, out);
	fprintf(out, "     src_mac: %s dst_mac: %s\n", pg_report_mac(src, src_mac, sizeof(src_mac)),
		pg_report_mac(&tmpl->dst_mac, dst_mac, sizeof(dst_mac)));
	fprintf(out, "     udp_src_min: %u  udp_src_max: %u  udp_dst_min: %u  udp_dst_max: %u\n",
		tmpl->udp_src_min, tmpl->udp_src_max, tmpl->udp_dst_min, tmpl->udp_dst_max);
	fprintf(out, "     src_mac_count: %d  dst_mac_count: %d\n", (int)tmpl->src_mac_count,
		(int)tmpl->dst_mac_count);
	tags(tmpl, out);
	if ((int32_t)set->burst > 1 || (int32_t)set->burst < 0)
		fprintf(out, "     burst: %d\n", (int)set->burst);
	if (set->node >= 0)
		fprintf(out, "     node: %d\n", (int)set->node);
	if (set->xmit_mode == PG_XMIT_NETIF_RECEIVE)
		fprintf(out, "     xmit_mode: netif_receive\n");
	else if (set->xmit_mode == PG_XMIT_QUEUE_XMIT)
		fprintf(out, "     xmit_mode: xmit_queue\n");
	receive(set, out);
	if (set->verify == 1)
		fprintf(out, "     verify: full\n");
	else if (set->verify > 1)
		fprintf(out, "     verify: sampled %u\n", set->verify);
	flags(tmpl, out);
}

static void
current(const struct pg_device *device, FILE *out)
{
	const struct pg_device_current *cur = &device->current;
	bool ip6 = (device->settings.tmpl.flags & PG_FLAG_IPV6) != 0;
	char saddr[PG_IP6_TEXT_MAX], daddr[PG_IP6_TEXT_MAX];

	fprintf(out, "Current:\n     pkts-sofar: %" PRIu64 "  errors: %" PRIu64 "\n",
		device->result.sent, device->result.errors);
	mix("imix_size_counts", &device->settings.tmpl, device->imix_count, out);
	fprintf(out, "     started: %" PRIu64 "us  stopped: %" PRIu64 "us idle: %" PRIu64 "us\n",
		cur->started_us, cur->stopped_us, device->result.idle_ns / PG_NS_PER_US);
	fprintf(out, "     seq_num: %" PRIu64 "  cur_dst_mac_offset: %u  cur_src_mac_offset: %u\n",
		cur->seq_num, cur->dst_mac_offset, cur->src_mac_offset);
	fprintf(out, "     cur_saddr: %s  cur_daddr: %s\n",
		ip6 ? pg_ip6_text(&cur->saddr6, saddr, sizeof(saddr))
		    : ip4_text(cur->saddr, saddr, sizeof(saddr)),
		ip6 ? pg_ip6_text(&cur->daddr6, daddr, sizeof(daddr))
		    : ip4_text(cur->daddr, daddr, sizeof(daddr)));
	fprintf(out, "     cur_udp_dst: %u  cur_udp_src: %u\n     cur_queue_map: %u\n",
		cur->udp_dst, cur->udp_src, cur->queue_map);
	fprintf(out, "     flows: %" PRIu64 "\n", cur->flows);
}

void
pg_report_result(const struct pg_result *r, char *out, size_t size)
{
	uint64_t total_us = r->duration_ns / PG_NS_PER_US;
	uint64_t busy_us = (r->duration_ns - r->idle_ns) / PG_NS_PER_US;

	snprintf(out, size,
		"OK: %" PRIu64 "(c%" PRIu64 "+d%" PRIu64 ") usec, %" PRIu64 " (%dbyte,%dfrags)\n"
		"  %" PRIu64 "pps %" PRIu64 "Mb/sec (%" PRIu64 "bps) errors: %" PRIu64,
		total_us, busy_us, r->idle_ns / PG_NS_PER_US, r->sent, (int)r->size, r->frags,
		r->pps, r->mbps, r->bps, r->errors);
}

void
pg_report_device(const struct pg_device *device, FILE *out)
{
	char result[PG_RESULT_MAX];

	params(device, out);
	current(device, out);
	if (device->reply[0] != '\0')
		snprintf(result, sizeof(result), "%s", device->reply);
	else if (device->has_run)
		pg_report_result(&device->result, result, sizeof(result));
	else
		snprintf(result, sizeof(result), "Idle");
	fprintf(out, "Result: %s\n", result);
}
