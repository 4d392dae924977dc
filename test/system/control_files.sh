#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Control files: names, modes, texts, errors; `start` blocks its writer and nothing else.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/files.sh"

serve -q
NAME=net_null0@0

# What is there, for whom; the same text as the prompt's `show`, and size 0.
same "$(ls "$CTL")" $'kpktgend_0\nkpktgend_1\npgctrl' "names"
same "$(stat -c '%a %u %s' "$CTL/pgctrl" "$CTL/kpktgend_1")" $'600 0 0\n600 0 0' "modes"
same "$(stat -c '%a %u' "$CTL")" "700 0" "mode of the directory"
same "$(cat "$CTL/pgctrl")" "Packet Generator for packet performance testing. Version: 2.75" "pgctrl"
same "$(cat "$CTL/kpktgend_0")" $'Running: \nStopped: \nResult: NA' "a thread"
[ -w "$CTL/pgctrl" ] || fail "pgctrl is not writable"
if (echo x >"$CTL/kpktgend_7") 2>"$DIR/refused"; then fail "a file was made"; fi
says "$DIR/refused" 'No such file or directory$'
for word in "mkdir $CTL/x" "rm $CTL/pgctrl" "chmod 666 $CTL/pgctrl" "mv $CTL/pgctrl $CTL/x"; do
	if $word 2>"$DIR/refused"; then fail "no error from $word"; fi
done

# A file of a device is there with the device, at once, and gone with it, also for who looked before.
for _ in 1 2 3; do
	[ ! -e "$CTL/$NAME" ] || fail "$NAME is there before its device"
	put kpktgend_0 add_device $NAME
	[ -w "$CTL/$NAME" ] || fail "no file after add_device"
	same "$(ls "$CTL")" $'kpktgend_0\nkpktgend_1\nnet_null0@0\npgctrl' "names"
	same "$(result kpktgend_0)" "OK: add_device=$NAME" "reply"
	same "$(result $NAME)" Idle "reply of a new device"
	exec 3<>"$CTL/$NAME"
	put kpktgend_0 rem_device_all
	if (echo count 5 >&3) 2>/dev/null; then fail "wrote to a device that is gone"; fi
	if (cat <&3) >/dev/null 2>&1; then fail "read a device that is gone"; fi
	exec 3>&-
done

# The first characters decide, several writes go through one descriptor, append is no offset.
put kpktgend_0 add_device $NAME
exec 3>>"$CTL/$NAME"
for n in 1 2 3; do
	echo "count $n" >&3
	same "$(result $NAME)" "OK: count=$n" "reply"
done
exec 3>&-
put $NAME "count=17 burst"
says "$CTL/$NAME" '^Params: count 17 '

# Errors are the kernel's, and change nothing.
refused $NAME 'Invalid argument$' cuont 5
same "$(result $NAME)" 'No such parameter "cuont"' "reply"
refused kpktgend_0 'Invalid argument$' add_devcie x
same "$(result kpktgend_0)" "OK: add_device=$NAME" "reply of a thread that did not understand"
refused kpktgend_0 'Device or resource busy$' add_device $NAME
refused kpktgend_1 'No such device$' add_device nosuch0
same "$(result kpktgend_1)" "ERROR: can not add device nosuch0" "reply"
refused kpktgend_1 'Invalid argument$' "add_device net_null0@a/b"
refused pgctrl 'Invalid argument$' "start now"
says "$CTL/$NAME" '^Params: count 17 '

# A write of any size is one command.
same "$(python3 - "$CTL/$NAME" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
for size in (100000, 200000, 3000000):
    data = b"count 18 " + b"x" * size + b"\ncount 5\n"
    try:
        print(os.write(fd, data) == len(data))
    except OSError as e:
        print(e.strerror)
P
)" $'True\nArgument list too long\nArgument list too long' "long writes"
says "$CTL/$NAME" '^Params: count 18 '

# start blocks; meanwhile all else works, and the figures live.
blocked() {
	env --default-signal=INT bash -c 'trap true SIGINT; echo start >"$1/pgctrl"; echo $?' - "$CTL" >"$DIR/starter" 2>&1 &
	STARTER=$!
	wait_for 20 is_running $NAME || fail "no run"
}
put $NAME count 0
blocked
wait_for 20 sends $NAME 1000 || fail "nothing sent"
A=$(field $NAME pkts-sofar)
wait_for 20 sends $NAME $((A + 1000)) || fail "pkts-sofar stands still"
same "$(result $NAME)" Starting "reply while it runs"
put kpktgend_1 add_device net_null1
put net_null1 count 5
refused $NAME 'Invalid argument$' cuont 5
if ended $STARTER; then fail "start did not block"; fi
same "$(cat "$DIR/starter")" "" "what the starter says"

# No thread of the files stays on the CPU that polls, if there is another.
CPUS=$(tr , '\n' <<<"$LCORES" | sed 's/.*@//')
if [ "$(sort -u <<<"$CPUS" | wc -l)" -eq 2 ]; then
	for task in "/proc/$PID/task"/*; do
		case $(cat "$task/comm") in
		pmdgen-files) same "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$task/status")" \
			"$(taskset -cp $$ | sed 's/.*: //' | python3 -c '
import sys
cpus = set()
for part in sys.stdin.read().strip().split(","):
    a, _, b = part.partition("-")
    cpus |= set(range(int(a), int(b or a) + 1))
cpus.discard(int(sys.argv[1]))
runs = []
for c in sorted(cpus):
    if runs and runs[-1][1] == c - 1: runs[-1][1] = c
    else: runs.append([c, c])
print(",".join("%d-%d" % (a, b) if a != b else str(a) for a, b in runs))' "$(head -n 1 <<<"$CPUS")")" \
			"CPUs of a thread of the files" ;;
		esac
	done
fi
[ "$(cat "/proc/$PID/task"/*/comm | grep -c '^pmdgen-files$')" -gt 4 ] || fail "no threads named pmdgen-files"

# stop from elsewhere: the writer has succeeded.
put pgctrl stop
wait_for 20 ended $STARTER || fail "stop did not end start"
same "$(cat "$DIR/starter")" 0 "status of a write that stop has ended"
says "$CTL/$NAME" '^Result: OK: '

# Ctrl-C for the writer: its run ends, it has succeeded.
blocked
kill -s INT $STARTER # bash waits in write() itself: echo is its own
wait_for 20 ended $STARTER || fail "an interrupted start goes on"
same "$(cat "$DIR/starter")" 0 "status of a write that was interrupted"
wait_for 20 is_stopped $NAME || fail "the run goes on"
says "$CTL/$NAME" '^Result: OK: '

# SIGKILL too.
blocked
kill -s KILL $STARTER
wait_for 20 ended $STARTER || fail "a killed start goes on"
wait_for 20 is_stopped $NAME || fail "the run of a killed starter goes on"
says "$CTL/$NAME" '^Result: OK: '

# start while a run goes on: anew, and both writers return at its end.
blocked
wait_for 20 sends $NAME 1000 || fail "nothing sent"
put $NAME count 1000
FIRST=$STARTER
put pgctrl start
wait_for 20 ended $FIRST || fail "the first writer still waits"
same "$(cat "$DIR/starter")" 0 "status of the first writer"
same "$(field $NAME pkts-sofar)" 1000 "packets of the new run"

# Many writers of start wait, and the files still answer.
put $NAME count 0
for _ in $(seq 40); do (echo start >"$CTL/pgctrl") & done
wait_for 20 is_running $NAME || fail "no run"
sleep 0.3
timeout 5 cat "$CTL"/* >/dev/null || fail "40 starters hold the files up"
put pgctrl stop
for _ in $(seq 39); do wait -n; done

# reset during a run ends it, and its writer has succeeded.
wait_for 20 is_stopped $NAME || fail "the run goes on"
blocked
put pgctrl reset
wait_for 20 ended $STARTER || fail "reset did not end start"
same "$(cat "$DIR/starter")" 0 "status of a write that reset has ended"
same "$(ls "$CTL")" $'kpktgend_0\nkpktgend_1\npgctrl' "names after reset"

# The end: a run that goes on has its result, the directory is gone.
put kpktgend_0 add_device $NAME
put $NAME count 0
blocked
kill -s TERM "$PID"
finish 0
wait_for 20 ended $STARTER || fail "the starter still waits"
same "$(cat "$DIR/starter")" 0 "status of a write that SIGTERM has ended"
if is_mounted "$CTL"; then fail "still mounted"; fi
[ ! -e "$CTL" ] || fail "the directory is still there"
check '.runs[-1].devices[0].sent > 0'
