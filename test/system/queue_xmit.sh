#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# xmit_mode queue_xmit: one packet per call, and what the driver refuses counts as an error.
. "$(dirname "$0")/lib.sh"
need tshark

# A burst is refused, before as afterwards; a control file ignores one that is there already.
commands <<E
pgctrl attach net_pcap0,tx_pcap=$DIR/q.pcap
kpktgend_0 add_device net_pcap0
[net_pcap0]
count 2000
clone_skb 2
xmit_mode queue_xmit
pgctrl start
pgctrl show net_pcap0
E
run 0 "$CMDS"
check '.runs[0].devices[0] | .xmit_mode == "queue_xmit" and .burst == 1 and .sent == 2000 and
	.calls == 2000 and .errors == 0'
says "$OUT" '^     xmit_mode: xmit_queue$'
same "$(fields "$DIR/q.pcap" pktgen.seqnum | uniq -c | awk '{print $1, $2}')" \
	"$(seq -f '2 %g' 1 2 2000)" "packets"
run 2 -e "kpktgend_0 add_device net_null0" -e "net_null0 xmit_mode queue_xmit" -e "net_null0 burst 2"
says "$ERR" 'burst and xmit_mode queue_xmit exclude each other; expected burst 1'
run 2 -e "kpktgend_0 add_device net_null0" -e "net_null0 burst 8" -e "net_null0 xmit_mode queue_xmit"
says "$ERR" 'burst and xmit_mode queue_xmit exclude each other; expected burst 1'
run 0 -e "kpktgend_0 add_device net_null0" -e "net_null0 xmit_mode queue_xmit" -e "net_null0 burst 1"

# A ring that nobody empties is full after a while: N + E are the attempts, and N what is in it.
eal
EAL+=(--vdev=net_ring0)
start_plain "${EAL[@]}" -- -j "$JSON" -e "kpktgend_0 add_device net_ring0" \
	-e "[net_ring0]" -e "count 0" -e "xmit_mode queue_xmit" -e "pgctrl start" </dev/null
wait_for 20 used_ticks "$PID" 60 || fail "the program does not poll"
kill -INT "$PID"
finish 1
says "$OUT" '^     fell short: net_ring0 took no packet for '
check '.runs[0].devices[0] | .sent == 1023 and .errors > 0 and .calls == .sent + .errors'
says "$OUT" "1023 \(58byte,0frags\)"
says "$OUT" "errors: $(get '.runs[0].devices[0].errors')\$"
