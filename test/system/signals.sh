#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# SIGINT and SIGTERM end a run with its results and status 0, soon; a second one ends the program.
. "$(dirname "$0")/lib.sh"

SOON_MS=1000
if sanitized; then SOON_MS=5000; fi

# signalled SIGNAL SETTING...: a first run without end, then another one, which the signal ends.
signalled() {
	local signal=$1 t0 t1
	shift
	commands <<E
[kpktgend_0]
add_device net_null0
[net_null0]
count 1
[pgctrl]
start
[net_null0]
count 0
$(printf '%s\n' "$@")
[pgctrl]
start
E
	start "$CMDS"
	wait_run "$PID" "$OUT" 1
	t0=${EPOCHREALTIME/./}
	kill -s "$signal" "$PID"
	finish 0
	t1=${EPOCHREALTIME/./}
	echo "SIG$signal, $*: $(((t1 - t0) / 1000)) ms"
	[ $(((t1 - t0) / 1000)) -le $SOON_MS ] || fail "ended $(((t1 - t0) / 1000)) ms after SIG$signal"
	same "$(grep -c '^net_null0: Result: OK: ' "$OUT")" 2 "results"
	says "$OUT" '^     sent: [0-9]+ packets .*, interrupted$'
	check '.runs | length == 2'
	check '.runs[0] | .interrupted == false and .devices[0].sent == 1'
	check '.runs[1] | .interrupted and .devices[0].interrupted and (.devices[0].fell_short | not)'
	check '.runs[1].devices[0] | (.asked | has("packets") | not) and .sent > 0'
	check '.runs[1].devices[0] | .bytes == 58 * .sent'
}

for signal in INT TERM; do
	signalled $signal
	check '.runs[1] | .ports[0].sent == .devices[0].sent'
	signalled $signal "delay 1000000000"
	# One at once, and one for each second since.
	check '.runs[1].devices[0] | .sent == 1 + (.duration_ns / 1000000000 | floor)'
	signalled $signal "delay 2147483647000000"
	check '.runs[1].devices[0].sent == 1'
	signalled $signal "xmit_mode netif_receive"
	check '.runs[1].devices[0] | .errors == .sent'
done

# A run that its first packet has not left yet: delay 2147483647 means never.
commands <<E
kpktgend_0 add_device net_null0
net_null0 count 1
pgctrl start
net_null0 delay 2147483647
pgctrl start
E
start "$CMDS"
wait_run "$PID" "$OUT" 1
kill -s INT "$PID"
finish 0
check '.runs[1].devices[0] | .sent == 0 and .bytes == 0 and .interrupted'
says "$OUT" '^net_null0: Result: OK: [0-9]+\(c[0-9]+\+d[0-9]+\) usec, 0 \(58byte,-1frags\)$'

# Both threads end at the first signal.
commands <<E
kpktgend_0 add_device net_null0@0
kpktgend_1 add_device net_null0@1
net_null0@0 count 1
net_null0@1 count 1
pgctrl start
net_null0@0 count 0
net_null0@1 count 0
pgctrl start
E
start "$CMDS"
wait_run "$PID" "$OUT" 2
kill -s INT "$PID"
finish 0
check '.runs[1].devices | length == 2 and all(.interrupted and .sent > 0)'
check '.runs[1].ports[0] | .offered == .sent and .lost == 0'
check '.runs[1] | ([.devices[].sent] | add) == .ports[0].offered'

# The first signal ends the run and the next start follows; the second one ends the program.
commands <<E
kpktgend_0 add_device net_null0
net_null0 count 1
pgctrl start
net_null0 count 0
pgctrl start
pgctrl start
pgctrl start
E
start "$CMDS"
wait_run "$PID" "$OUT" 1
kill -s INT "$PID"
wait_run "$PID" "$OUT" 2
kill -s INT "$PID"
finish 0
same "$(grep -c 'Result: ' "$OUT")" 3 "results before the second signal ended the program"
check '[.runs[].interrupted] == [false, true, true]'
