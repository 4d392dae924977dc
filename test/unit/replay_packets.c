/* SPDX-License-Identifier: BSD-3-Clause */
/* The captured packets: each case's settings on a device of that name, a dry run under `compat
 * linux`, and its frames byte by byte; what is drawn at random by its values over the whole run. */
#include "support_replay.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

#include "replay_frame.h"
#include "support.h"

#define FRAMES_MAX 4096 // 2000 were captured at most

static struct frame frames[FRAMES_MAX];
static size_t nframes;

static int
take(void *ctx, uint64_t ns, const uint8_t *bytes, uint32_t length)
{
	(void)ctx;
	(void)ns;
	if (nframes < FRAMES_MAX)
		frame_take(&frames[nframes], bytes, length);
	nframes++;
	return 0;
}

static size_t
from_hex(const char *hex, uint8_t *bytes)
{
	size_t n = strlen(hex) / 2;
	unsigned int byte;

	assert_true(n <= FRAME_KEPT);
	for (size_t i = 0; i < n; i++) {
		sscanf(hex + 2 * i, "%2x", &byte);
		bytes[i] = byte;
	}
	return n;
}

// Is a field drawn at random, or does it follow from one that is?
static bool
is_random(const struct pg_template *tmpl, enum frame_field field)
{
	bool sizes = tmpl->flags & PG_FLAG_TXSIZE_RND || tmpl->imix.count > 0;
	bool flows = tmpl->flows > 0 && !(tmpl->flags & PG_FLAG_FLOW_SEQ);
	bool src = tmpl->flags & PG_FLAG_IPSRC_RND, dst = tmpl->flags & PG_FLAG_IPDST_RND || flows;

	switch (field) {
	case FRAME_DMAC:
		return tmpl->flags & PG_FLAG_MACDST_RND;
	case FRAME_SMAC:
		return tmpl->flags & PG_FLAG_MACSRC_RND;
	case FRAME_VLAN0:
	case FRAME_VLAN1:
		return tmpl->flags & (PG_FLAG_VID_RND | PG_FLAG_SVID_RND);
	case FRAME_MPLS0:
	case FRAME_MPLS1:
	case FRAME_MPLS2:
		return tmpl->flags & PG_FLAG_MPLS_RND;
	case FRAME_IP_LENGTH:
	case FRAME_UDP_LENGTH:
		return sizes;
	case FRAME_IP_SUM:
		return sizes || src || dst;
	case FRAME_SRC:
		return src;
	case FRAME_DST:
		return dst || (tmpl->flags & PG_FLAG_IPV6 &&
				      memcmp(tmpl->dst6_min.bytes, tmpl->dst6_max.bytes, 16) != 0);
	case FRAME_SPORT:
		return tmpl->flags & PG_FLAG_UDPSRC_RND;
	case FRAME_DPORT:
		return tmpl->flags & PG_FLAG_UDPDST_RND;
	case FRAME_STAMP:
		return !(tmpl->flags & PG_FLAG_NO_TIMESTAMP);
	default:
		return false;
	}
}

static void
compare_frame(struct replay *replay, const json_t *one, const struct pg_template *tmpl, size_t i,
	const uint8_t *want, size_t length, const struct frame *got)
{
	bool unfilled = json_object_get(one, "checksum_not_filled_in_yet") != NULL;
	struct frame_map map, ours;

	frame_map(want, length, &map);
	frame_map(got->bytes, got->kept, &ours);
	if (!got->ip_sum)
		replay_differ(replay, REPLAY_PACKET, "ip sum", "frame %zu: wrong IP checksum", i);
	if (!got->udp_sum)
		replay_differ(replay, REPLAY_PACKET, "udp sum", "frame %zu: wrong UDP checksum", i);
	for (size_t at = 0; at < length; at++) {
		enum frame_field field = frame_field_at(&map, at);
		bool stamped = is_random(tmpl, FRAME_STAMP) && tmpl->flags & PG_FLAG_UDPCSUM;

		if (at < got->kept && want[at] == got->bytes[at])
			continue;
		if (field < FRAME_FIELDS && ours.offset[field] == map.offset[field] &&
			is_random(tmpl, field))
			continue;
		if (field == FRAME_UDP_SUM && (unfilled || stamped))
			continue; // ours was computed, and checked above
		if (field == FRAME_UDP_SUM && map.ip6 && got->udp_sum &&
			memcmp(want + map.offset[field], "\0", 2) == 0) {
			replay_differ(
				replay, REPLAY_PACKET, "sum over IPv6", "there is a UDP checksum");
			continue;
		}
		replay_differ(replay, REPLAY_PACKET,
			field < FRAME_FIELDS ? frame_names[field] : "frame",
			"frame %zu, byte %zu (%s): %02x, not %02x", i, at,
			field < FRAME_FIELDS ? frame_names[field] : "-", got->bytes[at], want[at]);
		return;
	}
}

static uint32_t
recorded_length(const json_t *one, size_t i)
{
	const json_t *lengths = json_object_get(one, "frame_lengths");

	if (json_object_get(one, "all_same_length") != NULL)
		i = 0;
	return json_integer_value(json_array_get(lengths, i));
}

// Linux sends each packet of a burst again and again: ours are its first ones.
static unsigned int
repeats(const struct pg_device_settings *set)
{
	bool burst = set->burst > 1 && set->xmit_mode != PG_XMIT_QUEUE_XMIT &&
		     set->tmpl.flags & PG_FLAG_SHARED;

	return burst ? set->burst * RTE_MAX(set->clone_skb, 1u) : 1;
}

// On the loopback a frame that is sent is seen again as one that is received.
static bool
seen_twice(const json_t *one)
{
	return strcmp(replay_text(one, "case"), "lo-queue_xmit") == 0;
}

static void
compare_frames(struct replay *replay, const json_t *one, const struct pg_device_settings *set)
{
	const json_t *packets = json_object_get(one, "packets"), *hex;
	unsigned int group = repeats(set), copies = RTE_MAX(set->clone_skb, 1u);
	bool twice = seen_twice(one);
	uint8_t want[FRAME_KEPT];
	size_t i;

	json_array_foreach(packets, i, hex)
	{
		size_t length = from_hex(json_string_value(hex), want), mine = i;
		uint32_t bytes = recorded_length(one, i);

		if (group > 1 && i % group != 0)
			continue;
		mine = i / group * (group > 1 ? copies : 1) / (twice ? 2 : 1);
		if (mine >= nframes) {
			if (i < (size_t)json_integer_value(json_object_get(one, "total")) &&
				group == 1)
				replay_differ(replay, REPLAY_PACKET, "frames",
					"there is no frame %zu", mine);
			return;
		}
		if (group > 1 && want[0] != 0) {
			struct frame_map map;

			frame_map(want, length, &map);
			if (map.size[FRAME_SEQ] > 0 &&
				memcmp(want + map.offset[FRAME_SEQ],
					frames[mine].bytes + map.offset[FRAME_SEQ], 4) != 0) {
				replay_differ(replay, REPLAY_PACKET, "repeated",
					"frame %zu is distinct", mine);
				memcpy(want + map.offset[FRAME_SEQ],
					frames[mine].bytes + map.offset[FRAME_SEQ], 4);
			}
		}
		// The wire's shortest frame, to which a NIC pads.
		if (strncmp(replay_text(one, "captured_on"), "eth", 3) == 0 && bytes == 60 &&
			frames[mine].length < 60)
			bytes = length = frames[mine].length;
		if (frames[mine].length != bytes && !is_random(&set->tmpl, FRAME_IP_LENGTH))
			replay_differ(replay, REPLAY_PACKET, "length",
				"frame %zu has %u bytes, not %u", mine, frames[mine].length, bytes);
		compare_frame(replay, one, &set->tmpl, mine, want, length, &frames[mine]);
		if (replay->differences > 0)
			return;
	}
}

// Of the first sizes recorded, about as many as ours have that size.
static void
compare_mix(struct replay *replay, const json_t *one)
{
	const json_t *lengths = json_object_get(one, "frame_lengths"), *length;
	size_t n = json_array_size(lengths), i;
	double apart = 0;

	json_array_foreach(lengths, i, length)
	{
		double want = 0, got = 0;

		for (size_t k = 0; k < n; k++)
			want += json_equal(length, json_array_get(lengths, k));
		for (size_t k = 0; k < RTE_MIN(nframes, (size_t)FRAMES_MAX); k++)
			got += frames[k].length == json_integer_value(length);
		// The share of this length, counted once for each of its frames.
		apart += fmax(0, 1 - got / (double)nframes * (double)n / want) / (double)n;
	}
	if (n > 1 && apart > 0.3)
		replay_differ(replay, REPLAY_PACKET, "mix", "a share of %g has other sizes", apart);
}

static void
compare_total(struct replay *replay, const json_t *one, const struct pg_device_settings *set)
{
	size_t total = json_integer_value(json_object_get(one, "total"));

	if (repeats(set) > 1 && total > set->count && nframes == set->count)
		replay_differ(
			replay, REPLAY_PACKET, "overshoot", "%zu frames, not %zu", nframes, total);
	else if (nframes != total / (seen_twice(one) ? 2 : 1))
		replay_differ(
			replay, REPLAY_PACKET, "total", "%zu frames, not %zu", nframes, total);
}

// Go on to the step that a case's start was recorded as, doing to the interfaces what was done in
// between. Returns how far it is behind the step before it; -1: there is none such.
static int
advance(struct replay *replay, const char *start)
{
	const json_t *step;
	int last = 0;

	for (size_t at = replay->at; (step = json_array_get(replay->steps, at)) != NULL; at++) {
		const char *id = replay_text(step, "step"), *shell = replay_text(step, "shell");

		if (strcmp(id, start) == 0) {
			replay->at = at;
			replay_begin(replay, step);
			return atoi(strchr(id, '-') + 1) - last;
		}
		if (shell != NULL && fnmatch("pkt-*", replay_text(step, "section"), 0) == 0)
			guest_shell(replay, shell);
		last = atoi(strchr(id, '-') + 1);
	}
	return -1;
}

static bool
run_case(struct replay *replay, const json_t *one, struct pg_device *device)
{
	struct pg_error err = {0};
	uint64_t count = device->settings.count;

	nframes = 0;
	if (count == 0)
		device->settings.count = json_integer_value(json_object_get(one, "total"));
	pg_engine_lock(replay->app.engine);
	if (pg_engine_start(replay->app.engine, &err) < 0)
		replay_differ(replay, REPLAY_PACKET, "start", "%s", err.text);
	else
		pg_engine_wait(replay->app.engine);
	pg_engine_unlock(replay->app.engine);
	return err.code == 0;
}

static void
one_case(struct replay *replay, const char *start, const json_t *one)
{
	const json_t *settings = json_object_get(one, "settings");
	int gap = advance(replay, start);
	struct pg_device *device;

	if (gap < 0) { // it began long before
		replay->packet_cases.absent++;
		return;
	}
	// As in the steps: two that removed and added the device, two of the capture.
	replay_settings(replay, one,
		(fnmatch("pkt-*", replay->section, 0) != 0 &&
			fnmatch("ipsec-*", replay->section, 0) != 0) ||
			gap >= (int)json_array_size(settings) + 4,
		SIZE_MAX);
	replay->id = replay_text(one, "case");
	replay->command = NULL;
	device = replay_device(replay, replay_text(one, "device"));
	assert_non_null(device);
	// Nobody saw them, or they were changed on their way.
	if (json_integer_value(json_object_get(one, "total")) == 0 ||
		fnmatch("*change-*-run*", replay->section, 0) == 0 ||
		fnmatch("*change-while-running", replay->section, 0) == 0) {
		replay->packet_cases.absent++;
		return;
	}
	if (run_case(replay, one, device)) {
		compare_total(replay, one, &device->settings);
		compare_frames(replay, one, &device->settings);
		if (device->settings.tmpl.imix.count > 0)
			compare_mix(replay, one);
		replay_stats(replay, one, frames, RTE_MIN(nframes, (size_t)FRAMES_MAX), is_random,
			&device->settings.tmpl);
	}
	replay_end(replay, &replay->packet_cases);
}

void
replay_packets(struct replay *replay)
{
	static const struct pg_dry_sink sink = {take, NULL};
	const char *start;
	json_t *one;

	replay->at = 0;
	replay_boot(replay, &sink);
	json_object_foreach(replay->packets, start, one) one_case(replay, start, one);
	replay_halt(replay);
}
