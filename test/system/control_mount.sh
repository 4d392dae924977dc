#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where control files appear, for whom, and that nothing stays mounted or behind.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/files.sh"
need setpriv

gone() {
	if is_mounted "$CTL"; then fail "still mounted"; fi
}

# A directory that was there stays; one that was made goes, also if its name has a blank.
mkdir "$CTL"
serve
kill -s INT "$PID" # without a run this is the end
finish 0
gone
[ -d "$CTL" ] || fail "a directory that was there is gone"
rmdir "$CTL"
CTL="$DIR/a b"
serve
is_mounted "$DIR/a\\\\040b" || fail "not mounted with a blank in its name"
kill -s TERM "$PID"
finish 0
[ ! -e "$CTL" ] || fail "a directory that was made stays"
CTL=$DIR/ctl

# Files and -e lines come first, and their devices are there; a wrong line ends the program.
commands <<E
kpktgend_0 add_device net_null0
net_null0 count 23
pgctrl start
E
serve "$CMDS" -e "net_null0 count 24"
through() { grep -qs '^Params: count 24 ' "$CTL/net_null0"; }
wait_for 20 through || fail "the lines have not run"
says "$CTL/net_null0" 'pkts-sofar: 23 '
kill -s TERM "$PID"
finish 0
gone
run 2 --control "$CTL" "$CMDS" -e "net_null0 cuont 5"
gone
[ ! -e "$CTL" ] || fail "a directory that was made stays after an error"

# What cannot be a place is refused before anything is served.
mkdir "$DIR/full"
touch "$DIR/full/x"
run 2 --control "$DIR/full"
says "$ERR" "^pmdgen: control files at .*/full: the directory is not empty; expected"
run 2 --control "$DIR/full/x"
says "$ERR" "^pmdgen: .*: not a directory; expected"
run 2 --control "$DIR/no/such"
says "$ERR" "^pmdgen: .*: No such file or directory; expected"
run 2 --control ""
run 2 --control-group root -e "pgctrl stop"
says "$ERR" "^pmdgen: --control-group 'root'; expected --control DIR too"
run 2 --control "$CTL" --control-group nosuchgroup
says "$ERR" "nosuchgroup.*; expected the name or number of a group"
run 3 --control /proc/pmdgen
says "$ERR" "^pmdgen: control files at /proc/pmdgen: .*; name one that you can write"

# Two at once: each has its own; the place of one is refused to the other.
serve
FIRST=$PID
put kpktgend_0 add_device net_null5
FIRST_PREFIX=$PREFIX
PREFIX=${PREFIX}b
CTL=$DIR/other OUT=$DIR/out2 ERR=$DIR/err2 JSON=$DIR/report2.json
serve
same "$(ls "$CTL")" $'kpktgend_0\nkpktgend_1\npgctrl' "names of the second"
put kpktgend_1 add_device net_null6
same "$(ls "$DIR/ctl")" $'kpktgend_0\nkpktgend_1\nnet_null5\npgctrl' "names of the first"
kill -s TERM "$PID"
finish 0
gone
CTL=$DIR/ctl
run 3 --control "$CTL"
says "$ERR" "^pmdgen: .*: another pmdgen serves there; end it, or"
same "$(result kpktgend_0)" "OK: add_device=net_null5" "reply of the first"
rm -rf "/var/run/dpdk/${PREFIX:?}"
PREFIX=$FIRST_PREFIX

# A killed process leaves its mount; the next one replaces it, and does not mind who is in it.
kill -s KILL "$FIRST"
wait "$FIRST" || true
if ls "$CTL" 2>"$DIR/refused"; then fail "a killed process serves"; fi
says "$DIR/refused" 'Transport endpoint is not connected$'
serve
same "$(ls "$CTL")" $'kpktgend_0\nkpktgend_1\npgctrl' "names after a killed process"
cd "$CTL"
kill -s TERM "$PID"
finish 0
cd /
gone
rmdir "$CTL" 2>"$DIR/refused" || true

# Somebody else unmounts: the program says so and ends.
serve
umount -l "$CTL"
finish 3
says "$ERR" "^pmdgen: control files at $CTL: somebody has unmounted them"

# Another user sees nothing, without --control-group; with it, only the group does.
user() {
	setpriv --reuid="$1" --regid="$2" --clear-groups "${@:3}" 2>"$DIR/refused"
}
TRIED=("ls $CTL" "cat $CTL/pgctrl" "cp /dev/null $CTL/pgctrl")
nobody_else() {
	local word
	for word in "${TRIED[@]}"; do
		# shellcheck disable=SC2086 # a command and its arguments
		if user 65534 65534 $word >"$DIR/seen"; then fail "user 65534 can $word"; fi
		says "$DIR/refused" 'Permission denied$'
	done
}
chmod 755 "$DIR"
serve
nobody_else
kill -s TERM "$PID"
finish 0
serve --control-group 65533
same "$(stat -c '%a %u %g' "$CTL/pgctrl" "$CTL")" $'660 0 65533\n770 0 65533' "modes"
nobody_else
for word in "${TRIED[@]:0:2}"; do
	# shellcheck disable=SC2086 # a command and its arguments
	user 65534 65533 $word >"$DIR/seen" || fail "the group cannot $word"
done
user 65534 65533 sh -c "echo add_device net_null0 >$CTL/kpktgend_0" || fail "the group cannot write"
same "$(result kpktgend_0)" "OK: add_device=net_null0" "reply to the group"
kill -s TERM "$PID"
finish 0
gone

# Without FUSE: one sentence, and what to do.
cat >"$DIR/without_fuse" <<'S'
#!/bin/bash -e
# without_fuse DIR COMMAND...: /dev has no fuse.
mkdir "$1/dev"
for f in null zero random urandom; do
	touch "$1/dev/$f"
	mount --bind "/dev/$f" "$1/dev/$f"
done
mount --rbind "$1/dev" /dev
shift
exec "$@"
S
RC=0
timeout 60 unshare -m bash "$DIR/without_fuse" "$DIR" "$PMDGEN" --no-pci --no-huge -m 256 --no-shconf \
	--file-prefix="$PREFIX" -- --control "$CTL" >"$OUT" 2>"$ERR" || RC=$?
same $RC 3 "exit status without FUSE"
says "$ERR" '^pmdgen: control files at .*: cannot open /dev/fuse: No such file or directory; load the kernel module fuse'

# An ordinary user, through fusermount3.
if [ ! -u /usr/bin/fusermount3 ]; then
	echo "fusermount3 is not installed: not as an ordinary user"
	exit 0
fi
cp "$PMDGEN" "$DIR/pmdgen"
PMDGEN=$DIR/pmdgen
mkdir "$DIR/home"
chown 65534 "$DIR/home"
CTL=$DIR/home/ctl
WRAP=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env "XDG_RUNTIME_DIR=$DIR/home")
sees_or_ended() {
	user 65534 65534 ls "$CTL/pgctrl" >"$DIR/seen" || ended "$PID"
}
serve_user() {
	start_plain --no-pci --no-huge -m 256 --no-shconf --file-prefix="$PREFIX" -- --control "$CTL" </dev/null
	wait_for 30 sees_or_ended || fail "nothing is served to user 65534"
	if ended "$PID"; then fail "the program has ended"; fi
}
serve_user
user 65534 65534 sh -c "echo add_device net_null0 >$CTL/kpktgend_0" || fail "user 65534 cannot write"
if user 65533 65533 ls "$CTL"; then fail "user 65533 sees files of user 65534"; fi
kill -s KILL "$PID"
finish 137
serve_user
kill -s TERM "$PID"
finish 0
gone
if ! grep -qs '^user_allow_other' /etc/fuse.conf; then
	invoke --no-pci --no-huge -m 256 --no-shconf --file-prefix="$PREFIX" -- --control "$CTL" --control-group 65534
	same "$RC" 3 "exit status of a user who may not share"
	says "$ERR" 'write user_allow_other into /etc/fuse.conf$'
fi
