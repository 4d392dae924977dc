/* SPDX-License-Identifier: BSD-3-Clause */
#include "support_eal.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>

static char prefix[48], lcores[32];

static unsigned int
first_cpu(void)
{
	unsigned int cpu = 0;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &cpus))
		cpu++;
	return cpu;
}

static int
start(const char *format, const char *memory_mb)
{
	const char *args[] = {"unit", "--no-huge", "-m", memory_mb, "--no-shconf", "--no-pci",
		"--lcores", lcores, prefix, "--no-telemetry", "--log-level=*:error",
		"--log-level=lib.ethdev:critical"}; // fake ports are no ethdevs
	char *argv[RTE_DIM(args) + 1] = {NULL};

	snprintf(lcores, sizeof(lcores), format, first_cpu());
	snprintf(prefix, sizeof(prefix), "--file-prefix=pg_unit_%d", (int)getpid());
	for (size_t i = 0; i < RTE_DIM(args); i++)
		argv[i] = (char *)(uintptr_t)args[i];
	return rte_eal_init(RTE_DIM(args), argv) < 0 ? -1 : 0;
}

int
support_eal_start(void **state)
{
	(void)state;
	return start("0@%u", "64");
}

int
support_eal_start_two(void **state)
{
	(void)state;
	return start("(0,1)@%u", "512");
}

// EAL leaves its run-time directory behind; one for each process that ever was would pile up.
int
support_eal_stop(void **state)
{
	char path[512], file[1024];
	struct dirent *entry;
	DIR *dir;

	(void)state;
	snprintf(path, sizeof(path), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	dir = opendir(path);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		(void)unlink(file);
	}
	if (dir != NULL)
		closedir(dir);
	(void)rmdir(path);
	return 0;
}
