#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# On a machine of two memory nodes, which is an emulated guest: buffers are where they were asked to
# be. The guest's kernel says so of the process, beside pmdgen; numa.guest is what runs there.
. "$(dirname "$0")/../system/lib.sh"
: "${PG_VM_DIR:?where a downloaded kernel is kept}"
need qemu-system-x86_64 cpio busybox

here=$PG_SOURCE/test/vm
BOOT_S=900
SERIAL=$DIR/serial

kernel=$("$here/kernel" "$PG_VM_DIR" 2>"$ERR") || skip "$(tail -n 1 "$ERR")"
"$here/image" "$DIR/image" "$here/numa.guest" || fail "no image for the guest"
started=$SECONDS
"$here/boot" "$kernel" "$DIR/image" $BOOT_S "$DIR/raw" 2>"$ERR" || fail "qemu ended with status $?"
tr -d '\r' <"$DIR/raw" >"$SERIAL"
echo "the guest, ${kernel##*/}, ran for $((SECONDS - started)) s"
grep -qx 'guest: ends with status 0' "$SERIAL" || fail "the guest did not come to its end: $(tail -n 20 "$SERIAL")"

# section NAME: what the guest answered, as $OUT.
section() {
	awk -v name="== $1" '/^== / { on = $0 == name; next } on' "$SERIAL" >"$OUT"
	[ -s "$OUT" ] || fail "the guest has no answer '$1'"
}

# report NAME: the report of a run whose text is in order, as $JSON.
report() {
	section "text $1"
	says "$OUT" "^status $2\$"
	section "json $1"
	cp "$OUT" "$JSON"
}

# pages_on NODE [kB]: how many pages of that size the kernel shows there.
pages_on() {
	awk -v node="N$1" -v size="kernelpagesize_kB=${2:-2048}" '$NF == size {
			for (i = 1; i < NF; i++)
				if (split($i, count, "=") == 2 && count[1] == node) n += count[2]
		} END { print n + 0 }' "$OUT"
}

section machine
says "$OUT" '^nodes 0-1$'
says "$OUT" '^pages 128 128$'

is_on='.runs[0].devices[0] | .sent == 1000 and .pool_node == $m and .lcore_node == $l
	and .page_bytes == 2097152 and .cross_socket == ($l != $m)'
for lcore in 0 1; do
	# The lcore's own node, unless flag and node are both there.
	for name in "default $lcore" "node without flag $lcore"; do
		report "$name" 0
		check '.numa_nodes == 2'
		check "$is_on" --argjson l $lcore --argjson m $lcore
		check '.runs[0].devices[0].asked | has("node") | not'
		section "text $name"
		says "$OUT" "^     memory: node $lcore, lcore on node $lcore, 2 MB pages\$"
	done
	for node in 0 1; do
		report "node $lcore $node" 0
		check "$is_on" --argjson l $lcore --argjson m $node
		check '.runs[0].devices[0].asked.node == $m' --argjson m $node
		# A kernel's page is where it is: those of the pool, and a few of EAL's own.
		section "maps $lcore $node"
		says "$OUT" '^status 0$'
		away=''
		[ $lcore -eq $node ] || away='; the lcore reaches it across sockets'
		says "$OUT" "^     memory: node $node, lcore on node $lcore, 2 MB pages$away\$"
		echo "lcore on $lcore, memory on $node: $(pages_on 0) hugepages on node 0, $(pages_on 1) on node 1"
		[ "$(pages_on $node)" -ge 8 ] || fail "$(pages_on $node) hugepages on node $node"
		[ "$(pages_on $((1 - node)))" -le 2 ] || fail "$(pages_on $((1 - node))) hugepages on the other node"
	done
done

report "node missing" 2
section "text node missing"
says "$OUT" '^-e:2:16: there is no memory node 2; expected '

# Ordinary pages are where they were touched first, whatever was asked for; the report knows.
section "maps ordinary"
says "$OUT" '^status 0$'
on=$(sed -n 's/^     memory: node \([01]\)\( (node 1 was asked for)\)\?, lcore on node 0, 4 kB pages.*/\1/p' "$OUT")
[ -n "$on" ] || fail "no line about ordinary memory"
echo "ordinary memory: $(pages_on 0 4) pages on node 0, $(pages_on 1 4) on node 1"
[ "$(pages_on "$on" 4)" -gt "$(pages_on $((1 - on)) 4)" ] || fail "ordinary memory is not on node $on"

# Four placements, each where it says, in text and JSON alike.
section "matrix text"
says "$OUT" '^status 0$'
same "$(grep -c '^node [01]  ' "$OUT")" 4 "rows of numa-matrix"
cp "$OUT" "$DIR/matrix"
sed '/^status/d' "$OUT"
section "matrix json"
jq -e '[.rows[] | [.lcore_node, .memory_node]] == [[0, 0], [0, 1], [1, 0], [1, 1]] and .notes == []
	and all(.rows[]; .lcore_node as $l | .memory_node as $m | .pps > 0 and .bps > 0
	and (.ports | length == 1 and all(.[]; .lcore_node == $l and .pool_node == $m)))' "$OUT" >/dev/null ||
	fail "the figures of numa-matrix"
while read -r line; do
	grep -qxE "$line" "$DIR/matrix" || fail "not in the table: $line"
done < <(jq -r 'def fixed: . * 10 | round | "\(. / 10 | floor)[.]\(. % 10)";
	.rows[] | "node \(.lcore_node) +node \(.memory_node) +net_null0 .* \(.bps / 1e6 | fixed) +\(.pps / 1e3 | fixed)"' "$OUT")

# No hugepages on the node: one sentence with the cause and the remedy.
report "no pages" 3
section "text no pages"
says "$OUT" '^-e:4:[0-9]+: .* [0-9]+ MB, which are not free on node 1; reserve hugepages there: echo .*/node1/hugepages/'
section "matrix without pages"
says "$OUT" '^status 3$'
says "$OUT" '^numa-matrix: .*, and node 1 has 0 MB of them free, not [0-9]+; echo .*/node1/hugepages/'
