/* SPDX-License-Identifier: BSD-3-Clause */
#include "support_prog.h"

#include <stdlib.h>

#include "pg_lang.h"
#include "support.h"
#include "support_eal.h"
#include "support_world.h"

static void
run(struct pg_lang *lang, const char *command)
{
	struct pg_error err = {0};
	struct pg_reply reply;

	CHECK(pg_lang_run(lang, command, &reply, &err) == 0, "'%s': %s", command, err.text);
}

static const struct pg_flow_port port = {
	.mac = {{0x02, 0, 0, 0, 0, 0x01}}, .frame_max = UINT32_MAX, .name = "port"};

struct pg_template
template_make(const char *commands)
{
	static const struct pg_command_list *const lists[] = {&pg_flow_commands};
	struct pg_template tmpl = {0};
	struct pg_error err = {0};
	struct fake_world world;
	struct pg_lang *lang;
	char command[400];

	fake_world_init(&world);
	fake_world_add(&world, "dev", &tmpl, &tmpl, sizeof(tmpl));
	lang = pg_lang_create(lists, 1, &world.world);
	assert_non_null(lang);
	assert_int_equal(pg_lang_defaults(lists, 1, PG_TARGET_DEVICE, &tmpl, &err), 0);
	while (*commands != '\0') {
		size_t length = strcspn(commands, ";");

		snprintf(command, sizeof(command), "dev %.*s", (int)length, commands);
		run(lang, command);
		commands += length + (commands[length] == ';');
	}
	pg_lang_destroy(lang);
	return tmpl;
}

struct pg_flow
template_resolve(const struct pg_template *tmpl)
{
	struct pg_error err = {0};
	struct pg_flow flow;

	CHECK(pg_flow_resolve(tmpl, &port, &flow, &err) == 0, "%s", err.text);
	return flow;
}

struct pg_flow
flow_make(const char *commands)
{
	const struct pg_template tmpl = template_make(commands);

	return template_resolve(&tmpl);
}

void
rig_init(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	rig->stride = RTE_ALIGN_CEIL(PROG_DATA_DELTA + RIG_ROOM, 64);
	rig->memory = aligned_alloc(64, PG_BURST_MAX * rig->stride);
	rig->state.scratch = pg_prog_scratch_create(SOCKET_ID_ANY);
	assert_true(rig->memory != NULL && rig->state.scratch != NULL);
	for (unsigned int k = 0; k < PG_BURST_MAX; k++)
		rig->mbuf[k] = (struct rte_mbuf *)(void *)(rig->memory + k * rig->stride);
}

void
rig_fini(struct rig *rig)
{
	pg_prog_scratch_destroy(rig->state.scratch);
	free(rig->memory);
}

struct rig buffers;

int
rig_start(void **state)
{
	int rc = support_eal_start(state);

	if (rc == 0)
		rig_init(&buffers);
	return rc;
}

int
rig_stop(void **state)
{
	rig_fini(&buffers);
	return support_eal_stop(state);
}

uint8_t *
rig_frame(const struct rig *rig, unsigned int k)
{
	return (uint8_t *)rig->mbuf[k] + PROG_DATA_DELTA;
}

void
rig_dirty(struct rig *rig, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++) {
		memset(rig->mbuf[k], 0xa5, PROG_DATA_DELTA + 256);
		rig->mbuf[k]->next = NULL;
	}
}

struct pg_prog *
rig_compile(const struct pg_prog_config *config)
{
	struct pg_error err = {0};
	struct pg_prog *prog = pg_prog_compile(config, &err);

	CHECK(prog != NULL, "%s", err.text);
	return prog;
}

struct pg_prog *
rig_compile_flow(const struct pg_flow *flow, uint64_t seed, bool portable)
{
	const struct pg_prog_config config = {.flow = flow,
		.stream = "net_null0",
		.seed = seed,
		.copies = 1,
		.portable = portable};

	return rig_compile(&config);
}

void
rig_run(struct rig *rig, const struct pg_prog *prog, uint64_t index, unsigned int n)
{
	rig_dirty(rig, n);
	pg_prog_seek(prog, &rig->state, index);
	pg_prog_run(prog, &rig->state, rig->mbuf, n);
}
