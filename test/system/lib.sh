# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by every system test: how to run the program under test, and how to ask what came out.
# Values to compare with come from arithmetic, from tshark or from a driver's or the kernel's
# counters, never from an earlier output of the program.

set -e -E -u -o pipefail
export LC_ALL=C
: "${PMDGEN:?the program under test, an absolute path}"
: "${PG_SOURCE:?the root of the source tree}"

DIR=$(mktemp -d /tmp/pgtest.XXXXXX)
PREFIX=${DIR##*/}          # of EAL's files, and the name of the network namespace
OUT=$DIR/out               # what the program wrote last, and its exit status
ERR=$DIR/err
RC=0
JSON=$DIR/report.json
CMDS=$DIR/test.pktgen      # what commands() wrote
LIMIT=60                   # seconds that any run may take
NS=                        # the network namespace, once there is one
WRAP=()                    # what starts the program: namespace, other user
NREPORTS=0                 # kept so far
PID=                       # of the program that start() left running

# The verdict comes last, where one looks for it.
fail() {
	if [ -s "$OUT" ]; then echo "--- standard output:" && tail -n 40 "$OUT"; fi
	if [ -s "$ERR" ]; then echo "--- standard error:" && tail -n 40 "$ERR"; fi
	echo "FAIL: $*"
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

finish_test() {
	local pid dir=/var/run wrong=no
	set +e
	check_reports || wrong=yes
	trap - ERR
	for pid in $(jobs -p); do
		kill -KILL "$pid" 2>/dev/null
	done
	if [ -n "$NS" ]; then ip netns del "$NS" 2>/dev/null; fi
	if [ "$(id -u)" -ne 0 ]; then dir=${XDG_RUNTIME_DIR:-/tmp/pmdgen-$(id -u)}; fi
	rm -rf "$DIR" "$dir/dpdk/$PREFIX" "$dir/dpdk/$PREFIX".*
	if [ "$wrong" = yes ]; then
		echo "FAIL: a report is not as doc/report.schema.json says"
		exit 1
	fi
}
trap finish_test EXIT
trap 'echo "FAIL: $0:$LINENO: $BASH_COMMAND" >&2' ERR

need() {
	local word
	for word in "$@"; do
		[ -n "$(type -p "$word")" ] || skip "$word is not installed"
	done
}
need jq timeout

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "$* needs root"
}

# True if the program is built with AddressSanitizer: a tenth of the speed.
sanitized() {
	grep -q __asan_init "$PMDGEN"
}

# drawn FILE: the picture is there, or its absence is explained.
drawn() {
	if [ -n "$(type -p gnuplot)" ]; then
		says "$OUT" "the plot is in $1\$"
		same "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a "the start of the picture"
	else
		says "$OUT" 'no plot: gnuplot is not installed; .*gnuplot-nox'
	fi
}

free_hugepages() {
	cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 2>/dev/null || echo 0
}

# The first two CPUs that this test may use as lcores 0 and 1; one CPU carries both.
lcores() {
	local cpus
	cpus=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | while IFS=- read -r lo hi; do
		seq "$lo" "${hi:-$lo}"
	done)
	mapfile -t cpus <<<"$cpus"
	echo "0@${cpus[0]},1@${cpus[1]:-${cpus[0]}}"
}

# EAL's arguments: $EAL, anew before each run, because others may take the hugepages meanwhile.
eal() {
	MEMORY=(--no-huge -m 512 --no-shconf)
	if [ "${PG_TEST_MEMORY:-}" != nohuge ] && [ "$(free_hugepages)" -ge 256 ]; then
		MEMORY=(--in-memory)
	fi
	EAL=(--lcores "$LCORES" --no-pci --file-prefix="$PREFIX" --log-level='*:warning' "${MEMORY[@]}")
}
LCORES=$(lcores)
eal

# Standard input becomes the command file $CMDS.
commands() {
	cat >"$CMDS"
}

# Each report is kept, and held against its schema when the test ends.
keep_report() {
	if [ ! -s "$JSON" ]; then return; fi
	mkdir -p "$DIR/reports"
	cp "$JSON" "$DIR/reports/$((NREPORTS += 1)).json"
}

check_reports() {
	if [ -d "$DIR/reports" ] && python3 -c 'import jsonschema' 2>/dev/null; then
		python3 "$PG_SOURCE/test/system/schema.py" "$DIR"/reports/*.json
	fi
}

# A sanitizer's complaint is a failure, whatever the status.
sound() {
	silent "$ERR" 'runtime error: |ERROR: [A-Za-z]+Sanitizer'
}

# Run the program with exactly these arguments. Standard input is the caller's.
invoke_reading() {
	RC=0
	rm -f "$JSON"
	timeout -k 5 "$LIMIT" "${WRAP[@]}" "$PMDGEN" "$@" >"$OUT" 2>"$ERR" || RC=$?
	sound
	keep_report
}

invoke() {
	invoke_reading "$@" </dev/null
}

# node NAME PACKETS DROP, counter NAME PACKETS: of the first device of the last run.
node() {
	check '.runs[-1].devices[0].profile.nodes | any(.[]; .name == $n and .packets == $c and .drop == $d)' \
		--arg n "$1" --argjson c "$2" --argjson d "$3"
}
counter() {
	check '.runs[-1].devices[0].profile.counters | any(.[]; .name == $n and .packets == $c)' \
		--arg n "$1" --argjson c "$2"
}
errors() { check '.runs[-1].devices[0].errors == $c' --argjson c "$1"; }

# config_ready FILE: what a file of config/ needs is made in the current folder; false if it cannot be.
config_ready() {
	[ "${1##*/}" = bpf.pktgen ] || return 0
	[ -n "$(type -p clang)" ] || { echo "left out, clang is not installed: ${1##*/}" && return 1; }
	clang -O2 -target bpf -mcpu=v2 -c "$PG_SOURCE/doc/bpf_program.c"
}

# run STATUS [ARGUMENT...]: EAL as this test wants it, a report in $JSON; the status must be STATUS.
run() {
	local want=$1
	shift
	eal
	invoke "${EAL[@]}" -- -j "$JSON" "$@"
	[ "$RC" -eq "$want" ] || fail "exit status $RC, not $want, of: $*"
}

# piped STATUS TEXT [ARGUMENT...]: as run; the text, with its \n, comes through a pipe.
piped() {
	local want=$1 text=$2
	shift 2
	eal
	invoke_reading "${EAL[@]}" -- -j "$JSON" "$@" < <(printf '%b' "$text")
	[ "$RC" -eq "$want" ] || fail "exit status $RC, not $want, of: $text"
}

# run_paced [ARGUMENT...]: as run 0, but other programs may make a paced run late. Then the status is
# 1, and the report and the text say so.
run_paced() {
	eal
	invoke "${EAL[@]}" -- -j "$JSON" "$@"
	[ "$RC" -eq 0 ] || [ "$RC" -eq 1 ] || fail "exit status $RC, not 0, of: $*"
	check 'any(.runs[].devices[]; .fell_short) == $late' --argjson late "$([ "$RC" -eq 1 ] && echo true || echo false)"
	if [ "$RC" -eq 1 ]; then
		echo "late on this machine: $(get '.runs[].devices[].shortfall // empty')"
		says "$OUT" '^     fell short: offered [0-9]+ pps of [0-9]+ asked$'
	fi
}

# run_plain STATUS [ARGUMENT...]: without EAL arguments.
run_plain() {
	local want=$1
	shift
	invoke -j "$JSON" "$@"
	[ "$RC" -eq "$want" ] || fail "exit status $RC, not $want, of: $*"
}

# start [ARGUMENT...]: as run, but leave the program running, as $PID. Standard input is the caller's.
start() {
	eal
	start_plain "${EAL[@]}" -- -j "$JSON" "$@"
}

# start_plain [ARGUMENT...]: with exactly these arguments.
start_plain() {
	rm -f "$JSON"
	: >"$OUT" # at once: the program's own shell might empty it too late for has_results()
	: >"$ERR"
	"${WRAP[@]}" "$PMDGEN" "$@" >"$OUT" 2>"$ERR" <&0 &
	PID=$!
}

# The process has ended. kill -0 alone would still find one that nobody has waited for.
ended() {
	local line
	{ read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
	line=${line##*) }
	[ "${line%% *}" = Z ]
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	local until=$((SECONDS + $1))
	shift
	while ! "$@"; do
		[ "$SECONDS" -le "$until" ] || return 1
		sleep 0.02
	done
}

# finish STATUS [SECONDS]: the program started last must end by itself with STATUS.
finish() {
	wait_for "${2:-30}" ended "$PID" || fail "process $PID still runs after ${2:-30} s"
	RC=0
	wait "$PID" || RC=$?
	sound
	keep_report
	[ "$RC" -eq "$1" ] || fail "exit status $RC, not $1"
}

# cpu_ticks PID: of the lcores' threads; only a run takes any once control has a thread. 0 before.
cpu_ticks() {
	local dir name sum=0 ready=0 stat
	for dir in "/proc/$1/task"/*; do
		{ read -r name <"$dir/comm" && read -r stat <"$dir/stat"; } 2>/dev/null || continue
		if [ "$name" = pmdgen-control ]; then ready=1; fi
		case $name in
		rte-worker-*) ;;
		*) [ "${dir##*/}" = "$1" ] || continue ;;
		esac
		read -r -a stat <<<"${stat##*) }"
		sum=$((sum + stat[11] + stat[12]))
	done
	echo $((ready * sum))
}

used_ticks() {
	[ "$(cpu_ticks "$1")" -ge "$2" ]
}

has_control() {
	grep -qsx pmdgen-control "/proc/$1/task"/*/comm
}

has_results() {
	[ "$(grep -c 'Result: ' "$1")" -ge "$2" ]
}

has_results_or_ended() {
	has_results "$2" "$3" || ended "$1"
}

# wait_run PID FILE N: N runs have printed their results to FILE, and the next one is under way:
# a polling lcore has burnt 0.2 s since. One that does not poll is taken to run after 5 s.
wait_run() {
	wait_for 30 has_control "$1" || fail "process $1 has no control thread after 30 s"
	wait_for 30 has_results_or_ended "$@" || fail "no $3 results in $2 after 30 s"
	has_results "$2" "$3" || fail "process $1 has ended without $3 results in $2"
	wait_for 5 used_ticks "$1" $(($(cpu_ticks "$1") + 20)) || true
}

same() {
	[ "$1" = "$2" ] || fail "$3: got '$1', not '$2'"
}

# check FILTER [JQ ARGUMENT...]: true for the report?
check() {
	local filter=$1
	shift
	jq -e "$@" "$filter" "$JSON" >/dev/null || fail "not true of the report: $filter $*
$(jq -c '.runs[]? | {devices: [.devices[] | del(.profile)], ports}' "$JSON" 2>&1)"
}

get() {
	jq -r "$1" "$JSON"
}

# says FILE REGEX / silent FILE REGEX
says() {
	grep -qE -- "$2" "$1" || fail "no '$2' in ${1##*/}"
}

silent() {
	if grep -qE -- "$2" "$1"; then fail "'$2' is in ${1##*/}"; fi
}

# fields PCAP FIELD...: a line for each packet as tshark reads it, every checksum verified.
fields() {
	local file=$1 f args=()
	shift
	for f in "$@"; do args+=(-e "$f"); done
	tshark -n -r "$file" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE \
		-o udp.try_heuristic_first:TRUE -T fields "${args[@]}" 2>"$DIR/tshark.err" ||
		fail "tshark cannot read $file: $(cat "$DIR/tshark.err")"
}

# frames PCAP: how many, as capinfos counts them.
frames() {
	capinfos -c -M "$1" | awk '/^Number of packets/ {print $NF}'
}

# hex PCAP: the bytes of each packet, one line each.
hex() {
	python3 "$PG_SOURCE/test/golden/pcap_hex.py" "$1"
}

# veth MTU: a namespace of its own with an interface pg0 whose other end is pg1, both up, and
# nothing on the wire that this test does not send. The program runs in it from now on.
veth() {
	need ip
	need_root "a network namespace"
	ip netns add "$PREFIX" 2>"$DIR/ip.err" || skip "no network namespace: $(cat "$DIR/ip.err")"
	NS=$PREFIX
	WRAP=(ip netns exec "$NS")
	ip netns exec "$NS" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1 2>/dev/null || true
	ip -n "$NS" link add pg0 mtu "$1" type veth peer name pg1 mtu "$1" ||
		skip "no veth interfaces"
	ip -n "$NS" link set pg0 up
	ip -n "$NS" link set pg1 up
}

# kernel IFACE rx|tx packets|bytes: the kernel's counter.
kernel() {
	ip -n "$NS" -s -j link show "$1" | jq ".[0].stats64.$2.$3"
}
