#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Packets byte for byte against a second implementation: ranges in order, far enough for every
# counter of 16 bits to wrap.
. "$(dirname "$0")/../system/lib.sh"
need python3

# equal SETTING...
equal() {
	local s args=()
	set -- "flag NO_TIMESTAMP" "src_mac 02:00:00:00:00:01" "dst_mac 90:e2:ba:ff:ff:ff" "$@"
	for s in "$@"; do args+=(-e "net_pcap0 $s"); done
	run 0 -e "pgctrl attach net_pcap0,tx_pcap=$DIR/m.pcap" -e "kpktgend_0 add_device net_pcap0" "${args[@]}" \
		-e "pgctrl start"
	hex "$DIR/m.pcap" >"$DIR/got"
	python3 "$PG_SOURCE/test/golden/model.py" "$@" >"$DIR/want"
	diff "$DIR/want" "$DIR/got" >"$DIR/diff" || fail "$*:
$(cut -c 1-200 "$DIR/diff" | sed -n 1,6p)"
	[ -s "$DIR/want" ] || fail "no packets to compare"
}

# IP id, both ports and the addresses wrap; all 65536 values of a port.
equal "count 66000" "flag UDPCSUM" "src_min 198.18.0.250" "src_max 198.18.1.9" "dst_min 10.255.255.250" \
	"dst_max 11.0.0.3" "udp_src_min 0" "udp_src_max 65535" "udp_dst_min 65000" "udp_dst_max 65535"
# Sizes, odd ones too, alone and with everything else.
equal "count 3000" "flag UDPCSUM" "min_pkt_size 42" "max_pkt_size 1514" "src_min 1.2.3.4" "dst_min 255.255.255.255"
equal "count 2000" "flag UDPCSUM" "min_pkt_size 60" "max_pkt_size 71" "src_min 0.0.0.0" "src_max 0.0.0.6" \
	"dst_min 255.255.255.250" "dst_max 255.255.255.255" "udp_src_min 65530" "udp_src_max 65535" \
	"udp_dst_min 1" "udp_dst_max 2" "burst 7"
# Without a checksum the field stays zero, whatever varies.
equal "count 2000" "min_pkt_size 60" "max_pkt_size 71" "udp_src_min 100" "udp_src_max 200" "dst_min 10.0.0.1" "dst_max 10.0.0.255"
# Long frames, and copies.
equal "count 100" "flag UDPCSUM" "pkt_size 9014" "udp_src_min 100" "udp_src_max 200"
equal "count 3" "flag UDPCSUM" "pkt_size 65344" "dst_min 1.2.3.4"
equal "count 1000" "clone_skb 7" "flag UDPCSUM" "min_pkt_size 60" "max_pkt_size 64" "udp_src_min 100" "udp_src_max 200"
