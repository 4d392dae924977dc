#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a machine or a port lacks is said in one sentence, with the cause and what to do about it.
. "$(dirname "$0")/lib.sh"

ONE=(--lcores "${LCORES%%,*}" --no-pci --file-prefix="$PREFIX" --log-level='*:warning')
RUN=(-e "kpktgend_0 add_device net_null0" -e "net_null0 count 100" -e "pgctrl start")
SYS=/sys/kernel/mm/hugepages

# refused STATUS REGEX: pmdgen's own message, the last line that starts with its name.
refused() {
	same "$RC" "$1" "exit status"
	same "$(grep -c '^pmdgen: ' "$ERR")" 1 "sentences of pmdgen"
	says "$ERR" "$2"
	silent "$OUT" Result:
}

# One lcore only: everything runs on it; what another one was to do names those that there are.
invoke "${ONE[@]}" --no-huge -m 512 --no-shconf -- -j "$JSON" -e "kpktgend_0 add_device net_null0@a" \
	-e "kpktgend_0 add_device net_null0@b" -e "pgctrl start"
same "$RC" 0 "exit status with one lcore"
check '[.runs[0].devices[].sent] == [1000, 1000] and .runs[0].ports[0].tx_queues == 1'
invoke "${ONE[@]}" --no-huge -m 512 --no-shconf -- -e "kpktgend_1 add_device net_null0"
same "$RC" 2 "exit status with one lcore of two"
says "$ERR" "^-e:1:1: unknown target 'kpktgend_1'; expected pgctrl, kpktgend_0, or a device"

# As many ports as DPDK takes, all at once, and one more.
PORTS=()
for i in {0..31}; do
	PORTS+=(-e "kpktgend_0 add_device net_null$i" -e "net_null$i count 100")
done
run 0 "${PORTS[@]}" -e "pgctrl start"
check '.runs[0] | (.ports | length) == 32 and all(.ports[]; .sent == 100 and .lost == 0)'
check 'all(.runs[0].devices[]; .sent == 100 and .pool_in_use == 0)'
run 3 "${PORTS[@]}" -e "kpktgend_0 add_device net_null32"
says "$ERR" '^-e:65:[0-9]+: cannot attach net_null32: there are 32 ports, and this DPDK takes no more; remove '

# A port without the offload that a template needs.
run 2 -e "pgctrl attach net_pcap0,tx_pcap=$DIR/x.pcap" -e "kpktgend_0 add_device net_pcap0" \
	-e "net_pcap0 frags 3" -e "pgctrl start"
says "$ERR" 'net_pcap0 cannot send packets in fragments; expected frags 0, or a port whose driver '
silent "$OUT" Result:

# A memory node that the machine does not have.
run 2 -e "kpktgend_0 add_device net_null0" -e "net_null0 flag NODE" -e "net_null0 node 31"
says "$ERR" '^-e:3:16: there is no memory node 31; expected a node that this machine has'

# Hugepages: none, or on a node that has none. The program sees a directory of ours instead.
need_root "another view of $SYS"
need unshare
[ -d "$SYS" ] || skip "no hugepages in this kernel"
WRAP=(unshare -m -- sh -c "mount -t tmpfs none $SYS && exec \"\$@\"" -)
"${WRAP[@]}" true 2>"$DIR/mount.err" || skip "no mount namespace: $(cat "$DIR/mount.err")"
invoke "${ONE[@]}" --in-memory -- "${RUN[@]}"
refused 3 '^pmdgen: EAL did not start: there are no free hugepages; reserve some .*nr_hugepages.*--no-huge'
# Nothing said of memory: it runs on ordinary pages.
invoke -j "$JSON" "${RUN[@]}"
same "$RC" 0 "exit status without hugepages"
check '.runs[0].devices[0].sent == 100 and any(.eal_args[]; . == "--no-huge")'
WRAP=()

FREE=$(free_hugepages)
[ "$FREE" -gt 0 ] || skip "no free hugepages, so none can be too few"
invoke "${ONE[@]}" --in-memory -m $((2 * FREE + 512)) -- "${RUN[@]}"
refused 3 '^pmdgen: EAL did not start: of the [0-9]+ MB of free hugepages it cannot take .*ask for less'
invoke "${ONE[@]}" --in-memory --socket-mem 0,64 -- "${RUN[@]}"
[ "$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)" -gt 1 ] ||
	refused 3 '^pmdgen: EAL did not start: .* not on the memory node, as it was told to; .*--socket-mem'
