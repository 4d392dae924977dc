#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# net_tap: what is sent arrives at the kernel's interface, by the kernel's counters.
. "$(dirname "$0")/lib.sh"
need ip
need_root "a tap interface"
[ -c /dev/net/tun ] || skip "no /dev/net/tun"
veth 1500 # for its namespace

mkfifo "$DIR/pipe"
exec 7<>"$DIR/pipe"
start - <"$DIR/pipe" 7>&-
cat >&7 <<E
pgctrl attach net_tap0,iface=pgtap
kpktgend_0 add_device net_tap0
E
BEFORE=0
BYTES=0
RUNS=0
for n in 1 31 32 33 100003; do
	printf 'net_tap0 count %d\npgctrl start\n' "$n" >&7
	RUNS=$((RUNS + 1))
	wait_for 30 has_results_or_ended "$PID" "$OUT" $RUNS || fail "no result"
	if ended "$PID"; then fail "the program has ended"; fi
	same "$(kernel pgtap rx packets)" $((BEFORE + n)) "packets that pgtap has received"
	same "$(kernel pgtap rx bytes)" $((BYTES + 58 * n)) "bytes that pgtap has received"
	BEFORE=$((BEFORE + n))
	BYTES=$((BYTES + 58 * n))
done
exec 7>&-
finish 0
check '[.runs[].devices[0].sent] == [1, 31, 32, 33, 100003]'
check '[.runs[].ports[0].sent] == [1, 31, 32, 33, 100003]'
check 'all(.runs[].devices[]; .pool_in_use == 0)'
check 'all(.runs[].ports[]; .lost == 0 and (.not_drained // 0) == 0)'
