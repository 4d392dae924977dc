#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same scripts on a veth pair: the other end counts the packets, and tshark reads them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/run.sh"
need tshark
veth 1500

# arrives COUNT SCRIPT [ARGUMENT...]: exactly so many packets; they stand in $DIR/pcap.
arrives() {
	local count=$1 before pid
	shift
	before=$(kernel pg1 rx packets)
	: >"$DIR/tshark.out"
	ip netns exec "$NS" tshark -i pg1 -f udp -c "$count" -a duration:30 -w "$DIR/pcap" >"$DIR/tshark.out" 2>&1 &
	pid=$!
	wait_for 20 grep -q 'Capturing on' "$DIR/tshark.out" || fail "no capture: $(cat "$DIR/tshark.out")"
	sleep 0.5
	script 0 -- "$SCRIPTS/$1" -i pg0 "${@:2}"
	wait "$pid" || fail "tshark: $(cat "$DIR/tshark.out")"
	same $(($(kernel pg1 rx packets) - before)) "$count" "packets that pg1 has received of: $*"
	same "$(frames "$DIR/pcap")" "$count" "packets that tshark has seen of: $*"
	same "$(complaints)" "" "what $1 complains of"
}
distinct() {
	fields "$DIR/pcap" "$1" | sort -u | wc -l
}
values() {
	fields "$DIR/pcap" "$@" | sort -u
}

arrives 500 simple.sh -n 500 -d 198.18.7.0/28 -k
same "$(values frame.len ip.checksum.status udp.checksum.status eth.dst udp.dstport)" \
	"$(printf '60\t1\t1\t90:e2:ba:ff:ff:ff\t9')" "fields of simple.sh"
same "$(values ip.dst | sort -t . -k 4 -n | sed -n '1p;$p' | xargs)" "198.18.7.0 198.18.7.15" "destinations of simple.sh"
same "$(distinct ip.dst)" 16 "destinations of simple.sh"
[ "$(distinct udp.srcport)" -gt 60 ] || fail "source ports do not vary"
same "$(fields "$DIR/pcap" udp.srcport | awk '$1 < 9 || $1 > 109' | wc -l)" 0 "source ports outside the range"

arrives 500 simple.sh -n 500 -6 -d FD00:0:0:0:0:0:0:77
same "$(values ipv6.dst frame.len udp.checksum.status)" "$(printf 'fd00::77\t78\t1')" "fields of simple.sh -6"

arrives 400 multiqueue.sh -n 200 -t 2 -p 433 -s 200
same "$(values frame.len udp.dstport ip.dst)" "$(printf '200\t433\t198.18.0.42')" "fields of multiqueue.sh"

arrives 300 burst.sh -n 300
same "$(values ip.dst udp.srcport udp.dstport frame.len)" "$(printf '198.18.0.42\t9\t9\t60')" "one flow of burst.sh"
arrives 320 burst.sh -n 320 -c 10
same "$(fields "$DIR/pcap" pktgen.seqnum | sort -u | wc -l)" 32 "packets that burst.sh -c 10 builds"

FLOWS=30 FLOWLEN=10 arrives 300 flows.sh -n 300
same "$(distinct ip.src)" 30 "flows of flows.sh"
same "$(fields "$DIR/pcap" ip.src | uniq -c | awk '{print $1}' | sort -u)" 10 "packets of each flow"
same "$(values ip.src | awk '!/^198\.1[89]\./' | wc -l)" 0 "sources outside the range"

arrives 200 flow_per_thread.sh -n 100 -t 2
same "$(fields "$DIR/pcap" ip.src | sort | uniq -c | sed 's/^ *//')" $'100 198.18.1.1\n100 198.18.2.1' "sources of flow_per_thread.sh"
arrives 200 flow_per_thread.sh -n 100 -t 2 -6
same "$(values ipv6.dst)" fd00::1 "destination of flow_per_thread.sh -6"

arrives 500 bench_xmit.sh -n 250 -t 2
BEFORE=$(kernel pg1 rx packets)
script 0 -- "$SCRIPTS/bench_receive.sh" -i pg0 -n 250
same "$(kernel pg1 rx packets)" "$BEFORE" "packets on the wire of an injection"
same "$(sed -n 's/.* usec, \([0-9]*\) (.*/\1/p' "$OUT")" 250 "packets injected"

# Until Ctrl-C: what the script reports has arrived.
for name in burst flows flow_per_thread; do
	BEFORE=$(kernel pg1 rx packets)
	begin -- "$SCRIPTS/$name.sh" -i pg0 -t 2
	interrupt 0
	same $(($(kernel pg1 rx packets) - BEFORE)) \
		"$(sed -n 's/^Result: OK: .* usec, \([0-9]*\) (.*/\1/p' "$OUT" | awk '{ n += $1 } END { print n }')" "packets that pg1 has received of $name.sh"
done
