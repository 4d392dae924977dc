/* SPDX-License-Identifier: BSD-3-Clause */
/* What a driver is given: runs on net_ring, whose ring the test empties. Fragments, long frames and
 * the fields of mbufs. */
#include "support.h"

#include <errno.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "support_eal.h"
#include "support_engine.h"
#include "support_prog.h"

#define RING "ETH_RXTX0_net_ring0" // where the driver puts what it sends

static struct rig_engine rig;
static struct rte_mbuf *got[1024];

static int
setup(void **state)
{
	*state = &rig;
	rig_engine_open(&rig, &(struct pg_engine_config){.ports = &pg_port_ethdev});
	rig_engine_work(&rig, 1);
	return 0;
}

static struct pg_device *
run(const char *name, const char *commands)
{
	struct pg_device *device = rig_engine_device(&rig, name);

	rig_engine_set(&rig, name, commands);
	rig_engine_run(&rig);
	CHECK_U64(device->result.sent, device->settings.count, "'%s'", commands);
	return device;
}

// All that the ring holds.
static unsigned int
receive(void)
{
	struct rte_ring *ring = rte_ring_lookup(RING);

	assert_non_null(ring);
	return rte_ring_dequeue_burst(ring, (void **)got, DIM(got), NULL);
}

static void
check_zero(const uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		assert_true(bytes[i] == 0);
}

#define PLAIN "flag NO_TIMESTAMP;clone_skb 0;min_pkt_size 60;max_pkt_size 60;"

// Reference 8.6: lengths of the first buffer and of each fragment. The kernel's count is shown.
static void
test_layout(void **state)
{
	static const struct {
		const char *commands;
		uint32_t total, shown, nsegs, first;
		uint32_t length[4]; // of the first fragments
		uint32_t last;
	} cases[] = {
		{"frags 0;pkt_size 1000", 1000, 0, 1, 1000, {0}, 1000},
		{"frags 1;pkt_size 1000", 1000, 1, 2, 58, {942}, 942},
		{"frags 5;pkt_size 1000", 1000, 5, 6, 58, {188, 188, 188, 188}, 190},
		{"frags 17;pkt_size 1500", 1500, 17, 18, 58, {84, 84, 84, 84}, 98},
		{"frags 100;pkt_size 1500", 1500, 17, 18, 58, {84, 84, 84, 84}, 98},
		{"frags 2;pkt_size 9000", 9000, 2, 3, 58 + 8942 - 8192, {4096, 4096}, 4096},
		{"frags 3;pkt_size 9000", 9000, 3, 4, 58, {2980, 2980, 2982}, 2982},
		{"frags 1;pkt_size 9000", 9000, 1, 2, 58 + 8942 - 4096, {4096}, 4096},
		{"frags 5;pkt_size 42", 58, 0, 1, 58, {0}, 58},
		{"frags 5;pkt_size 60", 60, 5, 2, 58, {2}, 2}, // without the empty ones
		{"frags 4;pkt_size 200;vlan_id 5", 200, 4, 5, 62, {34, 34, 34, 36}, 36},
		{"frags 4;pkt_size 200;flag UDPCSUM;clone_skb 3", 200, 4, 5, 58, {35, 35, 35, 37},
			37},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		char commands[200];
		struct pg_device *device;

		snprintf(commands, sizeof(commands), PLAIN "count 45;vlan_id 4096;%s",
			cases[i].commands);
		device = run("net_ring0", commands);
		CHECK_U64(device->result.frags, cases[i].shown, "row %zu", i);
		CHECK_U64(receive(), 45, "row %zu", i);
		for (unsigned int k = 0; k < 45; k++) {
			struct rte_mbuf *seg = got[k];
			uint32_t sum = seg->data_len;
			const char *why;

			CHECK(rte_mbuf_check(seg, 1, &why) == 0, "%s", why);
			CHECK_U64(seg->nb_segs, cases[i].nsegs, "row %zu", i);
			CHECK_U64(seg->data_len, cases[i].first, "row %zu", i);
			CHECK_U64(seg->pkt_len, cases[i].total, "row %zu", i);
			for (unsigned int f = 0; seg->next != NULL; f++) {
				seg = seg->next;
				CHECK(f >= 4 || seg->data_len == cases[i].length[f],
					"fragment %u has %u bytes, row %zu", f, seg->data_len, i);
				check_zero(rte_pktmbuf_mtod(seg, uint8_t *), seg->data_len);
				sum += seg->data_len;
			}
			CHECK_U64(seg->data_len, cases[i].last, "row %zu", i);
			CHECK_U64(sum, cases[i].total, "row %zu", i);
		}
		for (unsigned int k = 0; k < 45; k++) {
			// A receiver may write to what it got; the next run is clean again.
			for (struct rte_mbuf *s = got[k]; s != NULL; s = s->next)
				memset(rte_pktmbuf_mtod(s, uint8_t *), 0xa5, s->data_len);
		}
		for (unsigned int k = 0; k < 45; k++)
			rte_pktmbuf_free(got[k]);
	}
}

// Every buffer comes back, whichever way packets take, and however their sizes vary.
static void
test_buffers_return(void **state)
{
	static const char *const cases[] = {
		"count 10000;frags 3;pkt_size 600",
		"count 10000;frags 17;min_pkt_size 42;max_pkt_size 100",
		"count 10000;frags 2;clone_skb 7;pkt_size 100",
		"count 1000;frags 3;imix_weights 60,1 576,1;burst 512",
		"count 1000;frags 3;imix_weights 60,1 576,1;burst 512;ratep 1000000",
		"count 1000;frags 3;pkt_size 300;flag !SHARED;burst 1",
		"count 10000;frags 3;pkt_size 300;xmit_mode netif_receive",
		"count 10000;frags 3;min_pkt_size 42;max_pkt_size 300;xmit_mode netif_receive;"
		"dst_mac ff:ff:ff:ff:ff:ff",
	};

	for (size_t i = 0; i < DIM(cases); i++) {
		struct pg_device *device;
		bool injected = strstr(cases[i], "receive") != NULL;

		rig_engine_teardown(state);
		setup(state);
		device = run("net_null0", cases[i]);
		CHECK_U64(device->result.errors, injected && i == 6 ? 10000 : 0, "row %zu", i);
		assert_non_null(device->frag_pool);
		// What the worker's task keeps ready is not in the pool.
		CHECK(rte_mempool_in_use_count(device->frag_pool) <= 512 * 17, "row %zu", i);
		rig_engine_set(&rig, "net_null0", "frags 0");
		run("net_null0", "count 1");
		CHECK(rte_mempool_full(device->frag_pool), "%u fragments are missing, row %zu",
			rte_mempool_in_use_count(device->frag_pool), i);
	}
}

// skb_priority lies where DPDK's scheduler and its users look for it: in each packet's first
// buffer.
static void
test_priority(void **state)
{
	static const char *const cases[] = {"pkt_size 60", "min_pkt_size 60;max_pkt_size 99",
		"frags 3;pkt_size 99", "clone_skb 2;frags 0;pkt_size 99;max_pkt_size 99"};
	static const uint32_t values[] = {7, 0, UINT32_MAX, 1};
	struct rte_mempool *pool = rte_pktmbuf_pool_create("prepared", 1, 0, 0, 512, 0);
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
	const struct pg_flow flow = {.priority = 5, .frame_min = 58};
	struct pg_prog *prog = rig_compile(&(struct pg_prog_config){.flow = &flow, .stream = ""});

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		char commands[100];

		snprintf(commands, sizeof(commands), "count 70;skb_priority %u;%s", values[i],
			cases[i]);
		run("net_ring0", commands);
		CHECK_U64(receive(), 70, "row %zu", i);
		for (unsigned int k = 0; k < 70; k++) {
			CHECK_U64(got[k]->hash.sched.queue_id, values[i], "row %zu", i);
			CHECK_U64(got[k]->vlan_tci, 0, "row %zu", i);
		}
		rte_pktmbuf_free_bulk(got, 70);
	}
	// Where nobody changes mbufs they are written in advance.
	pg_prog_prepare(prog, mbuf);
	assert_int_equal(mbuf->hash.sched.queue_id, 5);
	pg_prog_destroy(prog);
	rte_pktmbuf_free(mbuf);
	rte_mempool_free(pool);
}

// Frames far above the usual MTU go through, whole; what a port cannot carry is refused with its
// limit, and nothing runs.
static void
test_long(void **state)
{
	static const uint32_t sizes[] = {9216, 9000, 1515, 1514};
	struct pg_error err = {0};
	struct pg_device *device;

	(void)state;
	for (size_t i = 0; i < DIM(sizes); i++) {
		char commands[100];

		snprintf(commands, sizeof(commands), "count 40;flag UDPCSUM;pkt_size %u", sizes[i]);
		device = run("net_ring0", commands);
		CHECK_U64(device->result.bytes, 40 * sizes[i], "bytes");
		CHECK_U64(receive(), 40, "size %u", sizes[i]);
		for (unsigned int k = 0; k < 40; k++) {
			const uint8_t *frame = rte_pktmbuf_mtod(got[k], const uint8_t *);

			CHECK_U64(got[k]->data_len, sizes[i], "packet %u", k);
			CHECK_U64((frame[16] << 8 | frame[17]), sizes[i] - 14, "total length");
			check_zero(frame + 58, sizes[i] - 58);
		}
		rte_pktmbuf_free_bulk(got, 40);
		rig_engine_set(&rig, "net_ring0", "count 1");
		device = run("net_null0", commands);
		CHECK_U64(device->result.bytes, 40 * sizes[i], "bytes of net_null");
		CHECK_U64(receive(), 1, "net_ring goes on");
		rte_pktmbuf_free(got[0]);
	}
	device->port->frame_max = 9014;
	rig_engine_set(&rig, "net_null0", "pkt_size 9014");
	run("net_null0", "count 3");
	rig_engine_set(&rig, "net_null0", "max_pkt_size 9015");
	assert_int_equal(pg_engine_start(rig.engine, &err), -EINVAL);
	CHECK(strstr(err.text, "frames of 9015 bytes are longer than net_null0 carries") != NULL,
		"'%s'", err.text);
	CHECK(strstr(err.expected, "at most 9014 bytes") != NULL, "'%s'", err.expected);
	assert_false(pg_engine_running(rig.engine));
}

static void
test_refused(void **state)
{
	struct rig_engine fake;
	struct pg_error err = {0};

	(void)state;
	rig_engine_init(&fake, NULL);
	rig_engine_add(&fake, "eth0"); // a port that does not say that it could
	rig_engine_set(&fake, "eth0", "count 1;frags 1");
	assert_int_equal(pg_engine_start(fake.engine, &err), -EOPNOTSUPP);
	CHECK(strstr(err.text, "cannot send packets in fragments") != NULL, "'%s'", err.text);
	assert_false(pg_engine_running(fake.engine));
	rig_engine_fini(&fake);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_layout, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_buffers_return, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_priority, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_long, setup, rig_engine_teardown),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("segments", tests, support_eal_start, support_eal_stop);
}
