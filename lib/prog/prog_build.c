/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's life: drafted, compiled, cut to size, linked with the functions of the CPU, freed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cpuflags.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_udp.h>
#include <rte_vect.h>

#include "prog_priv.h"

// Those whose functions do all in a row.
static bool
in_runs(uint8_t kind)
{
	return kind == PROG_LINEAR || kind == PROG_RANDOM_BITS || kind == PROG_RANDOM_32;
}

static void
link_functions(struct pg_prog *prog, bool portable)
{
	bool avx2 = !portable && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0 &&
		    rte_cpu_get_flag_enabled(RTE_CPUFLAG_BMI2) > 0 &&
		    rte_vect_get_max_simd_bitwidth() >= RTE_VECT_SIMD_256;
	static const prog_fn *const values_of[2][2] = {
		{prog_values_portable, prog_values_portable_parts},
		{prog_values_avx2, prog_values_avx2_parts}};
	static const prog_fn *const ops_of[2][2] = {
		{prog_ops_portable, prog_ops_portable_parts}, {prog_ops_avx2, prog_ops_avx2_parts}};
	const prog_fn *values = values_of[avx2][prog->stride > 1];
	const prog_fn *ops = ops_of[avx2][prog->stride > 1];

	prog->isa = avx2 ? "avx2" : "portable";
	for (uint32_t i = prog->nops; i-- > 0;) {
		struct prog_op *op = &prog->ops[i];

		op->fn = op->kind < PROG_MBUF ? values[op->kind] : ops[op->kind];
		op->run = 1;
		if (in_runs(op->kind) && i + 1 < prog->nops && op[1].kind == op->kind)
			op->run += op[1].run;
	}
}

// data_off, refcnt 1, one segment, no input port, no flags: what a fresh buffer has.
static void
make_rearm(struct pg_prog *prog)
{
	struct rte_mbuf fresh = {
		.data_off = RTE_PKTMBUF_HEADROOM, .nb_segs = 1, .port = RTE_MBUF_PORT_INVALID};

	rte_mbuf_refcnt_set(&fresh, 1);
	memcpy(prog->rearm, &fresh.data_off, sizeof(prog->rearm));
	fresh.data_off = 0;
	memcpy(prog->frag_rearm, &fresh.data_off, sizeof(prog->frag_rearm));
}

static void
free_steps(struct pg_prog *prog)
{
	for (int field = 0; field < PG_FIELDS; field++)
		free(prog->steps[field]);
}

static size_t
bytes_of(uint32_t image_bytes, uint32_t nops)
{
	return sizeof(struct pg_prog) + image_bytes + nops * sizeof(struct prog_op);
}

// Room to compile in, on the C library's heap: in DPDK's, what comes and goes leaves holes that
// every later allocation looks at.
static struct pg_prog *
draft_create(uint32_t image_bytes)
{
	size_t bytes = RTE_ALIGN_CEIL(bytes_of(image_bytes, PROG_OPS_MAX), RTE_CACHE_LINE_SIZE);
	struct pg_prog *draft = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);

	if (draft == NULL)
		return NULL;
	memset(draft, 0, bytes);
	draft->ops = (struct prog_op *)(draft->image + image_bytes);
	return draft;
}

// The program of a draft, without room for more operations; the draft goes.
static struct pg_prog *
draft_finish(struct pg_prog *draft, int socket)
{
	struct pg_prog *prog = NULL;

	if (draft == NULL)
		return NULL;
	if (draft->nops > 0)
		prog = rte_malloc_socket("pg_prog", bytes_of(draft->image_bytes, draft->nops),
			RTE_CACHE_LINE_SIZE, socket);
	if (prog == NULL) {
		free_steps(draft);
		free(draft);
		return NULL;
	}
	memcpy(prog, draft, sizeof(*prog) + draft->image_bytes);
	prog->ops = (struct prog_op *)(prog->image + prog->image_bytes);
	memcpy(prog->ops, draft->ops, draft->nops * sizeof(prog->ops[0]));
	free(draft);
	return prog;
}

struct pg_prog *
pg_prog_compile(const struct pg_prog_config *config, struct pg_error *err)
{
	const struct pg_range *size = &config->flow->field[PG_FIELD_SIZE];
	uint32_t frame_max = RTE_MAX(size->hi, config->flow->frame_min);
	uint32_t image_bytes;
	struct pg_prog *prog;

	for (uint32_t i = 0; i < config->flow->imix.count; i++)
		frame_max = RTE_MAX(frame_max, config->flow->imix.pair[i].size);
	image_bytes = RTE_ALIGN_CEIL(frame_max, 64);
	prog = draft_create(image_bytes);
	if (prog == NULL)
		goto no_memory;
	prog->flow = *config->flow;
	prog->copies = config->copies;
	prog->walk = config->walk;
	prog->first = config->part;
	prog->stride = RTE_MAX(config->parts, 1u);
	prog->frame_min = config->flow->frame_min;
	prog->frags = config->flow->frags;
	prog->priority = (uint64_t)config->flow->priority << 32;
	if (prog->frags > 0)
		prog->per_frag = (UINT64_C(1) << 32) / prog->frags + 1;
	prog->frame_max = frame_max;
	prog->frame = size->lo == size->hi && prog->flow.imix.count == 0 ? frame_max : 0;
	prog->image_bytes = image_bytes;
	prog->ip6 = (config->flow->flags & PG_FLAG_IPV6) != 0;
	prog->payload = prog->frame_min - PG_PAYLOAD_BYTES;
	prog->l4 = prog->payload - sizeof(struct rte_udp_hdr);
	prog->l3 =
		prog->l4 - (prog->ip6 ? sizeof(struct rte_ipv6_hdr) : sizeof(struct rte_ipv4_hdr));
	prog_image_build(prog);
	make_rearm(prog);
	if (prog_emit_all(prog, config) < 0)
		prog->nops = 0;
	link_functions(prog, config->portable);
	prog = draft_finish(prog, config->socket);
	if (prog != NULL)
		return prog;

no_memory:
	pg_error_set(err, PG_FAULT_ENV, ENOMEM, "no memory for the program of a packet");
	pg_error_remedy(err, "reserve more with --memory");
	return NULL;
}

void
pg_prog_destroy(struct pg_prog *prog)
{
	if (prog == NULL)
		return;
	free_steps(prog);
	rte_free(prog);
}
