#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Commands from a pipe: run as they come, up to the end of file, a wrong line, or a signal.
. "$(dirname "$0")/lib.sh"

# Sections, comments, and no newline at the end.
piped 0 '# from a pipe\n[kpktgend_0]\nadd_device net_null0\n\n[net_null0]\ncount 5\n[pgctrl]\nstart'
check '[.runs[].devices[].sent] == [5]'
# `-` is standard input, at its place among the files.
printf 'kpktgend_0 add_device net_null0\n' >"$DIR/before"
printf 'pgctrl start\n' >"$DIR/after"
piped 0 'net_null0 count 6\n' "$DIR/before" - "$DIR/after"
check '[.runs[].devices[].sent] == [6]'
# Nothing at all.
piped 0 ''
check '.runs == []'
piped 0 '\n\n   \n#\n'
check '.runs == []'
# A wrong line ends it; what ran before has run, what follows has not.
piped 2 'kpktgend_0 add_device net_null0\npgctrl start\nnet_null0 count x\npgctrl start\n'
says "$ERR" "^-:3:17: 'x' is not a number; expected "
same "$(grep -c 'Result: ' "$OUT")" 1 "results before the wrong line"
# A line longer than any command is an error, not a crash.
piped 2 "pgctrl $(printf '%05000d' 0)\n"
says "$ERR" '^(-:1:|pmdgen: -:)'
# The program reads a pipe that this test writes to as descriptor 7, and alone holds open.
open_pipe() {
	exec 7<>"$DIR/pipe"
	start - <"$DIR/pipe" 7>&-
}
mkfifo "$DIR/pipe"

# Lines run when they come, not at the end of file.
open_pipe
printf 'kpktgend_0 add_device net_null0\nnet_null0 co' >&7
printf 'unt 7\n[pgctrl]\nstart\n' >&7
wait_for 20 has_results "$OUT" 1 || fail "the run of the first lines did not come"
printf 'start\n' >&7
wait_for 20 has_results "$OUT" 2 || fail "the run of the last line did not come"
if ended "$PID"; then fail "ended although standard input is open"; fi
exec 7>&-
finish 0 10
check '[.runs[].devices[].sent] == [7, 7]'

# A signal while it waits for a line ends it.
for signal in TERM INT; do
	open_pipe
	printf 'kpktgend_0 add_device net_null0\npgctrl start\n' >&7
	wait_for 20 has_results "$OUT" 1 || fail "no run from the pipe"
	sleep 0.2
	kill -s "$signal" "$PID"
	finish 0 10
	exec 7>&-
	check '[.runs[].devices[].sent] == [1000]'
done

# A signal during a run from a pipe ends the run, and lines go on.
open_pipe
printf 'kpktgend_0 add_device net_null0\npgctrl start\nnet_null0 count 0\npgctrl start\n' >&7
wait_run "$PID" "$OUT" 1
kill -s INT "$PID"
wait_for 20 has_results "$OUT" 2 || fail "SIGINT did not end the run"
printf 'net_null0 count 3\npgctrl start\n' >&7
exec 7>&-
finish 0 10
check '[.runs[].interrupted] == [false, true, false] and .runs[2].devices[0].sent == 3'

# A NUL byte inside a line does not hide the rest of it.
piped 2 'kpktgend_0 add_device net_null0\nnet_null0 count 5\0 6\npgctrl start\n'
silent "$OUT" Result:
