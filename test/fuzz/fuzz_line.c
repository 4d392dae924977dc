/* SPDX-License-Identifier: BSD-3-Clause */
/* One line, checked and then run: on the unit tests' small table, whose rows cover every kind of
 * row, and on the program's, where both agree. A line that fails changes nothing. */
#include "fuzz_world.h"

#include <string.h>

#include <rte_common.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
try_small_table(const char *line)
{
	struct fake_settings before, settings = {0};
	struct pg_error checked, run = {0};
	struct fake_world world;
	struct pg_lang *lang;

	fake_world_init(&world);
	fake_world_add(&world, "dev", &settings, &settings, sizeof(settings));
	world.world.device_settings_size = sizeof(settings);
	lang = pg_lang_create(fake_lists, RTE_DIM(fake_lists), &world.world);
	FUZZ_REQUIRE(lang != NULL && pg_lang_defaults(fake_lists, RTE_DIM(fake_lists),
					     PG_TARGET_DEVICE, &settings, &run) == 0,
		"%s", run.text);
	before = settings;
	fuzz_check(lang, line, &checked);
	FUZZ_REQUIRE(
		memcmp(&before, &settings, sizeof(before)) == 0, "a check has changed something");
	if (fuzz_run(lang, line, &run) < 0)
		FUZZ_REQUIRE(memcmp(&before, &settings, sizeof(before)) == 0,
			"a line that failed has changed something");
	pg_lang_destroy(lang);
}

static void
try_whole_table(const char *line)
{
	static struct fuzz_speaker speaker;
	struct pg_error checked, run;

	fuzz_speaker_init(&speaker);
	fuzz_speaker_add(&speaker, "dev");
	FUZZ_REQUIRE(fuzz_check(speaker.lang, "[dev]", &checked) == 0, "%s", checked.text);
	fuzz_check(speaker.lang, line, &checked);
	pg_lang_rewind(speaker.lang);
	FUZZ_REQUIRE(fuzz_run(speaker.lang, "[dev]", &run) == 0, "%s", run.text);
	fuzz_run_whole(&speaker, line, &run);
	fuzz_agree(line, &checked, &run);
	fuzz_speaker_fini(&speaker);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = fuzz_text(data, size);

	try_small_table(line);
	try_whole_table(line);
	free(line);
	return 0;
}
