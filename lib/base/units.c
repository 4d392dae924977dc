/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "pg_units.h"

char *
pg_units_si(double value, char *out, size_t size)
{
	static const struct {
		double scale;
		const char *prefix;
	} steps[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
	const size_t last = sizeof(steps) / sizeof(steps[0]) - 1;
	char number[40];
	size_t i = 0, end;

	// What rounds to 1000 of a prefix is 1 of the next one.
	while (i < last && value < steps[i].scale * (1 - 0.5e-6))
		i++;
	snprintf(number, sizeof(number), "%.3f", value / steps[i].scale);
	for (end = strlen(number); number[end - 1] == '0'; end--)
		;
	number[number[end - 1] == '.' ? end - 1 : end] = '\0';
	snprintf(out, size, "%s %s", number, steps[i].prefix);
	return out;
}
