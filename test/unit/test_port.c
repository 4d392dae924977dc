/* SPDX-License-Identifier: BSD-3-Clause */
/* Which names are one port, who uses it, and that a resolver's errors arrive; no DPDK device. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "pg_port.h"
#include "port_priv.h"

/** A resolver: names to ethdevs as a table, and what it was asked. */
struct fake {
	bool keep; /**< ports that the user attached: they outlive their last device */
	unsigned int opened, closed, probed;
	char last_closed[PG_PORT_NAME_MAX];
};

static const struct {
	const char *name, *ethdev;
	uint16_t id;
} known[] = {
	{"0", "net_null0", 0},
	{"net_null0", "net_null0", 0},
	{"1", "net_ring0", 1},
	{"net_ring0", "net_ring0", 1},
	{"eth0", "net_af_packet_eth0", 2},
	{"2", "net_af_packet_eth0", 2},
	{"net_null7", "net_null7", 3},
};

static int
find(const char *name)
{
	for (size_t i = 0; i < DIM(known); i++) {
		if (strcmp(known[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static int
fake_probe(void *ctx, const char *name, struct pg_error *err)
{
	((struct fake *)ctx)->probed++;
	return find(name) >= 0 ? 0 : pg_error_set(err, PG_FAULT_INPUT, ENODEV, "no %s", name);
}

static int
fake_open(void *ctx, struct pg_port *port, struct pg_error *err)
{
	static const struct pg_port zero;
	struct pg_port given = *port;
	int row = find(port->name);

	// It is given a zeroed port with a name.
	memset(given.name, 0, sizeof(given.name));
	assert_memory_equal(&given, &zero, sizeof(zero));
	((struct fake *)ctx)->opened++;
	if (strcmp(port->name, "refused") == 0)
		return pg_error_set(err, PG_FAULT_ENV, EPERM, "not allowed");
	if (row < 0)
		return pg_error_set(err, PG_FAULT_INPUT, ENODEV, "no %s", port->name);
	snprintf(port->ethdev, sizeof(port->ethdev), "%s", known[row].ethdev);
	port->id = known[row].id;
	port->attached = !((struct fake *)ctx)->keep;
	return 0;
}

static void
fake_close(void *ctx, struct pg_port *port)
{
	struct fake *fake = ctx;

	fake->closed++;
	snprintf(fake->last_closed, sizeof(fake->last_closed), "%s", port->name);
}

static struct fake fake;
static const struct pg_port_ops ops = {fake_probe, fake_open, fake_close, &fake};

static int
setup(void **state)
{
	memset(&fake, 0, sizeof(fake));
	*state = pg_ports_create(&ops);
	return *state != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	pg_ports_destroy(*state);
	return 0;
}

static struct pg_port *
get(struct pg_ports *ports, const char *name)
{
	struct pg_error err = {0};
	struct pg_port *port = pg_ports_get(ports, name, &err);

	CHECK(port != NULL, "%s: %s", name, err.text);
	return port;
}

static unsigned int
count(const struct pg_ports *ports)
{
	unsigned int n = 0;

	for (const struct pg_port *p = pg_ports_first(ports); p != NULL; p = p->next)
		n++;
	return n;
}

static void
test_one_port(void **state)
{
	struct pg_ports *ports = *state;
	struct pg_port *port;

	assert_null(pg_ports_first(ports));
	port = get(ports, "net_null0");
	assert_string_equal(port->name, "net_null0");
	assert_string_equal(port->ethdev, "net_null0");
	assert_int_equal(port->users, 1);
	assert_ptr_equal(pg_ports_first(ports), port);
	assert_ptr_equal(get(ports, "net_null0"), port);
	assert_int_equal(port->users, 2);
	assert_int_equal(fake.opened, 1);
	pg_ports_put(ports, port);
	assert_int_equal(port->users, 1);
	assert_int_equal(fake.closed, 0);
	pg_ports_put(ports, port);
	assert_int_equal(fake.closed, 1);
	assert_string_equal(fake.last_closed, "net_null0");
	assert_null(pg_ports_first(ports));
}

// A number, a name and a kernel interface may all mean the same ethdev.
static void
test_many_names(void **state)
{
	static const char *const pairs[][2] = {{"0", "net_null0"}, {"net_null0", "0"},
		{"1", "net_ring0"}, {"eth0", "2"}, {"2", "eth0"}, {"eth0", "net_af_packet_eth0"}};

	for (size_t i = 0; i < DIM(pairs); i++) {
		struct pg_port *a = get(*state, pairs[i][0]), *b = get(*state, pairs[i][1]);

		CHECK(a == b, "%s and %s are two ports", pairs[i][0], pairs[i][1]);
		assert_int_equal(a->users, 2);
		CHECK_TEXT(a->name, pairs[i][0], "the first name stays");
		assert_int_equal(count(*state), 1);
		pg_ports_put(*state, b);
		pg_ports_put(*state, a);
		assert_int_equal(count(*state), 0);
	}
}

// What was there before stays open until the end: its file goes on where it was.
static void
test_kept_port(void **state)
{
	struct pg_port *port;

	fake.keep = true;
	port = get(*state, "net_ring0");
	pg_ports_put(*state, port);
	assert_int_equal(fake.closed, 0);
	assert_int_equal(port->users, 0);
	assert_ptr_equal(get(*state, "net_ring0"), port);
	assert_ptr_equal(pg_ports_find(*state, "net_ring0"), port);
	assert_null(pg_ports_find(*state, "net_null0"));
	assert_int_equal(fake.opened, 1);
	pg_ports_put(*state, port);
}

static void
test_several_ports(void **state)
{
	struct pg_port *a = get(*state, "net_null0"), *b = get(*state, "net_ring0");
	struct pg_port *c = get(*state, "eth0");

	assert_true(a != b && b != c && a != c);
	assert_int_equal(count(*state), 3);
	assert_int_equal(fake.opened, 3);
	pg_ports_put(*state, b); // the middle one
	assert_int_equal(count(*state), 2);
	assert_string_equal(fake.last_closed, "net_ring0");
	assert_ptr_equal(get(*state, "0"), a);
	assert_ptr_equal(get(*state, "eth0"), c);
	b = get(*state, "1"); // opened anew
	assert_int_equal(count(*state), 3);
	assert_int_equal(b->users, 1);
}

static void
test_errors(void **state)
{
	struct pg_error err = {0};

	assert_null(pg_ports_get(*state, "nosuch", &err));
	assert_int_equal(err.code, ENODEV);
	assert_string_equal(err.text, "no nosuch");
	assert_null(pg_ports_get(*state, "refused", &err));
	assert_int_equal(err.code, EPERM);
	assert_int_equal(err.fault, PG_FAULT_ENV);
	assert_int_equal(count(*state), 0);
	assert_int_equal(fake.closed, 0); // what was never opened is not closed
}

static void
test_probe(void **state)
{
	struct pg_error err = {0};

	assert_int_equal(pg_ports_probe(*state, "eth0", &err), 0);
	assert_int_equal(pg_ports_probe(*state, "nosuch", &err), -ENODEV);
	assert_string_equal(err.text, "no nosuch");
	assert_int_equal(fake.probed, 2);
	assert_int_equal(fake.opened, 0); // attaches nothing
	assert_int_equal(count(*state), 0);
}

static void
test_detach_of_used(void **state)
{
	struct pg_port *port = get(*state, "eth0");
	static const char *const names[] = {"eth0", "net_af_packet_eth0"};

	for (size_t i = 0; i < DIM(names); i++) {
		struct pg_error err = {0};

		assert_int_equal(pg_ports_detach(*state, names[i], &err), -EBUSY);
		CHECK(strstr(err.text, "1 device") && !strstr(err.text, "devices"), "%s", err.text);
	}
	get(*state, "eth0");
	for (size_t i = 0; i < DIM(names); i++) {
		struct pg_error err = {0};

		assert_int_equal(pg_ports_detach(*state, names[i], &err), -EBUSY);
		CHECK(strstr(err.text, "2 devices"), "%s", err.text);
	}
	assert_int_equal(port->users, 2);
}

// Destroying closes what is still used, each port once.
static void
test_destroy(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	for (int i = 0; i < 2; i++) {
		struct pg_ports *ports = pg_ports_create(&ops);

		get(ports, "net_null0");
		get(ports, "net_null0");
		get(ports, "net_ring0");
		pg_ports_destroy(ports);
		assert_int_equal(fake.closed, 2 * (i + 1));
		assert_int_equal(fake.opened, 2 * (i + 1));
	}
	pg_ports_destroy(NULL); // accepted
}

// IEEE 802: bit 0 of the first byte is group, bit 1 local administration.
static void
test_mac_from_name(void **state)
{
	static struct rte_ether_addr macs[1000];
	struct rte_ether_addr again;
	char name[32];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "net_null%d", i);
		memset(&macs[i], 0xff, sizeof(macs[i]));
		pg_port_mac_from_name(name, &macs[i]);
		assert_true((macs[i].addr_bytes[0] & 1) == 0 && (macs[i].addr_bytes[0] & 2) != 0);
		memset(&again, 0, sizeof(again));
		pg_port_mac_from_name(name, &again);
		assert_memory_equal(&macs[i], &again, sizeof(again));
		for (int k = 0; k < i; k++)
			CHECK(memcmp(&macs[k], &macs[i], sizeof(again)) != 0, "%d and %d", k, i);
	}
}

static void
test_traits(void **state)
{
	(void)state;
	assert_true(port_traits_find("net_null")->keeps_packets);
	assert_false(port_traits_find("net_ring")->keeps_packets); // its receiver owns them
	assert_false(port_traits_find("net_pcap")->keeps_packets);
	assert_true(port_traits_find("net_af_packet")->foreign_mac);
	assert_true(port_traits_find("net_tap")->rx_like_tx);
	assert_true(port_traits_find("net_ice")->needs_rx); // any other
	assert_false(port_traits_find("net_ice")->keeps_packets);
}

#define WITH_PORTS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PORTS(test_one_port),
		WITH_PORTS(test_many_names),
		WITH_PORTS(test_kept_port),
		WITH_PORTS(test_several_ports),
		WITH_PORTS(test_errors),
		WITH_PORTS(test_probe),
		WITH_PORTS(test_detach_of_used),
		cmocka_unit_test(test_destroy),
		cmocka_unit_test(test_mac_from_name),
		cmocka_unit_test(test_traits),
	};

	return cmocka_run_group_tests_name("port", tests, NULL, NULL);
}
