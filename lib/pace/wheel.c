/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <string.h>

#include "pg_wheel.h"

#define MASK (PG_WHEEL_SLOTS - 1)

void
pg_wheel_init(struct pg_wheel *wheel, uint64_t now)
{
	memset(wheel, 0, sizeof(*wheel));
	wheel->tick = now >> PG_WHEEL_TICK_BITS;
}

// The tick behind an item's time, so that it is never early; the past is now.
static uint64_t
tick_of(const struct pg_wheel *wheel, const struct pg_wheel_item *item)
{
	uint64_t tick = (item->due + (UINT64_C(1) << PG_WHEEL_TICK_BITS) - 1) >> PG_WHEEL_TICK_BITS;

	return (int64_t)(tick - wheel->tick) > 0 ? tick : wheel->tick;
}

static void
put(struct pg_wheel *wheel, struct pg_wheel_item *item)
{
	const uint64_t reach = UINT64_C(1) << PG_WHEEL_LEVELS * PG_WHEEL_SLOT_BITS;
	uint64_t tick = tick_of(wheel, item), ahead = tick - wheel->tick;
	unsigned int level = 0, slot;

	if (ahead >= reach) // comes round again, and is put anew then
		tick = wheel->tick + reach - 1;
	// Two times of one lap of a level may share its slot with the present one: they go higher.
	while (level + 1 < PG_WHEEL_LEVELS &&
		(tick ^ wheel->tick) >> (level + 1) * PG_WHEEL_SLOT_BITS != 0)
		level++;
	slot = tick >> level * PG_WHEEL_SLOT_BITS & MASK;
	item->next = wheel->slot[level][slot];
	wheel->slot[level][slot] = item;
	if (level == 0)
		wheel->used[slot / 64] |= UINT64_C(1) << slot % 64;
}

void
pg_wheel_add(struct pg_wheel *wheel, struct pg_wheel_item *item)
{
	wheel->waiting++;
	put(wheel, item);
}

static struct pg_wheel_item *
reverse(struct pg_wheel_item *list)
{
	struct pg_wheel_item *turned = NULL;

	while (list != NULL) {
		struct pg_wheel_item *next = list->next;

		list->next = turned;
		turned = list;
		list = next;
	}
	return turned;
}

// A lap of a level begins: what waits in the next slot of the level above comes down.
static void
cascade(struct pg_wheel *wheel, unsigned int level)
{
	unsigned int slot = wheel->tick >> level * PG_WHEEL_SLOT_BITS & MASK;
	struct pg_wheel_item *list;

	if (slot == 0 && level + 1 < PG_WHEEL_LEVELS)
		cascade(wheel, level + 1);
	list = reverse(wheel->slot[level][slot]);
	wheel->slot[level][slot] = NULL;
	while (list != NULL) {
		struct pg_wheel_item *next = list->next;

		put(wheel, list);
		list = next;
	}
}

static int
lap_empty(const struct pg_wheel *wheel)
{
	uint64_t any = 0;

	for (size_t i = 0; i < PG_WHEEL_SLOTS / 64; i++)
		any |= wheel->used[i];
	return any == 0;
}

struct pg_wheel_item *
pg_wheel_take(struct pg_wheel *wheel, uint64_t now)
{
	const uint64_t end = (now >> PG_WHEEL_TICK_BITS) + 1;
	struct pg_wheel_item *first = NULL, **last = &first;

	while ((int64_t)(end - wheel->tick) > 0) {
		unsigned int slot = wheel->tick & MASK;

		if (wheel->used[slot / 64] >> slot % 64 & 1) {
			*last = reverse(wheel->slot[0][slot]);
			wheel->slot[0][slot] = NULL;
			wheel->used[slot / 64] &= ~(UINT64_C(1) << slot % 64);
			for (; *last != NULL; last = &(*last)->next)
				wheel->waiting--;
		}
		// An empty lap, or a wheel that nobody waits in, is skipped.
		if (wheel->waiting == 0)
			wheel->tick = end;
		else if (lap_empty(wheel) && (wheel->tick | MASK) + 1 < end)
			wheel->tick = (wheel->tick | MASK) + 1;
		else
			wheel->tick++;
		if ((wheel->tick & MASK) == 0 && wheel->waiting != 0)
			cascade(wheel, 1);
	}
	return first;
}
