#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The time in the payload: the time of the run, not before the packet before it; 0 with NO_TIMESTAMP.
. "$(dirname "$0")/lib.sh"
need tshark

commands <<E
[pgctrl]
attach net_pcap0,tx_pcap=$DIR/stamped.pcap
attach net_pcap1,tx_pcap=$DIR/zero.pcap
attach net_pcap2,tx_pcap=$DIR/cleared.pcap
[kpktgend_0]
add_device net_pcap0
add_device net_pcap1
add_device net_pcap2
[net_pcap0]
count 2000
flag UDPCSUM
[net_pcap1]
count 100
flag NO_TIMESTAMP
[net_pcap2]
count 100
flag NO_TIMESTAMP
flag !NO_TIMESTAMP
[pgctrl]
start
E
before=$(date +%s%6N)
run 0 "$CMDS"
after=$(date +%s%6N)

# Microseconds since 1970, as the wall clock of this test has them.
for name in stamped cleared; do
	fields "$DIR/$name.pcap" pktgen.tvsec pktgen.tvusec >"$DIR/$name"
	awk '$2 > 999999 {exit 1}' "$DIR/$name" || fail "more than 999999 microseconds"
	awk '{printf "%.0f\n", $1 * 1e6 + $2}' "$DIR/$name" >"$DIR/us"
	first=$(sort -n "$DIR/us" | sed -n 1p)
	last=$(sort -n "$DIR/us" | sed -n '$p')
	[ "$first" -ge "$before" ] || fail "$name: stamped $((before - first)) us before the start"
	[ "$last" -le "$after" ] || fail "$name: stamped $((last - after)) us after the end"
	sort -n -c "$DIR/us" || fail "a stamp of $name is older than the one before it"
done
same "$(fields "$DIR/stamped.pcap" udp.checksum.status | sort -u)" 1 "UDP checksums over stamps"
same "$(fields "$DIR/zero.pcap" pktgen.tvsec pktgen.tvusec | sort -u)" "$(printf '0\t0')" \
	"stamps with NO_TIMESTAMP"
