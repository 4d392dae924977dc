#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# pmdgen-run itself: what the script finds, its status, signals, other users, --join.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/run.sh"
need setpriv

LEFT=$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'pmdgen-run.*' | wc -l)
nothing_left() {
	same "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'pmdgen-run.*' | wc -l)" "$LEFT" "directories that are left"
	if grep -q pmdgen-run /proc/self/mounts; then fail "a mount is left"; fi
	[ ! -e /proc/net/pktgen/pgctrl ] || [ -d /sys/module/pktgen ] || fail "/proc/net/pktgen is there outside"
}

# The script's status is passed on, and its arguments, input and output are its own.
for status in 0 1 7 255; do
	script $status -- sh -c "exit $status"
done
script 137 -- bash -c 'kill -KILL $$'
eal
same "$(echo hello | "$RUN" --eal "${EAL[*]}" -- sh -c 'cat; echo "$@"' - a 'b  c' 2>"$ERR")" $'hello\na b  c' "what the script says"
nothing_left

# All of /proc but net/pktgen is the real one, also for processes that come later.
cat >"$DIR/proc.sh" <<'S'
#!/bin/bash
set -e -o pipefail
[[ -d /proc/net/pktgen && -w /proc/net/pktgen/pgctrl && -r /proc/interrupts && -d /proc/irq ]]
ls /proc/net/pktgen
cat <(echo substitution)
bash -c '[[ -r /proc/$$/status && -d /proc/self/fd ]]'
diff <(ls /proc/self/net | grep -vx pktgen) <(ls /proc/net | grep -vx pktgen)
grep -q 'lo:' /proc/net/dev
find /proc/net/pktgen -type f | wc -l
modprobe pktgen
modprobe -q pktgen
if modprobe nosuchmodule 2>/dev/null; then exit 9; fi
S
chmod +x "$DIR/proc.sh"
script 0 -- "$DIR/proc.sh"
same "$(xargs <"$OUT")" "kpktgend_0 kpktgend_1 pgctrl substitution 3" "what is in /proc"

# pmdgen's results go to standard error on demand, and nowhere else.
script 0 -v -- "$SCRIPTS/simple.sh" -i net_null0 -n 5
says "$ERR" '^ +sent: 5 packets'
same "$(grep -c Result: "$OUT")" 1 "results on standard output"

# SIGTERM for pmdgen-run alone reaches the script; SIGKILL takes the pmdgen with it.
cat >"$DIR/wait.sh" <<'S'
#!/bin/bash
trap 'echo terminated; exit 5' TERM
echo add_device net_null0 >/proc/net/pktgen/kpktgend_0
echo count 0 >/proc/net/pktgen/net_null0
echo Running >&2
for _ in $(seq 300); do sleep 0.1; done
S
chmod +x "$DIR/wait.sh"
begin -- "$DIR/wait.sh"
wait_for 30 says_running || fail "the script does not run"
kill -s TERM "$PID"
finish 5
same "$(cat "$OUT")" terminated "what the script says"
nothing_left
begin -- "$DIR/wait.sh"
wait_for 30 says_running || fail "the script does not run"
CHILD=$(pgrep -P "$PID" -x pmdgen) || fail "no pmdgen"
kill -s KILL "$PID"
finish 137
wait_for 20 ended "$CHILD" || fail "the pmdgen of a killed pmdgen-run goes on"
kill -s KILL -- "-$PID" || true # the script, in the group that begin() made
rmdir "${TMPDIR:-/tmp}"/pmdgen-run.* 2>"$DIR/rmdir" || true
nothing_left

# --join: the one that serves DIR, and it goes on.
eal
start --control "$DIR/ctl" </dev/null
SERVER=$PID
there() { [ -e "$DIR/ctl/pgctrl" ]; }
wait_for 30 there || fail "nothing is served"
for n in 1 2; do
	"$RUN" --join "$DIR/ctl" -- "$SCRIPTS/multiqueue.sh" -i "net_null$n" -n 5 -t 2 -a >"$DIR/joined" || fail "script $n"
done
same "$(find "$DIR/ctl" -type f -printf '%f\n' | sort | xargs)" "kpktgend_0 kpktgend_1 net_null1@0 net_null1@1 net_null2@0 net_null2@1 pgctrl" "devices of both scripts"
"$RUN" --join "$DIR/ctl" -- sh -c 'echo start >/proc/net/pktgen/pgctrl' || fail "start"
same "$(cat "$DIR"/ctl/net_null* | grep -c 'pkts-sofar: 5 ')" 4 "devices that have sent"
kill -s TERM "$SERVER"
PID=$SERVER
finish 0
nothing_left

# The command line.
refuses() {
	local want=$1 text=$2
	shift 2
	RC=0
	"$RUN" "$@" >"$OUT" 2>"$ERR" </dev/null || RC=$?
	same $RC "$want" "exit status of: $*"
	says "$ERR" "^pmdgen-run: $text"
}
refuses 2 'no SCRIPT; ' --
refuses 2 'no SCRIPT; '
refuses 2 "unknown option '--foo'; " --foo -- true
refuses 2 '--eal needs a value; ' --eal
refuses 2 '--join takes a pmdgen that runs already; expected ' --join "$DIR" --eal '--no-pci' -- true
refuses 3 "nothing serves control files at $DIR; start one: pmdgen --control $DIR" --join "$DIR" -- true
eal
refuses 2 'cannot run /nosuch: No such file or directory; expected' --eal "${EAL[*]}" -- /nosuch
refuses 2 'pmdgen did not start; its message stands above' --eal "--no-such-option" -- true
PMDGEN=/nosuch refuses 3 'there is no pmdgen ' -- true
"$RUN" --help >"$OUT"
says "$OUT" '^usage: pmdgen-run '
nothing_left

# Without root, in a user namespace in which the script is root, as it wants to be.
cp "$PMDGEN" "$DIR/pmdgen"
cp "$RUN" "$DIR/pmdgen-run"
cp -r "$SCRIPTS" "$DIR/scripts"
chmod -R a+rX "$DIR"
mkdir "$DIR/home"
chown 65534:65534 "$DIR/home"
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env "PMDGEN=$DIR/pmdgen" \
		"XDG_RUNTIME_DIR=$DIR/home" timeout -k 5 60 "$@" </dev/null
}
if as_user unshare -rm true 2>"$DIR/userns"; then
	RC=0
	as_user "$DIR/pmdgen-run" -- "$DIR/scripts/multiqueue.sh" -i net_null0 -t 1 -n 321 >"$OUT" 2>"$ERR" || RC=$?
	same $RC 0 "exit status as user 65534"
	says "$OUT" '^Result: OK: .* usec, 321 '
else
	RC=0
	as_user "$DIR/pmdgen-run" -- true >"$OUT" 2>"$ERR" || RC=$?
	same $RC 3 "exit status of a user who may not have a namespace"
	says "$ERR" '^pmdgen-run: cannot make a mount namespace: .*; run it as root'
	echo "users have no user namespaces here: $(cat "$DIR/userns")"
fi
nothing_left
