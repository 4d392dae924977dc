# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Sourced by scripts in the style of those that people have for Linux pktgen: everything ends at the
# first error, every write is looked at, devices go when the script ends. Run as they are under
# pmdgen-run; nothing in them knows about pmdgen.

set -o errexit
NET=/proc/net/pktgen

complain() {
	echo "ERROR: $2" >&2
	exit "$1"
}

# One command: the file is there and writable, the write succeeds, the reply is looked for. The
# second grep has to find something, or the script ends.
command_to() {
	local file=$NET/$1 status=0
	shift
	[[ -e $file ]] || complain 3 "$file does not exist"
	[[ -w $file ]] || complain 4 "$file is not writable"
	if [[ $DEBUG == yes ]]; then echo "cmd: $* > $file"; fi
	echo "$@" >"$file" || status=1
	if [[ $file != */pgctrl ]]; then
		if ! grep -q "Result: OK:" "$file"; then grep "Result:" "$file" >&2; fi
	fi
	[[ $status -eq 0 ]] || complain 5 "cannot write: $* > $file"
}

control() { command_to pgctrl "$@"; }
thread() { command_to "kpktgend_$1" "${@:2}"; }
device() { command_to "$@"; }

DEV='' DEST='' MAC=90:e2:ba:ff:ff:ff SIZE=60 FIRST=0 THREADS=1 DELAY=0
COUNT=${COUNT-} BURST=${BURST-} CLONE=${CLONE-0} PORTS='' SUM='' SIX='' APPEND='' DEBUG=${DEBUG-}
while getopts s:i:d:m:p:f:t:c:n:b:w:vx6ak letter; do
	case $letter in
	i) DEV=$OPTARG ;; s) SIZE=$OPTARG ;; d) DEST=$OPTARG ;; m) MAC=$OPTARG ;;
	p) PORTS=$OPTARG ;; t) THREADS=$OPTARG ;; f) FIRST=$OPTARG ;; c) CLONE=$OPTARG ;;
	n) COUNT=$OPTARG ;; b) BURST=$OPTARG ;; w) DELAY=$OPTARG ;; x) DEBUG=yes ;;
	6) SIX=6 ;; a) APPEND=yes ;; k) SUM=yes ;; v) ;;
	*) complain 2 "usage" ;;
	esac
done
[[ -n $DEV ]] || complain 2 "-i says which interface"
LAST=$((FIRST + THREADS - 1))
[[ -d /proc/net/pktgen ]] || modprobe pktgen
[[ $EUID -eq 0 ]] || complain 4 "not root"

at_end() {
	if [[ -z $APPEND ]]; then control reset; fi
}
trap at_end EXIT

# An IPv4 network as its first and last address; one address is both.
span() {
	local a b c d bits=32 base mask n
	[[ $1 != */* ]] || bits=${1#*/}
	IFS=. read -r a b c d <<<"${1%/*}"
	base=$(((a << 24) | (b << 16) | (c << 8) | d))
	mask=$((0xffffffff << (32 - bits) & 0xffffffff))
	for n in $((base & mask)) $(((base & mask) | (0xffffffff ^ mask))); do
		printf '%d.%d.%d.%d ' $((n >> 24)) $((n >> 16 & 255)) $((n >> 8 & 255)) $((n & 255))
	done
}
if [[ -n $SIX ]]; then
	LO=${DEST:-FD00:0:0:0:0:0:0:1} HI=${DEST:-FD00:0:0:0:0:0:0:1}
else
	read -r LO HI <<<"$(span "${DEST:-198.18.0.42}")"
fi

# prepare DEVICE: what every script sets.
prepare() {
	device "$1" "count $COUNT"
	if [[ -z $BENCH ]]; then device "$1" "clone_skb $CLONE"; fi
	device "$1" "pkt_size $SIZE"
	device "$1" "delay $DELAY"
	device "$1" "flag NO_TIMESTAMP"
	device "$1" "dst_mac $MAC"
	device "$1" "dst${SIX}_min $LO"
	device "$1" "dst${SIX}_max $HI"
	if [[ -n $PORTS ]]; then
		device "$1" "flag UDPDST_RND"
		device "$1" "udp_dst_min ${PORTS%-*}"
		device "$1" "udp_dst_max ${PORTS#*-}"
	fi
	if [[ -n $SUM ]]; then device "$1" "flag UDPCSUM"; fi
}

random_source_ports() {
	device "$1" "flag UDPSRC_RND"
	device "$1" "udp_src_min 9"
	device "$1" "udp_src_max 109"
}

# add THREAD DEVICE
add() {
	if [[ -z $APPEND ]]; then thread "$1" "rem_device_all"; fi
	thread "$1" "add_device" "$2"
}

# each_thread FUNCTION: the function sets up the device that has been added.
each_thread() {
	local n
	if [[ -z $APPEND ]]; then control reset; fi
	for ((n = FIRST; n <= LAST; n++)); do
		add $n "$DEV@$n"
		device "$DEV@$n" "flag QUEUE_MAP_CPU"
		"$1" "$DEV@$n" $n
	done
}

# go [DONE]: run, until the end or Ctrl-C; then the results.
go() {
	local n
	trap true SIGINT
	if [[ -n $APPEND ]]; then
		echo "appended"
		return
	fi
	echo "Running" >&2
	control start
	if [[ -n $1 ]]; then echo "$1"; fi
	for ((n = FIRST; n <= LAST; n++)); do
		echo "Device: $DEV@$n"
		# shellcheck disable=SC2002 # as such scripts do it
		cat "/proc/net/pktgen/$DEV@$n" | grep -A2 "Result:"
	done
}
