#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The prompt on a pipe: what comes out reads like a session, mistakes show in the exit status, and
# they change nothing.
. "$(dirname "$0")/lib.sh"

export XDG_STATE_HOME=$DIR/state

# Each line stands behind the prompt that it was an answer to; pgctrl may be left out.
piped 0 'kpktgend_0 add_device net_null0\n[net_null0]\n\n# so\ncount 5\nstart\n[pgctrl]\nquit\nnosuch\n' -i
sed '/Result:/,/^clock:/d' "$OUT" | diff - <(printf '%s\n' 'pmdgen> kpktgend_0 add_device net_null0' \
	'pmdgen> [net_null0]' 'pmdgen net_null0> ' 'pmdgen net_null0> # so' 'pmdgen net_null0> count 5' \
	'pmdgen net_null0> start' 'pmdgen net_null0> [pgctrl]' 'pmdgen pgctrl> quit') >"$DIR/diff" ||
	fail "not a session: $(cat "$DIR/diff")"
check '[.runs[].devices[].sent] == [5]'
[ ! -e "$XDG_STATE_HOME" ] || fail "there is a history of a pipe"

# After files and lines; without a last newline; quietly.
printf 'kpktgend_0 add_device net_null0\n' >"$DIR/before"
piped 0 'net_null0 count 6\nstart' -i -q "$DIR/before" -e 'net_null0 delay 1000'
silent "$OUT" pmdgen
check '[.runs[].devices[].sent] == [6]'
# A mistake before it: then there is no prompt. One reader of standard input.
piped 2 'start\n' -i -e 'net_null0 count 5'
silent "$OUT" 'pmdgen>'
piped 2 '' -i -
says "$ERR" "^pmdgen: --interactive '-'; expected one of them"
# A long name loses its middle.
piped 0 'kpktgend_0 add_device net_null0@a_tag_of_many_letters\n[net_null0@a_tag_of_many_letters]\n' -i
says "$OUT" '^pmdgen net_null0\.\.any_letters> $'

# A mistake costs its line, and shows in the exit status.
piped 2 'kpktgend_0 add_device net_null0\nnet_null0 cuont 5\nnet_null0 count 7\nstart\nquit\n' -i
says "$ERR" "^prompt:2:11: unknown command 'cuont'; expected .*did you mean 'count'\\?$"
says "$ERR" '^            \^$'
check '[.runs[].devices[].sent] == [7]'
piped 3 'attach net_pcap9,nosuch=1\nquit\n' -i

# Two hundred malformed lines: an error each, and nothing has changed.
{
	printf '%s\n' 'kpktgend_0 add_device net_null0' 'net_null0 count 77' "save $DIR/before"
	for ((i = 0; i < 20; i++)); do
		printf '%s\n' "cuont $i" "net_null0 count x$i" "[nosuch$i]" "[net_null0" "flag $i" \
			"net_null0 flag SHARED $i" "kpktgend_0 add_device net_null0" "net_null0"
		printf 'net_null0 count 5\0%d\n' "$i"
		printf 'net_null0 count %05000d\n' 5
	done
	printf '%s\n' "save $DIR/after" quit
} >"$DIR/lines"
eal
RC=0
timeout -k 5 "$LIMIT" "$PMDGEN" "${EAL[@]}" -- -i -q <"$DIR/lines" >"$OUT" 2>"$ERR" || RC=$?
sound
same "$RC" 2 "the exit status"
same "$(grep -cE '^prompt:[0-9]+:[0-9]+: ' "$ERR")" 200 "errors"
cmp "$DIR/before" "$DIR/after"
says "$DIR/after" '^count 77$'

# Who writes line by line is answered line by line.
mkfifo "$DIR/pipe"
exec 7<>"$DIR/pipe"
start -i <"$DIR/pipe" 7>&-
prompts() {
	[ "$(grep -o 'pmdgen[^>]*> ' "$OUT" | wc -l)" -ge "$1" ]
}
wait_for 20 prompts 1 || fail "no prompt"
printf 'kpktgend_0 add_device net_null0\n' >&7
wait_for 20 prompts 2 || fail "no second prompt"
printf 'net_null0 count 0\nstart\n' >&7
wait_for 20 grep -q '> start$' "$OUT" || fail "start is not echoed"
sleep 0.5
kill -s INT "$PID"
wait_for 20 has_results "$OUT" 1 || fail "SIGINT did not end the run"
printf 'net_null0 count 3\nstart\nquit\n' >&7
finish 0 20
exec 7>&-
check '[.runs[].interrupted] == [true, false] and .runs[1].devices[0].sent == 3'
