/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay_frame.h"

#include <string.h>

const char *const frame_names[FRAME_FIELDS] = {"dmac", "smac", "vlan0", "vlan1", "mpls0", "mpls1",
	"mpls2", "ip length", "ipid", "ip sum", "src", "dst", "sport", "dport", "udp length",
	"udp sum", "seq", "stamp"};

static void
put(struct frame_map *map, enum frame_field field, uint32_t offset, uint32_t size, uint32_t length)
{
	if (offset + size > length)
		return;
	map->offset[field] = offset;
	map->size[field] = size;
}

static uint32_t
be16(const uint8_t *bytes)
{
	return bytes[0] << 8 | bytes[1];
}

static void
map_ip(const uint8_t *bytes, uint32_t length, struct frame_map *map, uint32_t at)
{
	uint32_t address = map->ip6 ? 16 : 4, source = at + (map->ip6 ? 8 : 12);

	map->ip = at;
	put(map, FRAME_IP_LENGTH, at + (map->ip6 ? 4 : 2), 2, length);
	if (!map->ip6) {
		put(map, FRAME_IP_ID, at + 4, 2, length);
		put(map, FRAME_IP_SUM, at + 10, 2, length);
	}
	put(map, FRAME_SRC, source, address, length);
	put(map, FRAME_DST, source + address, address, length);
	at = source + 2 * address;
	if (length < at || bytes[map->ip + (map->ip6 ? 6 : 9)] != 17)
		return;
	map->udp = at;
	put(map, FRAME_SPORT, at, 2, length);
	put(map, FRAME_DPORT, at + 2, 2, length);
	put(map, FRAME_UDP_LENGTH, at + 4, 2, length);
	put(map, FRAME_UDP_SUM, at + 6, 2, length);
	put(map, FRAME_SEQ, at + 12, 4, length);
	put(map, FRAME_STAMP, at + 16, 8, length);
}

void
frame_map(const uint8_t *bytes, uint32_t length, struct frame_map *map)
{
	uint32_t at = 12;

	memset(map, 0, sizeof(*map));
	put(map, FRAME_DMAC, 0, 6, length);
	put(map, FRAME_SMAC, 6, 6, length);
	for (unsigned int tag = 0; at + 4 <= length && be16(bytes + at) == 0x8100; tag++, at += 4) {
		if (tag < 2)
			put(map, FRAME_VLAN0 + tag, at + 2, 2, length);
	}
	if (at + 2 > length)
		return;
	if (be16(bytes + at) == 0x8847) {
		unsigned int label = 0;
		bool bottom = false;

		for (at += 2; !bottom && at + 4 <= length; at += 4, label++) {
			bottom = (bytes[at + 2] & 1) != 0;
			if (label < 3)
				put(map, FRAME_MPLS0 + label, at, 4, length);
		}
		at -= 2; // as if a type stood before the packet
		map->ip6 = at + 2 < length && bytes[at + 2] >> 4 == 6;
	} else {
		map->ip6 = be16(bytes + at) == 0x86dd;
	}
	if (at + 2 + 20 <= length)
		map_ip(bytes, length, map, at + 2);
}

// RFC 1071, the slow way.
static uint32_t
add(uint32_t sum, const uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		sum += i % 2 == 0 ? bytes[i] << 8 : bytes[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void
frame_take(struct frame *frame, const uint8_t *bytes, uint32_t length)
{
	uint32_t kept = length < FRAME_KEPT ? length : FRAME_KEPT;
	struct frame_map map;

	frame_map(bytes, length, &map);
	memset(frame, 0, sizeof(*frame));
	frame->length = length;
	frame->kept = kept;
	memcpy(frame->bytes, bytes, kept);
	frame->ip_sum = map.ip != 0 && (map.ip6 || add(0, bytes + map.ip, 20) == 0xffff);
	if (map.udp == 0)
		return;
	if (be16(bytes + map.udp + 6) == 0) {
		frame->udp_sum = !map.ip6;
	} else {
		uint32_t size = be16(bytes + map.udp + 4);
		uint32_t sum =
			add(17 + size, bytes + map.offset[FRAME_SRC], 2 * map.size[FRAME_SRC]);

		frame->udp_sum =
			map.udp + size <= length && add(sum, bytes + map.udp, size) == 0xffff;
	}
}

enum frame_field
frame_field_at(const struct frame_map *map, uint32_t offset)
{
	for (unsigned int i = 0; i < FRAME_FIELDS; i++) {
		if (offset >= map->offset[i] && offset < (uint32_t)map->offset[i] + map->size[i])
			return i;
	}
	return FRAME_FIELDS;
}
