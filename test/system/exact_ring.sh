#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A ring that nobody reads: it takes 1023 packets. What fits is sent; a run that asks for more waits,
# and a signal ends it with what was really sent and the reason, as a run that fell short. A ring that
# is read, however slowly, takes all: the unit test `ring` has a reader.
. "$(dirname "$0")/lib.sh"

for n in 1 31 32 33 1000 1023; do
	run 0 -e "pgctrl attach net_ring0" -e "kpktgend_0 add_device net_ring0" -e "net_ring0 count $n" \
		-e "pgctrl start"
	check '.runs[0] | .devices[0].sent == $n and .ports[0].sent == $n' --argjson n "$n"
	# The packets are the ring's until somebody reads them.
	check '.runs[0].devices[0].pool_in_use == $n' --argjson n "$n"
done

# Through several runs the ring fills up: 500, 500, and 23 of 500.
commands <<E
pgctrl attach net_ring0
kpktgend_0 add_device net_ring0
net_ring0 count 500
pgctrl start
pgctrl start
pgctrl start
E
for signal in INT TERM; do
	start "$CMDS"
	wait_run "$PID" "$OUT" 2
	kill -s $signal "$PID"
	finish 1
	check '[.runs[].devices[0].sent] == [500, 500, 23]'
	check '[.runs[].ports[0].sent] == [500, 500, 23]'
	check '.runs[2] | .interrupted and .devices[0].asked.packets == 500 and .ports[0].lost == 0'
	check '.runs[2].devices[0] | .bytes == 23 * 58'
	# It has waited nearly all the time.
	check '.runs[2].devices[0] | .idle_ns > .duration_ns * 0.5'
	says "$OUT" '^     sent: 23 packets \(4\.60 %\) .*, interrupted$'
	says "$OUT" '^     fell short: net_ring0 took no packet for the last [0-9]+\.[0-9] s: '
	check '[.runs[].fell_short] == [false, false, true] and .runs[2].devices[0].fell_short'
done

# clone_skb: the rest of a packet's copies is not sent either.
commands <<E
pgctrl attach net_ring0
kpktgend_0 add_device net_ring0
net_ring0 clone_skb 100
net_ring0 count 23
pgctrl start
net_ring0 count 5000
pgctrl start
E
start "$CMDS"
wait_run "$PID" "$OUT" 1
kill -s INT "$PID"
finish 1
check '[.runs[].devices[0].sent] == [23, 1000]'
check '[.runs[].devices[0].bytes] == [23 * 58, 1000 * 58]'
