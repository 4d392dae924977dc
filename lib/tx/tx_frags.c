/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments: segments behind a packet's first buffer, from a pool of the device's own. Their bytes
 * are zero from the pool's start on; a driver that hands packets on gets them zeroed each time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "tx_priv.h"

#define FRAGS_CACHE RTE_MEMPOOL_CACHE_MAX_SIZE

static bool
needs_segments(const struct pg_device *device)
{
	return device->settings.tmpl.frags > 0 &&
	       device->settings.xmit_mode != PG_XMIT_NETIF_RECEIVE;
}

int
tx_frags_check(const struct pg_device *device, struct pg_error *err)
{
	if (!needs_segments(device) || device->port->can_segments)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EOPNOTSUPP, "%s cannot send packets in fragments",
		device->port->name);
	return pg_error_expect(err, "frags 0, or a port whose driver takes segments");
}

static void
clear_buffer(struct rte_mempool *pool, void *bytes, void *mbuf, unsigned int index)
{
	(void)pool;
	(void)index;
	memset((uint8_t *)mbuf + sizeof(struct rte_mbuf), 0, *(const uint32_t *)bytes);
}

void
tx_frags_forget(struct pg_device *device)
{
	// Buffers may still lie in a ring that outlives the device: such a pool is left there.
	if (device->frag_pool != NULL && rte_mempool_full(device->frag_pool))
		rte_mempool_free(device->frag_pool);
	device->frag_pool = NULL;
}

// Fragments for every buffer of the queue's pool, and for those that wait in the task. Who had a
// buffer before may have written to it.
static int
make_pool(struct pg_device *device, uint32_t size, uint32_t bytes, struct pg_error *err)
{
	struct pg_engine *engine = device->thread->engine;
	char name[RTE_MEMPOOL_NAMESIZE];
	size_t need;

	if (device->frag_pool == NULL || device->frag_pool->size < size ||
		device->frag_bytes < bytes) {
		tx_frags_forget(device);
		snprintf(name, sizeof(name), "pg_frags_%u", engine->npools++);
		device->frag_pool = rte_pktmbuf_pool_create(name, size, FRAGS_CACHE, 0, bytes,
			(int)rte_lcore_to_socket_id(device->thread->lcore));
		device->frag_bytes = bytes;
	}
	if (device->frag_pool != NULL) {
		rte_mempool_obj_iter(device->frag_pool, clear_buffer, &device->frag_bytes);
		return 0;
	}
	need = rte_mempool_calc_obj_size(sizeof(struct rte_mbuf) + bytes, 0, NULL);
	pg_error_set(err, PG_FAULT_ENV, ENOMEM,
		"a pool of %u fragments of %u bytes needs %zu MB, which are not free", size, bytes,
		(need * size >> 20) + 1);
	return pg_error_remedy(err, "reserve more with --memory");
}

int
tx_frags_prepare(struct pg_task *task, struct pg_device *device, struct pg_error *err)
{
	const struct pg_prog *prog = task->prog;
	uint32_t most = task->burst * prog->frags;
	int rc;

	if (prog->frags == 0)
		return 0;
	rc = make_pool(device, task->pool->size * prog->frags + most + 2 * FRAGS_CACHE,
		pg_prog_frag_max(prog), err);
	if (rc < 0)
		return rc;
	task->frag_pool = device->frag_pool;
	task->state.frags = rte_zmalloc("pg_frags",
		sizeof(*task->state.frags) + most * sizeof(task->state.frags->seg[0]),
		RTE_CACHE_LINE_SIZE);
	return task->state.frags != NULL
		       ? 0
		       : pg_error_set(err, PG_FAULT_ENV, ENOMEM, "no memory for fragments");
}

void
tx_frags_release(struct pg_task *task)
{
	struct pg_frags *frags = task->state.frags;

	if (frags != NULL && frags->n > 0)
		rte_mempool_put_bulk(task->frag_pool, (void **)frags->seg, frags->n);
	rte_free(frags);
	task->state.frags = NULL;
}
