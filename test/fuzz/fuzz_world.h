/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fuzz targets share: the program's whole command table on a world without EAL, and what
 * holds for every line, whatever it says. */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include <stdlib.h>

#include "pg_lang.h"
#include "pg_tx.h"
#include "support_world.h"

/** Stop the fuzzer with a text; the input is then its reproducer. */
#define FUZZ_REQUIRE(condition, ...)                         \
	do {                                                 \
		if (!(condition)) {                          \
			fprintf(stderr, "%s: ", #condition); \
			fprintf(stderr, __VA_ARGS__);        \
			fputc('\n', stderr);                 \
			abort();                             \
		}                                            \
	} while (0)

/** A speaker of the program's language. Rows of devices are the program's own; pgctrl and threads
 *  add and remove devices that are only names, and do nothing else. */
struct fuzz_speaker {
	struct fake_world world; /**< first: it is what rows are called with */
	struct pg_device device[FAKE_DEVICES];
	const void *thread[FAKE_DEVICES]; /**< of each device */
	struct pg_lang *lang;
};

void fuzz_speaker_init(struct fuzz_speaker *speaker);
void fuzz_speaker_fini(struct fuzz_speaker *speaker);
/** Add a device to kpktgend_0. */
void fuzz_speaker_add(struct fuzz_speaker *speaker, const char *name);

/** Check or run a line, and require of an error that it has a text and a place. 0 or -errno. */
int fuzz_check(struct pg_lang *lang, const char *line, struct pg_error *err);
int fuzz_run(struct pg_lang *lang, const char *line, struct pg_error *err);

/** As fuzz_run(), and require that a line that fails changes nothing in the world. */
int fuzz_run_whole(struct fuzz_speaker *speaker, const char *line, struct pg_error *err);

/** Both said the same of a line. */
void fuzz_agree(const char *line, const struct pg_error *checked, const struct pg_error *run);

/** The input as a text: up to its first NUL. Owner: the caller, free(). */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
