/* SPDX-License-Identifier: BSD-3-Clause */
/* The control files as a whole: their threads, start and end. */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "door_files.h"

// Who ends without having been cancelled has found the directory unmounted by somebody else.
static void *
serve(void *arg)
{
	struct door_thread *thread = arg;
	struct door_files *door = thread->door;
	uint64_t one = 1;
	int got = -EINTR;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	while (got == -EINTR || got > 0) {
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		got = fuse_session_receive_buf(door->session, &thread->buffer);
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		if (got > 0)
			fuse_session_process_buf(door->session, &thread->buffer);
	}
	__atomic_store_n(&door->lost, true, __ATOMIC_RELAXED);
	__atomic_store_n(&door->app->quit, true, __ATOMIC_RELAXED);
	if (write(door->app->quit_fd, &one, sizeof(one)) < 0)
		perror("pmdgen");
	return NULL;
}

// Errors: an exit status, with a message; -1: go on.
static int
start_threads(struct door_files *door)
{
	int rc = pthread_create(&door->waiter, NULL, door_waiter_main, door);

	door->has_waiter = rc == 0;
	if (rc == 0)
		(void)pthread_setname_np(door->waiter, DOOR_NAME);
	while (rc == 0 && door->nthreads < DOOR_THREADS) {
		struct door_thread *thread = &door->threads[door->nthreads];

		thread->door = door;
		rc = pthread_create(&thread->id, NULL, serve, thread);
		if (rc == 0)
			(void)pthread_setname_np(thread->id, DOOR_NAME);
		door->nthreads += rc == 0;
	}
	if (rc == 0)
		return -1;
	fprintf(stderr, "pmdgen: cannot start a thread: %s; raise the limit of processes\n",
		strerror(rc));
	return APP_BAD_ENVIRONMENT;
}

// The group that shares the files, by name or number; NULL: none does.
static int
set_owner(struct door_files *door, const char *group)
{
	const struct group *entry;
	char *end;

	door->uid = geteuid();
	door->gid = getegid();
	door->file_mode = group == NULL ? 0600 : 0660;
	door->dir_mode = group == NULL ? 0700 : 0770;
	if (group == NULL)
		return -1;
	entry = getgrnam(group);
	door->gid = entry != NULL ? entry->gr_gid : (gid_t)strtoul(group, &end, 10);
	if (entry != NULL || (group[0] >= '0' && group[0] <= '9' && *end == '\0'))
		return -1;
	fprintf(stderr, "pmdgen: --control-group '%s'; expected the name or number of a group\n",
		group);
	return APP_BAD_INPUT;
}

int
door_files_open(struct app *app)
{
	struct door_files *door;
	int rc;

	if (app->options.control == NULL)
		return -1;
	door = calloc(1, sizeof(*door));
	if (door == NULL) {
		fprintf(stderr, "pmdgen: out of memory\n");
		return APP_BAD_ENVIRONMENT;
	}
	door->app = app;
	door->since = time(NULL);
	pthread_mutex_init(&door->lock, NULL);
	pthread_cond_init(&door->wake, NULL);
	TAILQ_INIT(&door->starters);
	__atomic_store_n(&app->files, door, __ATOMIC_RELEASE);
	rc = set_owner(door, app->options.control_group);
	if (rc < 0)
		rc = door_mount_point(door, app->options.control);
	if (rc < 0)
		rc = door_mount(door, app->options.control_group != NULL);
	if (rc < 0)
		rc = start_threads(door);
	return rc;
}

void
door_files_served(struct app *app)
{
	if (app->files == NULL || !__atomic_load_n(&app->files->lost, __ATOMIC_RELAXED))
		return;
	fprintf(stderr, "pmdgen: control files at %s: somebody has unmounted them\n",
		app->files->path);
	app->status = APP_BAD_ENVIRONMENT;
}

void
door_files_stay_off(struct app *app, const cpu_set_t *stay)
{
	struct door_files *door = __atomic_load_n(&app->files, __ATOMIC_ACQUIRE);

	if (door == NULL)
		return;
	pthread_mutex_lock(&door->lock);
	if (door->has_waiter && !door->closing)
		(void)pthread_setaffinity_np(door->waiter, sizeof(*stay), stay);
	for (unsigned int i = 0; i < door->nthreads && !door->closing; i++)
		(void)pthread_setaffinity_np(door->threads[i].id, sizeof(*stay), stay);
	pthread_mutex_unlock(&door->lock);
}

void
door_files_abandon(struct app *app)
{
	struct door_files *door = __atomic_load_n(&app->files, __ATOMIC_ACQUIRE);

	if (door != NULL && door->mounted)
		door_unmount_lazily(door->path);
}

// First the requests end, then the runs that writers wait for, then the mount.
void
door_files_close(struct app *app)
{
	struct door_files *door = app->files;

	if (door == NULL)
		return;
	pthread_mutex_lock(&door->lock);
	door->closing = true;
	pthread_mutex_unlock(&door->lock);
	pg_engine_stop(app->engine, false);
	for (unsigned int i = 0; i < door->nthreads; i++) {
		pthread_cancel(door->threads[i].id);
		pthread_join(door->threads[i].id, NULL);
		free(door->threads[i].buffer.mem);
	}
	pg_engine_stop(app->engine, false); // one that began in between
	pthread_mutex_lock(&door->lock);
	door->drain = true;
	pthread_cond_signal(&door->wake);
	pthread_mutex_unlock(&door->lock);
	if (door->has_waiter)
		pthread_join(door->waiter, NULL);
	__atomic_store_n(&app->files, NULL, __ATOMIC_RELEASE);
	door_unmount(door);
	door_ops_fini(door);
	pthread_cond_destroy(&door->wake);
	pthread_mutex_destroy(&door->lock);
	free(door);
}
