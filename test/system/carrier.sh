#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An interface without carrier does not let a run hang unsaid: it is refused, or ends with the reason.
. "$(dirname "$0")/lib.sh"
veth 1500

# Lost in the middle of a run: it can be ended, with its results, and they are what really left.
commands <<E
kpktgend_0 add_device pg0
pg0 count 1
pgctrl start
pg0 count 0
pgctrl start
E
start "$CMDS"
wait_run "$PID" "$OUT" 1
ip -n "$NS" link set pg1 down
sleep 1
if ! ended "$PID"; then kill -s INT "$PID"; fi
wait_for 20 ended "$PID" || fail "neither the carrier nor SIGINT ended the run"
RC=0
wait "$PID" || RC=$?
sound
[ "$RC" -le 1 ] || fail "exit status $RC after the carrier was lost"
check '.runs | length == 2'
sent=$(get '[.runs[].ports[].sent] | add')
held=$(get '[.runs[].ports[].not_drained] | add')
same "$(kernel pg0 tx packets)" $((sent - held)) "packets that pg0 has sent"
if [ "$RC" -eq 1 ]; then says "$OUT" 'did not drain|fell short'; fi

# Not there from the start.
LIMIT=15
eal
invoke "${EAL[@]}" -- -j "$JSON" -e "kpktgend_0 add_device pg0" -e "pg0 count 100000" -e "pgctrl start"
[ "$RC" -eq 3 ] || [ "$RC" -eq 1 ] || fail "exit status $RC without carrier"
grep -qiE 'link|carrier' "$ERR" "$OUT" || fail "nothing about the link"
