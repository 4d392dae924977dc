/* SPDX-License-Identifier: BSD-3-Clause */
/* The pcapng format (draft-ietf-opsawg-pcapng): a section, an interface, packets. rte_pcapng wants
 * ethdevs for interfaces, which a graph has none of. */
#include <errno.h>
#include <string.h>

#include "rx_pcapng.h"

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, PACKET = 6, ETHERNET = 1, IF_TSRESOL = 9 };

struct section {
	uint32_t type, length, magic;
	uint16_t major, minor;
	int64_t section_length;
	uint32_t length_again;
} __attribute__((packed));

struct interface {
	uint32_t type, length;
	uint16_t link, reserved;
	uint32_t snap;
	uint16_t option, option_length;
	uint8_t resolution, pad[3];
	uint32_t end_of_options, length_again;
} __attribute__((packed));

struct packet {
	uint32_t type, length, interface, ns_high, ns_low, captured, original;
} __attribute__((packed));

static int
put(FILE *file, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, file) == n ? 0 : -EIO;
}

int
rx_pcapng_begin(FILE *file)
{
	const struct section section = {
		SECTION, sizeof(section), 0x1a2b3c4d, 1, 0, -1, sizeof(section)};
	const struct interface interface = {.type = INTERFACE,
		.length = sizeof(interface),
		.link = ETHERNET,
		.option = IF_TSRESOL,
		.option_length = 1,
		.resolution = 9,
		.length_again = sizeof(interface)};
	int rc = put(file, &section, sizeof(section));

	return rc == 0 ? put(file, &interface, sizeof(interface)) : rc;
}

int
rx_pcapng_packet(FILE *file, uint64_t ns, const struct rte_mbuf *mbuf)
{
	static const uint8_t zeros[4];
	uint32_t pad = -mbuf->pkt_len & 3;
	const struct packet head = {PACKET,
		sizeof(head) + mbuf->pkt_len + pad + sizeof(head.length), 0, (uint32_t)(ns >> 32),
		(uint32_t)ns, mbuf->pkt_len, mbuf->pkt_len};
	int rc = put(file, &head, sizeof(head));

	for (const struct rte_mbuf *seg = mbuf; rc == 0 && seg != NULL; seg = seg->next)
		rc = put(file, rte_pktmbuf_mtod(seg, const void *), seg->data_len);
	if (rc == 0)
		rc = put(file, zeros, pad);
	return rc == 0 ? put(file, &head.length, sizeof(head.length)) : rc;
}
