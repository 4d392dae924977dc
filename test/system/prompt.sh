#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The prompt on a terminal, as expect drives it: completion, help, mistakes, history, runs that are
# interrupted; and the terminal is set back whatever ends the program.
. "$(dirname "$0")/lib.sh"
need expect stty pgrep

export DIR PMDGEN
export XDG_STATE_HOME=$DIR/state
eal
export BEGIN="$PMDGEN ${EAL[*]} -- -j $JSON"

# session: the standard input is an expect script, behind the library.
session() {
	{
		cat "$PG_SOURCE/test/system/prompt_lib.exp"
		cat
	} >"$DIR/script.exp"
	timeout -k 5 "$LIMIT" expect "$DIR/script.exp" >"$OUT" 2>"$ERR" </dev/null || fail "the session"
}

# Completion of a thread, a command, a device, a section, a flag, a flag that is cleared, a word.
session <<'E'
begin $env(BEGIN)
want "pmdgen> $"
say "kpk\t0 add\tnet_n\t" "pmdgen> $"
say "show kpktgend_0" "Stopped: net_null0 .*pmdgen> $"
say "\[net\t" "pmdgen net_null0> $"
say "flag IPD\t" "pmdgen net_null0> $"
say "flag !SH\t" "pmdgen net_null0> $"
say "xmit_mode netif\t" "pmdgen net_null0> $"
say "cou\t5" "pmdgen net_null0> $"
say "show net_null0" "count 5 .*xmit_mode: netif_receive.*Flags: IPDST_RND  \r.*pmdgen net_null0> $"
# What may stand there is listed; what was typed stays.
send "xmit_mode \t"
want "start_xmit +the driver's transmit function.*netif_receive.*queue_xmit.*xmit_mode "
send "\003"
want "pmdgen net_null0> $"
# Help in place.
send "count ?"
want "count: packets to send.*expected: a number of packets from 0.*count "
send "7\r"
want "pmdgen net_null0> $"
send "fl?"
want "flows +concurrent flows.*flowlen.*flag +set a flag"
send "\025"
# A wrong word: what was expected, and the caret below it.
say "" "pmdgen net_null0> $"
say "cuont 5" "prompt:\[0-9]+:1: unknown command 'cuont'; expected .*did you mean 'count'.\r\n  cuont 5\r\n  \\^\r\n.*pmdgen net_null0> $"
say "flag IPDST_RDN" "unknown flag 'IPDST_RDN'.*\r\n  flag IPDST_RDN\r\n       \\^\r\n.*pmdgen net_null0> $"
say "help IPDST_RND" "DEVICE flag IPDST_RND\r\n  random destination.*pmdgen net_null0> $"
say "start" "sent: 7 packets .*pmdgen net_null0> $"
# A line that is too long does not run in part.
send "count 9"
send [string repeat 0 600]
say "" "longer than 511 characters.*pmdgen net_null0> $"
say "show net_null0" "count 7 .*pmdgen net_null0> $"
say "quit" ""
finish 0
E

# The lines are there again, the last one first, in a file for this user alone.
same "$(stat -c %a "$XDG_STATE_HOME/pmdgen/history" "$XDG_STATE_HOME/pmdgen" | xargs)" "600 700" "modes of the history"
same "$(tail -n 2 "$XDG_STATE_HOME/pmdgen/history" | xargs)" "show net_null0 quit" "the end of the history"
session <<'E'
begin $env(BEGIN)
want "pmdgen> $"
send "\033\[A\033\[A"
want "show net_null0"
send "\r"
want "unknown target 'net_null0'.*pmdgen> $"
# Ctrl-D ends it.
send "\004"
finish 0
E
same "$(grep -c '^quit$' "$XDG_STATE_HOME/pmdgen/history")" 1 "lines 'quit' in the history"

# Ctrl-C ends a run with its results, any number of times, and never the program.
session <<'E'
begin $env(BEGIN)
want "pmdgen> $"
say "kpktgend_0 add_device net_null0" "pmdgen> $"
say "net_null0 count 0" "pmdgen> $"
foreach i {1 2 3} {
	send "start\r"
	want "until stopped"
	send "\003"
	want "sent: \[0-9]+ packets .*, interrupted.*pmdgen> $"
	send "\003"
	want "pmdgen> $"
}
# The one that came too late does not end the next run.
say "net_null0 count 3" "pmdgen> $"
say "start" "sent: 3 packets .100.00 %.*pmdgen> $"
say "quit" ""
finish 0
E
check '[.runs[].interrupted] == [true, true, true, false]'

# Whatever ends it: the terminal is set back.
for ending in "TERM 0" "ABRT 134" "SEGV 139" "QUIT 131" "HUP 129"; do
	export SIGNAL=${ending% *} STATUS=${ending#* }
	# Under AddressSanitizer some of them end the program in its own way.
	if sanitized && [ "$SIGNAL" != TERM ] && [ "$SIGNAL" != HUP ]; then continue; fi
	session <<'E'
begin $env(BEGIN)
want "pmdgen> $"
say "pgctrl compat exact" "pmdgen> $"
exec kill -$env(SIGNAL) [program]
finish $env(STATUS)
E
	# And during a run.
	session <<'E'
begin $env(BEGIN)
want "pmdgen> $"
say "kpktgend_0 add_device net_null0" "pmdgen> $"
say "net_null0 count 0" "pmdgen> $"
send "start\r"
want "until stopped"
exec kill -$env(SIGNAL) [program]
finish $env(STATUS)
E
done

# Stopped, the terminal is as the shell knows it; going on, it is the editor's again.
session <<'E'
begin $env(BEGIN)
want "pmdgen> $"
send "pgctrl comp"
want "comp"
set was [exec stty -g <$spawn_out(slave,name)]
foreach how {signal key} {
	if {$how eq "key"} { send "\032" } else { exec kill -TSTP [program] }
	set state ""
	for {set i 0} {$i < 100 && $state ne "T"} {incr i} {
		after 50
		set state [string index [exec ps -o stat= -p [program]] 0]
	}
	if {$state ne "T"} { puts "FAIL: not stopped by a $how: $state"; exit 1 }
	set f [open $env(DIR)/tty]
	set found [string trim [read $f]]
	close $f
	if {[exec stty -g <$spawn_out(slave,name)] ne $found} { puts "FAIL: stopped by a $how in raw mode"; exit 1 }
	exec kill -CONT [program] $sh
	want "pgctrl comp"
	if {[exec stty -g <$spawn_out(slave,name)] ne $was} { puts "FAIL: not in raw mode again"; exit 1 }
}
say "at exact" "pmdgen> $"
say "quit" ""
finish 0
E

# Two hundred malformed lines: an error each, and nothing has changed.
export LINES200=$DIR/lines
for ((i = 0; i < 40; i++)); do
	printf '%s\n' "cuont $i" "net_null0 count x$i" "[nosuch$i]" "kpktgend_0 add_device nosuch:$i:" "flag $i"
done >"$LINES200"
same "$(wc -l <"$LINES200")" 200 lines
session <<'E'
begin $env(BEGIN)
want "pmdgen> $"
say "kpktgend_0 add_device net_null0" "pmdgen> $"
say "net_null0 count 77" "pmdgen> $"
say "save $env(DIR)/before" "pmdgen> $"
say "\[net_null0]" "pmdgen net_null0> $"
set f [open $env(LINES200)]
while {[gets $f line] >= 0} {
	say $line "prompt:\[0-9]+:\[0-9]+: \[^\r]*\r\n.*\\^\r\n.*pmdgen net_null0> $"
}
close $f
say "save $env(DIR)/after" "pmdgen net_null0> $"
say "quit" ""
finish 0
E
cmp "$DIR/before" "$DIR/after"
says "$DIR/after" '^count 77$'
