/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BARE_H
#define BARE_H

#include <stdint.h>

#include <rte_mempool.h>

enum {
	FRAME_BYTES = 60, /**< smallest Ethernet frame without its FCS */
	FRAME_MAX = 1514,
	BURST_MAX = 512,
};

/** What a lcore's loop sends, and where. const while it runs. */
struct bare_queue {
	uint64_t packets;
	uint16_t port, queue;
	uint16_t burst;
	uint16_t frame_bytes;
	struct rte_mempool *pool;
};

/** Send some packets; returns how many were sent, which is all of them unless the pool or the port
 *  stopped giving way. Context: the lcore that owns the queue. */
typedef uint64_t (*bare_loop)(const struct bare_queue *b);

/** nowrite, write4, offload or clone; NULL: none of them. */
bare_loop bare_loop_find(const char *mode);

/** Write the frame into every buffer of a pool. */
void bare_pool_fill(struct rte_mempool *pool);

#endif
