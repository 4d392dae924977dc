#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# delay: never early, exact stamps, and several devices of one thread share it.
. "$(dirname "$0")/lib.sh"
need tshark python3

# 200 packets 1 ms apart: 199 gaps. The upper limit only finds what is hopelessly late.
commands <<E
pgctrl attach net_pcap0,tx_pcap=$DIR/d.pcap
kpktgend_0 add_device net_pcap0
net_pcap0 delay 1000000
net_pcap0 count 200
pgctrl start
E
run_paced "$CMDS"
check '.runs[0].devices[0] | .sent == 200 and .asked.packets == 200 and (.asked.pps - 1000 | fabs < 0.001)'
check '.runs[0].devices[0].duration_ns | . >= 199e6 * 0.9999 and . < 3e9'
# Idle nearly all the time.
check '.runs[0].devices[0] | .idle_ns <= .duration_ns and .idle_ns > 0.5 * .duration_ns'
# The driver's own clock, as the file has it: nothing leaves early. What the middle one of all says
# is the schedule, for any packet, the first one too, may be late here, and half of them as the report
# says. DPDK rounds its frequency to 10 MHz, so times may be wrong by half a percent.
python3 "$PG_SOURCE/test/golden/pcap_hex.py" --times "$DIR/d.pcap" | awk '
	NR == 1 {t0 = $1} {print $1 - t0 - (NR - 1) * 1e6, NR}' | sort -n >"$DIR/late"
awk -v mid="$(awk 'NR == 100 {print $1}' "$DIR/late")" -v late="$(get '.runs[0].devices[0].gaps.late_p50_ns')" '
	mid - $1 > 1e5 + late + 0.005 * 1e6 * ($2 > 100 ? $2 - 100 : 100 - $2) {
		print "packet " $2 " is " mid - $1 " ns early"
	}' "$DIR/late" >"$DIR/early"
same "$(cat "$DIR/early")" "" "packets that left early"
# Stamps are the times meant: 1 ms apart, whatever really happened.
fields "$DIR/d.pcap" pktgen.tvsec pktgen.tvusec | awk '
	{t = $1 * 1e6 + $2} NR > 1 && (t - last < 999 || t - last > 1001) {print NR ": " t - last} {last = t}' >"$DIR/gaps"
same "$(cat "$DIR/gaps")" "" "gaps between stamps, in microseconds"

# Two devices on one thread, 2 ms each: both end, and neither waits for the other.
commands <<E
pgctrl attach net_pcap0,tx_pcap=$DIR/two.pcap
kpktgend_0 add_device net_pcap0@a
kpktgend_0 add_device net_pcap0@b
[net_pcap0@a]
delay 2000000
count 100
udp_src_min 100
udp_src_max 100
[net_pcap0@b]
delay 2000000
count 100
udp_src_min 200
udp_src_max 200
[pgctrl]
start
E
run_paced "$CMDS"
check '[.runs[0].devices[] | .sent] == [100, 100]'
check 'all(.runs[0].devices[]; .duration_ns >= 198e6 * 0.9999 and .duration_ns < 3e9)'
fields "$DIR/two.pcap" udp.srcport pktgen.seqnum >"$DIR/two"
same "$(awk '$1 == 100 {print $2}' "$DIR/two")" "$(seq 1 100)" "sequence of the first device"
same "$(awk '$1 == 200 {print $2}' "$DIR/two")" "$(seq 1 100)" "sequence of the second device"
# Strictly in turns there are 199 changes; a late thread catches up in bursts.
changes=$(cut -f 1 "$DIR/two" | uniq | wc -l)
echo "devices take turns $changes times of 200"
[ "$changes" -ge 50 ] || fail "two devices take turns only $changes times"

# Without delay they share the thread burst by burst.
commands <<E
pgctrl attach net_pcap0,tx_pcap=$DIR/share.pcap
kpktgend_0 add_device net_pcap0@a
kpktgend_0 add_device net_pcap0@b
net_pcap0@a count 320
net_pcap0@a udp_src_min 100
net_pcap0@b count 320
net_pcap0@b udp_src_min 200
pgctrl start
E
run 0 "$CMDS"
fields "$DIR/share.pcap" udp.srcport | uniq -c | awk '{print $1}' | sort -u >"$DIR/share"
same "$(cat "$DIR/share")" 32 "packets in a row of one of two devices"

# One that waits does not hold up one that does not.
commands <<E
kpktgend_0 add_device net_null0@slow
kpktgend_0 add_device net_null0@fast
net_null0@slow delay 50000000
net_null0@slow count 5
net_null0@fast count 20000
pgctrl start
E
run_paced "$CMDS"
check '[.runs[0].devices[].sent] == [5, 20000]'
check '.runs[0].devices | .[0].duration_ns >= 200e6 * 0.9999 and .[1].duration_ns < .[0].duration_ns'

# Paced injection.
run_paced -e "kpktgend_0 add_device net_null0" -e "net_null0 xmit_mode netif_receive" -e "net_null0 delay 1000000" \
	-e "net_null0 count 50" -e "pgctrl start"
check '.runs[0].devices[0] | .sent == 50 and .errors == 50 and .duration_ns >= 49e6 * 0.9999 and .duration_ns < 3e9'
