#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two threads on one port: each has a transmit queue of its own, and the counters add up.
. "$(dirname "$0")/lib.sh"
need capinfos tshark

FILE=$PG_SOURCE/config/multiqueue.pktgen
COUNT=5000000
if sanitized; then
	COUNT=100000
	sed "s/^count .*/count $COUNT/" "$FILE" >"$CMDS"
	FILE=$CMDS
fi
run 0 "$FILE"
check '.runs[0].ports | length == 1 and .[0].tx_queues == 2'
check '.runs[0].ports[0] | .offered == 2 * $c and .sent == 2 * $c and .lost == 0' --argjson c $COUNT
check '[.runs[0].devices[] | [.name, .thread, .sent]] | sort == [
	["net_null0@0", "kpktgend_0", $c], ["net_null0@1", "kpktgend_1", $c]]' --argjson c $COUNT
says "$OUT" '^net_null0@0: Result: OK: '
says "$OUT" '^net_null0@1: Result: OK: '

# Devices on one thread share its queue.
run 0 -e "kpktgend_0 add_device net_null0@a" -e "kpktgend_0 add_device net_null0@b" -e "pgctrl start"
check '.runs[0].ports[0] | .tx_queues == 1 and .sent == 2000'
check '[.runs[0].devices[].sent] == [1000, 1000]'

# two ATTACH: a device on either thread of net_pcap0, with 700 and 900 packets.
two() {
	commands <<E
[pgctrl]
attach net_pcap0,$1
[kpktgend_0]
add_device net_pcap0@0
[kpktgend_1]
add_device net_pcap0@1
[net_pcap0@0]
count 700
udp_src_min 100
[net_pcap0@1]
count 900
udp_src_min 101
[pgctrl]
start
E
}

# One file is one queue, too few for two threads.
two "tx_pcap=$DIR/one.pcap"
run 2 "$CMDS"
says "$ERR" "^$CMDS:14:[0-9]+: net_pcap0 has 1 transmit queue,? .*; expected "
silent "$OUT" Result:

# A file for each queue: each thread writes its own, whole and in order.
two "tx_pcap=$DIR/a.pcap,tx_pcap=$DIR/b.pcap"
run 0 "$CMDS"
check '.runs[0].ports[0] | .tx_queues == 2 and .offered == 1600 and .sent == 1600'
check '[.runs[0].devices[].sent] | sort == [700, 900]'
same $(($(frames "$DIR/a.pcap") + $(frames "$DIR/b.pcap"))) 1600 "frames in both files"
for name in a b; do
	fields "$DIR/$name.pcap" udp.srcport pktgen.seqnum >"$DIR/$name"
	same "$(cut -f 1 "$DIR/$name" | sort -u | wc -l)" 1 "devices in $name.pcap"
done
same "$(cut -f 2 "$DIR/a")" "$(seq 1 700)" "sequence on thread 0"
same "$(cut -f 2 "$DIR/b")" "$(seq 1 900)" "sequence on thread 1"

# The same port by thread 1 alone needs one queue, and after another port has been used two.
run 0 -e "kpktgend_1 add_device net_null0@1" -e "pgctrl start" -e "kpktgend_0 add_device net_null0@0" \
	-e "kpktgend_0 add_device net_null1" -e "pgctrl start"
check '[.runs[].ports[] | select(.name == "net_null0").tx_queues] == [1, 2]'
check '[.runs[1].devices[].sent] == [1000, 1000, 1000]'
check '.runs[1].ports | map({(.name): .sent}) | add == {"net_null0": 2000, "net_null1": 1000}'
