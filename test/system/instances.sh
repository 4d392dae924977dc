#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Several instances at the same time do not disturb each other.
. "$(dirname "$0")/lib.sh"

commands <<E
kpktgend_0 add_device net_null0
net_null0 count 1
pgctrl start
net_null0 count 0
pgctrl start
E

# take N: what belongs to instance N.
take() {
	OUT=$DIR/out$1
	ERR=$DIR/err$1
	JSON=$DIR/report$1.json
	PID=${PIDS[$1]:-}
}

# pair FUNCTION: it starts the instance that its argument says. The second starts while the first
# runs, and neither ends before both are in the middle of their runs.
pair() {
	local i
	PIDS=()
	for i in 1 2; do
		take $i
		"$1" $i
		PIDS[i]=$PID
		wait_run "$PID" "$OUT" 1
	done
	for i in 1 2; do
		take $i
		if ended "$PID"; then fail "instance $i has ended"; fi
	done
	for i in 1 2; do
		take $i
		kill -s INT "$PID"
		finish 0
		check '[.runs[].devices[].sent] | length == 2 and .[0] == 1 and .[1] > 1000'
		check '.runs[1].interrupted'
	done
}

with_prefix() {
	eal
	start_plain "${EAL[@]/$PREFIX/$PREFIX.$1}" -- -j "$JSON" "$CMDS"
}
pair with_prefix
without_memory() {
	start_plain --lcores "$LCORES" --no-pci --file-prefix="$PREFIX.$1" --no-huge -m 512 --no-shconf -- \
		-j "$JSON" "$CMDS"
}
pair without_memory

# Without any EAL argument both have the same prefix.
as_it_is() {
	start_plain -j "$JSON" "$CMDS"
}
pair as_it_is

# In a user's own private runtime directory as well.
mkdir "$DIR/run"
with_runtime_dir() {
	XDG_RUNTIME_DIR=$DIR/run start_plain -j "$JSON" "$CMDS"
}
pair with_runtime_dir
