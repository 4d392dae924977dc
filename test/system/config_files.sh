#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every file of config/ runs, and its devices send what it asks for.
. "$(dirname "$0")/lib.sh"
need capinfos

cd "$DIR" # files are written to the current directory
asked() {
	awk '$1 == "count" {sum += $2} END {print sum + 0}' "$1"
}

n=0
for file in "$PG_SOURCE"/config/*.pktgen; do
	echo "${file##*/}"
	config_ready "$file" || continue
	if sanitized; then # each packet is slow
		sed -E 's/^count [0-9]{6,}/count 100000/' "$file" >"$CMDS"
		file=$CMDS
	fi
	run 0 "$file"
	check '[.runs[].devices[].sent] | add == $n' --argjson n "$(asked "$file")"
	check 'all(.runs[].devices[]; .fell_short == false and .interrupted == false)'
	check 'all(.runs[].ports[]; .lost == 0 and .sent == .offered)'
	n=$((n + 1))
done
[ "$n" -gt 0 ] || fail "no file in $PG_SOURCE/config"

# What pcap.pktgen has written.
same "$(frames pmdgen.pcap)" 1000 "frames of pcap.pktgen"
