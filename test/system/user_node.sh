#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# doc/user_node.c: a shared object's node in a chain.
. "$(dirname "$0")/lib.sh"
need cc pkg-config
pkg-config --exists libdpdk || skip "DPDK's headers are not installed"

# EAL loads nothing from below a folder that everybody may write to, such as /tmp.
LIB=$(mktemp -d "${HOME:-/root}/.pgtest.XXXXXX") || skip "no folder of one's own"
trap 'rm -rf "$LIB"; finish_test' EXIT
# shellcheck disable=SC2046 # a list of flags
cc -shared -fPIC -O2 -Wall -Werror -DALLOW_EXPERIMENTAL_API $(pkg-config --cflags libdpdk) \
	-o "$LIB/odd.so" "$PG_SOURCE/doc/user_node.c"
commands <<E
[kpktgend_0]
add_device net_null0
[net_null0]
xmit_mode netif_receive
dst_mac ff:ff:ff:ff:ff:ff
udp_dst_min 0
udp_dst_max 9
count 100000
rx_graph eth,ip4,odd,deliver
[pgctrl]
start
E
with_node() { # STATUS [ARGUMENT...]
	local want=$1
	shift
	eal
	invoke "${EAL[@]}" -d "$LIB/odd.so" -- -j "$JSON" "$@"
	same "$RC" "$want" "exit status of: $*"
}

# Of ten ports in turn five are odd.
with_node 0 "$CMDS"
says "$OUT" '^ +odd +100000 '
says "$OUT" '^ +drop, odd: odd port +50000 '
check '.runs[0].devices[0] | .errors == 50000 and .sent == 100000'
check '.runs[0].devices[0].profile.nodes | any(.name == "deliver" and .packets == 50000)'
# First in a chain, and last: what it lets pass is delivered.
with_node 0 "$CMDS" -e 'net_null0 rx_graph odd,null' -e 'pgctrl start'
check '.runs[1].devices[0].profile.nodes | any(.name == "null" and .packets == 50000)'
# Nobody can tell what it must do; and without the object there is no such node.
with_node 2 "$CMDS" -e 'net_null0 rx_verify full' -e 'pgctrl start'
says "$ERR" "nobody can tell what the user's node odd has to do; expected rx_verify off"
run 2 "$CMDS"
says "$ERR" "unknown node 'odd'"
