/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs on purpose: the one list. Each entry names its line of DESIGN 8, or for what hangs,
 * crashes or corrupts in the kernel the fact of the record, and what pmdgen does instead. */
#include "support_replay.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>

#include "support.h"

/** An entry covers what fits all of its patterns; a NULL one fits all. */
struct purpose {
	const char *reason;
	const char *steps;   /**< ids, "cmds-3195..3210 hang3-4" */
	const char *section; /**< glob */
	const char *command; /**< glob, of the bytes written */
	const char *error;   /**< recorded errno */
	const char *subject; /**< how the line begins, or what of a capture it is */
	unsigned int kinds;  /**< enum replay_kind */
	bool restore;        /**< the kernel refused: go on from its state */
	unsigned int used;
};

#define WRITE (REPLAY_RETURN | REPLAY_RESULT | REPLAY_LINE)
#define ALL   (WRITE | REPLAY_PACKET)

static struct purpose purposes[] = {
	// DESIGN 8: "devices that do not share packets refuse `clone_skb` and `burst` | every DPDK
	// port shares packets, so both are accepted"
	{"clone_skb on any port", .command = "clone_skb*", .error = "EOPNOTSUPP", .kinds = WRITE,
		.restore = true},
	{"burst on any port", .command = "burst*", .error = "EOPNOTSUPP", .kinds = WRITE,
		.restore = true},
	// Fact 23 of the record: there a burst set before start_xmit hangs the worker. Here the
	// run ends.
	{"burst on any port: no hang", .steps = "hang-14..19", .kinds = WRITE},
	// DESIGN 8: "IPSEC needs xfrm | as a kernel without CONFIG_XFRM (`flag IPSEC` unknown,
	// `spi` refused)"; "IPsec with a VLAN tag corrupts the frame | * refused". What other
	// steps show of the flag is taken out of the record as it is read.
	{"no IPsec: spi", .command = "spi*", .kinds = WRITE},
	{"no IPsec: spi, as read", .section = "dev-spi-*",
		.subject = "Result: OK: spi=", .kinds = REPLAY_LINE},
	{"no IPsec: flag", .command = "flag*IPSEC*", .kinds = WRITE},
	{"no IPsec: packets stay plain", .section = "ipsec-sa", .kinds = REPLAY_PACKET},
	// DESIGN 8: "(extensions) | ... `NODE_ALLOC`, ... `src6_min/max`"
	{"the flag NODE_ALLOC", .command = "flag*NODE_ALLOC*", .kinds = WRITE, .restore = true},
	{"src6_min and src6_max", .command = "src6_m*", .error = "EINVAL", .kinds = WRITE,
		.restore = true},
	{"pgctrl help", .steps = "cmds-38", .kinds = REPLAY_RETURN},
	// DESIGN 8: "burst B repeats one packet B times, overshoots `count` by up to B-1 ... |
	// burst is the number of packets per transmit call, all distinct; ... `count` and `rate`
	// are exact"
	{"count is exact with a burst", .subject = "overshoot",
		.kinds = REPLAY_LINE | REPLAY_PACKET},
	{"the packets of a burst are distinct", .subject = "repeated", .kinds = REPLAY_PACKET},
	// DESIGN 8: "`burst` up to 2^32-1; `burst 4294967296` becomes 0 and crashes | * the
	// kernel's limits and reply" (fact 5 of the record); beyond the limit it is the limit.
	{"burst beyond 32 bits", .command = "burst [49]*", .kinds = REPLAY_RESULT | REPLAY_LINE},
	{"burst beyond 32 bits: no corruption", .steps = "hang3-5..11", .kinds = WRITE},
	// DESIGN 8: "UDP checksum 0 over IPv6 unless UDPCSUM | always valid over IPv6"
	{"UDP checksums over IPv6", .subject = "sum over IPv6", .kinds = REPLAY_PACKET},
	// DESIGN 8: "an over-long frame is retried for ever ... | * refused at `start`" (facts 4,
	// 25, 26)
	{"over-long frames: IPv4's limit",
		.section = "pkt-size-@(65535|65549|65550|65600|70000|200000)-netif_receive",
		.kinds = ALL},
	{"over-long frames: 2^32-1 bytes", .section = "pkt-size-minus-1", .kinds = ALL},
	{"over-long frames: 100 MB", .steps = "extra-868..869", .kinds = WRITE},
	{"over-long frames: the MTU", .steps = "runs-639..640 extra-621..623 extra2-28..29",
		.kinds = WRITE},
	// DESIGN 8: "IMIX table sticks on shares below 1 %, percentages rounded | exact weights"
	{"exact weights of a mix", .section = "pkt-imix-*", .subject = "len",
		.kinds = REPLAY_PACKET},
	{"exact weights of a mix: shares", .section = "pkt-imix-*", .subject = "mix",
		.kinds = REPLAY_PACKET},
	{"exact weights of a mix: no size of an older list", .steps = "packets-2744",
		.subject = "size", .kinds = REPLAY_LINE},
	// Reference 10.1: the kernel never clears the counts of a mix, so its rate is too high
	// from the second run on. Here they are the run's.
	{"counts of a mix are the run's", .subject = "counts of the run", .kinds = REPLAY_LINE},
	{"counts of a mix are the run's: a shorter list", .steps = "packets-2735",
		.subject = "     imix_size_counts: ", .kinds = REPLAY_LINE},
	// Fact 21 of the record: a size range wins over a mix, whose counts of 0 then make 0 bps.
	// Here the figure is that of the sizes sent.
	{"the rate of a size range beside a mix", .steps = "runs-342..352 packets-2765",
		.subject = "bps", .kinds = REPLAY_LINE},
	// DESIGN 8: "`queue_xmit` hands packets to the qdisc | ... there is no qdisc"
	{"no qdisc to overflow", .section = "queue_xmit-overflow",
		.subject = "     errors: ", .kinds = REPLAY_LINE},
	// DESIGN 8: "devices with delay 0 on one thread run one after another | they share the
	// thread burst by burst"
	{"devices of one thread share it", .steps = "runs-523..528", .kinds = WRITE},
	// DESIGN 8: "endless redraw when a random destination range is all reserved | refused at
	// `start`" (fact 35 of the record)
	{"a range that is all reserved", .steps = "hang2-9..18", .kinds = WRITE},
	// Fact 1 of the record: with `debug` not 0 a write to a device reads behind the bytes
	// given and fails unless it finds a NUL there. pmdgen's `debug` prints replies, and
	// nothing fails.
	{"debug does not make writes fail", .section = "dev-debug-*", .error = "EINVAL",
		.kinds = WRITE, .restore = true},
	// DESIGN 7: the receive path is a graph of pmdgen's own, and its verdicts are not those of
	// Linux's stack, which also drops what no route leads to.
	{"verdicts of another receive path", .steps = "runs-188..200 runs-660 runs-678",
		.subject = "     errors: ", .kinds = REPLAY_LINE},
	// The record's facts: "With frames cut off by a lost carrier a few errors may be counted".
	{"errors of a lost link", .steps = "runs-478",
		.subject = "     errors: ", .kinds = REPLAY_LINE},
	// DESIGN 1: "its devices share them [a thread's queues], two threads never do"; and
	// "`queue_map_min/max` number the thread's own set", of which QUEUE_MAP_CPU takes the
	// first.
	{"two threads need two queues", .steps = "runs-547..549", .kinds = WRITE},
	{"a thread's own queues", .steps = "runs-751 packets-3619",
		.subject = "     cur_queue_map: ", .kinds = REPLAY_LINE},
	// DESIGN 10: "Link loss, ...: the run goes on or ends with its results printed, the reason
	// named"; without a link from the beginning nothing is started, and start says so.
	{"start without a link is an error", .steps = "runs-479..480 runs-487..488",
		.kinds = WRITE},
	// DESIGN 4: "Everything that can be decided before the loop is decided at `start`": what is
	// written while a device runs is kept and shown, and counts from the next start on.
	{"what is set while it runs counts from the next start",
		.steps = "runs-616..617 packets-3658..3660 extra-858..862", .kinds = WRITE},
};

// What has no counterpart here, or cannot be asked here.
static struct {
	const char *reason, *steps, *section;
	unsigned int used;
} absent[] = {
	{"interfaces that are renamed", "cmds-175..180", NULL, 0},
	{"interfaces that are renamed", NULL, "hang-rename-*", 0},
	{"settings that were not recorded", "packets-3393..3395 packets-3406..3408", NULL, 0},
	{"parameters of the module", NULL, "module-parameters", 0},
	{"a run that has ended here by then, or not yet", "runs-511..513 runs-536..537", NULL, 0},
};

static unsigned int without_ipsec, shells, permissions;

// Is the id one of "cmds-1 cmds-3..5 hang3-*"?
static bool
id_listed(const char *list, const char *id)
{
	size_t part = strcspn(id, "-");

	while (list[0] != '\0') {
		size_t length = strcspn(list, " ");
		char entry[64];
		int from, to, n;

		snprintf(entry, sizeof(entry), "%.*s", (int)length, list);
		n = sscanf(entry + strcspn(entry, "-"), "-%d..%d", &from, &to);
		if (n == 1)
			to = from;
		if (strncmp(entry, id, part + 1) == 0 &&
			(strcmp(entry + part, "-*") == 0 || (n > 0 && atoi(id + part + 1) >= from &&
								    atoi(id + part + 1) <= to)))
			return true;
		list += length;
		list += strspn(list, " ");
	}
	return false;
}

static bool
fits(const char *pattern, const char *text)
{
	return pattern == NULL || (text != NULL && fnmatch(pattern, text, FNM_EXTMATCH) == 0);
}

static bool
covers(const struct purpose *p, const struct replay *replay, enum replay_kind kind,
	const char *subject)
{
	return (p->kinds & kind) != 0 && (p->steps == NULL || id_listed(p->steps, replay->id)) &&
	       fits(p->section, replay->section) && fits(p->command, replay->command) &&
	       fits(p->error, replay->error) &&
	       (p->subject == NULL || strncmp(subject, p->subject, strlen(p->subject)) == 0);
}

void
replay_differ(
	struct replay *replay, enum replay_kind kind, const char *subject, const char *fmt, ...)
{
	va_list args;

	for (size_t i = 0; i < DIM(purposes); i++) {
		if (!covers(&purposes[i], replay, kind, subject))
			continue;
		purposes[i].used++;
		replay->purpose = true;
		replay->restore |= purposes[i].restore;
		return;
	}
	replay->differences++;
	fprintf(stderr, "%s [%s]%s%.60s: ", replay->id, replay->section,
		replay->command != NULL ? " " : "", replay->command != NULL ? replay->command : "");
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n");
}

bool
replay_absent(struct replay *replay, const json_t *step)
{
	// Bad addresses do not reach pmdgen, and who may write is the file's mode.
	if (json_object_get(step, "as") != NULL &&
		(replay->error != NULL || replay_text(step, "open_errno") != NULL)) {
		permissions++;
		return true;
	}
	for (size_t i = 0; i < DIM(absent); i++) {
		if ((absent[i].steps == NULL || id_listed(absent[i].steps, replay->id)) &&
			fits(absent[i].section, replay->section)) {
			absent[i].used++;
			return true;
		}
	}
	return false;
}

void
replay_begin(struct replay *replay, const json_t *step)
{
	replay->id = replay_text(step, "step");
	replay->section = replay_text(step, "section");
	replay->file = replay_text(step, "file");
	replay->command = replay_text(step, "command");
	replay->error = replay_text(step, "errno");
	replay->differences = 0;
	replay->restore = false;
	replay->purpose = json_object_get(step, "ipsec") != NULL;
	without_ipsec += replay->purpose;
}

void
replay_end(struct replay *replay, struct replay_counts *counts)
{
	if (replay->differences > 0)
		counts->failed++;
	else if (replay->purpose)
		counts->purpose++;
	else
		counts->agree++;
}

void
replay_skip_shell(struct replay_counts *counts)
{
	counts->absent++;
	shells++;
}

unsigned int
replay_print_purposes(void)
{
	unsigned int stale = 0;

	printf("What differs on purpose:\n");
	printf("%6u  no IPsec: flag, as other steps show it\n", without_ipsec);
	for (size_t i = 0; i < DIM(purposes); i++) {
		printf("%6u  %s\n", purposes[i].used, purposes[i].reason);
		stale += purposes[i].used == 0;
	}
	printf("What does not apply:\n%6u  commands of the guest's shell\n%6u  file permissions\n",
		shells, permissions);
	for (size_t i = 0; i < DIM(absent); i++) {
		printf("%6u  %s\n", absent[i].used, absent[i].reason);
		stale += absent[i].used == 0;
	}
	return stale;
}
