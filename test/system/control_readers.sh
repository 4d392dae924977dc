#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All files read ten times a second during a run: no read blocks, and the rate is that without
# readers, in turns. The figure is printed; only a bound that no other load on the machine reaches is
# asserted.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/files.sh"

serve -q
put kpktgend_0 add_device net_null0
put net_null0 count 0
put net_null0 flag NO_TIMESTAMP
python3 "$(dirname "$0")/control_readers.py" "$CTL" net_null0 || fail "see above"
kill -s TERM "$PID"
finish 0
