/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lang_priv.h"

static void
mac_expect(const struct pg_arg *arg, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size, "a MAC address of six bytes, xx:xx:xx:xx:xx:xx");
}

// Two hexadecimal digits a byte and colons only, as pktgen reads them.
static int
mac_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	unsigned int bytes[RTE_ETHER_ADDR_LEN];
	bool shape = strlen(token) == 3 * RTE_ETHER_ADDR_LEN - 1;

	(void)arg;
	for (size_t i = 0; shape && i < 3 * RTE_ETHER_ADDR_LEN - 1; i++)
		shape = i % 3 == 2 ? token[i] == ':' : isxdigit((unsigned char)token[i]) != 0;
	if (!shape || sscanf(token, "%2x:%2x:%2x:%2x:%2x:%2x", &bytes[0], &bytes[1], &bytes[2],
			      &bytes[3], &bytes[4], &bytes[5]) != RTE_ETHER_ADDR_LEN)
		return pg_error_set(
			err, PG_FAULT_INPUT, EINVAL, "'%s' is not a MAC address", token);
	for (size_t i = 0; i < RTE_ETHER_ADDR_LEN; i++)
		value->mac.addr_bytes[i] = bytes[i];
	return 0;
}

// Exactly two digits a byte; what follows the last is ignored.
static int
mac_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	char text[3 * RTE_ETHER_ADDR_LEN];
	struct pg_error err = {0};

	lang_scan_word(scan, text, sizeof(text));
	return mac_parse(arg, text, value, &err);
}

static void
mac_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	const uint8_t *b = value->mac.addr_bytes;

	(void)arg;
	snprintf(out, size, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
}

const struct pg_type pg_type_mac = {
	.name = "mac",
	.size = sizeof(struct rte_ether_addr),
	.parse = mac_parse,
	.scan = mac_scan,
	.scanned = "two digits a byte; what follows the last is ignored",
	.format = mac_format,
	.expect = mac_expect,
};

static void
ip4_expect(const struct pg_arg *arg, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size, "an IPv4 address, four numbers from 0 to 255 with dots between");
}

static int
ip4_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	struct in_addr in;

	(void)arg;
	if (inet_pton(AF_INET, token, &in) != 1)
		return pg_error_set(
			err, PG_FAULT_INPUT, EINVAL, "'%s' is not an IPv4 address", token);
	value->ip4.addr = ntohl(in.s_addr);
	snprintf(value->ip4.text, sizeof(value->ip4.text), "%s", token);
	return 0;
}

// Up to four numbers with dots between; nothing is checked, too large ones spill over
// (reference 4.4).
static int
ip4_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	struct pg_ip4 *ip = &value->ip4;
	const char *c = ip->text;

	(void)arg;
	lang_scan_word(scan, ip->text, sizeof(ip->text));
	ip->addr = 0;
	for (int part = 0; part < 4; part++) {
		uint32_t n = 0;

		for (; *c != '\0' && *c != '.'; c++)
			n = n * 10 + (uint32_t)(*c - '0');
		c += *c == '.';
		ip->addr = ip->addr << 8 | n;
	}
	return 0;
}

static void
ip4_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size, "%s", value->ip4.text);
}

const struct pg_type pg_type_ip4 = {
	.name = "ip4",
	.size = sizeof(struct pg_ip4),
	.parse = ip4_parse,
	.scan = ip4_scan,
	.scanned = "31 characters, kept as they are and not checked: missing numbers are 0, those "
		   "above 255 spill over",
	.format = ip4_format,
	.expect = ip4_expect,
};

static void
ip6_expect(const struct pg_arg *arg, char *out, size_t size)
{
	(void)arg;
	snprintf(out, size, "an IPv6 address");
}

static int
ip6_parse(const struct pg_arg *arg, const char *token, union pg_value *value, struct pg_error *err)
{
	(void)arg;
	if (inet_pton(AF_INET6, token, value->ip6.bytes) != 1)
		return pg_error_set(
			err, PG_FAULT_INPUT, EINVAL, "'%.60s' is not an IPv6 address", token);
	return 0;
}

// An address at the start of the word; numbers may have any number of leading zeros.
static int
ip6_scan(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value)
{
	char text[KERNEL_IP6], clean[KERNEL_IP6];
	size_t length, used = 0;

	(void)arg;
	lang_scan_word(scan, text, sizeof(text));
	length = strspn(text, "0123456789abcdefABCDEF:.");
	for (size_t i = 0; i < length; i++) {
		bool starts = used == 0 || !isxdigit((unsigned char)clean[used - 1]);

		if (text[i] == '0' && starts && isxdigit((unsigned char)text[i + 1]))
			continue;
		clean[used++] = text[i];
	}
	clean[used] = '\0';
	return inet_pton(AF_INET6, clean, value->ip6.bytes) == 1 ? 0 : -EINVAL;
}

static void
ip6_format(const struct pg_arg *arg, const union pg_value *value, char *out, size_t size)
{
	(void)arg;
	pg_ip6_text(&value->ip6, out, size);
}

const struct pg_type pg_type_ip6 = {
	.name = "ip6",
	.size = sizeof(struct pg_ip6),
	.parse = ip6_parse,
	.scan = ip6_scan,
	.scanned = "an address at the start of the text; what is none leaves the old address",
	.format = ip6_format,
	.expect = ip6_expect,
};
