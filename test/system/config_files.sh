#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every file of config/ runs, and its devices send what it asks for.
. "$(dirname "$0")/lib.sh"

# The file as it is, or with smaller counts where each packet is slow.
prepare() {
	sed "s|/tmp/|$DIR/|g" "$1" >"$CMDS"
	if sanitized; then sed -i -E 's/^count [0-9]{6,}/count 100000/' "$CMDS"; fi
}

asked() {
	awk '$1 == "count" {sum += $2} END {print sum + 0}' "$1"
}

n=0
for file in "$PG_SOURCE"/config/*.pktgen; do
	echo "${file##*/}"
	prepare "$file"
	run 0 "$CMDS"
	check '[.runs[].devices[].sent] | add == $n' --argjson n "$(asked "$CMDS")"
	check 'all(.runs[].devices[]; .fell_short == false and .interrupted == false)'
	check 'all(.runs[].ports[]; .lost == 0 and .sent == .offered)'
	n=$((n + 1))
done
[ "$n" -gt 0 ] || fail "no file in $PG_SOURCE/config"

# The capture that pcap.pktgen wrote through the copy, and through the file itself.
need capinfos
same "$(frames "$DIR/pmdgen.pcap")" 1000 "frames of pcap.pktgen"
cd "$DIR"
rm -f pmdgen.pcap
run 0 "$PG_SOURCE/config/pcap.pktgen"
same "$(frames pmdgen.pcap)" 1000 "frames in pmdgen.pcap"
