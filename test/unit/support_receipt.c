/* SPDX-License-Identifier: BSD-3-Clause */
#include "support_receipt.h"

#include "support.h"

#define WALL_NS UINT64_C(1717171717123456789)
#define COPIES  4

static const struct pg_flow_port port = {.mac = {{0x02, 0, 0, 0, 0, 0x01}}};

struct receipt_case
receipt_case(const char *commands)
{
	return (struct receipt_case){.tmpl = template_make(commands),
		.config = {.copies = 1, .every = 1},
		.stream = "net_null0",
		.seed = 7,
		.built = 64,
		.burst = 32};
}

static uint64_t due[PG_BURST_MAX * COPIES];

// The intended times of the next packets, n of those that are built. Returns how many.
static unsigned int
schedule(struct receipt_case *c, struct pg_verify *verify, uint64_t first, unsigned int n)
{
	uint32_t copies = c->config.copies;

	if (c->times != NULL)
		return c->times(c, verify, due, n * copies) / copies;
	for (unsigned int k = 0; k < n * copies; k++)
		due[k] = buffers.state.wall_cycles + RECEIPT_GAP_NS * (first * copies + k);
	return n;
}

// Each packet as often as it is sent, in the order in which a worker has them.
static void
pass(struct receipt_case *c, struct pg_verify *verify, uint64_t first, unsigned int n)
{
	uint32_t copies = c->config.copies;
	static struct rte_mbuf *pkts[PG_BURST_MAX * COPIES];

	for (unsigned int k = 0; k < n * copies; k++)
		pkts[k] = buffers.mbuf[k / copies];
	if (c->tamper != NULL)
		c->tamper(pkts, due, first * copies, n * copies);
	pg_verify_pass(verify, pkts, due, n * copies);
}

static void
build(const struct receipt_case *c, const struct pg_prog *prog, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++) {
		buffers.state.scratch->due[k] = due[k * c->config.copies];
		memset(buffers.mbuf[k], 0xa5, PROG_DATA_DELTA + pg_prog_frame_max(prog));
		buffers.mbuf[k]->next = NULL;
		buffers.mbuf[k]->buf_addr = (uint8_t *)buffers.mbuf[k] + sizeof(struct rte_mbuf);
	}
	pg_prog_run(prog, &buffers.state, buffers.mbuf, n);
}

struct pg_receipt
receipt_of(struct receipt_case *c)
{
	struct pg_flow flow =
		c->built_as != NULL ? flow_make(c->built_as) : template_resolve(&c->tmpl);
	const struct pg_prog_config config = {.flow = &flow,
		.stream = c->stream,
		.part = c->config.part,
		.parts = c->config.parts,
		.seed = c->seed,
		.copies = c->config.copies,
		.paced = c->paced};
	struct pg_prog *prog = rig_compile(&config);
	struct pg_receipt receipt;
	struct pg_verify *verify;
	unsigned int at, n;
	uint64_t ratio;

	c->config.tmpl = &c->tmpl;
	c->config.port = &port;
	if (c->paced && c->config.rate.kind == PG_RATE_NONE)
		c->config.rate = (struct pg_rate){RECEIPT_GAP_NS, PG_RATE_DELAY};
	verify = pg_verify_create(&c->config);
	assert_non_null(verify);
	c->prog = prog;
	pg_prog_seek(prog, &buffers.state, c->config.first);
	buffers.state.wall_ns = WALL_NS;
	buffers.state.wall_cycles = 1ull << 50;
	ratio = c->ns_per_cycle != 0 ? c->ns_per_cycle : 1ull << PG_CLOCK_SHIFT;
	buffers.state.ns_per_cycle = c->paced ? ratio : 0;
	pg_verify_begin(
		verify, buffers.state.wall_cycles, WALL_NS, ratio, buffers.state.ns_per_cycle);
	assert_true(c->config.copies <= COPIES);
	for (at = 0; at < c->built; at += n) {
		n = schedule(c, verify, at, RTE_MIN(c->burst, c->built - at));
		build(c, prog, n);
		pass(c, verify, at, n);
	}
	receipt = *pg_verify_end(verify, (uint64_t)at * c->config.copies + c->unaccounted, 0);
	pg_verify_destroy(verify);
	pg_prog_destroy(prog);
	return receipt;
}

static void
describe(const struct pg_receipt *receipt)
{
	char text[PG_VERIFY_TEXT_MAX];

	for (int i = 0; i < PG_VERIFY_CHECKS; i++) {
		const struct pg_receipt_check *check = &receipt->check[i];

		if (check->faults > 0)
			print_error("%s: %llu, %s\n", pg_verify_check_name(i),
				(unsigned long long)check->faults,
				pg_verify_fault_text(&check->first, text, sizeof(text)));
	}
}

void
receipt_silent(const struct pg_receipt *receipt, const char *what)
{
	bool silent = pg_receipt_fault(receipt) == NULL &&
		      pg_receipt_ok(receipt) == pg_receipt_checks(receipt);

	if (!silent)
		describe(receipt);
	CHECK(silent && pg_receipt_checks(receipt) > 0, "%s", what);
}

const struct pg_receipt_check *
receipt_names(const struct pg_receipt *receipt, enum pg_verify_check check, const char *what)
{
	bool alone = pg_receipt_fault(receipt) == &receipt->check[check] &&
		     pg_receipt_ok(receipt) + 1 == pg_receipt_checks(receipt);

	if (!alone)
		describe(receipt);
	CHECK(alone, "%s: not %s alone", what, pg_verify_check_name(check));
	return &receipt->check[check];
}
