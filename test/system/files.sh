# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced after lib.sh by the tests of control files.

[ -c /dev/fuse ] || skip "there is no /dev/fuse"
need_root "to mount without fusermount3"
grep -qw fuse /proc/filesystems || skip "this kernel has no FUSE"
unshare -m true 2>/dev/null || skip "no right to mount"
CTL=$DIR/ctl # where the program serves

serving() {
	[ -e "$CTL/pgctrl" ]
}

serving_or_ended() {
	serving || ended "$PID"
}

# serve [ARGUMENT...]: the program serves at $CTL, as $PID.
serve() {
	start --control "$CTL" "$@" </dev/null
	wait_for 30 serving_or_ended || fail "nothing is served after 30 s"
	serving || fail "the program has ended: $(cat "$ERR")"
}

# A test that fails leaves nothing mounted.
unmount_left() {
	local path
	awk -v dir="$DIR/" '$3 == "fuse.pmdgen" && index($2, dir) == 1 { print $2 }' /proc/self/mounts |
		while read -r path; do umount -l "$path"; done
}
finish_files() {
	local pid
	for pid in $(jobs -p); do
		kill -KILL "$pid" 2>/dev/null || true
	done
	unmount_left
	finish_test
}
trap finish_files EXIT

is_mounted() {
	grep -q " $1 fuse.pmdgen " /proc/self/mounts
}

# put FILE COMMAND...: one write, which must succeed.
put() {
	local file=$1
	shift
	echo "$*" >"$CTL/$file" || fail "write '$*' > $file"
}

# refused FILE TEXT COMMAND...: one write, which must fail with this error.
refused() {
	local file=$1 text=$2
	shift 2
	if (echo "$*" >"$CTL/$file") 2>"$DIR/refused"; then fail "no error from '$*' > $file"; fi
	says "$DIR/refused" "$text"
}

# result FILE: what follows the first "Result: ".
result() {
	sed -n 's/^Result: //p' "$CTL/$1"
}

# field FILE NAME: the word after "NAME:" of a device.
field() {
	sed -n "s/.*\\b$2: *\\([^ ]*\\).*/\\1/p" "$CTL/$1" | head -n 1
}

is_running() {
	grep -qE "^Running:.* $1 " "$CTL/kpktgend_${2:-0}"
}

is_stopped() {
	grep -qE "^Stopped:.* $1 " "$CTL/kpktgend_${2:-0}"
}

sends() {
	[ "$(field "$1" pkts-sofar)" -gt "$2" ]
}
