#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prometheus's own tool has nothing to complain about. Its package starts a server, so nothing installs
# it for this test.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"
need promtool

serve -e 'kpktgend_0 add_device net_null0@a' -e 'kpktgend_0 add_device net_null0@b' -e 'net_null0@a count 10' \
	-e 'net_null0@b xmit_mode netif_receive' -e 'net_null0@b count 10' -e 'pgctrl start'
wait_for 20 has_results "$OUT" 2 || fail "the run has not ended"
page >"$DIR/text"
[ "$(wc -l <"$DIR/text")" -gt 50 ] || fail "hardly anything on the page"
promtool check metrics <"$DIR/text" >"$DIR/said" 2>&1 || fail "promtool: $(cat "$DIR/said")"
same "$(cat "$DIR/said")" "" "what promtool says"
kill -TERM "$PID"
finish 0
