/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_ACL_H
#define RX_ACL_H

#include <rte_acl.h>

#include "rx_rules.h"

/** Rules, compiled. A result of 0 is no match, i + 1 is rule i. Const once made. */
struct rx_acl {
	struct rte_acl_ctx *ip4, *ip6; /**< NULL: no rule is for it */
	struct rx_rules rules;
};

/** Compile rules for keys as rx_key() makes them. Errors: NULL with text. Context: control. */
struct rx_acl *rx_acl_create(const char *text, int socket, struct pg_error *err);
void rx_acl_destroy(struct rx_acl *acl);

#endif
