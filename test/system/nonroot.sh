#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two ordinary users at the same time, without HOME or XDG_RUNTIME_DIR, in a directory that they
# cannot write.
. "$(dirname "$0")/lib.sh"
need setpriv
need_root "to become other users"

# They must be able to reach the program.
chmod 755 "$DIR"
cp "$PMDGEN" "$DIR/pmdgen"
chmod 755 "$DIR/pmdgen"
PMDGEN=$DIR/pmdgen
commands <<E
kpktgend_0 add_device net_null0
net_null0 count 1
pgctrl start
net_null0 count 0
pgctrl start
E
chmod 644 "$CMDS"
USERS=(65534 65533)
MADE=()
for uid in "${USERS[@]}"; do
	[ -e "/tmp/pmdgen-$uid" ] || MADE+=("/tmp/pmdgen-$uid")
done
trap 'rm -rf "${MADE[@]}"; finish_test' EXIT

cd /
as() {
	WRAP=(setpriv --reuid="$1" --regid="$1" --clear-groups --inh-caps=-all
		env -u HOME -u XDG_RUNTIME_DIR)
}
as "${USERS[0]}"
"${WRAP[@]}" "$PMDGEN" -V >"$OUT" 2>"$ERR" || skip "user ${USERS[0]} cannot run the program"

# both ARGUMENT...: each user runs it; both are in the middle of their runs before either ends.
both() {
	local uid
	declare -A pid
	for uid in "${USERS[@]}"; do
		as "$uid"
		OUT=$DIR/out$uid
		ERR=$DIR/err$uid
		start_plain "$@" "$CMDS"
		pid[$uid]=$PID
		wait_run "$PID" "$OUT" 1
	done
	for uid in "${USERS[@]}"; do
		if ended "${pid[$uid]}"; then fail "user $uid: has ended"; fi
		same "$(stat -c %u "/proc/${pid[$uid]}")" "$uid" "user of the process"
	done
	for uid in "${USERS[@]}"; do
		OUT=$DIR/out$uid
		ERR=$DIR/err$uid
		PID=${pid[$uid]}
		kill -s INT "$PID"
		finish 0
		same "$(grep -c 'Result: OK: ' "$OUT")" 2 "results of user $uid"
		says "$OUT" 'interrupted$'
	done
}

both
both -l 0,1 --no-pci --
both --lcores "$LCORES" --no-pci --no-huge -m 512 --no-shconf --

# The directory that stands in for XDG_RUNTIME_DIR is the user's alone.
for path in "${MADE[@]}"; do
	same "$(stat -c '%a %u' "$path")" "700 ${path##*-}" "mode and owner of $path"
done

# Someone else's directory, or a link, in its place is refused with a remedy.
for path in "${MADE[@]}"; do
	rm -rf "$path"
	as "${path##*-}"
	ln -s "$DIR" "$path"
	invoke -e "kpktgend_0 add_device net_null0" -e "pgctrl start"
	same "$RC" 3 "exit status with a link at $path"
	says "$ERR" "^pmdgen: .*$path.*XDG_RUNTIME_DIR"
	rm "$path"
	mkdir -m 777 "$path"
	invoke -e "kpktgend_0 add_device net_null0" -e "pgctrl start"
	same "$RC" 3 "exit status with a foreign directory at $path"
	rmdir "$path"
done

# What a user may not do is told with a remedy.
as "${USERS[0]}"
invoke -e "kpktgend_0 add_device lo" -e "pgctrl start"
same "$RC" 3 "exit status of a packet socket without CAP_NET_RAW"
says "$ERR" '^-e:1:23: .*; .*CAP_NET_RAW'
silent "$OUT" Result:
