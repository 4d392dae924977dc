/* SPDX-License-Identifier: BSD-3-Clause */
/* dpdk-dumpcap may capture what devices send, where another process can share the memory. */
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_pdump.h>

#include "app.h"

static int
answer_nobody(const struct rte_mp_msg *message, const void *peer)
{
	(void)message;
	(void)peer;
	return 0;
}

// rte_pdump_init() succeeds where nobody will ever be able to ask for a capture, so this asks
// first whether there is a channel at all.
static const char *
why_not(void)
{
	static const char name[] = "pmdgen_probe";

	if (!rte_eal_has_hugepages())
		return "there is no memory on hugepages";
	if (rte_mp_action_register(name, answer_nobody) < 0)
		return rte_errno == ENOTSUP
			       ? "the memory is not shared with other processes; EAL arguments "
				 "without --in-memory and --no-shconf share it"
			       : rte_strerror(rte_errno);
	rte_mp_action_unregister(name);
	return NULL;
}

void
app_capture_open(struct app *app)
{
	const char *why = why_not();

	if (why == NULL && rte_pdump_init() < 0)
		why = rte_strerror(rte_errno);
	app->captures = why == NULL;
	pg_ports_set_captured(app->captures);
	if (why != NULL && app->options.verbose)
		fprintf(app->out, "dpdk-dumpcap cannot capture: %s\n", why);
}

void
app_capture_close(struct app *app)
{
	if (app->captures)
		rte_pdump_uninit();
	app->captures = false;
}
