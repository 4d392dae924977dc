/* SPDX-License-Identifier: BSD-3-Clause */
/* Start EAL: on the user's arguments, filled up where nothing was said, or on safe defaults. */
#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

#include "app.h"
#include "pg_report.h"

#define NO_HUGE    "PMDGEN_NO_HUGE" // set for a second try on ordinary memory
#define ARGS_MAX   16               // what app_eal_start() adds at most
#define HUGE_DIR   "/sys/kernel/mm/hugepages"
#define LCORES_MAX 4096

/** EAL options that decide where memory comes from: with one of them nothing is added. */
static const char *const memory_options[] = {"-m", "--in-memory", "--no-huge", "--huge-dir",
	"--huge-unlink", "--legacy-mem", "--socket-mem", "--socket-limit", "--single-file-segments",
	"--match-allocations", "--proc-type", "--no-shconf", "--base-virtaddr"};

static unsigned long long
free_hugepage_mb(void)
{
	DIR *dir = opendir(HUGE_DIR);
	unsigned long long kb, pages, sum = 0;
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		char path[sizeof(HUGE_DIR) + sizeof(entry->d_name) + 20];
		FILE *file;

		if (sscanf(entry->d_name, "hugepages-%llukB", &kb) != 1)
			continue;
		snprintf(path, sizeof(path), HUGE_DIR "/%s/free_hugepages", entry->d_name);
		file = fopen(path, "re");
		if (file != NULL && fscanf(file, "%llu", &pages) == 1)
			sum += pages * kb;
		if (file != NULL)
			fclose(file);
	}
	if (dir != NULL)
		closedir(dir);
	return sum / 1024;
}

// EAL's ordinary mode keeps its memory in files of a mounted hugetlbfs that it can write.
static bool
hugetlbfs_writable(void)
{
	FILE *mounts = setmntent("/proc/mounts", "r");
	struct mntent *entry;
	bool found = false;

	while (mounts != NULL && !found && (entry = getmntent(mounts)) != NULL)
		found = strcmp(entry->mnt_type, "hugetlbfs") == 0 &&
			access(entry->mnt_dir, W_OK | X_OK) == 0;
	if (mounts != NULL)
		endmntent(mounts);
	return found;
}

static bool
says_memory(const struct app_options *options)
{
	for (int i = 1; i < options->eal_argc; i++) {
		for (size_t k = 0; k < RTE_DIM(memory_options); k++) {
			size_t length = strlen(memory_options[k]);
			const char *arg = options->eal_argv[i];

			if (strncmp(arg, memory_options[k], length) != 0)
				continue;
			// A short option may carry its value; a long one ends or has '='.
			if (length == 2 || arg[length] == '\0' || arg[length] == '=')
				return true;
		}
	}
	return false;
}

// EAL's own default is one directory for all users, which a second user cannot write.
static int
private_runtime_dir(void)
{
	const char *given = getenv("XDG_RUNTIME_DIR");
	char path[64];
	struct stat st;

	if (geteuid() == 0 || (given != NULL && access(given, W_OK | X_OK) == 0))
		return -1;
	snprintf(path, sizeof(path), "/tmp/pmdgen-%u", geteuid());
	if (mkdir(path, 0700) < 0 && errno != EEXIST) {
		fprintf(stderr, "pmdgen: cannot make %s: %s; set XDG_RUNTIME_DIR\n", path,
			strerror(errno));
		return APP_BAD_ENVIRONMENT;
	}
	// Someone else may have made it first: it must be a directory of ours alone.
	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
		(st.st_mode & 077) != 0) {
		fprintf(stderr,
			"pmdgen: %s is not a private directory of this user; "
			"set XDG_RUNTIME_DIR\n",
			path);
		return APP_BAD_ENVIRONMENT;
	}
	setenv("XDG_RUNTIME_DIR", path, 1);
	return -1;
}

// lcore i on the i-th CPU that the process may use, whatever its number.
static void
lcores_text(const cpu_set_t *cpus, char *out, size_t size)
{
	unsigned int lcore = 0;
	size_t used = 0;

	out[0] = '\0';
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && lcore < RTE_MAX_LCORE; cpu++) {
		if (CPU_ISSET(cpu, cpus) && used < size - 16) {
			used += snprintf(out + used, size - used, "%s%u@%u", lcore > 0 ? "," : "",
				lcore, cpu);
			lcore++;
		}
	}
}

static void
add_memory(const struct app_options *options, char **argv, int *argc, char *mb, size_t size)
{
	bool huge = getenv(NO_HUGE) == NULL && free_hugepage_mb() >= options->memory_mb;

	// Hugepages are taken as they are needed, unless the user wants them reserved.
	if (!huge || options->memory_given) {
		snprintf(mb, size, "%u", options->memory_mb);
		argv[(*argc)++] = (char *)"-m";
		argv[(*argc)++] = mb;
	}
	if (!huge) {
		argv[(*argc)++] = (char *)"--no-huge";
		argv[(*argc)++] = (char *)"--no-shconf";
	} else if (!options->eal_given || !hugetlbfs_writable()) {
		argv[(*argc)++] = (char *)"--in-memory";
	}
}

// Memory that EAL could not get: what there is of it, and what to do.
static int
memory_refused(void)
{
	unsigned long long mb = free_hugepage_mb();

	if (mb == 0)
		fprintf(stderr,
			"pmdgen: EAL did not start: there are no free hugepages; reserve some "
			"(echo "
			"512 > /proc/sys/vm/nr_hugepages), or use --no-huge -m 512 --no-shconf\n");
	else
		fprintf(stderr,
			"pmdgen: EAL did not start: of the %llu MB of free hugepages it cannot "
			"take "
			"as many, or not on the memory node, as it was told to; reserve more (echo "
			"512 > /proc/sys/vm/nr_hugepages), or ask for less (-m, --socket-mem, "
			"--memory)\n",
			mb);
	return APP_BAD_ENVIRONMENT;
}

static int
eal_refused(int code)
{
	const char *remedy = "EAL's messages above say why";

	switch (code) {
	case EINVAL:
		fprintf(stderr, "pmdgen: EAL refused its arguments; %s\n", remedy);
		return APP_BAD_INPUT;
	case ENOMEM:
		return memory_refused();
	case EACCES: // of hugepages, also if there are none at all
		if (free_hugepage_mb() == 0)
			return memory_refused();
		remedy = "without hugepages use --no-huge -m 512 --no-shconf, or no EAL memory "
			 "option";
		break;
	case EAGAIN:
	case EALREADY:
		remedy = "give this process a --file-prefix of its own";
		break;
	}
	fprintf(stderr, "pmdgen: EAL did not start: %s; %s\n", rte_strerror(code), remedy);
	return APP_BAD_ENVIRONMENT;
}

int
app_eal_start(struct app *app)
{
	struct app_options *options = &app->options;
	char lcores[LCORES_MAX], mb[16];
	char **argv = calloc(options->eal_argc + ARGS_MAX, sizeof(char *));
	int argc = options->eal_argc, rc = private_runtime_dir();

	if (argv == NULL || rc >= 0) {
		free(argv);
		return rc >= 0 ? rc : APP_BAD_ENVIRONMENT;
	}
	memcpy(argv, options->eal_argv, argc * sizeof(char *));
	if (!options->eal_given) {
		lcores_text(&app->cpus, lcores, sizeof(lcores));
		argv[argc++] = (char *)"--lcores";
		argv[argc++] = lcores;
		argv[argc++] = (char *)"--no-pci";
		argv[argc++] = (char *)"--file-prefix=pmdgen";
		// What is not there by default (1 GB pages, legacy telemetry) is no news.
		// For a log type that exists already the last option counts, for one that EAL
		// registers later the first: hence the order.
		argv[argc++] = (char *)"--log-level=*telemetry:error";
		argv[argc++] = (char *)"--log-level=*:warning";
		argv[argc++] = (char *)"--log-level=lib.eal:error";
	}
	if (says_memory(options) && options->memory_given) {
		fprintf(stderr, "pmdgen: --memory and EAL's own memory options exclude each other; "
				"expected one of them\n");
		free(argv);
		return APP_BAD_INPUT;
	}
	if (!says_memory(options))
		add_memory(options, argv, &argc, mb, sizeof(mb));
	app->report = pg_report_json_begin(argc, argv);
	if (options->quiet)
		argv[argc++] = (char *)"--log-level=*:error";
	rc = rte_eal_init(argc, argv) < 0 ? -rte_errno : 0;
	// Hugepages that were free when they were counted may be taken by now, and EAL cannot
	// start twice in one process.
	if (rc == -ENOMEM && !says_memory(options) && !options->memory_given &&
		getenv(NO_HUGE) == NULL) {
		setenv(NO_HUGE, "1", 1);
		execv("/proc/self/exe", options->argv);
	}
	rc = rc < 0 ? eal_refused(-rc) : -1;
	free(argv);
	return rc;
}
