/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DOOR_FILES_H
#define DOOR_FILES_H

#define FUSE_USE_VERSION 314

#include <limits.h>
#include <pthread.h>
#include <sys/queue.h>
#include <time.h>

#include <fuse_lowlevel.h>

#include "app.h"

/* The control files: a directory that looks like /proc/net/pktgen. Requests are taken by a few
 * threads; none of them waits for a run, so however many writers of `start` block, the rest of the
 * directory answers. */

#define DOOR_THREADS 16             // each waits for the control lock at most
#define DOOR_NAME    "pmdgen-files" // of the threads
#define DOOR_TYPE    "fuse.pmdgen"

/** A name that the kernel has looked up. Each lookup makes an inode of its own, for a write locks
 *  its inode, and `start` is a long write. What the name stands for may have gone. */
struct door_node {
	LIST_ENTRY(door_node) next;
	char name[PG_DEVICE_NAME_MAX];
};
LIST_HEAD(door_nodes, door_node);

/** What an open file or directory shows, made when it is read from the start; under the control
 *  lock. */
struct door_handle {
	LIST_ENTRY(door_handle) next;
	char *text;
	size_t length;
};
LIST_HEAD(door_handles, door_handle);

/** A write of `start` that waits for its run. */
struct door_starter {
	TAILQ_ENTRY(door_starter) next;
	struct door_files *door;
	fuse_req_t req;
	size_t size;
	/* Under door->lock. */
	bool interrupted; /**< the writer has a signal */
	bool preparing;   /**< its run is being set up */
	bool waiting;     /**< its run goes on */
};
TAILQ_HEAD(door_starters, door_starter);

/** One that takes requests. */
struct door_thread {
	pthread_t id;
	struct door_files *door;
	struct fuse_buf buffer; /**< libfuse's, from malloc() */
};

struct door_files {
	struct app *app;
	char path[PATH_MAX];
	bool made, mounted; /**< the directory was made here; it is mounted */
	uid_t uid;
	gid_t gid;
	mode_t file_mode, dir_mode;
	time_t since;
	struct fuse_session *session;
	struct door_thread threads[DOOR_THREADS];
	unsigned int nthreads;
	pthread_t waiter;
	bool has_waiter;
	pthread_mutex_t lock; /**< of what follows; taken after the control lock */
	pthread_cond_t wake;
	struct door_nodes nodes;
	struct door_handles handles;
	struct door_starters starters;
	bool closing; /**< no further run */
	bool drain;   /**< no further starter: the waiter may end */
	bool lost;    /**< atomic: somebody else has unmounted the directory */
};

/** Find a directory to mount on: resolve, make, or free it of what a killed process left.
 *  Errors: an exit status, with a message; -1: go on. */
int door_mount_point(struct door_files *door, const char *dir);
/** Mount there. Errors: as door_mount_point(). */
int door_mount(struct door_files *door, bool shared);
/** Unmount even while it is in use. Any thread, at any time. */
void door_unmount_lazily(const char *path);
void door_unmount(struct door_files *door);

extern const struct fuse_lowlevel_ops door_ops;
/** Free what the kernel has not given back. */
void door_ops_fini(struct door_files *door);

/** Is this write `start`, as the kernel reads it (reference 2)? */
bool door_is_start(const char *bytes, size_t size);
/** Start a run, anew if one goes on, and answer the request when it has ended. */
void door_start(struct door_files *door, fuse_req_t req, size_t size);
/** The thread that answers; arg is the door. */
void *door_waiter_main(void *arg);

#endif
