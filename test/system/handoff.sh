#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Another thread receives: every packet is received or lost to a full ring, and told of everywhere.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"

# adds_up SENT: what holds of a device whose packets one other thread received.
adds_up() {
	check '.runs[-1].devices[0] | .sent == $n and .pool_in_use == 0 and (.receivers | length == 1)' --argjson n "$1"
	check '.runs[-1].devices[0].receivers[0] | .offered == $n and .received + .lost == $n and .in_flight == 0' --argjson n "$1"
	check '.runs[-1].devices[0] | .errors == .receivers[0].lost + .receivers[0].errors'
	check '.runs[-1].devices[0].receivers[0] | .received == ([.nodes[] | select(.name == "inject")][0].packets)'
	check '.runs[-1].devices[0].receivers[0] | .errors == ([.nodes[] | select(.drop).packets] | add)'
}
base() {
	cat <<E
[kpktgend_0]
add_device net_null0
[net_null0]
xmit_mode netif_receive
inject ring
dst_mac ff:ff:ff:ff:ff:ff
E
}

# A ring that holds them all, and one that does not.
{ base; printf '%s\n' 'rx_ring 5000' 'count 5000' 'pgctrl start' 'pgctrl show net_null0'; } >"$CMDS"
run 0 "$CMDS"
adds_up 5000
check '.runs[0].devices[0] | .errors == 0 and .receivers[0].thread == "kpktgend_1" and .receivers[0].lost == 0'
check '[.runs[0].devices[0].receivers[0].nodes[] | select(.packets > 0) | .packets] == [5000, 5000, 5000, 5000]'
check '.runs[0].devices[0].profile.nodes == []'
says "$OUT" '^     kpktgend_1: received 5000 of 5000 packets handed to it, lost 0 to its full ring of 5000, in flight 0$'
says "$OUT" '^     deliver +5000 '
says "$OUT" '^     inject: ring  rx_ring: 5000$'
sed -i 's/^rx_ring .*/rx_ring 64/; s/^count .*/count 300000/; s/^dst_mac .*/dst_mac 90:e2:ba:ff:ff:ff/' "$CMDS"
run 0 "$CMDS"
adds_up 300000
check '.runs[0].devices[0].errors == 300000 and .runs[0].devices[0].receivers[0].lost > 0'
says "$OUT" '^     drop, ip4: wrong host '

# Who cannot receive is refused, and nothing has run.
for what in 'rx_thread kpktgend_0@needs a second thread to receive; expected rx_thread with another' \
	'rx_thread kpktgend_9@there is no thread kpktgend_9 to receive; expected one of EAL.s lcores'; do
	{ base; printf '%s\n' "${what%%@*}" 'pgctrl start'; } >"$CMDS"
	run 2 "$CMDS"
	says "$ERR" "^$CMDS:8:8: net_null0: .*${what##*@}"
	check '.runs == []'
done
{ base; echo 'pgctrl start'; } >"$CMDS"
eal
invoke --lcores "${LCORES%%,*}" --no-pci --file-prefix="$PREFIX" "${MEMORY[@]}" -- "$CMDS"
same "$RC" 2 "exit status without a second thread"
says "$ERR" ':7:8: net_null0: inject ring needs a second thread to receive; expected EAL with two lcores'

# Interrupted or terminated: results, and nothing is in flight.
for how in INT TERM; do
	{ base; printf '%s\n' 'count 0' 'pgctrl start'; } >"$CMDS"
	start "$CMDS" </dev/null
	wait_run "$PID" "$OUT" 0
	kill -"$how" "$PID"
	finish 0 10
	check '.runs[0].interrupted and .runs[0].devices[0].sent > 0'
	adds_up "$(get '.runs[0].devices[0].sent')"
done

# A duration ends both sides.
{ base; printf '%s\n' 'count 0' 'ratep 1000' 'duration 300ms' 'tolerance 100%' 'pgctrl start'; } >"$CMDS"
run 0 "$CMDS"
adds_up "$(get '.runs[0].devices[0].sent')"

# Telemetry and metrics say the same.
{ base; printf '%s\n' 'rx_ring 64' 'count 100000' 'rx_graph drop' 'pgctrl start'; } >"$CMDS"
serve "$CMDS"
wait_for 20 has_results "$OUT" 1 || fail "the file's run has not ended"
same "$(of 'length' /pmdgen/receivers,net_null0)" 1 "receivers"
same "$(of '.[0] | "\(.thread) \(.offered) \(.received + .lost) \(.in_flight)"' /pmdgen/receivers,net_null0)" \
	"kpktgend_1 100000 100000 0" "telemetry's receiver"
same "$(of '[.[] | select(.name == "inject")][0] | "\(.thread) \(.packets)"' /pmdgen/graph,net_null0)" \
	"kpktgend_1 $(of '.[0].received' /pmdgen/receivers,net_null0)" "telemetry's node"
same "$(of '.xmit_mode' /pmdgen/device,net_null0)" netif_receive "mode"
same "$(metric pmdgen_receiver_received_packets_total 'thread="kpktgend_1"')" \
	"$(of '.[0].received' /pmdgen/receivers,net_null0)" "packets received, in metrics"
same "$(metric pmdgen_counter_packets_total 'thread="kpktgend_1"')" \
	"$(of '.[0].received' /pmdgen/receivers,net_null0)" "packets counted there, in metrics"
same "$(of '.[0] | "\(.name) \(.packets)"' /pmdgen/counters,net_null0)" \
	"xdp: udp $(of '.[0].received' /pmdgen/receivers,net_null0)" "packets counted there"
