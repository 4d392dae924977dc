#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A wrong line: exit status 2, its place, what was expected, a caret below it; and nothing has run,
# not even a start that stands before it.
. "$(dirname "$0")/lib.sh"

# told NAME LINE COLUMN TEXT REGEX: the message on $ERR. Tabs before the caret stay tabs.
told() {
	local at=$1:$2:$3: blank
	says "$ERR" "^$at .*$5"
	says "$ERR" "^$at .*; expected .+"
	blank=$(printf '%s' "${4:0:$3-1}" | sed 's/[^\t]/ /g')
	printf '  %s\n  %s^\n' "$4" "$blank" >"$DIR/caret.want"
	grep -F -A 2 -e "$at " "$ERR" | sed 1d >"$DIR/caret"
	same "$(cat "$DIR/caret")" "$(cat "$DIR/caret.want")" "the line and the caret"
}

# refuse MARKED REGEX: the line with '|' before the wrong word, after a device and a start. The
# message must match REGEX and say what was expected.
refuse() {
	local before=${1%%|*} line=${1/|/}
	run 2 -e "kpktgend_0 add_device net_null0" -e "pgctrl start" -e "$line" -e "pgctrl show"
	told -e 3 $((${#before} + 1)) "$line" "$2"
	same "$(cat "$OUT")" "" "standard output"
	silent "$ERR" 'Result:'
}

refuse "net_null0 |cuont 5" "unknown command 'cuont'.*did you mean 'count'"
refuse "net_null0 |start" "unknown command 'start'"
refuse "pgctrl |count 5" "unknown command 'count'"
refuse "net_null0 pkt_size |70000" "70000 is out of range.*from 42 to"
refuse "net_null0 udp_src_min |70000" "70000 is out of range.* from 0 to 65535"
refuse "net_null0 count |abc" "'abc' is not a number"
refuse "net_null0 count |-5" "'-5' is not a number"
refuse "net_null0 count |18446744073709551616" "18446744073709551616 is out of range"
refuse "net_null0 dst |10.0.0.256" "'10\.0\.0\.256' is not an IPv4 address"
refuse "net_null0 rate |xyz" "'xyz' is not a rate.*Mbit/s"
refuse "net_null0 rate |-1" "'-1' is not a rate"
refuse "net_null0 rate |1e99" "'1e99' is not a rate"
refuse "net_null0 ratep |0" "0 is out of range.*from 1 to"
refuse "net_null0 imix_weights |60" "'60' has no weight.*SIZE,WEIGHT"
refuse "net_null0 vlan_id |5000" "5000 is out of range"
refuse "net_null0 dst6 |1::2::3" "'1::2::3' is not an IPv6 address"
refuse "net_null0 mpls |1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10,11" "more than 16 words"
refuse "net_null0 src_max |10.0.0" "'10\.0\.0' is not an IPv4 address"
refuse "net_null0 dst_mac |90:e2:ba:ff:ff" "'90:e2:ba:ff:ff' is not a MAC address.*six bytes"
refuse "net_null0 src_mac |90:e2:ba:ff:ff:fg" "'90:e2:ba:ff:ff:fg' is not a MAC address"
refuse "net_null0 flag |NO_SUCH" "unknown flag 'NO_SUCH'.*IPSRC_RND.*UDPCSUM.*NO_TIMESTAMP"
refuse "net_null0 flag |!UDPSUM" "unknown flag '!?UDPSUM'.*UDPCSUM"
refuse "net_null0 xmit_mode |fast" "unknown (xmit_)?mode 'fast'.*start_xmit.*netif_receive"
refuse "kpktgend_0 add_device |nosuch0" "unknown device 'nosuch0'"
refuse "|nosuch count 4" "unknown target 'nosuch'.*pgctrl.*kpktgend_0"
refuse "|kpktgend_99 add_device net_null1" "unknown target 'kpktgend_99'"
refuse "|kpktgend_00 add_device net_null1" "unknown target 'kpktgend_00'"
refuse "|[net_null0" "'\[' without '\]'"
refuse "[|nosuch]" "unknown target 'nosuch'"
refuse "[net_null0] |count" "text after the section"
refuse "net_null0 count 5 |6" "text after .*end of the line"
refuse "pgctrl start |now" "text after .*end of the line"
refuse "net_null0 count|" "needs an argument.*a number"
refuse "net_null0|" "no command"
refuse $'net_null0\tcount\t|abc' "'abc' is not a number"
refuse "  net_null0 = \"count\" = |12x  # twelve" "'12x' is not a number"

# A device that is added only afterwards is not there yet.
run 2 -e "net_null0 count 5" -e "kpktgend_0 add_device net_null0" -e "pgctrl start"
told -e 1 1 "net_null0 count 5" "unknown target 'net_null0'"

# The first wrong line is the one that is told, alone.
run 2 -e "kpktgend_0 add_device net_null0" -e "net_null0 count x" -e "net_null0 count y"
told -e 2 17 "net_null0 count x" "'x' is not a number"
silent "$ERR" "'y'"
