/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of pg_bare, one function per mode; nothing is tested per packet. */
#include <stdbool.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_net.h>

#include "bare.h"

enum {
	SEQ_OFFSET = 46,     // pktgen's header: magic at 42, sequence number at 46
	RETRY_MAX = 1 << 24, // calls in a row that send nothing before giving up
};

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
send_rest(const struct bare_queue *b, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t sent = 0;
	unsigned int idle = 0;

	while (sent < n && idle < RETRY_MAX) {
		uint16_t k = rte_eth_tx_burst(b->port, b->queue, pkts + sent, n - sent);

		sent += k;
		idle = k > 0 ? 0 : idle + 1;
	}
	if (sent < n)
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	return sent;
}

static inline bool
send_burst(const struct bare_queue *b, struct rte_mbuf **pkts, uint16_t n, uint64_t *done)
{
	uint16_t sent = rte_eth_tx_burst(b->port, b->queue, pkts, n);

	if (unlikely(sent < n))
		sent += send_rest(b, pkts + sent, n - sent);
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

/** What a loop does to each packet. */
enum touch { TOUCH_LENGTHS, TOUCH_SEQUENCE, TOUCH_OFFLOAD };

// What Intel's drivers do in rte_eth_tx_prepare() is what all of them can live with. A driver that
// never reads the mbuf's second line pays for that line too; net_null's reads it anyway.
static inline int
offload(struct rte_mbuf *m)
{
	const uint64_t flags =
		RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_UDP_CKSUM;

	m->ol_flags = flags;
	m->tx_offload = rte_mbuf_tx_offload(
		sizeof(struct rte_ether_hdr), sizeof(struct rte_ipv4_hdr), 0, 0, 0, 0, 0);
	return rte_net_intel_cksum_flags_prepare(m, flags);
}

// Each caller gives a constant: what it does not do is not in its code.
static __rte_always_inline uint64_t
loop(const struct bare_queue *b, enum touch touch)
{
	struct rte_mempool *const pool = b->pool;
	const uint64_t packets = b->packets;
	const uint16_t frame_bytes = b->frame_bytes;
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
			struct rte_mbuf *m = pkts[i];

			m->data_len = frame_bytes;
			m->pkt_len = frame_bytes;
			if (touch >= TOUCH_SEQUENCE) {
				const rte_be32_t be = rte_cpu_to_be_32(seq++);

				memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, SEQ_OFFSET), &be,
					sizeof(be));
			}
			if (touch == TOUCH_OFFLOAD && unlikely(offload(m) < 0))
				return done;
		}
		if (!send_burst(b, pkts, n, &done))
			break;
	}
	return done;
}

static uint64_t
loop_nowrite(const struct bare_queue *b)
{
	return loop(b, TOUCH_LENGTHS);
}

static uint64_t
loop_write4(const struct bare_queue *b)
{
	return loop(b, TOUCH_SEQUENCE);
}

static uint64_t
loop_offload(const struct bare_queue *b)
{
	return loop(b, TOUCH_OFFLOAD);
}

static uint64_t
loop_clone(const struct bare_queue *b)
{
	const uint64_t packets = b->packets;
	const uint16_t frame_bytes = b->frame_bytes;
	struct rte_mbuf *pkts[BURST_MAX];
	struct rte_mbuf *m = rte_pktmbuf_alloc(b->pool);
	uint16_t n = b->burst;
	uint64_t done = 0;

	if (m == NULL)
		return 0;
	m->data_len = frame_bytes;
	m->pkt_len = frame_bytes;
	for (uint16_t i = 0; i < n; i++)
		pkts[i] = m;
	while (done < packets) {
		if (unlikely(packets - done < n))
			n = packets - done;
		rte_mbuf_refcnt_update(m, n);
		if (!send_burst(b, pkts, n, &done))
			break;
	}
	rte_pktmbuf_free(m);
	return done;
}

bare_loop
bare_loop_find(const char *mode)
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

void
bare_pool_fill(struct rte_mempool *pool)
{
	// A fresh buffer's data_off is set, see rte_pktmbuf_init().
	rte_mempool_obj_iter(pool, fill_buffer, NULL);
}
