/* SPDX-License-Identifier: BSD-3-Clause */
/* What every unit test includes first: cmocka, and checks that say which row of a table failed. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#ifndef __has_feature // clang's way to say it
#define __has_feature(x) 0
#endif

/** Is this built with AddressSanitizer? A tenth of the speed. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED true
#else
#define SANITIZED false
#endif

#define DIM(array) (sizeof(array) / sizeof((array)[0]))

/** Fail with a text of one's own. */
#define CHECK(condition, ...)                            \
	do {                                             \
		if (!(condition)) {                      \
			print_error("%s: ", #condition); \
			fail_msg(__VA_ARGS__);           \
		}                                        \
	} while (0)

#define CHECK_U64(got, want, fmt, ...)                                                 \
	do {                                                                           \
		uint64_t got_ = (got), want_ = (want);                                 \
		CHECK(got_ == want_, "%llu, not %llu: " fmt, (unsigned long long)got_, \
			(unsigned long long)want_, ##__VA_ARGS__);                     \
	} while (0)

#define CHECK_TEXT(got, want, fmt, ...)                                                  \
	do {                                                                             \
		const char *got_ = (got), *want_ = (want);                               \
		CHECK(strcmp(got_, want_) == 0, "\"%s\", not \"%s\": " fmt, got_, want_, \
			##__VA_ARGS__);                                                  \
	} while (0)

/** A real number to within a relative error. */
#define CHECK_NEAR(got, want, relative, fmt, ...)                                                 \
	do {                                                                                      \
		double got_ = (got), want_ = (want), off_ = got_ - want_;                         \
		double limit_ = (relative) * (want_ < 0 ? -want_ : want_);                        \
		CHECK((off_ < 0 ? -off_ : off_) <= limit_, "%.17g, not %.17g: " fmt, got_, want_, \
			##__VA_ARGS__);                                                           \
	} while (0)

/** Numbers at which 64-bit arithmetic goes wrong. */
static const uint64_t support_edges[] = {0, 1, 2, 3, 9, 10, 255, 256, 65535, 65536, 999999999,
	1000000000, UINT32_MAX - 1ull, UINT32_MAX, UINT32_MAX + 1ull, UINT32_MAX + 2ull, 9999999999,
	1ull << 40, (1ull << 53) + 1, 1ull << 56, 1000000000000000000, INT64_MAX - 1ull, INT64_MAX,
	INT64_MAX + 1ull, INT64_MAX + 2ull, 12345678901234567890u, UINT64_MAX - 1, UINT64_MAX};

/** A generator of the test's own, so that nothing under test checks itself (Marsaglia,
 *  "Xorshift RNGs", 2003: 13, 7, 17). */
static inline uint64_t
support_draw(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

/** A number of a random width: small ones come as often as large ones. */
static inline uint64_t
support_draw_width(uint64_t *state)
{
	uint64_t value = support_draw(state);

	return value >> (support_draw(state) % 64);
}

#endif
