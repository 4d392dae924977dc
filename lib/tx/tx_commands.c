/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "pg_lang.h"
#include "tx_priv.h"

static int
run_start(const struct pg_call *call)
{
	int rc = pg_engine_start(call->target->object, call->err);

	if (rc == 0)
		pg_engine_wait(call->target->object);
	return rc;
}

// Through a control file a run that goes on starts again (reference 2).
static int
write_start(const struct pg_call *call, int scanned)
{
	int rc = pg_engine_restart(call->target->object, call->err);

	(void)scanned;
	if (rc == 0)
		pg_engine_wait(call->target->object);
	return rc;
}

static int
run_stop(const struct pg_call *call)
{
	pg_engine_stop(call->target->object, false);
	return 0;
}

static int
run_reset(const struct pg_call *call)
{
	struct pg_engine *engine = call->target->object;
	struct pg_thread *thread = NULL;

	while ((thread = pg_engine_next_thread(engine, thread)) != NULL)
		pg_thread_clear(thread);
	return 0;
}

static int
run_attach(const struct pg_call *call)
{
	struct pg_engine *engine = call->target->object;

	return pg_ports_attach(engine->ports, call->value->text, call->err);
}

static int
run_detach(const struct pg_call *call)
{
	struct pg_engine *engine = call->target->object;
	struct pg_port *port = pg_ports_find(engine->ports, call->value->text);

	if (port != NULL && port->users == 0) {
		tx_account_forget(engine, port);
		tx_queues_drop(engine, port);
	}
	return pg_ports_detach(engine->ports, call->value->text, call->err);
}

static int
run_seed(const struct pg_call *call)
{
	pg_engine_set_seed(call->target->object, call->value->u64, true);
	return 0;
}

static int
run_start_at(const struct pg_call *call)
{
	pg_engine_set_start(call->target->object, &call->value->moment);
	return 0;
}

static const struct pg_word compat_words[] = {
	{"exact", PG_COMPAT_EXACT, "inclusive ranges from min on; packet i depends on i alone",
		false, false, false},
	{"linux", PG_COMPAT_LINUX, "the kernel's order, exclusive ends and delays in whole ns",
		false, false, false},
	{NULL, 0, NULL, false, false, false},
};

static int
run_compat(const struct pg_call *call)
{
	pg_engine_set_compat(call->target->object, (enum pg_compat)call->value->u64);
	return 0;
}

static int
run_obsolete(const struct pg_call *call)
{
	snprintf(call->reply->text, sizeof(call->reply->text),
		"OK: Note! max_before_softirq is obsoleted -- Do not use");
	return 0;
}

static int
run_add_device(const struct pg_call *call)
{
	return pg_device_add(call->target->object, call->value->text, call->err);
}

// The Result is kept of a failure too (reference 3).
static int
write_add_device(const struct pg_call *call, int scanned)
{
	const char *name = call->value->text;
	int rc = run_add_device(call);

	(void)scanned;
	snprintf(call->reply->text, sizeof(call->reply->text), "%s%.400s",
		rc == 0 ? "OK: add_device=" : "ERROR: can not add device ", name);
	return rc;
}

static int
run_rem_device_all(const struct pg_call *call)
{
	pg_thread_clear(call->target->object);
	return 0;
}

#define CONTROL(word, action, more, text, sample)                                        \
	{                                                                                \
		.target = PG_TARGET_CONTROL, .name = word, .run = action, .flags = more, \
		.help = text, .example = "pgctrl " sample,                               \
	}

static const struct pg_command control_rows[] = {
	{
		.target = PG_TARGET_CONTROL,
		.name = "start",
		.run = run_start,
		.write = write_start,
		.help = "start every device, wait for the end, print the results",
		.example = "pgctrl start",
	},
	CONTROL("stop", run_stop, PG_COMMAND_ANYTIME, "end the run", "stop"),
	CONTROL("reset", run_reset, PG_COMMAND_REMOVES, "remove the devices of all threads",
		"reset"),
	{
		.target = PG_TARGET_CONTROL,
		.name = "attach",
		.run = run_attach,
		.arg = {.type = &pg_type_line, .unit = "device arguments, NAME[,KEY=VALUE...],"},
		.flags = PG_COMMAND_EXTENSION,
		.help = "attach a DPDK device",
		.example = "pgctrl attach net_ring0",
	},
	{
		.target = PG_TARGET_CONTROL,
		.name = "detach",
		.run = run_detach,
		.arg = {.type = &pg_type_text,
			.max = PG_PORT_NAME_MAX - 1,
			.complete = PG_COMPLETE_ETHDEVS,
			.unit = "a device's name"},
		.flags = PG_COMMAND_EXTENSION,
		.help = "detach a DPDK device that no pktgen device uses",
		.example = "pgctrl detach net_ring0",
	},
	{
		.target = PG_TARGET_CONTROL,
		.name = "seed",
		.run = run_seed,
		.arg = {.type = &pg_type_number, .max = PG_SEED_MAX},
		.flags = PG_COMMAND_EXTENSION,
		.help = "seed of all random fields; without it every run draws a new one",
		.example = "pgctrl seed 1",
	},
	{
		.target = PG_TARGET_CONTROL,
		.name = "start_at",
		.run = run_start_at,
		.arg = {.type = &pg_type_moment},
		.flags = PG_COMMAND_EXTENSION,
		.help = "when the devices of a run start, all on one instant: +TIME from each "
			"`start`, +0 at once, or once at a time of day",
		.example = "pgctrl start_at +2s",
	},
	{
		.target = PG_TARGET_CONTROL,
		.name = "compat",
		.run = run_compat,
		.arg = {.type = &pg_type_word, .words = compat_words, .unit = "walk", .width = 1},
		.flags = PG_COMMAND_EXTENSION,
		.help = "how fields that vary are walked through: every value of a range, or as "
			"Linux does",
		.example = "pgctrl compat exact",
	},
	{
		.target = PG_TARGET_THREAD,
		.name = "add_device",
		.run = run_add_device,
		.write = write_add_device,
		.arg = {.type = &pg_type_text,
			.max = PG_DEVICE_NAME_MAX - 1,
			.complete = PG_COMPLETE_PORTS,
			.unit = "NAME or NAME@TAG"},
		.flags = PG_COMMAND_DECLARES,
		.help = "add a device to the thread: an ethdev, a kernel interface or a virtual "
			"device",
		.example = "kpktgend_0 add_device net_null0@0",
	},
	{
		.target = PG_TARGET_THREAD,
		.name = "max_before_softirq",
		.answer = "OK: Note! max_before_softirq is obsoleted -- Do not use",
		.run = run_obsolete,
		.arg = {.type = &pg_type_text, .optional = true, .unit = "anything"},
		.help = "nothing: obsolete in Linux too",
		.example = "kpktgend_0 max_before_softirq 100",
	},
	{
		.target = PG_TARGET_THREAD,
		.name = "rem_device_all",
		.run = run_rem_device_all,
		.flags = PG_COMMAND_REMOVES,
		.help = "remove all devices of the thread",
		.example = "kpktgend_0 rem_device_all",
	},
};

const struct pg_command_list pg_tx_control_commands = {control_rows, RTE_DIM(control_rows)};
