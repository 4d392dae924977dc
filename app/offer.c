/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is to complete a line with: targets, devices, ports, files. */
#include <dirent.h>
#include <net/if.h>
#include <string.h>

#include <rte_ethdev.h>

#include "app.h"

static void
offer_devices(struct app *app, pg_offer_fn fn, void *ctx)
{
	const struct pg_device *device;
	char help[PG_PORT_NAME_MAX + 40];

	TAILQ_FOREACH(device, pg_engine_devices(app->engine), in_engine)
	{
		snprintf(help, sizeof(help), "device of kpktgend_%u", device->thread->lcore);
		fn(ctx, device->name, help);
	}
}

static void
offer_threads(struct app *app, pg_offer_fn fn, void *ctx)
{
	struct pg_thread *thread = NULL;
	char name[32], help[40];

	while ((thread = pg_engine_next_thread(app->engine, thread)) != NULL) {
		snprintf(name, sizeof(name), "kpktgend_%u", thread->lcore);
		snprintf(help, sizeof(help), "thread on lcore %u", thread->lcore);
		fn(ctx, name, help);
	}
}

static void
offer_targets(struct app *app, pg_offer_fn fn, void *ctx)
{
	fn(ctx, "pgctrl", "all threads");
	offer_threads(app, fn, ctx);
	offer_devices(app, fn, ctx);
}

static void
offer_ethdevs(pg_offer_fn fn, void *ctx)
{
	char name[RTE_ETH_NAME_MAX_LEN];
	struct rte_eth_dev_info info;
	uint16_t id;

	RTE_ETH_FOREACH_DEV (id) {
		if (rte_eth_dev_get_name_by_port(id, name) == 0 &&
			rte_eth_dev_info_get(id, &info) == 0)
			fn(ctx, name, info.driver_name);
	}
}

static void
offer_ports(pg_offer_fn fn, void *ctx)
{
	struct if_nameindex *all = if_nameindex();
	uint16_t id;

	offer_ethdevs(fn, ctx);
	if (rte_eth_dev_get_port_by_name("net_null0", &id) < 0)
		fn(ctx, "net_null0", "a port that discards its packets");
	for (struct if_nameindex *i = all; i != NULL && i->if_name != NULL; i++)
		fn(ctx, i->if_name, "kernel interface");
	if (all != NULL)
		if_freenameindex(all);
}

static void
offer_files(const char *prefix, pg_offer_fn fn, void *ctx)
{
	const char *slash = strrchr(prefix, '/'), *base = slash != NULL ? slash + 1 : prefix;
	char path[PG_TEXT_MAX], name[PG_TEXT_MAX];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%.*s", (int)(base - prefix), prefix);
	dir = opendir(path[0] != '\0' ? path : ".");
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		bool folder = entry->d_type == DT_DIR;

		if (entry->d_name[0] == '.' && base[0] != '.')
			continue;
		if (snprintf(name, sizeof(name), "%s%s%s", path, entry->d_name, folder ? "/" : "") <
			(int)sizeof(name))
			fn(ctx, name, NULL);
	}
	if (dir != NULL)
		closedir(dir);
}

static void
offer_user_nodes(pg_offer_fn fn, void *ctx)
{
	const char *word;

	for (unsigned int i = 0; (word = pg_rx_user_word(i)) != NULL; i++)
		fn(ctx, word, "a node of a shared object's");
}

void
app_offer(void *arg, enum pg_complete what, const char *prefix, pg_offer_fn fn, void *ctx)
{
	struct app *app = arg;

	switch (what) {
	case PG_COMPLETE_TARGETS:
		offer_targets(app, fn, ctx);
		break;
	case PG_COMPLETE_DEVICES:
		offer_devices(app, fn, ctx);
		break;
	case PG_COMPLETE_THREADS:
		offer_threads(app, fn, ctx);
		break;
	case PG_COMPLETE_PORTS:
		offer_ports(fn, ctx);
		break;
	case PG_COMPLETE_ETHDEVS:
		offer_ethdevs(fn, ctx);
		break;
	case PG_COMPLETE_FILES:
		offer_files(prefix, fn, ctx);
		break;
	case PG_COMPLETE_USER_NODES:
		offer_user_nodes(fn, ctx);
		break;
	default:
		break;
	}
}
