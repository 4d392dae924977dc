#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Packets byte for byte: the vectors of reference.txt and linux.txt, each sent into a capture file.
. "$(dirname "$0")/../system/lib.sh"
need python3 tshark mergecap

HERE=$PG_SOURCE/test/golden
PORTS=16 # devices of one run; DPDK has 32 at most
run_plain 0 --list-commands
grep -oE '^[a-z0-9_]+' "$OUT" | sort >"$DIR/commands"

# The cases of a file: settings in NAME.set, packets in hex in NAME.want.
CASES=()
read_cases() {
	local line name='' word frame hex pad
	: >"$DIR/.set"
	while IFS= read -r line; do
		case $line in
		'' | '#'*) ;;
		common) ;;
		'case '*)
			name=${1##*/}
			name=${name%.txt}-${line#case }
			CASES+=("$name")
			cp "$DIR/.set" "$DIR/$name.set"
			: >"$DIR/$name.want"
			;;
		$'\t= '*)
			read -r word frame hex <<<"$line"
			printf -v pad '%*s' $((2 * frame - ${#hex})) ''
			echo "$hex${pad// /0}" >>"$DIR/$name.want"
			;;
		$'\t'*) echo "${line#$'\t'}" >>"$DIR/$name.set" ;;
		*) fail "$1: what is '$line'?" ;;
		esac
	done <"$1"
}
read_cases "$HERE/reference.txt"
read_cases "$HERE/linux.txt"

# What needs a command that the program does not have yet is named and left out.
KNOWN=()
for name in "${CASES[@]}"; do
	missing=$(cut -d ' ' -f 1 "$DIR/$name.set" | sort -u | comm -23 - "$DIR/commands" | tr '\n' ' ')
	if [ -z "$missing" ]; then KNOWN+=("$name"); else echo "not yet: $name needs ${missing% }"; fi
done
[ "${#KNOWN[@]}" -ge 39 ] || fail "only ${#KNOWN[@]} cases"

for ((first = 0; first < ${#KNOWN[@]}; first += PORTS)); do
	for ((n = 0; n < PORTS && first + n < ${#KNOWN[@]}; n++)); do
		name=${KNOWN[first + n]}
		printf '%s\n' '[pgctrl]' "attach net_pcap$n,tx_pcap=$DIR/$name.pcap" '[kpktgend_0]' \
			"add_device net_pcap$n" "[net_pcap$n]" "count $(wc -l <"$DIR/$name.want")"
		cat "$DIR/$name.set"
	done >"$DIR/batch"
	{ cat "$DIR/batch"; printf '[pgctrl]\nstart\n'; } | commands
	run 0 "$CMDS"
done

cd "$DIR"
python3 "$HERE/pcap_hex.py" --names "${KNOWN[@]/%/.pcap}" | awk '{print $2 >$1 ".got"}'
WRONG=
for name in "${KNOWN[@]}"; do
	if ! diff "$name.want" "$name.pcap.got" >differences; then
		WRONG+="$name
$(cut -c 1-200 differences | sed -n 1,6p)
"
	fi
done
[ -z "$WRONG" ] || fail "packets that differ, < as they must be, > as they were sent:
$WRONG"

# Another reader finds them right too: the IPv4 checksum good, the UDP one good or over IPv4 absent,
# and pktgen's header where it belongs.
mergecap -a -F pcap -w all.pcap "${KNOWN[@]/%/.pcap}"
fields all.pcap frame.number ip.checksum.status ipv6.version udp.checksum.status pktgen.seqnum >all.fields
awk -F '\t' '!($2 == 1 && ($4 == 1 || $4 == 3) || $3 == 6 && $4 == 1) || $5 == "" {print}' all.fields >bad
same "$(cat bad)" "" "packets that tshark finds wrong"
echo "${#KNOWN[@]} cases, $(cat ./*.want | wc -l) packets"
