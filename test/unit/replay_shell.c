/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the guest's shell that are writes or listings of control files. */
#include "support_replay.h"

#include <stdlib.h>

#include "support.h"

// The text between quotes, or up to the next blank; \n is a newline. Returns what follows.
static const char *
word(const char *shell, char *out, size_t size)
{
	bool quoted = shell[0] == '"';
	size_t n = 0;

	for (shell += quoted; shell[0] != '\0' && shell[0] != (quoted ? '"' : '>'); shell++) {
		bool newline = strncmp(shell, "\\n", 2) == 0;

		assert_true(n < size - 1);
		out[n++] = newline ? '\n' : shell[0];
		shell += newline;
	}
	while (!quoted && n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return shell + (shell[0] == '"');
}

static const char *
error_name(const char *output)
{
	static const struct {
		const char *text, *name;
	} errors[] = {
		{"Invalid argument", "EINVAL"},
		{"Operation not supported", "EOPNOTSUPP"},
		{"No such device", "ENODEV"},
		{"Device or resource busy", "EBUSY"},
	};
	const char *found = strstr(output, "write error: ");

	for (size_t i = 0; found != NULL && i < DIM(errors); i++) {
		if (strncmp(found + 13, errors[i].text, strlen(errors[i].text)) == 0)
			return errors[i].name;
	}
	return NULL;
}

json_t *
replay_shell_write(const json_t *step)
{
	const char *shell = replay_text(step, "shell"), *output = replay_text(step, "output");
	const char *found = shell != NULL ? strstr(shell, "sh -c '") : NULL, *result, *error;
	char bytes[128], file[64], text[REPLAY_TEXT_MAX];
	bool newline = true;
	json_t *write;

	if (found == NULL || strncmp(shell, "timeout 3 ", 10) != 0)
		return NULL;
	found += 7;
	if (strncmp(found, "echo -n ", 8) == 0 || strncmp(found, "printf ", 7) == 0)
		newline = false;
	found += newline ? 5 : strchr(found, ' ') - found + (found[0] == 'e' ? 4 : 1);
	found = word(found, bytes, sizeof(bytes) - 1);
	if (newline)
		strcat(bytes, "\n");
	found = strstr(found, "/proc/net/pktgen/");
	assert_true(found != NULL && sscanf(found, "/proc/net/pktgen/%63[^']", file) == 1);
	error = error_name(output);
	write = json_pack("{s:O, s:O, s:s, s:s, s:i}", "step", json_object_get(step, "step"),
		"section", json_object_get(step, "section"), "file", file, "command", bytes, "ret",
		error != NULL ? -1 : (int)strlen(bytes));
	assert_non_null(write);
	if (error != NULL)
		json_object_set_new(write, "errno", json_string(error));
	result = strstr(output, "Result: ");
	if (result != NULL && strcmp(file, "lo") == 0) {
		snprintf(text, sizeof(text), "%s", result + 8);
		text[strlen(text) - 1] = '\0'; // the file's last newline
		json_object_set_new(write, "result", json_string(text));
	}
	return write;
}

static int
compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool
replay_listing(struct replay *replay, const json_t *step)
{
	const char *shell = replay_text(step, "shell"), *names[REPLAY_FILES_MAX] = {"pgctrl"};
	char threads[2][16], got[REPLAY_TEXT_MAX] = "";
	const struct pg_device *device;
	size_t n = 1;

	if (shell == NULL || strcmp(shell, "ls /proc/net/pktgen") != 0)
		return false;
	for (unsigned int i = 0; i < 2; i++) {
		snprintf(threads[i], sizeof(threads[i]), "kpktgend_%u", i);
		names[n++] = threads[i];
	}
	TAILQ_FOREACH(device, pg_engine_devices(replay->app.engine), in_engine)
	names[n++] = device->name;
	qsort(names, n, sizeof(names[0]), compare);
	for (size_t i = 0; i < n; i++) {
		strcat(got, names[i]);
		strcat(got, "\n");
	}
	if (strcmp(got, replay_text(step, "output")) != 0)
		replay_differ(replay, REPLAY_LINE, "", "the files are \"%s\", not \"%s\"", got,
			replay_text(step, "output"));
	return true;
}
