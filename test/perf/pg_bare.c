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
 * port (the first; net_null0 is attached if there is none), one TX queue, the
 * main lcore. The result is one line of JSON on standard output (one for each
 * repetition: on a shared machine only the fastest of several short runs can be
 * compared with anything). Time is CLOCK_MONOTONIC_RAW and cycles are the TSC's
 * over the same interval; rte_get_tsc_hz() is rounded to 10 MHz in DPDK 22.11
 * and is not used.
 */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_net.h>

enum {
	FRAME_BYTES = 60, // smallest Ethernet frame without its FCS
	SEQ_OFFSET = 46,  // pktgen's header: magic at 42, sequence number at 46
	BURST_MAX = 512,
	TX_DESC = 512,
	RETRY_MAX = 1 << 24, // calls in a row that send nothing before giving up
};

struct bare {
	const char *mode;
	uint64_t packets;
	unsigned int repeat;
	unsigned int burst;
	unsigned int pool_size;
	unsigned int cache_size;
	uint16_t port;
	struct rte_mempool *pool;
};

// Sends some packets; returns how many were sent, which is all of them unless
// the pool or the port stopped giving way.
typedef uint64_t (*loop_fn)(const struct bare *b);

// clang-format off
// 60 bytes: Ethernet, IPv4 198.18.0.1 -> 198.18.0.2, UDP 9 -> 9, pktgen header.
static const uint8_t frame[FRAME_BYTES] = {
	0x90, 0xe2, 0xba, 0xff, 0xff, 0xff, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01,
	0x08, 0x00,
	0x45, 0x00, 0x00, 0x2e, 0x00, 0x00, 0x00, 0x00, 0x20, 0x11, 0x0e, 0x98,
	0xc6, 0x12, 0x00, 0x01, 0xc6, 0x12, 0x00, 0x02,
	0x00, 0x09, 0x00, 0x09, 0x00, 0x1a, 0x00, 0x00,
	0xbe, 0x9b, 0xe9, 0x55,
};
// clang-format on

// The rest of a burst that the port did not take at once.
static __rte_noinline uint16_t
send_rest(uint16_t port, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t sent = 0;
	unsigned int idle = 0;

	while (sent < n && idle < RETRY_MAX) {
		uint16_t k = rte_eth_tx_burst(port, 0, pkts + sent, n - sent);

		sent += k;
		idle = k > 0 ? 0 : idle + 1;
	}
	if (sent < n)
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	return sent;
}

static inline bool
send_burst(uint16_t port, struct rte_mbuf **pkts, uint16_t n, uint64_t *done)
{
	uint16_t sent = rte_eth_tx_burst(port, 0, pkts, n);

	if (unlikely(sent < n))
		sent += send_rest(port, pkts + sent, n - sent);
	*done += sent;
	return likely(sent == n);
}

// A pool can be empty for a moment on a port that frees late.
static __rte_noinline bool
alloc_retry(struct rte_mempool *pool, struct rte_mbuf **pkts, uint16_t n)
{
	for (unsigned int i = 0; i < RETRY_MAX; i++)
		if (rte_pktmbuf_alloc_bulk(pool, pkts, n) == 0)
			return true;
	return false;
}

static inline bool
alloc_burst(struct rte_mempool *pool, struct rte_mbuf **pkts, uint16_t n)
{
	return likely(rte_pktmbuf_alloc_bulk(pool, pkts, n) == 0) || alloc_retry(pool, pkts, n);
}

static uint64_t
loop_nowrite(const struct bare *b)
{
	struct rte_mempool *const pool = b->pool;
	const uint64_t packets = b->packets;
	const uint16_t port = b->port;
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = b->burst;
	uint64_t done = 0;

	while (done < packets) {
		if (unlikely(packets - done < n))
			n = packets - done;
		if (!alloc_burst(pool, pkts, n))
			break;
		for (uint16_t i = 0; i < n; i++) {
			pkts[i]->data_len = FRAME_BYTES;
			pkts[i]->pkt_len = FRAME_BYTES;
		}
		if (!send_burst(port, pkts, n, &done))
			break;
	}
	return done;
}

static uint64_t
loop_write4(const struct bare *b)
{
	struct rte_mempool *const pool = b->pool;
	const uint64_t packets = b->packets;
	const uint16_t port = b->port;
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = b->burst;
	uint64_t done = 0;
	uint32_t seq = 1;

	while (done < packets) {
		if (unlikely(packets - done < n))
			n = packets - done;
		if (!alloc_burst(pool, pkts, n))
			break;
		for (uint16_t i = 0; i < n; i++) {
			const rte_be32_t be = rte_cpu_to_be_32(seq++);

			pkts[i]->data_len = FRAME_BYTES;
			pkts[i]->pkt_len = FRAME_BYTES;
			memcpy(rte_pktmbuf_mtod_offset(pkts[i], uint8_t *, SEQ_OFFSET), &be,
				sizeof(be));
		}
		if (!send_burst(port, pkts, n, &done))
			break;
	}
	return done;
}

// What Intel's drivers do in rte_eth_tx_prepare() is what all of them can live with. A driver that
// never reads the mbuf's second line pays for that line too; net_null's reads it anyway.
static uint64_t
loop_offload(const struct bare *b)
{
	const uint64_t flags =
		RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_UDP_CKSUM;
	struct rte_mempool *const pool = b->pool;
	const uint64_t packets = b->packets;
	const uint16_t port = b->port;
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = b->burst;
	uint64_t done = 0;
	uint32_t seq = 1;

	while (done < packets) {
		if (unlikely(packets - done < n))
			n = packets - done;
		if (!alloc_burst(pool, pkts, n))
			break;
		for (uint16_t i = 0; i < n; i++) {
			const rte_be32_t be = rte_cpu_to_be_32(seq++);
			struct rte_mbuf *m = pkts[i];

			m->data_len = FRAME_BYTES;
			m->pkt_len = FRAME_BYTES;
			memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, SEQ_OFFSET), &be, sizeof(be));
			m->ol_flags = flags;
			m->tx_offload = rte_mbuf_tx_offload(sizeof(struct rte_ether_hdr),
				sizeof(struct rte_ipv4_hdr), 0, 0, 0, 0, 0);
			if (unlikely(rte_net_intel_cksum_flags_prepare(m, flags) < 0))
				return done;
		}
		if (!send_burst(port, pkts, n, &done))
			break;
	}
	return done;
}

static uint64_t
loop_clone(const struct bare *b)
{
	const uint64_t packets = b->packets;
	const uint16_t port = b->port;
	struct rte_mbuf *pkts[BURST_MAX];
	struct rte_mbuf *m = rte_pktmbuf_alloc(b->pool);
	uint16_t n = b->burst;
	uint64_t done = 0;

	if (m == NULL)
		return 0;
	m->data_len = FRAME_BYTES;
	m->pkt_len = FRAME_BYTES;
	for (uint16_t i = 0; i < n; i++)
		pkts[i] = m;
	while (done < packets) {
		if (unlikely(packets - done < n))
			n = packets - done;
		rte_mbuf_refcnt_update(m, n);
		if (!send_burst(port, pkts, n, &done))
			break;
	}
	rte_pktmbuf_free(m);
	return done;
}

static loop_fn
loop_find(const char *mode)
{
	if (strcmp(mode, "nowrite") == 0)
		return loop_nowrite;
	if (strcmp(mode, "write4") == 0)
		return loop_write4;
	if (strcmp(mode, "offload") == 0)
		return loop_offload;
	if (strcmp(mode, "clone") == 0)
		return loop_clone;
	return NULL;
}

static void
fill_buffer(struct rte_mempool *pool, void *opaque, void *obj, unsigned int idx)
{
	struct rte_mbuf *m = obj;

	RTE_SET_USED(pool);
	RTE_SET_USED(opaque);
	RTE_SET_USED(idx);
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), frame, sizeof(frame));
}

static int
pool_create(struct bare *b)
{
	int socket = rte_eth_dev_socket_id(b->port);

	b->pool = rte_pktmbuf_pool_create("bare", b->pool_size, b->cache_size, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, socket < 0 ? (int)rte_socket_id() : socket);
	if (b->pool == NULL)
		return -rte_errno;
	// A fresh buffer's data_off is set, see rte_pktmbuf_init().
	rte_mempool_obj_iter(b->pool, fill_buffer, NULL);
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
	rc = pool_create(b);
	if (rc < 0)
		return rc;
	rc = rte_eth_dev_configure(b->port, 0, 1, &conf);
	if (rc < 0)
		return rc;
	rc = rte_eth_dev_adjust_nb_rx_tx_desc(b->port, &rx_desc, &tx_desc);
	if (rc < 0)
		return rc;
	rc = rte_eth_tx_queue_setup(b->port, 0, tx_desc, rte_eth_dev_socket_id(b->port), NULL);
	if (rc < 0)
		return rc;
	return rte_eth_dev_start(b->port);
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
		"  --packets N   packets to send (default 20000000)\n"
		"  --repeat R    times to do that, a line each (default 1)\n"
		"  --burst B     packets per transmit call, 1 to %d (default 32)\n"
		"  --pool N      mbufs in the pool (default 8191)\n"
		"  --cache N     mbufs in the mempool's cache, 0 to %d (default 256)\n",
		BURST_MAX, RTE_MEMPOOL_CACHE_MAX_SIZE);
}

static int
parse_options(struct bare *b, int argc, char **argv)
{
	static const struct option options[] = {
		{"mode", required_argument, NULL, 'm'},
		{"packets", required_argument, NULL, 'p'},
		{"repeat", required_argument, NULL, 'r'},
		{"burst", required_argument, NULL, 'b'},
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
	if (rc == 0 && loop_find(b->mode) == NULL) {
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

// Times the loop once and prints the line. The clock's rate is taken from the
// first run's start to this one's end: a short run alone gives it poorly.
static int
measure(const struct bare *b, loop_fn loop)
{
	static uint64_t t_first, c_first;
	uint64_t t0, t1, c0, c1, done;
	double seconds, cycles;

	t0 = time_ns();
	c0 = rte_rdtsc();
	done = loop(b);
	c1 = rte_rdtsc();
	t1 = time_ns();
	if (c_first == 0) {
		t_first = t0;
		c_first = c0;
	}

	if (done < b->packets) {
		fprintf(stderr, "pg_bare: stuck after %" PRIu64 " packets\n", done);
		return -EIO;
	}
	seconds = (t1 - t0) / 1e9;
	cycles = c1 - c0;
	printf("{\"mode\":\"%s\",\"packets\":%" PRIu64 ",\"seconds\":%.9f,"
	       "\"cycles\":%" PRIu64 ",\"cycles_per_packet\":%.4f,\"mpps\":%.4f,"
	       "\"clock_hz\":%.0f}\n",
		b->mode, done, seconds, c1 - c0, cycles / done, done / seconds / 1e6,
		(c1 - c_first) / ((t1 - t_first) / 1e9));
	return 0;
}

// Every repetition, and then whether the port counted as many packets.
static int
measure_all(const struct bare *b)
{
	const loop_fn loop = loop_find(b->mode);
	const uint64_t total = b->packets * b->repeat;
	struct rte_eth_stats stats;

	for (unsigned int i = 0; i < b->repeat; i++) {
		int rc = measure(b, loop);

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
		.pool_size = 8191,
		.cache_size = 256,
	};
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
	rte_mempool_free(b.pool);
	rte_eal_cleanup();
	return rc < 0 ? 1 : 0;
}
