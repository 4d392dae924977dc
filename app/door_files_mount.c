/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the control files appear: the directory, what a killed process left on it, the mount. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <mntent.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door_files.h"

#define DEVICE       "/dev/fuse"
#define FUSERMOUNT   "fusermount3"
#define FUSE_CONF    "/etc/fuse.conf"
#define STALE_LAYERS 16 // mounts of killed processes, one on the other

extern char **environ;

// What libfuse said last: it has no other way to tell why.
static char fuse_said[200];

static __attribute__((format(printf, 3, 4))) int
refuse(const struct door_files *door, int status, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "pmdgen: control files at %s: ", door->path);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return status;
}

// The name without links; of the last part the parent has to do, where it is missing or dead.
static int
resolve(struct door_files *door, const char *dir)
{
	char copy[PATH_MAX], parent[PATH_MAX], base[PATH_MAX];
	size_t length = strlen(dir);

	if (realpath(dir, door->path) != NULL)
		return -1;
	while (length > 1 && dir[length - 1] == '/')
		length--;
	snprintf(door->path, sizeof(door->path), "%.*s", (int)length, dir);
	if (length == 0 || length >= sizeof(copy))
		return refuse(door, APP_BAD_INPUT, "not a path; expected a directory");
	strcpy(copy, door->path);
	if (realpath(dirname(copy), parent) == NULL)
		return refuse(door, APP_BAD_INPUT, "%s; expected an existing directory above it",
			strerror(errno));
	strcpy(copy, door->path);
	strcpy(base, basename(copy));
	if ((size_t)snprintf(door->path, sizeof(door->path), "%s/%s",
		    strcmp(parent, "/") == 0 ? "" : parent, base) >= sizeof(door->path))
		return refuse(door, APP_BAD_INPUT, "%s", strerror(ENAMETOOLONG));
	return -1;
}

// Is the last mount there one of pmdgen's?
static bool
is_ours(const char *path)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	struct mntent *entry;
	bool ours = false;

	while (mounts != NULL && (entry = getmntent(mounts)) != NULL) {
		if (strcmp(entry->mnt_dir, path) == 0)
			ours = strcmp(entry->mnt_type, DOOR_TYPE) == 0;
	}
	if (mounts != NULL)
		endmntent(mounts);
	return ours;
}

void
door_unmount_lazily(const char *path)
{
	char *argv[] = {(char *)FUSERMOUNT, (char *)"-u", (char *)"-z", (char *)"-q", (char *)"--",
		(char *)(uintptr_t)path, NULL};
	pid_t pid;

	if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 && geteuid() != 0 &&
		posix_spawnp(&pid, FUSERMOUNT, NULL, NULL, argv, environ) == 0)
		waitpid(pid, NULL, 0);
}

static int
replace_stale(struct door_files *door)
{
	struct stat st;

	for (int i = 0; i < STALE_LAYERS && stat(door->path, &st) < 0 && errno == ENOTCONN; i++) {
		if (!is_ours(door->path))
			return refuse(door, APP_BAD_ENVIRONMENT,
				"a file system whose process has died is there; unmount it");
		door_unmount_lazily(door->path);
	}
	if (stat(door->path, &st) < 0 && errno == ENOTCONN)
		return refuse(door, APP_BAD_ENVIRONMENT,
			"those of a killed process are there; run: fusermount3 -u %s", door->path);
	return -1;
}

static bool
is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool empty = true;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	if (dir != NULL)
		closedir(dir);
	return empty;
}

int
door_mount_point(struct door_files *door, const char *dir)
{
	struct stat st;
	int rc = resolve(door, dir);

	if (rc < 0)
		rc = replace_stale(door);
	if (rc >= 0)
		return rc;
	if (mkdir(door->path, 0700) == 0) {
		door->made = true;
		return -1;
	}
	if (errno != EEXIST)
		return refuse(door, APP_BAD_ENVIRONMENT,
			"cannot make the directory: %s; name one that you can write",
			strerror(errno));
	if (is_ours(door->path))
		return refuse(door, APP_BAD_ENVIRONMENT,
			"another pmdgen serves there; end it, or name another directory");
	if (stat(door->path, &st) < 0)
		return refuse(
			door, APP_BAD_ENVIRONMENT, "%s; name another directory", strerror(errno));
	if (!S_ISDIR(st.st_mode) || !is_empty(door->path))
		return refuse(door, APP_BAD_INPUT, "%s; expected an empty directory, or none yet",
			S_ISDIR(st.st_mode) ? "the directory is not empty" : "not a directory");
	return -1;
}

static void
keep_message(enum fuse_log_level level, const char *format, va_list args)
{
	(void)level;
	vsnprintf(fuse_said, sizeof(fuse_said), format, args);
	fuse_said[strcspn(fuse_said, "\n")] = '\0';
}

// Does /etc/fuse.conf let users share what they mount?
static bool
users_may_share(void)
{
	FILE *file = fopen(FUSE_CONF, "re");
	char line[256], word[32];
	bool may = false;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		may |= sscanf(line, "%31s", word) == 1 && strcmp(word, "user_allow_other") == 0;
	if (file != NULL)
		fclose(file);
	return may;
}

static bool
has_fusermount(void)
{
	char path[PATH_MAX];
	const char *dirs = getenv("PATH");

	for (const char *at = dirs != NULL ? dirs : "/usr/bin:/bin"; *at != '\0';) {
		size_t length = strcspn(at, ":");

		snprintf(path, sizeof(path), "%.*s/" FUSERMOUNT, (int)length, at);
		if (access(path, X_OK) == 0)
			return true;
		at += length + (at[length] == ':');
	}
	return access("/usr/bin/" FUSERMOUNT, X_OK) == 0;
}

// What can be known to fail is told in one sentence; libfuse would say it in its own.
static int
check_fuse(const struct door_files *door, bool shared)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return refuse(door, APP_BAD_ENVIRONMENT, "cannot open " DEVICE ": %s; %s",
			strerror(errno),
			errno == ENOENT || errno == ENXIO
				? "load the kernel module fuse, or give the container the device"
				: "run as root, or let this user read and write it");
	close(fd);
	if (geteuid() == 0)
		return -1;
	if (!has_fusermount())
		return refuse(door, APP_BAD_ENVIRONMENT,
			"there is no " FUSERMOUNT ", which users other than root need; "
			"install the package fuse3");
	if (shared && !users_may_share())
		return refuse(door, APP_BAD_ENVIRONMENT,
			"users may not share what they mount; "
			"write user_allow_other into " FUSE_CONF);
	return -1;
}

int
door_mount(struct door_files *door, bool shared)
{
	char options[] = "fsname=pmdgen,subtype=pmdgen,default_permissions,allow_other";
	char *argv[] = {(char *)"pmdgen", (char *)"-o", options, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);
	int rc = check_fuse(door, shared);

	if (rc >= 0)
		return rc;
	if (!shared)
		*strrchr(options, ',') = '\0';
	fuse_set_log_func(keep_message);
	door->session = fuse_session_new(&args, &door_ops, sizeof(door_ops), door);
	fuse_opt_free_args(&args);
	if (door->session != NULL && fuse_session_mount(door->session, door->path) == 0) {
		door->mounted = true;
		return -1;
	}
	return refuse(door, APP_BAD_ENVIRONMENT, "cannot mount: %s; %s",
		fuse_said[0] != '\0' ? fuse_said : strerror(errno),
		geteuid() == 0 ? "it needs CAP_SYS_ADMIN, in a container too"
			       : "name a directory of your own, or run as root");
}

void
door_unmount(struct door_files *door)
{
	if (door->mounted)
		fuse_session_unmount(door->session);
	if (door->session != NULL)
		fuse_session_destroy(door->session);
	if (door->made && rmdir(door->path) < 0 && errno != ENOENT)
		fprintf(stderr, "pmdgen: cannot remove %s: %s\n", door->path, strerror(errno));
}
