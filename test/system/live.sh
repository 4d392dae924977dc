#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What is seen of a run while it goes on: on a terminal, in tmux; elsewhere; and not with --quiet.
. "$(dirname "$0")/lib.sh"

# Elsewhere: a line after ten seconds, for a run of eleven.
SLOW=(-e "kpktgend_0 add_device net_null0" -e "net_null0 count 1100" -e "net_null0 ratep 100"
	-e "kpktgend_0 add_device net_null0@x" -e "net_null0@x count 1100" -e "net_null0@x ratep 100"
	-e "net_null0@x xmit_mode netif_receive" -e "net_null0@x rx_graph drop" -e "pgctrl start")
eal
RC=0
timeout -k 5 "$LIMIT" "$PMDGEN" "${EAL[@]}" -- -j - "${SLOW[@]}" >"$JSON" 2>"$ERR" </dev/null || RC=$?
((RC <= 1)) || fail "exit status $RC"
check '.runs[0].devices[0].sent == 1100'
same "$(grep -c '^net_null0: 9[0-9]\.[0-9] %, 10 s, left: 1 s: ' "$ERR")" 1 "lines of the live view"
says "$ERR" '^net_null0: .*: [0-9.]+ k?pps, .* sent, 0 errors, [0-9.]+ % idle, [0-9.]+ % of the rate asked for'
# Of what was dropped, a second, by protocol: live, and of the whole run.
says "$ERR" '^net_null0@x: .* 1?[09][0-9]{2} errors, '
same "$(grep -c '^proto 17: [0-9]+ drops/s$' -E "$ERR")" 1 "lines of drops by protocol"
says "$ERR" '^     counted, xdp: udp +1100$'
rate=$(get '.runs[0].devices[1].profile.counters[0] | "\(.name) \(.protocol) \(.packets) \(.pps | round)"')
says "$ERR" "^     proto 17: ${rate##* } drops/s\$"
same "${rate% *}" "xdp: udp 17 1100" "the counter in the report"
check '.runs[0].devices[1] | (.profile.counters[0].pps * .duration_ns / 1e9 - 1100 | fabs) < 1e-6'
run_paced -q "${SLOW[@]}"
silent "$OUT" 'left: '
silent "$OUT" '^proto 17: '

need tmux
export XDG_STATE_HOME=$DIR/state SHELL=/bin/sh # of tmux; a user may have none
TMUX_SOCKET=$DIR/tmux
screen() {
	tmux -S "$TMUX_SOCKET" "$@"
}
shows() {
	screen capture-pane -p >"$OUT"
	grep -qE -- "$1" "$OUT"
}
# Whole at one time: drawn, not half way.
await() {
	wait_for 20 shows "$1" || fail "the screen does not show '$1'"
}
type_keys() {
	screen send-keys "$@"
}

# A server that ends before it answers is no failure.
trap 'tmux -S "$TMUX_SOCKET" kill-server 2>/dev/null || true; finish_test' EXIT
eal
screen -f /dev/null new-session -d -x 100 -y 12 "$PMDGEN ${EAL[*]} -- -i; sleep 30"
await '^pmdgen> *$'
# Completion of a device, a command and a flag, as it is seen.
type_keys 'kpktgend_0 add_d' Tab 'net_null0@1' Enter
await '^pmdgen> kpktgend_0 add_device net_null0@1$'
type_keys '[net_n' Tab Enter
await '^pmdgen net_null0@1> *$'
type_keys 'flag !SH' Tab Enter
await '^pmdgen net_null0@1> flag !SHARED$'
type_keys 'cuont 5' Enter
await '^  cuont 5$'
await '^  \^$'
# One device: a head, a line, and that it goes on until it is stopped.
type_keys 'count 0' Enter 'start' Enter
await '^net_null0@1 +[0-9.]+ [kM]pps +[0-9.]+ [kMG]bit/s +- +[0-9]+ +0 +0\.0 % +[0-9.]+$'
shows '^device +rate +L1 +of asked +sent +errors +idle +cyc/pkt$' || fail "no head"
shows '^[0-9]+ s, until stopped \(Ctrl-C\)$' || fail "no time"
type_keys C-c
await '^pmdgen net_null0@1> *$'
shows '^     sent: [0-9]+ packets .*, interrupted$' || fail "no result"
if shows 'until stopped \(Ctrl-C\)|cyc/pkt'; then fail "the live view is still there"; fi
# More devices than the terminal has lines: the view fits, the others are summed.
for ((i = 2; i <= 20; i++)); do
	type_keys "kpktgend_0 add_device net_null0@$i" Enter
	type_keys "net_null0@$i count 3000" Enter "net_null0@$i ratep 1000" Enter
done
type_keys 'count 3000' Enter 'ratep 1000' Enter
await '^pmdgen net_null0@1> ratep 1000$'
type_keys 'start' Enter
await '^\[#*\.*\] [0-9.]+ %, [0-9]+ s, left: [0-9]+ s$'
shows '^all 20, [0-9]+ running ' || fail "no sum"
shows '^net_null0@6 .* [0-9.]+ % +[0-9]+ ' || fail "no sixth device"
shows '^14 more ' || fail "the others are not summed"
if shows '^net_null0@7 '; then fail "a seventh device where there is no room"; fi
shows '^device ' || fail "the head is off the screen"
await '^pmdgen net_null0@1> *$'
if shows 'left: |cyc/pkt|14 more'; then fail "the live view is still there"; fi
type_keys 'quit' Enter
