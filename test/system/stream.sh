#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# stream NAME PART/PARTS: devices with all parts, on one thread or two, make together exactly the
# packets of one device.
. "$(dirname "$0")/lib.sh"
need tshark

COUNT=3000

# devices PARTS THREADS: a run of the stream in so many parts; every packet in hex, sorted, in $ALL.
devices() {
	local parts=$1 threads=$2 part
	rm -f "$DIR"/part*.pcap
	{
		echo "pgctrl seed 7"
		for ((part = 0; part < parts; part++)); do
			cat <<E
pgctrl attach net_pcap$part,tx_pcap=$DIR/part$part.pcap
kpktgend_$((part % threads)) add_device net_pcap$part
[net_pcap$part]
stream web $part/$parts
count $((COUNT / parts))
flag NO_TIMESTAMP
flag UDPCSUM
flag IPDST_RND
flag UDPSRC_RND
src_mac 02:00:00:00:00:01
src_min 10.0.0.1
src_max 10.0.0.250
dst_min 198.18.0.0
dst_max 198.19.255.255
udp_src_min 1024
udp_src_max 65535
dst_mac_count 7
imix_weights 60,7 590,4 1514,1
flows 40
flowlen 9
E
		done
		echo "pgctrl start"
	} | commands
	run 0 "$CMDS"
	ALL=$DIR/all.$parts.$threads
	for ((part = 0; part < parts; part++)); do
		tshark -r "$DIR/part$part.pcap" -T jsonraw -j frame 2>/dev/null |
			jq -r '.[]._source.layers.frame_raw[0]'
	done | sort >"$ALL"
	same "$(wc -l <"$ALL")" "$COUNT" "packets of $parts parts on $threads threads"
}

devices 1 1
whole=$ALL
for parts in 2 3; do
	for threads in 1 2; do
		devices "$parts" "$threads"
		cmp -s "$whole" "$ALL" || fail "$parts parts on $threads threads make other packets"
	done
done
echo "1, 2 and 3 devices on 1 and 2 threads: the same $COUNT packets"
