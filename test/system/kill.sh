#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# After kill -9 in the middle of a run the next start works, with the same arguments.
. "$(dirname "$0")/lib.sh"

commands <<E
kpktgend_0 add_device net_null0
net_null0 count 1
pgctrl start
net_null0 count 0
pgctrl start
E

# killed EAL-ARGUMENT...: twice, then a run that ends.
killed() {
	local i before
	before=$(free_hugepages)
	for i in 1 2; do
		start_plain "$@" "$CMDS"
		wait_run "$PID" "$OUT" 1
		kill -s KILL "$PID"
		finish 137
		same "$(grep -c 'Result: ' "$OUT")" 1 "results of a killed program, time $i"
	done
	invoke "$@" -j "$JSON" -e "kpktgend_0 add_device net_null0" -e "pgctrl start"
	same "$RC" 0 "exit status after kill -9, with: $*"
	check '[.runs[].devices[].sent] == [1000]'
	echo "free hugepages before and after: $before $(free_hugepages)"
}

killed
killed --lcores "$LCORES" --no-pci --file-prefix="$PREFIX" --no-huge -m 512 --no-shconf --
if [ "$(free_hugepages)" -ge 256 ]; then
	killed --lcores "$LCORES" --no-pci --file-prefix="$PREFIX" --in-memory --
else
	echo "less than 256 hugepages are free: not with --in-memory"
fi

# An attached capture file is cut off at worst, and the next run writes it anew.
need capinfos
commands <<E
pgctrl attach net_pcap0,tx_pcap=$DIR/k.pcap
kpktgend_0 add_device net_pcap0
net_pcap0 count 1
pgctrl start
net_pcap0 count 0
pgctrl start
E
start "$CMDS"
wait_run "$PID" "$OUT" 1
kill -s KILL "$PID"
finish 137
run 0 -e "pgctrl attach net_pcap0,tx_pcap=$DIR/k.pcap" -e "kpktgend_0 add_device net_pcap0" -e "pgctrl start"
same "$(frames "$DIR/k.pcap")" 1000 "frames in the file written anew"
