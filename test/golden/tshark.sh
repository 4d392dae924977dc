#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every combination of headers and every size, written by a dry run and read back by tshark.
. "$(dirname "$0")/../system/lib.sh"
need python3 tshark

SCENE=$PG_SOURCE/test/golden/tshark.py
python3 "$SCENE" commands | commands
mapfile -t FIELDS < <(python3 "$SCENE" fields)
run_plain 0 -n "$DIR/all.pcap" "$CMDS"
fields "$DIR/all.pcap" "${FIELDS[@]}" >"$DIR/seen"
python3 "$SCENE" check <"$DIR/seen" >"$DIR/verdict" || fail "tshark reads other packets than were asked for:
$(cut -c 1-600 "$DIR/verdict")"
cat "$DIR/verdict"
