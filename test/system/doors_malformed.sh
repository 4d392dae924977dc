#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# 200 wrong lines through each door: an error each, and nothing changes. Sanitizers see leaks.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"
LIMIT=110

serve -e 'kpktgend_0 add_device net_null0' -e 'net_null0 count 5'
set_to net_null0 src_min 10.0.0.1 >/dev/null
state() {
	local target
	for target in pgctrl kpktgend_0 net_null0; do set_to "$target"; done
	set_to --list
	page | grep -v '^pmdgen_clock'
}
state >"$DIR/before"
doors() {
	timeout "$LIMIT" python3 "$PG_SOURCE/test/system/doors.py" "$@"
}
doors "$SOCKET" malformed || fail "telemetry"
doors "$SOCKET" pmdgen-set "$SET" "$PREFIX" || fail "pmdgen-set"
doors "$PORT" malformed-http || fail "metrics"
state >"$DIR/after"
diff "$DIR/before" "$DIR/after" || fail "something has changed"

# It still does what it should.
same "$(set_to pgctrl start)" "OK: start" "a run"
kill -TERM "$PID"
finish 0
check '[.runs[].devices[].sent] == [5]'
# Nothing of all this was the program's to tell.
silent "$ERR" 'command:|unknown'
