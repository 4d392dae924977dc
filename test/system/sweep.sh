#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/sweep on a device that is there everywhere: every pair, its figures, and a plot.
. "$(dirname "$0")/lib.sh"
need python3

CPU=${LCORES%%,*}
SWEEP=("$PG_SOURCE/scripts/sweep" --build "${PMDGEN%/app/pmdgen}" --bursts "1,32" --clones "1,8" --rounds 3
	--seconds 0.01 --cpu "${CPU#0@}")
"${SWEEP[@]}" --json "$JSON" --plot "$DIR/s.png" --set "pkt_size 60" >"$OUT" 2>"$ERR" || fail "exit status $?"
check '.device == "net_null0" and .driver == "net_null" and .rounds == 3'
check '[.figures[] | [.burst, .clone_skb]] | sort == [[1, 1], [1, 8], [32, 1], [32, 8]]'
check 'all(.figures[].pps; .min > 0 and .min <= .median and .median <= .max)'
check 'all(.figures[]; .packets >= 20000 and .cycles_per_packet > 0)'
check 'any(.template[]; . == "pkt_size 60")'
says "$OUT" '^burst +clone_skb 1 +clone_skb 8$'
says "$OUT" '^32 +[0-9]+\.[0-9]+ \([0-9]+\.[0-9]+\.\.[0-9]+\.[0-9]+\) '
says "$OUT" '^best: burst '
drawn "$DIR/s.png"

# What fails says why.
RC=0
"${SWEEP[@]}" --device nosuch0 >"$OUT" 2>"$ERR" || RC=$?
same "$RC" 1 "exit status for a device that is not there"
says "$ERR" "unknown device 'nosuch0'"
