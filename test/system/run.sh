# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced after lib.sh by the tests of pmdgen-run.

[ -c /dev/fuse ] || skip "there is no /dev/fuse"
need_root "to mount without fusermount3"
grep -qw fuse /proc/filesystems || skip "this kernel has no FUSE"
unshare -m true 2>/dev/null || skip "no right to mount"
need python3 setsid
RUN=$PG_SOURCE/scripts/pmdgen-run
# shellcheck disable=SC2034 # the tests name scripts by it
SCRIPTS=$PG_SOURCE/test/system/scripts

# script STATUS [OPTION...] -- SCRIPT [ARGUMENT...]: in an EAL as this test wants it.
script() {
	local want=$1
	shift
	eal
	RC=0
	timeout -k 5 "$LIMIT" "${WRAP[@]}" "$RUN" --eal "${EAL[*]}" "$@" >"$OUT" 2>"$ERR" </dev/null || RC=$?
	sound
	[ "$RC" -eq "$want" ] || fail "exit status $RC, not $want, of: $*"
}

# begin -- SCRIPT [ARGUMENT...]: as $PID, a process group of its own in which Ctrl-C means something.
begin() {
	eal
	: >"$OUT"
	: >"$ERR"
	setsid env --default-signal=INT "${WRAP[@]}" "$RUN" --eal "${EAL[*]}" "$@" >"$OUT" 2>"$ERR" </dev/null &
	PID=$!
}

says_running() {
	grep -q '^Running' "$ERR"
}

# Ctrl-C once the script has started its run, a moment later.
interrupt() {
	wait_for 30 says_running || fail "the script does not run"
	sleep 0.7
	kill -s INT -- "-$PID"
	finish "$1"
}

# What the script itself has to complain of.
complaints() {
	awk '!/^(Running|EAL: |TELEMETRY: )/' "$ERR"
}
