/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "pg_address.h"

#define WORDS            8
#define WORDS_BEHIND_IP4 6 // of the words, where the last 32 bits are an IPv4 address

static bool
has_ip4_tail(const uint16_t *word)
{
	bool mapped = word[5] == 0xffff;
	// ::0:5efe:a.b.c.d or ::200:5efe:a.b.c.d behind any prefix.
	bool isatap = (word[4] & ~0x0200) == 0 && word[5] == 0x5efe;

	for (int i = 0; i < 5; i++)
		mapped &= word[i] == 0;
	return mapped || isatap;
}

// The first of the longest runs of zero words; *length 0 if none has two.
static int
longest_zeros(const uint16_t *word, int words, int *length)
{
	int best = 0;

	*length = 1;
	for (int i = 0, run = 0; i < words; i++) {
		run = word[i] == 0 ? run + 1 : 0;
		if (run > *length) {
			*length = run;
			best = i - run + 1;
		}
	}
	if (*length < 2)
		*length = 0;
	return best;
}

const char *
pg_ip6_text(const struct pg_ip6 *ip, char *out, size_t size)
{
	uint16_t word[WORDS];
	int words, zeros, length;
	size_t used = 0;

	for (int i = 0; i < WORDS; i++)
		word[i] = (uint16_t)(ip->bytes[2 * i] << 8 | ip->bytes[2 * i + 1]);
	words = has_ip4_tail(word) ? WORDS_BEHIND_IP4 : WORDS;
	zeros = longest_zeros(word, words, &length);
	out[0] = '\0';
	for (int i = 0; i < words; i++) {
		if (length > 0 && i == zeros) {
			used += snprintf(out + used, size - used, "::");
			i += length - 1;
			continue;
		}
		used += snprintf(out + used, size - used, "%s%x",
			used > 0 && out[used - 1] != ':' ? ":" : "", word[i]);
	}
	if (words < WORDS)
		snprintf(out + used, size - used, "%s%u.%u.%u.%u", out[used - 1] != ':' ? ":" : "",
			ip->bytes[12], ip->bytes[13], ip->bytes[14], ip->bytes[15]);
	return out;
}
