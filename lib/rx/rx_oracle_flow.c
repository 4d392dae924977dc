/* SPDX-License-Identifier: BSD-3-Clause */
/* A packet's flow by the book, and its hash: bit by bit, as the specification of receive side
 * scaling has it. */
#include <string.h>

#include "rx_oracle.h"

static const uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25,
	0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb,
	0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

static unsigned int
bit(const uint8_t *bytes, unsigned int i)
{
	return bytes[i / 8] >> (7 - i % 8) & 1;
}

// For every bit of the input that is set, the 32 bits of the key that begin there.
static uint32_t
toeplitz(const uint8_t *input, unsigned int bytes)
{
	uint32_t hash = 0;

	for (unsigned int i = 0; i < 8 * bytes; i++) {
		for (unsigned int k = 0; bit(input, i) && k < 32; k++)
			hash ^= (uint32_t)bit(key, i + k) << (31 - k);
	}
	return hash;
}

static uint32_t
two(const uint8_t *at)
{
	return at[0] * 256u + at[1];
}

void
rx_oracle_read_flow(const uint8_t *frame, uint32_t length, struct rx_oracle_flow *flow)
{
	const uint8_t *ip = frame + 14;
	uint32_t room = length - 14, end, upper = 0;
	bool later_fragment = false;

	memset(flow, 0, sizeof(*flow));
	flow->version = ip[0] / 16;
	if (flow->version == 4) {
		memcpy(flow->src, ip + 12, 4);
		memcpy(flow->dst, ip + 16, 4);
		flow->proto = ip[9];
		end = two(ip + 2);
		upper = ip[0] % 16 * 4;
		later_fragment = two(ip + 6) % 8192 != 0;
	} else {
		uint8_t next = ip[6];
		bool more = true;

		memcpy(flow->src, ip + 8, 16);
		memcpy(flow->dst, ip + 24, 16);
		end = 40 + two(ip + 4);
		upper = 40;
		if (end > room)
			end = room;
		// Hop-by-hop options, routing, fragment, destination options; eight at most.
		for (int i = 0; more; i++) {
			more = next == 0 || next == 43 || next == 44 || next == 60;
			if (more && (i == 8 || upper + 8 > end)) {
				later_fragment = true;
				break;
			}
			if (!more)
				break;
			if (next == 44) {
				later_fragment = two(ip + upper + 2) / 8 != 0;
				next = ip[upper];
				upper += 8;
			} else {
				uint32_t bytes = 8 + 8 * ip[upper + 1];

				next = ip[upper];
				upper += bytes;
			}
			if (later_fragment)
				break;
		}
		flow->proto = next;
	}
	if (end > room)
		end = room;
	flow->ports = !later_fragment && upper + 4 <= end &&
		      (flow->proto == 6 || flow->proto == 17 || flow->proto == 132);
	if (flow->ports) {
		flow->sport = two(ip + upper);
		flow->dport = two(ip + upper + 2);
	}
}

// Bytes before IP in a frame with tags and labels; 0: there is none behind them.
static uint32_t
before_ip(const uint8_t *frame, uint32_t length)
{
	uint32_t type, at = 14, tags = 0, labels = 0;

	if (length < 14)
		return 0;
	type = two(frame + 12);
	while (type == 0x8100 || type == 0x88a8) {
		if (tags++ == 2 || at + 4 > length)
			return 0;
		type = two(frame + at + 2);
		at += 4;
	}
	if (type == 0x0800 || type == 0x86dd)
		return at;
	if (type != 0x8847 && type != 0x8848)
		return 0;
	while (labels++ < 16 && at + 4 <= length) {
		at += 4;
		if (frame[at - 2] % 2 == 1)
			return at;
	}
	return 0;
}

uint32_t
rx_oracle_lane(const uint8_t *frame, uint32_t length, const struct rx_oracle_steer *steer)
{
	uint32_t at = steer->raw ? before_ip(frame, length) : 14, there = length - at;
	uint32_t n = 0, header = 40, end = 0, protocol = 0;
	const uint8_t *ip = frame + at;
	uint8_t input[36];

	if (at > 0 && there >= 20 && ip[0] / 16 == 4) {
		header = ip[0] % 16 * 4;
		end = two(ip + 2);
		protocol = two(ip + 6) % 16384 == 0 && header >= 20 ? ip[9] : 0;
		for (; n < 8; n++)
			input[n] = ip[12 + n];
	} else if (at > 0 && there >= 40 && ip[0] / 16 == 6) {
		end = 40 + two(ip + 4);
		protocol = ip[6];
		for (; n < 32; n++)
			input[n] = ip[8 + n];
	} else {
		return steer->own < steer->n ? steer->own : 0;
	}
	if (end > there)
		end = there;
	if ((protocol == 6 || protocol == 17 || protocol == 132) && header + 4 <= end) {
		for (uint32_t i = 0; i < 4; i++)
			input[n++] = ip[header + i];
	}
	return (uint32_t)((uint64_t)toeplitz(input, n) * steer->n / 4294967296);
}
