#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What Linux 6.18.15 answered to every command, and to its own selftest, is what the control files
# answer: return values, errors, texts. Interfaces have the names they had there.
. "$(dirname "$0")/lib.sh"
RECORD=${PG_RECORD:-$PG_SOURCE/test/data/linux-pktgen/linux-6.18.15.jsonl.xz}
[ -f "$RECORD" ] || skip "there is no record of Linux at ${RECORD#"$PG_SOURCE/"}"
veth 9500
. "$(dirname "$0")/files.sh"

ip -n "$NS" link set lo up
for pair in dummy0:02:00:00:00:00:03:dummy1 veth0:02:00:00:00:00:01:veth1 eth0:02:00:00:00:00:05:eth1; do
	ip -n "$NS" link add "${pair%%:*}" mtu 9500 address "$(cut -d : -f 2-7 <<<"$pair")" type veth peer name "${pair##*:}" mtu 9500
	ip -n "$NS" link set "${pair%%:*}" up
	ip -n "$NS" link set "${pair##*:}" up
done
WRAP=(nsenter "--net=/var/run/netns/$NS") # ip netns exec would hide what is mounted
serve -q
python3 "$(dirname "$0")/control_record.py" "$CTL" "$RECORD" || fail "see above"
kill -s TERM "$PID"
finish 0
