/* SPDX-License-Identifier: BSD-3-Clause */
/* What must hold for every row of the command table, whatever it is called (STYLE 2 and 6). */
#include "support.h"
#include "support_world.h"

#include <ctype.h>
#include <errno.h>

#include "lang_priv.h"
#include "pg_tx.h"

static const struct pg_command_list *const lists[] = {&pg_tx_control_commands, &pg_flow_commands,
	&pg_tx_device_commands, &pg_tx_rate_commands, &pg_tx_receive_commands};

/** The whole table as one sequence. */
static const struct pg_command *
row_at(size_t i)
{
	return lang_table_row(lists, DIM(lists), i);
}

static bool
is_setting(const struct pg_command *row)
{
	return row->def != NULL;
}

/** One speaker of the real table with one device, eth0. */
struct table {
	struct fake_world world;
	struct pg_device device;
	struct pg_lang *lang;
};

static struct table table;

static int
setup(void **state)
{
	struct pg_error err = {0};

	memset(&table, 0, sizeof(table));
	*state = &table;
	fake_world_init(&table.world);
	fake_world_add(&table.world, "eth0", &table.device, &table.device.settings,
		sizeof(table.device.settings));
	table.lang = pg_lang_create(lists, DIM(lists), &table.world.world);
	return table.lang != NULL && pg_lang_defaults(lists, DIM(lists), PG_TARGET_DEVICE,
					     &table.device.settings, &err) == 0
		       ? 0
		       : -1;
}

static int
teardown(void **state)
{
	(void)state;
	pg_lang_destroy(table.lang);
	return 0;
}

static int
run(const char *line, struct pg_reply *reply)
{
	struct pg_error err = {0};

	return pg_lang_run(table.lang, line, reply, &err);
}

// Reference 4.0, and DESIGN 8 for burst.
static void
test_defaults(void **state)
{
	const struct pg_device_settings *set = &table.device.settings;
	static const struct rte_ether_addr no_mac;
	static const struct pg_ip4 no_ip4;

	(void)state;
	assert_true(set->count == 1000 && set->delay_ns == 0 && set->clone_skb == 0);
	assert_true(set->burst == 0 && PG_BURST_DEFAULT == 32); // not written
	assert_int_equal(set->xmit_mode, PG_XMIT_START_XMIT);
	assert_true(set->tmpl.min_size == 0 && set->tmpl.max_size == 0);
	assert_int_equal(set->tmpl.flags, 0x40000);
	assert_true(set->tmpl.udp_src_min == 9 && set->tmpl.udp_src_max == 9);
	assert_true(set->tmpl.udp_dst_min == 9 && set->tmpl.udp_dst_max == 9);
	assert_memory_equal(&set->tmpl.dst_mac, &no_mac, sizeof(no_mac));
	assert_memory_equal(&set->tmpl.src_mac, &no_mac, sizeof(no_mac));
	assert_memory_equal(&set->tmpl.dst_min, &no_ip4, sizeof(no_ip4));
	assert_memory_equal(&set->tmpl.dst_max, &no_ip4, sizeof(no_ip4));
	assert_memory_equal(&set->tmpl.src_min, &no_ip4, sizeof(no_ip4));
	assert_memory_equal(&set->tmpl.src_max, &no_ip4, sizeof(no_ip4));
}

static void
test_rows_are_complete(void **state)
{
	const struct pg_command *row;

	(void)state;
	for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
		assert_true(row->name != NULL && row->name[0] != '\0');
		CHECK(strcspn(row->name, " \t\n\r\"=#[]") == strlen(row->name), "'%s'", row->name);
		CHECK(strlen(row->name) < PG_TARGET_MAX, "%s", row->name);
		CHECK(row->help != NULL && strlen(row->help) > 5, "%s has no help", row->name);
		CHECK(strchr(row->help, '\n') == NULL, "the help of %s is one line", row->name);
		CHECK(row->help[strlen(row->help) - 1] != '.', "the help of %s", row->name);
		CHECK(row->example != NULL && row->example[0] != '\0', "%s", row->name);
		CHECK(is_setting(row) || row->run != NULL, "%s does nothing", row->name);
		CHECK(!is_setting(row) || row->arg.type != NULL, "%s has no type", row->name);
		if (row->arg.words == NULL)
			continue;
		for (const struct pg_word *w = row->arg.words; w->name != NULL; w++)
			CHECK(w->help != NULL && w->help[0] != '\0', "%s %s", row->name, w->name);
	}
}

static void
test_names_are_unique(void **state)
{
	const struct pg_command *a, *b;

	(void)state;
	for (size_t i = 0; (a = row_at(i)) != NULL; i++) {
		for (size_t k = i + 1; (b = row_at(k)) != NULL; k++)
			CHECK(a->target != b->target || strcmp(a->name, b->name) != 0,
				"two rows '%s'", a->name);
		CHECK(pg_lang_find(table.lang, a->target, a->name) == a, "%s", a->name);
	}
}

// A word of a list stands for one value; at most one of its names is written.
static void
test_words_are_unique(void **state)
{
	const struct pg_command *row;

	(void)state;
	for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
		const struct pg_word *w = row->arg.words;

		for (; w != NULL && w->name != NULL; w++) {
			for (const struct pg_word *v = w + 1; v->name != NULL; v++) {
				CHECK(strcmp(v->name, w->name) != 0, "%s %s", row->name, w->name);
				CHECK(v->value != w->value || v->second || w->second, "%s: %s %s",
					row->name, w->name, v->name);
			}
		}
	}
}

static size_t
field_bytes(const struct pg_command *row)
{
	return row->arg.type->size != 0 ? row->arg.type->size : row->arg.width;
}

static void
test_fields_lie_inside(void **state)
{
	const struct pg_command *row;

	(void)state;
	for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
		size_t bytes = is_setting(row) ? field_bytes(row) : 0;

		if (!is_setting(row))
			continue;
		CHECK(row->target == PG_TARGET_DEVICE, "%s sets nothing", row->name);
		CHECK(bytes > 0, "%s has no width", row->name);
		CHECK(row->offset + bytes <= sizeof(struct pg_device_settings), "%s", row->name);
		if (row->arg.type == &pg_type_number && bytes < 8)
			CHECK(row->arg.max < 1ull << 8 * bytes, "%s cuts its largest", row->name);
		CHECK(row->arg.type != &pg_type_number || row->arg.min <= row->arg.max, "%s",
			row->name);
		for (const struct pg_word *w = row->arg.words; w != NULL && w->name != NULL; w++)
			CHECK(bytes >= 8 || w->value < 1ull << 8 * bytes, "%s %s", row->name,
				w->name);
	}
}

// The example is one of this row's own commands and would be taken.
static void
test_examples(void **state)
{
	const struct pg_command *row;
	struct pg_error err = {0};

	(void)state;
	for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
		bool device = row->target == PG_TARGET_DEVICE;
		const char *word = row->example + (device ? 0 : strcspn(row->example, " ") + 1);

		pg_lang_rewind(table.lang);
		if (device)
			assert_int_equal(pg_lang_check(table.lang, "[eth0]", &err), 0);
		CHECK(pg_lang_check(table.lang, row->example, &err) == 0, "'%s': %s", row->example,
			err.text);
		CHECK(strcspn(word, " ") == strlen(row->name) &&
				strncmp(word, row->name, strlen(row->name)) == 0,
			"'%s' is not an example of %s", row->example, row->name);
	}
}

static void
test_defaults_are_inside(void **state)
{
	const struct pg_command *row;

	(void)state;
	for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
		union pg_value value = {0};
		struct pg_error err = {0};
		char text[PG_TEXT_MAX] = "";

		if (!is_setting(row) || row->def[0] == '\0') // not set
			continue;
		CHECK(row->arg.type->parse(&row->arg, row->def, &value, &err) == 0, "%s: %s",
			row->name, err.text);
		row->arg.type->format(&row->arg, &value, text, sizeof(text));
		CHECK_TEXT(text, row->def, "%s", row->name);
		if (row->arg.type == &pg_type_number)
			CHECK(value.u64 >= row->arg.min && value.u64 <= row->arg.max, "%s",
				row->name);
	}
}

// A row touches the bytes of its own field and no others (rows that move several fields apart).
static void
check_own_bytes(const struct pg_command *row, const void *before, const void *after)
{
	const uint8_t *a = before, *b = after;

	for (size_t i = 0; row->apply == NULL && i < sizeof(struct pg_device_settings); i++) {
		if (i < row->offset || i >= row->offset + field_bytes(row))
			CHECK(a[i] == b[i], "%s changes byte %zu", row->name, i);
	}
}

static void
value_of(const struct pg_command *row, const struct pg_device_settings *set, char *out, size_t size)
{
	union pg_value value;

	pg_arg_load(&row->arg, (const char *)set + row->offset, &value);
	row->arg.type->format(&row->arg, &value, out, size);
}

// Set a text, get it, set what was got: the settings are the same both times.
static void
check_set_get_set(const struct pg_command *row, const char *text)
{
	struct pg_device_settings *set = &table.device.settings, before = *set, first;
	char line[PG_TEXT_MAX + 80], got[PG_TEXT_MAX] = "", again[PG_TEXT_MAX] = "";
	struct pg_reply reply;

	snprintf(line, sizeof(line), "eth0 %s %s", row->name, text);
	CHECK(run(line, &reply) == 0, "'%s' is refused", line);
	check_own_bytes(row, &before, set);
	first = *set;
	value_of(row, set, got, sizeof(got));
	snprintf(line, sizeof(line), "eth0 %s %s", row->name, got);
	CHECK(run(line, &reply) == 0, "'%s' is refused", line);
	value_of(row, set, again, sizeof(again));
	CHECK_TEXT(again, got, "'%s'", line);
	CHECK(memcmp(&first, set, sizeof(first)) == 0, "'%s' is not what it was", line);
	*set = before;
}

static void
each_number(const struct pg_command *row)
{
	const struct pg_arg *arg = &row->arg;
	uint64_t seed = row->offset + 1;
	char text[32];

	if (strcmp(row->name, "node") == 0) { // which nodes there are is the machine's business
		check_set_get_set(row, "0");
		return;
	}
	for (int i = 0; i < 200; i++) {
		uint64_t span = arg->max - arg->min;
		uint64_t value = arg->min + (span == UINT64_MAX ? support_draw(&seed)
								: support_draw(&seed) % (span + 1));

		value = i == 0 ? arg->min : i == 1 ? arg->max : value;
		if (i > 100 && arg->min + (value >> i % 64) <= arg->max)
			value = arg->min + (value >> i % 64); // small ones too
		// clone_skb, delay and burst show what is stored; see test_special_values.
		snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
		check_set_get_set(row, text);
	}
}

/** Values of the types that are no numbers and have no words; a type without any is tried with
 *  the row's example. */
static const struct {
	const struct pg_type *type;
	const char *texts[8];
} samples[] = {
	{&pg_type_mac, {"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "90:e2:ba:00:01:7f",
			       "AB:CD:EF:01:23:45"}},
	{&pg_type_ip4, {"0.0.0.0", "255.255.255.255", "198.18.0.1", "127.0.0.1"}},
	{&pg_type_ip6, {"::", "::1", "fd00::2a", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"}},
	{&pg_type_hex, {"00", "01", "b8", "FF"}},
	{&pg_type_hex_list,
		{"0", "1", "0001000a,0002000a", "ffffffff,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f"}},
	{&pg_type_rate, {"1", "300", "300M", "9.5G", "10GL1", "0.5%", "100%"}},
	{&pg_type_sample, {"off", "full", "sampled 2", "sampled 1000000000"}},
	{&pg_type_late, {"catchup", "catchup 0", "catchup 1us", "catchup 18446744073709551615",
				"skip", "stretch"}},
	{&pg_type_share, {"0%", "1%", "0.000001%", "99.9%", "100%"}},
	{&pg_type_pairs, {"60,1", "60,7 590,4 1514,1", "42,4294967295"}},
};

static void
each_sample(const struct pg_command *row)
{
	for (size_t i = 0; i < DIM(samples); i++) {
		for (size_t k = 0; samples[i].type == row->arg.type; k++) {
			if (k == DIM(samples[i].texts) || samples[i].texts[k] == NULL)
				return;
			check_set_get_set(row, samples[i].texts[k]);
		}
	}
	check_set_get_set(row, row->example + strcspn(row->example, " ") + 1);
}

static void
check_row(const struct pg_command *row)
{
	// What the row asks for first: a tag, for its priority.
	struct pg_reply reply;

	run("eth0 vlan_id 5", &reply);
	run("eth0 svlan_id 6", &reply);
	if (row->arg.type == &pg_type_number)
		each_number(row);
	else if (row->arg.type == &pg_type_word)
		for (const struct pg_word *w = row->arg.words; w->name != NULL; w++)
			check_set_get_set(row, w->name);
	else
		each_sample(row);
}

static void
test_set_get_set(void **state)
{
	const struct pg_command *row;

	(void)state;
	for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
		if (is_setting(row) && row->arg.type != &pg_type_flag)
			check_row(row);
	}
}

// Every flag is set and cleared alone, and the reply shows all of them.
static void
test_flags(void **state)
{
	const struct pg_command *row = pg_lang_find(table.lang, PG_TARGET_DEVICE, "flag");
	uint32_t *flags = &table.device.settings.tmpl.flags;
	char line[80], want[40];
	struct pg_reply reply;

	(void)state;
	for (const struct pg_word *w = row->arg.words; w->name != NULL; w++) {
		for (uint32_t before = 0; before <= 1 && !w->second; before++) {
			*flags = before ? 0xffffffff : 0;
			snprintf(line, sizeof(line), "eth0 flag %s", w->name);
			CHECK((run(line, &reply) == 0) != w->clear_only, "'%s'", line);
			CHECK_U64(*flags,
				before          ? 0xffffffff
				: w->clear_only ? 0
						: w->value,
				"'%s'", line);
			snprintf(want, sizeof(want), "OK: flags=0x%x", *flags);
			CHECK_TEXT(reply.text, w->clear_only ? "" : want, "'%s'", line);
			*flags = before ? 0xffffffff : 0;
			snprintf(line, sizeof(line), "eth0 flag !%s", w->name);
			CHECK(run(line, &reply) == 0, "'%s'", line);
			CHECK_U64(*flags, before ? ~(uint32_t)w->value : 0, "'%s'", line);
		}
	}
}

static void
check_refused(const struct pg_command *row, const char *text, int code)
{
	struct pg_device_settings before = table.device.settings;
	char line[PG_TEXT_MAX + 80];
	struct pg_error err = {0};
	struct pg_reply reply;
	static const char *const targets[] = {"pgctrl", "kpktgend_0", "eth0"};
	int column =
		snprintf(line, sizeof(line), "%s %s %s", targets[row->target], row->name, text) -
		(int)strlen(text) + 1;

	CHECK(pg_lang_run(table.lang, line, &reply, &err) == -code, "'%.80s' gave %d %s", line,
		err.code, err.text);
	CHECK_U64(err.column, column, "'%.80s'", line);
	CHECK(err.expected[0] != '\0', "'%.80s' expects nothing", line);
	assert_memory_equal(&before, &table.device.settings, sizeof(before));
}

static void
test_out_of_bounds(void **state)
{
	const struct pg_command *row;
	char text[PG_TEXT_MAX];

	(void)state;
	for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
		const struct pg_arg *arg = &row->arg;

		if (arg->type == &pg_type_number) {
			if (arg->min > 0) {
				snprintf(text, sizeof(text), "%llu", arg->min - 1ull);
				check_refused(row, text, ERANGE);
			}
			snprintf(text, sizeof(text), "%llu", arg->max + 1ull);
			check_refused(
				row, arg->max < UINT64_MAX ? text : "18446744073709551616", ERANGE);
			check_refused(row, "36893488147419103233", ERANGE); // 2^65 + 1
			check_refused(row, "abc", EINVAL);
			check_refused(row, "-1", EINVAL);
		} else if (arg->type == &pg_type_text && arg->max != 0) {
			memset(text, 'x', sizeof(text));
			text[arg->max + 1] = '\0';
			check_refused(row, text, E2BIG);
		} else if (arg->type == &pg_type_string && arg->words == NULL) {
			check_refused(row, "", EINVAL); // a file may have any name
		} else if (arg->type != NULL && !arg->type->rest && arg->type != &pg_type_text) {
			check_refused(row, "?", EINVAL);
		}
	}
}

#define ON_TABLE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TABLE(test_defaults),
		ON_TABLE(test_rows_are_complete),
		ON_TABLE(test_names_are_unique),
		ON_TABLE(test_words_are_unique),
		ON_TABLE(test_fields_lie_inside),
		ON_TABLE(test_examples),
		ON_TABLE(test_defaults_are_inside),
		ON_TABLE(test_set_get_set),
		ON_TABLE(test_flags),
		ON_TABLE(test_out_of_bounds),
	};

	return cmocka_run_group_tests_name("lang_table", tests, NULL, NULL);
}
