/* SPDX-License-Identifier: BSD-3-Clause */
/* One write to each kind of control file: it is taken whole or fails with an errno, and the strict
 * doors still work on what it leaves. */
#include "fuzz_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
write_to(struct fuzz_speaker *speaker, const char *target, const uint8_t *data, size_t size)
{
	ssize_t got = pg_lang_write(speaker->lang, target, data, size);

	FUZZ_REQUIRE(got < 0 || (size_t)got == size, "%zd of %zu", got, size);
	FUZZ_REQUIRE(got > -4096, "%zd is no errno", got);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_speaker speaker;
	struct pg_error err;

	fuzz_speaker_init(&speaker);
	fuzz_speaker_add(&speaker, "dev");
	write_to(&speaker, "dev", data, size);
	FUZZ_REQUIRE(fuzz_run(speaker.lang, "dev count 5", &err) == 0, "%s", err.text);
	write_to(&speaker, "kpktgend_0", data, size);
	write_to(&speaker, "pgctrl", data, size);
	fuzz_speaker_fini(&speaker);
	return 0;
}
