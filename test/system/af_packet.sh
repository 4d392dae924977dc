#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Kernel interfaces: down, unplugged, long frames, and the source address.
. "$(dirname "$0")/lib.sh"
need tshark
veth 9000

# Frames of 8000 bytes arrive whole, up to what an MTU of 9000 lets through; 1 byte more is refused
# at start, with the limit.
for size in 8000 9014; do
	p=$(kernel pg1 rx packets)
	b=$(kernel pg1 rx bytes)
	run 0 -e "kpktgend_0 add_device pg0" -e "pg0 pkt_size $size" -e "pg0 count 700" -e "pgctrl start"
	same $(($(kernel pg1 rx packets) - p)) 700 "packets of $size bytes that pg1 has received"
	same $(($(kernel pg1 rx bytes) - b)) $((700 * size)) "bytes that pg1 has received"
	check '.runs[0].devices[0] | .sent == 700 and .bytes == 700 * $s' --argjson s $size
done

# capture FILE COUNT [LINE...]: what arrives at pg1 while the program runs these lines.
capture() {
	local file=$1 count=$2 pid line args=()
	shift 2
	for line in "$@"; do args+=(-e "$line"); done
	: >"$DIR/tshark.out"
	ip netns exec "$NS" tshark -i pg1 -c "$count" -a duration:30 -w "$file" >"$DIR/tshark.out" 2>&1 &
	pid=$!
	wait_for 20 grep -q 'Capturing on' "$DIR/tshark.out" || fail "no capture: $(cat "$DIR/tshark.out")"
	sleep 0.5
	run 0 "${args[@]}"
	wait "$pid" || fail "tshark: $(cat "$DIR/tshark.out")"
}

# Without src_min the source is the interface's address; with it, what it says.
ip -n "$NS" addr add 198.18.7.9/24 dev pg0
capture "$DIR/big.pcap" 20 "kpktgend_0 add_device pg0" "pg0 pkt_size 8000" "pg0 count 20" \
	"pg0 flag UDPCSUM" "pg0 src_max 198.18.99.99" "pg0 dst 198.18.7.77" "pgctrl start"
same "$(fields "$DIR/big.pcap" frame.len ip.src ip.dst ip.len udp.length ip.checksum.status udp.checksum.status |
	sort -u)" "$(printf '8000\t198.18.7.9\t198.18.7.77\t7986\t7966\t1\t1')" "fields of long packets"
same "$(fields "$DIR/big.pcap" pktgen.seqnum)" "$(seq 1 20)" "sequence numbers at the other end"
MAC=$(ip -n "$NS" -j link show pg0 | jq -r '.[0].address')
same "$(fields "$DIR/big.pcap" eth.src | sort -u)" "$MAC" "source MAC address"
capture "$DIR/src.pcap" 20 "kpktgend_0 add_device pg0" "pg0 count 20" "pg0 src_min 198.18.5.5" \
	"pg0 src_mac 02:00:00:00:00:01" "pgctrl start"
same "$(fields "$DIR/src.pcap" ip.src eth.src | sort -u)" "$(printf '198.18.5.5\t02:00:00:00:00:01')" \
	"source addresses that were set"

# Whole: all bytes after the header are zero, to the end.
same "$(tshark -n -r "$DIR/big.pcap" -T fields -e udp.payload -o udp.try_heuristic_first:FALSE 2>/dev/null |
	cut -c 33- | sort -u)" "$(printf '%015884d' 0)" "payload of a long packet"

# Too long for the interface: a wrong setting, not a surprise of the driver.
for mtu in 9000 1500; do
	ip -n "$NS" link set pg0 mtu $mtu
	p=$(kernel pg1 rx packets)
	run 2 -e "kpktgend_0 add_device pg0" -e "pg0 pkt_size $((mtu + 15))" -e "pgctrl start"
	says "$ERR" "^-e:3:[0-9]+: .*$((mtu + 15)).*; expected .*$((mtu + 14))"
	silent "$OUT" Result:
	same "$(kernel pg1 rx packets)" "$p" "packets that pg1 has received"
	run 2 -e "kpktgend_0 add_device pg0" -e "pg0 min_pkt_size 60" -e "pg0 max_pkt_size $((mtu + 15))" -e "pgctrl start"
	run 0 -e "kpktgend_0 add_device pg0" -e "pg0 pkt_size $((mtu + 14))" -e "pgctrl start"
done

# An interface that is down: the environment, with what to do.
ip -n "$NS" link set pg0 down
run 3 -e "kpktgend_0 add_device pg0" -e "pgctrl start"
says "$ERR" '^-e:1:23: .*pg0 is down; .*ip link set .*up'
silent "$OUT" Result:

# A word that is no interface.
run 2 -e "kpktgend_0 add_device pg2" -e "pgctrl start"
says "$ERR" "^-e:1:23: unknown device 'pg2'; expected "
