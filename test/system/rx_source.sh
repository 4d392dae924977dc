#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The receive graph fed by a port: what its driver counts, the nodes see, and what is injected meets
# the same nodes with the same ends.
. "$(dirname "$0")/lib.sh"
need tshark

node_of() {
	jq "[.runs[-1].devices[] | select(.name == \"$1\").profile.nodes[] | select(.name == \"$2\")][0].packets" "$JSON"
}
# agrees PORT N: its driver and the device that receives from it.
agrees() {
	check '.runs[-1].ports[] | select(.name == $p) | .received == $n and .taken == $n and .missed == 0 and .no_buffer == 0' \
		--arg p "$1" --argjson n "$2"
}
receiver() {
	printf '%s\n' "[kpktgend_${2:-0}]" "add_device $1" "[$1]" 'xmit_mode netif_receive' 'rx_source port'
}

# A ring that leads to itself: one thread sends, the other receives.
{
	printf '%s\n' '[kpktgend_0]' 'add_device net_ring0@out' '[net_ring0@out]' 'count 50000' \
		'dst_mac ff:ff:ff:ff:ff:ff' 'dst_mac_count 1'
	receiver net_ring0@in 1
	printf '%s\n' 'count 50000' 'rx_graph eth,ip4,drop' 'pgctrl start'
} >"$CMDS"
run 0 "$CMDS"
agrees net_ring0 50000
check '.runs[0].devices[] | select(.name == "net_ring0@in") | .sent == 50000 and .bytes == 50000 * 58 and .errors == 50000 and .profile.buffers == "port"'
same "$(node_of net_ring0@in ip4)" 50000 "packets of a node"
check '.runs[0].ports[0] | .sent == 50000 and .in_flight == 0'
says "$OUT" '^     received: 50000 packets \(100.00 %\)'
says "$OUT" '^port net_ring0 \(net_ring\): its driver counts 50000 received, taken 50000$'

# A file that a dry run has written, and the same packets injected: the same ends.
settings() {
	printf '%s\n' 'dst_mac 02:00:00:00:00:00' 'dst_mac_count 3' 'flag MACDST_RND' 'udp_dst_min 0' 'udp_dst_max 40' \
		'flag UDPDST_RND' 'dst_min 10.0.0.1' 'dst_max 10.0.0.200' 'imix_weights 60,1 590,4 1400,2' 'count 4000' \
		'rx_graph eth,ip4,ip6,acl,fib,deliver' 'rx_routes 1000' 'rx_rules drop dport 5-9; count; pass'
}
{ printf '%s\n' 'pgctrl seed 7' '[kpktgend_0]' 'add_device net_null0' '[net_null0]' 'xmit_mode netif_receive' 'src_mac 02:02:02:02:02:02'; settings; echo 'pgctrl start'; } >"$DIR/inject.pktgen"
run 0 "$DIR/inject.pktgen"
jq -c '[.runs[0].devices[0].profile | .nodes[], .counters[] | {name, packets}] | sort' "$JSON" >"$DIR/injected"
mac=$(get '.runs[0].devices[0].src_mac')
eal
invoke "${EAL[@]}" -- -n "$DIR/dry.pcap" "$DIR/inject.pktgen"
same "$(frames "$DIR/dry.pcap")" 4000 "packets of the file"
: "$mac"
{ echo "pgctrl attach net_pcap0,rx_pcap=$DIR/dry.pcap"; receiver net_pcap0; settings; echo 'pgctrl start'; } | sed '/^imix/d' >"$CMDS"
run 0 "$CMDS"
agrees net_pcap0 4000
same "$(get '.runs[0].devices[0].bytes')" "$(capinfos -M -d "$DIR/dry.pcap" | awk '/^Data size/ {print $3}')" "bytes"
jq -c '[.runs[0].devices[0].profile | .nodes[], .counters[] | {name, packets}] | sort' "$JSON" >"$DIR/received"
broadcast() { jq -c '[.[] | select(.name == "inject" or .name == "eth" or .name == "eth: unknown type")]' "$1"; }
same "$(broadcast "$DIR/received")" "$(broadcast "$DIR/injected")" "what both met"
ours=$(tshark -n -r "$DIR/dry.pcap" -Y 'eth.dst == 02:00:00:00:00:01' 2>/dev/null | wc -l)
[ "$ours" -gt 0 ] || fail "no packets of that address in the file"
same "$(node_of net_pcap0 'ip4: wrong host')" 4000 "packets for other hosts"
sed -i "s/^dst_mac .*/verify off/" "$CMDS"
run 0 "$CMDS" -e '[net_pcap0]' -e 'pgctrl show net_pcap0'
says "$OUT" '^     rx_source: port$'

# Verdicts of what is received are the oracle's; the file ends, a duration or a signal the run.
{ echo "pgctrl attach net_pcap0,rx_pcap=$DIR/dry.pcap"; receiver net_pcap0; printf '%s\n' 'count 0' 'duration 700ms' 'rx_verify full' 'pgctrl start'; } >"$CMDS"
run 0 "$CMDS"
agrees net_pcap0 4000
check '.runs[0].devices[0] | .sent == 4000 and .profile.verified.packets == 4000 and .profile.verified.differences == 0'
check '.runs[0].devices[0].duration_ns >= 690000000'
sed -i '/^duration/d' "$CMDS"
start "$CMDS" </dev/null
wait_run "$PID" "$OUT" 0
kill -INT "$PID"
finish 0 10
check '.runs[0].interrupted and .runs[0].devices[0].sent == 4000'

# What cannot be is refused.
{ receiver net_null0; printf '%s\n' 'count 5' 'ratep 5'; } >"$CMDS"
run 2 "$CMDS"
says "$ERR" "^$CMDS:7:7: rx_source port and a rate exclude each other"
{ echo "pgctrl attach net_pcap0,rx_pcap=$DIR/dry.pcap"; receiver net_pcap0@a; receiver net_pcap0@b; echo 'pgctrl start'; } >"$CMDS"
run 2 "$CMDS"
says "$ERR" 'net_pcap0 has 1 receive queue, but 2 devices receive from it; expected one queue for each'
{ receiver net_null0; printf '%s\n' 'count 5' 'pgctrl start'; } >"$CMDS"
invoke "${EAL[@]}" -- -n "$DIR/no.pcap" "$CMDS"
same "$RC" 2 "exit status of a dry run"
says "$ERR" 'net_null0: a dry run has no packets to receive; expected rx_source inject'

# Two queues of a driver that gives whatever is asked for.
{ receiver net_null0@a; printf '%s\n' 'count 1001'; receiver net_null0@b 1; printf '%s\n' 'count 777' 'pgctrl start'; } >"$CMDS"
run 0 "$CMDS"
check '[.runs[0].devices[].sent] == [1001, 777]'
agrees net_null0 1778

# Packets of a kernel interface: the kernel counts them too.
veth 1500
{
	printf '%s\n' '[kpktgend_0]' 'add_device pg1' '[pg1]' 'count 1000' 'dst_mac ff:ff:ff:ff:ff:ff' 'ratep 1000' 'tolerance 100%'
	receiver pg0 1
	printf '%s\n' 'count 1000' 'duration 20s' 'pgctrl start'
} >"$CMDS"
run 0 "$CMDS"
agrees pg0 1000
check '.runs[0].devices[] | select(.name == "pg0") | .sent == 1000 and .errors == 0'
same "$(node_of pg0 deliver)" 1000 "packets delivered"
same "$(kernel pg0 rx packets)" 1000 "packets by the kernel's count"
