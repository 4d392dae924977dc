#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Telemetry says what the report says, runs commands strictly, and one who waits keeps nobody up.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"

commands <<E
[kpktgend_0]
add_device net_null0@a
add_device net_null0@b
[net_null0@a]
count 4321
pkt_size 100
xmit_mode netif_receive
[net_null0@b]
count 1234
[pgctrl]
start
E
serve "$CMDS"
wait_for 20 has_results "$OUT" 2 || fail "the file's run has not ended"

# Names and figures are the report's, which is compared at the end.
same "$(of 'map(.name) | join(" ")' /pmdgen/devices)" "net_null0@a net_null0@b" "devices"
same "$(of 'map(.sent) | join(" ")' /pmdgen/devices)" "4321 1234" "packets sent"
same "$(of 'length' /pmdgen/devices,1)" 1 "devices from the second on"
same "$(of 'length' /pmdgen/devices,2)" 0 "devices from the third on"
same "$(of '.[0] | "\(.name) \(.devices) \(.running)"' /pmdgen/threads)" "kpktgend_0 2 0" "threads"
same "$(of '.bytes' /pmdgen/device,net_null0@a)" $((4321 * 100)) "bytes"
same "$(of '.profile | keys | join(" ")' /pmdgen/device,net_null0@a)" \
	"buffers drop_counters generator_cycles_per_packet graph gross_cycles_per_packet net_cycles_per_packet" "figures of the profile"
same "$(of '.profile' /pmdgen/device,net_null0@b)" null "profile of what is not injected"
same "$(of '[.[] | select(.name == "inject")][0].packets' /pmdgen/graph,net_null0@a)" 4321 "packets of a node"
same "$(of 'length' /pmdgen/graph,net_null0@b)" 0 "nodes of what is not injected"
same "$(of 'length' /pmdgen/counters,net_null0@a)" 0 "counters of nodes that do not count"
for what in device graph counters; do
	same "$(ask "/pmdgen/$what,none" "/pmdgen/$what" | tr '\n' ' ')" \
		"{\"/pmdgen/$what\":null} {\"/pmdgen/$what\":null} " "an unknown device"
done
ask /pmdgen/device,net_null0@a >"$DIR/device"
ask /pmdgen/graph,net_null0@a >"$DIR/graph"

# DPDK's own client, which has to be told of the private folder of a user without a session.
if [ -n "$(type -p dpdk-telemetry.py)" ]; then
	for what in threads devices device,net_null0@a graph,net_null0@a; do
		echo "/pmdgen/$what" | XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp/pmdgen-$(id -u)} \
			dpdk-telemetry.py -f "$PREFIX" >"$DIR/theirs"
		same "$(jq -cS . "$DIR/theirs")" "$(ask "/pmdgen/$what" | jq -cS .)" "dpdk-telemetry.py, $what"
	done
fi

# Commands: 0 or errno, newline, text.
command_of() {
	of . "/pmdgen/command,$1"
}
same "$(command_of 'net_null0@b count 77')" $'0\nOK: count=77' "a command"
same "$(command_of $'[net_null0@b]\ncount 78\npkt_size 99')" $'0\nOK: count=78\nOK: pkt_size=99' "three lines"
same "$(command_of '# nothing')" 0 "a comment"
same "$(command_of 'net_null0@b count 5x' | cut -c1-13 | sed -n 1,2p)" $'22\ncommand:1:19:' "a wrong value"
same "$(command_of $'net_null0@b count 5\nnet_null0@b cuont 6' | cut -c1-13 | sed -n 1,3p)" \
	$'22\nOK: count=5\ncommand:2:13:' "an error in the second line"
same "$(command_of 'pgctrl show net_null0@b' | sed -n 1,2p | cut -c1-15)" $'0\nParams: count 5' "what is shown"
# As long as telemetry can carry, and longer.
comment=$(head -c 970 /dev/zero | tr '\0' '#')
same "$(command_of "net_null0@b count 79 #$comment")" $'0\nOK: count=79' "a long line"
for extra in 20 500; do
	same "$(command_of "net_null0@b count 80 #$comment$(head -c $extra /dev/zero | tr '\0' '#')" | sed -n 1p)" 7 \
		"a line that telemetry cuts"
done
same "$(of .asked.packets /pmdgen/device,net_null0@b)" 1234 "packets asked in the last run"
same "$(command_of 'pgctrl show net_null0@b' | sed -n 2p | cut -d' ' -f3)" 79 "count after refused lines"

# A start waits for its run; others go on meanwhile, and end it.
command_of $'net_null0@a count 0\nnet_null0@a rx_graph drop\nnet_null0@b count 0' >/dev/null
start_run
same "$(command_of 'net_null0@b burst 3' | sed -n 1p)" 16 "a change while it runs"
same "$(command_of 'net_null0@b xmit_mode start_xmit' | sed -n 1p)" 16 "another mode while it runs"
same "$(command_of 'net_null0@b rx_graph drop' | sed -n 1p)" 16 "another chain while it runs"
same "$(command_of 'pgctrl start' | sed -n 1p)" 16 "another start"
first=$(of .sent /pmdgen/device,net_null0@a)
moved() {
	[ "$(of .sent /pmdgen/device,net_null0@a)" -gt "$first" ]
}
wait_for 10 moved || fail "live figures stand still"
of '"\(.pps) \(.running) \(.duration_ns)"' /pmdgen/device,net_null0@a >"$DIR/live"
read -r pps running duration <"$DIR/live"
if [ "$pps" -le 0 ] || [ "$running" -ne 1 ] || [ "$duration" -le 0 ]; then fail "live: $(cat "$DIR/live")"; fi
# What a node counts of them moves too, and has the device's rate.
same "$(of '.[0] | "\(.name) \(.protocol)"' /pmdgen/counters,net_null0@a)" "xdp: udp 17" "what is counted"
counted=$(of '.[0].packets' /pmdgen/counters,net_null0@a)
counts_more() {
	[ "$(of '.[0].packets' /pmdgen/counters,net_null0@a)" -gt "$counted" ]
}
wait_for 10 counts_more || fail "live counters stand still"
same "$(of length /pmdgen/counters,net_null0@b)" 0 "counters of what is not injected"
if ended "$STARTER"; then fail "start did not wait: $(cat "$DIR/started")"; fi
same "$(command_of 'pgctrl stop')" $'0\nOK: stop' "stop"
wait "$STARTER" || fail "start ended with $?: $(cat "$DIR/started")"
same "$(cat "$DIR/started")" "OK: start" "the reply to start"

# The program ends although a client waits.
start_run
kill -TERM "$PID"
finish 0
wait "$STARTER" || [ $? -eq 3 ] || fail "the client that waited ended otherwise"
[ ! -e "$SOCKET" ] || fail "the socket is still there"
check '[.runs[].interrupted] == [false, true, true]'
check '.runs[1].devices[0] | .sent as $n | .duration_ns as $ns | .profile.counters | length == 1 and (.[0] |
	.packets == $n and .protocol == 17 and (.pps - 1e9 * $n / $ns | fabs) < 1e-6 * .pps)'

# What telemetry said of the first run is what the report says of it, whole figures exactly.
cat >"$DIR/agree.jq" <<'E'
def near($a; $b): ($a | tonumber) as $x | ($x - $b | fabs) <= 0.5 + 1e-5 * $b;
def told: if type == "boolean" then (if . then 1 else 0 end) else . end;
.runs[0].devices[0] as $r | ($d[0] | first(.[])) as $t | ($g[0] | first(.[])) as $n |
([$r | del(.settings) | keys[]] + ["running"] | sort) == ([$t | keys[]] | sort)
and all($r | to_entries[] | select(.value | type == "number"); near($t[.key]; .value))
and all($r | to_entries[] | select(.value | type == "number" and . == floor); ($t[.key] | tonumber) == .value)
and all($r | to_entries[] | select(.value | type == "boolean"); (.value | told) == $t[.key])
and $t.result == $r.result and $t.asked == $r.asked
and ([$n[].name] == [$r.profile.nodes[].name])
and ([$n[].cycles] == [$r.profile.nodes[].cycles])
and ([$n[] | keys[]] | unique) == ([$r.profile.nodes[] | keys[]] | unique)
E
jq -e --slurpfile d "$DIR/device" --slurpfile g "$DIR/graph" -f "$DIR/agree.jq" "$JSON" >/dev/null ||
	fail "telemetry: $(cat "$DIR/device") report: $(jq -c '.runs[0].devices[0]' "$JSON")"
