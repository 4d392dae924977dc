#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Completions are those of the command table, and they complete.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/doors.sh"

for shell in bash zsh; do
	file=$PG_SOURCE/scripts/completion/$([ $shell = bash ] || echo _)pmdgen-set
	"$PMDGEN" --list-commands=json | python3 "$PG_SOURCE/scripts/gen_completion" $shell >"$DIR/$shell"
	diff "$file" "$DIR/$shell" || fail "$file differs from the command table; make it anew:
  build/app/pmdgen --list-commands=json | scripts/gen_completion $shell > ${file#"$PG_SOURCE/"}"
done
if [ -n "$(type -p zsh)" ]; then
	zsh -n "$DIR/zsh" || fail "zsh does not take its file"
else
	echo "zsh is not installed: its file is not read"
fi

serve -e 'kpktgend_0 add_device net_null0@left' -e 'kpktgend_0 add_device net_null0@right'
# shellcheck source=/dev/null
. "$DIR/bash"
# complete_line LINE: what bash would offer, one line.
complete_line() {
	COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
	_pmdgen_set
	echo "${COMPREPLY[*]}"
}
PATH=$PG_SOURCE/scripts:$PATH
BREAKS=$COMP_WORDBREAKS
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
same "$(complete_line "pmdgen-set -p $PREFIX net_null0@l")" net_null0@left "a device"
same "$(complete_line "pmdgen-set -p $PREFIX k")" "kpktgend_0 kpktgend_1" "threads"
same "$(complete_line "pmdgen-set -p $PREFIX net_null0@left xmit")" xmit_mode "a command of a device"
same "$(complete_line "pmdgen-set -p $PREFIX pgctrl sto")" stop "a command of pgctrl"
same "$(complete_line "pmdgen-set -p $PREFIX kpktgend_0 rem")" rem_device_all "a command of a thread"
same "$(complete_line "pmdgen-set -p $PREFIX net_null0@left flag UDPC")" UDPCSUM "a flag"
same "$(complete_line "pmdgen-set net_null0@left xmit_mode netif")" netif_receive "a mode"
same "$(complete_line "pmdgen-set --pre")" --prefix "an option"
# As bash is set up: an @ ends a word.
COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
same "$(complete_line "pmdgen-set -p $PREFIX net_null0@l")" left "a device, behind its @"
COMP_WORDBREAKS=$BREAKS
kill -TERM "$PID"
finish 0
