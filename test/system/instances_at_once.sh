#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Four instances that start in the same moment: whatever the others take meanwhile, each finds memory.
. "$(dirname "$0")/lib.sh"

for _ in 1 2 3; do
	pids=()
	for i in 1 2 3 4; do
		OUT=$DIR/out$i
		ERR=$DIR/err$i
		start_plain -j "$DIR/report$i.json" -e "kpktgend_0 add_device net_null0" \
			-e "net_null0 count 100000" -e "pgctrl start"
		pids[i]=$PID
	done
	for i in 1 2 3 4; do
		OUT=$DIR/out$i
		ERR=$DIR/err$i
		JSON=$DIR/report$i.json
		PID=${pids[i]}
		finish 0
		check '[.runs[].devices[].sent] == [100000]'
	done
done
