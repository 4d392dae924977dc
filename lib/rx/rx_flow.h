/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_FLOW_H
#define RX_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

/** The hash of a packet's flow, as receive side scaling has it: Toeplitz with the key that its
 *  specification is verified with, over addresses and ports. Without ports there are the addresses
 *  alone: fragments, IPv6 behind extension headers, other protocols, packets cut short.
 *  Shape:   raw: the frame may begin with VLAN tags and MPLS labels, and anything may be wrong with
 *           it; else ip4 or ip6 has passed it.
 *  Errors:  false: it has no flow, for it is not IP.
 *  Source:  Microsoft, "RSS hashing types" and "Verifying the RSS hash calculation". */
bool rx_flow_hash(const struct rte_mbuf *mbuf, bool raw, uint32_t *hash);

#endif
