#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Pacing, what happens to late packets, ends and starts, and the account: order and totals always, and
# times only as far as a machine that others use too keeps them.
. "$(dirname "$0")/lib.sh"
need tshark python3

# Times of a file in ns; DPDK's pcap driver rounds its clock, so stamps are looked at, not these.
stamps() {
	fields "$1" pktgen.tvsec pktgen.tvusec | awk '{printf "%.0f\n", $1 * 1e6 + $2}'
}

# 1. The account adds up, of each device and of all, with the driver's and the report's counts.
adds_up() {
	check 'all(.runs[].devices[]; select(has("intended")) | .intended == .sent + .late + .ended)'
	check 'all(.runs[].devices[]; select(has("driver_sent")) | .driver_sent == .sent)'
	check 'all(.runs[]; .account.offered == ([.devices[].sent] | add))'
	check 'all(.runs[].devices[].spent; .busy + .waited_due + .waited_port + .waited_pool <= 1.01)'
	check 'all(.runs[].devices[]; select(has("gaps")) | .gaps.packets == .sent and .gaps.calls <= .calls)'
}

run_paced -e "kpktgend_0 add_device net_null0" -e "net_null0 ratep 10000" -e "net_null0 count 3000" -e "pgctrl start"
adds_up
# 3000 packets at 10 000 pps are 2999 gaps of 100 us.
check '.runs[0].devices[0] | .intended == 3000 and .duration_ns >= 299900000 * 0.9999 and .duration_ns < 3e9'

# 2. A duration: as many packets as have their time in it, and not one more, for rates and sizes.
commands <<E
kpktgend_0 add_device net_null0
[net_null0]
count 0
duration 2s
ratep 10000
pgctrl start
duration 100ms
ratep 1000
pgctrl start
delay 3
pgctrl start
ratep 300
pgctrl start
count 7
pgctrl start
rate 10M
count 0
pkt_size 121
pgctrl start
E
eal
invoke "${EAL[@]}" -- -j "$JSON" "$CMDS"
[ "$RC" -le 1 ] || fail "exit status $RC"
adds_up
# Slots before the end: 2 s at 10 kpps, 0.1 s at 1 kpps, at one in 3 ns, at 300 pps; a count that
# comes first; and 125 bytes are 1000 bits, so 10 Mbit/s are 10 kpps.
check '[.runs[].devices[0].intended] == [20000, 100, 33333334, 30, 7, 1000]'
check '.runs[0].devices[0] | .duration_ns >= 2e9 and .duration_ns < 2.1e9'
check '.runs[4].devices[0] | .sent == 7'
check '.runs[2].devices[0] | .fell_short and .late > 0 and (.limit | length > 0)'
# 1 % over 2 s at 10 kpps, unless the run itself says that it was late.
check '.runs[0].devices[0] | .fell_short or (.offered_pps / 10000 - 1 | fabs <= 0.01)'

# 3. Ten times what a core can do: the policies differ as they are defined.
commands <<E
kpktgend_0 add_device net_null0
[net_null0]
count 0
ratep 1G
duration 300ms
pgctrl start
late skip
pgctrl start
late stretch
pgctrl start
late catchup 10ms
tolerance 100%
pgctrl start
E
run 1 "$CMDS"
adds_up
check 'all(.runs[].devices[0]; .intended == 300000000 and .sent < .intended and .asked.pps == 1e9)'
check '[.runs[].devices[0].fell_short] == [true, true, true, false]'
check 'all(.runs[].devices[0]; .limit | test("cpu of kpktgend_0"))'
check '.runs[0].devices[0] | .skipped == 0 and .moves == 0'
check '.runs[1].devices[0] | .skipped > 0 and .skipped <= .late and .moves == 0'
check '.runs[2].devices[0] | .skipped == 0 and .moves > 0 and .moved_ns > 0'
check '.runs[3].devices[0] | .skipped == 0 and .moves > 0'
# What the schedule lost by being moved are packets of 1 ns each, and the rest was owed at the end.
check '.runs[2].devices[0] | .late + 10 >= .moved_ns and .late <= .moved_ns + 0.03 * .intended'
says "$OUT" '^     asked 1000000000 pps, offered [0-9]+ \([0-9.]+ %\), limit: .*cpu of kpktgend_0'
says "$OUT" '^     account: intended 300000000, offered [0-9]+, sent [0-9]+, not offered [0-9]+, late [0-9]+'

# 4. A count under `late skip` is of turns, not of packets sent.
run 1 -e "kpktgend_0 add_device net_null0" -e "net_null0 late skip" -e "net_null0 ratep 1G" \
	-e "net_null0 count 100M" -e "pgctrl start"
adds_up
check '.runs[0].devices[0] | .intended == 100000000 and .late == .skipped and .sent + .skipped == .intended'

# 5. Bursts and drawn gaps, in the packets' own stamps; the seed repeats them, a dry run has them too.
commands <<E
pgctrl seed 7
pgctrl attach net_pcap0,tx_pcap=$DIR/real.pcap
kpktgend_0 add_device net_pcap0
[net_pcap0]
ratep 20000
count 2000
pacing burst
burst 20
pgctrl start
E
run_paced "$CMDS"
adds_up
stamps "$DIR/real.pcap" | awk 'NR > 1 {d = $1 - last; if (NR % 20 == 1 ? d < 999 || d > 1001 : d != 0) print NR ": " d} {last = $1}' >"$DIR/wrong"
same "$(cat "$DIR/wrong")" "" "gaps between bursts of 20, which are 1 ms"
check '.runs[0].devices[0] | .gaps.back_to_back >= 0.95'

for run in 1 2; do
	eal
	invoke "${EAL[@]}" -- -n "$DIR/poisson$run.pcap" -e "pgctrl seed $run" -e "kpktgend_0 add_device net_null0" \
		-e "net_null0 arrival poisson" -e "net_null0 ratep 1000" -e "net_null0 count 20000" -e "pgctrl start"
	[ "$RC" -eq 0 ] || fail "exit status $RC of a dry run"
	# Mean 1000 us, and 1/e of the gaps are longer than that: five standard deviations around it.
	stamps "$DIR/poisson$run.pcap" | awk 'NR > 1 {d = $1 - last; sum += d; long += d > 1000} {last = $1}
		END {n = NR - 1; mean = sum / n; share = long / n
		exit mean < 965 || mean > 1035 || share < 0.351 || share > 0.385}' ||
		fail "gaps are not exponential"
done
cmp -s "$DIR/poisson1.pcap" "$DIR/poisson2.pcap" && fail "the seed does not matter"
invoke "${EAL[@]}" -- -n "$DIR/again.pcap" -e "pgctrl seed 1" -e "kpktgend_0 add_device net_null0" \
	-e "net_null0 arrival poisson" -e "net_null0 ratep 1000" -e "net_null0 count 20000" -e "net_null0 burst 3" -e "pgctrl start"
cmp "$DIR/poisson1.pcap" "$DIR/again.pcap" || fail "a seed does not repeat a run"

# A dry run ends with the duration.
invoke "${EAL[@]}" -- -n "$DIR/dry.pcap" -e "kpktgend_0 add_device net_null0" -e "net_null0 count 0" \
	-e "net_null0 ratep 1000" -e "net_null0 duration 25ms" -e "pgctrl start"
same "$(frames "$DIR/dry.pcap")" 25 "packets of 25 ms at 1000 pps"

# 6. All start on one instant: nobody before it, and the report says how much later.
commands <<E
pgctrl start_at +500ms
kpktgend_0 add_device net_null0
kpktgend_1 add_device net_null1
net_null0 ratep 1000
net_null0 count 20
net_null1 count 20
pgctrl start
E
run_paced "$CMDS"
adds_up
check 'all(.runs[].devices[]; .start_late_ns >= 0 and .start_late_ns < 5e9)'
says "$OUT" '^     started [0-9.]+ (ns|us|ms) after the instant'
says "$OUT" '^all devices: offered 40 of 40 intended, sent 40 '
at=$(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%S.250Z)
run_paced -e "kpktgend_0 add_device net_null0" -e "net_null0 count 1" -e "pgctrl start_at $at" -e "pgctrl start" -e "pgctrl start"
check '(.runs[0].started_ns / 1e6 - $t | fabs) < 1' --argjson t "$(date -u -d "${at/T/ }" +%s250)"
check '[.runs[].devices[0] | has("start_late_ns")] == [true, false]'
run 2 -e "kpktgend_0 add_device net_null0" -e "pgctrl start_at 1000000000" -e "pgctrl start"
says "$ERR" 'start_at has passed'
# A stop while it waits.
start -e "kpktgend_0 add_device net_null0" -e "pgctrl start_at +1000s" -e "pgctrl start"
sleep 1
kill -s INT "$PID"
finish 0 10
check '.runs[0] | .interrupted and .devices[0].sent == 0'
