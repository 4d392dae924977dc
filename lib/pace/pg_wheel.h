/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_WHEEL_H
#define PG_WHEEL_H

#include <stdint.h>

/* A hierarchical timing wheel: who is due when, at a cost that does not grow with their number
 * (Varghese and Lauck, 1987). Times are cycles of the counter; nobody is ever early, and late by
 * at most a tick. worker: rw. */

#define PG_WHEEL_TICK_BITS 8 /**< 256 cycles: a tenth of a microsecond */
#define PG_WHEEL_SLOT_BITS 8
#define PG_WHEEL_SLOTS     (1u << PG_WHEEL_SLOT_BITS)
#define PG_WHEEL_LEVELS    4 /**< the last one holds what is further away too */

/** A part of what waits. */
struct pg_wheel_item {
	struct pg_wheel_item *next;
	uint64_t due; /**< cycles */
};

struct pg_wheel {
	uint64_t tick; /**< the first that has not been taken yet */
	uint64_t waiting;
	uint64_t used[PG_WHEEL_SLOTS / 64]; /**< slots of the first level that hold items */
	struct pg_wheel_item *slot[PG_WHEEL_LEVELS][PG_WHEEL_SLOTS];
};

/** Start an empty wheel at a time. */
void pg_wheel_init(struct pg_wheel *wheel, uint64_t now);

/** Let an item wait until item->due; what is due already comes with the next take. */
void pg_wheel_add(struct pg_wheel *wheel, struct pg_wheel_item *item);

/** Take out what is due.
 *  Returns a list in order of ticks, those of one tick in the order in which they were added;
 *  NULL: nothing is. */
struct pg_wheel_item *pg_wheel_take(struct pg_wheel *wheel, uint64_t now);

#endif
