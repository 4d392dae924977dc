#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Reading everything ten times a second, all through a run, holds up neither the reader nor the run.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"

serve -e 'kpktgend_0 add_device net_null0@a' -e 'kpktgend_0 add_device net_null0@b' \
	-e 'net_null0@a count 0' -e 'net_null0@b count 0' -e 'net_null0@b xmit_mode netif_receive'
start_run
timeout 60 python3 "$PG_SOURCE/test/system/doors.py" "$SOCKET" read "$PORT" 10 >"$DIR/read" ||
	fail "reading: $(cat "$DIR/read")"
if ended "$STARTER"; then fail "the run has ended: $(cat "$DIR/started")"; fi
set_to pgctrl stop >/dev/null
wait "$STARTER"
kill -TERM "$PID"
finish 0
jq -c 'del(.sent)' "$DIR/read"
# One reading is seven requests; other programs take the CPUs too.
jq -e '.readings >= 50 and .slowest_s < 3' "$DIR/read" >/dev/null || fail "reading was held up: $(cat "$DIR/read")"
# Other programs may keep the worker off its CPU for a while, but not for 2 s.
jq -e '[.sent, .sent[20:]] | transpose | map(select(.[1] != null)) | length > 20 and all(.[0] < .[1])' \
	"$DIR/read" >/dev/null || fail "for twenty readings nothing was sent: $(cat "$DIR/read")"
check '[.runs[].devices[].interrupted] == [true, true]'
