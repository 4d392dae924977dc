#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# 1 000 packets into a capture file, read back by tshark: count, sequence, checksums, headers.
. "$(dirname "$0")/lib.sh"
need tshark capinfos

commands <<E
[pgctrl]
attach net_pcap0,tx_pcap=$DIR/sum.pcap
attach net_pcap1,tx_pcap=$DIR/plain.pcap
[kpktgend_0]
add_device net_pcap0
add_device net_pcap1
[net_pcap0]
pkt_size 61
src_min 198.18.0.1
src_max 198.18.0.10
dst_min 198.19.0.1
dst_max 198.19.0.100
dst_mac 90:e2:ba:ff:ff:ff
src_mac 02:00:00:00:00:01
udp_src_min 1000
udp_src_max 1009
udp_dst_min 9
udp_dst_max 10
flag UDPCSUM
count 1000
[net_pcap1]
pkt_size 60
dst 198.19.0.1
src_min 198.18.0.1
count 1000
[pgctrl]
start
E
run 0 "$CMDS"
check '[.runs[0].devices[].sent] == [1000, 1000]'
check 'all(.runs[0].ports[]; .driver == "net_pcap" and .offered == 1000 and .sent == 1000)'

for name in sum plain; do
	same "$(frames "$DIR/$name.pcap")" 1000 "frames in $name.pcap"
	fields "$DIR/$name.pcap" pktgen.seqnum pktgen.magic frame.protocols ip.checksum.status ip.version \
		ip.hdr_len ip.ttl ip.proto ip.id ip.flags.df ip.frag_offset eth.dst eth.src >"$DIR/$name"
	same "$(cut -f 1 "$DIR/$name")" "$(seq 1 1000)" "sequence numbers in $name.pcap"
	same "$(cut -f 2,4-8,10-11 "$DIR/$name" | sort -u)" \
		"$(printf '0xbe9be955\t1\t4\t20\t32\t17\t0\t0')" "header fields in $name.pcap"
	same "$(cut -f 9 "$DIR/$name" | while read -r id; do echo $((id)); done)" "$(seq 0 999)" \
		"IP ids in $name.pcap"
	same "$(cut -f 3 "$DIR/$name" | grep -c ':udp:pktgen')" 1000 "packets that tshark calls pktgen"
done
same "$(cut -f 12,13 "$DIR/sum" | sort -u)" "$(printf '90:e2:ba:ff:ff:ff\t02:00:00:00:00:01')" \
	"MAC addresses"
same "$(tshark -n -r "$DIR/sum.pcap" -Y pktgen -T fields -e pktgen.seqnum \
	-o udp.try_heuristic_first:TRUE 2>/dev/null)" "$(seq 1 1000)" "packets that -Y pktgen shows"

# Size 61 holds 61 - 42 = 19 bytes of UDP data, an odd number for the checksum.
same "$(fields "$DIR/sum.pcap" udp.checksum.status udp.length ip.len frame.len | sort -u)" \
	"$(printf '1\t27\t47\t61')" "verified UDP checksums and lengths"
silent <(fields "$DIR/sum.pcap" udp.checksum) '0x0000'
# Not asked for: zero, which UDP reads as none (RFC 768); tshark's status 3 is not present.
same "$(fields "$DIR/plain.pcap" udp.checksum udp.checksum.status frame.len | sort -u)" \
	"$(printf '0x0000\t3\t60')" "UDP checksums without UDPCSUM"
