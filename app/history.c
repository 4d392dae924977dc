/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmdline_rdline.h>

#include "history.h"

#define KEEP_BYTES 65536 /**< a longer file is cut to the last half of it */

// Make every folder of a path, for the user alone.
static bool
make_folders(const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return true;
}

static bool
file_name(char *out, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int length;

	// The XDG base directory specification: a relative path counts as none.
	if (state != NULL && state[0] == '/')
		length = snprintf(out, size, "%s/pmdgen/history", state);
	else if (home != NULL && home[0] == '/')
		length = snprintf(out, size, "%s/.local/state/pmdgen/history", home);
	else
		return false;
	return length < (int)size;
}

// The end of the file, from the start of a line on.
static char *
read_end(int fd, off_t size, off_t most)
{
	off_t from = size > most ? size - most : 0;
	char *text = calloc(1, (size_t)(size - from) + 1), *start = text;

	if (text == NULL)
		return NULL;
	if (pread(fd, text, (size_t)(size - from), from) != size - from)
		text[0] = '\0';
	if (from > 0)
		start = strchr(text, '\n');
	start = strdup(start == NULL ? "" : start + (from > 0));
	free(text);
	return start;
}

static void
shorten(int fd, const char *text)
{
	size_t size = strlen(text);

	if (ftruncate(fd, 0) == 0 && write(fd, text, size) < 0)
		(void)ftruncate(fd, 0);
}

int
app_history_open(struct rdline *rdl)
{
	char path[PATH_MAX], *text, *rest, *line;
	struct stat st;
	int fd;

	if (!file_name(path, sizeof(path)) || !make_folders(path))
		return -1;
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		goto none;
	text = rest =
		read_end(fd, st.st_size, st.st_size > KEEP_BYTES ? KEEP_BYTES / 2 : KEEP_BYTES);
	if (text == NULL)
		goto none;
	if (st.st_size > KEEP_BYTES)
		shorten(fd, text);
	while ((line = strsep(&rest, "\n")) != NULL) {
		if (line[0] != '\0')
			rdline_add_history(rdl, line);
	}
	free(text);
	return fd;

none:
	if (fd >= 0)
		close(fd);
	return -1;
}

void
app_history_add(struct rdline *rdl, int fd, const char *line)
{
	const char *last = rdline_get_history_item(rdl, 0);
	char text[1024];
	int length;

	if (line[strspn(line, " \t")] == '\0' || (last != NULL && strcmp(last, line) == 0))
		return;
	rdline_add_history(rdl, line);
	length = snprintf(text, sizeof(text), "%s\n", line);
	// At once, so that nothing is lost by a crash; a file that cannot grow is no reason to
	// stop.
	if (fd >= 0 && length < (int)sizeof(text) && write(fd, text, (size_t)length) < 0)
		return;
}
