/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes to control files, read as the kernel reads them (reference 1 to 4): one write is one
 * command, words and digits beyond their limits are cut, what follows the argument is ignored. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

#define CONTROL_BYTES 127 // that are looked at
#define THREAD_WORD   40  // with its NUL
#define DEVICE_WORD   16

static void
keep(const struct pg_lang *lang, const struct pg_target *target, const char *reply)
{
	const struct pg_world *world = lang_world(lang);

	if (world->replied != NULL && reply[0] != '\0')
		world->replied(world->ctx, target, reply);
}

// A command that the kernel does not have: strict, and the error's text is the Result.
static int
write_extension(
	struct pg_lang *lang, struct lang_line *line, const char *bytes, size_t size, size_t start)
{
	char text[PG_TEXT_MAX + PG_TARGET_MAX];
	struct pg_error err = {0};
	struct pg_reply reply = {""};
	int rc;

	if (size >= sizeof(text))
		return -E2BIG;
	memcpy(text, bytes, size);
	text[size] = '\0';
	rc = lang_parse_argument(text, text + start, line, &err);
	if (rc == 0)
		rc = lang_run_line(lang, line, &reply, &err);
	if (rc < 0) {
		snprintf(reply.text, sizeof(reply.text), "ERROR: %s", err.text);
		keep(lang, &line->target, reply.text);
	}
	return rc;
}

// Store and check, as through every door; a value that cannot be is refused or answered.
static int
write_value(struct pg_lang *lang, struct lang_line *line, struct pg_call *call, int rc)
{
	const struct pg_command *row = line->command;

	if (rc == 0 && row->refusal != NULL && row->arg.max != 0 && line->value.u64 > row->arg.max)
		rc = -ERANGE;
	if (rc == 0 && row->admit != NULL)
		rc = row->admit(call);
	if (rc == 0 && lang_is_setting(row))
		rc = lang_change(lang, line, call->err);
	if (rc < 0 && row->refusal != NULL) {
		snprintf(call->reply->text, sizeof(call->reply->text), "%s", row->refusal);
		return 0;
	}
	if (rc < 0)
		return rc;
	if (row->arg.is_signed)
		snprintf(call->reply->text, sizeof(call->reply->text), "OK: %s=%" PRId32, row->name,
			(int32_t)line->value.u64);
	else
		pg_call_reply(call);
	return row->run != NULL ? row->run(call) : 0;
}

// A row's own way, on a copy: what it leaves there is kept if it passes the checks, whatever it
// returns.
static int
write_own(struct pg_lang *lang, const struct lang_line *line, struct pg_call *call, int scanned)
{
	const struct pg_target *target = call->target;
	_Alignas(16) char copy[PG_SETTINGS_MAX];
	struct pg_target tried = *target;
	int rc;

	if (target->settings == NULL)
		return line->command->write(call, scanned);
	memcpy(copy, target->settings, target->settings_size);
	tried.settings = copy;
	call->target = &tried;
	rc = line->command->write(call, scanned);
	call->target = target;
	if (lang_verify(lang, target->kind, copy, call->err) < 0) {
		call->reply->text[0] = '\0';
		return -call->err->code;
	}
	memcpy(target->settings, copy, target->settings_size);
	return rc;
}

static int
write_row(struct pg_lang *lang, struct lang_line *line, struct pg_scan *scan)
{
	const struct pg_command *row = line->command;
	const struct pg_target *target = &line->target;
	struct pg_error err = {0};
	struct pg_reply reply = {""};
	struct pg_call call = {lang_world(lang)->ctx, row, target, &line->value, &reply, &err};
	_Alignas(16) char before[PG_SETTINGS_MAX];
	int rc = 0;

	if (target->settings != NULL)
		memcpy(before, target->settings, target->settings_size);
	memset(&line->value, 0, sizeof(line->value));
	lang_scan_blanks(scan);
	if (row->arg.type != NULL && row->arg.type->scan != NULL)
		rc = row->arg.type->scan(&row->arg, scan, &line->value);
	rc = row->write != NULL ? write_own(lang, line, &call, rc)
				: write_value(lang, line, &call, rc);
	if (rc == 0 || row->write != NULL)
		keep(lang, target, reply.text);
	if (target->settings != NULL &&
		memcmp(before, target->settings, target->settings_size) != 0)
		lang_tell_changed(lang, &call);
	return rc;
}

// pgctrl compares the whole write, without one newline at its end.
static int
write_control(struct pg_lang *lang, struct lang_line *line, const char *bytes, size_t size)
{
	struct pg_scan scan = {bytes, bytes + size};
	char text[CONTROL_BYTES + 1], word[PG_TARGET_MAX];
	size_t n = size < CONTROL_BYTES ? size : CONTROL_BYTES;

	memcpy(text, bytes, n);
	if (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	line->command = pg_lang_find(lang, PG_TARGET_CONTROL, text);
	if (line->command != NULL && !(line->command->flags & PG_COMMAND_EXTENSION))
		return write_row(lang, line, &scan);
	lang_scan_word(&scan, word, sizeof(word));
	line->command = pg_lang_find(lang, PG_TARGET_CONTROL, word);
	if (line->command == NULL || !(line->command->flags & PG_COMMAND_EXTENSION))
		return -EINVAL;
	return write_extension(lang, line, bytes, size, scan.at - bytes);
}

static int
write_target(struct pg_lang *lang, struct lang_line *line, const char *bytes, size_t size)
{
	enum pg_target_kind kind = line->target.kind;
	struct pg_scan scan = {bytes, bytes + size};
	char word[THREAD_WORD], reply[PG_REPLY_MAX];

	lang_scan_word(&scan, word, kind == PG_TARGET_DEVICE ? DEVICE_WORD : THREAD_WORD);
	line->command = pg_lang_find(lang, kind, word);
	if (line->command == NULL && kind == PG_TARGET_DEVICE) {
		snprintf(reply, sizeof(reply), "No such parameter \"%s\"", word);
		keep(lang, &line->target, reply);
	}
	if (line->command == NULL)
		return -EINVAL;
	if (line->command->flags & PG_COMMAND_EXTENSION)
		return write_extension(lang, line, bytes, size, scan.at - bytes);
	return write_row(lang, line, &scan);
}

ssize_t
pg_lang_write(struct pg_lang *lang, const char *target, const void *bytes, size_t size)
{
	struct lang_line line = {.command = NULL};
	int rc;

	if (strlen(target) >= sizeof(line.target_name) ||
		lang_find_existing(lang, target, &line.target) < 0)
		return -ENODEV;
	if (size == 0)
		return -EINVAL;
	strcpy(line.target_name, target);
	line.command_column = 1;
	rc = line.target.kind == PG_TARGET_CONTROL ? write_control(lang, &line, bytes, size)
						   : write_target(lang, &line, bytes, size);
	return rc < 0 ? rc : (ssize_t)size;
}
