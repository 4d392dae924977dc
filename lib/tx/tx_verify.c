/* SPDX-License-Identifier: BSD-3-Clause */
/* Receipts of devices: what the reader is told of what was asked, and what its verdict is. */
#include <errno.h>
#include <stdio.h>

#include <rte_lcore.h>

#include "tx_priv.h"

int
tx_verify_prepare(struct pg_task *task, struct pg_error *err)
{
	const struct pg_device *device = task->device;
	const struct pg_device_settings *set = &device->settings;
	const struct pg_port *port = device->port;
	const struct pg_flow_port flow_port = {.mac = port->mac,
		.ip4 = port->ip4,
		.ip6 = port->ip6,
		.as_linux = pg_engine_compat(device->thread->engine) == PG_COMPAT_LINUX};
	const struct pg_verify_config config = {.tmpl = &set->tmpl,
		.port = &flow_port,
		.part = set->stream.part,
		.parts = set->stream.parts,
		.copies = task->copies,
		.every = set->verify,
		.count = set->count,
		.rate = set->rate,
		.delay_ns = set->delay_ns,
		.unit = set->pacing == PG_PACING_BURST ? tx_call_packets(set) : 1,
		.drawn = set->arrival == PG_ARRIVAL_POISSON ? &task->pace.key : NULL,
		.speed_mbps = port->speed_mbps,
		.socket = (int)rte_lcore_to_socket_id(device->thread->lcore)};

	if (set->verify == 0)
		return 0;
	task->verify = pg_verify_create(&config);
	if (task->verify != NULL)
		return 0;
	pg_error_set(err, PG_FAULT_ENV, ENOMEM, "no memory for the receipt of %s", device->name);
	return pg_error_remedy(err, "reserve more with --memory");
}

void
tx_verify_finish(struct pg_device *device)
{
	const struct pg_task *task = device->task;
	const struct pg_receipt_check *check;
	uint64_t unsent = task->npkts + (task->map != NULL ? task->map->pending : 0);
	char text[PG_VERIFY_TEXT_MAX];

	if (task->verify == NULL)
		return;
	device->receipt = pg_verify_end(task->verify, device->result.sent, unsent);
	check = pg_receipt_fault(device->receipt);
	if (check == NULL || device->fell_short)
		return;
	device->fell_short = true;
	snprintf(device->shortfall, sizeof(device->shortfall), "receipt: %.140s",
		pg_verify_fault_text(&check->first, text, sizeof(text)));
}
