#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Scripts in the style of pktgen's samples do under pmdgen-run what they do on the kernel, unchanged:
# write by write, and their results.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/run.sh"

N=net_null0
# packets: what the Result lines of the script say, one number a device.
packets() {
	sed -n 's/^Result: OK: [0-9]*(c[0-9]*+d[0-9]*) usec, \([0-9]*\) (.*/\1/p' "$OUT" | xargs
}
sizes() {
	sed -n 's/^Result: OK: .* (\([0-9]*\)byte,0frags)$/\1/p' "$OUT" | xargs
}

# The whole file of the device, with what was set.
script 0 -- "$SCRIPTS/simple.sh" -i $N -n 1234 -d 198.18.7.0/24 -p 433-444 -k
same "$(packets)" 1234 "packets of simple.sh"
says "$OUT" '^Done$'
says "$OUT" '^Params: count 1234  min_pkt_size: 60  max_pkt_size: 60$'
says "$OUT" 'dst_min: 198\.18\.7\.0  dst_max: 198\.18\.7\.255 *$'
says "$OUT" 'dst_mac: 90:e2:ba:ff:ff:ff$'
says "$OUT" 'udp_src_min: 9  udp_src_max: 109  udp_dst_min: 433  udp_dst_max: 444$'
says "$OUT" '^     Flags: .*UDPSRC_RND  UDPDST_RND .*UDPCSUM  NO_TIMESTAMP '
same "$(complaints)" "" "what simple.sh complains of"
script 0 -- "$SCRIPTS/simple.sh" -i $N -n 1234 -6 -d FD00:0:0:0:0:0:0:77
says "$OUT" ' min_daddr: fd00::77  max_daddr: fd00::77$'
same "$(packets) $(sizes)" "1234 60" "packets and size of simple.sh -6"

# The commands of each write, in order.
script 0 -- "$SCRIPTS/multiqueue.sh" -i $N -n 77 -t 2 -x
same "$(sed -n 's/^cmd: //p' "$OUT" | sed 's#/proc/net/pktgen/##' | head -n 9 | xargs -d '\n' | tr '\n' ' ')" \
	"reset > pgctrl rem_device_all > kpktgend_0 add_device $N@0 > kpktgend_0 flag QUEUE_MAP_CPU > $N@0 count 77 > $N@0 clone_skb 0 > $N@0 pkt_size 60 > $N@0 delay 0 > $N@0 flag NO_TIMESTAMP > $N@0 " \
	"first commands of multiqueue.sh"
same "$(packets)" "77 77" "packets of multiqueue.sh"
same "$(sed -n 's/^Device: //p' "$OUT" | xargs)" "$N@0 $N@1" "devices of multiqueue.sh"
same "$(complaints)" "" "what multiqueue.sh complains of"

for six in "" -6; do
	script 0 -- "$SCRIPTS/multiqueue.sh" -i $N -n 100003 -t 2 $six -p 80 -k -c 3 -s 100
	same "$(packets) $(sizes)" "100003 100003 100 100" "packets and sizes of multiqueue.sh"
	script 0 -- "$SCRIPTS/burst.sh" -i $N -n 1000 $six -b 7
	same "$(packets)" 1000 "packets of burst.sh"
	script 0 -- "$SCRIPTS/flows.sh" -i $N -n 1000 $six
	same "$(packets)" 1000 "packets of flows.sh"
	script 0 -- "$SCRIPTS/flow_per_thread.sh" -i $N -n 1000 -t 2 $six
	same "$(packets)" "1000 1000" "packets of flow_per_thread.sh"
	script 0 -- "$SCRIPTS/bench_receive.sh" -i $N -n 1000 -t 2 $six
	same "$(packets)" "1000 1000" "packets of bench_receive.sh"
	script 0 -- "$SCRIPTS/bench_xmit.sh" -i $N -n 1000 -t 2 $six
	same "$(packets)" "1000 1000" "packets of bench_xmit.sh"
	same "$(complaints)" "" "what bench_xmit.sh complains of"
done
script 1 -- "$SCRIPTS/flows.sh" -i $N -n 1000 -b 5
script 1 -- "$SCRIPTS/bench_xmit.sh" -i $N -n 1000 -b 5

# Without a count they go on until Ctrl-C: start returns, the results are printed, the status is 0.
for name in burst flows flow_per_thread; do
	begin -- "$SCRIPTS/$name.sh" -i $N -t 2
	interrupt 0
	same "$(packets | wc -w)" 2 "results of $name.sh after Ctrl-C"
	same "$(complaints)" "" "what $name.sh complains of"
done

# Without a trap the script dies of it, as on the kernel, and its devices go all the same.
cat >"$DIR/plain.sh" <<'S'
#!/bin/bash
echo add_device net_null0 >/proc/net/pktgen/kpktgend_0
echo count 0 >/proc/net/pktgen/net_null0
echo Running >&2
echo start >/proc/net/pktgen/pgctrl
S
chmod +x "$DIR/plain.sh"
begin -- "$DIR/plain.sh"
interrupt 130

# Append mode: nothing is reset or started; what several calls set up runs together.
cat >"$DIR/append.sh" <<S
#!/bin/bash
set -o errexit
"$SCRIPTS/simple.sh" -h >/dev/null 2>&1 || true
"$SCRIPTS/flow_per_thread.sh" -i $N -t 1 -n 111 -a
"$SCRIPTS/burst.sh" -i net_null1 -f 1 -t 1 -n 222 -a
echo start >/proc/net/pktgen/pgctrl
for f in $N@0 net_null1@1; do grep Result: /proc/net/pktgen/\$f; done
echo reset >/proc/net/pktgen/pgctrl
ls /proc/net/pktgen
S
chmod +x "$DIR/append.sh"
script 0 -- "$DIR/append.sh"
same "$(packets)" "111 222" "packets of what was appended"
same "$(grep -c '^appended$' "$OUT")" 2 "scripts that appended"
same "$(tail -n 3 "$OUT" | xargs)" "kpktgend_0 kpktgend_1 pgctrl" "files after reset"

# An error ends the script with its own status, through the emptied devices.
script 5 -- "$SCRIPTS/multiqueue.sh" -i nosuch0 -n 5
says "$ERR" 'No such device$'
says "$ERR" '^Result: ERROR: can not add device nosuch0@0$'
script 3 -- "$SCRIPTS/multiqueue.sh" -i $N -n 5 -f 7
says "$ERR" 'kpktgend_7 does not exist'
