#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Command files: the place of an error is FILE:LINE:COLUMN, and what is no command file is refused.
. "$(dirname "$0")/lib.sh"

nothing_ran() {
	same "$(cat "$OUT")" "" "standard output"
	silent "$ERR" 'Result:'
}

# Comments, blank lines and sections count as lines; a tab is one column.
printf '# a comment\n\n[kpktgend_0]\n\tadd_device net_null0\n[net_null0]\n\tcount = "abc"\n[pgctrl]\nstart\n' >"$CMDS"
run 2 "$CMDS"
says "$ERR" "^$CMDS:6:11: 'abc' is not a number; expected "
same "$(grep -A 2 "^$CMDS:" "$ERR" | sed 1d)" "$(printf '  \tcount = "abc"\n  \t         ^')" "the line and the caret"
nothing_ran

# A command of a section that knows no such word.
printf '[kpktgend_0]\nadd_device net_null0\ncount 5\n' >"$CMDS"
run 2 "$CMDS"
says "$ERR" "^$CMDS:3:1: unknown command 'count'; expected "

# Before any section a line names its target itself.
printf 'count 5\n' >"$CMDS"
run 2 "$CMDS"
says "$ERR" "^$CMDS:1:1: unknown target 'count'; expected "

# An error in the second file, or in -e after the files: the first has not run.
printf 'kpktgend_0 add_device net_null0\npgctrl start\n' >"$DIR/first"
printf 'pgctrl start\nnet_null0 count 1 2\n' >"$DIR/second"
run 2 "$DIR/first" "$DIR/second"
says "$ERR" "^$DIR/second:2:19: text after .*; expected "
nothing_ran
run 2 "$DIR/first" -e "net_null0 count 1 2"
says "$ERR" "^-e:1:19: text after .*; expected "
nothing_ran
run 0 "$DIR/first" -e "net_null0 count 7" -e "pgctrl start"
check '[.runs[].devices[].sent] == [1000, 7]'

# A section ends with its file.
printf '[pgctrl]\n' >"$DIR/section"
printf 'start\n' >"$DIR/rest"
run 2 "$DIR/section" "$DIR/rest"
says "$ERR" "^$DIR/rest:1:1: unknown target 'start'"

# Line ends of either kind, none at the end.
printf 'kpktgend_0 add_device net_null0\r\nnet_null0 count 9\r\npgctrl start' >"$CMDS"
run 0 "$CMDS"
check '.runs[0].devices[0].sent == 9'

# Nothing to do is no error.
: >"$CMDS"
run 0 "$CMDS"
printf '# nothing\n\n   \n' >"$CMDS"
run 0 "$CMDS"

refuse() {
	run 2 "$DIR/first" "$1"
	says "$ERR" "^pmdgen: $1: $2"
	nothing_ran
}
refuse "$DIR/missing" "No such file or directory"
refuse "$DIR" "Is a directory"
refuse "$PMDGEN" "not a text file"
printf 'pgctrl start\0\n' >"$DIR/nul"
refuse "$DIR/nul" "not a text file"

# Random bytes are refused one way or the other.
head -c 3000 /dev/urandom | tr -d '\0' >"$DIR/noise"
run 2 "$DIR/first" "$DIR/noise"
nothing_ran

# A very long word or line is an error with a place, and no more.
printf 'pgctrl %05000d\n' 1 >"$CMDS"
run 2 "$CMDS"
says "$ERR" "^$CMDS:1:[0-9]+: .*; expected "
printf '%0100000d\n' 1 >"$CMDS"
run 2 "$CMDS"
says "$ERR" "^$CMDS:1:1: .*; expected "
