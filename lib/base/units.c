/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "pg_units.h"

char *
pg_units_si(double value, char *out, size_t size)
{
	static const struct {
		double scale;
		const char *prefix;
	} steps[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (value >= steps[i].scale) {
			snprintf(out, size, "%.3f%s", value / steps[i].scale, steps[i].prefix);
			return out;
		}
	}
	snprintf(out, size, "%.3f ", value);
	return out;
}
