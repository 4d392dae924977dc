#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What `save` writes makes the same again: the same packets, and the same file when saved again.
. "$(dirname "$0")/lib.sh"

SAVED=$DIR/saved
AGAIN=$DIR/again

# round ARGUMENT...: these lines, saved, loaded and saved again; the file is the same.
round() {
	run 0 "$@" -e "pgctrl save $SAVED"
	run 0 "$SAVED" -e "pgctrl save $AGAIN"
	diff "$SAVED" "$AGAIN" >"$DIR/diff" || fail "saved again it differs:
$(cat "$DIR/diff")"
}

# Nothing at all.
round
same "$(grep -cv '^#' "$SAVED" || true)" 0 "lines of a file without devices"

# Threads, devices in their order over all threads, attached ports, seed, walk.
round -e "pgctrl attach net_ring0" -e "pgctrl attach net_pcap0,tx_pcap=$DIR/a.pcap" -e "pgctrl attach net_ring1" \
	-e "pgctrl detach net_ring1" -e "pgctrl seed 77" -e "pgctrl compat linux" -e "pgctrl start_at +5ms" -e "kpktgend_1 add_device net_null0@b" \
	-e "kpktgend_0 add_device net_null0@a" -e "kpktgend_1 add_device net_ring0" -e "kpktgend_1 add_device net_pcap0" \
	-e "net_null0@a count 5" -e "net_null0@a debug 1"
cat >"$DIR/want" <<E

[pgctrl]
attach net_ring0
attach net_pcap0,tx_pcap=$DIR/a.pcap
seed 77
compat linux
start_at +5000000

[kpktgend_1]
add_device net_null0@b

[kpktgend_0]
add_device net_null0@a

[kpktgend_1]
add_device net_ring0
add_device net_pcap0

[net_null0@b]
debug 1

[net_null0@a]
count 5
E
diff "$DIR/want" <(sed 1d "$SAVED") >"$DIR/diff" || fail "not what was set:
$(cat "$DIR/diff")"

# The files that people start from.
for file in "$PG_SOURCE"/config/*.pktgen; do
	sed '/^start$/d' "$file" >"$CMDS"
	(cd "$DIR" && round "$CMDS")
done

# Many settings: the packets are the same, byte for byte.
commands <<'E'
pgctrl seed 9
kpktgend_0 add_device net_null0@x
kpktgend_0 add_device net_null0@y
[net_null0@x]
count 500
rate 300M
min_pkt_size 80
max_pkt_size 300
flag TXSIZE_RND
dst_min 198.18.0.1
dst_max 198.18.7.255
flag IPDST_RND
src_min 10.0.0.1
src_max 10.0.0.9
udp_src_min 1000
udp_src_max 2000
flag UDPSRC_RND
flag UDPCSUM
vlan_id 100
vlan_p 3
svlan_id 200
tos b8
dst_mac 90:e2:ba:ff:ff:ff
dst_mac_count 16
flag MACDST_RND
[net_null0@y]
count 400
imix_weights 60,7 590,4 1514,1
dst6_min fd00::1
dst6_max fd00::ffff
src6 fd00::2
traffic_class 11
flows 20
flowlen 3
stream web 1/2
delay 1500
E
run 0 "$CMDS" -e "pgctrl save $SAVED" -n "$DIR/one.pcap" -e "pgctrl start"
run 0 "$SAVED" -e "pgctrl save $AGAIN" -n "$DIR/two.pcap" -e "pgctrl start"
cmp "$SAVED" "$AGAIN"
cmp "$DIR/one.pcap" "$DIR/two.pcap"
same "$(frames "$DIR/one.pcap")" 900 "packets"

# While it runs, over an old file, and to standard output.
echo old >"$SAVED"
round -e "kpktgend_0 add_device net_null0" -e "net_null0 count 7" -e "pgctrl start"
says "$SAVED" '^count 7$'
same "$(find "$DIR" -name 'saved*' | wc -l)" 1 "files left behind"
run 0 -e "kpktgend_0 add_device net_null0" -e "pgctrl save -"
says "$OUT" '^add_device net_null0$'

# A file that cannot be written is the environment's fault, and the old one stays.
for name in "$DIR/no/such/file" "$DIR"; do
	run 3 -e "pgctrl save $name"
	says "$ERR" "^-e:1:[0-9]+: cannot write $name: .*; name a file"
done
run 2 -e "pgctrl save"

# help: a command, a flag, an unknown word.
run 0 -e "pgctrl help count"
says "$OUT" '^  default: 1000$'
says "$OUT" '^  example: count 10000000$'
run 0 -e "pgctrl help IPDST_RND"
says "$OUT" '^DEVICE flag IPDST_RND$'
run 0 -e "pgctrl help"
says "$OUT" '^Commands of kpktgend_N:$'
run 2 -e "pgctrl help cuont"
says "$ERR" "did you mean 'count'\\?"
