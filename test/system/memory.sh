#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where memory comes from when the user says little or nothing about it.
. "$(dirname "$0")/lib.sh"

LINES=(-e "kpktgend_0 add_device net_null0" -e "pgctrl start")
sends() {
	invoke "$@" -j "$JSON" "${LINES[@]}"
	same "$RC" 0 "exit status of: $*"
	check '[.runs[].devices[].sent] == [1000]'
}

# Nothing said: hugepages if there are enough, else none; it runs either way.
sends
# An amount that was asked for is EAL's.
sends --memory 128
check '.eal_args | index("-m") as $m | .[$m + 1] == "128"'
# More than any machine has free hugepages for.
sends --memory $((($(free_hugepages) + 64) * 2))
check '.eal_args | index("--no-huge")'

# EAL arguments that say nothing of memory are filled up.
sends --lcores "$LCORES" --no-pci --file-prefix="$PREFIX" --

# What does not fit is refused before it runs, with the figure and the remedy.
commands <<E
kpktgend_0 add_device net_null0
net_null0 pkt_size 65000
pgctrl start
E
invoke --lcores "$LCORES" --no-pci --file-prefix="$PREFIX" --no-huge -m 64 --no-shconf -- "$CMDS"
same "$RC" 3 "exit status of a pool larger than the memory"
says "$ERR" "^$CMDS:3:[0-9]+: .*[0-9]+ MB.*--memory"
silent "$OUT" Result:
run 0 "$CMDS"
check '.runs[0].devices[0].bytes == 65000 * 1000'
