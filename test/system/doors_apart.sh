#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two instances do not see each other, and another user reaches neither.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"

# both FUNCTION: for each instance, with its files, prefix and port.
prefixes=("$PREFIX" "$PREFIX.2")
both() {
	local i
	for i in 0 1; do
		PREFIX=${prefixes[i]}
		SOCKET=$(socket_of "$PREFIX")
		OUT=$DIR/out$i
		ERR=$DIR/err$i
		JSON=$DIR/report$i.json
		PORT=${PORTS[i]-}
		PID=${PIDS[i]-}
		"$1" $i
		PORTS[i]=$PORT
		PIDS[i]=$PID
	done
}
PORTS=()
PIDS=()

open_one() {
	serve -e "kpktgend_0 add_device net_null0@of$1" -e "net_null0@of$1 count $((100 + $1))"
}
both open_one

seen() {
	local other=$((1 - $1))
	same "$(set_to --list | grep net)" "net_null0@of$1" "devices of instance $1"
	same "$(of 'map(.name) | join(" ")' /pmdgen/devices)" "net_null0@of$1" "devices of instance $1"
	page >"$DIR/page$1"
	says "$DIR/page$1" "device=\"net_null0@of$1\""
	silent "$DIR/page$1" "@of$other"
	if set_to "net_null0@of$other" count 5 2>/dev/null; then fail "instance $1 knows the other's device"; fi
}
both seen

# Without -p there are several, and each is told.
rc=0
timeout 30 "$SET" pgctrl >"$DIR/said" 2>"$DIR/told" || rc=$?
same "$rc" 3 "status with several processes"
for prefix in "${prefixes[@]}"; do
	says "$DIR/told" "$prefix \(process [0-9]+\)"
done

# A run of one is none of the other.
run_one() {
	if [ "$1" -eq 0 ]; then set_to net_null0@of0 count 0 >/dev/null && start_run; fi
	if [ "$1" -eq 1 ]; then
		same "$(of .running /pmdgen/device,net_null0@of1)" 0 "running"
		same "$(set_to pgctrl start)" "OK: start" "a run of its own"
		same "$(of .sent /pmdgen/device,net_null0@of1)" 101 "sent"
	fi
}
both run_one
PREFIX=${prefixes[0]} SOCKET=$(socket_of "${prefixes[0]}")
runs || fail "the first's run has ended with the second's"
set_to pgctrl stop >/dev/null
wait "$STARTER"

# Modes; and another user.
mode_of() {
	same "$(stat -c '%a %u' "$SOCKET")" "600 $(id -u)" "mode and owner of the socket"
	same "$(stat -c '%a %u' "${SOCKET%/*/*}")" "700 $(id -u)" "mode and owner of its directory"
}
both mode_of
if [ "$(id -u)" -eq 0 ] && [ -n "$(type -p setpriv)" ]; then
	refused() {
		local as=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all /usr/bin/python3 -c
			'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
try:
    s.connect(sys.argv[1])
except PermissionError:
    print("refused")')
		same "$("${as[@]}" "$SOCKET")" refused "another user"
		# Not by the directory alone.
		chmod 755 "${SOCKET%/*}"
		same "$(cd "${SOCKET%/*}" && exec 3<. && "${as[@]}" /proc/self/fd/3/dpdk_telemetry.v2)" refused \
			"another user inside the directory"
		chmod 700 "${SOCKET%/*}"
	}
	both refused
else
	echo "another user is left out: it needs root and setpriv"
fi

close_one() {
	kill -TERM "$PID"
	finish 0
}
both close_one
rm -rf "${SOCKET%/*}"
PREFIX=${prefixes[0]}
