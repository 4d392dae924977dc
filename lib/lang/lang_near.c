/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "lang_priv.h"

#define WORD_MAX 64

// Optimal string alignment distance (Damerau 1964, restricted to adjacent swaps).
unsigned int
lang_distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int rows[3][WORD_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX || lb > WORD_MAX)
		return limit + 1;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int cost = a[i - 1] != b[j - 1];

			row[j] = RTE_MIN(up[j], row[j - 1]) + 1;
			row[j] = RTE_MIN(row[j], up[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = RTE_MIN(row[j], up2[j - 2] + 1);
		}
	}
	return RTE_MIN(rows[la % 3][lb], limit + 1);
}

void
lang_nearest_init(struct lang_nearest *nearest, const char *word)
{
	size_t length = strlen(word);

	nearest->word = word;
	nearest->best = NULL;
	// Half a short word, a third of a long one; one letter resembles everything.
	nearest->distance = length < 2 ? 0 : length / 3 + 1;
}

void
lang_nearest_offer(struct lang_nearest *nearest, const char *candidate)
{
	unsigned int distance;

	if (nearest->distance == 0)
		return;
	distance = lang_distance(nearest->word, candidate, nearest->distance);
	if (distance < nearest->distance || (distance == nearest->distance && !nearest->best)) {
		nearest->best = candidate;
		nearest->distance = distance;
	}
}

void
lang_nearest_tell(const struct lang_nearest *nearest, struct pg_error *err)
{
	size_t used = strlen(err->expected);

	if (nearest->best != NULL)
		snprintf(err->expected + used, sizeof(err->expected) - used, "; did you mean '%s'?",
			nearest->best);
}
