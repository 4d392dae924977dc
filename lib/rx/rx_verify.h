/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_VERIFY_H
#define RX_VERIFY_H

#include "rx_priv.h"

/** Watch where packets of a graph end, with an oracle beside it.
 *  Errors:  -errno with text. */
int rx_verify_open(struct pg_rx_graph *rx, const struct rx_chain *chain, struct pg_error *err);
void rx_verify_close(struct pg_rx_graph *rx);
void rx_verify_begin(struct pg_rx_graph *rx);

#endif
