/* SPDX-License-Identifier: BSD-3-Clause */
/* The meaning of the device commands: replies of reference 4.1, what goes together, what does not.
 */
#include "support.h"
#include "support_world.h"

#include <errno.h>

#include "pg_lang.h"
#include "pg_tx.h"

static const struct pg_command_list *const lists[] = {
	&pg_flow_commands, &pg_tx_device_commands, &pg_tx_rate_commands, &pg_tx_receive_commands};

struct speaker {
	struct fake_world world;
	struct pg_device device;
	struct pg_lang *lang;
};

static struct speaker speaker;

static int
setup(void **state)
{
	struct pg_error err = {0};

	memset(&speaker, 0, sizeof(speaker));
	*state = &speaker;
	fake_world_init(&speaker.world);
	fake_world_add(&speaker.world, "eth0", &speaker.device, &speaker.device.settings,
		sizeof(speaker.device.settings));
	speaker.lang = pg_lang_create(lists, DIM(lists), &speaker.world.world);
	if (speaker.lang == NULL || pg_lang_defaults(lists, DIM(lists), PG_TARGET_DEVICE,
					    &speaker.device.settings, &err) < 0)
		return -1;
	return pg_lang_check(speaker.lang, "[eth0]", &err);
}

static int
teardown(void **state)
{
	(void)state;
	pg_lang_destroy(speaker.lang);
	return 0;
}

static void
run(const char *line, const char *want)
{
	struct pg_error err = {0};
	struct pg_reply reply;

	CHECK(pg_lang_run(speaker.lang, line, &reply, &err) == 0, "'%s': %s", line, err.text);
	CHECK_TEXT(reply.text, want, "'%s'", line);
}

static void
refuse(const char *line, int code)
{
	struct pg_device_settings before = speaker.device.settings;
	struct pg_error err = {0};
	struct pg_reply reply;
	int rc = pg_lang_run(speaker.lang, line, &reply, &err);

	CHECK(rc == -code, "'%s' gave %d \"%s\", not %d", line, rc, rc ? err.text : reply.text,
		-code);
	CHECK(err.expected[0] != '\0', "'%s' expects nothing", line);
	assert_memory_equal(&before, &speaker.device.settings, sizeof(before));
}

// Reference 4.1, column "Result on success".
static void
test_replies(void **state)
{
	static const struct {
		const char *line, *reply;
	} cases[] = {
		{"min_pkt_size 60", "OK: min_pkt_size=60"},
		{"max_pkt_size 1514", "OK: max_pkt_size=1514"},
		{"pkt_size 64", "OK: pkt_size=64"},
		{"delay 1000", "OK: delay=1000"},
		{"delay 2147483647", "OK: delay=18446744073709551615"},
		{"delay 2147483646", "OK: delay=2147483646"},
		{"delay 2147483648", "OK: delay=2147483648"},
		{"delay 0", "OK: delay=0"},
		{"udp_src_min 1024", "OK: udp_src_min=1024"},
		{"udp_src_max 2048", "OK: udp_src_max=2048"},
		{"udp_dst_min 0", "OK: udp_dst_min=0"},
		{"udp_dst_max 65535", "OK: udp_dst_max=65535"},
		{"clone_skb 1", "OK: clone_skb=1"},
		{"clone_skb 0", "OK: clone_skb=0"},
		{"count 0", "OK: count=0"},
		{"count 9999999999", "OK: count=9999999999"},
		{"burst 8", "OK: burst=8"},
		{"xmit_mode netif_receive", "OK: xmit_mode=netif_receive"},
		{"xmit_mode start_xmit", "OK: xmit_mode=start_xmit"},
		{"flag UDPCSUM", "OK: flags=0x40040"},
		{"flag !UDPCSUM", "OK: flags=0x40000"},
		{"flag IPDST_RND", "OK: flags=0x40004"},
		{"dst 198.18.0.1", "OK: dst_min=198.18.0.1"}, // for both names
		{"dst_min 198.18.0.2", "OK: dst_min=198.18.0.2"},
		{"dst_max 198.18.0.3", "OK: dst_max=198.18.0.3"},
		{"src_min 10.0.0.1", "OK: src_min=10.0.0.1"},
		{"src_max 10.0.0.2", "OK: src_max=10.0.0.2"},
		{"dst_mac 90:e2:ba:ff:ff:ff", "OK: dstmac 90:e2:ba:ff:ff:ff"},
		{"src_mac 02:00:00:00:00:01", "OK: srcmac 02:00:00:00:00:01"},
		{"src_mac_count 3", "OK: src_mac_count=3"},
		{"flows 1000", "OK: flows=1000"},
		{"flowlen 4294967295", "OK: flowlen=4294967295"},
		{"flag FLOW_SEQ", "OK: flags=0x40804"},
		{"flag FLOW_RND", "OK: flags=0x40004"}, // the inverse of FLOW_SEQ
		{"flag !FLOW_RND", "OK: flags=0x40804"},
		{"flag !FLOW_SEQ", "OK: flags=0x40004"},
		{"dst_mac_count 4294967295", "OK: dst_mac_count=4294967295"},
		{"clear_counters", "OK: Clearing counters.\n"},
	};

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++)
		run(cases[i].line, cases[i].reply);
}

static void
test_delay_never(void **state)
{
	(void)state;
	run("delay 2147483647", "OK: delay=18446744073709551615");
	assert_true(speaker.device.settings.delay_ns == UINT64_MAX);
	run("delay 333", "OK: delay=333");
	assert_true(speaker.device.settings.delay_ns == 333);
}

// What `delay:` shows of a rate: whole ns, floored, from the smallest size as it is now (reference
// 4.1 and 8.7); the exact rate is kept beside it.
static void
test_rates(void **state)
{
	static const struct {
		const char *size, *line, *reply;
		uint64_t delay_ns;
	} cases[] = {
		{"pkt_size 60", "rate 100", "OK: rate=100", 4800},
		{"pkt_size 60", "rate 1000", "OK: rate=1000", 480},
		{"pkt_size 60", "rate 10000", "OK: rate=10000", 48},
		{"pkt_size 1514", "rate 10000", "OK: rate=10000", 1211},
		{"pkt_size 60", "rate 480001", "OK: rate=480001", 0},
		{"pkt_size 60", "rate 481", "OK: rate=481", 997},
		{NULL, "rate 100", "OK: rate=100", 0},       // no size yet
		{NULL, "ratep 1", "OK: rate=1", 1000000000}, // sic: rate
		{NULL, "ratep 200", "OK: rate=200", 5000000},
		{NULL, "ratep 3000000", "OK: rate=3000000", 333},
		{NULL, "ratep 14880952", "OK: rate=14880952", 67},
		{NULL, "ratep 1000000001", "OK: rate=1000000001", 0},
	};
	char reply[80];

	for (size_t i = 0; i < DIM(cases); i++) {
		teardown(state);
		assert_int_equal(setup(state), 0);
		if (cases[i].size != NULL) {
			snprintf(reply, sizeof(reply), "OK: pkt_size=%s", cases[i].size + 9);
			run(cases[i].size, reply);
		}
		run(cases[i].line, cases[i].reply);
		CHECK_U64(speaker.device.settings.delay_ns, cases[i].delay_ns, "%s", cases[i].line);
	}
	refuse("rate 0", ERANGE);
	refuse("ratep 0", ERANGE);
}

// The last of delay, ratep and rate counts.
static void
test_last_rate_counts(void **state)
{
	const struct pg_rate *rate = &speaker.device.settings.rate;

	(void)state;
	assert_int_equal(rate->kind, PG_RATE_NONE);
	run("ratep 3000000", "OK: rate=3000000");
	assert_true(rate->kind == PG_RATE_PPS && rate->value == 3000000);
	run("delay 1000", "OK: delay=1000");
	assert_true(rate->kind == PG_RATE_DELAY && rate->value == 1000);
	run("rate 100", "OK: rate=100");
	assert_true(rate->kind == PG_RATE_KERNEL && rate->value == 100);
	run("delay 2147483647", "OK: delay=18446744073709551615");
	assert_true(rate->kind == PG_RATE_DELAY && rate->value == UINT64_MAX);
	run("delay 0", "OK: delay=0");
	assert_int_equal(rate->kind, PG_RATE_NONE);
	assert_true(speaker.device.settings.delay_ns == 0);
}

// Reference 4.1 and 4.3: a tag turns labels off and labels turn tags off; the priority and the CFI
// bit outlive that (recorded: extra-44..56).
static void
test_tags_and_labels(void **state)
{
	const struct pg_template *t = &speaker.device.settings.tmpl;

	(void)state;
	run("mpls 0001000a,123", "OK: mpls=0001000a,00000123");
	assert_true(t->mpls.count == 2 && t->mpls.word[1] == 0x123);
	assert_true((t->flags & PG_FLAG_MPLS_RND) != 0); // 0x123 has the S bit
	run("vlan_id 5", "OK: vlan_id=5");
	assert_true(t->mpls.count == 0 && t->vlan.id == 5);
	assert_true((t->flags & PG_FLAG_MPLS_RND) != 0); // never cleared by itself
	run("vlan_p 3", "OK: vlan_p=3");
	run("vlan_cfi 1", "OK: vlan_cfi=1");
	run("svlan_id 4095", "OK: svlan_id=4095");
	run("svlan_p 7", "OK: svlan_p=7");
	run("mpls 1", "OK: mpls=00000001");
	assert_true(t->vlan.id == PG_VLAN_OFF && t->svlan.id == PG_VLAN_OFF);
	run("mpls 0", "OK: mpls=");
	assert_true(t->mpls.count == 0 && t->vlan.id == PG_VLAN_OFF);
	run("vlan_id 0", "OK: vlan_id=0");
	assert_true(t->vlan.id == 0 && t->vlan.p == 3 && t->vlan.cfi == 1);
	assert_true(t->svlan.id == PG_VLAN_OFF && t->svlan.p == 7);
	run("svlan_id 1", "OK: svlan_id=1");
	refuse("vlan_p 8", ERANGE);
	refuse("vlan_cfi 2", ERANGE);
	refuse("svlan_cfi 2", ERANGE);
	refuse("mpls 1,", EINVAL);
	refuse("mpls 1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10,11", E2BIG);
}

// Without a tag there is nothing to set on it.
static void
test_no_tag(void **state)
{
	(void)state;
	refuse("vlan_p 1", EINVAL);
	refuse("vlan_cfi 1", EINVAL);
	refuse("svlan_id 5", EINVAL);
	refuse("svlan_p 1", EINVAL);
	run("vlan_id 5", "OK: vlan_id=5");
	refuse("svlan_p 1", EINVAL);
	refuse("svlan_cfi 1", EINVAL);
	run("tos b8", "OK: tos=0xb8");
	run("traffic_class 0f", "OK: traffic_class=0x0f");
	refuse("tos 0ff", EINVAL);
}

// Each of them makes the packets IPv6; only `!IPV6` unmakes it (reference 4.1 and 4.2).
static void
test_ip6(void **state)
{
	static const struct {
		const char *line, *reply;
	} cases[] = {
		{"dst6 FD00::2", "OK: dst6=fd00::2"},
		{"dst6_min fd00::1", "OK: dst6_min=fd00::1"},
		{"dst6_max fd00:0:0:0:0:0:0:ff", "OK: dst6_max=fd00::ff"},
		{"src6 ::", "OK: src6=::"},
	};
	const struct pg_template *t = &speaker.device.settings.tmpl;

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		run(cases[i].line, cases[i].reply);
		CHECK((t->flags & PG_FLAG_IPV6) != 0, "%s", cases[i].line);
		run("flag !IPV6", "OK: flags=0x40000");
		assert_true((t->flags & PG_FLAG_IPV6) == 0);
	}
	refuse("flag IPV6", EINVAL);
	refuse("dst6 fd00::2/64", EINVAL);
	assert_true((t->flags & PG_FLAG_IPV6) == 0);
}

// min = max = n, but only if n differs from the present min.
static void
test_pkt_size(void **state)
{
	static const struct {
		const char *lines[3];
		uint32_t min, max;
	} cases[] = {
		{{"pkt_size 60", NULL, NULL}, 60, 60},
		{{"min_pkt_size 60", "max_pkt_size 1500", "pkt_size 60"}, 60, 1500},
		{{"min_pkt_size 60", "max_pkt_size 1500", "pkt_size 61"}, 61, 61},
		{{"max_pkt_size 1500", "pkt_size 42", NULL}, 42, 42},
		{{"pkt_size 100", "min_pkt_size 200", NULL}, 200, 100},
	};
	struct pg_template *tmpl = &speaker.device.settings.tmpl;
	char reply[80];

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		tmpl->min_size = tmpl->max_size = 0;
		for (size_t k = 0; k < 3 && cases[i].lines[k] != NULL; k++) {
			snprintf(reply, sizeof(reply), "OK: %s", cases[i].lines[k]);
			reply[4 + strcspn(cases[i].lines[k], " ")] = '=';
			run(cases[i].lines[k], reply);
		}
		CHECK(tmpl->min_size == cases[i].min && tmpl->max_size == cases[i].max,
			"row %zu: %u %u", i, tmpl->min_size, tmpl->max_size);
	}
}

// Reference 4.1 and 6.5: refused in whatever order it is written; the text and errno of each.
static void
test_sharing(void **state)
{
	static const struct {
		const char *first, *second;
		int code;
	} cases[] = {
		{"clone_skb 1", "xmit_mode netif_receive", EOPNOTSUPP},
		{"xmit_mode netif_receive", "clone_skb 1", EOPNOTSUPP},
		{"xmit_mode rx_inject", "clone_skb 8", EOPNOTSUPP},
		{"flag !SHARED", "clone_skb 1", EINVAL},
		{"flag !SHARED", "burst 2", EINVAL},
		{"clone_skb 1", "flag !SHARED", EINVAL}, // clone_skb != 0
		{"clone_skb 8", "flag !SHARED", EINVAL},
		{"burst 2", "flag !SHARED", EINVAL},
		{"flag !SHARED", "clone_skb 0", 0},
		{"flag !SHARED", "burst 1", 0},
		{"clone_skb 0", "flag !SHARED", 0},
		{"burst 1", "flag !SHARED", 0},
		{"count 5", "flag !SHARED", 0}, // the default burst was not asked for
		{"clone_skb 0", "xmit_mode netif_receive", 0},
		{"clone_skb 2", "burst 2", 0},
		{"xmit_mode netif_receive", "burst 2", 0},
		{"xmit_mode netif_receive", "clone_skb 0", 0},
		{"imix_weights 60,7 590,4", "clone_skb 1", EINVAL},
		{"clone_skb 1", "imix_weights 60,7 590,4", EINVAL},
		{"imix_weights 60,7 590,4", "clone_skb 0", 0},
		{"clone_skb 0", "imix_weights 60,7 590,4", 0},
		{"clone_skb 2", "flag SHARED", 0},
		{"clone_skb 2", "flag !UDPCSUM", 0},
	};
	struct pg_error err = {0};
	struct pg_reply reply;

	for (size_t i = 0; i < DIM(cases); i++) {
		teardown(state);
		assert_int_equal(setup(state), 0);
		CHECK(pg_lang_run(speaker.lang, cases[i].first, &reply, &err) == 0, "row %zu", i);
		if (cases[i].code != 0) {
			refuse(cases[i].second, cases[i].code);
			continue;
		}
		CHECK(pg_lang_run(speaker.lang, cases[i].second, &reply, &err) == 0,
			"row %zu: '%s' is refused: %s", i, cases[i].second, err.text);
	}
}

// seq_num = 1, sofar, errors, bytes and idle = 0 (reference 4.1).
static void
test_clear_counters(void **state)
{
	struct pg_device *device = &speaker.device;

	(void)state;
	device->current.seq_num = 77;
	device->result = (struct pg_result){.sent = 76, .errors = 5, .bytes = 4560, .idle_ns = 9};
	run("clear_counters", "OK: Clearing counters.\n");
	assert_true(device->current.seq_num == 1);
	assert_true(device->result.sent == 0 && device->result.errors == 0);
	assert_true(device->result.bytes == 0 && device->result.idle_ns == 0);
}

// Flags: bits of reference 4.2; every one that a line can set has the kernel's value.
static void
test_flag_bits(void **state)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} bits[] = {
		{"IPV6", 0x1},
		{"IPSRC_RND", 0x2},
		{"IPDST_RND", 0x4},
		{"TXSIZE_RND", 0x8},
		{"UDPSRC_RND", 0x10},
		{"UDPDST_RND", 0x20},
		{"UDPCSUM", 0x40},
		{"NO_TIMESTAMP", 0x80},
		{"MPLS_RND", 0x100},
		{"QUEUE_MAP_RND", 0x200},
		{"QUEUE_MAP_CPU", 0x400},
		{"FLOW_SEQ", 0x800},
		{"IPSEC", 0x1000},
		{"MACSRC_RND", 0x2000},
		{"MACDST_RND", 0x4000},
		{"VID_RND", 0x8000},
		{"SVID_RND", 0x10000},
		{"NODE", 0x20000},
		{"SHARED", 0x40000},
	};
	const struct pg_command *row = pg_lang_find(speaker.lang, PG_TARGET_DEVICE, "flag");

	(void)state;
	for (const struct pg_word *w = row->arg.words; w->name != NULL; w++) {
		size_t i = 0;

		while (i < DIM(bits) && strcmp(bits[i].name, w->name) != 0)
			i++;
		if (i == DIM(bits)) // FLOW_RND, NODE_ALLOC: other names of a bit
			continue;
		CHECK_U64(w->value, bits[i].bit, "%s", w->name);
		CHECK_TEXT(pg_flow_flag_name(bits[i].bit), bits[i].name, "the name of a bit");
	}
	assert_null(pg_flow_flag_name(0x40000000));
}

// Names that Linux's documentation uses but its code does not know (reference 4.1).
static void
test_unknown_names(void **state)
{
	static const char *const lines[] = {"dstmac 90:e2:ba:ff:ff:ff", "srcmac 90:e2:ba:ff:ff:ff",
		"svlan 5", "Count 5", "COUNT 5", "flag udpcsum", "flag NOSUCH", "xmit_mode nosuch"};

	(void)state;
	for (size_t i = 0; i < DIM(lines); i++)
		refuse(lines[i], EINVAL);
}

#define ON_DEVICE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DEVICE(test_replies),
		ON_DEVICE(test_delay_never),
		ON_DEVICE(test_rates),
		ON_DEVICE(test_last_rate_counts),
		ON_DEVICE(test_tags_and_labels),
		ON_DEVICE(test_no_tag),
		ON_DEVICE(test_ip6),
		ON_DEVICE(test_pkt_size),
		ON_DEVICE(test_sharing),
		ON_DEVICE(test_clear_counters),
		ON_DEVICE(test_flag_bits),
		ON_DEVICE(test_unknown_names),
	};

	return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
