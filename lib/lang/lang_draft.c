/* SPDX-License-Identifier: BSD-3-Clause */
/* Drafts: the devices and settings that checked lines would make. They let a line that is right
 * alone be refused for what stands before it, and nothing has run by then. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "lang_priv.h"

static int
compare(const void *a, const void *b)
{
	const struct lang_draft *x = a, *y = b;

	return strcmp(x->name, y->name);
}

struct lang_draft *
lang_draft_find(struct lang_drafts *drafts, const char *name)
{
	struct lang_draft key;
	struct lang_draft **found;

	if (strlen(name) >= sizeof(key.name))
		return NULL;
	strcpy(key.name, name);
	found = tfind(&key, &drafts->tree, compare);
	return found != NULL ? *found : NULL;
}

struct lang_draft *
lang_draft_make(struct lang_drafts *drafts, const char *name, const char *thread, size_t size)
{
	struct lang_draft *draft = lang_draft_find(drafts, name);

	if (draft == NULL) {
		draft = calloc(1, sizeof(*draft) + size);
		if (draft == NULL)
			return NULL;
		snprintf(draft->name, sizeof(draft->name), "%s", name);
		if (tsearch(draft, &drafts->tree, compare) == NULL) {
			free(draft);
			return NULL;
		}
		draft->next = drafts->first;
		drafts->first = draft;
	}
	snprintf(draft->thread, sizeof(draft->thread), "%s", thread);
	draft->removed = false;
	memset(draft->settings, 0, size);
	return draft;
}

void
lang_drafts_remove(struct lang_drafts *drafts, const char *thread)
{
	for (struct lang_draft *d = drafts->first; d != NULL; d = d->next) {
		if (thread == NULL || strcmp(d->thread, thread) == 0)
			d->removed = true;
	}
}

void
lang_drafts_fini(struct lang_drafts *drafts)
{
	tdestroy(drafts->tree, free);
	drafts->tree = NULL;
	drafts->first = NULL;
}
