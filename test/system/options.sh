#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The command line: what it prints about itself, and what it refuses.
. "$(dirname "$0")/lib.sh"

# bad REGEX ARGUMENT...: status 2, one line, before EAL starts.
bad() {
	local regex=$1
	shift
	eal
	invoke "$@"
	[ "$RC" -eq 2 ] || fail "exit status $RC, not 2, of: $*"
	same "$(cat "$OUT")" "" "standard output of: $*"
	same "$(wc -l <"$ERR")" 1 "lines on standard error of: $*"
	says "$ERR" "^pmdgen: .*$regex.*; expected .+"
}

bad "'-x'" -x
bad "'-x'" -vx
bad "'--nosuch'" --nosuch
bad "'--nosuch=1'" --nosuch=1
bad "'-e'" -e
bad "'-j'" -j
bad "'--memory'" --memory
bad "'abc'" --memory abc
bad "'-5'" --memory=-5
bad "'1'" --memory 1
bad "'512M'" --memory 512M
bad "'xml'" --list-commands=xml
bad "quiet" -v -q
bad "'-x'" "${EAL[@]}" -- -x

# EAL refuses its own: status 2 too, and a sentence of ours at the end.
invoke "${EAL[@]}" --no-such-option -- -e "pgctrl start"
same "$RC" 2 "exit status with an option unknown to EAL"
says "$ERR" "^pmdgen: EAL refused its arguments; "
silent "$OUT" Result:

# A virtual device that cannot be made: the environment refused, and EAL has said why.
invoke "${EAL[@]}" --vdev=net_pcap0 -- -e "pgctrl start"
same "$RC" 3 "exit status with net_pcap without a file"
says "$ERR" "^pmdgen: .*net_pcap0 .*; .+"
silent "$OUT" Result:
invoke "${EAL[@]}" --vdev net_pcap0 --vdev net_null0 -- -e "kpktgend_0 add_device net_null0" -e "pgctrl start"
same "$RC" 3 "exit status with one device of two"
silent "$OUT" Result:

# Device arguments that are wrong in an attach line.
run 3 -e "pgctrl attach net_pcap0,tx_pcap=$DIR/no/such/dir" -e "pgctrl start"
says "$ERR" "^-e:1:[0-9]+: cannot attach net_pcap0: .*; "

# The report cannot be written: told before anything runs, or when it is.
invoke "${EAL[@]}" -- -j "$DIR/no/such/dir.json" -e "kpktgend_0 add_device net_null0" -e "pgctrl start"
same "$RC" 3 "exit status with a report in no directory"
says "$ERR" "^pmdgen: cannot write $DIR/no/such/dir.json: No such file or directory"
silent "$OUT" Result:
invoke "${EAL[@]}" -- -j /dev/full -e "kpktgend_0 add_device net_null0" -e "pgctrl start"
[ "$RC" -ne 0 ] || fail "status 0 although the report did not fit"
says "$ERR" "^pmdgen: cannot write /dev/full: .*[Nn]o space"
says "$OUT" Result:

# -h and -V need nothing and say what they must.
for option in -h --help; do
	run_plain 0 $option
	same "$(cat "$ERR")" "" "standard error of $option"
	for word in --exec --json --memory --list-commands --verbose --quiet --version --help 'Exit status'; do
		says "$OUT" "$word"
	done
done
version=$(sed -n "s/^ *version: '\(.*\)',.*/\1/p" "$PG_SOURCE/meson.build")
for option in -V --version; do
	run_plain 0 $option
	says "$OUT" "^pmdgen ${version//./\\.}, DPDK [0-9]+\.[0-9]+"
done

# The table of commands: the words that config/ uses are there, each with help; JSON says the same.
run_plain 0 --list-commands
cp "$OUT" "$DIR/table"
run_plain 0 --list-commands=json
jq -e . "$OUT" >/dev/null || fail "--list-commands=json is not JSON"
for word in start stop reset attach detach seed show add_device rem_device_all min_pkt_size max_pkt_size \
	pkt_size dst dst_min dst_max src_min src_max dst_mac src_mac udp_src_min udp_src_max udp_dst_min \
	udp_dst_max flag count delay burst clone_skb xmit_mode clear_counters; do
	says "$DIR/table" "^$word +[^ ]"
	jq -e --arg w "$word" '[.[] | select(.name == $w)] | length == 1' "$OUT" >/dev/null ||
		fail "$word is not once in --list-commands=json"
	jq -e --arg w "$word" '[.. | objects | select(.name? == $w)][0].help | length > 5' "$OUT" >/dev/null ||
		fail "$word has no help in --list-commands=json"
done

# -v prints every reply, -q none, and results come either way.
LINES=(-e "kpktgend_0 add_device net_null0" -e "net_null0 count 5" -e "net_null0 dst_mac 90:E2:BA:ff:ff:ff"
	-e "net_null0 flag UDPCSUM" -e "pgctrl start")
run 0 -v "${LINES[@]}"
for reply in 'OK: add_device=net_null0' 'OK: count=5' 'OK: dstmac 90:e2:ba:ff:ff:ff' 'OK: flags=0x40040'; do
	same "$(grep -cxF "$reply" "$OUT")" 1 "lines '$reply' with -v"
done
says "$OUT" '^net_null0: Result: OK: '
for option in -q -qq; do
	run 0 $option "${LINES[@]}"
	silent "$OUT" '^OK: '
	says "$OUT" '^net_null0: Result: OK: '
done
run 0 "${LINES[@]}"
silent "$OUT" '^OK: '
