/* SPDX-License-Identifier: BSD-3-Clause */
/* The control files' requests: names, texts, writes. Nothing is kept by the kernel, so that a
 * device has its file as soon as it is there, and none once it is gone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "door_files.h"
#include "pg_report.h"

#define PAGE_BYTES  4096
#define WRITE_BYTES (32 * PAGE_BYTES) // what a request carries at most
// A larger write() comes in several requests; the first then has at least this much.
#define WRITE_WHOLE (WRITE_BYTES - PAGE_BYTES)
#define ROOT_INO    1
#define HASH_START  0xcbf29ce484222325ULL // FNV-1a
#define HASH_FACTOR 0x100000001b3ULL
#define ERRNO_END   512 // FUSE refuses answers from here on, and the writer would hang

static struct door_files *
door_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

// NULL: the directory.
static struct door_node *
node_of(fuse_ino_t ino)
{
	return ino == FUSE_ROOT_ID ? NULL : (struct door_node *)(uintptr_t)ino;
}

void
door_ops_fini(struct door_files *door)
{
	struct door_node *node;
	struct door_handle *handle;

	while ((node = LIST_FIRST(&door->nodes)) != NULL) {
		LIST_REMOVE(node, next);
		free(node);
	}
	while ((handle = LIST_FIRST(&door->handles)) != NULL) {
		LIST_REMOVE(handle, next);
		free(handle->text);
		free(handle);
	}
}

// Under the control lock. The thread of a name such as kpktgend_0; NULL: it is none.
static struct pg_thread *
thread_named(struct pg_engine *engine, const char *name)
{
	struct pg_thread *thread = NULL;
	char own[PG_DEVICE_NAME_MAX];

	if (strncmp(name, "kpktgend_", 9) != 0)
		return NULL;
	while ((thread = pg_engine_next_thread(engine, thread)) != NULL) {
		snprintf(own, sizeof(own), "kpktgend_%u", thread->lcore);
		if (strcmp(own, name) == 0)
			break;
	}
	return thread;
}

static bool
exists(struct door_files *door, const char *name)
{
	struct pg_engine *engine = door->app->engine;
	bool found;

	if (strlen(name) >= PG_DEVICE_NAME_MAX)
		return false;
	pg_engine_lock(engine);
	found = strcmp(name, "pgctrl") == 0 || thread_named(engine, name) != NULL ||
		pg_engine_device(engine, name) != NULL;
	pg_engine_unlock(engine);
	return found;
}

// The same for each lookup of a name.
static uint64_t
ino_of(const char *name)
{
	uint64_t ino = HASH_START;

	while (*name != '\0')
		ino = (ino ^ (unsigned char)*name++) * HASH_FACTOR;
	return ino;
}

static struct stat
attributes(const struct door_files *door, const struct door_node *node)
{
	return (struct stat){
		.st_ino = node == NULL ? ROOT_INO : ino_of(node->name),
		.st_mode = node == NULL ? S_IFDIR | door->dir_mode : S_IFREG | door->file_mode,
		.st_nlink = node == NULL ? 2 : 1,
		.st_uid = door->uid,
		.st_gid = door->gid,
		.st_atime = door->since,
		.st_mtime = door->since,
		.st_ctime = door->since,
	};
}

static void
op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->max_write = WRITE_BYTES;
}

static void
forget(struct door_files *door, struct door_node *node)
{
	pthread_mutex_lock(&door->lock);
	LIST_REMOVE(node, next);
	pthread_mutex_unlock(&door->lock);
	free(node);
}

static void
op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct door_files *door = door_of(req);
	struct fuse_entry_param entry = {0}; // valid for no time at all
	struct door_node *node;

	if (parent != FUSE_ROOT_ID || !exists(door, name)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	node = calloc(1, sizeof(*node));
	if (node == NULL) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	strcpy(node->name, name);
	pthread_mutex_lock(&door->lock);
	LIST_INSERT_HEAD(&door->nodes, node, next);
	pthread_mutex_unlock(&door->lock);
	entry.ino = (uintptr_t)node;
	entry.attr = attributes(door, node);
	if (fuse_reply_entry(req, &entry) < 0)
		forget(door, node);
}

static void
op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t lookups)
{
	(void)lookups; // never more than one
	if (node_of(ino) != NULL)
		forget(door_of(req), node_of(ino));
	fuse_reply_none(req);
}

static void
op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st = attributes(door_of(req), node_of(ino));

	(void)fi;
	fuse_reply_attr(req, &st, 0);
}

// Truncation is accepted and means nothing, as the times do; owner and mode stay.
static void
op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
	(void)attr;
	if (to_set & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		fuse_reply_err(req, EPERM);
	else
		op_getattr(req, ino, fi);
}

// The thread that has answered the last read may not have returned from doing so: control lock.
static void
close_handle(struct door_files *door, struct door_handle *handle)
{
	pg_engine_lock(door->app->engine);
	LIST_REMOVE(handle, next);
	free(handle->text);
	pg_engine_unlock(door->app->engine);
	free(handle);
}

static void
open_handle(fuse_req_t req, struct fuse_file_info *fi)
{
	struct door_files *door = door_of(req);
	struct door_handle *handle = calloc(1, sizeof(*handle));

	if (handle == NULL) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	pg_engine_lock(door->app->engine);
	LIST_INSERT_HEAD(&door->handles, handle, next);
	pg_engine_unlock(door->app->engine);
	fi->fh = (uintptr_t)handle;
	if (fuse_reply_open(req, fi) < 0)
		close_handle(door, handle);
}

static struct door_handle *
handle_of(const struct fuse_file_info *fi)
{
	return (struct door_handle *)(uintptr_t)fi->fh;
}

static void
op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	if (!exists(door_of(req), node_of(ino)->name)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	fi->direct_io = 1;
	fi->noflush = 1; // closing would lock the inode too
	open_handle(req, fi);
}

static void
op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	open_handle(req, fi);
}

static void
op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	close_handle(door_of(req), handle_of(fi));
	fuse_reply_err(req, 0);
}

// The kernel asks this of a name that lookup did not find.
static void
op_create(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	(void)parent, (void)name, (void)mode, (void)fi;
	fuse_reply_err(req, ENOENT);
}

// Under the control lock. Errors: -errno.
static int
write_text(struct pg_engine *engine, const char *name, FILE *out)
{
	struct pg_thread *thread = thread_named(engine, name);
	struct pg_device *device;

	if (strcmp(name, "pgctrl") == 0) {
		pg_report_control(out);
		return 0;
	}
	if (thread != NULL) {
		pg_report_thread(engine, thread, out);
		return 0;
	}
	device = pg_engine_device(engine, name);
	if (device == NULL)
		return -ENODEV;
	pg_device_refresh(device);
	pg_report_device(device, out);
	return 0;
}

// Names one after the other, each with its NUL.
static int
write_names(struct pg_engine *engine, FILE *out)
{
	struct pg_thread *thread = NULL;
	struct pg_device *device;

	fprintf(out, ".%c..%cpgctrl%c", 0, 0, 0);
	while ((thread = pg_engine_next_thread(engine, thread)) != NULL)
		fprintf(out, "kpktgend_%u%c", thread->lcore, 0);
	TAILQ_FOREACH(device, pg_engine_devices(engine), in_engine)
	fprintf(out, "%s%c", device->name, 0);
	return 0;
}

// Under the control lock; name NULL: the directory. Errors: -errno.
static int
fill(struct door_files *door, struct door_handle *handle, const char *name)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int rc;

	if (out == NULL)
		return -ENOMEM;
	rc = name != NULL ? write_text(door->app->engine, name, out)
			  : write_names(door->app->engine, out);
	if (fclose(out) != 0 && rc == 0)
		rc = -ENOMEM;
	if (rc < 0) {
		free(text);
		return rc;
	}
	free(handle->text);
	handle->text = text;
	handle->length = length;
	return 0;
}

static void
op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct door_files *door = door_of(req);
	struct door_handle *handle = handle_of(fi);
	size_t at = off, left;
	int rc = 0;

	pg_engine_lock(door->app->engine);
	if (off == 0 || handle->text == NULL)
		rc = fill(door, handle, node_of(ino)->name);
	if (rc < 0) {
		fuse_reply_err(req, -rc);
	} else {
		left = at < handle->length ? handle->length - at : 0;
		fuse_reply_buf(req, left > 0 ? handle->text + at : NULL, left < size ? left : size);
	}
	pg_engine_unlock(door->app->engine);
}

// The offset of an entry is where the next name begins.
static void
op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct door_files *door = door_of(req);
	struct door_handle *handle = handle_of(fi);
	char *buffer = malloc(size);
	size_t at = off, used = 0;
	int rc = buffer == NULL ? -ENOMEM : 0;

	(void)ino;
	pg_engine_lock(door->app->engine);
	if (rc == 0 && (off == 0 || handle->text == NULL))
		rc = fill(door, handle, NULL);
	pg_engine_unlock(door->app->engine);
	while (rc == 0 && at < handle->length) {
		const char *name = handle->text + at;
		struct stat st = {
			.st_ino = ino_of(name), .st_mode = name[0] == '.' ? S_IFDIR : S_IFREG};
		size_t next = at + strlen(name) + 1;
		size_t bytes =
			fuse_add_direntry(req, buffer + used, size - used, name, &st, (off_t)next);

		if (bytes > size - used)
			break;
		used += bytes;
		at = next;
	}
	if (rc < 0)
		fuse_reply_err(req, -rc);
	else
		fuse_reply_buf(req, buffer, used);
	free(buffer);
}

static void
op_write(fuse_req_t req, fuse_ino_t ino, const char *bytes, size_t size, off_t off,
	struct fuse_file_info *fi)
{
	struct door_files *door = door_of(req);
	const char *name = node_of(ino)->name;
	ssize_t rc;

	(void)off, (void)fi;
	if (size > WRITE_WHOLE) {
		fuse_reply_err(req, E2BIG);
		return;
	}
	if (strcmp(name, "pgctrl") == 0 && door_is_start(bytes, size)) {
		door_start(door, req, size);
		return;
	}
	pg_engine_lock(door->app->engine);
	rc = pg_lang_write(door->app->lang, name, bytes, size);
	pg_engine_unlock(door->app->engine);
	if (rc < 0)
		fuse_reply_err(req, rc > -ERRNO_END ? (int)-rc : EIO);
	else
		fuse_reply_write(req, (size_t)rc);
}

const struct fuse_lowlevel_ops door_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.open = op_open,
	.create = op_create,
	.read = op_read,
	.write = op_write,
	.release = op_release,
	.opendir = op_opendir,
	.readdir = op_readdir,
	.releasedir = op_release,
};
