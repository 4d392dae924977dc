/* SPDX-License-Identifier: BSD-3-Clause */

/**
 * pg_bare: the bare transmit loops that pmdgen is measured against.
 *
 * A figure such as "28 cycles a packet" says little: most of it may be the
 * mempool's and the driver's. These loops do what any generator on ethdev must
 * do and nothing else, so the ratio to them is what pmdgen itself costs:
 *
 *   nowrite  take mbufs, set their length, send; no byte of a packet is written
 *   write4   the same, and a 4-byte big-endian sequence number in each packet
 *   offload  as write4, and ask the device for both checksums, as each driver wants it
 *            asked: flags, header lengths, the pseudo header's sum (rte_eth_tx_prepare())
 *   clone    one mbuf, its reference count raised once per burst, sent over and over
 *
 * They are written to be fast: one function per mode, nothing tested per packet,
 * the frame written into every buffer of the pool before the clock starts. One
 * port (the first; net_null0 is attached if there is none), a TX queue and a pool
 * for each lcore that EAL has. The result is one line of JSON on standard output (one for each
 * repetition: on a shared machine only the fastest of several short runs can be
 * compared with anything). Time is CLOCK_MONOTONIC_RAW and cycles are the TSC's
 * over the same interval, of several lcores the harmonic mean; rte_get_tsc_hz() is rounded to 10
 * MHz in DPDK 22.11 and is not used.
 */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "bare.h"

#define TX_DESC 512

struct bare {
	const char *mode;
	uint64_t packets; // of each lcore
	unsigned int repeat;
	unsigned int burst;
	unsigned int frame_bytes;
	unsigned int pool_size;
	unsigned int cache_size;
	uint16_t port;
	uint16_t lcores;
	struct worker *worker[RTE_MAX_LCORE]; // one per lcore, on lines of its own
};

struct worker {
	struct bare_queue queue;
	bare_loop loop;
	unsigned int *waiting; // lcores that are not there yet
	uint64_t done, cycles;
} __rte_cache_aligned;

static int
pool_create(const struct bare *b, struct worker *w)
{
	int socket = rte_eth_dev_socket_id(b->port);
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "bare_%u", w->queue.queue);
	w->queue.pool = rte_pktmbuf_pool_create(name, b->pool_size, b->cache_size, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, socket < 0 ? (int)rte_socket_id() : socket);
	if (w->queue.pool == NULL)
		return -rte_errno;
	bare_pool_fill(w->queue.pool);
	return 0;
}

static int
workers_create(struct bare *b)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH (lcore) {
		struct worker *w = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*w));
		int rc;

		if (w == NULL)
			return -ENOMEM;
		*w = (struct worker){
			.queue = {b->packets, b->port, b->lcores, b->burst, b->frame_bytes, NULL},
			.loop = bare_loop_find(b->mode),
		};
		b->worker[lcore] = w;
		b->lcores++;
		rc = pool_create(b, w);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
port_start(struct bare *b)
{
	struct rte_eth_conf conf = {0};
	uint16_t rx_desc = TX_DESC, tx_desc = TX_DESC;
	int rc;

	if (rte_eth_dev_count_avail() == 0) {
		rc = rte_eal_hotplug_add("vdev", "net_null0", "");
		if (rc < 0)
			return rc;
	}
	b->port = rte_eth_find_next(0);
	rc = workers_create(b);
	if (rc < 0)
		return rc;
	rc = rte_eth_dev_configure(b->port, 0, b->lcores, &conf);
	if (rc < 0)
		return rc;
	rc = rte_eth_dev_adjust_nb_rx_tx_desc(b->port, &rx_desc, &tx_desc);
	if (rc < 0)
		return rc;
	for (uint16_t q = 0; rc == 0 && q < b->lcores; q++)
		rc = rte_eth_tx_queue_setup(
			b->port, q, tx_desc, rte_eth_dev_socket_id(b->port), NULL);
	return rc < 0 ? rc : rte_eth_dev_start(b->port);
}

static int
parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || strchr(text, '-') != NULL)
		return -EINVAL;
	return *value < min || *value > max ? -ERANGE : 0;
}

static void
usage(FILE *to)
{
	fprintf(to,
		"usage: pg_bare [EAL options] -- [options]\n"
		"  --mode M      nowrite, write4, offload or clone (default nowrite)\n"
		"  --packets N   packets that each lcore sends (default 20000000)\n"
		"  --repeat R    times to do that, a line each (default 1)\n"
		"  --burst B     packets per transmit call, 1 to %d (default 32)\n"
		"  --frame N     bytes of a frame without its FCS, %d to %d (default %d)\n"
		"  --pool N      mbufs in the pool (default 8191)\n"
		"  --cache N     mbufs in the mempool's cache, 0 to %d (default 256)\n",
		BURST_MAX, FRAME_BYTES, FRAME_MAX, FRAME_BYTES, RTE_MEMPOOL_CACHE_MAX_SIZE);
}

static int
parse_options(struct bare *b, int argc, char **argv)
{
	static const struct option options[] = {
		{"mode", required_argument, NULL, 'm'},
		{"packets", required_argument, NULL, 'p'},
		{"repeat", required_argument, NULL, 'r'},
		{"burst", required_argument, NULL, 'b'},
		{"frame", required_argument, NULL, 'f'},
		{"pool", required_argument, NULL, 'n'},
		{"cache", required_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	uint64_t v;
	int opt, rc = 0;

	while (rc == 0 && (opt = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (opt == 'm') {
			b->mode = optarg;
		} else if (opt == 'p') {
			rc = parse_number(optarg, 1, UINT64_MAX, &b->packets);
		} else if (opt == 'r') {
			rc = parse_number(optarg, 1, UINT32_MAX, &v);
			b->repeat = v;
		} else if (opt == 'b') {
			rc = parse_number(optarg, 1, BURST_MAX, &v);
			b->burst = v;
		} else if (opt == 'f') {
			rc = parse_number(optarg, FRAME_BYTES, FRAME_MAX, &v);
			b->frame_bytes = v;
		} else if (opt == 'n') {
			rc = parse_number(optarg, 1, UINT32_MAX, &v);
			b->pool_size = v;
		} else if (opt == 'c') {
			rc = parse_number(optarg, 0, RTE_MEMPOOL_CACHE_MAX_SIZE, &v);
			b->cache_size = v;
		} else {
			usage(opt == 'h' ? stdout : stderr);
			exit(opt == 'h' ? 0 : 2);
		}
		if (rc < 0)
			fprintf(stderr, "pg_bare: %s: %s\n", optarg, strerror(-rc));
	}
	if (rc == 0 && bare_loop_find(b->mode) == NULL) {
		fprintf(stderr, "pg_bare: %s: expected nowrite, write4, offload or clone\n",
			b->mode);
		rc = -EINVAL;
	}
	return rc;
}

static uint64_t
time_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

// One lcore's share: wait until all are here, then the loop. Context: each lcore.
static int
work(void *arg)
{
	struct bare *b = arg;
	struct worker *w = b->worker[rte_lcore_id()];
	uint64_t start;

	__atomic_sub_fetch(w->waiting, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(w->waiting, __ATOMIC_ACQUIRE) != 0)
		rte_pause();
	start = rte_rdtsc();
	w->done = w->loop(&w->queue);
	w->cycles = rte_rdtsc() - start;
	return 0;
}

// What the lcores have sent; `rate` is packets per cycle of all of them.
static uint64_t
sum(const struct bare *b, double *rate)
{
	uint64_t done = 0;
	unsigned int lcore;

	*rate = 0;
	RTE_LCORE_FOREACH (lcore) {
		done += b->worker[lcore]->done;
		*rate += (double)b->worker[lcore]->done / b->worker[lcore]->cycles;
	}
	return done;
}

// Times the loop once and prints the line. The clock's rate is taken from the
// first run's start to this one's end: a short run alone gives it poorly.
static int
measure(struct bare *b)
{
	static uint64_t t_first, c_first;
	unsigned int waiting = b->lcores, lcore;
	uint64_t t0, t1, c0, c1, done;
	double rate;

	RTE_LCORE_FOREACH (lcore)
		b->worker[lcore]->waiting = &waiting;
	t0 = time_ns();
	c0 = rte_rdtsc();
	rte_eal_mp_remote_launch(work, b, CALL_MAIN);
	rte_eal_mp_wait_lcore();
	c1 = rte_rdtsc();
	t1 = time_ns();
	if (c_first == 0) {
		t_first = t0;
		c_first = c0;
	}
	done = sum(b, &rate);
	if (done < b->packets * b->lcores) {
		fprintf(stderr, "pg_bare: stuck after %" PRIu64 " packets\n", done);
		return -EIO;
	}
	printf("{\"mode\":\"%s\",\"lcores\":%u,\"packets\":%" PRIu64 ",\"seconds\":%.9f,"
	       "\"cycles\":%" PRIu64 ",\"cycles_per_packet\":%.4f,\"mpps\":%.4f,"
	       "\"clock_hz\":%.0f}\n",
		b->mode, b->lcores, done, (t1 - t0) / 1e9, c1 - c0, b->lcores / rate,
		done / ((t1 - t0) / 1e3), (c1 - c_first) / ((t1 - t_first) / 1e9));
	return 0;
}

// Every repetition, and then whether the port counted as many packets.
static int
measure_all(struct bare *b)
{
	const uint64_t total = b->packets * b->repeat * b->lcores;
	struct rte_eth_stats stats;

	for (unsigned int i = 0; i < b->repeat; i++) {
		int rc = measure(b);

		if (rc < 0)
			return rc;
	}
	if (rte_eth_stats_get(b->port, &stats) == 0 && stats.opackets != total) {
		fprintf(stderr, "pg_bare: sent %" PRIu64 " packets, the port counted %" PRIu64 "\n",
			total, stats.opackets);
		return -EIO;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct bare b = {
		.mode = "nowrite",
		.packets = 20000000,
		.repeat = 1,
		.burst = 32,
		.frame_bytes = FRAME_BYTES,
		.pool_size = 8191,
		.cache_size = 256,
	};
	unsigned int lcore;
	int rc;

	rc = rte_eal_init(argc, argv);
	if (rc < 0) {
		fprintf(stderr, "pg_bare: EAL: %s\n", rte_strerror(rte_errno));
		return 3;
	}
	if (parse_options(&b, argc - rc, argv + rc) < 0) {
		rte_eal_cleanup();
		return 2;
	}
	rc = port_start(&b);
	if (rc < 0) {
		fprintf(stderr, "pg_bare: port: %s\n", rte_strerror(-rc));
		rte_eal_cleanup();
		return 3;
	}
	rc = measure_all(&b);
	rte_eth_dev_stop(b.port);
	rte_eth_dev_close(b.port);
	RTE_LCORE_FOREACH (lcore) {
		rte_mempool_free(b.worker[lcore]->queue.pool);
		free(b.worker[lcore]);
	}
	rte_eal_cleanup();
	return rc < 0 ? 1 : 0;
}
