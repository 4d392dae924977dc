#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Exactly as many packets as asked for, by the driver's counter: around the burst, and far beyond.
. "$(dirname "$0")/lib.sh"
need capinfos

# All counts one after the other on one device; then in other bursts.
COUNTS=(1 31 32 33 100003 15000000)
if sanitized; then COUNTS[5]=150000; fi
want="[1, 31, 32, 33, 100003, ${COUNTS[5]}, 100003, 33]"
commands <<E
kpktgend_0 add_device net_null0
$(printf 'net_null0 count %d\npgctrl start\n' "${COUNTS[@]}")
net_null0 burst 7
net_null0 count 100003
pgctrl start
net_null0 burst 1
net_null0 flag !SHARED
net_null0 count 33
pgctrl start
E
run 0 "$CMDS"
check "[.runs[].devices[0].sent] == $want"
check "[.runs[].ports[0].sent] == $want"
check 'all(.runs[].devices[]; .pool_in_use == 0)'
check "[.runs[].devices[0].bytes] == ($want | map(. * 58))"
for n in "${COUNTS[@]}"; do
	says "$OUT" "^net_null0: Result: OK: .* usec, $n \(58byte,0frags\)\$"
	says "$OUT" "offered $n, its driver counts $n sent and 0 errors"
done

# The same into capture files, counted by capinfos.
for n in "${COUNTS[@]:0:5}"; do
	run 0 -e "pgctrl attach net_pcap0,tx_pcap=$DIR/n.pcap" -e "kpktgend_0 add_device net_pcap0" \
		-e "net_pcap0 count $n" -e "pgctrl start"
	check '.runs[0] | .devices[0].sent == $n and .ports[0].sent == $n' --argjson n "$n"
	check '.runs[0].devices[0].pool_in_use == 0'
	same "$(frames "$DIR/n.pcap")" "$n" "frames in the file"
done

# More than 32 bits: taken as asked, and interrupted it says so.
for n in 4294967297 9223372036854775807; do
	commands <<E
kpktgend_0 add_device net_null0
net_null0 count 1
pgctrl start
net_null0 count $n
pgctrl start
E
	start "$CMDS"
	wait_run "$PID" "$OUT" 1
	kill -s INT "$PID"
	finish 0
	says "$OUT" "^     asked: $n packets\$"
	says "$OUT" '^     sent: [0-9]+ packets .*, interrupted$'
	# jq 1.6 holds numbers as doubles, so the text itself is compared.
	same "$(grep -c "\"packets\": $n\$" "$JSON")" 1 "lines with $n in the report"
	check '.runs[1].devices[0] | .interrupted and .sent > 1 and .sent < 4294967297'
	check '.runs[1] | .ports[0].sent == .devices[0].sent'
done
