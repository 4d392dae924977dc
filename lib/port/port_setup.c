/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "pg_units.h"
#include "port_priv.h"

#define L2_MAX (RTE_ETHER_HDR_LEN + 2 * sizeof(struct rte_vlan_hdr))

#define RX_DESCRIPTORS 512
#define RX_CACHE       256
#define VECTOR_LEAST   4 // vector receive functions of drivers take no fewer
#define TX_DESCRIPTORS 1024

// The ethdev's MTU says nothing about net_af_packet: the interface and the slots limit it.
static void
describe_limits(
	struct pg_port *port, const struct port_traits *traits, const struct rte_eth_dev_info *info)
{
	const struct rte_devargs *devargs = rte_dev_devargs(info->device);
	uint16_t mtu = 0;

	(void)rte_eth_dev_get_mtu(port->id, &mtu);
	port->mtu = mtu;
	if (info->if_index != 0 && if_indextoname(info->if_index, port->interface) != NULL) {
		uint32_t kernel = port_kernel_mtu(port->interface);

		port_kernel_addresses(port->interface, &port->ip4, &port->ip6);
		if (traits->fixed_mtu && kernel != 0)
			port->mtu = kernel;
	}
	port->frame_max =
		RTE_ETHER_HDR_LEN +
		(traits->fixed_mtu ? port->mtu : RTE_MAX(port->mtu, (uint32_t)info->max_mtu));
	if (traits->slots)
		port->frame_max = RTE_MIN(port->frame_max,
			port_af_packet_frame_max(devargs != NULL ? devargs->args : NULL));
}

int
port_describe(struct pg_port *port, struct pg_error *err)
{
	const struct port_traits *traits;
	struct rte_eth_dev_info info;
	struct rte_eth_link link;
	int rc = rte_eth_dev_info_get(port->id, &info);

	if (rc == 0)
		rc = rte_eth_macaddr_get(port->id, &port->mac);
	if (rc == 0)
		rc = rte_eth_dev_get_name_by_port(port->id, port->ethdev);
	if (rc < 0)
		return pg_error_set(err, PG_FAULT_ENV, -rc, "%s does not answer: %s", port->name,
			rte_strerror(-rc));
	traits = port_traits_find(info.driver_name);
	snprintf(port->driver, sizeof(port->driver), "%s", info.driver_name);
	port->keeps_packets = traits->keeps_packets;
	describe_limits(port, traits, &info);
	port->max_txqs = info.max_tx_queues;
	port->max_rxqs = info.max_rx_queues;
	port->rx_least = traits->driver != NULL ? 1 : VECTOR_LEAST;
	port->loops = traits->loops;
	port->can_offload = info.tx_offload_capa & (PG_PORT_SEGMENTS | PG_PORT_FAST_FREE);
	port->can_segments = traits->takes_chains || (port->can_offload & PG_PORT_SEGMENTS) != 0;
	port->socket = rte_eth_dev_socket_id(port->id);
	if (rte_eth_link_get_nowait(port->id, &link) == 0) {
		port->link_up = link.link_status == RTE_ETH_LINK_UP;
		if (link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
			port->speed_mbps = link.link_speed;
	}
	return 0;
}

void
pg_port_stop(struct pg_port *port)
{
	if (port->ntxqs == 0)
		return;
	(void)rte_eth_dev_stop(port->id);
	port->ntxqs = 0;
}

// For queues that a driver insists on, or a capture, and nobody polls; or for those that devices
// receive from, with room for a frame of the port.
static struct rte_mempool *
rx_pool(const struct pg_port *port, uint16_t nrxqs)
{
	uint32_t room = RTE_PKTMBUF_HEADROOM + RTE_ALIGN_CEIL(port->mtu + L2_MAX, 64);
	uint32_t n = 2 * RX_DESCRIPTORS * nrxqs;
	bool polled = port->want_rxqs > 0;
	char name[RTE_MEMPOOL_NAMESIZE];
	struct rte_mempool *pool;

	if (polled)
		n += port->want_rx_buffers;
	if (!polled || room < RTE_MBUF_DEFAULT_BUF_SIZE)
		room = RTE_MBUF_DEFAULT_BUF_SIZE;
	room = RTE_MIN(room, (uint32_t)UINT16_MAX);
	n = rte_align32pow2(n) - 1;
	snprintf(name, sizeof(name), "pg_rx_%u_%u_%u", port->id, n, room);
	pool = rte_mempool_lookup(name);
	if (pool == NULL)
		pool = rte_pktmbuf_pool_create(
			name, n, polled ? RX_CACHE : 0, 0, (uint16_t)room, port->socket);
	return pool;
}

// Several queues that are received from share what comes by flow, if the driver can.
static void
spread(const struct pg_port *port, struct rte_eth_conf *conf)
{
	struct rte_eth_dev_info info;

	if (port->want_rxqs < 2 || rte_eth_dev_info_get(port->id, &info) < 0 ||
		info.flow_type_rss_offloads == 0)
		return;
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf =
		info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
}

static int
setup_queues(struct pg_port *port, uint16_t nrxqs, uint16_t ntxqs)
{
	struct rte_eth_conf conf = {.txmode = {.mq_mode = RTE_ETH_MQ_TX_NONE,
					    .offloads = port->want_offload & port->can_offload}};
	uint16_t nrxds = RX_DESCRIPTORS, ntxds = TX_DESCRIPTORS;
	struct rte_mempool *pool;
	int rc;

	spread(port, &conf);
	rc = rte_eth_dev_configure(port->id, nrxqs, ntxqs, &conf);
	if (rc < 0)
		return rc;
	rc = rte_eth_dev_adjust_nb_rx_tx_desc(port->id, &nrxds, &ntxds);
	port->ntxds = ntxds;
	for (uint16_t q = 0; rc == 0 && q < ntxqs; q++)
		rc = rte_eth_tx_queue_setup(port->id, q, ntxds, port->socket, NULL);
	port->rx_pool = NULL;
	if (rc < 0 || nrxqs == 0)
		return rc;
	pool = rx_pool(port, nrxqs);
	if (pool == NULL)
		return -rte_errno;
	if (port->want_rxqs > 0)
		port->rx_pool = pool;
	for (uint16_t q = 0; rc == 0 && q < nrxqs; q++)
		rc = rte_eth_rx_queue_setup(port->id, q, nrxds, port->socket, NULL, pool);
	return rc;
}

static int
grow_mtu(struct pg_port *port, uint32_t frame_bytes, struct pg_error *err)
{
	uint32_t mtu = frame_bytes - RTE_MIN(frame_bytes, (uint32_t)RTE_ETHER_HDR_LEN);
	int rc;

	if (mtu <= port->mtu)
		return 0;
	rc = rte_eth_dev_set_mtu(port->id, mtu);
	// A driver without this call has no limit of its own (net_pcap, net_ring).
	if (rc < 0 && rc != -ENOTSUP)
		return pg_error_set(err, PG_FAULT_ENV, -rc, "%s refuses an MTU of %u: %s",
			port->name, mtu, rte_strerror(-rc));
	port->mtu = mtu;
	return 0;
}

static bool captured;

void
pg_ports_set_captured(bool value)
{
	captured = value;
}

static uint16_t
receive_queues(const struct pg_port *port, const struct port_traits *traits, uint16_t ntxqs)
{
	struct rte_eth_dev_info info;

	if (traits->rx_like_tx)
		return ntxqs;
	if (port->want_rxqs > 0)
		return port->want_rxqs;
	if (traits->needs_rx)
		return 1;
	return captured && rte_eth_dev_info_get(port->id, &info) == 0 && info.max_rx_queues > 0;
}

// A restart would make net_pcap begin its file again. That it can send chains does not disturb;
// freeing without looking would.
static bool
set_up_for(const struct pg_port *port, uint32_t ntxqs)
{
	uint64_t want = port->want_offload & port->can_offload;

	if (port->want_rxqs > 0 && (port->rx_pool == NULL || port->nrxqs < port->want_rxqs ||
					   port->rx_buffers < port->want_rx_buffers))
		return false;
	return port->ntxqs == ntxqs && (want & ~port->offload) == 0 &&
	       (port->offload & ~want & PG_PORT_FAST_FREE) == 0;
}

int
pg_port_setup(struct pg_port *port, uint32_t ntxqs, uint32_t frame_bytes, struct pg_error *err)
{
	const struct port_traits *traits = port_traits_find(port->driver);
	uint16_t nrxqs;
	int rc;

	if (port->want_rxqs > port->max_rxqs) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"%s has %u receive queue%s, but %u devices receive from it", port->name,
			port->max_rxqs, port->max_rxqs == 1 ? "" : "s", port->want_rxqs);
		return pg_error_expect(err, "one queue for each");
	}
	if (port->want_rxqs > 0) // a driver may want one of each kind
		ntxqs = RTE_MAX(ntxqs, traits->rx_like_tx ? port->want_rxqs : 1u);
	nrxqs = receive_queues(port, traits, ntxqs);
	if (ntxqs > port->max_txqs) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL,
			"%s has %u transmit queue%s, but its threads need %u", port->name,
			port->max_txqs, port->max_txqs == 1 ? "" : "s", ntxqs);
		return pg_error_expect(err, "one queue for each thread that sends on it, or one "
					    "for each of its queue map");
	}
	if (set_up_for(port, ntxqs) &&
		(traits->any_frame || frame_bytes <= port->mtu + RTE_ETHER_HDR_LEN))
		return 0;
	pg_port_stop(port);
	rc = setup_queues(port, nrxqs, ntxqs);
	if (rc == 0 && !traits->fixed_mtu) { // configuring sets it back
		uint16_t mtu;

		if (rte_eth_dev_get_mtu(port->id, &mtu) == 0)
			port->mtu = mtu;
	}
	if (rc == 0 && !traits->fixed_mtu && grow_mtu(port, frame_bytes, err) < 0)
		return -err->code;
	if (rc == 0)
		rc = rte_eth_dev_start(port->id);
	if (rc < 0)
		return pg_error_set(err, PG_FAULT_ENV, -rc,
			"%s cannot be started with %u transmit queues: %s", port->name, ntxqs,
			rte_strerror(-rc));
	port->ntxqs = ntxqs;
	port->nrxqs = nrxqs;
	port->rx_buffers = port->want_rx_buffers;
	port->offload = port->want_offload & port->can_offload;
	return 0;
}

bool
pg_port_gone(const struct pg_port *port)
{
	if (port->interface[0] != '\0' && if_nametoindex(port->interface) == 0)
		return true;
	return rte_eth_dev_is_removed(port->id) == 1;
}

bool
pg_port_link_wait(struct pg_port *port, unsigned int timeout_ms)
{
	struct rte_eth_link link;

	const struct port_traits *traits = port_traits_find(port->driver);

	for (unsigned int waited = 0;; waited += 10) {
		if (rte_eth_link_get_nowait(port->id, &link) < 0)
			return true; // a driver that cannot tell is taken to be up
		port->link_up = link.link_status == RTE_ETH_LINK_UP;
		// net_af_packet says "up" whatever the interface is.
		if (traits->slots && port->interface[0] != '\0')
			port->link_up = port_kernel_carrier(port->interface);
		if (port->link_up || waited >= timeout_ms)
			return port->link_up;
		rte_delay_us_sleep(10 * PG_NS_PER_US);
	}
}

void
pg_port_counters_read(const struct pg_port *port, struct pg_port_counters *counters)
{
	struct rte_eth_stats stats;

	*counters =
		(struct pg_port_counters){PG_COUNTER_ABSENT, PG_COUNTER_ABSENT, PG_COUNTER_ABSENT,
			PG_COUNTER_ABSENT, PG_COUNTER_ABSENT, PG_COUNTER_ABSENT, PG_COUNTER_ABSENT};
	if (rte_eth_stats_get(port->id, &stats) == 0) {
		counters->opackets = stats.opackets;
		counters->oerrors = stats.oerrors;
		counters->ipackets = stats.ipackets;
		counters->imissed = stats.imissed;
		counters->ierrors = stats.ierrors;
		counters->rx_nombuf = stats.rx_nombuf;
	}
	if (port->interface[0] != '\0')
		counters->kernel_tx = port_kernel_packets(
			port->interface, port_traits_find(port->driver)->kernel_receives);
}
