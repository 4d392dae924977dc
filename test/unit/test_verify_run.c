/* SPDX-License-Identifier: BSD-3-Clause */
/* Receipts of an engine's runs: silent over every way to send, dry and real; and a run whose
 * packets are broken on their way falls short, and its device says by what. */
#include "support.h"

#include <stdlib.h>
#include <time.h>

#include "support_eal.h"
#include "support_engine.h"
#include "support_template.h"
#include "tx_priv.h"

static struct rig_engine rig;
static unsigned int written;

static int
count_packet(void *ctx, uint64_t ns, const uint8_t *frame, uint32_t bytes)
{
	(void)ctx;
	(void)ns;
	(void)frame;
	(void)bytes;
	written++;
	return 0;
}

static const struct pg_dry_sink sink = {.write = count_packet};

static int
setup_dry(void **state)
{
	*state = &rig;
	rig_engine_init(&rig, &sink);
	return 0;
}

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_init(&rig, NULL);
	rig_engine_work(&rig, 1);
	return 0;
}

static void
start_run(void)
{
	written = 0;
	rig_engine_run(&rig);
}

static void
check_silent(const struct pg_device *device, uint64_t packets, const char *what)
{
	const struct pg_receipt *receipt = device->receipt;

	CHECK(!device->fell_short, "%s: %s", device->shortfall, what);
	CHECK(pg_receipt_fault(receipt) == NULL, "%s", what);
	CHECK_U64(receipt->check[PG_VERIFY_PACKETS].packets, packets, "%s", what);
	CHECK_U64(pg_receipt_checks(receipt), pg_receipt_ok(receipt), "%s", what);
}

#define RANGES                                                                         \
	"src_min 10.0.0.1;src_max 10.0.1.7;dst_min 198.18.0.0;dst_max 198.18.255.255;" \
	"udp_src_min 1000;udp_src_max 1010;udp_dst_min 5;udp_dst_max 9;flag UDPCSUM;"  \
	"src_mac_count 5;dst_mac 02:00:00:00:00:02;dst_mac_count 3;"

static const char *const ways[] = {
	"pkt_size 60",
	RANGES "flag IPDST_RND;flag MACSRC_RND;flag UDPSRC_RND;vlan_id 5;flag VID_RND",
	RANGES "ratep 3000000;clone_skb 3",
	RANGES "ratep 7;burst 1",
	"delay 1000;min_pkt_size 60;max_pkt_size 70",
	"rate 100;min_pkt_size 60;max_pkt_size 700;flag TXSIZE_RND",
	"rate 100M;imix_weights 60,7 590,4 1514,1",
	"rate 10GL1;pkt_size 1514;clone_skb 100",
	"rate 1GL1;imix_weights 60,7 590,4;flag UDPCSUM;burst 512",
	"frags 3;pkt_size 600;flag UDPCSUM",
	"frags 17;min_pkt_size 42;max_pkt_size 100",
	"frags 2;clone_skb 7;pkt_size 9000;flag UDPCSUM",
	"frags 5;pkt_size 61;dst6 fd00::1",
	RANGES "flows 13;flowlen 7;flag IPSRC_RND",
	RANGES "flows 13;flowlen 7;flag IPSRC_RND;flag FLOW_SEQ;clone_skb 2;ratep 1000000",
	RANGES "flows 65536;flowlen 1",
	RANGES "flows 5;flowlen 3;stream web 1/3",
	RANGES "imix_weights 60,7 590,4 1514,1;stream web 2/3;ratep 100000",
	"flag NO_TIMESTAMP;skb_priority 77;mpls 0001010a,0002000a",
	"clone_skb 70000;ratep 1000000000",
	"pacing burst;ratep 3000000",
	"pacing burst;burst 7;rate 1GL1;imix_weights 60,7 590,4;flag UDPCSUM",
	"pacing burst;ratep 1000000;clone_skb 3;burst 100",
	"arrival poisson;ratep 3000000",
	"arrival poisson;pacing burst;burst 5;delay 1000;clone_skb 4",
	"arrival poisson;rate 1GL1;min_pkt_size 60;max_pkt_size 1514;flag TXSIZE_RND",
	"late stretch;ratep 1000000000",
	"late skip;ratep 100000000;pacing burst;burst 16",
	"late catchup 1us;ratep 1000000000;arrival poisson",
};

static void
check_way(struct pg_device *device, const char *way, const char *mode, uint64_t count)
{
	char what[700];

	snprintf(what, sizeof(what), "count %llu;verify %s;%s", (unsigned long long)count, mode,
		way);
	rig_engine_set(&rig, device->name, what);
	start_run();
	check_silent(device, count, what);
}

static void
renew(void **state, int (*how)(void **))
{
	rig_engine_teardown(state);
	how(state);
}

static void
test_dry(void **state)
{
	static const char *const modes[] = {"full", "sampled 10"};

	for (size_t i = 0; i < DIM(ways) * 2; i++) {
		uint64_t count = strstr(ways[i / 2], "70000") != NULL ? 150000 : 4999;
		struct pg_device *device;

		renew(state, setup_dry);
		device = rig_engine_add(&rig, "dev");
		device->port->can_segments = true;
		check_way(device, ways[i / 2], modes[i % 2], count);
		CHECK_U64(written, count, "packets, '%s'", ways[i / 2]);
	}
}

// What Linux's walks leave behind from one run to the next is part of it.
static void
test_linux(void **state)
{
	static const char *const linux_ways[] = {
		"pkt_size 60",
		RANGES "flag UDPSRC_RND;flag IPSRC_RND",
		RANGES "flag IPDST_RND;ratep 7",
		RANGES "src_mac 02:00:00:00:00:07;flows 5;flowlen 3",
		RANGES "flows 5;flowlen 3;flag FLOW_SEQ;flag IPDST_RND",
		"rate 100;min_pkt_size 60;max_pkt_size 70",
		"ratep 3;src_mac 02:00:00:00:00:07;src_mac_count 4",
		"src_mac 02:00:00:00:00:07;src_mac_count 0",
		"imix_weights 60,7 590,4 1514,1",
		"src_min 255.255.255.0;src_max 255.255.255.255",
		"flag TXSIZE_RND;min_pkt_size 60;max_pkt_size 70",
		"src6 fd00::1;dst6_min fd00::1;dst6_max fd00::a",
		"vlan_id 5;svlan_id 6;flag VID_RND;flag SVID_RND",
		"mpls 0001010a,0002000a",
	};

	(void)state;
	for (size_t i = 0; i < DIM(linux_ways); i++) {
		struct pg_device *device;

		renew(state, setup_dry);
		pg_engine_set_compat(rig.engine, PG_COMPAT_LINUX);
		device = rig_engine_add(&rig, "dev");
		check_way(device, linux_ways[i], "full", 1000);
		check_way(device, "", "full", 700);
		check_way(device, "src_mac_count 0", "sampled 3", 700);
	}
}

static void
test_templates(void **state)
{
	static struct template_case sample;

	for (uint64_t number = 1000; number < 1300; number++) {
		struct pg_device *device;

		template_draw(&sample, number);
		renew(state, setup_dry);
		pg_engine_set_seed(rig.engine, sample.seed & PG_SEED_MAX, true);
		device = rig_engine_add(&rig, "dev");
		rig_engine_set(&rig, "dev", number % 3 ? "verify full" : "verify sampled 5");
		rig_engine_set(&rig, "dev", sample.commands);
		rig_engine_set(&rig, "dev", "count 300");
		start_run();
		check_silent(device, 300, sample.commands);
	}
}

// Real runs, with a worker and its clock.
static void
test_runs(void **state)
{
	for (size_t i = 0; i < DIM(ways); i++) {
		struct pg_device *a, *b;
		uint64_t count = strstr(ways[i], "ratep 7;") != NULL ? 2 : 20000;

		if (strstr(ways[i], "clone_skb") != NULL) // a graph takes none
			continue;
		renew(state, setup);
		a = rig_engine_add(&rig, "dev@a");
		b = rig_engine_add(&rig, "dev@b");
		rig_engine_set(&rig, "dev@a", "xmit_mode netif_receive");
		rig_engine_set(&rig, "dev@b", "xmit_mode netif_receive;count 100;verify full");
		a->settings.rate = b->settings.rate;
		rig_engine_set(&rig, "dev@a", ways[i]);
		rig_engine_set(&rig, "dev@a", count == 2 ? "count 2" : "count 20000");
		rig_engine_set(&rig, "dev@a", i % 2 ? "verify full" : "verify sampled 100");
		start_run();
		CHECK(pg_receipt_fault(a->receipt) == NULL, "'%s': %s", ways[i], a->shortfall);
		CHECK_U64(a->receipt->check[PG_VERIFY_PACKETS].packets + a->account.skipped, count,
			"'%s'", ways[i]);
		check_silent(b, 100, ways[i]);
	}
}

// The rate changes in mid-run, from none and to none, and what is due is known again at once.
static void
test_changes(void **state)
{
	static const char *const begins[] = {"ratep 1000", "delay 0", "ratep 50000;pacing burst",
		"ratep 50000;arrival poisson", "ratep 50000;late skip",
		"rate 100M;min_pkt_size 60;max_pkt_size 1514;late stretch"};
	static const char *const rates[] = {"ratep 200000", "delay 3000", "rate 500M", "ratep 1",
		"delay 2147483647", "ratep 1000000", "rate 1GL1", "delay 0", "ratep 50k"};

	(void)state;
	for (size_t i = 0; i < DIM(begins); i++) {
		struct pg_device *device;

		renew(state, setup);
		device = rig_engine_inject(&rig, "dev", "count 0;verify full");
		rig_engine_set(&rig, "dev", begins[i]);
		rig_engine_start(&rig);
		rig.world.busy = true;
		for (unsigned int k = 0; k < 2 * DIM(rates); k++) {
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
			rig_engine_set(&rig, "dev", rates[k % DIM(rates)]);
		}
		pg_engine_stop(rig.engine, false);
		pg_engine_wait(rig.engine);
		rig.world.busy = false;
		CHECK(pg_receipt_fault(device->receipt) == NULL, "'%s': %s", begins[i],
			device->shortfall);
		assert_true(device->receipt->check[PG_VERIFY_GAPS].packets > 0);
	}
}

// Bursts of many devices on one pool, which then has not enough for a burst of each.
static void
test_dry_bursts(void **state)
{
	enum { DEVICES = 60 };
	struct pg_device *device[DEVICES];
	struct pg_error err = {0};
	char name[20];

	(void)state;
	device[0] = rig_engine_add(&rig, "dev@0");
	rig_engine_set(&rig, "dev@0", "pacing burst;ratep 1000;count 1000;burst 500;verify full");
	for (unsigned int i = 1; i < DEVICES; i++) {
		snprintf(name, sizeof(name), "dev@%u", i);
		assert_int_equal(pg_device_add(device[0]->thread, name, &err), 0);
		device[i] = pg_engine_device(rig.engine, name);
		device[i]->settings = device[0]->settings;
	}
	start_run();
	for (unsigned int i = 0; i < DEVICES; i++)
		check_silent(device[i], 1000, device[i]->name);
	CHECK_U64(written, DEVICES * 1000, "");
}

static prog_fn right;

// A test's own operation behind the last one: what is built and not read yet.
static void
wrong(const struct pg_prog *prog, const struct prog_op *op, struct pg_prog_state *state,
	struct rte_mbuf **pkts, unsigned int n)
{
	uint64_t first = state->index;

	right(prog, op, state, pkts, n);
	if (first <= 100 && first + n > 100) // its time to live
		rte_pktmbuf_mtod(pkts[100 - first], uint8_t *)[14 + 8] = 7;
}

// A run is prepared, and no worker has begun.
static void
break_program(void *ctx, const cpu_set_t *cpus)
{
	struct pg_device *device = pg_engine_device(rig.engine, "dev");
	struct prog_op *last = &device->task->owned_prog->ops[device->task->owned_prog->nops - 1];

	(void)ctx;
	if (CPU_COUNT(cpus) == 0)
		return;
	right = last->fn;
	last->fn = wrong;
}

static int
setup_broken(void **state)
{
	*state = &rig;
	rig_engine_open(
		&rig, &(struct pg_engine_config){.ports = &fake_ports, .polling = break_program});
	rig_engine_work(&rig, 1);
	return 0;
}

static void
test_broken(void **state)
{
	struct pg_device *device = rig_engine_add(&rig, "dev");

	(void)state;
	rig_engine_set(&rig, "dev", "xmit_mode netif_receive;pkt_size 60;count 150;burst 32");
	start_run(); // nobody looks
	assert_true(!device->fell_short && device->receipt == NULL);
	rig_engine_set(&rig, "dev", "verify full");
	start_run();
	assert_true(device->fell_short && pg_engine_run(rig.engine)->fell_short);
	CHECK_TEXT(device->shortfall, "receipt: packet 100: ip.ttl is 7, expected 32", "");
	CHECK_U64(pg_receipt_checks(device->receipt), 9, "");
	CHECK_U64(pg_receipt_ok(device->receipt), 7, "and the header's checksum");
	rig_engine_set(&rig, "dev", "verify off");
	start_run();
	assert_true(!device->fell_short && device->receipt == NULL);
}

#define RUN(test, setup) cmocka_unit_test_setup_teardown(test, setup, rig_engine_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(test_dry, setup_dry),
		RUN(test_linux, setup_dry),
		RUN(test_templates, setup_dry),
		RUN(test_runs, setup),
		RUN(test_dry_bursts, setup_dry),
		RUN(test_broken, setup_broken),
		RUN(test_changes, setup),
	};

	return cmocka_run_group_tests_name(
		"verify_run", tests, support_eal_start, support_eal_stop);
}
