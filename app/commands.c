/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "app.h"
#include "pg_report.h"

static _Thread_local FILE *shown_to;

void
app_show_to(FILE *out)
{
	shown_to = out;
}

static FILE *
show_out(const struct app *app)
{
	return shown_to != NULL ? shown_to : app->out;
}

static int
show_all(struct app *app, FILE *out)
{
	struct pg_thread *thread = NULL;
	struct pg_device *device;

	fprintf(out, "[pgctrl]\n");
	pg_report_control(out);
	while ((thread = pg_engine_next_thread(app->engine, thread)) != NULL) {
		fprintf(out, "\n[kpktgend_%u]\n", thread->lcore);
		pg_report_thread(app->engine, thread, out);
	}
	TAILQ_FOREACH(device, pg_engine_devices(app->engine), in_engine)
	{
		fprintf(out, "\n[%s]\n", device->name);
		pg_device_refresh(device);
		pg_report_device(device, out);
	}
	return 0;
}

static int
target_find(void *ctx, const char *name, struct pg_target *target)
{
	struct app *app = ctx;
	struct pg_thread *thread;
	struct pg_device *device;
	unsigned int lcore;

	*target = (struct pg_target){.busy = pg_engine_running(app->engine)};
	if (strcmp(name, "pgctrl") == 0) {
		target->kind = PG_TARGET_CONTROL;
		target->object = app->engine;
		return 0;
	}
	if (strncmp(name, "kpktgend_", 9) == 0) {
		if (pg_rx_thread_read(name, &lcore) < 0)
			return -ENOENT;
		thread = pg_engine_thread(app->engine, lcore);
		target->kind = PG_TARGET_THREAD;
		target->object = thread;
		return thread != NULL ? 0 : -ENOENT;
	}
	device = pg_engine_device(app->engine, name);
	if (device == NULL)
		return -ENOENT;
	target->kind = PG_TARGET_DEVICE;
	target->object = device;
	target->settings = &device->settings;
	target->settings_size = sizeof(device->settings);
	return 0;
}

static_assert(sizeof(struct pg_device_settings) <= PG_SETTINGS_MAX,
	"a change is tried on a copy of the settings");

static void
target_list(void *ctx, char *out, size_t size)
{
	struct app *app = ctx;
	struct pg_thread *thread = NULL;
	int used = snprintf(out, size, "pgctrl");

	while ((thread = pg_engine_next_thread(app->engine, thread)) != NULL &&
		used < (int)size / 2)
		used += snprintf(out + used, size - used, ", kpktgend_%u", thread->lcore);
	snprintf(out + used, size - used, "%s, or a device that add_device has added",
		thread != NULL ? ", ..." : "");
}

// What reading a thread or a device shows after "Result: ".
static void
replied(void *ctx, const struct pg_target *target, const char *reply)
{
	struct app *app = ctx;

	if (target->kind == PG_TARGET_THREAD)
		snprintf(((struct pg_thread *)target->object)->reply, PG_RESULT_MAX, "%s", reply);
	else if (target->kind == PG_TARGET_DEVICE)
		snprintf(((struct pg_device *)target->object)->reply, PG_RESULT_MAX, "%s", reply);
	if ((app->options.verbose || pg_debug() > 0) && reply[0] != '\0') {
		app_live_hide();
		fprintf(app->out, "%s\n", reply);
	}
}

static int
device_probe(void *ctx, const char *name, struct pg_error *err)
{
	struct app *app = ctx;

	return pg_device_probe(app->engine, name, err);
}

struct pg_world
app_world(struct app *app)
{
	return (struct pg_world){
		.ctx = app,
		.target_find = target_find,
		.device_probe = device_probe,
		.device_settings_size = sizeof(struct pg_device_settings),
		.target_list = target_list,
		.replied = replied,
		.offer = app_offer,
	};
}

static int
run_show(const struct pg_call *call)
{
	struct app *app = call->ctx;
	FILE *out = show_out(app);
	struct pg_target target;
	int rc = 0;

	call->reply->text[0] = '\0';
	if (call->value->text[0] == '\0')
		return show_all(app, out);
	if (target_find(app, call->value->text, &target) < 0) {
		rc = pg_error_set(call->err, PG_FAULT_INPUT, ENODEV, "unknown target '%s'",
			call->value->text);
		target_list(app, call->err->expected, sizeof(call->err->expected));
		return rc;
	}
	if (target.kind == PG_TARGET_CONTROL)
		pg_report_control(out);
	else if (target.kind == PG_TARGET_THREAD)
		pg_report_thread(app->engine, target.object, out);
	else {
		pg_device_refresh(target.object);
		pg_report_device(target.object, out);
	}
	return 0;
}

static int
run_show_packet(const struct pg_call *call)
{
	static uint8_t frame[RTE_ALIGN_CEIL(PG_SIZE_MAX, 64)];
	struct app *app = call->ctx;
	FILE *out = show_out(app);
	char name[PG_DEVICE_NAME_MAX], digits[20], extra;
	struct pg_device *device;
	unsigned long long index;
	int bytes;

	call->reply->text[0] = '\0';
	if (sscanf(call->value->text, "%63s %19s %c", name, digits, &extra) != 2 ||
		strspn(digits, "0123456789") != strlen(digits)) {
		pg_error_set(call->err, PG_FAULT_INPUT, EINVAL, "'%.60s' names no packet",
			call->value->text);
		return pg_error_expect(call->err, "DEVICE INDEX, the first packet is 0");
	}
	index = strtoull(digits, NULL, 10);
	device = pg_engine_device(app->engine, name);
	if (device == NULL)
		return pg_error_set(call->err, PG_FAULT_INPUT, ENODEV, "unknown device '%s'", name);
	bytes = pg_device_packet(device, index, frame, sizeof(frame), call->err);
	if (bytes < 0)
		return bytes;
	fprintf(out, "%s: packet %llu, seed %llu\n", name, index,
		(unsigned long long)pg_engine_run(app->engine)->seed);
	pg_report_packet(frame, bytes, out);
	return 0;
}

static const struct pg_command rows[] = {
	{
		.target = PG_TARGET_CONTROL,
		.name = "show_packet",
		.run = run_show_packet,
		.arg = {.type = &pg_type_line,
			.complete = PG_COMPLETE_DEVICES,
			.unit = "DEVICE INDEX"},
		.flags = PG_COMMAND_EXTENSION,
		.help = "print one packet of a device's stream, decoded and in hex",
		.example = "pgctrl show_packet net_null0@0 41",
	},
	{
		.target = PG_TARGET_CONTROL,
		.name = "show",
		.run = run_show,
		.arg = {.type = &pg_type_text,
			.max = PG_DEVICE_NAME_MAX - 1,
			.complete = PG_COMPLETE_TARGETS,
			.optional = true,
			.unit = "a target, or nothing for all,"},
		.flags = PG_COMMAND_ANYTIME | PG_COMMAND_EXTENSION,
		.help = "print what reading a target's file gives in Linux",
		.example = "pgctrl show net_null0@0",
	},
};

static const struct pg_command_list show_commands = {rows, RTE_DIM(rows)};

const struct pg_command_list *const app_commands[] = {
	&pg_tx_control_commands,
	&show_commands,
	&app_save_commands,
	&pg_flow_commands,
	&pg_tx_device_commands,
	&pg_tx_receive_commands,
	&pg_tx_rate_commands,
};
const size_t app_ncommands = RTE_DIM(app_commands);
