/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a field over all frames of a run, beside those that were recorded. */
#include "replay_frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "support_replay.h"

#define VALUE_MAX 40 // an IPv6 address in hex
#define ENOUGH    10 // frames a value, for the set of values to be whole

static char (*values)[VALUE_MAX];

// As the record writes it.
static void
write_value(char *out, enum frame_field field, const uint8_t *bytes, uint16_t size)
{
	uint32_t number = 0;

	if (size == 6) {
		snprintf(out, VALUE_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[0], bytes[1],
			bytes[2], bytes[3], bytes[4], bytes[5]);
	} else if (size == 16) {
		for (unsigned int i = 0; i < 16; i++)
			snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	} else if (field == FRAME_SRC || field == FRAME_DST) {
		snprintf(out, VALUE_MAX, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
	} else {
		for (unsigned int i = 0; i < size; i++)
			number = number << 8 | bytes[i];
		snprintf(out, VALUE_MAX, "%" PRIu32, number);
	}
}

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

// Collect a field of all frames that have it, sorted. Returns how many.
static size_t
collect(const struct frame *frames, size_t n, enum frame_field field)
{
	size_t found = 0;

	values = calloc(n + 1, sizeof(*values));
	assert_non_null(values);
	for (size_t i = 0; i < n; i++) {
		struct frame_map map;

		frame_map(frames[i].bytes, frames[i].kept, &map);
		if (field == FRAME_FIELDS)
			snprintf(values[found++], VALUE_MAX, "%" PRIu32, frames[i].length);
		else if (map.size[field] > 0)
			write_value(values[found++], field, frames[i].bytes + map.offset[field],
				map.size[field]);
	}
	qsort(values, found, sizeof(*values), compare);
	return found;
}

// Numbers, and addresses by what of them varies: the last bytes.
static double
number(const char *text)
{
	unsigned int a, b, c, d;
	size_t length = strlen(text);

	if (sscanf(text, "%u.%u.%u.%u", &a, &b, &c, &d) == 4)
		return ((a * 256.0 + b) * 256 + c) * 256 + d;
	if (length == 32)
		return (double)strtoull(text + 16, NULL, 16);
	if (length == 17 && text[2] == ':')
		return strtol(text + 15, NULL, 16);
	return strtod(text, NULL);
}

static const char *
as_text(const json_t *value, char *out)
{
	if (json_is_string(value))
		return json_string_value(value);
	snprintf(out, VALUE_MAX, "%lld", (long long)json_integer_value(value));
	return out;
}

// Every value as often as recorded: exactly, or as chance has it (6 standard deviations).
static void
compare_counts(struct replay *replay, const char *name, const json_t *counts, size_t n, bool random)
{
	const char *value;
	json_t *want;
	size_t distinct = 0, total = 0;

	for (size_t i = 0; i < n; i++)
		distinct += i == 0 || strcmp(values[i], values[i - 1]) != 0;
	json_object_foreach((json_t *)(uintptr_t)counts, value, want) total +=
		json_integer_value(want);
	if (random && total < ENOUGH * json_object_size(counts))
		return;
	if (distinct != json_object_size(counts))
		replay_differ(replay, REPLAY_PACKET, name, "%s: %zu values, not %zu", name,
			distinct, json_object_size(counts));
	json_object_foreach((json_t *)(uintptr_t)counts, value, want)
	{
		double expected = (double)json_integer_value(want), got = 0;

		for (size_t i = 0; i < n; i++)
			got += strcmp(values[i], value) == 0;
		if (fabs(got - expected) > (random ? 6 * sqrt(2 * expected) + 3 : 0))
			replay_differ(replay, REPLAY_PACKET, name, "%s %s: %g times, not %g", name,
				value, got, expected);
	}
}

// Too many values to count: from about the same to about the same, and about as many.
static void
compare_spread(struct replay *replay, const char *name, const json_t *stats, size_t n)
{
	char text[VALUE_MAX];
	double min = number(as_text(json_object_get(stats, "min"), text));
	double max = number(as_text(json_object_get(stats, "max"), text));
	double want = (double)json_integer_value(json_object_get(stats, "distinct"));
	double lowest = number(values[0]), highest = lowest, distinct = 0;

	for (size_t i = 0; i < n; i++) {
		lowest = fmin(lowest, number(values[i]));
		highest = fmax(highest, number(values[i]));
		distinct += i == 0 || strcmp(values[i], values[i - 1]) != 0;
	}
	if (fabs(lowest - min) > 0.25 * (max - min) || fabs(highest - max) > 0.25 * (max - min))
		replay_differ(replay, REPLAY_PACKET, name, "%s from %g to %g, not %g to %g", name,
			lowest, highest, min, max);
	if (fabs(distinct - want) > 0.2 * want)
		replay_differ(
			replay, REPLAY_PACKET, name, "%s: %g values, not %g", name, distinct, want);
}

void
replay_stats(struct replay *replay, const json_t *one, const struct frame *frames, size_t n,
	bool (*random)(const struct pg_template *tmpl, enum frame_field field),
	const struct pg_template *tmpl)
{
	const json_t *all = json_object_get(one, "stats");
	const size_t over = json_integer_value(json_object_get(one, "stats_over"));

	for (unsigned int i = 0; i <= FRAME_FIELDS; i++) {
		const char *name = i < FRAME_FIELDS ? frame_names[i] : "len";
		const json_t *stats = json_object_get(all, name);
		const json_t *counts = json_object_get(stats, "counts");
		bool drawn = random(tmpl, i < FRAME_FIELDS ? i : FRAME_IP_LENGTH);
		size_t found;

		if (stats == NULL || n == 0)
			continue;
		found = collect(frames, RTE_MIN(n, over), i);
		if (found == 0)
			replay_differ(replay, REPLAY_PACKET, name, "no frame has a %s", name);
		else if (counts != NULL)
			compare_counts(replay, name, counts, found, drawn);
		else
			compare_spread(replay, name, stats, found);
		free(values);
	}
}
