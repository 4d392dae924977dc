/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_H
#define APP_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

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
	const char *control; /**< serve the control files at this directory; NULL: do not */
	const char *control_group; /**< that shares them; NULL: none */
	unsigned int memory_mb;
	bool memory_given; /**< --memory: reserve it before anything else */
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
	pthread_t control, signals;
	int quit_fd; /**< eventfd: readable once the program shall end */
	int status;  /**< enum app_status; control thread: rw */
	bool quit;   /**< atomic: no further line */
};

/** All rows of the command table: the one list (STYLE 1). */
extern const struct pg_command_list *const app_commands[];
extern const size_t app_ncommands;

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

/** The thread that takes SIGINT and SIGTERM; arg is the app. */
void *app_signals_main(void *arg);

/** The thread that runs files, -e lines or standard input, then lets the workers return. */
void *app_control_main(void *arg);

/** Move a control thread to the CPUs that do not poll (all, if every one does). */
void app_stay_off(struct app *app, const cpu_set_t *polling);

/** Control files: serve them from here on if the options say so. Errors: an exit status, with a
 *  message; -1: go on. Whatever it returned, close() follows. Control thread. */
int door_files_open(struct app *app);
/** Go on serving until the program is told to quit. */
void door_files_serve(struct app *app);
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
