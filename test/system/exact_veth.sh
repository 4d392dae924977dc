#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A kernel interface by its name: what is sent arrives at the other end, by the kernel's counters.
. "$(dirname "$0")/lib.sh"
veth 1500

PACKETS=0
BYTES=0
for n in 1 31 32 33 100003; do
	run 0 -e "kpktgend_0 add_device pg0" -e "pg0 count $n" -e "pgctrl start"
	PACKETS=$((PACKETS + n))
	BYTES=$((BYTES + 58 * n))
	check '.runs[0] | .devices[0].sent == $n and .ports[0].sent == $n and .ports[0].lost == 0' --argjson n "$n"
	check '.runs[0].ports[0] | .driver == "net_af_packet" and .not_drained == 0'
	check '.runs[0].devices[0].pool_in_use == 0'
	same "$(kernel pg1 rx packets)" $PACKETS "packets that pg1 has received"
	same "$(kernel pg1 rx bytes)" $BYTES "bytes that pg1 has received"
	same "$(kernel pg0 tx packets)" $PACKETS "packets that pg0 has sent"
done

# Two threads, two queues, one interface.
run 0 -e "kpktgend_0 add_device pg0@0" -e "kpktgend_1 add_device pg0@1" -e "pg0@0 count 10007" \
	-e "pg0@1 count 20011" -e "pgctrl start"
check '.runs[0].ports[0] | .tx_queues == 2 and .sent == 30018'
same "$(kernel pg1 rx packets)" $((PACKETS + 30018)) "packets that pg1 has received"

# Both ends at once: each sends to the other.
BEFORE0=$(kernel pg0 rx packets)
BEFORE1=$(kernel pg1 rx packets)
run 0 -e "kpktgend_0 add_device pg0" -e "kpktgend_1 add_device pg1" -e "pg0 count 1234" \
	-e "pg1 count 4321" -e "pgctrl start"
check '.runs[0].ports | map({(.name): .sent}) | add == {"pg0": 1234, "pg1": 4321}'
same "$(kernel pg0 rx packets)" $((BEFORE0 + 4321)) "packets that pg0 has received"
same "$(kernel pg1 rx packets)" $((BEFORE1 + 1234)) "packets that pg1 has received"
