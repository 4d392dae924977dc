/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of the record, one after the other: writes, and reads. */
#include "support_replay.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "support.h"

static const struct {
	const char *name;
	int number;
} errors[] = {
	{"EINVAL", EINVAL},
	{"ENODEV", ENODEV},
	{"EBUSY", EBUSY},
	{"EOPNOTSUPP", EOPNOTSUPP},
	{"ENETDOWN", ENETDOWN},
	{"E2BIG", E2BIG},
	{"EPERM", EPERM},
	{"EFAULT", EFAULT},
};

static ssize_t
recorded_return(const json_t *step)
{
	const char *name = replay_text(step, "errno");

	if (name == NULL)
		return json_integer_value(json_object_get(step, "ret"));
	for (size_t i = 0; i < DIM(errors); i++) {
		if (strcmp(name, errors[i].name) == 0)
			return -errors[i].number;
	}
	fail_msg("unknown error %s", name);
	return 0;
}

// Is this line one of the text's?
static bool
has_line(const char *text, const char *line, size_t length)
{
	while (text[0] != '\0') {
		size_t n = strcspn(text, "\n");

		if (n == length && memcmp(text, line, n) == 0)
			return true;
		text += n + (text[n] == '\n');
	}
	return false;
}

static bool
listed(const json_t *list, const char *line, size_t length)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
	{
		if (strlen(json_string_value(entry)) == length &&
			memcmp(json_string_value(entry), line, length) == 0)
			return true;
	}
	return false;
}

// A line of one text whose beginning, up to the first colon, the other text has too.
static bool
has_label(const char *text, const char *line)
{
	size_t length = strcspn(line, ":\n");

	while (text[0] != '\0') {
		if (strncmp(text, line, length) == 0)
			return true;
		text += strcspn(text, "\n");
		text += text[0] == '\n';
	}
	return false;
}

// Times, and while it runs whatever a run moves on.
static bool
moves(const struct replay *replay, const char *line)
{
	static const char *const labels[] = {"     started: ", "     pkts-sofar: ",
		"     seq_num: ", "     cur_saddr: ", "     cur_udp_dst: ", "     cur_queue_map: ",
		"     imix_size_counts: ", "     flows: "};
	bool running = pg_engine_running(replay->app.engine);

	if (strncmp(line, "     flows: ", 12) == 0 &&
		line[12 + strspn(line + 12, "0123456789")] == ' ')
		return false; // with the settings, not under "Current:"
	for (size_t i = 0; i < (running ? DIM(labels) : 1); i++) {
		if (strncmp(line, labels[i], strlen(labels[i])) == 0)
			return true;
	}
	return false;
}

// The recorder listed what was new against the text it had seen last, or left it out if the file
// had it right before the write.
static struct replay_seen *
last_seen(struct replay *replay, const char *file)
{
	struct replay_seen *seen = replay->seen;

	while (seen->file[0] != '\0' && strcmp(seen->file, file) != 0)
		seen++;
	assert_true(seen < replay->seen + REPLAY_FILES_MAX - 1);
	return seen;
}

static void
see(struct replay *replay)
{
	struct replay_seen *seen = last_seen(replay, replay->file);

	snprintf(seen->file, sizeof(seen->file), "%s", replay->file);
	replay_read(replay, replay->file, seen->text);
}

static const char *
next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line[0] == '\n' ? line + 1 : line;
}

// The markers count to 1234 where the record does not always say so.
static bool
only_count(const char *line, const char *before)
{
	const char *rest = strstr(line, "  min_pkt_size: ");
	const char *old = strstr(before, "  min_pkt_size: ");

	return strncmp(line, "Params: count ", 14) == 0 && rest != NULL && old != NULL &&
	       strcspn(rest, "\n") == strcspn(old, "\n") &&
	       strncmp(rest, old, strcspn(rest, "\n")) == 0;
}

static bool
is_last(const char *line)
{
	return line[0] == '\0' || strncmp(line, "Result: ", 8) == 0;
}

// Its numbers depend on the runs before.
static bool
depends(const char *line)
{
	return strncmp(line, "     imix_size_counts: ", 23) == 0;
}

// What changed is what was recorded to change, and nothing else.
static void
compare_changes(struct replay *replay, const json_t *step, const char *before, const char *after)
{
	const json_t *changed = json_object_get(step, "changed_lines"), *entry;
	const json_t *removed = json_object_get(step, "removed_lines");
	const struct replay_seen *seen = last_seen(replay, replay->file);
	const char *line;
	size_t i;

	json_array_foreach(changed, i, entry)
	{
		line = json_string_value(entry);
		if (!moves(replay, line) && !has_line(after, line, strlen(line)))
			replay_differ(replay, REPLAY_LINE, line, "there is no line \"%s\"", line);
	}
	json_array_foreach(removed, i, entry)
	{
		line = json_string_value(entry);
		if (has_line(after, line, strlen(line)))
			replay_differ(
				replay, REPLAY_LINE, line, "the line \"%s\" is still there", line);
	}
	if (seen->file[0] == '\0')
		return;
	for (line = after; !is_last(line); line = next_line(line)) {
		size_t n = strcspn(line, "\n");

		if (!moves(replay, line) && !has_line(before, line, n) &&
			!has_line(seen->text, line, n) && !listed(changed, line, n) &&
			!only_count(line, before))
			replay_differ(replay, REPLAY_LINE, line, "the line \"%.*s\" is new", (int)n,
				line);
	}
	for (line = before; !is_last(line); line = next_line(line)) {
		size_t n = strcspn(line, "\n");

		if (!has_label(after, line) && !listed(removed, line, n) &&
			!(depends(line) && removed != NULL))
			replay_differ(replay, REPLAY_LINE, line, "the line \"%.*s\" is gone",
				(int)n, line);
	}
}

static void
compare_write(struct replay *replay, const json_t *step, ssize_t ret, const char *before)
{
	const char *want = replay_text(step, "result");
	ssize_t want_ret = recorded_return(step);
	char after[REPLAY_TEXT_MAX], result[REPLAY_TEXT_MAX];

	if (ret != want_ret)
		replay_differ(replay, REPLAY_RETURN, "", "it returns %zd (%s), not %zd (%s)", ret,
			ret < 0 ? strerror(-ret) : "", want_ret,
			want_ret < 0 ? strerror(-want_ret) : "");
	if (want == NULL || !replay_read(replay, replay->file, after))
		return;
	replay_result(after, result);
	if (strcmp(result, want) != 0 && strncmp(want, "OK: ", 4) == 0 &&
		strstr(want, " usec, ") != NULL && strstr(result, " usec, ") != NULL)
		; // of a run: its figures are compared where the file is read
	else if (strcmp(result, want) != 0)
		replay_differ(replay, REPLAY_RESULT, "Result: ", "Result is \"%s\", not \"%s\"",
			result, want);
	compare_changes(replay, step, before, after);
}

static int
number_of(const json_t *step)
{
	return atoi(strchr(replay_text(step, "step"), '-') + 1);
}

static bool
same_part(const json_t *a, const json_t *b)
{
	const char *x = replay_text(a, "step"), *y = replay_text(b, "step");

	return strcspn(x, "-") == strcspn(y, "-") && strncmp(x, y, strcspn(x, "-")) == 0;
}

static int
gap_before(const struct replay *replay)
{
	const json_t *step = json_array_get(replay->steps, replay->at);
	const json_t *last = replay->at > 0 ? json_array_get(replay->steps, replay->at - 1) : NULL;

	return last != NULL && same_part(step, last) ? number_of(step) - number_of(last) : 0;
}

// The marker that was written before each case: a number that the record leaves out.
static void
write_marker(struct replay *replay, const json_t *step)
{
	static const char *const sections[] = {
		"thread", "skb-sharing", "dev-*", "ip6-text", "long-writes"};
	const char *marker = strncmp(replay->file, "kpktgend_", 9) == 0 ? "max_before_softirq\n"
									: "count 1234\n";
	const json_t *last = json_array_get(replay->steps, replay->at - 1);
	bool marked = false;

	if (fnmatch("dev-flag-all-*", replay->section, 0) == 0 &&
		json_object_get(last, "setup") != NULL)
		return; // here something else stood between
	for (size_t i = 0; i < DIM(sections); i++)
		marked |= fnmatch(sections[i], replay->section, 0) == 0;
	if (marked && gap_before(replay) == 2 && json_object_get(step, "setup") == NULL)
		replay_write(replay, replay->lang, replay->file, marker, strlen(marker), "");
}

struct saved {
	struct pg_device_settings settings;
	struct pg_device_current current;
	char reply[PG_RESULT_MAX];
};

static void
save(const struct pg_device *device, struct saved *saved)
{
	saved->settings = device->settings;
	saved->current = device->current;
	memcpy(saved->reply, device->reply, sizeof(saved->reply));
}

// Where pmdgen accepts on purpose what the kernel refuses, the next steps take the kernel's state.
static void
restore(struct pg_device *device, const struct saved *saved)
{
	device->settings = saved->settings;
	device->current = saved->current;
	memcpy(device->reply, saved->reply, sizeof(device->reply));
}

static void
write_step(struct replay *replay, const json_t *step)
{
	const json_t *command = json_object_get(step, "command");
	const char *after = replay_text(step, "bytes_after_buffer");
	char before[REPLAY_TEXT_MAX];
	struct pg_device *device;
	struct saved saved;
	ssize_t ret;

	device = replay_device(replay, replay->file);
	if (device != NULL)
		save(device, &saved);
	replay_read(replay, replay->file, before);
	ret = replay_write(replay, replay->lang, replay->file, json_string_value(command),
		json_string_length(command), after != NULL ? after : "");
	compare_write(replay, step, ret, before);
	if (replay->restore && device != NULL)
		restore(device, &saved);
	if (json_object_get(step, "result") != NULL && replay->error == NULL)
		see(replay);
}

// The first line and all from "Current:" on.
static void
cut_to_part(char *text)
{
	char *first = strchr(text, '\n'), *rest = strstr(text, "Current:");

	if (first != NULL && rest != NULL)
		memmove(first + 1, rest, strlen(rest) + 1);
}

static void
read_step(struct replay *replay, const json_t *step)
{
	const char *part = replay_text(step, "text_part"), *note = replay_text(step, "note");
	const char *want = part != NULL ? part : replay_text(step, "text");
	char got[REPLAY_TEXT_MAX], whole[REPLAY_TEXT_MAX];
	bool there = replay_read(replay, replay->file, got);

	if (want == NULL || !there) {
		if (want != NULL || there)
			replay_differ(replay, REPLAY_RETURN, "", "%s",
				there ? "the file is there" : "no such file");
		return;
	}
	see(replay);
	memcpy(whole, got, sizeof(whole));
	if (part != NULL)
		cut_to_part(got);
	replay_compare_text(
		replay, want, got, whole, note != NULL && strncmp(note, "running", 7) == 0);
}

static bool
is_start(const json_t *step)
{
	const char *file = replay_text(step, "file"), *command = replay_text(step, "command");

	return file != NULL && command != NULL && strcmp(file, "pgctrl") == 0 &&
	       replay_text(step, "errno") == NULL && strncmp(command, "start", 5) == 0;
}

// The plain settings of sections pkt-* stand in the packets' file, under the start's step.
static void
write_settings(struct replay *replay)
{
	const json_t *packets = json_object_get(replay->packets, replay->id);
	const json_t *settings = json_object_get(packets, "settings");

	if (packets == NULL || (fnmatch("pkt-*", replay->section, 0) != 0 &&
				       fnmatch("ipsec-*", replay->section, 0) != 0))
		return;
	if (gap_before(replay) == 2 &&
		json_object_get(json_array_get(replay->steps, replay->at - 1), "command") != NULL)
		return; // but here they were listed as steps
	// Two more steps removed and added the device, two began the capture and cleared it.
	replay_settings(replay, packets, gap_before(replay) >= (int)json_array_size(settings) + 4,
		SIZE_MAX);
}

// Settings between two reads, which only the packets file has.
static void
write_hidden(struct replay *replay)
{
	static const struct {
		const char *step, *start;
	} hidden[] = {{"packets-2732", "packets-2740"}, {"packets-2734", "packets-2740"}};

	for (size_t i = 0; i < DIM(hidden); i++) {
		if (strcmp(hidden[i].step, replay->id) == 0)
			replay_settings(replay, json_object_get(replay->packets, hidden[i].start),
				false, 1);
	}
}

static bool
shell_write(struct replay *replay, const json_t *step)
{
	json_t *write = replay_shell_write(step);

	if (write == NULL)
		return false;
	replay_begin(replay, write);
	write_step(replay, write);
	json_decref(replay->written);
	replay->written = write; // its texts are those of the step at hand
	return true;
}

// What a shell did: to the interfaces, by writing to a file, or by listing them.
static void
shell_step(struct replay *replay, const json_t *step)
{
	const char *shell = replay_text(step, "shell");

	guest_shell(replay, shell);
	if (replay_absent(replay, step))
		replay->commands.absent++;
	else if (replay_listing(replay, step) || shell_write(replay, step) ||
		 replay_second_start(replay, shell))
		replay_end(replay, &replay->commands);
	else
		replay_skip_shell(&replay->commands);
}

static void
one_step(struct replay *replay, const json_t *step)
{
	struct replay_counts *counts = &replay->commands;

	replay_begin(replay, step);
	write_hidden(replay);
	guest_links(strcmp(replay->section, "run-link-down") == 0);
	if (replay_text(step, "shell") != NULL) {
		shell_step(replay, step);
		return;
	}
	if (json_object_get(step, "read") != NULL)
		counts = &replay->reads;
	if (replay->command != NULL)
		write_marker(replay, step);
	if (replay_absent(replay, step)) {
		counts->absent++;
		return;
	}
	if (is_start(step)) {
		write_settings(replay);
		replay_start(replay, step);
	} else if (json_object_get(step, "wait_for_start") != NULL ||
		   json_object_get(step, "signal_to_starter") != NULL) {
		replay_wait(replay, step);
	} else if (replay->command != NULL) {
		write_step(replay, step);
	} else {
		read_step(replay, step);
	}
	replay_end(replay, counts);
}

void
replay_steps(struct replay *replay)
{
	const json_t *step, *last = NULL;

	json_array_foreach(replay->steps, replay->at, step)
	{
		if (last == NULL || !same_part(step, last)) {
			if (last != NULL)
				replay_halt(replay);
			replay_boot(replay, NULL);
		}
		one_step(replay, step);
		last = step;
	}
	replay_halt(replay);
}
