/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows whose control file does more than store a value (reference 4.1 to 4.3). */
#include <stdio.h>

#include "flow_priv.h"

// Taking the tags off leaves the Result alone.
int
flow_write_vlan_id(const struct pg_call *call, int scanned)
{
	struct pg_template *tmpl = call->target->settings;
	uint64_t id = call->value->u64;

	(void)scanned;
	if (id >= PG_VLAN_OFF) {
		tmpl->vlan.id = tmpl->svlan.id = PG_VLAN_OFF;
		return 0;
	}
	tmpl->vlan.id = (uint16_t)id;
	tmpl->mpls.count = 0;
	pg_call_reply(call);
	return 0;
}

// Without an inner tag, or with an id that is none, both tags go.
int
flow_write_svlan_id(const struct pg_call *call, int scanned)
{
	struct pg_template *tmpl = call->target->settings;
	uint64_t id = call->value->u64;

	(void)scanned;
	if (id >= PG_VLAN_OFF || tmpl->vlan.id == PG_VLAN_OFF) {
		tmpl->vlan.id = tmpl->svlan.id = PG_VLAN_OFF;
		return 0;
	}
	tmpl->svlan.id = (uint16_t)id;
	tmpl->mpls.count = 0;
	pg_call_reply(call);
	return 0;
}

// The words before an error or an end have set the flag already; the list is then empty.
int
flow_write_mpls(const struct pg_call *call, int scanned)
{
	struct pg_template *tmpl = call->target->settings;
	const struct pg_hex_list *list = &call->value->list;

	for (uint32_t i = 0; i < PG_HEX_LIST_MAX; i++) {
		if (list->word[i] & PG_MPLS_S)
			tmpl->flags |= PG_FLAG_MPLS_RND;
	}
	tmpl->mpls.count = 0;
	if (scanned < 0)
		return scanned;
	if (list->count > 0)
		call->command->apply(tmpl, call->value);
	pg_call_reply(call);
	return call->command->run(call);
}

// No reply, and an error leaves the pairs before it.
int
flow_write_imix(const struct pg_call *call, int scanned)
{
	struct pg_template *tmpl = call->target->settings;

	tmpl->imix = call->value->pairs;
	return scanned;
}

// What is no address leaves the old one, but packets become IPv6.
int
flow_write_ip6(const struct pg_call *call, int scanned)
{
	char *settings = call->target->settings, text[PG_IP6_TEXT_MAX];
	const struct pg_ip6 *address = (const struct pg_ip6 *)(settings + call->command->offset);

	if (scanned == 0)
		call->command->apply(settings, call->value);
	((struct pg_template *)call->target->settings)->flags |= PG_FLAG_IPV6;
	snprintf(call->reply->text, sizeof(call->reply->text), "OK: %s=%s", call->command->name,
		pg_ip6_text(address, text, sizeof(text)));
	return 0;
}

// A flag that nobody knows, or that cannot be set, is answered with the list of flags.
int
flow_write_flag(const struct pg_call *call, int scanned)
{
	char *out = call->reply->text;
	const size_t size = sizeof(call->reply->text);
	size_t used;

	if (scanned == 0) {
		pg_command_store(call->command, call->target->settings, call->value);
		return call->command->run(call);
	}
	used = snprintf(out, size,
		"Flag -:%.31s:- unknown\nAvailable flags, (prepend ! to un-set flag):\n",
		call->value->text);
	pg_words_list(call->command->arg.words, out + used, size - used);
	return 0;
}
