/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's telemetry socket as a door: what the JSON report says, as it is now, and commands. Each
 * client has a thread of its own, so one that waits for a run keeps nobody up. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <rte_eal.h>
#include <rte_telemetry.h>

#include "app.h"
#include "pg_compat.h"
#include "pg_report.h"

#define REQUEST_MAX  1023 // bytes that telemetry reads; what is longer it cuts without a word
#define DEVICES_MAX  40   // of one reply: with the longest names they fill its 16 KiB
#define CLOSE_NAP_NS 20000000

/** EAL keeps no argument for a callback; and clients may call until the process has ended. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t left;
	struct app *app; /**< NULL: closed */
	unsigned int inside;
} door = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

// Telemetry of DPDK 22.11 takes requests apart with strtok(), one thread for each client: two that
// come together could get each other's arguments. This one, which its library finds first, keeps
// its place for each thread.
char *
strtok(char *text, const char *delimiters)
{
	static _Thread_local char *place;

	return strtok_r(text, delimiters, &place);
}

// NULL: the door is closed. Else the control lock is held.
static struct app *
enter(void)
{
	struct app *app;

	pthread_mutex_lock(&door.lock);
	app = door.app;
	door.inside += app != NULL;
	pthread_mutex_unlock(&door.lock);
	if (app == NULL)
		return NULL;
	pg_engine_lock(app->engine);
	app_thread_stay_off(app);
	return app;
}

static void
leave(struct app *app)
{
	pg_engine_unlock(app->engine);
	pthread_mutex_lock(&door.lock);
	door.inside--;
	pthread_cond_signal(&door.left);
	pthread_mutex_unlock(&door.lock);
}

// A longer text ends in dots: telemetry would cut it anywhere.
static void
add_text(struct rte_tel_data *d, const char *key, const char *text)
{
	char cut[RTE_TEL_MAX_STRING_LEN];

	if (snprintf(cut, sizeof(cut), "%s", text) >= (int)sizeof(cut))
		memcpy(cut + sizeof(cut) - 4, "...", 4);
	rte_tel_data_add_dict_string(d, key, cut);
}

// Telemetry has no fractions: rates are rounded, other fractions become text.
static void
add_real(struct rte_tel_data *d, const char *key, double value)
{
	size_t length = strlen(key);
	char text[32];

	if (length >= 3 &&
		(strcmp(key + length - 3, "pps") == 0 || strcmp(key + length - 3, "bps") == 0)) {
		pg_compat_tel_u64(d, key, (uint64_t)(value + 0.5));
		return;
	}
	snprintf(text, sizeof(text), "%.6g", value);
	rte_tel_data_add_dict_string(d, key, text);
}

// An object of the report under the same names; lists are left out, for they cannot stand inside.
static void
add_object(struct rte_tel_data *d, json_t *object)
{
	const char *key;
	json_t *value;

	rte_tel_data_start_dict(d);
	json_object_foreach(object, key, value)
	{
		struct rte_tel_data *inner;

		if (json_is_string(value))
			add_text(d, key, json_string_value(value));
		else if (json_is_integer(value))
			pg_compat_tel_u64(d, key, (uint64_t)json_integer_value(value));
		else if (json_is_real(value))
			add_real(d, key, json_real_value(value));
		else if (json_is_boolean(value))
			pg_compat_tel_u64(d, key, json_is_true(value));
		else if (json_is_object(value) && (inner = rte_tel_data_alloc()) != NULL) {
			add_object(inner, value);
			rte_tel_data_add_dict_container(d, key, inner, 0);
		}
	}
}

// The list's entry; consumes the object.
static void
add_entry(struct rte_tel_data *list, json_t *object)
{
	struct rte_tel_data *entry = rte_tel_data_alloc();

	// DPDK 22.11 takes lists alone into a list, but writes out whatever they have become.
	if (entry != NULL && rte_tel_data_start_array(entry, RTE_TEL_STRING_VAL) == 0) {
		if (rte_tel_data_add_array_container(list, entry, 0) == 0)
			add_object(entry, object);
		else
			rte_tel_data_free(entry);
	}
	json_decref(object);
}

// Of each device what tells whether it goes on, and how fast: `/pmdgen/devices[,FIRST]`.
static int
get_devices(const char *cmd, const char *params, struct rte_tel_data *d)
{
	unsigned long first = params != NULL ? strtoul(params, NULL, 10) : 0, index = 0;
	struct app *app = enter();
	struct pg_device *device;

	(void)cmd;
	if (app == NULL)
		return -1;
	rte_tel_data_start_array(d, RTE_TEL_CONTAINER);
	TAILQ_FOREACH(device, pg_engine_devices(app->engine), in_engine)
	{
		char thread[24];

		if (index++ < first)
			continue;
		if (index > first + DEVICES_MAX)
			break;
		pg_device_refresh(device);
		snprintf(thread, sizeof(thread), "kpktgend_%u", device->thread->lcore);
		add_entry(d,
			json_pack("{s:s, s:s, s:s, s:b, s:I, s:I, s:f}", "name", device->name,
				"thread", thread, "port", device->port->name, "running",
				pg_device_running(device), "sent", (json_int_t)device->result.sent,
				"errors", (json_int_t)device->result.errors, "pps",
				device->result.rate_pps));
	}
	leave(app);
	return 0;
}

// The device that a request names, as it is now; leave() follows. NULL: no such device, and nothing
// was entered.
static struct pg_device *
enter_device(const char *name, struct app **app)
{
	struct pg_device *device;

	*app = enter();
	if (*app == NULL)
		return NULL;
	device = name != NULL ? pg_engine_device((*app)->engine, name) : NULL;
	if (device == NULL)
		leave(*app);
	else
		pg_device_refresh(device);
	return device;
}

static int
get_device(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct app *app;
	struct pg_device *device = enter_device(params, &app);
	json_t *object;

	(void)cmd;
	if (device == NULL)
		return -1;
	object = pg_report_json_device(device, pg_engine_run(app->engine)->interrupted);
	json_object_set_new(object, "running", json_boolean(pg_device_running(device)));
	add_object(d, object);
	json_decref(object);
	leave(app);
	return 0;
}

static int
get_threads(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct app *app = enter();
	struct pg_thread *thread = NULL;

	(void)cmd;
	(void)params;
	if (app == NULL)
		return -1;
	rte_tel_data_start_array(d, RTE_TEL_CONTAINER);
	while ((thread = pg_engine_next_thread(app->engine, thread)) != NULL) {
		const struct pg_device *device;
		json_int_t devices = 0, running = 0;
		char name[24];

		TAILQ_FOREACH(device, &thread->devices, in_thread)
		{
			devices++;
			running += pg_device_running(device);
		}
		snprintf(name, sizeof(name), "kpktgend_%u", thread->lcore);
		add_entry(d, json_pack("{s:s, s:I, s:I}", "name", name, "devices", devices,
				     "running", running));
	}
	leave(app);
	return 0;
}

// Consumes the list; the device's request ends.
static int
answer_list(struct rte_tel_data *d, struct app *app, json_t *list)
{
	json_t *object;
	size_t index;

	rte_tel_data_start_array(d, RTE_TEL_CONTAINER);
	json_array_foreach(list, index, object) add_entry(d, json_incref(object));
	json_decref(list);
	leave(app);
	return 0;
}

static int
get_list(const char *params, json_t *(*list)(const struct pg_device *), struct rte_tel_data *d)
{
	struct app *app;
	struct pg_device *device = enter_device(params, &app);

	return device != NULL ? answer_list(d, app, list(device)) : -1;
}

static int
get_graph(const char *cmd, const char *params, struct rte_tel_data *d)
{
	(void)cmd;
	return get_list(params, pg_report_json_nodes, d);
}

static int
get_counters(const char *cmd, const char *params, struct rte_tel_data *d)
{
	(void)cmd;
	return get_list(params, pg_report_json_counters, d);
}

static json_t *
receivers_of(const struct pg_device *device)
{
	return pg_report_json_receivers(device, false);
}

static int
get_receivers(const char *cmd, const char *params, struct rte_tel_data *d)
{
	(void)cmd;
	return get_list(params, receivers_of, d);
}

// A speaker for each request: one may be waiting for a run while another stops it.
static int
run_lines(struct app *app, char *lines, FILE *out)
{
	const struct pg_world world = app_world(app);
	struct pg_lang *lang = pg_lang_create(app_commands, app_ncommands, &world);
	struct pg_error err = {0};
	struct pg_reply reply;
	size_t number = 0;
	int rc = lang != NULL ? 0 : -ENOMEM;
	char *line;

	app_show_to(out);
	while (rc == 0 && (line = strsep(&lines, "\n")) != NULL) {
		number++;
		rc = pg_lang_run(lang, line, &reply, &err);
		if (rc < 0)
			pg_lang_print_error(out, "command", number, line, &err);
		else if (reply.text[0] != '\0')
			fprintf(out, "%s\n", reply.text);
	}
	app_show_to(NULL);
	pg_lang_destroy(lang);
	return -rc;
}

// The one string of a reply: 0 or errno, newline, text.
static int
answer(struct rte_tel_data *d, int code, const char *text)
{
	char reply[RTE_TEL_MAX_SINGLE_STRING_LEN];
	size_t length = strlen(text);

	while (length > 0 && text[length - 1] == '\n')
		length--;
	if (length + 8 >= sizeof(reply))
		snprintf(reply, sizeof(reply),
			"%d\ncommand:1:1: the text has %zu bytes, more than telemetry carries; "
			"expected a command with a shorter one, such as show TARGET",
			EMSGSIZE, length);
	else
		snprintf(reply, sizeof(reply), "%d\n%.*s", code, (int)length, text);
	return rte_tel_data_string(d, reply) < 0 ? -1 : 0;
}

static int
run_command(const char *cmd, const char *params, struct rte_tel_data *d)
{
	char lines[REQUEST_MAX + 1], *text = NULL;
	struct app *app;
	size_t size;
	FILE *out;
	int code;

	if (params == NULL)
		return answer(d, EINVAL, "command:1:1: no command; expected /pmdgen/command,LINE");
	if (strlen(cmd) + 1 + strlen(params) >= REQUEST_MAX)
		return answer(d, E2BIG,
			"command:1:1: the line is too long; expected at most 1006 characters");
	out = open_memstream(&text, &size);
	if (out == NULL)
		return answer(d, ENOMEM, "command:1:1: out of memory");
	snprintf(lines, sizeof(lines), "%s", params);
	app = enter();
	if (app == NULL) {
		fclose(out);
		free(text);
		return answer(d, ESHUTDOWN, "command:1:1: pmdgen is about to end");
	}
	code = run_lines(app, lines, out);
	leave(app);
	fclose(out);
	answer(d, code, text);
	free(text);
	return 0;
}

static const struct {
	const char *name;
	telemetry_cb call;
	const char *help;
} requests[] = {
	{"/pmdgen/devices", get_devices,
		"Devices, 40 at a time. Parameters: the first one's number"},
	{"/pmdgen/device", get_device, "Figures of a device. Parameters: its name"},
	{"/pmdgen/threads", get_threads, "Threads. Takes no parameters"},
	{"/pmdgen/graph", get_graph, "Nodes of a receive graph. Parameters: a device's name"},
	{"/pmdgen/receivers", get_receivers,
		"Other threads that receive. Parameters: a device's name"},
	{"/pmdgen/counters", get_counters,
		"What a receive graph's nodes count. Parameters: a device's name"},
	{"/pmdgen/command", run_command, "Run lines of the language. Parameters: the lines"},
};

// EAL's directory is the user's alone already; should it not be, the sockets still are.
static void
close_to_others(void)
{
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/dpdk_telemetry.v2*", rte_eal_get_runtime_dir());
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			(void)chmod(found.gl_pathv[i], S_IRUSR | S_IWUSR);
	}
	globfree(&found);
}

void
app_telemetry_open(struct app *app)
{
	close_to_others();
	pthread_mutex_lock(&door.lock);
	door.app = app;
	pthread_mutex_unlock(&door.lock);
	for (size_t i = 0; i < RTE_DIM(requests); i++)
		(void)rte_telemetry_register_cmd(
			requests[i].name, requests[i].call, requests[i].help);
}

// Who is inside may be waiting for a run, or be about to start one.
void
app_telemetry_close(struct app *app)
{
	struct timespec until;

	pthread_mutex_lock(&door.lock);
	door.app = NULL;
	while (door.inside > 0) {
		pg_engine_stop(app->engine, false);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += CLOSE_NAP_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&door.left, &door.lock, &until);
	}
	pthread_mutex_unlock(&door.lock);
}
