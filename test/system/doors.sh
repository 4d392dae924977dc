# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced after lib.sh by tests of the doors for machines: a pmdgen that serves them.
# shellcheck source=test/system/lib.sh
need python3 curl

SET=$PG_SOURCE/scripts/pmdgen-set
PORT=

# The telemetry socket of a prefix, where EAL puts it for this user.
socket_of() {
	local dir=/var/run
	if [ "$(id -u)" -ne 0 ]; then dir=${XDG_RUNTIME_DIR:-/tmp/pmdgen-$(id -u)}; fi
	echo "$dir/dpdk/$1/dpdk_telemetry.v2"
}
SOCKET=$(socket_of "$PREFIX")

told_port() {
	PORT=$(sed -n 's,^metrics: http://.*:\([0-9]*\)/metrics$,\1,p' "$OUT")
	[ -n "$PORT" ] || ended "$PID"
}

answers() {
	ask /pmdgen/threads 2>/dev/null | grep -q kpktgend_0 || ended "$PID"
}

# serve [ARGUMENT...]: as start, with all doors; returns once they are open.
serve() {
	start -v --serve --metrics 0 "$@" </dev/null
	wait_for 30 told_port || fail "no line that tells the port of the metrics"
	wait_for 30 answers || fail "telemetry does not answer"
	if ended "$PID"; then fail "the program has ended"; fi
}

# ask REQUEST...: the replies of telemetry, one line each.
ask() {
	python3 "$PG_SOURCE/test/system/doors.py" "$SOCKET" ask "$@"
}

# of FILTER REQUEST: what jq makes of a reply's value.
of() {
	ask "$2" | jq -r "first(.[]) | $1"
}

set_to() {
	timeout 30 "$SET" -p "$PREFIX" "$@"
}

# shellcheck disable=SC2120 # curl's arguments are optional
page() {
	curl -sS --max-time 20 "http://127.0.0.1:$PORT/metrics" "$@"
}

# metric NAME [LABELS]: a sample's value.
metric() {
	page | name=$1 labels=${2-} awk 'index($0, ENVIRON["name"]) == 1 && index($0, ENVIRON["labels"]) &&
		substr($0, length(ENVIRON["name"]) + 1, 1) ~ /[{ ]/ && !found {print $NF; found = 1}'
}

runs() {
	[ "$(of 'map(.running) | add' /pmdgen/devices)" -gt 0 ]
}

# A client that waits for a run, as process $STARTER; returns when devices run.
start_run() {
	timeout 60 "$SET" -p "$PREFIX" pgctrl start >"$DIR/started" 2>&1 &
	# shellcheck disable=SC2034 # for who waits for it
	STARTER=$!
	wait_for 20 runs || fail "no device runs: $(cat "$DIR/started")"
}
