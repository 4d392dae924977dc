#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Flows are spread over two threads: each lcore's packets as a second implementation of the hash has
# them, and what a full ring loses by name.
. "$(dirname "$0")/lib.sh"
need python3

# lanes COUNT PORTS: how many of these packets are for each of two threads; flows take turns.
lanes() {
	python3 - "$1" "$2" <<'E'
import sys
key = int("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa", 16)
count, ports = int(sys.argv[1]), int(sys.argv[2])
lane = []
for p in range(ports):
    data = bytes([10, 0, 0, 1, 10, 0, 0, 2]) + (1000 + p).to_bytes(2, "big") + (9).to_bytes(2, "big")
    h = 0
    for i in range(8 * len(data)):
        if data[i // 8] >> (7 - i % 8) & 1:
            h ^= key >> (320 - 32 - i) & 0xffffffff
    lane.append(h * 2 >> 32)
print(*(sum(lane[i % ports] == n for i in range(count)) for n in (0, 1)))
E
}
base() {
	printf '%s\n' '[kpktgend_0]' 'add_device net_null0' '[net_null0]' 'xmit_mode netif_receive' \
		'dst_mac ff:ff:ff:ff:ff:ff' 'src_min 10.0.0.1' 'src_max 10.0.0.1' 'dst 10.0.0.2' \
		'udp_src_min 1000' 'udp_src_max 1099'
}
adds_up() {
	check '.runs[0].devices[0] as $d | [$d.receivers[] | .offered == .received + .lost and .in_flight == 0] | all'
	check '.runs[0].devices[0] | .pool_in_use == 0 and
		.errors == ([.profile.nodes[], .receivers[].nodes[] | select(.drop).packets] | add)'
	check '.runs[0].devices[0] | ([.profile.nodes[] | select(.name == "steer: ring full").packets] | add) == ([.receivers[].lost] | add)'
}

read -r here there < <(lanes 20000 100)
if [ "$here" -eq 0 ] || [ "$there" -eq 0 ]; then fail "one thread has them all: $here, $there"; fi
for graph in 'eth,ip4,steer,deliver' 'steer,eth,ip4,deliver' 'eth,ip4,acl,deliver'; do
	{ base; printf '%s\n' 'count 20000' 'rx_ring 20000' "rx_graph $graph" 'rx_steer kpktgend_0,kpktgend_1'; } >"$CMDS"
	case $graph in *acl*) echo 'rx_rules steer proto udp; drop' >>"$CMDS" ;; esac
	printf '%s\n' 'rx_verify full' 'pgctrl start' >>"$CMDS"
	run 0 "$CMDS"
	adds_up
	check '.runs[0].devices[0] | [.profile.nodes[] | select(.name == "deliver").packets] == [$n]' --argjson n "$here"
	check '.runs[0].devices[0].receivers | length == 1 and .[0].thread == "kpktgend_1" and .[0].received == $n' --argjson n "$there"
	check '.runs[0].devices[0].receivers[0] | [.nodes[] | select(.name == "deliver").packets] == [$n] and .verified.packets == $n and .verified.differences == 0' --argjson n "$there"
	says "$OUT" "^     kpktgend_1: received $there of $there packets handed to it, lost 0 to its full ring of 20000, in flight 0\$"
done

# A ring of 64: what it does not take has a name.
{ base; printf '%s\n' 'count 300000' 'rx_ring 64' 'rx_graph eth,ip4,steer,deliver' 'pgctrl start'; } >"$CMDS"
run 0 "$CMDS"
adds_up
check '.runs[0].devices[0] | .errors > 0 and .errors == .receivers[0].lost'
says "$OUT" '^     drop, steer: ring full '

# Rules alone say what leaves; a signal ends both threads.
{ base; printf '%s\n' 'count 10000' 'rx_ring 10000' 'rx_graph eth,ip4,acl,deliver' 'rx_rules steer sport 1000-1024; pass' 'rx_steer kpktgend_1' 'pgctrl start'; } >"$CMDS"
run 0 "$CMDS"
adds_up
check '.runs[0].devices[0] | .receivers[0].received == 2500 and [.profile.nodes[] | select(.name == "deliver").packets] == [7500]'
sed -i 's/^count .*/count 0/' "$CMDS"
start "$CMDS" </dev/null
wait_run "$PID" "$OUT" 0
kill -INT "$PID"
finish 0 10
adds_up
check '.runs[0].interrupted and .runs[0].devices[0].receivers[0].received > 0'

# What cannot be is refused.
{ base; printf '%s\n' 'rx_graph eth,ip4,acl,steer,deliver' 'rx_rules steer; drop' 'pgctrl start'; } >"$CMDS"
run 2 "$CMDS"
says "$ERR" "^$CMDS:13:8: net_null0: the rules steer, and the chain does too; expected either"
{ base; printf '%s\n' 'rx_graph eth,ip4,steer,deliver' 'pgctrl start'; } >"$CMDS"
eal
invoke --lcores "${LCORES%%,*}" --no-pci --file-prefix="$PREFIX" "${MEMORY[@]}" -- "$CMDS"
same "$RC" 2 "exit status without a second thread"
says "$ERR" ':12:8: net_null0: steer needs a second thread to steer to; expected EAL with two lcores'
