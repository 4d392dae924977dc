/* SPDX-License-Identifier: BSD-3-Clause */
/* A command file: every line checked, then every line run, as the program does; and every line run
 * by itself, as standard input does. Both find the same first error. */
#include "fuzz_world.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** How a source ended: at a line, with an error; code 0: at its end. */
struct ending {
	size_t line;
	struct pg_error err;
};

static struct fuzz_speaker speaker;

static int
check_line(const char *line, struct pg_error *err)
{
	return fuzz_check(speaker.lang, line, err);
}

static int
run_line(const char *line, struct pg_error *err)
{
	return fuzz_run_whole(&speaker, line, err);
}

// A copy of the text is cut into lines.
static struct ending
each_line(const char *text, int (*fn)(const char *line, struct pg_error *err))
{
	struct ending end = {0};
	char *copy = fuzz_text((const uint8_t *)text, strlen(text)), *rest = copy, *line;

	pg_lang_rewind(speaker.lang);
	while ((line = strsep(&rest, "\n")) != NULL) {
		end.line++;
		if (fn(line, &end.err) < 0)
			break;
	}
	free(copy);
	return end;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct ending checked, run;

	fuzz_speaker_init(&speaker);
	checked = each_line(text, check_line);
	FUZZ_REQUIRE(speaker.world.ndevices == 0, "a check has added a device");
	if (checked.err.code == 0) {
		run = each_line(text, run_line);
		fuzz_agree("all lines", &checked.err, &run.err);
	}
	fuzz_speaker_fini(&speaker);

	fuzz_speaker_init(&speaker);
	run = each_line(text, run_line);
	fuzz_agree(text, &checked.err, &run.err);
	FUZZ_REQUIRE(checked.line == run.line || run.err.fault == PG_FAULT_ENV,
		"checked: line %zu, \"%s\"; run: line %zu, \"%s\"", checked.line, checked.err.text,
		run.line, run.err.text);
	fuzz_speaker_fini(&speaker);
	free(text);
	return 0;
}
