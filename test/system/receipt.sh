#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The receipt: silent over every file of config/, and over each way to send; a program that breaks
# one thing is told what it broke, and exits with 1.
. "$(dirname "$0")/lib.sh"

cd "$DIR"
# read_all MODE FILE: the file with a receipt for each of its devices, as $CMDS.
read_all() {
	awk -v mode="$1" '/^\[/ {device = $0 !~ /^\[(pgctrl|kpktgend_)/} {print}
		/^\[/ && device {print "verify " mode}' "$2" |
		sed -E 's/^count [0-9]{6,}/count 300000/' >"$CMDS"
}

no_faults() {
	check 'all(.runs[].devices[]; .receipt | .packets > 0 and all(.checks[]; .faults == 0))'
}

cd "$DIR" # what files need and write
for file in "$PG_SOURCE"/config/*.pktgen; do
	config_ready "$file" || continue
	for mode in full 'sampled 1024'; do
		read_all "$mode" "$file"
		run 0 "$CMDS"
		no_faults
		check 'all(.runs[].devices[]; .fell_short == false)'
		silent "$OUT" 'receipt: .* wrong'
		# Each packet, or one of each 1024; all are counted.
		check 'all(.runs[].devices[]; .receipt.packets as $p | (.sent / .receipt.every) as $n |
			$p == ($n | floor) or $p == ($n | ceil))'
		check 'all(.runs[].devices[]; .sent as $n |
			.receipt.checks[] | select(.name == "packets") | .packets == $n)'
	done
	echo "${file##*/}: $(get '[.runs[].devices[].receipt.checks | length] | add') checks"
done

# What the text says is what the report says.
commands <<E
[kpktgend_0]
add_device net_null0
[net_null0]
pkt_size 60
count 1000
verify full
[pgctrl]
start
E
run 0 "$CMDS"
says "$OUT" '^     receipt: 9 checks, 9 ok; 1000 packets read, [0-9.]+ cycles per packet$'
check '.runs[0].devices[0].receipt | .every == 1 and .packets == 1000 and .cycles_per_packet > 0'
check '[.runs[0].devices[0].receipt.checks[].name] ==
	["packets", "lengths", "ethernet", "ip", "udp", "checksums", "payload", "sequence", "stamps"]'
# Without it there is none.
sed -i 's/^verify full/verify off/' "$CMDS"
run 0 "$CMDS"
silent "$OUT" receipt
check '.runs[0].devices[0] | has("receipt") | not'

# It is a setting: shown and saved.
run 0 -e 'kpktgend_0 add_device net_null0' -e 'net_null0 verify sampled 7' -e 'pgctrl show net_null0' \
	-e 'pgctrl save -'
says "$OUT" '^     verify: sampled 7$'
says "$OUT" '^verify sampled 7$'

# A dry run reads what it writes.
run 0 -n "$DIR/dry.pcap" -e 'kpktgend_0 add_device net_null0' -e 'net_null0 verify full' -e 'pgctrl start'
says "$OUT" '^     receipt: 9 checks, 9 ok; 1000 packets read'

# Queue maps, several devices, copies, fragments, parts of a stream; then the kernel's walks.
commands <<E
[kpktgend_0]
add_device net_null0@map
add_device net_null0@copies
add_device net_null0@frags
[kpktgend_1]
add_device net_null0@part
[net_null0@map]
queue_map_max 3
flag QUEUE_MAP_RND
dst_min 198.18.0.0
dst_max 198.18.0.255
flag IPDST_RND
count 20000
verify full
[net_null0@copies]
clone_skb 5
ratep 1000000
udp_src_min 10
udp_src_max 30
count 20000
verify full
[net_null0@frags]
pkt_size 1000
frags 3
flag UDPCSUM
count 20000
verify sampled 10
[net_null0@part]
stream web 1/3
udp_src_min 10
udp_src_max 30
flows 7
flowlen 5
count 20000
verify full
[pgctrl]
start
E
run_paced "$CMDS"
no_faults
sed -i -e '/^stream/d' -e '1i pgctrl compat linux' "$CMDS"
run_paced "$CMDS"
no_faults

# One thing is broken, and that is named: by the check, the packet and the field.
PMDGEN=$(dirname "$PMDGEN")/../test/system/pmdgen_faulty
# broken FAULT CHECK FIELD PACKET LINE...: PACKET may be empty.
# One seed: what a wrong port of a flow is taken for depends on the ports around it.
broken() {
	local fault=$1 name=$2 field=$3 packet=$4
	shift 4
	{
		echo 'kpktgend_0 add_device net_null0'
		echo 'pgctrl seed 2'
		printf 'net_null0 %s\n' 'verify full' 'count 60' 'burst 32' "$@"
		echo 'pgctrl start'
	} | commands
	run_paced "$CMDS" # the same program, and nothing is wrong
	no_faults
	export PMDGEN_FAULT=$fault
	run 1 "$CMDS"
	unset PMDGEN_FAULT
	jq '[.runs[0].devices[0].receipt.checks[] | select(.faults > 0)]' "$JSON" >"$DIR/faults"
	same "$(jq -r '.[].name' "$DIR/faults")" "$name" "checks that have faults, of '$fault'"
	same "$(jq -r '.[].first.field' "$DIR/faults")" "$field" "what is wrong, of '$fault'"
	[ -z "$packet" ] || same "$(jq '.[].first.packet' "$DIR/faults")" "$packet" "the packet, of '$fault'"
	check '.runs[0].fell_short and .runs[0].devices[0].fell_short'
	says "$OUT" "^     receipt: $name wrong [0-9]+ times, first packet [0-9]+: $field "
	echo "$fault: $(grep -o 'first packet .*' "$OUT")"
}

PORTS=('udp_src_min 100' 'udp_src_max 199' 'flows 3' 'flowlen 4')
broken field udp udp.dst 17
check '.runs[0].devices[0].shortfall == "receipt: packet 17: udp.dst is 10, expected 9"'
broken length lengths frame.length 17 'pkt_size 60'
broken checksum checksums ip.checksum 17
broken sequence sequence pktgen.sequence 17
broken order sequence pktgen.sequence 17 'dst6 fd00::1' 'flag NO_TIMESTAMP'
broken flow flows udp.src 17 "${PORTS[@]}" 'flag FLOW_SEQ'
broken flow flows 'packets of the flow' '' "${PORTS[@]}"
broken gap gaps 'intended time in cycles after the first' 17 'ratep 1000000' 'flag NO_TIMESTAMP'
broken random random udp.src '' 'udp_src_min 1024' 'udp_src_max 2047' 'flag UDPSRC_RND' 'count 20000'
