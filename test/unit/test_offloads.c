/* SPDX-License-Identifier: BSD-3-Clause */
/* What a port is asked for. No virtual device frees buffers without looking, so the linker's --wrap
 * makes net_null say that it does, and notes what it is configured for. */
#include "support.h"

#include <inttypes.h>

#include <rte_ethdev.h>

#include "support_eal.h"
#include "support_engine.h"

#define FAST_FREE RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE

static struct rig_engine rig;
static uint64_t offered, asked;
static unsigned int configured;

int __real_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info);
int __real_rte_eth_dev_configure(
	uint16_t port, uint16_t nrxqs, uint16_t ntxqs, const struct rte_eth_conf *conf);
int __wrap_rte_eth_dev_configure(
	uint16_t port, uint16_t nrxqs, uint16_t ntxqs, const struct rte_eth_conf *conf);

int
__wrap_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info)
{
	int rc = __real_rte_eth_dev_info_get(port, info);

	info->tx_offload_capa |= offered;
	return rc;
}

int
__wrap_rte_eth_dev_configure(
	uint16_t port, uint16_t nrxqs, uint16_t ntxqs, const struct rte_eth_conf *conf)
{
	struct rte_eth_conf real = *conf;

	configured++;
	asked = conf->txmode.offloads;
	real.txmode.offloads &= ~offered;
	return __real_rte_eth_dev_configure(port, nrxqs, ntxqs, &real);
}

static int
setup(void **state)
{
	*state = &rig;
	configured = 0;
	rig_engine_open(&rig, &(struct pg_engine_config){.ports = &pg_port_ethdev});
	rig_engine_work(&rig, 1);
	return 0;
}

static void
run(const char *name, const char *commands, bool fast_free)
{
	struct pg_device *device = rig_engine_device(&rig, name);

	rig_engine_set(&rig, name, commands);
	rig_engine_run(&rig);
	CHECK_U64(device->result.sent, device->settings.count, "'%s'", commands);
	CHECK((asked & FAST_FREE) == (fast_free ? FAST_FREE : 0), "'%s' asked for %" PRIx64,
		commands, asked);
	CHECK(device->placement.fast_free == fast_free, "'%s' is shown wrong", commands);
}

// It is asked for as long as nobody holds a packet twice or sends it in pieces.
static void
test_fast_free(void **state)
{
	(void)state;
	offered = FAST_FREE;
	run("net_null0", "count 100", true);
	run("net_null0", "count 101", true);
	assert_int_equal(configured, 1); // nothing has changed
	run("net_null0", "clone_skb 2", false);
	run("net_null0", "clone_skb 1", true);
	run("net_null0", "frags 2", false);
	run("net_null0", "frags 0", true);
	run("net_null0@1", "count 7", true);
	run("net_null0@1", "clone_skb 10", false);
	run("net_null0", "count 100", false); // its neighbour shares the queue
	assert_int_equal(configured, 6);
}

// A driver that does not offer it is not asked.
static void
test_not_offered(void **state)
{
	(void)state;
	offered = 0;
	run("net_null1", "count 100", false);
	run("net_null1", "clone_skb 2", false);
	assert_int_equal(configured, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fast_free, setup, rig_engine_teardown),
		cmocka_unit_test_setup_teardown(test_not_offered, setup, rig_engine_teardown),
	};

	return cmocka_run_group_tests_name("offloads", tests, support_eal_start, support_eal_stop);
}
