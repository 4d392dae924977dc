/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_version.h>

#include "app.h"
#include "pg_report.h"
#include "pg_version.h"

#define CLOCK_SPAN_NS 100000000ULL // a window of about 100 ns over this is 1 ppm

// What needs neither EAL nor a device. -1: go on.
static int
answer_and_leave(const struct app *app)
{
	if (app->options.help)
		app_options_print_help(stdout);
	else if (app->options.version)
		printf("pmdgen %s, %s\n", PG_VERSION, rte_version());
	else if (app->options.list == LIST_TEXT)
		pg_lang_list_text(app_commands, app_ncommands, stdout);
	else if (app->options.list == LIST_JSON)
		pg_lang_list_json(app_commands, app_ncommands, stdout);
	else
		return -1;
	return APP_OK;
}

// A closed descriptor 0, 1 or 2 would become the next file that is opened.
static int
keep_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? -1 : APP_BAD_ENVIRONMENT;
}

static int
open_outputs(struct app *app)
{
	const char *json = app->options.json;

	bool dry_to_stdout = app->options.dry_run != NULL && strcmp(app->options.dry_run, "-") == 0;

	app->out = dry_to_stdout ? stderr : stdout;
	if (json == NULL)
		return -1;
	if (dry_to_stdout && strcmp(json, "-") == 0) {
		fprintf(stderr, "pmdgen: --dry-run and --json cannot both have standard output\n");
		return APP_BAD_INPUT;
	}
	if (strcmp(json, "-") == 0) {
		app->out = stderr;
		app->json_file = stdout;
		return -1;
	}
	app->json_file = fopen(json, "we");
	if (app->json_file != NULL)
		return -1;
	fprintf(stderr, "pmdgen: cannot write %s: %s\n", json, strerror(errno));
	return APP_BAD_ENVIRONMENT;
}

static int
create(struct app *app)
{
	const struct pg_engine_config config = {
		.ports = &pg_port_ethdev,
		.clock = &app->clock,
		.polling = app_run_polling,
		.finished = app_run_finished,
		.ctx = app,
		.dry = app->options.dry_run != NULL ? &app->dry : NULL,
	};
	const struct pg_world world = app_world(app);
	struct pg_error err = {0};

	if (pg_port_check_vdevs(app->options.eal_argc, app->options.eal_argv, &err) < 0)
		return app_print_error(&err);
	pg_clock_settle(&app->clock, CLOCK_SPAN_NS);
	app->engine = pg_engine_create(&config, &err);
	if (app->engine == NULL)
		return app_print_error(&err);
	app->lang = pg_lang_create(app_commands, app_ncommands, &world);
	app->quit_fd = eventfd(0, EFD_CLOEXEC);
	if (app->lang != NULL && app->quit_fd >= 0)
		return -1;
	fprintf(stderr, "pmdgen: cannot start: %s\n", strerror(errno));
	return APP_BAD_ENVIRONMENT;
}

// The main lcore is a worker like the others; control and signals are threads of their own.
static int
work(struct app *app)
{
	unsigned int lcore;
	int rc = app_metrics_open(app);
	cpu_set_t none;

	if (rc >= 0)
		return rc;
	app_capture_open(app);
	rc = pthread_create(&app->signals, NULL, app_signals_main, app);
	if (rc == 0)
		rc = app_live_start(app);
	if (rc == 0)
		rc = pthread_create(&app->control, NULL, app_control_main, app);
	if (rc == 0)
		(void)pthread_setname_np(app->control, "pmdgen-control");
	if (rc != 0) {
		fprintf(stderr, "pmdgen: cannot start a thread: %s\n", strerror(rc));
		return APP_BAD_ENVIRONMENT;
	}
	CPU_ZERO(&none);
	app_stay_off(app, &none);
	RTE_LCORE_FOREACH_WORKER(lcore)
	rte_eal_remote_launch(pg_engine_worker, pg_engine_thread(app->engine, lcore), lcore);
	pg_engine_worker(pg_engine_thread(app->engine, rte_get_main_lcore()));
	rte_eal_mp_wait_lcore();
	pthread_join(app->control, NULL);
	app_live_stop();
	pthread_cancel(app->signals);
	pthread_join(app->signals, NULL);
	return app->status;
}

static int
write_json(struct app *app, int status)
{
	int rc = 0;

	if (fflush(app->out) != 0 || ferror(app->out)) {
		fprintf(stderr, "pmdgen: cannot write the results: %s\n", strerror(errno));
		status = status != APP_OK ? status : APP_FELL_SHORT;
	}
	if (app->json_file == NULL || app->report == NULL)
		return status;
	if (app->engine != NULL)
		rc = pg_report_json_write(app->report, &app->clock, app->json_file);
	if (app->json_file != stdout && fclose(app->json_file) != 0)
		rc = -EIO;
	if (rc == 0)
		return status;
	fprintf(stderr, "pmdgen: cannot write %s: %s\n", app->options.json, strerror(errno));
	return status != APP_OK ? status : APP_FELL_SHORT;
}

// The engine has stopped what it started; net_pcap flushes its file when it is closed.
static void
close_ports(void)
{
	uint16_t port;

	RTE_ETH_FOREACH_DEV (port)
		(void)rte_eth_dev_close(port);
}

int
main(int argc, char **argv)
{
	struct app app = {.quit_fd = -1};
	int status = app_options_parse(&app.options, argc, argv);

	if (status < 0)
		status = keep_standard_files();
	if (status < 0)
		status = answer_and_leave(&app);
	if (status >= 0)
		goto out_options;
	pthread_getaffinity_np(pthread_self(), sizeof(app.cpus), &app.cpus);
	app.stay = app.cpus;
	app_signals_block();
	pg_clock_init(&app.clock);
	status = open_outputs(&app);
	if (status < 0)
		app_prompt_init(&app);
	if (status < 0 && app.options.dry_run != NULL)
		status = app_dry_open(&app);
	if (status < 0)
		status = app_eal_start(&app);
	if (status >= 0)
		goto out_report;
	status = create(&app);
	if (status < 0)
		status = work(&app);
	app_metrics_close(&app);
	app_capture_close(&app);
	status = write_json(&app, status);
	pg_lang_destroy(app.lang);
	pg_engine_destroy(app.engine);
	close_ports();
	rte_eal_cleanup();
out_report:
	status = app_dry_close(&app, status);
	json_decref(app.report);
out_options:
	app_options_fini(&app.options);
	return status;
}
