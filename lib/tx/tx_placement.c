/* SPDX-License-Identifier: BSD-3-Clause */
/* Where memory really is, as the kernel says: EAL knows only what it asked for, and on ordinary
 * pages not even that. */
#include <numa.h>
#include <unistd.h>

#include <rte_lcore.h>

#include "tx_priv.h"

#define PAGES_MAX 128 // asked for in one call

static int
merge(int so_far, int node)
{
	return so_far == PG_NODE_UNKNOWN || so_far == node ? node : PG_NODE_SEVERAL;
}

// Where the kernel does not say, EAL's word counts for hugepages, which it binds.
static int
node_told_by_eal(const struct rte_memseg_list *list)
{
	if (numa_available() < 0 || numa_num_configured_nodes() == 1)
		return 0;
	return list != NULL && rte_eal_has_hugepages() ? list->socket_id : PG_NODE_UNKNOWN;
}

static void
note_pages(char *addr, const char *end, size_t page, int *node)
{
	void *at[PAGES_MAX];
	int status[PAGES_MAX];

	while (addr < end && *node != PG_NODE_SEVERAL) {
		unsigned long n = 0;

		for (; n < PAGES_MAX && addr < end; addr += page)
			at[n++] = addr;
		if (numa_move_pages(0, n, at, NULL, status, 0) != 0)
			return;
		for (unsigned long i = 0; i < n; i++) {
			if (status[i] >= 0) // else it has not been touched
				*node = merge(*node, status[i]);
		}
	}
}

static void
note_chunk(
	struct rte_mempool *pool, void *arg, struct rte_mempool_memhdr *chunk, unsigned int index)
{
	const struct rte_memseg_list *list = rte_mem_virt2memseg_list(chunk->addr);
	size_t page = list != NULL ? list->page_sz : (size_t)sysconf(_SC_PAGESIZE);
	struct pg_placement *out = arg;
	int node = PG_NODE_UNKNOWN;

	(void)pool;
	if (numa_available() >= 0)
		note_pages(RTE_PTR_ALIGN_FLOOR(chunk->addr, page), (char *)chunk->addr + chunk->len,
			page, &node);
	if (node == PG_NODE_UNKNOWN)
		node = node_told_by_eal(list);
	out->pool = index == 0 ? node : merge(out->pool, node);
	out->page_bytes = index == 0 || out->page_bytes == page ? page : 0;
}

void
tx_placement_of_pool(struct rte_mempool *pool, struct pg_placement *out)
{
	out->pool = PG_NODE_UNKNOWN;
	out->page_bytes = 0;
	rte_mempool_mem_iter(pool, note_chunk, out);
}

void
tx_placement(const struct pg_device *device, const struct tx_queue *queue, struct pg_placement *out)
{
	const struct pg_device_settings *set = &device->settings;

	*out = queue->placement;
	out->buffers = queue->buffers;
	out->lcore = (int)rte_lcore_to_socket_id(device->thread->lcore);
	out->port = device->port->socket;
	out->port_used = queue->port != NULL;
	out->fast_free = queue->port != NULL && (queue->port->offload & PG_PORT_FAST_FREE) != 0;
	out->asked = (set->tmpl.flags & PG_FLAG_NODE) ? set->node : PG_NODE_UNKNOWN;
}

bool
pg_placement_remote(const struct pg_placement *p, int node)
{
	return node >= 0 && p->pool != PG_NODE_UNKNOWN && p->pool != node;
}
