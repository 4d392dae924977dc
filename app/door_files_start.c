/* SPDX-License-Identifier: BSD-3-Clause */
/* `start` through a control file: the writer blocks until its run has ended, no thread does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "door_files.h"

#define CONTROL_BYTES 127 // of a write to pgctrl are looked at

bool
door_is_start(const char *bytes, size_t size)
{
	size_t n = strnlen(bytes, size < CONTROL_BYTES ? size : CONTROL_BYTES);

	if (n > 0 && n == size && bytes[n - 1] == '\n')
		n--;
	return n == 5 && memcmp(bytes, "start", n) == 0;
}

// A signal for the writer, SIGKILL included, ends its run; the answer comes when it has ended.
// Called once at most, on the thread that took the interruption.
static void
interrupt(fuse_req_t req, void *arg)
{
	struct door_starter *starter = arg;
	struct door_files *door = starter->door;
	bool preparing, waiting;

	(void)req;
	pthread_mutex_lock(&door->lock);
	starter->interrupted = true;
	preparing = starter->preparing;
	waiting = starter->waiting;
	pthread_mutex_unlock(&door->lock);
	if (preparing || waiting)
		pg_engine_stop(door->app->engine, preparing);
}

static void
answer(struct door_starter *starter, int rc)
{
	// Waits for an interruption that is just being told, and no other comes.
	fuse_req_interrupt_func(starter->req, NULL, NULL);
	if (rc < 0)
		fuse_reply_err(starter->req, -rc);
	else
		fuse_reply_write(starter->req, starter->size);
	free(starter);
}

// Under the control lock. Errors: -errno; then nothing waits.
static int
begin(struct door_files *door, struct door_starter *starter)
{
	struct pg_error err = {0};
	bool stop;
	int rc;

	pthread_mutex_lock(&door->lock);
	starter->preparing = !starter->interrupted && !door->closing;
	rc = starter->preparing ? 0 : -EINTR;
	pthread_mutex_unlock(&door->lock);
	if (rc < 0)
		return rc;
	rc = pg_engine_restart(door->app->engine, &err);
	pthread_mutex_lock(&door->lock);
	stop = starter->interrupted;
	starter->preparing = false;
	starter->waiting = rc == 0;
	if (rc == 0) {
		TAILQ_INSERT_TAIL(&door->starters, starter, next);
		pthread_cond_signal(&door->wake);
	}
	pthread_mutex_unlock(&door->lock);
	// The kernel would tell it in the devices' Result; here nothing has run.
	if (rc < 0)
		(void)app_print_error(&err);
	else if (stop)
		pg_engine_stop(door->app->engine, false);
	return rc;
}

void
door_start(struct door_files *door, fuse_req_t req, size_t size)
{
	struct door_starter *starter = calloc(1, sizeof(*starter));
	int rc;

	if (starter == NULL) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	starter->door = door;
	starter->req = req;
	starter->size = size;
	fuse_req_interrupt_func(req, interrupt, starter);
	pg_engine_lock(door->app->engine);
	rc = begin(door, starter);
	pg_engine_unlock(door->app->engine);
	if (rc < 0)
		answer(starter, rc == -EINTR ? 0 : rc); // interrupted: as if its run had ended
}

void *
door_waiter_main(void *arg)
{
	struct door_files *door = arg;
	struct pg_engine *engine = door->app->engine;
	struct door_starter *starter;

	for (;;) {
		struct door_starters over = TAILQ_HEAD_INITIALIZER(over);

		pthread_mutex_lock(&door->lock);
		while (TAILQ_EMPTY(&door->starters) && !door->drain)
			pthread_cond_wait(&door->wake, &door->lock);
		if (TAILQ_EMPTY(&door->starters)) {
			pthread_mutex_unlock(&door->lock);
			return NULL;
		}
		pthread_mutex_unlock(&door->lock);
		// Who starts holds the control lock: all that wait here now, wait for this end.
		pg_engine_lock(engine);
		pg_engine_wait(engine);
		pthread_mutex_lock(&door->lock);
		TAILQ_CONCAT(&over, &door->starters, next);
		pthread_mutex_unlock(&door->lock);
		pg_engine_unlock(engine);
		while ((starter = TAILQ_FIRST(&over)) != NULL) {
			TAILQ_REMOVE(&over, starter, next);
			answer(starter, 0);
		}
	}
}
