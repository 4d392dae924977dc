#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# rx_bpf: users' eBPF programs, as clang makes them.
. "$(dirname "$0")/lib.sh"
need clang tshark

cd "$DIR"
bpf() { clang -O2 -target bpf -mcpu=v2 -Wall -Wextra -Werror "$@"; }

# send PROGRAM CHAIN [LINE...]: 10240 packets to ports 0 to 9 by turns, 60 bytes of each unless said.
send() {
	local program=$1 chain=$2
	shift 2
	printf '%s\n' '[kpktgend_0]' 'add_device net_null0' '[net_null0]' 'xmit_mode netif_receive' \
		'dst_mac ff:ff:ff:ff:ff:ff' 'count 10240' 'udp_dst_min 0' 'udp_dst_max 9' \
		'flag NO_TIMESTAMP' "rx_graph $chain" "rx_bpf $program" "$@" 'pgctrl start' >"$CMDS"
}

cat >prelude.h <<'C'
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
extern u64 pg_len(void);
extern u64 pg_count(u64 i);
#define PROGRAM(name) __attribute__((section(#name), used)) int name##_program
C

# The example: what it decides follows from the ports.
bpf -c "$PG_SOURCE/doc/bpf_program.c"
cp "$PG_SOURCE/config/bpf.pktgen" "$CMDS"
if sanitized; then sed -i 's/^count .*/count 100000/' "$CMDS"; fi
n=$(awk '$1 == "count" {print $2}' "$CMDS")
run 0 "$CMDS"
errors $((n / 10))
node bpf "$n" false
node 'bpf: drop' $((n / 10)) true
node tx $((n * 4 / 10)) false
node deliver $((n / 2)) false
counter 'bpf: 2' $((n / 10))
check '.runs[0].devices[0].profile.counters | length == 1'
says "$OUT" "^ +counted, bpf: 2 +$((n / 10))\$"

# Every verdict, and one that is none; the counters, and those that do not exist.
cat >all.c <<'C'
#include "prelude.h"
PROGRAM(first)(u8 *p) { pg_count(p[37]); pg_count(1000); return p[37]; }
PROGRAM(second)(u8 *p) { pg_count(63 + (p[37] & 1)); return 2; }
PROGRAM(empty)(u8 *p) { (void)p; return 2; }
PROGRAM(length)(u8 *p) { (void)p; return pg_len() < 60 ? 0 : pg_len() < 1400 ? 1 : 2; }
PROGRAM(bits)(u8 *p) { return p[37] & 4 ? 1 : 2; }
PROGRAM(far)(u8 *p) { return p[16383] ? 1 : 2; }
PROGRAM(mark)(u8 *p) { p[6] = p[37]; return 2; }
PROGRAM(marked)(u8 *p) { return p[6] == p[37] ? 2 : 1; }
C
bpf -c all.c
send all.o bpf,eth,ip4,deliver
run 0 "$CMDS"
node bpf 10240 false
for reason in 'bpf: aborted' 'bpf: drop' 'bpf: redirect'; do node "$reason" 1024 true; done
node 'bpf: unknown verdict' 5120 true
node tx 1024 false
node deliver 1024 false
errors $((3 * 1024 + 5120))
for i in 0 1 2 3 4 5 6 7 8 9; do counter "bpf: $i" 1024; done
counter 'bpf: 64 and more' 10240
send 'all.o second' bpf,null
run 0 "$CMDS"
counter 'bpf: 63' 5120
counter 'bpf: 64 and more' 5120
node null 10240 false

# Anywhere in a chain; of bits, which DPDK's compiler may get wrong, four ports of ten have one.
for chain in bpf,eth,ip4,deliver eth,ip4,bpf,deliver filter,bpf,tap,eth,ip4,deliver; do
	send 'all.o bits' "$chain"
	run 0 "$CMDS"
	node 'bpf: drop' 4096 true
	node deliver 6144 false
done

# Lengths come and go; a packet in fragments is one, and what is behind its end is zero.
send 'all.o length' bpf,null 'imix_weights 60,1 1400,3'
run 0 "$CMDS"
node 'bpf: drop' 2560 true
node null 7680 false
for kind in '' 'pkt_size 9000' 'pkt_size 1500;frags 3' 'vlan_id 5;rx_graph eth,vlan,ip4,bpf,deliver'; do
	send 'all.o far' bpf,eth,ip4,deliver "$(tr ';' '\n' <<<"$kind")"
	run 0 "$CMDS"
	node deliver 10240 false
done

# What it writes, those behind it see; those before it, who still look at the packet, do not.
for chain in bpf,tap,deliver tap,bpf,deliver; do
	send 'all.o mark' "$chain" "rx_tap $DIR/$chain.pcapng" 'count 2000' 'src_mac 02:00:00:00:00:01'
	run 0 "$CMDS"
	node deliver 2000 false
done
same "$(fields bpf,tap,deliver.pcapng eth.src udp.dstport | sort -u | wc -l)" 10 "marks behind the program"
fields bpf,tap,deliver.pcapng eth.src udp.dstport | awk '$1 != sprintf("%02x:00:00:00:00:01", $2) {exit 1}' ||
	fail "a frame behind the program is not marked by its port"
same "$(fields tap,bpf,deliver.pcapng eth.src | sort -u)" 02:00:00:00:00:01 "addresses in front of the program"
same "$(frames tap,bpf,deliver.pcapng)" 2000 "packets in front of the program"

# A file that was written anew is loaded anew.
send again.o bpf,null
echo 'int program(void) { return 1; }' | bpf -x c - -c -o again.o
mkfifo lines
exec 3<>lines # both ends, so that opening one waits for nobody
start - <lines 3>&-
cat "$CMDS" >&3
wait_for 30 has_results "$OUT" 1 || fail "no result of the first run"
echo 'int program(void) { return 2; }' | bpf -x c - -c -o new.o
mv new.o again.o
echo 'pgctrl start' >&3
exec 3>&-
finish 0
check '[.runs[].devices[0].errors] == [10240, 0]'

# refused TEXT REGEX: what is wrong with a program is said, with the line, and nothing runs.
refused() {
	send "$1" bpf,null
	run 2 "$CMDS"
	says "$ERR" "test.pktgen:12:8: $2"
	silent "$OUT" 'Result:'
}
cat >bad.c <<'C'
#include "prelude.h"
extern u64 bpf_other(void);
struct { int type; } a_map __attribute__((section("maps"), used));
static u64 (*lookup)(void *, const void *) = (void *)1;
static __attribute__((noinline)) int part(const u8 *p) { return p[5] * p[6]; }
PROGRAM(loop)(u8 *p) {
	int sum = 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < p[0]; i++)
		sum += p[i & 15];
	return sum;
}
PROGRAM(map)(u8 *p) { u32 key = p[0]; return lookup(&a_map, &key) != 0; }
PROGRAM(helper)(u8 *p) { return lookup(p, p) != 0; }
PROGRAM(call)(u8 *p) { return part(p); }
PROGRAM(data)(u8 *p) { static volatile int calls; return calls++ + p[0]; }
PROGRAM(other)(u8 *p) { return bpf_other() + p[0]; }
PROGRAM(beyond)(u8 *p) { return p[16384]; }
PROGRAM(before)(u8 *p) { return p[-1]; }
PROGRAM(anywhere)(u8 *p) { return p[*(u32 *)(p + 14)]; }
C
bpf -Wno-unused-const-variable -c bad.c
refused 'bad.o loop' 'bad.o: a loop, from instruction [0-9]+ back to [0-9]+, and rte_bpf has none; expected a program as clang -O2 -target bpf -mcpu=v2 makes it'
refused 'bad.o map' "bad.o: it uses the map 'a_map', and rte_bpf has no maps"
refused 'bad.o helper' 'bad.o: instruction [0-9]+ calls helper 1 of the kernel'
refused 'bad.o call' "bad.o: it calls a function in '.text', and rte_bpf has no calls"
refused 'bad.o data' "bad.o: it uses data in '.bss', and rte_bpf has none"
refused 'bad.o other' "bad.o: 'bpf_other', which it calls, is nothing that there is here; expected pg_len\\(\\) or pg_count\\(i\\)"
for section in beyond before anywhere; do
	refused "bad.o $section" "bad.o, section '$section': rte_bpf refuses it: memory boundary violation at pc: [0-9]+; expected accesses within the first 16384 bytes"
done
refused 'all.o nosuch' "all.o: no section 'nosuch' with code; expected one of first, second, empty"
echo 'int program(unsigned int *p) { return p[7] * 3 < 700 ? 1 : 2; }' |
	clang -O2 -target bpf -mcpu=v3 -x c - -c -o v3.o
refused v3.o 'v3.o: instruction [0-9]+ is of version 3, which rte_bpf does not know'
{ echo '#include "prelude.h"' && echo 'int f(u8 *p) { u32 s = 0;' && for ((i = 0; i < 40; i++)); do echo "if (p[$i] == 1) s = pg_count(s + $i);"; done && echo 'return s; }'; } >ways.c
bpf -c ways.c
refused ways.o "ways.o, section '.text': rte_bpf refuses it: it branches too often to be verified"

# What is no object.
refused none.o 'cannot read the program none.o: No such file'
refused . '.: no file'
refused lines 'lines: no file'
refused all.c 'all.c: no ELF object'
refused "$PMDGEN" '.*pmdgen: no eBPF object'
echo 'int data = 1;' | bpf -x c - -c -o data.o
refused data.o 'data.o: no section with code'
: >empty.o
refused empty.o 'empty.o: no ELF object'
size=$(stat -c %s all.o)
for length in 40 100 1000 $((size - 1)); do
	head -c "$length" all.o >short.o
	refused short.o 'short.o: the object is cut short, or damaged'
done

# A chain with the word and without a program, a line with too much; nobody can verify it.
send 'all.o first more' bpf,null
run 2 "$CMDS"
says "$ERR" 'test.pktgen:11:8: too many words; expected an eBPF object, and a section if it is not the first'
send all.o bpf,null 'rx_verify full'
run 2 "$CMDS"
says "$ERR" "nobody can tell what the user's program of bpf has to do; expected rx_verify off"
sed -i '/^rx_/d' "$CMDS"
sed -i 's/^pgctrl/rx_graph bpf,null\n&/' "$CMDS"
run 2 "$CMDS"
says "$ERR" 'the node bpf has no program; expected rx_bpf FILE'
