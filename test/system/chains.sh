#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Chains of nodes: what each counts follows from the template by arithmetic.
. "$(dirname "$0")/lib.sh"
need tshark capinfos

scaled() { # FILE COUNT: the file's lines with another count where each packet is slow
	if sanitized; then sed -E "s/^count .*/count $2/" "$1"; else cat "$1"; fi
}

# All is UDP, and all is dropped.
scaled "$PG_SOURCE/config/drop.pktgen" 100000 >"$CMDS"
n=$(awk '$1 == "count" {print $2}' "$CMDS")
run 0 "$CMDS"
errors "$n"
node xdp "$n" false
node 'xdp: drop' "$n" true
counter 'xdp: udp' "$n"
check '.runs[0].devices[0].profile.counters | length == 1'
says "$OUT" "^ +counted, xdp: udp +$n\$"

# 100 ports take turns: rule 1 counts 10 of them, rule 2 drops 40.
scaled "$PG_SOURCE/config/firewall.pktgen" 100000 >"$CMDS"
n=$(awk '$1 == "count" {print $2}' "$CMDS")
run 0 "$CMDS"
errors $((n * 40 / 100))
node acl "$n" false
node 'acl: dropped' $((n * 40 / 100)) true
node deliver $((n * 60 / 100)) false
counter 'acl: rule 1' $((n * 10 / 100))

# Every packet reaches the lookup; with another host's address none does.
scaled "$PG_SOURCE/config/router.pktgen" 100000 >"$CMDS"
n=$(awk '$1 == "count" {print $2}' "$CMDS")
run 0 "$CMDS"
node fib "$n" false
check '[.runs[0].devices[0].profile.nodes[] | select(.name == "deliver" or .name == "fib: no route").packets] | add == $n and all(. > 0)' \
	--argjson n "$n"
sed -i 's/^dst_mac .*/dst_mac 90:e2:ba:ff:ff:ff/' "$CMDS"
run 0 "$CMDS"
node fib 0 false
node 'ip4: wrong host' "$n" true
errors "$n"

# Of 1024 destinations in turn three quarters have a route.
printf '10.0.0.0/24 7 # one\n\n10.0.2.0/23 8\n' >"$DIR/routes"
base() {
	cat <<E
[kpktgend_0]
add_device net_null0
[net_null0]
xmit_mode netif_receive
pkt_size 60
count 10240
dst_mac ff:ff:ff:ff:ff:ff
E
}
{
	base
	printf 'rx_graph router\nrx_routes %s\ndst_min 10.0.0.0\ndst_max 10.0.3.255\npgctrl start\n' "$DIR/routes"
} >"$CMDS"
run 0 "$CMDS"
node fib 10240 false
node deliver 7680 false
node 'fib: no route' 2560 true
printf '10.0.0.0/33\n' >"$DIR/routes"
run 2 "$CMDS"
says "$ERR" "routes:1: '10.0.0.0/33' is no prefix; expected PREFIX"
sed -i "s,^rx_routes .*,rx_routes $DIR/none," "$CMDS"
run 2 "$CMDS"
says "$ERR" "cannot read the routes .*none: No such file"

# More routes than there is memory for are refused, with the figure, before anything is built.
invoke --lcores "$LCORES" --no-pci --file-prefix="$PREFIX" --no-huge -m 128 --no-shconf -- \
	-e 'kpktgend_0 add_device net_null0' -e 'net_null0 xmit_mode netif_receive' \
	-e 'net_null0 rx_graph router' -e 'net_null0 rx_routes 1000000' -e 'pgctrl start'
same "$RC" 3 "exit status of a million routes in 128 MB"
says "$ERR" '1000000 routes need [0-9]+ MB of memory, and [0-9]+ MB are free; reserve [0-9]+ MB .*--memory'

# Tags and labels are popped: what is behind them is counted once more.
for tags in 'vlan_id 5' 'vlan_id 5;svlan_id 6' 'mpls 1' 'mpls 1,2,3' 'vlan_id 5;mpls 7'; do
	{ base; echo "$tags" | tr ';' '\n'; printf 'rx_graph eth,vlan,mpls,ip4,ip6,deliver\npgctrl start\n'; } >"$CMDS"
	run 0 "$CMDS"
	node ip4 10240 false
	node deliver 10240 false
done
for flows in 3 10; do # rte_hash has no table for 3
	{ base; printf 'dst6 2001:db8::1\nrx_graph eth,ip4,ip6,other,local\nudp_src_max 48\nflag UDPSRC_RND\nrx_flows %s\npgctrl start\n' "$flows"; } >"$CMDS"
	run 0 "$CMDS"
	node ip6 10240 false
	counter 'local: sockets made' "$flows"
	check '[.runs[0].devices[0].profile.nodes[] | select(.name == "socket" or .name == "local: table full").packets] | add == 10240 and all(. > 0)'
done

# A filter lets one port of four through, and counts the rest; with quotes it is the same.
for filter in 'udp dst port 9' '"udp dst port 9"' 'udp[2:2] & 3 = 1 and greater 60'; do
	{
		base
		printf '%s\n' 'udp_dst_min 9' 'udp_dst_max 12' 'rx_graph filter,eth,ip4,deliver' \
			"rx_filter $filter" 'pgctrl start'
	} >"$CMDS"
	run 0 "$CMDS"
	node filter 10240 false
	node 'filter: no match' 7680 true
	node deliver 2560 false
	errors 7680
done
# Many ways through a filter are no reason to refuse it.
{ base && echo 'rx_graph filter,null' && echo "rx_filter udp port 9$(printf ' or ip6 host 2001:db8::%d' 1 2 3 4 5 6 7 8 9 10 11 12)" && echo 'pgctrl start'; } >"$CMDS"
run 0 "$CMDS"
node null 10240 false
sed -i '/^rx_filter/d; s/filter,null/filter,eth,ip4,deliver/' "$CMDS"
run 0 "$CMDS"
node 'filter: no match' 0 true
node deliver 10240 false
{ base; echo 'rx_filter udp prot 9'; } >"$CMDS"
run 2 "$CMDS"
says "$ERR" "no filter: .*syntax error.*pcap-filter"

# Every verdict is the oracle's, for packets of each kind that the language makes.
for graph in host router firewall tap drop null eth,vlan,mpls,ip4,ip6,other,acl,fib,local filter,eth,vlan,mpls,ip4,ip6,local; do
	for kind in 'dst 10.0.0.1' 'dst6 2001:db8::1' 'vlan_id 5;svlan_id 6;mpls 1,2' 'frags 3;pkt_size 500' \
		'imix_weights 60,1 590,4' 'src6_min fd00::1;src6_max fd00::ffff;dst6 fd00::2;udp_dst_max 9999'; do
		{
			base
			printf '%s\n' 'dst_mac 02:00:00:00:00:00' 'dst_mac_count 3' 'flag MACDST_RND' \
				"rx_graph $graph" 'rx_verify full' 'rx_rules drop proto udp dport 5-9; pass' \
				'rx_filter vlan or ip6 or udp dst portrange 0-250' \
				'rx_flows 100' 'udp_dst_min 0' 'udp_dst_max 500' 'rx_routes 1000,100' 'count 2000'
			if [ "$graph" = router ]; then echo 'dst_mac ff:ff:ff:ff:ff:ff'; fi
			echo "$kind" | tr ';' '\n'
			echo 'pgctrl start'
		} >>"$DIR/kinds.pktgen"
		sed -i '/^rem_device_all$/d; s/^add_device/rem_device_all\nadd_device/' "$DIR/kinds.pktgen"
	done
done
run 0 "$DIR/kinds.pktgen"
check '[.runs[].devices[].profile.verified] | length == 48 and all(.packets == 2000 and .differences == 0)'
says "$OUT" 'verified: 2000 packets, 0 ended elsewhere than they must$'

# A tap sees every packet as it was built: the file holds what a dry run writes.
{ echo 'pgctrl seed 5'; base; printf 'rx_graph tap\nudp_src_max 4000\nflag UDPSRC_RND\nflag NO_TIMESTAMP\nvlan_id 5\nrx_graph tap,eth,vlan,ip4,deliver\ncount 4000\nrx_tap %s\npgctrl start\n' "$DIR/tap.pcapng"; } >"$CMDS"
run 0 "$CMDS"
node deliver 4000 false
invoke "${EAL[@]}" -- -n "$DIR/dry.pcap" "$CMDS"
same "$(frames "$DIR/tap.pcapng")" 4000 "packets of the tap"
same "$(tshark -r "$DIR/tap.pcapng" -x 2>/dev/null | sha256sum)" "$(tshark -r "$DIR/dry.pcap" -x 2>/dev/null | sha256sum)" \
	"bytes of the tap and of a dry run"

# A reader that never lets go: the run ends all the same, and says who holds what.
{ base; printf 'count 1000\nrx_graph tap\nrx_tap ring\npgctrl start\n'; } >"$CMDS"
SECONDS=0
run 1 "$CMDS"
[ "$SECONDS" -lt 30 ] || fail "the end of the run took $SECONDS s"
says "$OUT" 'fell short: 1000 packets held by tap$'
check '.runs[0].fell_short and .runs[0].devices[0].shortfall == "1000 packets held by tap"'
check '.runs[0].devices[0].sent == 1000'
