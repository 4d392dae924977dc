#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# pmdgen-set: replies, exit statuses, lines of standard input, ^C, and which process is meant.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"

# try STATUS ARGUMENT...: its output in $DIR/said and $DIR/told.
try() {
	local rc=0
	timeout 60 "$SET" "${@:2}" >"$DIR/said" 2>"$DIR/told" || rc=$?
	[ "$rc" -eq "$1" ] || fail "status $rc, not $1, of pmdgen-set ${*:2}: $(cat "$DIR/said" "$DIR/told")"
}

try 3 -p "$PREFIX" pgctrl stop
says "$DIR/told" "^pmdgen-set: no pmdgen with file prefix '$PREFIX' answers; "

serve -e 'kpktgend_0 add_device net_null0@x'
try 0 -p "$PREFIX" net_null0@x count 7
same "$(cat "$DIR/said" "$DIR/told")" "OK: count=7" "the reply"
try 0 -p "$PREFIX" net_null0@x 'pkt_size' '100 # a comment'
same "$(cat "$DIR/said")" "OK: pkt_size=100" "the reply"
try 0 -p "$PREFIX" net_null0@x
says "$DIR/said" '^Params: count 7  min_pkt_size: 100 '
says "$DIR/said" '^Result: OK: pkt_size=100$'
try 0 -p "$PREFIX" pgctrl
says "$DIR/said" '^Packet Generator'
try 0 -p "$PREFIX" kpktgend_0
same "$(sed -n 2p "$DIR/said")" "Stopped: net_null0@x " "a thread's devices"
try 0 -p "$PREFIX" --list
same "$(xargs <"$DIR/said")" "pgctrl kpktgend_0 kpktgend_1 net_null0@x" "the targets"

# Wrong lines: status 2, the place, a caret, and nothing on standard output.
try 2 -p "$PREFIX" net_null0@x cuont 5
same "$(sed -n 3p "$DIR/told")" "              ^" "the caret"
says "$DIR/told" "^pmdgen-set:1:13: unknown command 'cuont'"
[ ! -s "$DIR/said" ] || fail "something on standard output"
try 2 -p "$PREFIX" none
says "$DIR/told" "unknown target 'none'"
try 2 -p "$PREFIX" net_null0@x count $'5\nnet_null0@x count 6'
says "$DIR/told" 'one line'
try 2 -p "$PREFIX" net_null0@x "$(head -c 2000 /dev/zero | tr '\0' x)"
says "$DIR/told" 'too long; expected at most 1006 bytes'
for words in "" "- x" "--list x" "--wrong" "-p"; do
	# shellcheck disable=SC2086 # words
	try 2 $words
done
try 0 --help

# Lines of standard input share sections, and end at the first that is wrong.
try 0 -p "$PREFIX" - <<'E'
# a comment

[net_null0@x]
count 11
kpktgend_0 add_device net_null0@y
count 12   # the section still counts
[net_null0@y]
count 13
E
same "$(cat "$DIR/said")" "OK: count=11
OK: add_device=net_null0@y
OK: count=12
OK: count=13" "replies to lines"
same "$(set_to net_null0@x | sed -n 's/.*count \([0-9]*\) .*/\1/p')" 12 "count of x"
same "$(set_to net_null0@y | sed -n 's/.*count \([0-9]*\) .*/\1/p')" 13 "count of y"
printf '[net_null0@y]\ncount 14\ncount z\ncount 15\n' >"$DIR/lines"
try 2 -p "$PREFIX" - <"$DIR/lines"
says "$DIR/told" '^-:3:7: '
same "$(cat "$DIR/said")" "OK: count=14" "replies before the wrong line"
same "$(set_to net_null0@y | sed -n 's/.*count \([0-9]*\) .*/\1/p')" 14 "count after the wrong line"
printf '[net_null0@z]\ncount 14\n' >"$DIR/lines"
try 2 -p "$PREFIX" - <"$DIR/lines"
says "$DIR/told" '^-:1:2: unknown target'

# ^C while start waits ends the run, and is no failure.
set_to net_null0@x count 0 >/dev/null
for signal in INT TERM; do
	# In the background bash lets commands ignore SIGINT; a process that python starts does not.
	python3 -c 'import signal, os, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])' "$SET" -p "$PREFIX" pgctrl start >"$DIR/started" 2>&1 &
	STARTER=$!
	wait_for 20 runs || fail "no device runs"
	kill -s "$signal" "$STARTER"
	wait "$STARTER" || fail "SIG$signal: status $?: $(cat "$DIR/started")"
	same "$(cat "$DIR/started")" "OK: start" "the reply to start"
	if runs; then fail "SIG$signal: it still runs"; fi
done

# Killed, it leaves the run to whoever ends it, and the connection is free again.
start_run
kill -KILL "$STARTER"
wait "$STARTER" 2>/dev/null || true
runs || fail "the run has ended"
set_to pgctrl stop >/dev/null

# More clients than telemetry takes.
python3 - "$SOCKET" "$SET" "$PREFIX" <<'E' || fail "with all places taken"
import socket, subprocess, sys
held = []
for _ in range(10):
    held.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
    held[-1].connect(sys.argv[1])
    assert held[-1].recv(1024)
p = subprocess.run([sys.argv[2], "-p", sys.argv[3], "pgctrl"], capture_output=True, text=True, timeout=30)
assert p.returncode == 3 and "10 clients" in p.stderr, p
E
wait_for 10 set_to pgctrl >/dev/null || fail "no place is free again"

# It ends while a line is under way.
start_run
kill -TERM "$PID"
finish 0
wait "$STARTER" || [ $? -eq 3 ] || fail "the client that waited ended otherwise"
try 3 -p "$PREFIX" pgctrl
