#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Packets that nodes hold: a run without buffers ends, and a build for debugging sees who writes to
# what somebody holds.
. "$(dirname "$0")/lib.sh"
need cc pkg-config
pkg-config --exists libdpdk || skip "DPDK's headers are not installed"

# EAL loads nothing from below a folder that everybody may write to, such as /tmp.
LIB=$(mktemp -d "${HOME:-/root}/.pgtest.XXXXXX") || skip "no folder of one's own"
trap 'rm -rf "$LIB"; finish_test' EXIT

# One node for each way to hold a packet: for good, for good behind the pool's back, not at all but
# writing to it.
cat >"$DIR/nodes.c" <<'C'
#include <string.h>

#include <rte_graph.h>
#include <rte_graph_worker.h>
#include <rte_mbuf.h>

static struct rte_mbuf *kept[1 << 16];
static unsigned int nkept;

static uint16_t
keep(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t n)
{
	for (uint16_t k = 0; k < n && nkept < sizeof(kept) / sizeof(kept[0]); k++)
		kept[nkept++] = objs[k];
	(void)graph;
	(void)node;
	return n;
}

static uint16_t
hide(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t n)
{
	(void)graph;
	(void)node;
	for (uint16_t k = 0; k < n; k++) {
		struct rte_mbuf *mbuf = objs[k];

		rte_mbuf_refcnt_update(mbuf, 1);
		rte_mempool_put(mbuf->pool, mbuf);
	}
	return n;
}

static uint16_t
scribble(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t n)
{
	rte_edge_t next;

	memcpy(&next, node->ctx + sizeof(void *), sizeof(next));
	for (uint16_t k = 0; k < n; k++)
		rte_pktmbuf_mtod((struct rte_mbuf *)objs[k], uint8_t *)[50] ^= 1;
	rte_node_next_stream_move(graph, node, next);
	return n;
}

#define NODE(name_)                                                                             \
	static struct rte_node_register node_##name_ = {.name = "pg_user_" #name_, .process = name_}; \
	RTE_NODE_REGISTER(node_##name_)
NODE(keep);
NODE(hide);
NODE(scribble);
C
# shellcheck disable=SC2046 # a list of flags
cc -shared -fPIC -O2 -Wall -Werror -DALLOW_EXPERIMENTAL_API $(pkg-config --cflags libdpdk) \
	-o "$LIB/nodes.so" "$DIR/nodes.c"

# with STATUS CHAIN [LINE...]
with() {
	local want=$1 chain=$2
	shift 2
	printf '%s\n' '[kpktgend_0]' 'add_device net_null0' '[net_null0]' 'xmit_mode netif_receive' \
		'dst_mac ff:ff:ff:ff:ff:ff' 'count 1000000' "rx_graph $chain" "$@" 'pgctrl start' >"$CMDS"
	eal
	invoke "${EAL[@]}" -d "$LIB/nodes.so" -- -j "$JSON" "$CMDS"
	same "$RC" "$want" "exit status of $chain"
}

# Every packet that was sent is held. As soon as there are no buffers and two seconds are over, the
# run ends, with a rate or without; so does the next one, which gets buffers of its own.
for rate in '' 'ratep 1000000' 'duration 60s' 'count 0'; do
	SECONDS=0
	with 1 keep,null "$rate"
	[ "$SECONDS" -lt 30 ] || fail "the run took $SECONDS s"
	check '.runs[0].devices[0] | .sent > 0 and .fell_short and .shortfall == "\(.sent) packets held by keep"'
	check '.runs[0].devices[0] | .sent == .profile.nodes[1].packets'
	check '.runs[0].devices[0].limit | test("^buffers, none free in [0-9]+ turns$")'
	check '.runs[0].devices[0].profile | has("generator_cycles_per_packet") | not'
	says "$OUT" 'fell short: [0-9]+ packets held by keep$'
done
with 1 keep,null 'pgctrl start'
check '.runs | length == 2 and all(.[]; .devices[0].shortfall == "\(.devices[0].sent) packets held by keep")'

# What a build for debugging sees.
PMDGEN=$(dirname "$PMDGEN")/../test/system/pmdgen_debug
with 134 hide,null
says "$ERR" 'a free buffer is held: it has 2 references'
for tap in ring "$DIR/tap.pcapng"; do
	with 134 tap,scribble,null "rx_tap $tap" 'count 1000'
	says "$ERR" 'a packet has changed while the tap held it'
done
with 0 scribble,tap,null "rx_tap $DIR/tap.pcapng" 'count 1000'
with 1 tap,null 'rx_tap ring' 'count 1000'
says "$OUT" 'fell short: 1000 packets held by tap$'
with 1 keep,null
