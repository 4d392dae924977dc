/* SPDX-License-Identifier: BSD-3-Clause */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"

#define MEMORY_DEFAULT_MB 512
#define MEMORY_MIN_MB     64
#define MEMORY_MAX_MB     (1u << 20)

enum { OPT_LIST = 256, OPT_MEMORY, OPT_METRICS, OPT_SERVE, OPT_CONTROL_GROUP };

/** One table for getopt, --help and the manual's list of options. */
static const struct {
	const char *name;
	int has_arg;
	int key;
	const char *arg;
	const char *help;
} table[] = {
	{"exec", required_argument, 'e', "LINE",
		"one line of the language; repeatable, after the files"},
	{"interactive", no_argument, 'i', NULL,
		"prompt for lines afterwards; the default on a terminal if there is neither a FILE "
		"nor -e"},
	{"control", required_argument, 'C', "DIR",
		"serve pktgen's control files at DIR until a signal ends the program"},
	{"control-group", required_argument, OPT_CONTROL_GROUP, "GROUP",
		"let the users of GROUP read and write them too"},
	{"json", required_argument, 'j', "FILE", "write the results as JSON; - is standard output"},
	{"dry-run", required_argument, 'n', "FILE",
		"write the packets to a pcap file instead of sending them"},
	{"metrics", required_argument, OPT_METRICS, "ADDRESS:PORT",
		"serve metrics over HTTP, on loopback if no ADDRESS is said"},
	{"serve", no_argument, OPT_SERVE, NULL,
		"go on after the files until a signal, for telemetry and metrics"},
	{"memory", required_argument, OPT_MEMORY, "MB", "memory to reserve (512)"},
	{"list-commands", optional_argument, OPT_LIST, "json", "print the command table"},
	{"verbose", no_argument, 'v', NULL, "print every reply"},
	{"quiet", no_argument, 'q', NULL, "print only results: of DPDK's messages, errors alone"},
	{"version", no_argument, 'V', NULL, "print the versions of pmdgen and DPDK"},
	{"help", no_argument, 'h', NULL, "print this text"},
};
#define NOPTIONS (sizeof(table) / sizeof(table[0]))

void
app_options_print_help(FILE *out)
{
	fputs("usage: pmdgen [EAL options] -- [options] [FILE...]\n"
	      "       pmdgen [options] [FILE...]\n\n"
	      "Runs command files in Linux pktgen's language on DPDK ports; - is standard input,\n"
	      "which is also read when there is neither a FILE nor -e nor --control; from a "
	      "terminal with a prompt.\n\n",
		out);
	for (size_t i = 0; i < NOPTIONS; i++) {
		char names[48];
		bool optional = table[i].has_arg == optional_argument;

		snprintf(names, sizeof(names), "%s%c%s--%s%s%s%s", table[i].key < 256 ? "-" : " ",
			table[i].key < 256 ? table[i].key : ' ', table[i].key < 256 ? ", " : "  ",
			table[i].name,
			optional       ? "[="
			: table[i].arg ? " "
				       : "",
			table[i].arg ? table[i].arg : "", optional ? "]" : "");
		fprintf(out, "  %-26s %s\n", names, table[i].help);
	}
	fputs("\nWithout ' -- ' EAL starts on every CPU this process may use, without PCI "
	      "devices,\n"
	      "on hugepages if enough are free and on ordinary memory if not.\n"
	      "Exit status: 0 every run ended as asked, 1 a run fell short, 2 wrong command line "
	      "or\n"
	      "command, 3 the environment refused.\n",
		out);
}

static int
usage_error(const char *what, const char *which, const char *expected)
{
	fprintf(stderr, "pmdgen: %s '%s'; expected %s\n", what, which, expected);
	return APP_BAD_INPUT;
}

static int
parse_memory(struct app_options *options, const char *text)
{
	char *end;
	unsigned long mb = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || mb < MEMORY_MIN_MB ||
		mb > MEMORY_MAX_MB)
		return usage_error("--memory", text, "megabytes from 64 to 1048576");
	options->memory_mb = mb;
	options->memory_given = true;
	return -1;
}

static int
parse_metrics(struct app_options *options, const char *text)
{
	if (app_metrics_parse(text, &options->metrics_address) < 0)
		return usage_error("--metrics", text,
			"ADDRESS:PORT with a numeric address, [IPV6]:PORT, or a port up to 65535");
	options->metrics = text;
	return -1;
}

static int
take_option(struct app_options *options, int key, const char *arg)
{
	switch (key) {
	case 'e':
		options->lines[options->nlines++] = (char *)(uintptr_t)arg;
		return -1;
	case 'C':
		options->control = arg;
		return -1;
	case OPT_CONTROL_GROUP:
		options->control_group = arg;
		return -1;
	case 'i':
		options->interactive = true;
		return -1;
	case 'j':
		options->json = arg;
		return -1;
	case 'n':
		options->dry_run = arg;
		return -1;
	case OPT_MEMORY:
		return parse_memory(options, arg);
	case OPT_METRICS:
		return parse_metrics(options, arg);
	case OPT_SERVE:
		options->serve = true;
		return -1;
	case OPT_LIST:
		options->list = arg == NULL ? LIST_TEXT : LIST_JSON;
		if (arg != NULL && strcmp(arg, "json") != 0)
			return usage_error("--list-commands", arg, "json, or nothing");
		return -1;
	case 'v':
		options->verbose = true;
		return -1;
	case 'q':
		options->quiet = true;
		return -1;
	case 'V':
		options->version = true;
		return -1;
	case 'h':
		options->help = true;
		return -1;
	default:
		return APP_BAD_INPUT;
	}
}

static int
bad_option(int found, char **argv)
{
	const char *word = argv[optind - 1];
	char letter[3] = {'-', (char)optopt, '\0'};

	if (found == ':')
		return usage_error("no value for option", word, "one (--help tells)");
	// Inside a group of letters getopt has not moved on yet.
	if (optopt > 0 && optopt < 256)
		word = letter;
	return usage_error("unknown option", word, "one of --help, EAL options before ' -- '");
}

// Only one reads standard input: the prompt, or `-`.
static int
decide_prompt(struct app_options *options)
{
	if (options->nfiles == 0 && options->nlines == 0 && options->control == NULL &&
		!options->serve && isatty(STDIN_FILENO))
		options->interactive = true;
	for (int i = 0; options->interactive && i < options->nfiles; i++) {
		if (strcmp(options->files[i], "-") == 0)
			return usage_error(
				"--interactive", "-", "one of them: both read standard input");
	}
	return -1;
}

static int
parse_own(struct app_options *options, int argc, char **argv)
{
	struct option longs[NOPTIONS + 1] = {0};
	char shorts[3 * NOPTIONS + 2] = ":", *s = shorts + 1;
	int key, rc = -1;

	for (size_t i = 0; i < NOPTIONS; i++) {
		longs[i] = (struct option){table[i].name, table[i].has_arg, NULL, table[i].key};
		if (table[i].key >= 256)
			continue;
		*s++ = (char)table[i].key;
		if (table[i].has_arg == required_argument)
			*s++ = ':';
	}
	opterr = 0;
	optind = 0;
	while (rc < 0 && (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1)
		rc = key == '?' || key == ':' ? bad_option(key, argv)
					      : take_option(options, key, optarg);
	options->files = argv + optind;
	options->nfiles = argc - optind;
	if (rc < 0)
		rc = decide_prompt(options);
	if (rc < 0 && options->verbose && options->quiet)
		rc = usage_error("--verbose", "--quiet", "one of them");
	if (rc < 0 && options->control_group != NULL && options->control == NULL)
		rc = usage_error("--control-group", options->control_group, "--control DIR too");
	return rc;
}

int
app_options_parse(struct app_options *options, int argc, char **argv)
{
	int split = 1;

	*options = (struct app_options){.argv = argv, .memory_mb = MEMORY_DEFAULT_MB};
	while (split < argc && strcmp(argv[split], "--") != 0)
		split++;
	options->eal_given = split < argc;
	options->eal_argc = options->eal_given ? split : 1;
	options->eal_argv = calloc(options->eal_argc + 1, sizeof(char *));
	options->lines = calloc(argc + 1, sizeof(char *));
	if (options->eal_argv == NULL || options->lines == NULL) {
		fprintf(stderr, "pmdgen: out of memory\n");
		return APP_BAD_ENVIRONMENT;
	}
	for (int i = 0; i < options->eal_argc; i++)
		options->eal_argv[i] = argv[i];
	if (!options->eal_given)
		return parse_own(options, argc, argv);
	// getopt takes the word before the first argument for the program's name: it is the "--".
	return parse_own(options, argc - split, argv + split);
}

void
app_options_fini(struct app_options *options)
{
	free(options->eal_argv);
	free(options->lines);
}
