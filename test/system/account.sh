#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What goes wrong in the middle of a run is named, the totals still add up, and the status is 1: a ring
# that fills, a pool that runs dry, a link that goes down, an interface that is taken away.
. "$(dirname "$0")/lib.sh"
need_root "a network namespace"

adds_up() {
	check 'all(.runs[].devices[]; select(has("intended")) | .intended == .sent + .late + .ended)'
	check 'all(.runs[].ports[]; select(has("in_flight")) | .sent == .received + .in_flight and .offered == .sent + .lost)'
	check 'all(.runs[]; .account.offered == ([.devices[].sent] | add))'
}

# A ring that nobody reads takes 1023 packets: they are in flight, and the others are late.
run 1 -e "pgctrl attach net_ring0" -e "kpktgend_0 add_device net_ring0" -e "net_ring0 count 0" \
	-e "net_ring0 ratep 10000" -e "net_ring0 duration 500ms" -e "pgctrl start"
adds_up
check '.runs[0].devices[0] | .intended == 5000 and .sent == 1023 and .late == 3977 and .pool_in_use == 1023'
check '.runs[0].ports[0] | .sent == 1023 and .received == 0 and .in_flight == 1023'
check '.runs[0].devices[0] | .fell_short and (.limit | test("^ring of net_ring0, full in [0-9]+ of [0-9]+ calls$"))'
check '.runs[0].devices[0].spent | .waited_port > 0.5'
says "$OUT" '^     asked 10000 pps, offered 20[0-9]{2} \([0-9.]+ %\), limit: ring of net_ring0, full'
says "$OUT" '^     account: intended 5000, offered 1023, sent 1023, not offered 3977, late 3977'
says "$OUT" '; received 0, in flight 1023$'

# The same under the other policies: nobody is offered twice, and nobody is forgotten.
for policy in skip stretch "catchup 1ms"; do
	run 1 -e "pgctrl attach net_ring0" -e "kpktgend_0 add_device net_ring0" -e "net_ring0 count 0" \
		-e "net_ring0 late $policy" -e "net_ring0 ratep 10000" -e "net_ring0 duration 500ms" -e "pgctrl start"
	adds_up
	check '.runs[0].devices[0] | .intended == 5000 and .sent == 1023'
done

# A driver that keeps every buffer: the pool runs dry, and the run ends with its time.
right=$PMDGEN
PMDGEN=$(dirname "$PMDGEN")/../test/system/pmdgen_faulty
export PMDGEN_FAULT=hold
run 1 -e "kpktgend_0 add_device net_null0" -e "net_null0 count 0" -e "net_null0 ratep 100000" \
	-e "net_null0 duration 500ms" -e "pgctrl start"
unset PMDGEN_FAULT
PMDGEN=$right
adds_up
check '.runs[0].devices[0] | .intended == 50000 and .sent <= .pool_size and .late == 50000 - .sent and .pool_empty > 0'
check '.runs[0].devices[0] | .fell_short and .pool_in_use == .sent'
check '.runs[0].devices[0].shortfall |
	test("^no buffer was free for the last 0.[0-9] s: net_null0, or who reads from it, holds [0-9]+ of [0-9]+$")'
check '.runs[0].devices[0].limit | test("^buffers, none free in [0-9]+ turns$")'
check '.runs[0].devices[0].spent | .waited_pool > 0.5'

# A rate that no link of this speed carries is limited by what it is limited by, not by the link.
run 1 -e "kpktgend_0 add_device net_null0" -e "net_null0 count 0" -e "net_null0 ratep 1G" \
	-e "net_null0 duration 50ms" -e "pgctrl start"
check '.runs[0].devices[0].limit | test("link") | not'

veth 1500
# lose COMMAND...: start two devices, take something away, and let the run end by itself.
lose() {
	commands <<E
kpktgend_0 add_device pg0
kpktgend_1 add_device net_null0
[pg0]
count 1000000
ratep 1000
[net_null0]
count 0
ratep 1000
duration 3s
pgctrl start
E
	start "$CMDS"
	wait_run "$PID" "$OUT" 0
	sleep 0.5
	"$@"
	finish 1 20
	adds_up
	check '.runs[0].devices | .[0].fell_short'
	check '.runs[0].devices[0] | .intended == 1000000 and .sent > 0 and .sent < 10000 and .ended > 900000'
	check '.runs[0].devices[1] | .intended == 3000'
}

lose ip -n "$NS" link set pg1 down
check '.runs[0].devices[0].shortfall == "the link of pg0 went down"'
says "$OUT" '^     fell short: the link of pg0 went down$'
ip -n "$NS" link set pg1 up
lose ip -n "$NS" link del pg0
check '.runs[0].devices[0].shortfall == "pg0 is there no more"'
