#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Metrics: independent readers take both formats, the figures are telemetry's, the rest is refused.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"

commands <<"E"
[kpktgend_0]
add_device net_null0@a\
add_device net_null0@b
[net_null0@a\]
count 4321
pkt_size 100
xmit_mode netif_receive
[net_null0@b]
count 1234
[pgctrl]
start
E
serve "$CMDS"
wait_for 20 has_results "$OUT" 2 || fail "the file's run has not ended"

page -D "$DIR/head" >"$DIR/text"
says "$DIR/head" '^HTTP/1.1 200'
says "$DIR/head" '^Content-Type: text/plain; version=0.0.4; charset=utf-8'
page -D "$DIR/head" -H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5' >"$DIR/open"
says "$DIR/head" '^Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8'
python3 "$PG_SOURCE/test/system/openmetrics.py" "$DIR/open" "$DIR/text" || fail "the strict reader refuses it"

# Another reader, where it is installed.
/usr/bin/python3 - "$DIR/open" <<'E' || fail "prometheus_client refuses it"
import sys
try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    sys.exit(print("prometheus_client is not installed: left out"))
list(text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read()))
E

same "$(metric pmdgen_device_sent_packets_total 'device="net_null0@b"')" 1234 "packets sent"
same "$(metric pmdgen_device_sent_packets_total 'device="net_null0@a\\"')" 4321 "packets of a name with a backslash"
same "$(metric pmdgen_device_bytes_total 'net_null0@a')" 432100 "bytes"
same "$(metric pmdgen_device_errors_total 'net_null0@a')" 4321 "errors"
same "$(metric pmdgen_node_packets_total 'node="ip4: wrong host"')" 4321 "packets of a node"
silent "$DIR/text" '^pmdgen_counter_packets_total'
same "$(metric pmdgen_port_sent_packets_total)" 1234 "packets of the port"
same "$(metric pmdgen_running)" 0 "running"
agree() {
	awk -v a="$1" -v b="$2" 'BEGIN {exit !(a - b <= 1e-6 * b && b - a <= 1e-6 * b)}' ||
		fail "$3: $1 in metrics, $2 in telemetry"
}
# Whole nanoseconds are seconds, bits are bytes.
agree "$(metric pmdgen_device_duration_seconds net_null0@b)" \
	"$(of '.duration_ns / 1e9' /pmdgen/device,net_null0@b)" duration
agree "$(metric pmdgen_device_l1_bytes_per_second net_null0@b)" \
	"$(of '.l1_bps / 8' /pmdgen/device,net_null0@b)" "L1 rate"
agree "$(metric pmdgen_device_packets_per_second net_null0@b)" "$(of .pps /pmdgen/device,net_null0@b)" rate

# The manual lists all of them.
same "$(sed -n 's/^# TYPE \(\S*\) .*/\1/p' "$DIR/text" | sort)" \
	"$(sed -n 's/^   \* - ``\(pmdgen_\w*\)``$/\1/p' "$PG_SOURCE/doc/telemetry.rst" | sort)" \
	"metrics in doc/telemetry.rst"

# During a run they move, and the port's account waits for its end.
set_to net_null0@b count 0 >/dev/null
start_run
first=$(metric pmdgen_device_sent_packets_total net_null0@b)
more() {
	[ "$(metric pmdgen_device_sent_packets_total net_null0@b)" -gt "$first" ]
}
wait_for 10 more || fail "counters stand still"
same "$(metric pmdgen_running)" 1 "running"
same "$(metric pmdgen_device_running net_null0@b)" 1 "running of the device"
set_to pgctrl stop >/dev/null
wait "$STARTER" || fail "start: $(cat "$DIR/started")"
same "$(metric pmdgen_running)" 0 "running after stop"

# What nodes count: a thousand packets, of UDP all.
set_to net_null0@b xmit_mode netif_receive >/dev/null
set_to net_null0@b rx_graph drop >/dev/null
set_to net_null0@b count 1000 >/dev/null
set_to pgctrl start >/dev/null
same "$(metric pmdgen_counter_packets_total 'counter="xdp: udp"')" 1000 "packets by protocol"

# status WANTED CURL-ARGUMENT...
status() {
	same "$(curl -sS --max-time 20 -o "$DIR/body" -w '%{http_code}' "${@:2}")" "$1" "status of ${*:2}"
}
status 404 "http://127.0.0.1:$PORT/"
status 404 "http://127.0.0.1:$PORT/metrics/x"
status 405 -X POST -d x "http://127.0.0.1:$PORT/metrics"
status 200 -I "http://127.0.0.1:$PORT/metrics"
# Loopback alone: no other address of this machine answers.
other=$(ip -4 -o addr show scope global 2>/dev/null | awk 'NR == 1 {sub("/.*", "", $4); print $4}')
if [ -n "$other" ] && curl -s --max-time 3 -o /dev/null "http://$other:$PORT/metrics"; then
	fail "it answers at $other"
fi

# The same port again is refused with a remedy; nothing runs.
taken=$PORT
server=$PID
OUT=$DIR/out2
ERR=$DIR/err2
invoke --lcores "$LCORES" --no-pci --file-prefix="$PREFIX.2" "${MEMORY[@]}" -- --metrics "127.0.0.1:$taken" "$CMDS"
same "$RC" 3 "status with a port that is taken"
says "$ERR" "^pmdgen: cannot serve metrics at 127.0.0.1:$taken: .*; take another port"
silent "$OUT" Result:
for bad in '' x 65536 -1 1.2.3:80 300.1.1.1:80 '[::1:80' '[::1]' host.example:80 :: 80x ':' 127.0.0.1: ' 80'; do
	invoke --metrics "$bad" "$CMDS"
	same "$RC" 2 "status of --metrics '$bad'"
	says "$ERR" "^pmdgen: --metrics '.*'; expected ADDRESS:PORT"
done
PID=$server
OUT=$DIR/out
ERR=$DIR/err
kill -INT "$PID"
finish 0
