/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_PCAPNG_H
#define RX_PCAPNG_H

#include <stdint.h>
#include <stdio.h>

#include <rte_mbuf.h>

/** Begin a capture of one interface, with times in nanoseconds. Errors: -errno. */
int rx_pcapng_begin(FILE *file);
/** Write one packet, all its segments. ns: since 1970. Errors: -errno. */
int rx_pcapng_packet(FILE *file, uint64_t ns, const struct rte_mbuf *mbuf);

#endif
