/* SPDX-License-Identifier: BSD-3-Clause */
/* Users' eBPF programs: loaded from objects, with what they may call. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "pg_rx.h"
#include "rx_bpf.h"
#include "rx_object.h"

__thread struct rx_bpf_frame rx_bpf_frame;

/** What has been found out of a text. Kept for the life of the process, as the text is. */
struct facts {
	struct facts *next;
	const char *text;
	struct stat stamp;
	uint32_t reach;
	bool known, stores;
};

/** FILE and SECTION of a text. */
struct names {
	char file[PATH_MAX], section[64];
};

static uint64_t
frame_length(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	(void)a, (void)b, (void)c, (void)d, (void)e;
	return rx_bpf_frame.length;
}

static uint64_t
count(uint64_t i, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	(void)b, (void)c, (void)d, (void)e;
	rx_bpf_frame.counters[RTE_MIN(i, (uint64_t)RX_BPF_COUNTERS)]++;
	return 0;
}

#define NUMBER                                                    \
	{                                                         \
		.type = RTE_BPF_ARG_RAW, .size = sizeof(uint64_t) \
	}

static const struct rte_bpf_xsym externals[] = {
	{.name = "pg_len",
		.type = RTE_BPF_XTYPE_FUNC,
		.func = {.val = frame_length, .nb_args = 0, .ret = NUMBER}},
	{.name = "pg_count",
		.type = RTE_BPF_XTYPE_FUNC,
		.func = {.val = count, .nb_args = 1, .args = {NUMBER}, .ret = NUMBER}},
};

// Two words at most. The file's length is checked, for a section there is no longer one.
static int
split(const char *text, struct names *names, struct pg_error *err)
{
	size_t file = strcspn(text, " \t"), blanks = strspn(text + file, " \t");
	const char *section = text + file + blanks;

	if (file > 0 && file < sizeof(names->file) && strpbrk(section, " \t") == NULL &&
		strlen(section) < sizeof(names->section)) {
		snprintf(names->file, sizeof(names->file), "%.*s", (int)file, text);
		snprintf(names->section, sizeof(names->section), "%s", section);
		return 0;
	}
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, file == 0 ? "no program" : "too many words");
	return pg_error_expect(err, "an eBPF object, and a section if it is not the first");
}

int
pg_rx_bpf_check(const char *text, struct pg_error *err)
{
	struct names names;

	return split(text, &names, err);
}

static bool
same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static struct stat
stamp_of(const char *file)
{
	struct stat stamp;

	if (stat(file, &stamp) < 0)
		memset(&stamp, 0, sizeof(stamp));
	return stamp;
}

// What is known of a text; NULL: no memory to know it in.
static struct facts *
facts_of(const char *text)
{
	static struct facts *all;
	struct facts *facts = all;

	while (facts != NULL && facts->text != text)
		facts = facts->next;
	if (facts == NULL && (facts = calloc(1, sizeof(*facts))) != NULL) {
		facts->text = text;
		facts->stores = true;
		facts->next = all;
		all = facts;
	}
	return facts;
}

static int
load_with(struct rte_bpf_prm *prm, uint32_t reach, struct rx_program *out, char *why, size_t size)
{
	prm->prog_arg = (struct rte_bpf_arg){.type = RTE_BPF_ARG_PTR, .size = reach};
	return rx_program_load(prm, out, why, size);
}

// rte_bpf says whether a program stays within so many bytes, but not within how many it does.
static uint32_t
find_reach(struct rte_bpf_prm *prm)
{
	uint32_t lo = 0, hi = RX_BPF_REACH;

	while (lo < hi) {
		uint32_t middle = (lo + hi) / 2;
		struct rx_program program;
		char why[80];

		if (load_with(prm, middle, &program, why, sizeof(why)) < 0) {
			lo = middle + 1;
			continue;
		}
		rx_program_fini(&program);
		hi = middle;
	}
	return hi;
}

// What it was verified for is what it may look at: a file that has changed unnoticed has to be
// looked at anew.
static int
load_object(const struct names *names, const struct rx_object *object, const struct facts *facts,
	struct rx_bpf *out, struct pg_error *err)
{
	struct rte_bpf_prm prm = {.ins = object->ins,
		.nb_ins = object->n,
		.xsym = externals,
		.nb_xsym = RTE_DIM(externals)};
	char why[160];

	out->stores = object->stores;
	out->reach = RX_BPF_REACH;
	if (facts != NULL && facts->known && same_file(&facts->stamp, &out->stamp)) {
		out->reach = facts->reach;
		if (load_with(&prm, out->reach, &out->program, why, sizeof(why)) == 0)
			return 0;
	}
	if (load_with(&prm, RX_BPF_REACH, &out->program, why, sizeof(why)) == 0) {
		rx_program_fini(&out->program);
		out->reach = find_reach(&prm);
		if (load_with(&prm, out->reach, &out->program, why, sizeof(why)) == 0)
			return 0;
	}
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "%.100s, section '%s': rte_bpf refuses it: %s",
		names->file, object->section, why);
	return pg_error_expect(err, "accesses within the first %d bytes of a frame", RX_BPF_REACH);
}

int
rx_bpf_load(const char *text, struct rx_bpf *out, struct pg_error *err)
{
	struct facts *facts = facts_of(text);
	struct rx_object object = {NULL};
	struct names names;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = split(text, &names, err);
	if (rc < 0)
		return rc;
	out->text = text;
	out->stamp = stamp_of(names.file);
	rc = rx_object_read(names.file, names.section[0] != '\0' ? names.section : NULL, externals,
		RTE_DIM(externals), &object, err);
	if (rc == 0)
		rc = load_object(&names, &object, facts, out, err);
	rx_object_fini(&object);
	if (facts == NULL)
		return rc;
	facts->known = true;
	facts->stamp = out->stamp;
	facts->reach = rc == 0 ? out->reach : 0;
	facts->stores = rc < 0 || out->stores;
	return rc;
}

void
rx_bpf_fini(struct rx_bpf *bpf)
{
	rx_program_fini(&bpf->program);
}

bool
rx_bpf_stale(const struct rx_bpf *bpf)
{
	struct pg_error err = {0};
	struct names names;
	struct stat now;

	if (split(bpf->text, &names, &err) < 0)
		return false;
	now = stamp_of(names.file);
	return !same_file(&now, &bpf->stamp);
}

void
rx_bpf_facts(const char *text, uint32_t *reach, bool *stores)
{
	struct facts *facts = text != NULL ? facts_of(text) : NULL;
	struct rx_bpf bpf = {.text = text};
	struct pg_error err = {0};

	*reach = 0;
	*stores = true;
	if (facts == NULL)
		return;
	bpf.stamp = facts->stamp;
	if ((!facts->known || rx_bpf_stale(&bpf)) && rx_bpf_load(text, &bpf, &err) == 0)
		rx_bpf_fini(&bpf);
	*reach = facts->reach;
	*stores = facts->stores;
}
