/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_lcore.h>

#include "port_priv.h"

#define AF_PACKET_FRAMES   512
#define AF_PACKET_OVERHEAD 128 // TPACKET2 header, address, alignment
#define AF_PACKET_BLOCK    4096
#define AF_PACKET_SLOT     2048 // the driver's default
#define AF_PACKET_QPAIRS   16u  // RTE_PMD_AF_PACKET_MAX_RINGS

static int
query(const char *interface, unsigned long request, struct ifreq *ifr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return -errno;
	memset(ifr, 0, sizeof(*ifr));
	snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", interface);
	rc = ioctl(fd, request, ifr) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

int
port_kernel_up(const char *interface, struct pg_error *err)
{
	struct ifreq ifr;

	if (query(interface, SIOCGIFFLAGS, &ifr) < 0 || ifr.ifr_flags & IFF_UP)
		return 0; // what cannot be asked says so where it is used
	pg_error_set(err, PG_FAULT_ENV, ENETDOWN, "interface %s is down", interface);
	return pg_error_remedy(err, "ip link set %s up", interface);
}

int
port_af_packet_args(const char *interface, char *out, size_t size, struct pg_error *err)
{
	struct ifreq ifr;
	uint32_t frame, block;
	int rc = port_kernel_up(interface, err);

	if (rc < 0)
		return rc;
	rc = query(interface, SIOCGIFHWADDR, &ifr);
	if (rc == 0 && ifr.ifr_hwaddr.sa_family != ARPHRD_ETHER &&
		ifr.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK)
		return pg_error_set(
			err, PG_FAULT_INPUT, EINVAL, "%s is not an Ethernet interface", interface);
	if (rc == 0)
		rc = query(interface, SIOCGIFMTU, &ifr);
	if (rc < 0)
		return pg_error_set(err, PG_FAULT_ENV, -rc, "cannot ask the kernel about %s: %s",
			interface, strerror(-rc));
	frame = rte_align32pow2(ifr.ifr_mtu + RTE_ETHER_HDR_LEN + AF_PACKET_OVERHEAD);
	frame = RTE_MAX(frame, (uint32_t)AF_PACKET_SLOT);
	block = RTE_MAX(frame, (uint32_t)AF_PACKET_BLOCK);
	snprintf(out, size, "iface=%s,qpairs=%u,framesz=%u,blocksz=%u,framecnt=%u,qdisc_bypass=1",
		interface, RTE_MIN(rte_lcore_count(), AF_PACKET_QPAIRS), frame, block,
		AF_PACKET_FRAMES);
	return 0;
}

// The first IPv4 address and the link-local IPv6 address, as pktgen takes them.
void
port_kernel_addresses(const char *interface, uint32_t *ip4, struct pg_ip6 *ip6)
{
	struct ifaddrs *list;

	*ip4 = 0;
	memset(ip6, 0, sizeof(*ip6));
	if (getifaddrs(&list) < 0)
		return;
	for (struct ifaddrs *a = list; a != NULL; a = a->ifa_next) {
		const struct sockaddr_in6 *in6 = (const void *)a->ifa_addr;

		if (a->ifa_addr == NULL || strcmp(a->ifa_name, interface) != 0)
			continue;
		if (a->ifa_addr->sa_family == AF_INET && *ip4 == 0)
			*ip4 = ntohl(((const struct sockaddr_in *)(const void *)a->ifa_addr)
					     ->sin_addr.s_addr);
		if (a->ifa_addr->sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
			memcpy(ip6, &in6->sin6_addr, sizeof(*ip6));
	}
	freeifaddrs(list);
}

bool
port_kernel_carrier(const char *interface)
{
	struct ifreq ifr;

	return query(interface, SIOCGIFFLAGS, &ifr) == 0 && (ifr.ifr_flags & IFF_UP) &&
	       (ifr.ifr_flags & IFF_RUNNING);
}

uint32_t
port_kernel_mtu(const char *interface)
{
	struct ifreq ifr;

	return query(interface, SIOCGIFMTU, &ifr) == 0 ? (uint32_t)ifr.ifr_mtu : 0;
}

uint32_t
port_af_packet_frame_max(const char *args)
{
	const char *given = args != NULL ? strstr(args, "framesz=") : NULL;
	unsigned int slot = AF_PACKET_SLOT;

	if (given != NULL)
		(void)sscanf(given, "framesz=%u", &slot);
	return slot - TPACKET2_HDRLEN + sizeof(struct sockaddr_ll);
}

// /proc/net/dev: 64-bit counters of this network namespace; eight for each direction.
uint64_t
port_kernel_packets(const char *interface, bool received)
{
	FILE *file = fopen("/proc/net/dev", "re");
	uint64_t packets = PG_COUNTER_ABSENT, in, out;
	size_t length = strlen(interface);
	char line[512];

	if (file == NULL)
		return packets;
	while (fgets(line, sizeof(line), file) != NULL) {
		const char *name = line + strspn(line, " ");

		if (strncmp(name, interface, length) != 0 || name[length] != ':')
			continue;
		if (sscanf(name + length + 1,
			    "%*u %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &in, &out) == 2)
			packets = received ? in : out;
	}
	fclose(file);
	return packets;
}
