#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same seed gives the same bytes, in bursts of any size; without one every run draws a new seed.
. "$(dirname "$0")/lib.sh"
need python3

COUNT=3000
# packets FILE [LINE...]: a run with everything random; its bytes go to FILE.
packets() {
	local file=$1 line
	shift
	{
		cat <<E
pgctrl attach net_pcap0,tx_pcap=$DIR/s.pcap
kpktgend_0 add_device net_pcap0
[net_pcap0]
count $COUNT
flag NO_TIMESTAMP
flag UDPCSUM
flag IPSRC_RND
flag IPDST_RND
flag UDPSRC_RND
flag UDPDST_RND
flag TXSIZE_RND
src_min 10.0.0.0
src_max 10.255.255.255
dst_min 198.18.0.0
dst_max 198.19.255.255
udp_src_min 0
udp_src_max 65535
udp_dst_min 1024
udp_dst_max 2000
min_pkt_size 60
max_pkt_size 1514
E
		for line in "$@"; do echo "$line"; done
		echo "[pgctrl]"
		echo start
	} | commands
	run 0 "$CMDS"
	hex "$DIR/s.pcap" >"$file"
	same "$(wc -l <"$file")" $COUNT "packets of $*"
}

packets "$DIR/seed1" "pgctrl seed 1"
check '.runs[0].seed == 1'
for burst in 1 7 512 1000; do
	packets "$DIR/again" "pgctrl seed 1" "net_pcap0 burst $burst"
	cmp "$DIR/seed1" "$DIR/again" || fail "seed 1: other bytes with burst $burst"
done
packets "$DIR/again" "pgctrl seed 1"
cmp "$DIR/seed1" "$DIR/again" || fail "seed 1: other bytes when repeated"

# different FILE FILE: hardly a packet is in both.
different() {
	local both
	both=$(comm -12 <(sort "$1") <(sort "$2") | wc -l)
	[ "$both" -le 2 ] || fail "$both packets are in both"
}
packets "$DIR/other" "pgctrl seed 2"
different "$DIR/seed1" "$DIR/other"
packets "$DIR/free1"
packets "$DIR/free2"
different "$DIR/free1" "$DIR/free2"
different "$DIR/free1" "$DIR/seed1"

# The seed that a run drew repeats it. jq would round it, so it comes from the text.
seed=$(sed -n 's/^clock: .* seed: \([0-9]*\)$/\1/p' "$OUT")
same "$(grep -c "\"seed\": $seed," "$JSON")" 1 "the seed of the text in the report"
packets "$DIR/again" "pgctrl seed $seed"
cmp "$DIR/free2" "$DIR/again" || fail "the seed that was drawn gives other bytes"

# A second run in the same program starts anew: the same packets again. The file holds both.
packets_twice() {
	sed -i 's/^start$/start\nstart/' "$CMDS"
	run 0 "$CMDS"
	hex "$DIR/s.pcap" >"$DIR/twice"
}
packets "$DIR/once" "pgctrl seed 1"
packets_twice
cat "$DIR/once" "$DIR/once" >"$DIR/want"
cmp "$DIR/want" "$DIR/twice" || fail "the second run with the same seed has other bytes"

# More packets begin with the same ones.
COUNT=3100
packets "$DIR/more" "pgctrl seed 1"
head -n 3000 "$DIR/more" | cmp - "$DIR/seed1" || fail "a longer run begins with other packets"
COUNT=3000
