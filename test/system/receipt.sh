#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The receipt: silent over every file of config/, and over each way to send; a program that breaks
# one thing is told what it broke, and exits with 1.
. "$(dirname "$0")/lib.sh"

cd "$DIR"
MANY=300000 LATE=2000000 # packets, of a file's device, and of a run that is late
if sanitized; then MANY=30000 LATE=200000; fi
# read_all MODE FILE: the file with a receipt for each of its devices, as $CMDS.
read_all() {
	awk -v mode="$1" '/^\[/ {device = $0 !~ /^\[(pgctrl|kpktgend_)/} {print}
		/^\[/ && device {print "verify " mode}' "$2" |
		sed -E "s/^count [0-9]{6,}/count $MANY/" >"$CMDS"
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
# settings LINE...: the same program with these, and nothing is wrong.
# One seed: what a wrong port of a flow is taken for depends on the ports around it.
settings() {
	{
		echo 'kpktgend_0 add_device net_null0'
		echo 'pgctrl seed 2'
		printf 'net_null0 %s\n' 'verify full' 'count 60' 'burst 32' "$@"
		echo 'pgctrl start'
	} | commands
	run_paced "$CMDS"
	no_faults
}

# is_named FAULT CHECK FIELD PACKET: in the report of a run with it. PACKET may be empty.
is_named() {
	local fault=$1 name=$2 field=$3 packet=$4
	jq '[.runs[0].devices[0].receipt.checks[] | select(.faults > 0)]' "$JSON" >"$DIR/faults"
	same "$(jq -r '.[].name' "$DIR/faults")" "$name" "checks that have faults, of '$fault'"
	same "$(jq -r '.[].first.field' "$DIR/faults")" "$field" "what is wrong, of '$fault'"
	[ -z "$packet" ] || same "$(jq '.[].first.packet' "$DIR/faults")" "$packet" "the packet, of '$fault'"
	check '.runs[0].fell_short and .runs[0].devices[0].fell_short'
	says "$OUT" "^     receipt: $name wrong [0-9]+ times, first packet [0-9]+: $field "
	echo "$fault: $(grep -o 'first packet .*' "$OUT")"
}

# names FAULT CHECK FIELD PACKET: of the settings above.
names() {
	export PMDGEN_FAULT=$1
	run 1 "$CMDS"
	unset PMDGEN_FAULT
	is_named "$@"
}

# bytes: each line is OFFSET,XOR[,L3] of a byte that is changed, the checks made right again if it
# is told where layer 3 begins; and who names it.
bytes() {
	local fault name field
	while read -r fault name field; do
		names "byte ${fault//,/ }" "$name" "$field" 17
	done
}

# Every field. Types, tags and IPv4: S-tag at 14, tag at 18, IP at 22, UDP at 42, pktgen at 50.
settings 'vlan_id 5' 'vlan_p 3' 'svlan_id 6' 'flag UDPCSUM' 'pkt_size 100' 'tos b8'
bytes <<E
5,1 ethernet eth.dst
11,1 ethernet eth.src
13,1 ethernet eth.type
17,1 ethernet eth.type
21,1 ethernet eth.type
15,1 tags svlan.id
14,20 tags svlan.priority
14,10 tags svlan.cfi
19,1 tags vlan.id
18,20 tags vlan.priority
18,10 tags vlan.cfi
22,20 ip ip.version
22,3,22 ip ip.ihl
23,8,22 ip ip.tos
25,1,22 lengths ip.length
27,1,22 ip ip.id
28,20,22 ip ip.fragment
30,1,22 ip ip.ttl
31,17,22 ip ip.protocol
32,1 checksums ip.checksum
37,1,22 ip ip.src
41,1,22 ip ip.dst
43,1,22 udp udp.src
45,1,22 udp udp.dst
47,1,22 lengths udp.length
49,1 checksums udp.checksum
50,1,22 payload pktgen.magic
57,1,22 sequence pktgen.sequence
61,1,22 stamps pktgen.time
62,80,22 stamps pktgen.microseconds
99,1,22 payload first byte that is not zero
E
check '.runs[0].devices[0].shortfall == "receipt: packet 17: first byte that is not zero is 99, expected 100"'

# IPv6: at 14, UDP at 54.
settings 'src6 fd00::1' 'dst6 fd00::2' 'traffic_class 20' 'pkt_size 120'
bytes <<E
14,20 ip ip.version
15,10,14 ip ip6.class
17,1,14 ip ip6.flow_label
19,1,14 lengths ip6.length
20,17,14 ip ip6.next_header
21,1,14 ip ip6.hop_limit
37,1,14 ip ip6.src
53,1,14 ip ip6.dst
61,1 checksums udp.checksum
E

# Sixteen labels, from 14 on; their end is a bit of the third byte.
settings "mpls $(printf '000%x000a,' {0..14})000f000a" 'pkt_size 200'
for i in {0..15}; do
	names "byte $((14 + 4 * i)) 10" tags "mpls.$i" 17
done
names 'byte 16 1' tags mpls.depth 17

# No checksum, and no stamp.
settings 'flag NO_TIMESTAMP' 'pkt_size 60'
bytes <<E
40,ff checksums udp.checksum
53,1 stamps pktgen.seconds
57,1 stamps pktgen.microseconds
E
names length lengths frame.length 17
names pkt_len lengths mbuf.pkt_len 17
names nb_segs lengths mbuf.nb_segs 17
settings 'frags 3' 'pkt_size 600'
names segment segments mbuf.data_len 17
settings 'skb_priority 6'
names queue_id priority mbuf.queue_id 17
settings 'dst6 fd00::1' 'flag NO_TIMESTAMP'
names order sequence pktgen.sequence 17
PORTS=('udp_src_min 100' 'udp_src_max 199' 'flows 3' 'flowlen 4')
settings "${PORTS[@]}" 'flag FLOW_SEQ'
names flow flows udp.src 17
settings "${PORTS[@]}"
names flow flows 'packets of the flow' ''
settings 'udp_src_min 1024' 'udp_src_max 2047' 'flag UDPSRC_RND' 'count 20000'
names random random udp.src ''

# Intended times, however they come about.
TIME='intended time in cycles after the first'
settings 'flag NO_TIMESTAMP' 'ratep 1000000'
names gap gaps "$TIME" 17
settings 'flag NO_TIMESTAMP' 'ratep 1000000' 'pacing burst'
names gap gaps "$TIME" 17
settings 'flag NO_TIMESTAMP' 'ratep 1000000' 'arrival poisson'
names gap gaps "$TIME" 17
settings 'flag NO_TIMESTAMP' 'ratep 1000000' 'arrival poisson' 'pacing burst' 'burst 5'
names gap gaps "$TIME" 17
settings 'flag NO_TIMESTAMP' 'rate 1GL1' 'imix_weights 60,7 590,4 1514,1' 'pacing burst' 'burst 5'
names gap gaps "$TIME" 17
# A schedule that moved: each packet is read, which no core does at this rate. Who skips ends by time.
export PMDGEN_VICTIM=500
for late in "stretch $LATE" 'skip 20000000' "catchup 10us $LATE"; do
	settings 'flag NO_TIMESTAMP' 'ratep 1000000000' "late ${late% *}" "count ${late##* }"
	check '.runs[0].devices[0] | .skipped + .moves > 0'
	check '.runs[0].devices[0].receipt.checks[] | select(.name == "gaps") | .packets > 500'
	names gap gaps "$TIME" 500
	check '.runs[0].devices[0] | .skipped + .moves > 0'
done
unset PMDGEN_VICTIM

# A rate that changes while it runs: from 500 pps to 20 000, to one in 10 s, and to 5000.
. "$PG_SOURCE/test/system/doors.sh"
sent_some() {
	[ "$(of .sent /pmdgen/device,net_null0)" -gt 0 ]
}
change() {
	serve "$CMDS"
	wait_for 20 sent_some || fail "nothing is sent"
	for rate in 'ratep 20000' 'delay 10s' 'ratep 5000'; do
		sleep 0.3
		of . "/pmdgen/command,net_null0 $rate" | grep -q '^0' || fail "$rate is refused"
	done
	sleep 0.3
	kill -s INT "$PID" # the run ends,
	wait_for 20 has_results "$OUT" 1 || fail "the run has not ended"
	kill -s INT "$PID" # and the program
	wait_for 20 ended "$PID" || fail "process $PID has not ended"
	RC=0
	wait "$PID" || RC=$?
	sound
	keep_report
}
commands <<E
kpktgend_0 add_device net_null0
[net_null0]
flag NO_TIMESTAMP
verify full
ratep 500
count 0
pgctrl start
E
change
[ "$RC" -le 1 ] || fail "exit status $RC" # it may be late
no_faults
check '.runs[0].devices[0] | .sent > 4000'
check '.runs[0].devices[0].receipt.checks[] | select(.name == "gaps") | .packets > 4000'
export PMDGEN_FAULT=gap PMDGEN_VICTIM=3000
change
unset PMDGEN_FAULT PMDGEN_VICTIM
same "$RC" 1 "exit status"
is_named gap gaps "$TIME" 3000
