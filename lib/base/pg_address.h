/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_ADDRESS_H
#define PG_ADDRESS_H

#include <stdint.h>

#define PG_IP4_TEXT_MAX 32

/** An IPv4 address as it was typed and as a number; the text is echoed as pktgen does. */
struct pg_ip4 {
	uint32_t addr;              /**< host byte order */
	char text[PG_IP4_TEXT_MAX]; /**< empty: not set */
};

#endif
