/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_H
#define APP_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>

#include <jansson.h>

#include "pg_lang.h"
#include "pg_tx.h"

/** Exit statuses (DESIGN 2). */
enum app_status {
	APP_OK = 0,
	APP_FELL_SHORT = 1,
	APP_BAD_INPUT = 2,
	APP_BAD_ENVIRONMENT = 3,
};

/** The command line, cut in two. */
struct app_options {
	char **argv;     /**< as the program was started */
	char **eal_argv; /**< EAL's arguments, NULL-terminated; owned, entries borrowed */
	int eal_argc;
	bool eal_given; /**< the user gave EAL arguments, before ` -- ` */
	char **files;   /**< command files, borrowed from argv */
	int nfiles;
	char **lines; /**< -e, owned array of borrowed lines */
	int nlines;
	const char *dry_run; /**< write packets to this pcap file instead of sending; NULL: send */
	const char *json;    /**< NULL: none; "-": standard output */
	const char *metrics; /**< where to serve them, as written; NULL: nowhere */
	struct sockaddr_storage metrics_address;
	bool serve;                /**< go on after files and lines */
	const char *control;       /**< serve the control files at this directory; NULL: do not */
	const char *control_group; /**< that shares them; NULL: none */
	unsigned int memory_mb;
	bool memory_given; /**< --memory: reserve it before anything else */
	bool interactive;  /**< a prompt, after the files and lines */
	bool verbose, quiet;
	enum { LIST_NONE, LIST_TEXT, LIST_JSON } list;
	bool help, version;
};

/** Everything that lives as long as the program. */
struct app {
	struct app_options options;
	struct pg_clock clock;
	struct pg_engine *engine;
	struct pg_lang *lang;
	json_t *report;
	struct pcap *pcap; /**< dry run */
	struct pcap_dumper *dumper;
	struct pg_dry_sink dry;
	FILE *out; /**< results and replies */
	FILE *json_file;
	struct door_files *files; /**< the control files; NULL: none */
	cpu_set_t cpus;           /**< the affinity the program was started with */
	cpu_set_t stay;           /**< of these, those that do not poll; under the control lock */
	struct MHD_Daemon *metrics;
	bool captures; /**< dpdk-dumpcap may */
	pthread_t control, signals;
	int quit_fd; /**< eventfd: readable once the program shall end */
	int status;  /**< enum app_status; control thread: rw */
	bool quit;   /**< atomic: no further line */
};

/** All rows of the command table: the one list (STYLE 1). */
extern const struct pg_command_list *const app_commands[];
extern const size_t app_ncommands;
extern const struct pg_command_list app_save_commands;

/** pg_world's offer(); arg is the app. */
void app_offer(void *arg, enum pg_complete what, const char *prefix, pg_offer_fn fn, void *ctx);

/** Parse the command line. Errors: an exit status, with a message on stderr; -1: go on. */
int app_options_parse(struct app_options *options, int argc, char **argv);
void app_options_print_help(FILE *out);
void app_options_fini(struct app_options *options);

/** Open and close the file of a dry run. Errors: an exit status, with a message; -1: go on. */
int app_dry_open(struct app *app);
int app_dry_close(struct app *app, int status);

/** Start EAL on the user's arguments or on safe defaults. Errors: an exit status; -1: go on. */
int app_eal_start(struct app *app);

/** Block the signals that signals_main() takes; before any thread exists. */
void app_signals_block(void);

/** The prompt, if there shall be one: set up before any thread exists; what it wants of signals,
 *  and the signals that it takes (true: that was all); its lines, on the control thread. */
void app_prompt_init(struct app *app);
void app_prompt_signals(sigset_t *set);
bool app_prompt_take_signal(int sig);
void app_prompt_main(struct app *app);

/** The live view: its thread (0 or an errno value), where it may run, that a run begins or has
 *  ended, and that something else is to be printed. No-ops where nothing is shown. */
int app_live_start(struct app *app);
void app_live_stop(void);
void app_live_stay_on(const cpu_set_t *cpus);
void app_live_run(bool run);
void app_live_hide(void);

/** The thread that takes SIGINT and SIGTERM; arg is the app. */
void *app_signals_main(void *arg);

/** The thread that runs files, -e lines or standard input, then lets the workers return. */
void *app_control_main(void *arg);

/** Move a control thread to the CPUs that do not poll (all, if every one does). */
void app_stay_off(struct app *app, const cpu_set_t *polling);

/** The same for the calling thread, if it serves a door. The control lock is held. */
void app_thread_stay_off(const struct app *app);

/** Answer on DPDK's telemetry socket. Closing ends a run that a client waits for.
 *  Context: the control thread; the workers come up or run. */
void app_telemetry_open(struct app *app);
void app_telemetry_close(struct app *app);

/** Serve --metrics. Errors: an exit status, with a message; -1: go on. */
int app_metrics_open(struct app *app);
void app_metrics_close(struct app *app);

/** Let dpdk-dumpcap capture, where that is possible. */
void app_capture_open(struct app *app);
void app_capture_close(struct app *app);

/** ADDRESS:PORT, :PORT or PORT, on loopback if no address is said. Errors: -EINVAL. */
int app_metrics_parse(const char *text, struct sockaddr_storage *address);

/** What this thread's commands show goes there; NULL: to app->out. */
void app_show_to(FILE *out);

/** Control files: serve them from here on if the options say so. Errors: an exit status, with a
 *  message; -1: go on. Whatever it returned, close() follows. Control thread. */
int door_files_open(struct app *app);
/** Serving is over: say so if it was not ours to end it. */
void door_files_served(struct app *app);
void door_files_close(struct app *app);
/** Move their threads to these CPUs. */
void door_files_stay_off(struct app *app, const cpu_set_t *stay);
/** Unmount them at once, because the program will be killed. Any thread. */
void door_files_abandon(struct app *app);

/** pg_engine_config callbacks. */
void app_run_polling(void *ctx, const cpu_set_t *cpus);
void app_run_finished(void *ctx);

/** The world that the language speaks to. */
struct pg_world app_world(struct app *app);

/** Print an error that has no line: "pmdgen: what; remedy". Returns its exit status. */
int app_print_error(const struct pg_error *err);
int app_status_of(const struct pg_error *err);

#endif
