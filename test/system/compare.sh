#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# pmdgen-compare: conditions that differ, figures with their spread, and a verdict that is right:
# probabilities of Mann and Whitney's test are known for so few samples.
. "$(dirname "$0")/lib.sh"
need python3

COMPARE=$(dirname "$PMDGEN")/pmdgen-compare
cd "$DIR"
# compare STATUS ARGUMENT...
compare() {
	local want=$1
	shift
	RC=0
	"$COMPARE" "$@" >"$OUT" 2>"$ERR" || RC=$?
	same "$RC" "$want" "exit status of: $*"
}

# Real reports first.
piped 0 'kpktgend_0 add_device net_null0\nnet_null0 count 1000\npgctrl seed 5\npgctrl start\npgctrl start\n' -
cp "$JSON" real.json
check 'all(.runs[]; .compat == "exact" and .devices[0].settings == ["pkt_size 58"])'
compare 0 real.json real.json
says "$OUT" '^conditions: no difference$'
says "$OUT" '^A: 2 runs$'
says "$OUT" 'net_null0: packets/s .* \+0\.00 % +too few runs to tell: 2 and 2$'
silent "$OUT" 'schedule'

# report PPS...: the first run of the real one, so often, with these rates and cycles.
report() {
	jq --argjson pps "[$(IFS=,; echo "$*")]" '.runs[0] as $run | .runs = [$pps[] as $p | $run |
		.devices[0].pps = $p | .devices[0].cycles_per_packet = 50]' real.json
}

# 5 against 5, all apart: 2 of 252 ways, and as p of two comparisons 0.0159.
report 100 101 102 103 104 >a.json
report 110 111 112 113 114 >b.json
compare 1 a.json b.json
says "$OUT" 'net_null0: packets/s +102 \(100\.\.104\) +112 \(110\.\.114\) +\+9\.80 % +significant \(p = 0\.016\)$'
says "$OUT" 'net_null0: cycles/packet +50\.00 \(50\.00\.\.50\.00\) .* no significant difference \(p = 1\)$'
says "$OUT" '^Mann-Whitney, two-sided, 2 comparisons corrected \(Holm\), significant below 0.05$'
compare 0 --level 0.01 a.json b.json
says "$OUT" 'net_null0: packets/s .* too few runs to tell: 5 and 5$'
# Side by side: ranks 1 3 5 7 9, sum 25 instead of 27.5: 174 of 252 ways are as far away, 0.690.
report 1 3 5 7 9 >a.json
report 2 4 6 8 10 >b.json
compare 0 a.json b.json
says "$OUT" 'net_null0: packets/s .* no significant difference \(p = 1\)$'
same "$(python3 - "$COMPARE" <<'P'
import importlib.machinery, importlib.util, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("compare", sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
loader.exec_module(module)
u = module.mann_whitney
# Tables of the U test: U = 0 of 3 and 3 is 2/20, of 4 and 4 2/70, of 5 and 5 2/252; U = 6 of 5 and 5
# is 0.2222, U = 10 0.6905. Without any difference p is 1. Above 20 samples 15 apart from 15 are past doubt.
print(*["%.4f" % u(a, b)[0] for a, b in [
    ([1, 2, 3], [4, 5, 6]), ([1, 2, 3, 4], [5, 6, 7, 8]), ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]),
    ([1, 2, 3, 7, 8], [4, 5, 6, 9, 10]), ([1, 3, 5, 7, 9], [2, 4, 6, 8, 10]), ([5, 5], [5, 5]), ([1], [2])]])
print("%.4f" % u(list(range(15)), list(range(15, 30)))[0], *["%g" % p for p in module.holm([0.01, 0.04, 0.03])])
P
)" $'0.1000 0.0286 0.0079 0.2222 0.6905 1.0000 1.0000\n0.0000 0.03 0.06 0.06' "probabilities"

# One run each says nothing, however far apart.
report 100 >a.json
report 900 >b.json
compare 0 a.json b.json
says "$OUT" 'packets/s +100 +900 +\+800\.00 % +one run on each side: not to be told from noise$'

# Several files a side are one sample each; conditions come first, with what each side has.
jq '.runs[0].seed = 6 | .cpu = "another" | .eal_args += ["-n", "4", "--file-prefix=x"] |
	.runs[0].devices[0] |= (.settings = ["pkt_size 58", "burst 64"] | .burst = 64) |
	.runs[0].fell_short = true' b.json >c.json
compare 0 -a a.json a.json a.json -b c.json b.json
same "$(sed -n 1p "$OUT")" "conditions that differ:" "the first line"
for text in '  CPU' '    B: another, ' '  EAL arguments' '  seed' '    B: 6, 5' '  net_null0: burst' '    B: 64, 32' \
	'  net_null0: settings' '    B: burst 64' 'A: 3 runs' 'B: 2 runs, 1 fell short'; do
	grep -qF -- "$text" "$OUT" || fail "no '$text' in out"
done
silent "$OUT" 'file-prefix'

# Behind its schedule: 1000 packets at 1 Mpps are through 999 us after the first.
jq '.runs[0].devices[0] |= (.asked.pps = 1000000 | .sent = 1000 | .duration_ns = 1499000)' a.json >late.json
compare 0 late.json late.json
says "$OUT" 'net_null0: ms behind schedule +0\.500 +0\.500 +\+0\.00 % '

# What is no report is refused.
echo '{}' >none.json
compare 2 a.json none.json
says "$ERR" '^pmdgen-compare: none.json: not a report of schema 1'
compare 2 a.json nosuch.json
says "$ERR" 'nosuch.json'
echo '{' >broken.json
compare 2 a.json broken.json
jq '.runs = []' a.json >empty.json
compare 2 a.json empty.json
says "$ERR" 'a report without a run'
for words in '' 'a.json' 'a.json b.json a.json' '-a a.json' '-a a.json -b' 'a.json -b b.json' '--level 2 a.json b.json' \
	'--level' '--nosuch a.json b.json'; do
	# shellcheck disable=SC2086
	compare 2 $words
done
compare 0 --help
says "$OUT" '^usage: pmdgen-compare A.json B.json$'
