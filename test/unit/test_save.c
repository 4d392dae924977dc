/* SPDX-License-Identifier: BSD-3-Clause */
/* Every setting of the table, set to anything it takes, survives being saved and loaded. */
#include "support.h"
#include "support_world.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lang_priv.h"
#include "pg_tx.h"

static const struct pg_command_list *const lists[] = {
	&pg_flow_commands, &pg_tx_device_commands, &pg_tx_rate_commands, &pg_tx_receive_commands};

/** Two devices of the same world: what is saved from one is loaded into the other. */
struct pair {
	struct fake_world world;
	struct pg_device from, to;
	struct pg_device_settings defaults;
	struct pg_lang *lang;
	uint64_t seed;
};

static struct pair pair;

static int
setup(void **state)
{
	struct pg_error err = {0};

	(void)state;
	memset(&pair, 0, sizeof(pair));
	pair.seed = 1;
	fake_world_init(&pair.world);
	fake_world_add(
		&pair.world, "from", &pair.from, &pair.from.settings, sizeof(pair.from.settings));
	fake_world_add(&pair.world, "to", &pair.to, &pair.to.settings, sizeof(pair.to.settings));
	pair.lang = pg_lang_create(lists, DIM(lists), &pair.world.world);
	return pair.lang != NULL ? pg_device_defaults(&pair.defaults, &err) : -1;
}

static int
teardown(void **state)
{
	(void)state;
	pg_lang_destroy(pair.lang);
	return 0;
}

static const struct pg_command *
row_at(size_t i)
{
	return lang_table_row(lists, DIM(lists), i);
}

static int
run(const char *target, const char *line)
{
	struct pg_error err = {0};
	struct pg_reply reply;
	char text[2 * PG_TEXT_MAX];

	snprintf(text, sizeof(text), "[%s]", target);
	assert_int_equal(pg_lang_run(pair.lang, text, &reply, &err), 0);
	return pg_lang_run(pair.lang, line, &reply, &err);
}

static char *
saved(const struct pg_device *device)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	pg_lang_save(lists, DIM(lists), PG_TARGET_DEVICE, &pair.defaults, &device->settings,
		sizeof(device->settings), out);
	fclose(out);
	return text;
}

// What stands behind the end of a list was never set.
static struct pg_device_settings
without_rests(const struct pg_device *device)
{
	struct pg_device_settings set = device->settings;

	for (uint32_t i = set.tmpl.mpls.count; i < PG_HEX_LIST_MAX; i++)
		set.tmpl.mpls.word[i] = 0;
	return set;
}

// Save the one, load it into the other, compare both byte for byte, and save again.
static void
check_round(const char *what)
{
	char *text = saved(&pair.from), *copy = strdup(text), *again, *rest = copy, *line;
	struct pg_device_settings a, b;

	pair.to.settings = pair.defaults;
	while ((line = strsep(&rest, "\n")) != NULL)
		CHECK(run("to", line) == 0, "after %s, '%s' is refused in:\n%s", what, line, text);
	a = without_rests(&pair.from);
	b = without_rests(&pair.to);
	CHECK(memcmp(&a, &b, sizeof(a)) == 0, "after %s, this makes something else:\n%s", what,
		text);
	again = saved(&pair.to);
	CHECK_TEXT(again, text, "saved again after %s", what);
	free(again);
	free(copy);
	free(text);
}

static void
draw_number(const struct pg_arg *arg, char *out, size_t size)
{
	uint64_t span = arg->max - arg->min, value = support_draw_width(&pair.seed);

	snprintf(out, size, "%" PRIu64,
		arg->min + (span == UINT64_MAX ? value : value % (span + 1)));
}

static const char *
draw_word(const struct pg_word *words)
{
	size_t n = 0;

	while (words[n].name != NULL)
		n++;
	return words[support_draw(&pair.seed) % n].name;
}

static void
draw_list(char *out, size_t size)
{
	unsigned int n = support_draw(&pair.seed) % (PG_HEX_LIST_MAX + 1);
	size_t used = snprintf(out, size, "%s", n == 0 ? "0" : "");

	for (unsigned int i = 0; i < n; i++)
		used += snprintf(out + used, size - used, "%s%x", i > 0 ? "," : "",
			(unsigned int)support_draw_width(&pair.seed) | 1);
}

static void
draw_pairs(const struct pg_arg *arg, char *out, size_t size)
{
	unsigned int n = 1 + support_draw(&pair.seed) % PG_PAIRS_MAX;
	size_t used = 0;

	for (unsigned int i = 0; i < n; i++)
		used += snprintf(out + used, size - used, "%s%" PRIu64 ",%" PRIu64, i ? " " : "",
			arg->min + support_draw_width(&pair.seed) % (arg->max - arg->min + 1),
			1 + support_draw_width(&pair.seed) % PG_PAIR_WEIGHT_MAX);
}

static void
draw_rate(char *out, size_t size)
{
	static const char *const suffix[] = {"", "k", "M", "G", "kL1", "ML1", "%"};
	const char *s = suffix[support_draw(&pair.seed) % DIM(suffix)];

	if (s[0] == '%')
		snprintf(out, size, "0.%06u%%",
			1 + (unsigned int)(support_draw(&pair.seed) % 999999));
	else
		snprintf(out, size, "%u%s", 1 + (unsigned int)(support_draw(&pair.seed) % 999999),
			s);
}

static void
draw_late(char *out, size_t size)
{
	unsigned int kind = support_draw(&pair.seed) % 3;

	snprintf(out, size, "%s", kind == 0 ? "skip" : "stretch");
	if (kind == 2)
		snprintf(out, size, "catchup %" PRIu64, support_draw_width(&pair.seed));
}

static void
draw_address(const struct pg_arg *arg, char *out, size_t size)
{
	uint64_t a = support_draw_width(&pair.seed), b = support_draw(&pair.seed);
	const uint8_t *x = (const uint8_t *)&a;

	if (arg->type == &pg_type_mac)
		snprintf(out, size, "%02x:%02x:%02x:%02x:%02x:%02x", x[0], x[1], x[2], x[3], x[4],
			x[5]);
	else if (arg->type == &pg_type_ip4)
		snprintf(out, size, "%u.%u.%u.%u", x[3], x[2], x[1], x[0]);
	else
		snprintf(out, size, "%x:%x::%x", (unsigned int)(b & 0xffff) % 3 * 0x2001,
			(unsigned int)(a >> 48), (unsigned int)(a & 0xffff));
}

/** Something that the row's type takes. */
// Texts have no grammar of a type's: some of each row's own.
static void
draw_string(const char *row, char *out, size_t size)
{
	static const char *const texts[][4] = {
		{"rx_graph", "null", "eth,ip4,drop", "router"},
		{"rx_routes", "1000", "5,6", "/tmp/routes"},
		{"rx_rules", "drop", "pass proto udp; drop", "rules.txt"},
		{"rx_filter", "udp port 9", "\"ip or ip6\"", "ether[0] & 1 != 0 and less 100"},
		{"rx_bpf", "program.o", "program.o xdp", "/tmp/program.o"},
		{"rx_tap", "ring", "tap.pcapng", "/tmp/tap"},
		{"rx_steer", "kpktgend_0", "kpktgend_1,kpktgend_0", "kpktgend_7"},
		{"rx_thread", "kpktgend_0", "kpktgend_1", "kpktgend_99"},
	};
	size_t i = 0;

	while (i < DIM(texts) && strcmp(texts[i][0], row) != 0)
		i++;
	CHECK(i < DIM(texts), "no texts for %s", row);
	snprintf(out, size, "%s", texts[i][1 + support_draw(&pair.seed) % 3]);
}

static void
draw(const struct pg_command *row, char *out, size_t size)
{
	const struct pg_arg *arg = &row->arg;

	if (strcmp(row->name, "node") == 0) // which nodes there are is the machine's business
		snprintf(out, size, "0");
	else if (arg->type == &pg_type_number)
		draw_number(arg, out, size);
	else if (arg->type == &pg_type_flag || arg->type == &pg_type_word)
		snprintf(out, size, "%s%s",
			arg->type == &pg_type_flag && support_draw(&pair.seed) % 2 ? "!" : "",
			draw_word(arg->words));
	else if (arg->type == &pg_type_hex)
		snprintf(out, size, "%02x", (unsigned int)(support_draw(&pair.seed) & 0xff));
	else if (arg->type == &pg_type_hex_list)
		draw_list(out, size);
	else if (arg->type == &pg_type_pairs)
		draw_pairs(arg, out, size);
	else if (arg->type == &pg_type_rate)
		draw_rate(out, size);
	else if (arg->type == &pg_type_string || arg->type == &pg_type_string_line)
		draw_string(row->name, out, size);
	else if (arg->type == &pg_type_sample)
		snprintf(out, size, "sampled %u",
			2 + (unsigned int)(support_draw(&pair.seed) % 100000));
	else if (arg->type == &pg_type_late)
		draw_late(out, size);
	else if (arg->type == &pg_type_share)
		snprintf(out, size, "%u.%06u%%", (unsigned int)(support_draw(&pair.seed) % 100),
			(unsigned int)(support_draw(&pair.seed) % 1000000));
	else if (arg->type == &pg_type_stream)
		snprintf(out, size, "s%u %u/%u", (unsigned int)(support_draw(&pair.seed) % 1000),
			(unsigned int)(support_draw(&pair.seed) % 8),
			8 + (unsigned int)(support_draw(&pair.seed) % 8));
	else
		draw_address(arg, out, size);
}

static bool
is_setting(const struct pg_command *row)
{
	return row->def != NULL;
}

static void
test_nothing_set(void **state)
{
	char *text;

	(void)state;
	pair.from.settings = pair.defaults;
	text = saved(&pair.from);
	CHECK_TEXT(text, "", "of a device as it was added");
	free(text);
}

// Each row alone: its example, then what its type takes; with a tag there, and without.
static void
test_each_setting(void **state)
{
	char line[PG_TEXT_MAX + 80], text[PG_TEXT_MAX];
	const struct pg_command *row;
	unsigned int changed;

	(void)state;
	for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
		changed = 0;
		for (unsigned int k = 0; is_setting(row) && k < 200; k++) {
			pair.from.settings = pair.defaults;
			if (k % 2 == 1) {
				run("from", "vlan_id 5");
				run("from", "svlan_id 6");
			}
			draw(row, text, sizeof(text));
			snprintf(line, sizeof(line), "%s %s", row->name, text);
			if (run("from", k < 2 ? row->example : line) < 0)
				continue;
			changed += memcmp(&pair.from.settings, &pair.defaults,
					   sizeof(pair.defaults)) != 0;
			check_round(k < 2 ? row->example : line);
		}
		CHECK(!is_setting(row) || changed > 0, "%s was never changed", row->name);
	}
}

// Many settings one after the other: what was set first may show in what was set later.
static void
test_any_order(void **state)
{
	char text[PG_TEXT_MAX], line[PG_TEXT_MAX + 80];
	size_t nrows = 0;

	(void)state;
	while (row_at(nrows) != NULL)
		nrows++;
	for (unsigned int k = 0; k < 2000; k++) {
		pair.from.settings = pair.defaults;
		for (unsigned int n = support_draw(&pair.seed) % 40; n > 0; n--) {
			const struct pg_command *row = row_at(support_draw(&pair.seed) % nrows);

			if (!is_setting(row))
				continue;
			draw(row, text, sizeof(text));
			snprintf(line, sizeof(line), "%s %s", row->name, text);
			(void)run("from", line);
		}
		check_round("many lines");
	}
}

/** What takes more than one line for a setting, or lines in the right order. */
static const struct {
	const char *lines[6];
	const char *want;
} cases[] = {
	{{"pkt_size 60"}, "pkt_size 60\n"},
	{{"min_pkt_size 60", "max_pkt_size 90"}, "min_pkt_size 60\nmax_pkt_size 90\n"},
	{{"dst_min 198.18.0.1", "dst_max 198.18.0.9"}, "dst 198.18.0.1\ndst_max 198.18.0.9\n"},
	{{"ratep 1000"}, "ratep 1000\n"},
	{{"delay 1000"}, "delay 1000\n"},
	{{"pkt_size 60", "rate 300M"}, "pkt_size 60\nrate 0.3G\n"},
	// 8 * 4 / 300e6 s are 106 ns, 8 * 64 / 300e6 s are 1706.
	{{"rate 300M", "pkt_size 60"}, "rate 0.3G\npkt_size 60\n"},
	{{"pkt_size 60", "rate 300M", "pkt_size 100"},
		"min_pkt_size 60\nrate 0.3G\npkt_size 100\n"},
	{{"dst6 fd00::1"}, "dst6 fd00::1\n"},
	{{"dst6 ::"}, "dst6 ::\n"},
	{{"dst6 ::1", "flag !IPV6"}, "dst6 ::1\nflag !IPV6\n"},
	{{"vlan_id 5", "vlan_p 3", "vlan_id 4096"}, "vlan_id 100\nvlan_p 3\nvlan_id 4096\n"},
	{{"vlan_id 5", "svlan_id 6", "svlan_p 3", "vlan_id 4096"},
		"vlan_id 100\nsvlan_id 200\nsvlan_p 3\nvlan_id 4096\n"},
	{{"mpls 100", "flag !MPLS_RND"}, "mpls 00000100\nflag !MPLS_RND\n"},
	{{"flag !SHARED", "flag FLOW_SEQ", "flag UDPCSUM"},
		"flag UDPCSUM\nflag FLOW_SEQ\nflag !SHARED\n"},
	{{"burst 1", "xmit_mode queue_xmit"}, "burst 1\nxmit_mode queue_xmit\n"},
};

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		char *text;

		pair.from.settings = pair.defaults;
		for (size_t k = 0; k < DIM(cases[i].lines) && cases[i].lines[k] != NULL; k++)
			assert_int_equal(run("from", cases[i].lines[k]), 0);
		text = saved(&pair.from);
		CHECK_TEXT(text, cases[i].want, "of '%s'...", cases[i].lines[0]);
		free(text);
		check_round(cases[i].lines[0]);
	}
}

// A control file takes what no line may say: it is not lost without a word.
static void
test_only_control_files(void **state)
{
	static const char write[] = "dst_min 1.2.3.4.5";
	char *text;

	(void)state;
	pair.from.settings = pair.defaults;
	assert_int_equal(
		pg_lang_write(pair.lang, "from", write, strlen(write)), (ssize_t)strlen(write));
	text = saved(&pair.from);
	CHECK(strncmp(text, "# only a control file takes: dst", 32) == 0, "%s", text);
	free(text);
}

#define ON_PAIR(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ON_PAIR(test_nothing_set),
		ON_PAIR(test_each_setting),
		ON_PAIR(test_any_order),
		ON_PAIR(test_cases),
		ON_PAIR(test_only_control_files),
	};

	return cmocka_run_group_tests_name("save", tests, NULL, NULL);
}
