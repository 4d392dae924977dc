/* SPDX-License-Identifier: BSD-3-Clause */
/* Every row of the reference's table of flags (4.2) through the strict door. A new flag is a line
 * in the table here. */
#include "support.h"

#include <errno.h>

#include "support_door.h"

#define SHARED 0x40000u // what a new device has

/** In the order of their bits. */
static const struct {
	const char *name;
	uint32_t bit;
} flags[] = {
	{"IPSRC_RND", 0x2},
	{"IPDST_RND", 0x4},
	{"TXSIZE_RND", 0x8},
	{"UDPSRC_RND", 0x10},
	{"UDPDST_RND", 0x20},
	{"UDPCSUM", 0x40},
	{"NO_TIMESTAMP", 0x80},
	{"MPLS_RND", 0x100},
	{"QUEUE_MAP_RND", 0x200},
	{"QUEUE_MAP_CPU", 0x400},
	{"FLOW_SEQ", 0x800},
	{"MACSRC_RND", 0x2000},
	{"MACDST_RND", 0x4000},
	{"VID_RND", 0x8000},
	{"SVID_RND", 0x10000},
	{"NODE", 0x20000},
	{"SHARED", SHARED},
};

static void
takes(struct door *door, const char * not, const char *name, uint32_t all)
{
	char line[80], reply[80];

	snprintf(line, sizeof(line), "flag %s%s", not, name);
	snprintf(reply, sizeof(reply), "OK: flags=0x%x", all);
	door_accept(door, line, reply);
	CHECK(door->device.settings.tmpl.flags == all, "'%s': 0x%x", line,
		door->device.settings.tmpl.flags);
}

// Alone, twice, and cleared twice: no other bit moves.
static void
test_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(flags); i++) {
		struct door door;

		door_open(&door, NULL);
		takes(&door, "", flags[i].name, SHARED | flags[i].bit);
		takes(&door, "", flags[i].name, SHARED | flags[i].bit);
		takes(&door, "!", flags[i].name, SHARED & ~flags[i].bit);
		takes(&door, "!", flags[i].name, SHARED & ~flags[i].bit);
		door_close(&door);
	}
}

// All of them, and then each taken away from all.
static void
test_together(void **state)
{
	uint32_t all = SHARED;
	struct door door;

	(void)state;
	door_open(&door, NULL);
	for (size_t i = 0; i < DIM(flags); i++)
		takes(&door, "", flags[i].name, all |= flags[i].bit);
	for (size_t i = 0; i < DIM(flags); i++) {
		takes(&door, "!", flags[i].name, all & ~flags[i].bit);
		takes(&door, "", flags[i].name, all);
	}
	door_close(&door);
}

// Near every name there are words that are none.
static void
test_no_flags(void **state)
{
	static const struct {
		const char *before, *after;
	} forms[] = {{"|", "X"}, {"|!", "X"}, {"|!!", ""}, {"|x", ""}, {"|", ","}, {"|-", ""},
		{"|", "|"}, {"", " |UDPCSUM"}, {"|! ", ""}};
	char line[160];

	(void)state;
	for (size_t i = 0; i < DIM(flags); i++) {
		for (size_t k = 0; k < DIM(forms); k++) {
			snprintf(line, sizeof(line), "flag %s%s%s", forms[k].before, flags[i].name,
				forms[k].after);
			door_refuses(NULL, line, EINVAL);
		}
	}
}

// IPV6 comes with addresses, and `flag` only takes it away; FLOW_RND is FLOW_SEQ the other way
// round; IPSEC is unknown without xfrm; SHARED stays while something needs it.
static void
test_special(void **state)
{
	static const struct {
		const char *before, *line, *reply;
		int code;
	} cases[] = {
		{NULL, "flag |IPV6", NULL, EINVAL},
		{NULL, "flag !IPV6", "OK: flags=0x40000", 0},
		{"dst6 fd00::1", "flag UDPCSUM", "OK: flags=0x40041", 0},
		{"dst6_min fd00::1", "flag UDPCSUM", "OK: flags=0x40041", 0},
		{"dst6_max fd00::1", "flag UDPCSUM", "OK: flags=0x40041", 0},
		{"src6 fd00::1", "flag UDPCSUM", "OK: flags=0x40041", 0},
		{"src6 fd00::1", "flag !IPV6", "OK: flags=0x40000", 0},
		{NULL, "flag FLOW_RND", "OK: flags=0x40000", 0},
		{NULL, "flag !FLOW_RND", "OK: flags=0x40800", 0},
		{"flag FLOW_SEQ", "flag FLOW_RND", "OK: flags=0x40000", 0},
		{"mpls 123", "flag UDPCSUM", "OK: flags=0x40140", 0}, // MPLS_RND by itself
		{"mpls 123;mpls 1", "flag UDPCSUM", "OK: flags=0x40140", 0},
		{NULL, "flag |IPSEC", NULL, EINVAL},
		{NULL, "flag |!IPSEC", NULL, EINVAL},
		{"clone_skb 1", "flag |!SHARED", NULL, EINVAL},
		{"burst 2", "flag |!SHARED", NULL, EINVAL},
		{"burst 1", "flag !SHARED", "OK: flags=0x0", 0},
		{NULL, "flag |", NULL, EINVAL},
		{NULL, "flag |!", NULL, EINVAL},
		{NULL, "flag |0x40", NULL, EINVAL},
		{NULL, "flag |udpcsum", NULL, EINVAL},
		{NULL, "flag |NOSUCH", NULL, EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		if (cases[i].code != 0)
			door_refuses(cases[i].before, cases[i].line, cases[i].code);
		else
			door_accepts(cases[i].before, cases[i].line, cases[i].reply);
	}
}

// The refusal lists every flag, in the order of their bits; and nothing of the table is left out.
static void
test_list(void **state)
{
	const struct pg_command *row = door_row(PG_TARGET_DEVICE, "flag");
	struct pg_error err = {0};
	struct pg_reply reply;
	struct door door;
	const char *at;

	(void)state;
	door_open(&door, NULL);
	assert_true(pg_lang_run(door.lang, "flag ?", &reply, &err) < 0);
	at = strstr(err.expected, ": IPV6, ");
	CHECK(at != NULL, "%s", err.expected);
	for (size_t i = 0; i < DIM(flags); i++) {
		char name[40];

		snprintf(name, sizeof(name), ", %s", flags[i].name);
		at = strstr(at, name);
		CHECK(at != NULL, "%s is missing or late: %s", flags[i].name, err.expected);
	}
	door_close(&door);
	for (const struct pg_word *w = row->arg.words; w->name != NULL; w++) {
		size_t i = 0;

		while (i < DIM(flags) && strcmp(flags[i].name, w->name) != 0)
			i++;
		CHECK(i < DIM(flags) || w->second || w->clear_only, "no test here for '%s'",
			w->name);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_no_flags),
		cmocka_unit_test(test_special),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests_name("reference flags", tests, NULL, NULL);
}
