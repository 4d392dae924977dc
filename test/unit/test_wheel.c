/* SPDX-License-Identifier: BSD-3-Clause */
/* The timing wheel against a list that is searched: nobody early, nobody more than a tick late,
 * nobody lost, in order. */
#include "support.h"

#include <stdlib.h>

#include "pg_wheel.h"

#define TICK  (UINT64_C(1) << PG_WHEEL_TICK_BITS)
#define ITEMS (SANITIZED ? 300 : 3000)

static struct pg_wheel wheel;
static struct pg_wheel_item items[ITEMS];
static uint64_t taken_at[ITEMS];

// Take at `now`; every item must be due, and none that is due for a tick may stay.
static size_t
take(uint64_t now)
{
	struct pg_wheel_item *list = pg_wheel_take(&wheel, now);
	uint64_t before = 0;
	size_t n = 0;

	for (; list != NULL; list = list->next, n++) {
		uint64_t tick = (list->due + TICK - 1) / TICK;

		CHECK((int64_t)(now - list->due) >= 0, "early by %llu",
			(unsigned long long)(list->due - now));
		CHECK(n == 0 || tick >= before, "out of order");
		CHECK(taken_at[list - items] == 0, "taken twice");
		taken_at[list - items] = now;
		before = tick;
	}
	return n;
}

static void
add(size_t i, uint64_t due)
{
	items[i].due = due;
	taken_at[i] = 0;
	pg_wheel_add(&wheel, &items[i]);
}

// Times near and far, steps small and large, from several origins: also across 2^32 ticks.
static void
run(uint64_t origin, uint64_t span, uint64_t step)
{
	uint64_t seed = origin ^ span, now = origin;
	size_t left = ITEMS;

	pg_wheel_init(&wheel, origin);
	for (size_t i = 0; i < ITEMS; i++)
		add(i, origin + support_draw(&seed) % span);
	while (left > 0) {
		uint64_t before = now;

		now += 1 + support_draw(&seed) % step;
		left -= take(now);
		CHECK(now - origin < 2 * span + 2 * step + TICK, "%zu are lost", left);
		for (size_t i = 0; i < ITEMS; i++)
			CHECK(taken_at[i] != 0 || items[i].due + TICK > before, "item %zu is late",
				i);
	}
	assert_int_equal(wheel.waiting, 0);
}

static void
test_random(void **state)
{
	static const uint64_t origins[] = {
		0, 12345, (UINT64_C(1) << 40) - 5000, (UINT64_C(1) << 56) + 77};

	(void)state;
	for (size_t i = 0; i < DIM(origins); i++) {
		run(origins[i], 1000, 300);
		run(origins[i], UINT64_C(1) << 17, 1000);
		run(origins[i], UINT64_C(1) << 26, 100000);
		run(origins[i], UINT64_C(1) << 34, 1 << 26);
		run(origins[i], UINT64_C(1) << 43, UINT64_C(1) << 35);
	}
}

// Those of one tick come in the order in which they were added; the past comes at once.
static void
test_order(void **state)
{
	struct pg_wheel_item *list;

	(void)state;
	pg_wheel_init(&wheel, 1000000);
	for (size_t i = 0; i < 10; i++)
		add(i, 1000000 + 100 * TICK);
	add(10, 5);
	list = pg_wheel_take(&wheel, 1000000 + 2 * TICK);
	assert_ptr_equal(list, &items[10]);
	assert_null(list->next);
	list = pg_wheel_take(&wheel, 1000000 + 200 * TICK);
	for (size_t i = 0; i < 10; i++, list = list->next)
		assert_ptr_equal(list, &items[i]);
	assert_null(list);
}

// Added again and again from what was taken, as devices do: every one as often as its gap says.
static void
test_periodic(void **state)
{
	uint64_t times[64] = {0}, now = 0;

	(void)state;
	pg_wheel_init(&wheel, 0);
	for (size_t i = 0; i < DIM(times); i++)
		add(i, 0);
	while (now < 50000000) {
		struct pg_wheel_item *next, *list = pg_wheel_take(&wheel, now += 137);

		for (; list != NULL; list = next) {
			size_t i = list - items;

			next = list->next;
			times[i]++;
			list->due += 1000 + 777 * i;
			pg_wheel_add(&wheel, list);
		}
	}
	for (size_t i = 0; i < DIM(times); i++) {
		uint64_t want = now / (1000 + 777 * i) + 1;

		CHECK(times[i] == want || times[i] + 1 == want, "item %zu: %llu of %llu", i,
			(unsigned long long)times[i], (unsigned long long)want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_periodic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
