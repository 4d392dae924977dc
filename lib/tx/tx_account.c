/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ports counted themselves, beside what was handed to them. */
#include <errno.h>
#include <stdlib.h>

#include <rte_cycles.h>

#include "pg_units.h"
#include "tx_priv.h"

#define DRAIN_MS 50 // a kernel ring that has not moved on after this long is named

// The last run's account must not outlive its port.
void
tx_account_forget(struct pg_engine *engine, const struct pg_port *port)
{
	struct pg_port_account **link = &engine->run.ports;

	while (*link != NULL) {
		struct pg_port_account *account = *link;

		if (port != NULL && account->port != port) {
			link = &account->next;
			continue;
		}
		*link = account->next;
		free(account);
	}
}

// What a test lets the devices of a port have sent before.
static uint64_t
sent_before(const struct pg_engine *engine, const struct pg_port *port)
{
	const struct pg_device *device;
	uint64_t sent = 0;

	if (engine->config.origin == NULL)
		return 0;
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		if (device->port == port && device->settings.xmit_mode != PG_XMIT_NETIF_RECEIVE)
			sent += engine->config.origin->packets;
	}
	return sent;
}

int
tx_account_begin(struct pg_engine *engine, struct pg_error *err)
{
	tx_account_forget(engine, NULL);
	for (struct pg_port *p = pg_ports_first(engine->ports); p != NULL; p = p->next) {
		struct pg_port_account *account = calloc(1, sizeof(*account));
		struct pg_port_counters now;

		if (account == NULL)
			return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
		pg_port_counters_read(p, &now);
		account->port = p;
		account->opackets = now.opackets - sent_before(engine, p);
		account->oerrors = now.oerrors;
		account->received = now.ipackets;
		account->missed = now.imissed; // they hold the start values until the end
		account->receive_errors = now.ierrors;
		account->no_buffer = now.rx_nombuf;
		account->in_flight = account->taken = PG_COUNTER_ABSENT;
		account->not_drained = now.kernel_tx; // holds the start value until the end
		account->next = engine->run.ports;
		engine->run.ports = account;
	}
	return 0;
}

void
tx_account_leave(struct pg_engine *engine, const struct pg_device *device)
{
	const struct pg_task *task = device->task;

	for (struct pg_port_account *a = engine->run.ports; a != NULL; a = a->next) {
		if (a->port == device->port && task != NULL && !task->injects)
			a->offered += task->counters.sent;
	}
}

static uint64_t
offered_to(const struct pg_engine *engine, const struct pg_port *port)
{
	const struct pg_device *device;
	uint64_t sent = 0;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		if (device->port == port && device->task != NULL && !device->task->injects)
			sent += device->result.sent;
	}
	return sent;
}

// Frames that the driver counts as sent, but the kernel's interface has not sent after a while.
static uint64_t
kernel_backlog(const struct pg_port *port, uint64_t before, uint64_t driver_sent)
{
	struct pg_port_counters now;

	for (int waited = 0;; waited += 10) {
		pg_port_counters_read(port, &now);
		if (now.kernel_tx == PG_COUNTER_ABSENT || now.kernel_tx - before >= driver_sent)
			return 0;
		if (waited >= DRAIN_MS)
			return driver_sent - (now.kernel_tx - before);
		rte_delay_us_sleep(10 * PG_NS_PER_US);
	}
}

// A driver may still hold what it took: wait a little until its counter has followed.
static void
read_settled(const struct pg_port_account *account, struct pg_port_counters *now)
{
	for (int waited = 0;; waited += 10) {
		pg_port_counters_read(account->port, now);
		if (now->opackets == PG_COUNTER_ABSENT || account->opackets == PG_COUNTER_ABSENT ||
			now->opackets - account->opackets + (now->oerrors - account->oerrors) >=
				account->offered ||
			waited >= DRAIN_MS)
			return;
		rte_delay_us_sleep(10 * PG_NS_PER_US);
	}
}

static void
forget_received(struct pg_port_account *account)
{
	account->received = account->missed = account->receive_errors = account->no_buffer =
		PG_COUNTER_ABSENT;
}

// What devices took from a port; PG_COUNTER_ABSENT: none receives from it.
static uint64_t
taken_from(const struct pg_engine *engine, const struct pg_port *port)
{
	const struct pg_device *device;
	uint64_t taken = 0;
	bool any = false;

	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		if (device->port != port || device->task == NULL || !device->task->receives)
			continue;
		any = true;
		taken += device->result.sent + device->task->surplus;
	}
	return any ? taken : PG_COUNTER_ABSENT;
}

static void
received_end(const struct pg_engine *engine, struct pg_port_account *account,
	const struct pg_port_counters *now)
{
	account->taken = taken_from(engine, account->port);
	if (account->taken == PG_COUNTER_ABSENT && !account->port->loops) {
		forget_received(account);
		return;
	}
	account->received = now->ipackets - account->received;
	account->missed = now->imissed - account->missed;
	account->receive_errors = now->ierrors - account->receive_errors;
	account->no_buffer = now->rx_nombuf - account->no_buffer;
	if (account->port->loops)
		account->in_flight = account->opackets - account->received;
}

static void
account_end(struct pg_engine *engine, struct pg_port_account *account)
{
	uint64_t kernel_before = account->not_drained;
	struct pg_port_counters now;

	account->not_drained = 0;
	account->offered += offered_to(engine, account->port);
	read_settled(account, &now);
	if (account->opackets == PG_COUNTER_ABSENT || now.opackets == PG_COUNTER_ABSENT) {
		account->opackets = account->oerrors = PG_COUNTER_ABSENT;
		forget_received(account);
		return;
	}
	account->opackets = now.opackets - account->opackets;
	account->oerrors = now.oerrors - account->oerrors;
	received_end(engine, account, &now);
	if (account->opackets < account->offered)
		account->lost = account->offered - account->opackets;
	if (kernel_before != PG_COUNTER_ABSENT && account->offered > 0)
		account->not_drained =
			kernel_backlog(account->port, kernel_before, account->opackets);
}

// A driver counts by port: of a device's packets only if it has the port for itself.
static uint64_t
driver_sent(const struct pg_engine *engine, const struct pg_device *device)
{
	for (const struct pg_port_account *a = engine->run.ports; a != NULL; a = a->next) {
		if (a->port == device->port && a->port->users == 1)
			return a->opackets;
	}
	return PG_COUNTER_ABSENT;
}

void
tx_account_end(struct pg_engine *engine)
{
	struct pg_device *device;

	for (struct pg_port_account *a = engine->run.ports; a != NULL; a = a->next) {
		account_end(engine, a);
		engine->run.fell_short |= a->lost > 0 || a->not_drained > 0;
	}
	TAILQ_FOREACH(device, &engine->devices, in_engine)
	{
		engine->run.fell_short |= device->task != NULL && device->fell_short;
		if (device->task != NULL && !device->task->injects)
			device->account.driver_sent = driver_sent(engine, device);
	}
}
