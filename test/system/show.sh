#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a target shows is what reading its file gives in Linux, word for word.
. "$(dirname "$0")/lib.sh"

# show TARGET LINE...: what `show TARGET` prints after these lines, in $OUT alone.
show() {
	local target=$1 line args=()
	shift
	for line in "$@"; do args+=(-e "$line"); done
	run 0 "${args[@]}" -e "pgctrl show $target"
}

# device TEXT: the device as it is shown; MAC stands for the port's own address.
device() {
	local mac
	mac=$(sed -n 's/^     src_mac: \([0-9a-f:]*\) dst_mac: .*/\1/p' "$OUT")
	[[ $mac =~ ^02(:[0-9a-f]{2}){5}$ ]] || fail "src_mac is '$mac'"
	diff <(sed "s/MAC/$mac/") "$OUT" >"$DIR/diff" || fail "not as in Linux:
$(cat "$DIR/diff")"
}

show net_null0 "kpktgend_0 add_device net_null0"
# Every line break and blank counts; the lines that end in blanks are made with printf.
printf '%s\n' 'Params: count 1000  min_pkt_size: 0  max_pkt_size: 0' \
	'     frags: 0  delay: 0  clone_skb: 0  ifname: net_null0' \
	'     flows: 0 flowlen: 0' \
	'     queue_map_min: 0  queue_map_max: 0' \
	'     dst_min:   dst_max: ' \
	'     src_min:   src_max: ' \
	'     src_mac: MAC dst_mac: 00:00:00:00:00:00' \
	'     udp_src_min: 9  udp_src_max: 9  udp_dst_min: 9  udp_dst_max: 9' \
	'     src_mac_count: 0  dst_mac_count: 0' \
	'     Flags: SHARED  ' \
	'Current:' \
	'     pkts-sofar: 0  errors: 0' \
	'     started: 0us  stopped: 0us idle: 0us' \
	'     seq_num: 0  cur_dst_mac_offset: 0  cur_src_mac_offset: 0' \
	'     cur_saddr: 0.0.0.0  cur_daddr: 0.0.0.0' \
	'     cur_udp_dst: 0  cur_udp_src: 0' \
	'     cur_queue_map: 0' \
	'     flows: 0' \
	'Result: Idle' | device

# Settings where the kernel shows them; Result is the reply to the last one.
show net_null0@x "kpktgend_0 add_device net_null0@x" "net_null0@x count 5" "net_null0@x min_pkt_size 60" \
	"net_null0@x max_pkt_size 1514" "net_null0@x delay 1000" "net_null0@x dst_min 198.18.0.1" \
	"net_null0@x dst_max 198.18.0.9" "net_null0@x src_min 10.0.0.1" "net_null0@x src_max 10.0.0.2" \
	"net_null0@x src_mac 02:00:00:00:00:AB" "net_null0@x dst_mac 90:E2:BA:FF:FF:FF" "net_null0@x udp_src_min 1" \
	"net_null0@x udp_src_max 2" "net_null0@x udp_dst_min 3" "net_null0@x udp_dst_max 4" "net_null0@x burst 8" \
	"net_null0@x flag UDPCSUM" "net_null0@x flag IPSRC_RND" "net_null0@x flag NO_TIMESTAMP" \
	"net_null0@x xmit_mode netif_receive"
printf '%s\n' 'Params: count 5  min_pkt_size: 60  max_pkt_size: 1514' \
	'     frags: 0  delay: 1000  clone_skb: 0  ifname: net_null0@x' \
	'     flows: 0 flowlen: 0' \
	'     queue_map_min: 0  queue_map_max: 0' \
	'     dst_min: 198.18.0.1  dst_max: 198.18.0.9' \
	'     src_min: 10.0.0.1  src_max: 10.0.0.2' \
	'     src_mac: 02:00:00:00:00:ab dst_mac: 90:e2:ba:ff:ff:ff' \
	'     udp_src_min: 1  udp_src_max: 2  udp_dst_min: 3  udp_dst_max: 4' \
	'     src_mac_count: 0  dst_mac_count: 0' \
	'     burst: 8' \
	'     xmit_mode: netif_receive' \
	'     Flags: IPSRC_RND  UDPCSUM  NO_TIMESTAMP  SHARED  ' >"$DIR/params"
sed '/^Current:/,$d' "$OUT" >"$DIR/got"
diff "$DIR/params" "$DIR/got" >"$DIR/diff" || fail "not as in Linux:
$(cat "$DIR/diff")"
same "$(tail -n 1 "$OUT")" 'Result: OK: xmit_mode=netif_receive' "the reply to the last setting"

# result LINE REPLY: what a setting's reply shows.
result() {
	show net_null0 "kpktgend_0 add_device net_null0" "net_null0 $1"
	same "$(sed -n '/^Result: /,$p' "$OUT")" "Result: $2" "the reply to $1"
}
result "count 5" "OK: count=5"
result "pkt_size 60" "OK: pkt_size=60"
result "dst 198.18.0.1" "OK: dst_min=198.18.0.1"
result "dst_max 198.18.0.1" "OK: dst_max=198.18.0.1"
result "src_min 198.18.0.1" "OK: src_min=198.18.0.1"
result "dst_mac 90:E2:ba:ff:ff:ff" "OK: dstmac 90:e2:ba:ff:ff:ff"
result "src_mac 90:E2:ba:ff:ff:ff" "OK: srcmac 90:e2:ba:ff:ff:ff"
result "delay 2147483647" "OK: delay=18446744073709551615"
result "flag !SHARED" "OK: flags=0x0"
result "flag UDPDST_RND" "OK: flags=0x40020"
result "clone_skb 3" "OK: clone_skb=3"
# This one ends in an empty line.
show net_null0 "kpktgend_0 add_device net_null0" "net_null0 clear_counters"
printf 'Result: OK: Clearing counters.\n\n' | cmp - <(sed -n '/^Result: /,$p' "$OUT") || fail "the reply to clear_counters"

# Threads: newest device first, and the reply of the last command.
show kpktgend_0
printf '%s\n' 'Running: ' 'Stopped: ' 'Result: NA' | diff - "$OUT" || fail "a thread without devices"
show kpktgend_0 "kpktgend_0 add_device net_null0"
printf '%s\n' 'Running: ' 'Stopped: net_null0 ' 'Result: OK: add_device=net_null0' | diff - "$OUT" || fail "a thread"
show kpktgend_1 "kpktgend_1 add_device net_null0@b" "kpktgend_1 add_device net_null0@a" "kpktgend_0 add_device net_null1"
printf '%s\n' 'Running: ' 'Stopped: net_null0@a net_null0@b ' 'Result: OK: add_device=net_null0@a' | diff - "$OUT" ||
	fail "a thread with two devices"
show kpktgend_0 "kpktgend_0 add_device net_null0" "kpktgend_0 rem_device_all"
printf '%s\n' 'Running: ' 'Stopped: ' 'Result: OK: rem_device_all' | diff - "$OUT" || fail "a thread after rem_device_all"
show pgctrl
same "$(cat "$OUT")" "Packet Generator for packet performance testing. Version: 2.75" "pgctrl"

# After a run: the result lines are those that start printed, and the counters are the run's.
run 0 -e "kpktgend_0 add_device net_null0" -e "net_null0 count 33" -e "net_null0 dst 198.18.0.7" \
	-e "net_null0 src_min 198.18.0.1" -e "net_null0 udp_src_max 12" -e "pgctrl start" -e "pgctrl show net_null0"
printed=$(sed -n '/^net_null0: Result: /,/pps/p' "$OUT" | sed 's/^net_null0: //')
shown=$(sed -n '/^Result: /,$p' "$OUT")
same "$shown" "$printed" "the result after a run"
same "$(wc -l <<<"$shown")" 2 "lines of the result"
says "$OUT" '^     pkts-sofar: 33  errors: 0$'
says "$OUT" '^     seq_num: 34  cur_dst_mac_offset: 0  cur_src_mac_offset: 0$'
says "$OUT" '^     cur_saddr: 198\.18\.0\.1  cur_daddr: 198\.18\.0\.7$'
# The last of 33 packets is number 32, and ports go round from 9 to 12.
says "$OUT" '^     cur_udp_dst: 9  cur_udp_src: 9$'
started=$(sed -n 's/^     started: \([0-9]*\)us .*/\1/p' "$OUT")
stopped=$(sed -n 's/.*stopped: \([0-9]*\)us .*/\1/p' "$OUT")
T=$(sed -n 's/^Result: OK: \([0-9]*\)(c.*/\1/p' "$OUT")
same $((stopped - started)) "$T" "stopped - started"
# Of the monotonic clock, that counts from the boot.
up=$(awk '{printf "%d", $1 * 1000000}' /proc/uptime)
((started > 0 && up - stopped < 60000000)) || fail "stopped at $stopped us, now it is $up us"

# clear_counters, and a target that there is not.
run 0 -e "kpktgend_0 add_device net_null0" -e "pgctrl start" -e "net_null0 clear_counters" -e "pgctrl show net_null0"
says "$OUT" '^     pkts-sofar: 0  errors: 0$'
says "$OUT" '^     seq_num: 1  '
run 2 -e "pgctrl show nosuch"
says "$ERR" "^-e:1:13: unknown target 'nosuch'; expected "

# A size that was never set is filled in by the first run: 58 bytes, the shortest frame with IPv4.
run 0 -e "kpktgend_0 add_device net_null0" -e "pgctrl start" -e "pgctrl show net_null0"
says "$OUT" '^Params: count 1000  min_pkt_size: 58  max_pkt_size: 58$'
