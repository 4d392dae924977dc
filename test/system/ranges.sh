#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranges: each value that was asked for and nothing else, in order or at random.
. "$(dirname "$0")/lib.sh"
need tshark

COUNT=3000                 # of 16 values each comes 187 times; to miss one: 16 * (15/16)^3000
IPS() { for i in $(seq "$1" "$2"); do printf '198.18.%d.%d\n' $((i >> 8)) $((i & 255)); done; }

# A device of its own for each case, all in one run: device NAME SETTING...
n=0
NAMES=()
: >"$DIR/settings"
device() {
	NAMES+=("$1")
	{
		echo "[pgctrl]"
		echo "attach net_pcap$n,tx_pcap=$DIR/$1.pcap"
		echo "[kpktgend_0]"
		echo "add_device net_pcap$n"
		echo "[net_pcap$n]"
		echo "count $COUNT"
		echo "flag UDPCSUM"
		shift
		printf '%s\n' "$@"
	} >>"$DIR/settings"
	n=$((n + 1))
}

src=("src_min 198.18.0.250" "src_max 198.18.1.5")
dst=("dst_min 198.18.1.250" "dst_max 198.18.2.5")
sport=("udp_src_min 1000" "udp_src_max 1009")
dport=("udp_dst_min 65530" "udp_dst_max 65535")
size=("min_pkt_size 60" "max_pkt_size 70")
device linear "${src[@]}" "${dst[@]}" "${sport[@]}" "${dport[@]}" "${size[@]}"
device random "${src[@]}" "${dst[@]}" "${sport[@]}" "${dport[@]}" "${size[@]}" \
	"flag IPSRC_RND" "flag IPDST_RND" "flag UDPSRC_RND" "flag UDPDST_RND" "flag TXSIZE_RND"
# One random field leaves the others alone; a flag without a range does nothing.
device one "${src[@]}" "${dst[@]}" "${sport[@]}" "flag IPDST_RND" "flag UDPDST_RND" "flag TXSIZE_RND" \
	"pkt_size 64"
# No range: the largest value below the smallest, or equal to it.
device none "src_min 198.18.0.9" "src_max 198.18.0.4" "dst_min 198.18.0.7" "dst_max 198.18.0.7" \
	"udp_src_min 12" "udp_src_max 10" "udp_dst_min 65535" "min_pkt_size 64" "max_pkt_size 60"
# Two values, and the ends of what a port can be.
device ends "udp_src_min 80" "udp_src_max 81" "udp_dst_min 0" "udp_dst_max 1" "min_pkt_size 58" \
	"max_pkt_size 59"
# A random destination is never reserved: loopback, multicast, broadcast, 0.0.0.0.
device loopback "flag IPDST_RND" "dst_min 126.255.255.250" "dst_max 127.0.0.5"
device multicast "flag IPDST_RND" "dst_min 223.255.255.250" "dst_max 224.0.0.5"
device broadcast "flag IPDST_RND" "dst_min 255.255.255.250" "dst_max 255.255.255.255"
device zero "flag IPDST_RND" "dst_min 0.0.0.0" "dst_max 0.0.0.4"
# A random source may be anything.
device source "flag IPSRC_RND" "src_min 126.255.255.250" "src_max 127.0.0.5"
{ cat "$DIR/settings"; echo "[pgctrl]"; echo start; } | commands
run 0 "$CMDS"
check '[.runs[0].devices[].sent] | length == $n and all(. == $c)' --argjson n $n --argjson c $COUNT

for name in "${NAMES[@]}"; do
	fields "$DIR/$name.pcap" ip.src ip.dst udp.srcport udp.dstport frame.len ip.checksum.status \
		udp.checksum.status >"$DIR/$name"
	same "$(wc -l <"$DIR/$name")" $COUNT "packets of $name"
	same "$(cut -f 6,7 "$DIR/$name" | sort -u)" "$(printf '1\t1')" "checksums of $name"
done

# cycle VALUES: the lines again and again, COUNT of them.
cycle() {
	awk -v n=$COUNT '{v[NR - 1] = $0} END {for (i = 0; i < n; i++) print v[i % NR]}'
}

# linear DEVICE COLUMN < VALUES
linear() {
	same "$(cut -f "$2" "$DIR/$1" | sha256sum)" "$(cycle | sha256sum)" \
		"column $2 of $1, starting $(head -n 4 "$DIR/$1" | cut -f "$2" | tr '\n' ' ')"
}

# random DEVICE COLUMN < VALUES: all of them, nothing else, each within a half of its share, and
# not in order. Shares of 187 packets or more have a standard deviation of 14 or a thirteenth.
random() {
	sort >"$DIR/want"
	cut -f "$2" "$DIR/$1" | sort | uniq -c | awk '{print $2, $1}' >"$DIR/got"
	same "$(cut -d ' ' -f 1 "$DIR/got" | sort)" "$(cat "$DIR/want")" "values in column $2 of $1"
	awk -v share="$((COUNT / $(wc -l <"$DIR/want")))" \
		'$2 < share / 2 || $2 > share * 3 / 2 {exit 1}' "$DIR/got" ||
		fail "shares in column $2 of $1: $(tr '\n' ' ' <"$DIR/got")"
	if [ "$(head -n 100 "$DIR/$1" | cut -f "$2")" = "$(cycle <"$DIR/want" | sed -n 1,100p)" ]; then
		fail "column $2 of $1 is in order"
	fi
}

linear linear 1 < <(IPS 250 261)
linear linear 2 < <(IPS 506 517)
linear linear 3 < <(seq 1000 1009)
linear linear 4 < <(seq 65530 65535)
linear linear 5 < <(seq 60 70)
random random 1 < <(IPS 250 261)
random random 2 < <(IPS 506 517)
random random 3 < <(seq 1000 1009)
random random 4 < <(seq 65530 65535)
random random 5 < <(seq 60 70)
linear one 1 < <(IPS 250 261)
random one 2 < <(IPS 506 517)
linear one 3 < <(seq 1000 1009)
linear one 4 < <(echo 9)
linear one 5 < <(echo 64)
linear none 1 < <(echo 198.18.0.9)
linear none 2 < <(echo 198.18.0.7)
linear none 3 < <(echo 12)
linear none 4 < <(echo 65535)
linear none 5 < <(echo 64)
linear ends 3 < <(seq 80 81)
linear ends 4 < <(seq 0 1)
linear ends 5 < <(seq 58 59)
random loopback 2 < <(printf '126.255.255.%d\n' {250..255})
random multicast 2 < <(printf '223.255.255.%d\n' {250..255})
random broadcast 2 < <(printf '255.255.255.%d\n' {250..254})
random zero 2 < <(printf '0.0.0.%d\n' {1..4})
random source 1 < <(printf '126.255.255.%d\n' {250..255}; printf '127.0.0.%d\n' {0..5})

# Random fields do not go together: 10 source and 6 destination ports, all 60 pairs.
same "$(cut -f 3,4 "$DIR/random" | sort -u | wc -l)" 60 "pairs of random ports"

# A range of nothing but reserved addresses is refused, not searched for ever.
commands <<E
kpktgend_0 add_device net_null0
net_null0 flag IPDST_RND
net_null0 dst_min 127.0.0.1
net_null0 dst_max 127.0.0.9
pgctrl start
E
run 2 "$CMDS"
says "$ERR" "^$CMDS:5:[0-9]+: .*reserved.*; expected "
silent "$OUT" Result:
