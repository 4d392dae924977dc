#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dpdk-dumpcap captures what is sent, where memory is shared; elsewhere -v says why not.

# Where no hugetlbfs is mounted, this test has one of its own.
if [ "$(id -u)" -eq 0 ] && [ -z "${PG_TEST_MOUNTS-}" ] && ! grep -q ' hugetlbfs ' /proc/mounts &&
	unshare -m true 2>/dev/null; then
	PG_TEST_MOUNTS=own exec unshare -m "$0"
fi
. "$(dirname "$0")/lib.sh"
if [ -n "${PG_TEST_MOUNTS-}" ]; then
	mkdir "$DIR/huge"
	mount -t hugetlbfs none "$DIR/huge" 2>"$ERR" || true
	trap 'umount -l "$DIR/huge" 2>/dev/null || true; finish_test' EXIT
fi
. "$(dirname "$0")/doors.sh"

invoke "${EAL[@]}" -- -v -e 'pgctrl show'
says "$OUT" '^dpdk-dumpcap cannot capture: '
invoke "${EAL[@]}" -- -e 'pgctrl show'
silent "$OUT" dumpcap
need dpdk-dumpcap tshark
need_root "dpdk-dumpcap"
if sanitized; then skip "another process cannot map the memory of a sanitized one where it is"; fi
if [ "${PG_TEST_MEMORY:-}" = nohuge ] || [ "$(free_hugepages)" -lt 256 ]; then
	skip "not enough hugepages are free"
fi
grep -q ' hugetlbfs ' /proc/mounts || skip "no hugetlbfs is mounted"

# A paced run may be late on a machine that does other things too: then its status is 1.
ended_late() {
	wait_for 30 ended "$PID" && jq -r 'if any(.runs[]; .fell_short) then 1 else 0 end' "$JSON"
}

for device in net_null0 net_ring0; do
	start_plain --lcores "$LCORES" --no-pci --file-prefix="$PREFIX" --log-level='*:warning' -- -v \
		--serve --metrics 0 -j "$JSON" -e "kpktgend_0 add_device $device" -e "[$device]" -e 'count 0' \
		-e 'ratep 1000' -e 'pkt_size 100' -e 'dst 198.18.0.1' -e 'src_min 10.1.2.3' -e 'src_max 10.1.2.3' \
		-e 'udp_dst_min 4567' -e 'udp_dst_max 4567' </dev/null
	wait_for 30 told_port || fail "no port"
	wait_for 30 answers || fail "telemetry does not answer"
	silent "$OUT" dumpcap
	start_run
	timeout 60 dpdk-dumpcap --file-prefix="$PREFIX" -q -i "$device" -c 200 -a duration:20 \
		-w "$DIR/$device.pcapng" >"$DIR/dumpcap" 2>&1 || fail "dpdk-dumpcap: $(cat "$DIR/dumpcap")"
	set_to pgctrl stop >/dev/null
	wait "$STARTER"
	kill -TERM "$PID"
	finish "$(ended_late)"
	fields "$DIR/$device.pcapng" frame.len ip.src ip.dst udp.dstport ip.checksum.status >"$DIR/fields"
	n=$(wc -l <"$DIR/fields")
	[ "$n" -ge 200 ] || fail "$n packets of $device captured: $(cat "$DIR/dumpcap")"
	same "$(sort -u "$DIR/fields")" $'100\t10.1.2.3\t198.18.0.1\t4567\t1' "the packets"
	# pktgen numbers its packets: they follow one another.
	fields "$DIR/$device.pcapng" pktgen.seqnum >"$DIR/numbers"
	same "$(grep -c '^[0-9]' "$DIR/numbers")" "$n" "packets with a number"
	sort -nuc "$DIR/numbers" || fail "the numbers of the packets do not rise"
	check '.runs[0].devices[0].sent >= 200'
	rm -rf "/var/run/dpdk/$PREFIX"
done
