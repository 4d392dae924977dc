# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What the scripts share. To be sourced; sets `top`, the checkout.

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)

say() {
	printf '%s\n' "$*"
}

# Who runs this; a user without a name has a number.
user_name() {
	id -un 2>/dev/null || id -u
}

# die STATUS SENTENCE
die() {
	printf '%s: %s\n' "${0##*/}" "$2" >&2
	exit "$1"
}

# Runs a command, and shows its last lines only if it fails, without ninja's progress.
quietly() {
	local log status=0

	log=$(mktemp)
	"$@" >"$log" 2>&1 </dev/null || status=$?
	[ "$status" -eq 0 ] || grep -v '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 40
	rm -f "$log"
	return "$status"
}

# Can this user build in DIR? Not if a part of it is another user's.
can_build_in() {
	if [ -d "$1" ]; then
		[ -z "$(find "$1" ! -type l ! -writable -print -quit 2>&1)" ]
	else
		mkdir -p -- "$1" 2>/dev/null
	fi
}

# The checkout that a build directory was configured for; nothing if it was not.
configured_for() {
	[ -f "$1/build.ninja" ] || return 0
	python3 -c 'import json, sys; print(json.load(sys.stdin)["directories"]["source"])' \
		<"$1/meson-info/meson-info.json" 2>/dev/null || true
}

# configure DIR [MESON OPTION...]
configure() {
	local dir=$1

	shift
	if [ ! -f "$dir/build.ninja" ]; then
		quietly meson setup "$@" "$dir" "$top"
	elif [ "$#" -gt 0 ]; then
		quietly meson configure "$@" "$dir"
	fi
}
