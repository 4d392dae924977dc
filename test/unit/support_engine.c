/* SPDX-License-Identifier: BSD-3-Clause */
#include "support_engine.h"

#include <signal.h>
#include <stdlib.h>

#include <rte_lcore.h>
#include <rte_ring.h>

#include "support.h"

static int
port_probe(void *ctx, const char *name, struct pg_error *err)
{
	(void)ctx;
	(void)name;
	(void)err;
	return 0;
}

static int
port_open(void *ctx, struct pg_port *port, struct pg_error *err)
{
	static uint16_t opened;

	(void)ctx;
	(void)err;
	snprintf(port->ethdev, sizeof(port->ethdev), "%s", port->name);
	snprintf(port->driver, sizeof(port->driver), "fake");
	if (strcmp(port->name, "lo") != 0)
		port->mac = (struct rte_ether_addr){{0x02, 0, 0, 0, 0, 0x01}};
	port->id = opened++;
	port->mtu = 65535;
	port->frame_max = 65549;
	port->max_txqs = 16;
	port->socket = SOCKET_ID_ANY;
	port->link_up = true;
	port->keeps_packets = true;
	return 0;
}

static void
port_close(void *ctx, struct pg_port *port)
{
	(void)ctx;
	(void)port;
}

const struct pg_port_ops fake_ports = {port_probe, port_open, port_close, NULL};

static const struct pg_command_list *const lists[] = {
	&pg_flow_commands, &pg_tx_device_commands, &pg_tx_rate_commands, &pg_tx_receive_commands};

// As the program does: what reading a device shows after "Result: ".
static void
keep_reply(void *ctx, const struct pg_target *target, const char *reply)
{
	struct pg_device *device = target->object;

	(void)ctx;
	if (target->kind == PG_TARGET_DEVICE)
		snprintf(device->reply, sizeof(device->reply), "%s", reply);
}

void
rig_engine_init(struct rig_engine *rig, const struct pg_dry_sink *dry)
{
	rig_engine_open(rig, &(struct pg_engine_config){.ports = &fake_ports, .dry = dry});
}

void
rig_engine_open(struct rig_engine *rig, const struct pg_engine_config *with)
{
	struct pg_engine_config config = *with;
	struct pg_error err = {0};

	memset(rig, 0, sizeof(*rig));
	config.clock = &rig->clock;
	pg_clock_init(&rig->clock);
	pg_clock_settle(&rig->clock, 10000000);
	rig->engine = pg_engine_create(&config, &err);
	CHECK(rig->engine != NULL, "%s", err.text);
	fake_world_init(&rig->world);
	rig->world.world.replied = keep_reply;
	rig->lang = pg_lang_create(lists, DIM(lists), &rig->world.world);
	assert_non_null(rig->lang);
}

static void *
work(void *thread)
{
	pg_engine_worker(thread);
	return NULL;
}

static void
ignore(int sig)
{
	(void)sig;
}

void
rig_engine_work(struct rig_engine *rig, unsigned int n)
{
	struct pg_thread *thread = NULL;

	assert_true(n <= DIM(rig->worker));
	signal(PG_KICK_SIGNAL, ignore);
	while (rig->nworkers < n) {
		thread = pg_engine_next_thread(rig->engine, thread);
		assert_non_null(thread);
		assert_int_equal(
			pthread_create(&rig->worker[rig->nworkers], NULL, work, thread), 0);
		rig->nworkers++;
	}
}

void
rig_engine_rest(struct rig_engine *rig)
{
	if (rig->nworkers == 0)
		return;
	pg_engine_stop(rig->engine, false);
	pg_engine_quit(rig->engine);
	while (rig->nworkers > 0)
		pthread_join(rig->worker[--rig->nworkers], NULL);
}

void
rig_engine_fini(struct rig_engine *rig)
{
	rig_engine_rest(rig);
	pg_lang_destroy(rig->lang);
	pg_engine_destroy(rig->engine);
}

int
rig_engine_teardown(void **state)
{
	rig_engine_fini(*state);
	return 0;
}

struct pg_device *
rig_engine_add(struct rig_engine *rig, const char *name)
{
	return rig_engine_add_to(rig, 0, name);
}

struct pg_device *
rig_engine_add_to(struct rig_engine *rig, unsigned int lcore, const char *name)
{
	struct pg_thread *thread = pg_engine_thread(rig->engine, lcore);
	struct pg_error err = {0};
	struct pg_device *device;

	CHECK(pg_device_add(thread, name, &err) == 0, "%s: %s", name, err.text);
	device = pg_engine_device(rig->engine, name);
	assert_non_null(device);
	fake_world_add(
		&rig->world, device->name, device, &device->settings, sizeof(device->settings));
	return device;
}

struct pg_device *
rig_engine_device(struct rig_engine *rig, const char *name)
{
	struct pg_device *device = pg_engine_device(rig->engine, name);

	return device != NULL ? device : rig_engine_add(rig, name);
}

void
rig_engine_start(struct rig_engine *rig)
{
	struct pg_error err = {0};

	CHECK(pg_engine_start(rig->engine, &err) == 0, "%s", err.text);
}

void
rig_engine_run(struct rig_engine *rig)
{
	rig_engine_start(rig);
	pg_engine_wait(rig->engine);
}

void
rig_engine_set(struct rig_engine *rig, const char *device, const char *commands)
{
	while (*commands != '\0') {
		size_t length = strcspn(commands, ";");
		struct pg_error err = {0};
		struct pg_reply reply;
		char line[600];

		snprintf(line, sizeof(line), "%s %.*s", device, (int)length, commands);
		CHECK(pg_lang_run(rig->lang, line, &reply, &err) == 0, "'%s': %s", line, err.text);
		commands += length + (commands[length] == ';');
	}
}

struct pg_device *
rig_engine_inject(struct rig_engine *rig, const char *name, const char *commands)
{
	struct pg_device *device = rig_engine_add(rig, name);

	rig_engine_set(rig, name, "xmit_mode netif_receive");
	rig_engine_set(rig, name, commands);
	return device;
}

struct rte_ring *
rig_engine_tap(void)
{
	struct rte_ring *ring = NULL;
	char name[32];

	for (unsigned int i = 0; i < 100 && ring == NULL; i++) {
		snprintf(name, sizeof(name), "pg_tap_%u", i);
		ring = rte_ring_lookup(name);
	}
	assert_non_null(ring);
	return ring;
}

char *
rig_engine_text(const struct pg_device *device)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	pg_report_device(device, file);
	fclose(file);
	return text;
}
