/* SPDX-License-Identifier: BSD-3-Clause */
/* What may stand where a line ends, and help, on a table that covers every kind of row. */
#include "support.h"
#include "support_world.h"

#include <errno.h>
#include <stdlib.h>

#include "pg_lang.h"

static void
world_offer(void *ctx, enum pg_complete what, const char *prefix, pg_offer_fn fn, void *fn_ctx)
{
	(void)ctx;
	(void)prefix;
	if (what != PG_COMPLETE_TARGETS)
		return;
	fn(fn_ctx, "pgctrl", "all");
	fn(fn_ctx, "kpktgend_0", NULL);
	fn(fn_ctx, "dev", NULL);
}

struct offers {
	char text[2048];
	size_t used;
};

static void
note(void *ctx, const char *text, const char *help)
{
	struct offers *offers = ctx;

	(void)help;
	offers->used += snprintf(offers->text + offers->used, sizeof(offers->text) - offers->used,
		"%s%s", offers->used > 0 ? " " : "", text);
}

static struct pg_lang *
speaker(struct fake_speaker *fake, bool implied)
{
	struct pg_world world = fake->world.world;
	struct pg_lang *lang;

	world.offer = world_offer;
	lang = pg_lang_create(fake_lists, 1, &world);
	assert_non_null(lang);
	if (implied)
		pg_lang_imply_control(lang);
	return lang;
}

/** After the section, with pgctrl implied or not, the line offers these words. */
static const struct {
	const char *section;
	bool implied;
	const char *line, *offers;
	size_t start;
	const char *row;
} cases[] = {
	{"", false, "", "pgctrl kpktgend_0 dev", 0, NULL},
	{"", false, "k", "kpktgend_0", 0, NULL},
	{"", false, "  k", "kpktgend_0", 2, NULL},
	{"", false, "x", "", 0, NULL},
	{"", false, "[", "[pgctrl] [kpktgend_0] [dev]", 0, NULL},
	{"", false, "[d", "[dev]", 0, NULL},
	{"", false, "pgctrl ", "start fail rest maybe", 7, NULL},
	{"", false, "kpktgend_0 a", "add_device", 11, NULL},
	{"", false, "dev=co", "count", 4, NULL},
	{"", false, "nosuch c", "", 7, NULL},
	{"", false, "dev flag ", "ALPHA BETA GAMMA_RAY", 9, "flag"},
	{"", false, "dev flag G", "GAMMA_RAY", 9, "flag"},
	{"", false, "dev flag !", "!ALPHA !BETA !GAMMA_RAY", 9, "flag"},
	{"", false, "dev flag !B", "!BETA", 9, "flag"},
	{"", false, "dev flag ALPHA ", "", 15, "flag"},
	{"", false, "dev mode ", "slow fast", 9, "mode"},
	{"", false, "dev list ", "slow fast", 9, "list"},
	{"", false, "dev list s", "slow", 9, "list"},
	{"", false, "dev list slow,", "slow,slow slow,fast", 9, "list"},
	{"", false, "dev list slow,fast,f", "slow,fast,fast", 9, "list"},
	{"", false, "dev list slow,x", "", 9, "list"},
	{"", false, "dev count 5", "", 10, "count"},
	{"", false, "dev count # no", "", 14, NULL},
	{"", false, "# k", "", 3, NULL},
	{"[dev]", false, "fl", "flag", 0, NULL},
	{"[dev]", false, "flag B", "BETA", 5, "flag"},
	{"[dev]", false, "pgctrl st", "start", 7, NULL},
	{"[dev]", false, "st", "", 0, NULL},
	{"[dev]", true, "st", "start", 0, NULL},
	{"[dev]", true, "maybe ", "", 6, "maybe"},
	{"", true, "r", "rest", 0, NULL},
	{"[pgctrl]", true, "r", "rest", 0, NULL},
};

static void
test_offers(void **state)
{
	struct fake_speaker *fake = *state;

	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_lang *lang = speaker(fake, cases[i].implied);
		struct offers offers = {""};
		struct pg_completion at;
		struct pg_error err = {0};
		struct pg_reply reply;

		assert_int_equal(pg_lang_run(lang, cases[i].section, &reply, &err), 0);
		at = pg_lang_complete(lang, cases[i].line, note, &offers);
		CHECK_TEXT(offers.text, cases[i].offers, "of '%s' after '%s'", cases[i].line,
			cases[i].section);
		CHECK_U64(at.start, cases[i].start, "start of the word in '%s'", cases[i].line);
		CHECK_TEXT(at.row != NULL ? at.row->name : "none",
			cases[i].row != NULL ? cases[i].row : "none", "row of '%s'", cases[i].line);
		pg_lang_destroy(lang);
	}
}

// Whatever is typed, nothing is read that is not there (for the sanitizers).
static void
test_any_line(void **state)
{
	static const char letters[] = "pgctrl dev [] # =\"kpktgend_0 flag!ABC\t";
	struct pg_lang *lang = speaker(*state, true);
	uint64_t seed = 1;

	for (unsigned int k = 0; k < 20000; k++) {
		size_t n = support_draw(&seed) % 300;
		char *line = malloc(n + 1);
		struct offers offers = {""};

		assert_non_null(line);
		for (size_t i = 0; i < n; i++)
			line[i] = letters[support_draw(&seed) % (sizeof(letters) - 1)];
		line[n] = '\0';
		CHECK(pg_lang_complete(lang, line, note, &offers).start <= n, "'%s'", line);
		free(line);
	}
	pg_lang_destroy(lang);
}

static void
test_implied(void **state)
{
	struct fake_speaker *fake = *state;
	struct pg_lang *strict = speaker(fake, false), *lang = speaker(fake, true);
	struct pg_error err = {0};
	struct pg_reply reply;

	CHECK(pg_lang_run(strict, "start", &reply, &err) == -ENODEV, "%s", err.text);
	assert_int_equal(pg_lang_run(lang, "start", &reply, &err), 0);
	CHECK_TEXT(reply.text, "OK: start", "without a section");
	assert_int_equal(pg_lang_run(lang, "[dev]", &reply, &err), 0);
	CHECK_TEXT(pg_lang_section(lang), "dev", "the section");
	assert_int_equal(pg_lang_run(lang, "maybe yes", &reply, &err), 0);
	CHECK_TEXT(reply.text, "OK: maybe=yes", "in a section");
	CHECK(pg_lang_run(lang, "maybe toolong", &reply, &err) == -E2BIG, "%s", err.text);
	CHECK_U64(err.column, 7, "of the argument");
	pg_lang_destroy(strict);
	pg_lang_destroy(lang);
}

static int
help(const char *word, char **text, struct pg_error *err)
{
	size_t size = 0;
	FILE *out = open_memstream(text, &size);
	int rc = pg_lang_help(fake_lists, 1, word, out, err);

	fclose(out);
	return rc;
}

static void
test_help(void **state)
{
	struct pg_error err = {0};
	char *text;

	(void)state;
	assert_int_equal(help("small", &text, &err), 0);
	CHECK_TEXT(text,
		"DEVICE small\n  a bounded number\n  argument: a number from 10 to 20\n"
		"  default: 10\n  example: small\n",
		"help small");
	free(text);
	assert_int_equal(help("BETA", &text, &err), 0);
	CHECK_TEXT(text, "DEVICE flag BETA\n  the second\n", "help BETA");
	free(text);
	assert_int_equal(help("!BETA", &text, &err), 0);
	free(text);
	assert_int_equal(help("smal", &text, &err), -EINVAL);
	CHECK_TEXT(text, "", "help smal");
	CHECK(strstr(err.expected, "did you mean 'small'?") != NULL, "%s", err.expected);
	free(text);
}

#define ON_SPEAKER(test) \
	cmocka_unit_test_setup_teardown(test, fake_speaker_setup, fake_speaker_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ON_SPEAKER(test_offers),
		ON_SPEAKER(test_any_line),
		ON_SPEAKER(test_implied),
		ON_SPEAKER(test_help),
	};

	return cmocka_run_group_tests_name("lang_complete", tests, NULL, NULL);
}
