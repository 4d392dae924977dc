#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Lines that are right alone and wrong after others: refused at the later one, before anything runs.
. "$(dirname "$0")/lib.sh"

# refuse REGEX LINE... MARKED: after a device and a start; '|' stands before the wrong word. What is
# wrong is collected, so that all of it is seen.
WRONG=
refuse() {
	local regex=$1 marked=${*: -1} args=() before line
	shift
	set -- "${@:1:$#-1}"
	for line in "kpktgend_0 add_device net_null0" "pgctrl start" "$@" "${marked/|/}"; do
		args+=(-e "$line")
	done
	before=${marked%%|*}
	eal
	invoke "${EAL[@]}" -- "${args[@]}" -e "pgctrl start"
	line="$* ${marked/|/}"
	[ "$RC" -eq 2 ] || WRONG+="$line: exit status $RC, not 2"$'\n'
	grep -qE "^-e:$(($# + 3)):$((${#before} + 1)): .*$regex.*; expected .+" "$ERR" ||
		WRONG+="$line: no error at the right place that says '$regex'"$'\n'
	if grep -q Result: "$OUT" "$ERR"; then WRONG+="$line: the start before it ran"$'\n'; fi
}

refuse "clone_skb.*netif_receive" "net_null0 clone_skb 8" "net_null0 xmit_mode |netif_receive"
refuse "clone_skb.*netif_receive" "net_null0 xmit_mode netif_receive" "net_null0 clone_skb |8"
refuse "clone_skb" "net_null0 flag !SHARED" "net_null0 clone_skb |8"
refuse "burst" "net_null0 flag !SHARED" "net_null0 burst |8"
refuse "clone_skb" "net_null0 clone_skb 8" "net_null0 flag |!SHARED"
refuse "burst" "net_null0 burst 8" "net_null0 flag |!SHARED"
refuse "exists already" "kpktgend_1 add_device |net_null0"
refuse "unknown target 'net_null0'" "kpktgend_0 rem_device_all" "|net_null0 count 5"
[ -z "$WRONG" ] || fail "$WRONG"

# What goes together goes on: 0 takes clone_skb back.
run 0 -e "kpktgend_0 add_device net_null0" -e "net_null0 clone_skb 8" -e "net_null0 clone_skb 0" \
	-e "net_null0 xmit_mode netif_receive" -e "pgctrl start"
check '.runs[0].devices[0].sent == 1000'
