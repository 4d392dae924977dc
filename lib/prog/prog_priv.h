/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROG_PRIV_H
#define PROG_PRIV_H

#include "prog_run.h"

#define PROG_MAGIC       0xbe9be955 /**< pktgen's payload magic (reference 8.5) */
#define PROG_IP_TTL      32         /**< reference 8.2 */
#define PROG_SEQUENCE_AT 4          /**< offsets in the payload */
#define PROG_STAMP_AT    8

#define PROG_TCI_AT RTE_ETHER_HDR_LEN /**< of the first tag: behind its own type field */

/** Priority and CFI in their places of a VLAN tag (IEEE 802.1Q). */
static inline uint16_t
prog_tci_bits(const struct pg_vlan *vlan)
{
	return (uint16_t)(vlan->p << 13 | vlan->cfi << 12);
}

/** The functions of each kind, by instruction set: those that make values come first. */
extern const prog_fn prog_values_portable[PROG_MBUF], prog_values_avx2[PROG_MBUF];
extern const prog_fn prog_ops_portable[PROG_KINDS], prog_ops_avx2[PROG_KINDS];

/** Write the image and derive the constant parts of the checksums from it.
 *  Shape:   prog->image has image_bytes; offsets and flow are set. */
void prog_image_build(struct pg_prog *prog);

#endif
