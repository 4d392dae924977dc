/* SPDX-License-Identifier: BSD-3-Clause */
/* What Linux's pktgen did, replayed (test/data/linux-pktgen): every recorded write and read through
 * the control files' semantics, every captured packet under `compat linux`. What differs on purpose
 * stands in replay_purpose.c; anything else that differs fails. */
#include "support_replay.h"

#include <signal.h>
#include <stdlib.h>

#include <rte_lcore.h>

#include "support.h"
#include "support_eal.h"

static struct replay replay;

// A section that answered as another: its steps again, with the device's own name and MAC.
static json_t *
renamed(const json_t *step, const char *section, const char *name, int shift)
{
	static const char *const keys[] = {"file", "command", "text"};
	json_t *copy = json_deep_copy(step);
	const char *id = replay_text(step, "step");
	char text[REPLAY_TEXT_MAX], mac[RTE_ETHER_ADDR_FMT_SIZE];

	snprintf(text, sizeof(text), "%.*s-%d", (int)strcspn(id, "-"), id,
		atoi(strchr(id, '-') + 1) + shift);
	json_object_set_new(copy, "step", json_string(text));
	json_object_set_new(copy, "section", json_string(section));
	for (size_t i = 0; i < DIM(keys); i++) {
		const char *old = replay_text(step, keys[i]), *found;

		if (old == NULL)
			continue;
		if (strcmp(old, "lo") == 0)
			snprintf(text, sizeof(text), "%s", name);
		else if (strcmp(old, "add_device lo\n") == 0)
			snprintf(text, sizeof(text), "add_device %s\n", name);
		else if ((found = strstr(old, "ifname: lo\n")) != NULL)
			snprintf(text, sizeof(text), "%.*sifname: %s\n%s", (int)(found - old), old,
				name, found + 11);
		else
			continue;
		found = strstr(text, "src_mac: ");
		if (found != NULL) {
			rte_ether_format_addr(mac, sizeof(mac), &guest_find(name)->mac);
			memcpy(text + (found - text) + 9, mac, 17);
		}
		if (strcmp(keys[i], "command") == 0)
			json_object_set_new(copy, "ret", json_integer(strlen(text)));
		json_object_set_new(copy, keys[i], json_string(text));
	}
	return copy;
}

static json_t *
expand(const json_t *steps)
{
	json_t *all = json_array();
	const json_t *step, *other;
	size_t i, j;

	json_array_foreach(steps, i, step)
	{
		const char *same = replay_text(step, "same_as_section");
		const char *section = replay_text(step, "section");
		int first = -1;

		if (same == NULL) {
			json_array_append(all, (json_t *)(uintptr_t)step);
			continue;
		}
		json_array_foreach(steps, j, other)
		{
			if (strcmp(replay_text(other, "section"), same) != 0)
				continue;
			if (first < 0)
				first = atoi(strchr(replay_text(other, "step"), '-') + 1);
			json_array_append_new(all,
				renamed(other, section, strrchr(section, '-') + 1,
					atoi(strchr(replay_text(step, "first_step"), '-') + 1) -
						first));
		}
	}
	return all;
}

static int
setup(void **state)
{
	const struct sigaction kick = {.sa_handler = SIG_IGN};
	json_t *steps, *cases;
	json_t *one;
	size_t i;

	if (support_eal_start_two(state) < 0)
		return -1;
	sigaction(PG_KICK_SIGNAL, &kick, NULL);
	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY; // the workers are threads of the test's
	guest_init();
	steps = replay_load(REPLAY_STEPS);
	replay.steps = expand(steps);
	json_decref(steps);
	cases = replay_load(REPLAY_PACKETS);
	replay.packets = json_object();
	json_array_foreach(cases, i, one)
	{
		const char *id = replay_text(one, "step");
		char start[32]; // a case has the number behind its start's

		snprintf(start, sizeof(start), "%.*s-%d", (int)strcspn(id, "-"), id,
			atoi(strchr(id, '-') + 1) - 1);
		json_object_set(replay.packets, start, one);
	}
	json_decref(cases);
	return 0;
}

static int
teardown(void **state)
{
	guest_fini();
	json_decref(replay.steps);
	json_decref(replay.packets);
	json_decref(replay.written);
	return support_eal_stop(state);
}

static void
print_counts(const char *what, const struct replay_counts *counts)
{
	printf("%s: %u agree, %u differ on purpose, %u do not apply, %u differ\n", what,
		counts->agree, counts->purpose, counts->absent, counts->failed);
}

static void
test_steps(void **state)
{
	(void)state;
	replay_steps(&replay);
	print_counts("writes", &replay.commands);
	print_counts("reads", &replay.reads);
	assert_true(replay.commands.failed == 0 && replay.reads.failed == 0);
}

static void
test_packets(void **state)
{
	(void)state;
	replay_packets(&replay);
	print_counts("captures", &replay.packet_cases);
	assert_true(replay.packet_cases.failed == 0);
}

static void
test_purposes(void **state)
{
	(void)state;
	CHECK_U64(replay_print_purposes(), 0, "entries of the list that nothing needs");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_purposes),
	};

	return cmocka_run_group_tests_name("replay", tests, setup, teardown);
}
