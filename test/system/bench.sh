#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/bench runs, and its figures follow from one another; which they are is nobody's verdict.
. "$(dirname "$0")/lib.sh"
need python3 dpdk-testpmd
if sanitized; then skip "what it measures says nothing under sanitizers"; fi

CPU=${LCORES%%,*}
timeout -k 5 100 "$PG_SOURCE/scripts/bench" --build "${PMDGEN%/app/pmdgen}" --rows --lcores --budgets --rounds 1 \
	--packets 40000 --slices 2 --only "fixed,fixed-burst8,inject32" --cpu "${CPU#0@}" --json "$JSON" --plot "$DIR/b.png" \
	>"$OUT" 2>"$ERR" || fail "exit status $?"
check '.schema == 2 and .conditions.driver == "net_null"'
check '[.rows[] | select(.compare == "absolute")] | length == 1 and (.[0] | (.ratio - .product.best / 86 | fabs) < 1e-9)'
# Each point has the bare loop and testpmd at its own burst and size.
check '[.points[] | [.case, .burst, .frame_bytes]] == [["fixed", 32, 60], ["fixed", 8, 60]]'
check 'all(.points[]; [.against[].errors] == [[], [], []] and all(.against[]; .ratio > 0))'
check '.points[0].product.best as $p | .points[0].against["bare loop, nothing written"] |
	(.ratio - $p / .base.best | fabs) < 1e-9'
# The sum of a row without fields: the bare loop there, and what the fixed packet adds.
check '.cliff.limit == 1.2 and .cliff.worst == .cliff.rows[0]'
check '(.points[] | select(.burst == 8)) as $p | .points[0] as $f |
	(.cliff.rows[] | select(.burst == 8) | .sum) as $sum |
	([$p, $f] | map(.against["bare loop, nothing written"].base.best)) as [$bp, $bf] |
	($sum - ($bp + $f.product.best - $bf) | fabs) < 1e-6'
if [ "$(nproc)" -gt 1 ]; then
	check 'any(.lcores[]; .lcores == 2 and (.ratio - .times / .base_times | fabs) < 1e-9)'
fi
# Many devices on a lcore, and how long they take to define.
timeout -k 5 100 "$PG_SOURCE/scripts/bench" --build "${PMDGEN%/app/pmdgen}" --devices --rounds 1 --packets 40000 \
	--slices 2 --only devices10,calm10,rated10,defined --cpu "${CPU#0@}" --json "$DIR/d.json" \
	>"$DIR/devices" 2>"$ERR" || fail "exit status $?"
jq -e '[.devices[] | [.case, .against, .budget, .errors]] == [["10", "one device", 1.2, []],
	["10, a rate each", "one device without", null, []],
	["10, a low rate each", "one device with their sum", null, []]]' "$DIR/d.json" >/dev/null || fail "rows of devices"
jq -e '.defined | .limit == 120 and ([.counts[].devices] == [1000, 100000]) and
	(.times - .counts[1].seconds / .counts[0].seconds | fabs) < 1e-9 and
	all(.counts[]; .kb_each > 1 and .kb_each < 20)' "$DIR/d.json" >/dev/null || fail "figures of the definition"
# A receive pipeline: what the node adds is a ratio to the lookup alone, and both found as many routes.
INGRESS=in-fib,in-xdp
[ -z "$(type -p clang)" ] || INGRESS+=,in-bpf
timeout -k 5 100 "$PG_SOURCE/scripts/bench" --build "${PMDGEN%/app/pmdgen}" --ingress --rounds 1 --packets 40000 \
	--slices 2 --only "$INGRESS" --cpu "${CPU#0@}" --json "$DIR/i.json" >"$DIR/ingress" 2>"$ERR" ||
	fail "exit status $?"
jq -e '.ingress |= map(select(.added == null)) | [.ingress[] | [.case, .against, .compare, .budget, .errors]] == [
	["xdp: count and drop", "XDP, published", "absolute", 30, []],
	["fib beyond eth,ip4,drop", "rte_fib_lookup_bulk", "beyond", 1.3, []],
	["xdp: count and drop", "null", "cycles", null, []]] and .ingress[1].base.best > 0 and
	(.ingress[0] | (.ratio - .product.best / 181 | fabs) < 1e-9) and
	(.ingress[2] | (.ratio - .product.best / .base.best | fabs) < 1e-9)' "$DIR/i.json" >/dev/null ||
	fail "rows of the pipeline: $(cat "$DIR/ingress")"
if [ -n "$(type -p clang)" ]; then
	jq -e '.ingress[] | select(.added != null) | .against == "null" and .budget == 15 and .errors == [] and
		(.added - (.product.best - .base.best) | fabs) < 1e-9' "$DIR/i.json" >/dev/null || fail "row of an empty program"
fi
says "$DIR/devices" '^seconds of CPU; 100000 take [0-9]+ times what 1000 take; limit 120: '
says "$OUT" '^worst: fixed, burst (8|32), 60 bytes: '
drawn "$DIR/b.png"
