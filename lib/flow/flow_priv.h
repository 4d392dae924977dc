/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLOW_PRIV_H
#define FLOW_PRIV_H

#include "pg_flow.h"
#include "pg_lang.h"

/** pg_command.write of the rows of the same names. */
int flow_write_vlan_id(const struct pg_call *call, int scanned);
int flow_write_svlan_id(const struct pg_call *call, int scanned);
int flow_write_mpls(const struct pg_call *call, int scanned);
int flow_write_imix(const struct pg_call *call, int scanned);
int flow_write_ip6(const struct pg_call *call, int scanned);
int flow_write_flag(const struct pg_call *call, int scanned);

#endif
