/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's interfaces as ports of the test. */
#include "support_replay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "support.h"

#define MAC(last)                           \
	{                                   \
		{                           \
			2, 0, 0, 0, 0, last \
		}                           \
	}

// clang-format off
static struct guest_port ports[] = {
	// name, MAC, peer, shares packets, not Ethernet, queues, exists, down, addresses, longest frame
	{"lo", {{0}}, NULL, false, false, 1, true, false, 0, {{0}}, 0},
	{"dummy0", MAC(3), NULL, true, false, 1, true, false, 0, {{0}}, 0},
	{"veth0", MAC(1), "veth1", false, false, 4, true, false, 0, {{0}}, 0},
	{"veth1", MAC(2), "veth0", false, false, 4, true, false, 0, {{0}}, 0},
	{"eth0", MAC(5), NULL, true, false, 1, true, false, 0, {{0}}, 0},
	{"eth1", MAC(6), NULL, true, false, 1, true, false, 0, {{0}}, 0},
	// Those that steps add.
	{"nd1", MAC(0), NULL, true, false, 1, false, true, 0, {{0}}, 0},
	{"nd3", MAC(0), NULL, true, false, 1, false, true, 0, {{0}}, 0},
	{"tun0", MAC(0), NULL, false, true, 1, false, true, 0, {{0}}, 0},
	{"vv0", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"bond9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"br9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"vl9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"mv9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"ifb9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"vx9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"ipv9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"team9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
	{"tap9", MAC(0), NULL, false, false, 1, false, true, 0, {{0}}, 0},
};
// clang-format on

#define VETH_QUEUES 4
#define VETH_MTU    9500  // beyond, its peer drops
#define LONGEST     65549 // the others take what IPv4 can be
#define AT_FIRST    6     // of ports[]: there from the boot on

struct guest_port *
guest_find(const char *name)
{
	for (size_t i = 0; i < DIM(ports); i++) {
		if (strcmp(ports[i].name, name) == 0)
			return &ports[i];
	}
	return NULL;
}

// Its ring is drained, so that packets go somewhere. It takes them more slowly than net_null, but
// it has a link to lose.
static struct rte_ring *veth_ring[VETH_QUEUES];
static pthread_t drainer;
static bool links;    // veth0 has one that can be lost
static bool draining; // atomic: buffers are on their way back
static bool drained;  // atomic: no more

static void *
drain(void *arg)
{
	void *pkts[256];

	(void)arg;
	while (!__atomic_load_n(&drained, __ATOMIC_RELAXED)) {
		unsigned int n = 0;

		__atomic_store_n(&draining, true, __ATOMIC_SEQ_CST);
		for (unsigned int q = 0; q < VETH_QUEUES; q++) {
			unsigned int got =
				rte_ring_dequeue_burst(veth_ring[q], pkts, DIM(pkts), NULL);

			rte_pktmbuf_free_bulk((struct rte_mbuf **)pkts, got);
			n += got;
		}
		__atomic_store_n(&draining, false, __ATOMIC_SEQ_CST);
		if (n == 0)
			usleep(50);
	}
	return NULL;
}

void
guest_links(bool on)
{
	links = on;
}

void
guest_settle(void)
{
	bool left = true;

	while (left) {
		left = __atomic_load_n(&draining, __ATOMIC_SEQ_CST);
		for (unsigned int q = 0; q < VETH_QUEUES; q++)
			left |= !rte_ring_empty(veth_ring[q]);
	}
}

void
guest_init(void)
{
	char name[PG_PORT_NAME_MAX];

	for (size_t i = 0; i < DIM(ports); i++) {
		snprintf(name, sizeof(name), "net_null_%.15s", ports[i].name);
		CHECK(rte_eal_hotplug_add("vdev", name, "") == 0, "no %s", name);
	}
	CHECK(rte_eal_hotplug_add("vdev", "net_ring_veth0", "") == 0, "no net_ring");
	for (unsigned int q = 0; q < VETH_QUEUES; q++) { // the names that net_ring gives them
		snprintf(name, sizeof(name), "ETH_RXTX%u_net_ring_veth0", q);
		veth_ring[q] = rte_ring_lookup(name);
		CHECK(veth_ring[q] != NULL, "no ring %s", name);
	}
	assert_int_equal(pthread_create(&drainer, NULL, drain, NULL), 0);
}

void
guest_fini(void)
{
	__atomic_store_n(&drained, true, __ATOMIC_RELAXED);
	pthread_join(drainer, NULL);
}

// What `ip link set` does to those who watch the link.
static void
show_link(const struct guest_port *guest)
{
	const struct guest_port *peer = guest->peer != NULL ? guest_find(guest->peer) : NULL;
	uint16_t id;

	if (strcmp(guest->name, "veth0") != 0 ||
		rte_eth_dev_get_port_by_name("net_ring_veth0", &id) < 0)
		return;
	if (guest->down || (peer != NULL && peer->down))
		(void)rte_eth_dev_set_link_down(id);
	else
		(void)rte_eth_dev_set_link_up(id);
}

void
guest_reset(void)
{
	for (size_t i = 0; i < DIM(ports); i++) {
		ports[i].exists = i < AT_FIRST;
		ports[i].down = i >= AT_FIRST;
		ports[i].ip4 = i == 0 ? RTE_IPV4(127, 0, 0, 1) : 0;
		ports[i].frame_max = ports[i].peer != NULL ? VETH_MTU + RTE_ETHER_HDR_LEN : LONGEST;
		memset(&ports[i].ip6, 0, sizeof(ports[i].ip6));
	}
}

static int
port_probe(void *ctx, const char *name, struct pg_error *err)
{
	const struct guest_port *guest = guest_find(name);

	(void)ctx;
	if (guest == NULL || !guest->exists)
		return pg_error_set(err, PG_FAULT_INPUT, ENODEV, "unknown device '%s'", name);
	return 0;
}

static int
port_up(void *ctx, const struct pg_port *port, struct pg_error *err)
{
	(void)ctx;
	return guest_find(port->name)->down
		       ? pg_error_set(err, PG_FAULT_ENV, ENETDOWN, "%s is down", port->name)
		       : 0;
}

static int
port_open(void *ctx, struct pg_port *port, struct pg_error *err)
{
	const struct guest_port *guest = guest_find(port->name);
	int rc = port_probe(ctx, port->name, err);

	if (rc < 0)
		return rc;
	if (guest->foreign)
		return pg_error_set(err, PG_FAULT_ENV, EINVAL, "%s is not Ethernet", port->name);
	rc = port_up(ctx, port, err);
	if (rc < 0)
		return rc;
	snprintf(port->ethdev, sizeof(port->ethdev), "net_%s_%s",
		links && strcmp(guest->name, "veth0") == 0 ? "ring" : "null", guest->name);
	snprintf(port->driver, sizeof(port->driver), "%.8s", port->ethdev);
	rc = rte_eth_dev_get_port_by_name(port->ethdev, &port->id);
	CHECK(rc == 0, "no ethdev %s", port->ethdev);
	port->mac = guest->mac;
	port->ip4 = guest->ip4;
	port->ip6 = guest->ip6;
	port->mtu = guest->frame_max - RTE_ETHER_HDR_LEN;
	port->frame_max = guest->frame_max;
	port->max_txqs = guest->txqs;
	port->socket = SOCKET_ID_ANY;
	port->link_up = true;
	port->attached = true;
	port->keeps_packets = true;
	port->can_segments = true;
	return 0;
}

static void
port_close(void *ctx, struct pg_port *port)
{
	(void)ctx;
	pg_port_stop(port);
}

const struct pg_port_ops replay_ports = {port_probe, port_open, port_close, NULL, port_up};

// The MAC that an interface drew when it was made: as the record shows it further on.
static void
draw_mac(struct replay *replay, struct guest_port *guest)
{
	for (size_t i = replay->at; i < replay->at + 20; i++) {
		const json_t *step = json_array_get(replay->steps, i);
		const char *text = replay_text(step, "text"), *file = replay_text(step, "file");
		const char *found = text != NULL ? strstr(text, "src_mac: ") : NULL;

		// Until the interface is renamed its files begin with its name.
		if (found == NULL || strncmp(file, guest->name, 2) != 0)
			continue;
		CHECK(rte_ether_unformat_addr(
			      (char[]){found[9], found[10], ':', found[12], found[13], ':',
				      found[15], found[16], ':', found[18], found[19], ':',
				      found[21], found[22], ':', found[24], found[25], '\0'},
			      &guest->mac) == 0,
			"%s", found);
		return;
	}
}

// A port is what its interface was when it was opened.
static void
refresh(struct replay *replay, const struct guest_port *guest)
{
	struct pg_port *port = pg_ports_find(pg_engine_ports(replay->app.engine), guest->name);

	if (port != NULL) {
		port->ip4 = guest->ip4;
		port->ip6 = guest->ip6;
		port->frame_max = guest->frame_max;
	}
	show_link(guest);
	if (guest->peer != NULL)
		show_link(guest_find(guest->peer));
}

// The kernel takes the devices of an interface that goes with it. pmdgen has no command for that:
// the threads are filled anew with what stays.
static void
unregister(struct replay *replay, struct guest_port *guest)
{
	struct pg_thread *thread = NULL;
	struct pg_error err = {0};

	guest->exists = false;
	guest->down = true;
	pg_engine_lock(replay->app.engine);
	while ((thread = pg_engine_next_thread(replay->app.engine, thread)) != NULL) {
		char names[8][PG_DEVICE_NAME_MAX];
		const struct pg_device *device;
		unsigned int n = 0;

		TAILQ_FOREACH(device, &thread->devices, in_thread)
		{
			if (strcmp(device->port->name, guest->name) != 0 && n < DIM(names))
				snprintf(names[n++], sizeof(names[0]), "%s", device->name);
		}
		pg_thread_clear(thread);
		while (n > 0)
			CHECK(pg_device_add(thread, names[--n], &err) == 0, "%s", err.text);
	}
	pg_engine_unlock(replay->app.engine);
}

static bool
one_command(struct replay *replay, const char *command)
{
	struct guest_port *guest;
	char name[32], word[32], addr[32];
	unsigned int mtu;

	if (sscanf(command, " /sbin/ip link set %31s mtu %u", name, &mtu) == 2 &&
		(guest = guest_find(name)) != NULL && guest->peer != NULL) {
		guest = guest_find(guest->peer); // what is longer is dropped behind it
		guest->frame_max = mtu + RTE_ETHER_HDR_LEN;
	} else if (sscanf(command, " /sbin/ip link set %31s %31[a-z]", name, word) == 2 &&
		   (guest = guest_find(name)) != NULL && word[0] != 'n') {
		guest->down = strcmp(word, "down") == 0 ? true
			      : strcmp(word, "up") == 0 ? false
							: guest->down;
	} else if ((sscanf(command, " /sbin/ip link add link %*s name %31s", name) == 1 ||
			   sscanf(command, " /sbin/ip tuntap add dev %31s", name) == 1 ||
			   sscanf(command, " /sbin/ip link add %31s", name) == 1) &&
		   (guest = guest_find(name)) != NULL) {
		guest->exists = true;
		draw_mac(replay, guest);
	} else if ((sscanf(command, " /sbin/ip link del %31s", name) == 1 ||
			   sscanf(command, " timeout %*d /sbin/ip link del %31s", name) == 1) &&
		   (guest = guest_find(name)) != NULL) {
		unregister(replay, guest);
		return true;
	} else if (sscanf(command, " /sbin/ip addr add %31[0-9.]/%*d dev %31s", addr, name) == 2 &&
		   (guest = guest_find(name)) != NULL) {
		if (guest->ip4 == 0)
			guest->ip4 = ntohl(inet_addr(addr));
	} else if (sscanf(command, " /sbin/ip addr flush dev %31s", name) == 1 &&
		   (guest = guest_find(name)) != NULL) {
		guest->ip4 = 0;
	} else if (sscanf(command, " echo %31[01] > /proc/sys/net/ipv6/conf/%31[^/]/disable_ipv6",
			   word, name) == 2 &&
		   (guest = guest_find(name)) != NULL) {
		memset(&guest->ip6, 0, sizeof(guest->ip6));
		if (word[0] == '0') // RFC 4291, appendix A: from the MAC
			inet_pton(AF_INET6, "fe80::ff:fe00:1", guest->ip6.bytes);
	} else {
		return false;
	}
	refresh(replay, guest);
	return true;
}

bool
guest_shell(struct replay *replay, const char *shell)
{
	bool mattered = false;

	while (shell[0] != '\0') {
		size_t length = strcspn(shell, ";");
		char command[256];

		snprintf(command, sizeof(command), "%.*s", (int)length, shell);
		mattered |= one_command(replay, command);
		shell += length + (shell[length] == ';');
	}
	return mattered;
}
