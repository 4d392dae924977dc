/* SPDX-License-Identifier: BSD-3-Clause */

/**
 * pg_fib: what rte_fib_lookup_bulk() alone costs, which the node `fib` is measured against.
 *
 * The routes are those that `rx_routes N` makes, the addresses those of a capture that `pmdgen -n`
 * wrote: the node meets the same. They are looked up burst by burst, and nothing else is done with
 * them. The result is one line of JSON for each repetition; `routed` is how many have a route.
 *
 * usage: pg_fib [EAL options] -- ROUTES FILE.pcap BURST REPEAT
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcap/pcap.h>
#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_fib.h>
#include <rte_lcore.h>

#include "rx_fib.h"

#define BURST_MAX  256
#define DST_OFFSET 30 // of the destination, in an Ethernet frame with IPv4

struct addresses {
	uint32_t *dst; // host order
	size_t n, room;
};

static int
add(struct addresses *a, const uint8_t *frame, uint32_t bytes)
{
	uint32_t dst;

	if (bytes < DST_OFFSET + sizeof(dst))
		return -1;
	if (a->n == a->room) {
		size_t room = a->room > 0 ? 2 * a->room : 1 << 16;
		uint32_t *grown = realloc(a->dst, room * sizeof(grown[0]));

		if (grown == NULL)
			return -1;
		a->dst = grown;
		a->room = room;
	}
	memcpy(&dst, frame + DST_OFFSET, sizeof(dst));
	a->dst[a->n++] = rte_be_to_cpu_32(dst);
	return 0;
}

static int
read_addresses(const char *path, struct addresses *a)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, error);
	struct pcap_pkthdr *header;
	const uint8_t *frame;
	int rc = 0;

	if (pcap == NULL) {
		fprintf(stderr, "pg_fib: %s\n", error);
		return -1;
	}
	while (rc == 0 && pcap_next_ex(pcap, &header, &frame) == 1)
		rc = add(a, frame, header->caplen);
	pcap_close(pcap);
	return rc == 0 && a->n > 0 ? 0 : -1;
}

static uint64_t
routed(struct rte_fib *fib, const struct addresses *a)
{
	uint64_t n = 0, hop;

	for (size_t i = 0; i < a->n; i++) {
		rte_fib_lookup_bulk(fib, a->dst + i, &hop, 1);
		n += hop != 0;
	}
	return n;
}

static uint64_t
time_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static void
measure(struct rte_fib *fib, const struct addresses *a, unsigned int burst, uint64_t with_route)
{
	uint64_t hop[BURST_MAX], ns = time_ns(), start = rte_rdtsc(), cycles;

	for (size_t i = 0; i < a->n; i += burst)
		rte_fib_lookup_bulk(fib, a->dst + i, hop, (int)RTE_MIN((size_t)burst, a->n - i));
	cycles = rte_rdtsc() - start;
	ns = time_ns() - ns;
	printf("{\"mode\":\"fib\",\"packets\":%zu,\"routed\":%" PRIu64 ",\"cycles\":%" PRIu64
	       ",\"cycles_per_packet\":%.4f,\"clock_hz\":%.0f}\n",
		a->n, with_route, cycles, (double)cycles / (double)a->n,
		(double)cycles * 1e9 / (double)ns);
}

int
main(int argc, char **argv)
{
	struct addresses a = {0};
	struct pg_error err = {0};
	struct rx_fib *fib;
	uint64_t with_route;
	unsigned long burst, repeat;
	int used = rte_eal_init(argc, argv);

	if (used < 0 || argc - used != 5) {
		fprintf(stderr, "usage: pg_fib [EAL options] -- ROUTES FILE.pcap BURST REPEAT\n");
		return 2;
	}
	argv += used;
	burst = strtoul(argv[3], NULL, 10);
	repeat = strtoul(argv[4], NULL, 10);
	if (burst < 1 || burst > BURST_MAX || read_addresses(argv[2], &a) < 0) {
		fprintf(stderr, "pg_fib: expected a capture of IPv4, and a burst up to %d\n",
			BURST_MAX);
		return 2;
	}
	fib = rx_fib_get(argv[1], RX_FIB_IP4, (int)rte_socket_id(), &err);
	if (fib == NULL) {
		fprintf(stderr, "pg_fib: %s\n", err.text);
		return 3;
	}
	with_route = routed(fib->ip4, &a);
	for (unsigned long i = 0; i < repeat; i++)
		measure(fib->ip4, &a, (unsigned int)burst, with_route);
	rx_fib_put(fib);
	free(a.dst);
	rte_eal_cleanup();
	return 0;
}
