/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RX_RULES_H
#define RX_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pg_error.h"

#define RX_RULES_MAX 10000

enum rx_action { RX_PASS, RX_REJECT, RX_COUNT, RX_STEER, RX_ACTIONS };

/** One rule; the first that matches a packet decides. */
struct rx_rule {
	enum rx_action action;
	uint8_t version; /**< 4 or 6; 0: either */
	int proto;       /**< -1: any */
	struct {
		uint8_t addr[16], length;
	} src, dst;
	struct {
		uint16_t lo, hi;
	} sport, dport;
};

struct rx_rules {
	struct rx_rule *rule; /**< owned */
	size_t n;
};

/** Read rules: "drop proto udp dport 53; pass", or the name of a file with a rule a line; NULL:
 * none. Errors:  -errno with text; a file's fault with its line. */
int rx_rules_read(const char *text, struct rx_rules *rules, struct pg_error *err);
void rx_rules_fini(struct rx_rules *rules);

#endif
