#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Queue maps through the program: a file for each queue of net_pcap says which packets it got.
. "$(dirname "$0")/lib.sh"
need tshark python3

ATTACH=net_pcap0
for q in 0 1 2 3; do ATTACH+=,tx_pcap=$DIR/$q.pcap; done

# at QUEUE OFFSET BYTES: numbers that the packets of the queue's file hold, in order.
at() {
	hex "$DIR/$1.pcap" | sed -E "s/^.{$((2 * $2))}(.{$((2 * $3))}).*/0x\\1/" | xargs -r printf '%d\n'
}
sequence() { at "$1" 46 4; }

# maps COUNT LINE...: one device of so many packets, and what it shows afterwards.
maps() {
	local count=$1
	shift
	printf '%s\n' "pgctrl attach $ATTACH" "kpktgend_0 add_device net_pcap0" "[net_pcap0]" \
		"count $count" "$@" "pgctrl start" "pgctrl show net_pcap0" | commands
	run 0 "$CMDS"
	check '.runs[0].devices[0].sent == $n and .runs[0].ports[0].sent == $n' --argjson n "$count"
}

# copies QUEUE: the numbers of the packets, each with how often it comes in a row.
copies() {
	sequence "$1" | uniq -c | awk '{print $1, $2}'
}

# In order: packet i goes to queue i modulo 4.
maps 1001 "queue_map_max 3"
check '.runs[0].ports[0].tx_queues == 4'
for q in 0 1 2 3; do
	same "$(sequence $q)" "$(seq $((q + 1)) 4 1001)" "packets of queue $q"
done
says "$OUT" '^     queue_map_min: 0  queue_map_max: 3$'
says "$OUT" '^     cur_queue_map: 0$'

# A part of the queues, and more than the port has.
maps 900 "queue_map_min 2" "queue_map_max 90"
for q in 0 1; do same "$(sequence $q)" "" "packets of queue $q"; done
for q in 2 3; do same "$(sequence $q)" "$(seq $((q - 1)) 2 900)" "packets of queue $q"; done
says "$OUT" '^     queue_map_min: 2  queue_map_max: 3$'
says "$OUT" '^     cur_queue_map: 3$'

# As Linux walks: the second queue comes first.
maps 400 "pgctrl compat linux" "[net_pcap0]" "queue_map_max 3"
for q in 0 1 2 3; do
	same "$(sequence $q)" "$(seq $(((q + 3) % 4 + 1)) 4 400)" "packets of queue $q, as Linux"
done

# At random: every queue gets its share, every packet is sent once.
maps 4000 "queue_map_max 3" "flag QUEUE_MAP_RND"
for q in 0 1 2 3; do
	n=$(sequence $q | wc -l)
	# 6 standard deviations of 4000 draws with probability 1/4: 164
	if [ "$n" -le 836 ] || [ "$n" -ge 1164 ]; then fail "queue $q got $n packets of 4000"; fi
	same "$(sequence $q)" "$(sequence $q | sort -n)" "order in queue $q"
done
same "$(for q in 0 1 2 3; do sequence $q; done | sort -n)" "$(seq 4000)" "all packets"
same "$(fields "$DIR/0.pcap" pktgen.seqnum)" "$(sequence 0)" "sequence as tshark reads it"

# The thread's first queue, and all copies of a packet in its own.
maps 100 "queue_map_max 3" "flag QUEUE_MAP_CPU"
same "$(sequence 0)" "$(seq 100)" "packets of the thread's queue"
maps 80 "queue_map_max 1" "clone_skb 2"
same "$(copies 0)" "$(seq -f '2 %g' 1 4 80)" "copies in queue 0"
same "$(copies 1)" "$(seq -f '2 %g' 3 4 80)" "copies in queue 1"

# threads MAX: a device with queues 0 to MAX on either thread.
threads() {
	commands <<E
pgctrl attach $ATTACH
kpktgend_0 add_device net_pcap0@0
kpktgend_1 add_device net_pcap0@1
[net_pcap0@0]
queue_map_max $1
udp_src_min 100
[net_pcap0@1]
queue_map_max $1
udp_src_min 101
pgctrl start
E
}

# Two threads have two queues each of four; three each are too many.
threads 1
run 0 "$CMDS"
check '.runs[0].ports[0] | .tx_queues == 4 and .sent == 2000'
for q in 0 1 2 3; do
	same "$(at $q 34 2 | uniq -c | awk '{print $1, $2}')" "500 $((100 + q / 2))" "devices in queue $q"
	same "$(sequence $q)" "$(seq $((q % 2 + 1)) 2 1000)" "packets of queue $q"
done
threads 2
run 2 "$CMDS"
says "$ERR" 'net_pcap0 has 4 transmit queues, but its threads need 6; expected '
