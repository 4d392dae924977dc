#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Injection into the receive graph: who drops what, and what is delivered.
. "$(dirname "$0")/lib.sh"

COUNT=10000000
FILE=$PG_SOURCE/config/ingress.pktgen
if sanitized; then
	COUNT=100000
	sed "s/^count .*/count $COUNT/" "$FILE" >"$CMDS"
	FILE=$CMDS
fi

# Nobody has that MAC: every packet walks to the IPv4 node and is dropped there.
all_dropped() {
	says "$OUT" '^net_null0@0: Result: OK: [0-9]+\(c[0-9]+\+d[0-9]+\) usec, '"$COUNT"' \(60byte,'
	says "$OUT" "^  [0-9]+pps [0-9]+Mb/sec \([0-9]+bps\) errors: $COUNT\$"
	for name in inject eth ip4 'drop, ip4: wrong host'; do
		says "$OUT" "^ +$name +$COUNT +[0-9.]+ +[0-9.]+ %( +[0-9.]+){3}\$"
	done
	silent "$OUT" '^ +deliver '
	check '.runs | length == 1'
	check '.runs[0].devices | length == 1'
	check '.runs[0].devices[0] | .sent == $c and .errors == $c and .bytes == 60 * $c' --argjson c $COUNT
	check '.runs[0].devices[0].xmit_mode == "netif_receive"'
	check '.runs[0].devices[0] | .interrupted == false and .fell_short == false'
	for name in inject eth ip4; do node "$name" $COUNT false; done
	node 'ip4: wrong host' $COUNT true
	check '[.runs[0].devices[0].profile.nodes[] | select(.drop) | .packets] | add == $c' --argjson c $COUNT
}

# Every node had every burst of 32, and one in 17 was looked at by itself, the first among them.
sampled() {
	check '[.runs[0].devices[].profile.nodes[] | select(.packets > 0)] | length > 0 and all(.sampled == $n)' \
		--argjson n $((($1 + 16) / 17))
	check '[.runs[0].devices[].profile.nodes[] | select(.sampled > 0)] | all(0 < .p50 and .p50 <= .p99 and .p99 <= .max)'
	check '[.runs[0].devices[].profile.nodes[] | select(.sampled == 0)] | all(has("p50") or has("p99") or has("max") | not)'
}

run_plain 0 "$FILE"
all_dropped
sampled $((COUNT / 32))
run 0 "$FILE"
all_dropped

# With the port's own MAC all of it is delivered, and none is an error.
MAC=$(get '.runs[0].devices[0].src_mac')
[[ $MAC =~ ^(..:){5}..$ ]] || fail "src_mac is '$MAC'"
sed "s/^dst_mac .*/dst_mac ${MAC,,}/" "$FILE" >"$DIR/own.pktgen"
run 0 "$DIR/own.pktgen"
check '.runs[0].devices[0] | .sent == $c and .errors == 0' --argjson c $COUNT
for name in inject eth ip4 deliver; do node "$name" $COUNT false; done
check '[.runs[0].devices[0].profile.nodes[] | select(.drop) | .packets] | add // 0 == 0'
says "$OUT" "^ +deliver +$COUNT "
silent "$OUT" '^ +drop, '
says "$OUT" ' errors: 0$'

# A chain of the user's own: what is delivered above is dropped at its end, and shown as such.
run 0 -e '[kpktgend_0]' -e 'add_device net_null0' -e '[net_null0]' -e 'xmit_mode netif_receive' \
	-e "dst_mac ${MAC,,}" -e 'count 1000' -e 'rx_graph eth,ip4,drop' -e 'pgctrl start' -e 'pgctrl show net_null0'
says "$OUT" '^     rx_graph: eth,ip4,drop$'
says "$OUT" '^     graph: eth,ip4,drop$'
says "$OUT" '^ +drop, end of the chain +1000 '
check '.runs[0].devices[0].profile.graph == "eth,ip4,drop"'
node 'end of the chain' 1000 true
run 2 -e 'kpktgend_0 add_device net_null0' -e 'net_null0 rx_graph eth,ip5,drop'
says "$ERR" ":2:24: unknown node .ip5.; expected one of .*eth.*did you mean 'ip4'"

# Two devices walk through one graph by turns: each has its own figures. Verified bursts have none.
cat >"$CMDS" <<E
[kpktgend_0]
add_device net_null0@0
add_device net_null0@1
[net_null0@0]
xmit_mode netif_receive
count 32000
burst 32
[net_null0@1]
xmit_mode netif_receive
count 32000
burst 32
[pgctrl]
start
E
run 0 "$CMDS"
sampled 1000
says "$OUT" ' p50 +p99 +max  of 1 burst in 17$'
run 0 "$CMDS" -e '[net_null0@0]' -e 'rx_verify full' -e '[net_null0@1]' -e 'rx_verify full' -e 'pgctrl start'
check '[.runs[1].devices[].profile.nodes[]] | length > 0 and all(.sampled == 0 and (has("p50") | not))'

# Hot, fresh and cold buffers: the same packets end in the same places, and the result says which cache they outgrow.
for kind in fresh hot cold; do
	sed "s/^burst .*/rx_buffers $kind/; s/^count .*/count 64000/" "$PG_SOURCE/config/ingress.pktgen" >"$CMDS"
	run 0 "$CMDS"
	node 'ip4: wrong host' 64000 true
	check '.runs[0].devices[0].profile | .buffers == $k and has("outgrown") == ($k == "cold")' --arg k "$kind"
	check '.runs[0].devices[0].profile | [.repeated, .replaced] == (if $k == "hot" then [32, 0] else [null, null] end)' \
		--arg k "$kind"
	[ "$kind" != hot ] || says "$OUT" '^     buffers: hot, the first 32 packets again and again$'
done
says "$OUT" '^     buffers: cold, [0-9]+ by turns, more than the L[23] cache of [0-9]+ kB holds$'
check '.runs[0].devices[0] | .pool_size * 128 > .profile.outgrown_bytes'
check '.runs[0].devices[0] | .profile.outgrown_bytes == $b' \
	--argjson b "$(getconf "LEVEL$(get '.runs[0].devices[0].profile.outgrown[1:]')_CACHE_SIZE")"
invoke "${EAL[@]}" -- "$CMDS" -e 'pgctrl show net_null0@0'
says "$OUT" '^     rx_buffers: cold$'
# What hot buffers send is what a dry run writes, and what they do not go with is told.
cat >"$CMDS" <<E
kpktgend_0 add_device net_null0
net_null0 xmit_mode netif_receive
net_null0 rx_buffers hot
net_null0 burst 4
net_null0 count 10
net_null0 udp_src_max 60000
E
invoke "${EAL[@]}" -- -n "$DIR/hot.pcap" "$CMDS" -e "pgctrl start"
if [ -n "$(type -p tshark)" ]; then
	same "$(tshark -r "$DIR/hot.pcap" -T fields -e udp.srcport | tr '\n' ' ')" "9 10 11 12 9 10 11 12 9 10 " "ports"
fi
run 2 "$CMDS" -e 'net_null0 frags 3' -e 'pgctrl start'
says "$ERR" 'net_null0: hot buffers do not go with packets of several segments; expected rx_buffers fresh$'
