/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of rx_graph: what may stand where, and who takes what. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "rx_priv.h"
#include "rx_rules.h"

#define WORD(id, word, takes_, follow_, needs_, not_after_, help_) \
	[RX_W_##id] = {.name = #word,                              \
		.help = help_,                                     \
		.takes = takes_,                                   \
		.follow = follow_,                                 \
		.needs = needs_,                                   \
		.not_after = not_after_,                           \
		.node = "pg_" #word},

static struct rx_word words[RX_WORDS_MAX] = {PG_RX_WORDS(WORD)};
static unsigned int nwords = RX_WORDS;

#define PRESET(id, name, chain, help) {#name, chain},
#define ALONE(name, chain)            {#name, chain},

static const struct {
	const char *name, *chain;
} presets[] = {PG_RX_PRESETS(PRESET) PG_RX_ALONE(ALONE)};

// Users' nodes are registered when EAL loads their shared objects, before any line is read.
static void
find_user_words(void)
{
	static const size_t prefix = sizeof(RX_USER) - 1;

	for (rte_node_t id = 0; id < rte_node_max_count() && nwords < RX_WORDS_MAX; id++) {
		const char *name = rte_node_id_to_name(id), *kept;

		if (name == NULL || strncmp(name, RX_USER, prefix) != 0)
			continue;
		kept = strdup(name); // the node's own moves when it gets edges
		if (kept != NULL)
			words[nwords++] = (struct rx_word){.name = kept + prefix,
				.help = "a node of the user's own",
				.takes = RX_ANY,
				.follow = RX_RAW | RX_UPPER | RX_ENDS,
				.node = kept};
	}
}

const struct rx_word *
rx_word(unsigned int id)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_user_words);
	return id < nwords ? &words[id] : NULL;
}

const char *
pg_rx_user_word(unsigned int i)
{
	const struct rx_word *word = rx_word(RX_WORDS + i);

	return word != NULL ? word->name : NULL;
}

static int
find(const char *name, size_t length)
{
	const struct rx_word *word;

	for (unsigned int id = 0; (word = rx_word(id)) != NULL; id++) {
		if (strlen(word->name) == length && memcmp(word->name, name, length) == 0)
			return (int)id;
	}
	return -1;
}

static void
list(uint64_t mask, char *out, size_t size)
{
	const struct rx_word *word;
	size_t used = 0;

	out[0] = '\0';
	for (unsigned int id = 0; (word = rx_word(id)) != NULL && used < size; id++) {
		if (mask >> id & 1)
			used += snprintf(
				out + used, size - used, "%s%s", used > 0 ? ", " : "", word->name);
	}
}

static int
refuse(struct pg_error *err, size_t column, const char *what, const char *before, uint64_t expected)
{
	char text[300];

	list(expected, text, sizeof(text));
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "%s", what);
	pg_error_expect(err, "%s%s", before, text);
	err->column = column;
	return -EINVAL;
}

static uint64_t
all_words(void)
{
	return nwords < 64 ? (UINT64_C(1) << nwords) - 1 : UINT64_MAX;
}

// What may stand behind a word, or first.
static uint64_t
may_follow(const struct rx_chain *chain, uint64_t before)
{
	const struct rx_word *word;
	uint64_t mask = 0;

	for (unsigned int id = 0; (word = rx_word(id)) != NULL; id++) {
		bool needed = word->needs == 0 || (word->needs & before) != 0;

		if (needed && (word->not_after & before) == 0 && !(before >> id & 1))
			mask |= UINT64_C(1) << id;
	}
	return chain->n > 0 ? mask & words[chain->word[chain->n - 1]].follow : mask;
}

static int
add_word(struct rx_chain *chain, const char *text, size_t length, size_t column, uint64_t *before,
	struct pg_error *err)
{
	int id = find(text, length);
	uint64_t may = may_follow(chain, *before);
	char what[120];

	if (id < 0) {
		snprintf(
			what, sizeof(what), "unknown node '%.*s'", (int)RTE_MIN(length, 40u), text);
		return refuse(err, column, what, "one of ", all_words());
	}
	if (may >> id & 1) {
		if (chain->n == RX_CHAIN_MAX)
			return refuse(err, column, "the chain is too long", "at most 16 words", 0);
		*before |= UINT64_C(1) << id;
		chain->word[chain->n++] = id;
		return 0;
	}
	if (*before >> id & 1)
		snprintf(what, sizeof(what), "'%s' stands twice", words[id].name);
	else if (chain->n == 0)
		snprintf(what, sizeof(what), "a chain cannot begin with '%s'", words[id].name);
	else if (may == 0)
		snprintf(what, sizeof(what), "'%s' ends the chain, so '%s' cannot follow it",
			words[chain->word[chain->n - 1]].name, words[id].name);
	else
		snprintf(what, sizeof(what), "'%s' cannot follow '%s'%s", words[id].name,
			words[chain->word[chain->n - 1]].name, chain->n > 1 ? " here" : "");
	return refuse(err, column, what, may == 0 ? "nothing more" : "one of ", may);
}

// The chain of a preset, or the text itself.
static const char *
spelled_out(const char *text)
{
	for (size_t i = 0; i < RTE_DIM(presets); i++) {
		if (strcmp(presets[i].name, text) == 0)
			return presets[i].chain;
	}
	return text;
}

int
rx_chain_parse(const char *text, struct rx_chain *chain, struct pg_error *err)
{
	const char *at = spelled_out(text), *start = at;
	uint64_t before = 0, may;

	rx_word(0); // finds the users' words
	memset(chain, 0, sizeof(*chain));
	for (;;) {
		size_t length = strcspn(at, ",");

		if (add_word(chain, at, length, at - start, &before, err) < 0)
			return -err->code;
		at += length;
		if (*at == '\0')
			break;
		at++;
	}
	may = may_follow(chain, before);
	if (may == 0 || chain->word[chain->n - 1] >= RX_WORDS)
		return 0;
	return refuse(err, at - start, "the chain has no end", "a comma and one of ", may);
}

int
pg_rx_chain_check(const char *text, struct pg_error *err)
{
	struct rx_chain chain;

	return rx_chain_parse(text, &chain, err);
}

static bool
is_layer3(unsigned int id)
{
	return id < RX_WORDS && (RX_LAYER3 >> id & 1);
}

bool
rx_chain_is_above(const struct rx_chain *chain, int at)
{
	bool above = false;

	for (int i = 0; i <= at; i++)
		above |= is_layer3(chain->word[i]);
	return above;
}

static int
place_of(const struct rx_chain *chain, unsigned int id)
{
	for (unsigned int i = 0; i < chain->n; i++) {
		if (chain->word[i] == id)
			return (int)i;
	}
	return -1;
}

int
rx_chain_steer(const struct pg_rx_config *config, const struct rx_chain *chain, int *place,
	struct pg_error *err)
{
	int word = place_of(chain, RX_W_STEER), acl = place_of(chain, RX_W_ACL);
	struct rx_rules rules;
	bool steers = false;

	*place = word;
	if (acl < 0 || config->rules == NULL)
		return 0;
	if (rx_rules_read(config->rules, &rules, err) < 0)
		return -err->code;
	for (size_t i = 0; i < rules.n; i++)
		steers |= rules.rule[i].action == RX_STEER;
	rx_rules_fini(&rules);
	if (!steers)
		return 0;
	*place = acl;
	if (word < 0)
		return 0;
	pg_error_set(err, PG_FAULT_INPUT, EINVAL, "the rules steer, and the chain does too");
	return pg_error_expect(err, "either rules with steer, or the word steer in rx_graph");
}

int
pg_rx_config_steers(const struct pg_rx_config *config, bool *steers, struct pg_error *err)
{
	struct rx_chain chain;
	int place = -1;

	*steers = false;
	if (rx_chain_parse(config->graph, &chain, err) < 0 ||
		rx_chain_steer(config, &chain, &place, err) < 0)
		return -err->code;
	*steers = place >= 0;
	return 0;
}

// Beyond the checks of layer 3 packets are IP: those who go on take them whichever they are, and
// what comes from below them and is not IP finds nobody.
int
rx_chain_next(const struct rx_chain *chain, int at, enum rx_kind kind)
{
	bool above = rx_chain_is_above(chain, at), passed = false;

	for (int i = at + 1; i < (int)chain->n; i++) {
		const struct rx_word *word = rx_word(chain->word[i]);

		if (above ? !is_layer3(chain->word[i])
			  : (word->takes & RX_BIT(kind)) && (word->takes != RX_ANY || !passed))
			return i;
		passed |= is_layer3(chain->word[i]);
	}
	return -1;
}
