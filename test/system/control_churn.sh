#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A thousand devices come and go while four readers loop over all files: no crash, no stale file,
# nothing leaked. Then lines that are none: an error each, and nothing changes.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/files.sh"

serve -q
python3 "$(dirname "$0")/control_churn.py" "$CTL" 1000 || fail "see above"
same "$(ls "$CTL")" $'kpktgend_0\nkpktgend_1\npgctrl' "names that are left"

put kpktgend_0 add_device net_null0
put net_null0 count 1000
cp "$CTL/net_null0" "$DIR/before"
ls "$CTL" >"$DIR/names"
python3 "$(dirname "$0")/control_wrong.py" "$CTL" net_null0 200 || fail "see above"
diff <(grep -v ^Result: "$DIR/before") <(grep -v ^Result: "$CTL/net_null0") || fail "wrong lines changed the device"
diff "$DIR/names" <(ls "$CTL") || fail "wrong lines changed what there is"
# In a shell without other children: the end of one is a signal, which interrupts start as in Linux.
bash -c 'echo start >"$1/pgctrl"' - "$CTL" || fail "start"
says "$CTL/net_null0" 'pkts-sofar: 1000 '

# Descriptors: what the kernel opened, the program has closed.
held() { find "/proc/$PID/fd" -mindepth 1 | wc -l; }
BEFORE=$(held)
for _ in $(seq 50); do cat "$CTL"/* >"$DIR/seen"; done
same "$(held)" "$BEFORE" "descriptors of the program"
kill -s TERM "$PID"
finish 0
