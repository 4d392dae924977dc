#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# clone_skb N: each packet N times in a row, byte for byte; the next one's sequence number is N higher.
. "$(dirname "$0")/lib.sh"
need tshark

# cloned N COUNT [LINE...]: what the file must hold.
cloned() {
	local n=$1 count=$2 line args=()
	shift 2
	for line in "$@"; do args+=(-e "net_pcap0 $line"); done
	run 0 -e "pgctrl attach net_pcap0,tx_pcap=$DIR/c.pcap" -e "kpktgend_0 add_device net_pcap0" \
		-e "net_pcap0 count $count" -e "net_pcap0 clone_skb $n" -e "net_pcap0 udp_src_max 12" \
		-e "net_pcap0 min_pkt_size 60" -e "net_pcap0 max_pkt_size 62" "${args[@]}" -e "pgctrl start"
	[ "$n" -gt 0 ] || n=1
	# Packet i of those built has sequence number 1 + i * N, IP id i, port 9 + i % 4, size 60 + i % 3.
	for ((k = 0; k < count; k++)); do
		i=$((k / n))
		printf '%d\t%d\t%d\t%d\n' $((1 + i * n)) $i $((9 + i % 4)) $((60 + i % 3))
	done >"$DIR/want"
	fields "$DIR/c.pcap" pktgen.seqnum ip.id udp.srcport frame.len |
		while IFS=$'\t' read -r s i p l; do printf '%d\t%d\t%d\t%d\n' "$s" "$i" "$p" "$l"; done >"$DIR/got"
	same "$(diff "$DIR/want" "$DIR/got" | sed -n 1,5p || true)" "" "clone_skb $n, count $count, $*"
	check '.runs[0].devices[0] | .sent == $c and .bytes == $b' --argjson c "$count" \
		--argjson b "$(awk '{sum += $4} END {print sum}' "$DIR/want")"
	# Copies are copies, timestamps included.
	hex "$DIR/c.pcap" | awk -v n="$n" '(NR - 1) % n == 0 {first = $0} $0 != first {exit 1}' ||
		fail "a copy differs from its packet: clone_skb $n, $*"
}

cloned 8 800
cloned 8 804
cloned 8 804 "flag UDPCSUM" "burst 7"
cloned 3 100 "burst 1"
cloned 100 1050 "burst 512"
cloned 2 1001 "burst 1000"
cloned 100000 2000
cloned 1 40
cloned 0 40

# Random fields: each packet's copies are the same, and the packets are not.
run 0 -e "pgctrl attach net_pcap0,tx_pcap=$DIR/c.pcap" -e "kpktgend_0 add_device net_pcap0" \
	-e "net_pcap0 count 400" -e "net_pcap0 clone_skb 4" -e "net_pcap0 flag UDPSRC_RND" -e "net_pcap0 flag UDPCSUM" \
	-e "net_pcap0 udp_src_min 1" -e "net_pcap0 udp_src_max 65535" -e "pgctrl start"
same "$(hex "$DIR/c.pcap" | uniq -c | awk '{print $1}' | sort -u)" 4 "copies in a row"
same "$(hex "$DIR/c.pcap" | sort -u | wc -l)" 100 "different packets"
same "$(fields "$DIR/c.pcap" ip.checksum.status udp.checksum.status | sort -u)" "$(printf '1\t1')" "checksums"

# More references than an mbuf can count (65535), into a driver that frees and one that keeps.
run 0 -e "kpktgend_0 add_device net_null0" -e "net_null0 clone_skb 1000000" -e "net_null0 count 200003" -e "pgctrl start"
check '.runs[0] | .devices[0].sent == 200003 and .ports[0].sent == 200003'
