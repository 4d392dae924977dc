/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "pg_random.h"
#include "port_priv.h"

static const struct port_traits traits[] = {
	{.driver = "net_null", .keeps_packets = true, .takes_chains = true, .any_frame = true},
	{.driver = "net_tap", .rx_like_tx = true, .fixed_mtu = true, .kernel_receives = true},
	{.driver = "net_af_packet", .fixed_mtu = true, .slots = true, .foreign_mac = true},
	{.driver = "net_pcap", .any_frame = true},
	{.driver = "net_ring", .any_frame = true, .loops = true},
	{.driver = NULL, .needs_rx = true},
};

const struct port_traits *
port_traits_find(const char *driver)
{
	const struct port_traits *t = traits;

	while (t->driver != NULL && strcmp(t->driver, driver) != 0)
		t++;
	return t;
}

void
pg_port_mac_from_name(const char *name, struct rte_ether_addr *mac)
{
	uint64_t bits = pg_key_make(0, name, 0).wide;

	memcpy(mac->addr_bytes, &bits, sizeof(mac->addr_bytes));
	mac->addr_bytes[0] = 0x02; // IEEE 802: unicast, locally administered
}

static bool
is_number(const char *name)
{
	return name[0] != '\0' && strspn(name, "0123456789") == strlen(name);
}

static bool
is_virtual(const char *name)
{
	return strncmp(name, "net_", 4) == 0 || strncmp(name, "eth_", 4) == 0;
}

static int
unknown_device(const char *name, struct pg_error *err)
{
	pg_error_set(err, PG_FAULT_INPUT, ENODEV, "unknown device '%s'", name);
	return pg_error_expect(err, "an ethdev's name or number, a kernel interface, or a virtual "
				    "device such as net_null0");
}

// The ethdev that a name or number means now. -ENODEV: none.
static int
find_ethdev(const char *name, uint16_t *id)
{
	if (rte_eth_dev_get_port_by_name(name, id) == 0)
		return 0;
	if (!is_number(name) || strlen(name) > 4)
		return -ENODEV;
	*id = (uint16_t)atoi(name);
	return rte_eth_dev_is_valid_port(*id) ? 0 : -ENODEV;
}

static int
ethdev_probe(void *ctx, const char *name, struct pg_error *err)
{
	uint16_t id;

	(void)ctx;
	// A number, or a PCI address with its ':', may be what a line before attaches.
	if (find_ethdev(name, &id) == 0 || is_number(name) || is_virtual(name) ||
		strchr(name, ':') != NULL || if_nametoindex(name) != 0)
		return 0;
	return unknown_device(name, err);
}

// Give a virtual device a MAC that is the same in every run, where its driver lets us.
static void
set_mac(uint16_t id, const char *name)
{
	struct rte_eth_dev_info info;
	struct rte_ether_addr mac;

	if (rte_eth_dev_info_get(id, &info) < 0 || port_traits_find(info.driver_name)->foreign_mac)
		return;
	pg_port_mac_from_name(name, &mac);
	(void)rte_eth_dev_default_mac_addr_set(id, &mac);
}

static int
attach(const char *name, const char *args, struct pg_error *err)
{
	uint16_t id;
	int rc = rte_eal_hotplug_add("vdev", name, args);

	if (rc == 0 && rte_eth_dev_get_port_by_name(name, &id) == 0) {
		if (strstr(args, "mac=") == NULL)
			set_mac(id, name);
		return 0;
	}
	if (rc == 0) {
		rte_eal_hotplug_remove("vdev", name);
		rc = -ENODEV;
	}
	if (rc == -EFAULT) // the bus has no driver for such a name
		return unknown_device(name, err);
	if (rte_eth_dev_count_total() >= RTE_MAX_ETHPORTS) {
		pg_error_set(err, PG_FAULT_ENV, ENOSPC,
			"cannot attach %s: there are %u ports, and this DPDK takes no more", name,
			rte_eth_dev_count_total());
		return pg_error_remedy(err, "remove a device or detach a port before");
	}
	// Drivers return -1, which reads as EPERM, for whatever they do not like.
	pg_error_set(err, PG_FAULT_ENV, -rc, "cannot attach %s: %s", name,
		rc == -EPERM ? "its driver refused" : rte_strerror(-rc));
	if (geteuid() != 0)
		return pg_error_remedy(err, "it needs root or CAP_NET_RAW and CAP_NET_ADMIN");
	return pg_error_remedy(err,
		"some devices need root, others arguments: `pgctrl attach %s,...` in a line before",
		name);
}

static int
open_new(struct pg_port *port, struct pg_error *err)
{
	char args[256] = "";
	int rc;

	if (if_nametoindex(port->name) != 0) {
		rc = port_af_packet_args(port->name, args, sizeof(args), err);
		if (rc < 0)
			return rc;
		snprintf(port->ethdev, sizeof(port->ethdev), "net_af_packet_%.15s", port->name);
	} else if (is_virtual(port->name)) {
		snprintf(port->ethdev, sizeof(port->ethdev), "%s", port->name);
	} else {
		return unknown_device(port->name, err);
	}
	rc = attach(port->ethdev, args, err);
	if (rc == 0)
		rc = rte_eth_dev_get_port_by_name(port->ethdev, &port->id);
	port->attached = rc == 0;
	return rc;
}

static int
ethdev_open(void *ctx, struct pg_port *port, struct pg_error *err)
{
	int rc = find_ethdev(port->name, &port->id);

	(void)ctx;
	if (rc < 0)
		rc = open_new(port, err);
	if (rc == 0)
		rc = port_describe(port, err);
	if (rc < 0 && port->attached)
		(void)rte_eal_hotplug_remove("vdev", port->ethdev);
	return rc;
}

static void
ethdev_close(void *ctx, struct pg_port *port)
{
	(void)ctx;
	pg_port_stop(port);
	if (port->attached)
		(void)rte_eal_hotplug_remove("vdev", port->ethdev);
}

static int
ethdev_up(void *ctx, const struct pg_port *port, struct pg_error *err)
{
	(void)ctx;
	return port->interface[0] != '\0' ? port_kernel_up(port->interface, err) : 0;
}

const struct pg_port_ops pg_port_ethdev = {
	.probe = ethdev_probe,
	.open = ethdev_open,
	.close = ethdev_close,
	.up = ethdev_up,
};

int
pg_port_attach(const char *devargs, struct pg_error *err)
{
	char name[PG_PORT_NAME_MAX];
	size_t length = strcspn(devargs, ",");
	uint16_t id;

	if (length >= sizeof(name))
		return pg_error_set(err, PG_FAULT_INPUT, E2BIG, "the device's name is too long");
	snprintf(name, sizeof(name), "%.*s", (int)length, devargs);
	if (rte_eth_dev_get_port_by_name(name, &id) == 0)
		return pg_error_set(err, PG_FAULT_INPUT, EEXIST, "%s is attached already", name);
	if (is_virtual(name))
		return attach(name, devargs[length] == ',' ? devargs + length + 1 : "", err);
	if (rte_dev_probe(devargs) < 0 || rte_eth_dev_get_port_by_name(name, &id) < 0) {
		pg_error_set(err, PG_FAULT_ENV, ENODEV, "cannot attach %s", name);
		return pg_error_remedy(err, "EAL's messages above say why");
	}
	return 0;
}

int
pg_port_check_vdevs(int argc, char **argv, struct pg_error *err)
{
	for (int i = 0; i < argc; i++) {
		const char *value = NULL;
		char name[PG_PORT_NAME_MAX];
		uint16_t id;

		if (strncmp(argv[i], "--vdev=", 7) == 0)
			value = argv[i] + 7;
		else if (strcmp(argv[i], "--vdev") == 0 && i + 1 < argc)
			value = argv[i + 1];
		// net_ring's nodeaction makes ports of other names.
		if (value == NULL || !is_virtual(value) || strstr(value, "nodeaction") != NULL)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, ","), value);
		if (rte_eth_dev_get_port_by_name(name, &id) == 0)
			continue;
		pg_error_set(err, PG_FAULT_ENV, ENODEV, "--vdev %s gave no device", name);
		return pg_error_remedy(err, "EAL's messages above say why; check its arguments");
	}
	return 0;
}
