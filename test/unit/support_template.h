/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates at random, over every setting that changes a packet: the same number, the same one. */
#ifndef SUPPORT_TEMPLATE_H
#define SUPPORT_TEMPLATE_H

#include <stdint.h>

#include "pg_flow.h"

#define TEMPLATE_FRAME_MAX 9216 /**< bytes of the longest frame that a template makes */

/** One template, and what a program needs beside it. */
struct template_case {
	char commands[4096]; /**< as for flow_make() */
	struct pg_flow flow;
	char stream[24];
	uint64_t seed;
	uint32_t copies;
	uint64_t first; /**< a packet to begin at; 2000 more do not pass 2^64 */
	uint64_t draws; /**< the state of support_draw(), for what a test draws itself */
};

/** Make template `number`. Fails the test if the language refuses a command of it. */
void template_draw(struct template_case *c, uint64_t number);

/** A number of 0 .. n - 1. */
uint32_t template_below(struct template_case *c, uint32_t n);

#endif
