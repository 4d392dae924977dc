/* SPDX-License-Identifier: BSD-3-Clause */
/* Every row of the reference's table of device commands (4.1) through the strict door: what it
 * accepts, what it replies, where its limits are, and what it refuses, where and how. A new row is
 * a line in one of the tables here. What the kernel cuts, clamps or ignores is refused (DESIGN 8).
 */
#include "support.h"

#include <errno.h>
#include <inttypes.h>

#include "app.h"
#include "support_door.h"

// A size has no limit in the kernel; here a frame fits into one buffer's 16-bit data room.
#define SIZE_MOST 65344

/** Rows that take one decimal number. */
static const struct {
	const char *name;
	uint64_t least, most;
	const char *before; /**< lines without which it is refused */
	const char *answer; /**< the reply up to the number; NULL: "OK: NAME=" */
	uint64_t beyond;    /**< a number above the limit; 0: most + 1 */
	const char *first;  /**< the reply's number for `least`, if it is another */
} numbers[] = {
	{"min_pkt_size", 42, SIZE_MOST},
	{"max_pkt_size", 42, SIZE_MOST},
	{"pkt_size", 42, SIZE_MOST},
	{"delay", 0, UINT64_MAX},
	{"ratep", 1, 1000000000000, .answer = "OK: rate="}, // sic
	{"rate", 1, 1000000000, .beyond = 1000000000000001},
	{"udp_src_min", 0, UINT16_MAX},
	{"udp_src_max", 0, UINT16_MAX},
	{"udp_dst_min", 0, UINT16_MAX},
	{"udp_dst_max", 0, UINT16_MAX},
	{"clone_skb", 0, INT32_MAX},
	{"count", 0, UINT64_MAX},
	{"src_mac_count", 0, UINT32_MAX},
	{"dst_mac_count", 0, UINT32_MAX},
	{"burst", 0, UINT32_MAX, .first = "1"},
	{"flows", 0, 65536},
	{"flowlen", 0, UINT32_MAX},
	{"frags", 0, INT32_MAX},
	{"skb_priority", 0, UINT32_MAX},
	{"rx_flows", 1, 1048576},
	{"rx_ring", 1, 262144},
	{"queue_map_min", 0, 1023},
	{"queue_map_max", 0, 1023},
	{"debug", 0, UINT32_MAX},
	{"duration", 0, 315360000000000000},
	{"vlan_id", 0, 4095, .beyond = 5000},
	{"vlan_p", 0, 7, .before = "vlan_id 5"},
	{"vlan_cfi", 0, 1, .before = "vlan_id 5"},
	{"svlan_id", 0, 4095, .before = "vlan_id 5", .beyond = 5000},
	{"svlan_p", 0, 7, .before = "vlan_id 5;svlan_id 6"},
	{"svlan_cfi", 0, 1, .before = "vlan_id 5;svlan_id 6"},
};

static void
number_accepts(size_t i, uint64_t value, const char *shown)
{
	char line[80], reply[80];

	snprintf(line, sizeof(line), "%s %" PRIu64, numbers[i].name, value);
	if (numbers[i].answer != NULL)
		snprintf(reply, sizeof(reply), "%s", numbers[i].answer);
	else
		snprintf(reply, sizeof(reply), "OK: %s=", numbers[i].name);
	if (shown != NULL)
		strcat(reply, shown);
	else
		strcat(reply, line + strlen(numbers[i].name) + 1);
	door_accepts(numbers[i].before, line, reply);
}

static void
number_refuses(size_t i, uint64_t value)
{
	char line[80];

	snprintf(line, sizeof(line), "%s |%" PRIu64, numbers[i].name, value);
	door_refuses(numbers[i].before, line, ERANGE);
}

static void
test_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(numbers); i++) {
		uint64_t least = numbers[i].least, most = numbers[i].most;

		number_accepts(i, least, numbers[i].first);
		number_accepts(i, least + 1, NULL);
		number_accepts(i, most, NULL);
		if (least > 0)
			number_refuses(i, least - 1);
		if (numbers[i].beyond != 0)
			number_refuses(i, numbers[i].beyond);
		else if (most < UINT64_MAX)
			number_refuses(i, most + 1);
	}
}

// The kernel takes the digits at the start, and 0 if there are none.
static void
test_no_numbers(void **state)
{
	static const struct {
		const char *words;
		int code;
	} wrong[] = {
		{"|abc", EINVAL},
		{"|xyz", EINVAL},
		{"|-1", EINVAL},
		{"|+1", EINVAL},
		{"|0x10", EINVAL},
		{"|1e99", EINVAL},
		{"|1.5", EINVAL},
		{"|5x", EINVAL},
		{"|5,6", EINVAL},
		{"|", EINVAL},
		{"1 |2", EINVAL},
		{"|18446744073709551616", ERANGE},
		{"|999999999999999999999999999999", ERANGE},
	};
	char line[160];

	(void)state;
	for (size_t i = 0; i < DIM(numbers); i++) {
		for (size_t k = 0; k < DIM(wrong); k++) {
			// Text behind a number that is right.
			bool two = wrong[k].words[0] == '1';

			snprintf(line, sizeof(line), "%s %s", numbers[i].name, wrong[k].words);
			if (two)
				snprintf(line, sizeof(line), "%s %" PRIu64 " |2", numbers[i].name,
					numbers[i].most);
			door_refuses(numbers[i].before, line, wrong[k].code);
		}
	}
}

/** Rows that take one address, by type. */
struct address_row {
	const char *name, *answer;
};
static const struct address_row ip4_rows[] = {
	{"dst", "OK: dst_min="}, // for both names
	{"dst_min", "OK: dst_min="},
	{"dst_max", "OK: dst_max="},
	{"src_min", "OK: src_min="},
	{"src_max", "OK: src_max="},
};
static const struct address_row ip6_rows[] = {
	{"dst6", "OK: dst6="},
	{"dst6_min", "OK: dst6_min="},
	{"dst6_max", "OK: dst6_max="},
	{"src6", "OK: src6="},
};
static const struct address_row mac_rows[] = {
	{"dst_mac", "OK: dstmac "},
	{"src_mac", "OK: srcmac "},
};

/** What an address may look like, and what the reply makes of it; NULL: it is refused. */
struct address_form {
	const char *word, *shown;
};
static const struct address_form ip4_forms[] = {
	{"198.18.0.1", "198.18.0.1"},
	{"0.0.0.0", "0.0.0.0"},
	{"255.255.255.255", "255.255.255.255"},
	{"10.0.0.256", NULL},
	{"256.0.0.1", NULL},
	{"10.0.0", NULL},
	{"10", NULL},
	{"10.0.0.1.2", NULL},
	{"10.0.0.", NULL},
	{".0.0.1", NULL},
	{"10.0.0.x", NULL},
	{"10.0.0.-1", NULL},
	{"10.0.0.1/24", NULL},
	{"fd00::1", NULL},
	{"eth0", NULL},
	{"111111111111111111111111111111111111.1.1.1", NULL},
	{"", NULL},
};
static const struct address_form ip6_forms[] = {
	{"fd00::2", "fd00::2"},
	{"FD00:0:0:0:0:0:0:2", "fd00::2"},
	{"::", "::"},
	{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
	{"1:0:0:2:3:0:0:4", "1::2:3:0:0:4"},
	{"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
	{"::ffff:1.2.3.4", "::ffff:1.2.3.4"},
	{"::1.2.3.4", "::102:304"},
	{"fe80::5efe:1.2.3.4", "fe80::5efe:1.2.3.4"},
	{"1::2::3", NULL},
	{":1", NULL},
	{"fd00:", NULL},
	{"fd00", NULL},
	{"fd00::2/64", NULL},
	{"fd00::2%eth0", NULL},
	{"fd00::00008", NULL},
	{"fd00::g", NULL},
	{"1:2:3:4:5:6:7", NULL},
	{"1:2:3:4:5:6:7:8:9", NULL},
	{"::1.2.3.400", NULL},
	{"::ffff:1.2.3.4.5", NULL},
	{"198.18.0.1", NULL},
	{"", NULL},
};
static const struct address_form mac_forms[] = {
	{"90:e2:ba:ff:ff:ff", "90:e2:ba:ff:ff:ff"},
	{"00:00:00:00:00:00", "00:00:00:00:00:00"},
	{"AA:BB:CC:DD:EE:FF", "aa:bb:cc:dd:ee:ff"},
	{"90:e2:ba:ff:ff", NULL},
	{"90:e2:ba:ff:ff:", NULL},
	{"90:e2:ba:ff:ff:f", NULL},
	{"90:e2:ba:ff:ff:fg", NULL},
	{"90:e2:ba:ff:ff:ff:ff", NULL},
	{"90:e2:ba:ff:ff:fff", NULL},
	{"0:1:2:3:4:5", NULL},
	{"90-e2-ba-ff-ff-ff", NULL},
	{"90e2baffffff", NULL},
	{"", NULL},
};

static void
try_addresses(const struct address_row *rows, size_t nrows, const struct address_form *forms,
	size_t nforms)
{
	char line[160], reply[160];

	for (size_t i = 0; i < nrows; i++) {
		for (size_t k = 0; k < nforms; k++) {
			bool wrong = forms[k].shown == NULL;

			snprintf(line, sizeof(line), "%s %s%s", rows[i].name, wrong ? "|" : "",
				forms[k].word);
			snprintf(reply, sizeof(reply), "%s%s", rows[i].answer,
				wrong ? "" : forms[k].shown);
			if (wrong)
				door_refuses(NULL, line, EINVAL);
			else
				door_accepts(NULL, line, reply);
		}
		// More than one.
		snprintf(line, sizeof(line), "%s %s |%s", rows[i].name, forms[0].word,
			forms[0].word);
		door_refuses(NULL, line, EINVAL);
	}
}

static void
test_addresses(void **state)
{
	(void)state;
	try_addresses(ip4_rows, DIM(ip4_rows), ip4_forms, DIM(ip4_forms));
	try_addresses(ip6_rows, DIM(ip6_rows), ip6_forms, DIM(ip6_forms));
	try_addresses(mac_rows, DIM(mac_rows), mac_forms, DIM(mac_forms));
}

#define LABELS_16 "1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10"
#define PAIRS_19                                                                      \
	"60,1 61,1 62,1 63,1 64,1 65,1 66,1 67,1 68,1 69,1 70,1 71,1 72,1 73,1 74,1 " \
	"75,1 76,1 77,1 78,1"

/** Everything else: a line, what stands before it, and its reply or, with '|' in it, its errno. */
static const struct {
	const char *before, *line, *reply;
	int code;
} lines[] = {
	{NULL, "clear_counters", "OK: Clearing counters.\n", 0},
	{NULL, "clear_counters |now", NULL, EINVAL},
	// delay: never; rate: the documented suffix, no share of nothing.
	{NULL, "delay 2147483647", "OK: delay=18446744073709551615", 0},
	{NULL, "delay 2147483646", "OK: delay=2147483646", 0},
	{NULL, "rate |300X", NULL, EINVAL},
	{NULL, "rate |0M", NULL, ERANGE},
	{NULL, "ratep 3M", "OK: rate=3000000", 0},
	{NULL, "rate 50%", "OK: rate=50 % of the port's speed", 0},
	{NULL, "rate |0%", NULL, ERANGE},
	{NULL, "rate |100.1%", NULL, ERANGE},
	{NULL, "duration 30s", "OK: duration=30000000000", 0},
	{NULL, "duration 1.5us", "OK: duration=1500", 0},
	{NULL, "duration |30h", NULL, EINVAL},
	{NULL, "pacing smooth", "OK: pacing=smooth", 0},
	{NULL, "pacing burst", "OK: pacing=burst", 0},
	{NULL, "pacing |rough", NULL, EINVAL},
	{NULL, "arrival constant", "OK: arrival=constant", 0},
	{NULL, "arrival poisson", "OK: arrival=poisson", 0},
	{NULL, "arrival |uniform", NULL, EINVAL},
	{NULL, "late catchup", "OK: late=catchup 1000000000", 0},
	{NULL, "late catchup 100ms", "OK: late=catchup 100000000", 0},
	{NULL, "late catchup 0", "OK: late=catchup 0", 0},
	{NULL, "late skip", "OK: late=skip", 0},
	{NULL, "late stretch", "OK: late=stretch", 0},
	{NULL, "late |drop", NULL, EINVAL},
	{NULL, "late |skip 5", NULL, EINVAL},
	{NULL, "late |catchup soon", NULL, EINVAL},
	{NULL, "late |catchup 18446744073709551616", NULL, ERANGE},
	{NULL, "late |", NULL, EINVAL},
	{NULL, "tolerance 0.1%", "OK: tolerance=0.1%", 0},
	{NULL, "tolerance 100%", "OK: tolerance=100%", 0},
	{NULL, "tolerance 0%", "OK: tolerance=0%", 0},
	{NULL, "tolerance |1", NULL, EINVAL},
	{NULL, "tolerance |%", NULL, EINVAL},
	{NULL, "tolerance |0.0000001%", NULL, EINVAL},
	{NULL, "tolerance |101%", NULL, ERANGE},
	{NULL, "gaps auto", "OK: gaps=auto", 0},
	{NULL, "gaps on", "OK: gaps=on", 0},
	{NULL, "gaps off", "OK: gaps=off", 0},
	{NULL, "gaps |maybe", NULL, EINVAL},
	// Sizes do not turn into others; pkt_size acts only if it differs from the smallest.
	{"min_pkt_size 60;max_pkt_size 1500", "pkt_size 60", "OK: pkt_size=60", 0},
	// A mix: no reply, and no limit but its own.
	{NULL, "imix_weights 60,7 590,4 1514,1", "", 0},
	{NULL, "imix_weights 42,1", "", 0},
	{NULL, "imix_weights 60,9999999999", "", 0},
	{NULL, "imix_weights " PAIRS_19 " 79,1", "", 0},
	{NULL, "imix_weights |" PAIRS_19 " 79,1 80,1", NULL, E2BIG},
	{NULL, "imix_weights |", NULL, EINVAL},
	{NULL, "imix_weights |60", NULL, EINVAL},
	{NULL, "imix_weights |60,7 590", NULL, EINVAL},
	{NULL, "imix_weights |60,", NULL, ERANGE},
	{NULL, "imix_weights |60,0", NULL, ERANGE},
	{NULL, "imix_weights |60,x", NULL, ERANGE},
	{NULL, "imix_weights |,7", NULL, ERANGE},
	{NULL, "imix_weights |41,7", NULL, ERANGE},
	{NULL, "imix_weights |60,7,8", NULL, ERANGE},
	{NULL, "imix_weights |60,10000000000", NULL, ERANGE},
	{"clone_skb 1", "imix_weights |60,7", NULL, EINVAL},
	{"imix_weights 60,7", "clone_skb |1", NULL, EINVAL},
	{"imix_weights 60,7", "clone_skb 0", "OK: clone_skb=0", 0},
	// clone_skb, burst and the modes (6.5).
	{NULL, "xmit_mode start_xmit", "OK: xmit_mode=start_xmit", 0},
	{NULL, "xmit_mode netif_receive", "OK: xmit_mode=netif_receive", 0},
	{NULL, "xmit_mode |nosuch", NULL, EINVAL},
	{NULL, "xmit_mode |START_XMIT", NULL, EINVAL},
	{NULL, "xmit_mode |start_xmit,", NULL, EINVAL},
	{NULL, "xmit_mode |", NULL, EINVAL},
	{NULL, "xmit_mode start_xmit |now", NULL, EINVAL},
	{NULL, "xmit_mode queue_xmit", "OK: xmit_mode=queue_xmit", 0},
	{NULL, "xmit_mode |xmit_queue", NULL, EINVAL},
	{"xmit_mode queue_xmit", "burst |2", NULL, EOPNOTSUPP},
	{"xmit_mode queue_xmit", "burst 1", "OK: burst=1", 0},
	{"burst 2", "xmit_mode |queue_xmit", NULL, EOPNOTSUPP},
	{"clone_skb 2", "xmit_mode queue_xmit", "OK: xmit_mode=queue_xmit", 0},
	{"clone_skb 1", "xmit_mode |netif_receive", NULL, EOPNOTSUPP},
	{"xmit_mode netif_receive", "clone_skb |1", NULL, EOPNOTSUPP},
	{"xmit_mode netif_receive", "clone_skb 0", "OK: clone_skb=0", 0},
	{"xmit_mode netif_receive", "burst 32", "OK: burst=32", 0},
	// The chain of nodes: each word in its place.
	{NULL, "rx_graph host", "OK: rx_graph=host", 0},
	{NULL, "rx_graph null", "OK: rx_graph=null", 0},
	{NULL, "rx_graph eth,ip4,drop", "OK: rx_graph=eth,ip4,drop", 0},
	{NULL, "rx_graph |", NULL, EINVAL},
	{NULL, "rx_graph |nosuch", NULL, EINVAL},
	{NULL, "rx_graph |Host", NULL, EINVAL},
	{NULL, "rx_graph eth,|nosuch,drop", NULL, EINVAL},
	{NULL, "rx_graph eth,|,drop", NULL, EINVAL},
	{NULL, "rx_graph |ip4,drop", NULL, EINVAL},
	{NULL, "rx_graph eth,ip4,|eth,drop", NULL, EINVAL},
	{NULL, "rx_graph eth,|eth,drop", NULL, EINVAL},
	{NULL, "rx_graph eth,drop,|ip4", NULL, EINVAL},
	{NULL, "rx_graph eth,|null", NULL, EINVAL},
	{NULL, "rx_graph eth,|host", NULL, EINVAL},
	{NULL, "rx_graph eth,ip4|", NULL, EINVAL},
	{NULL, "rx_graph eth,ip4,|", NULL, EINVAL},
	{NULL, "rx_graph host |now", NULL, EINVAL},
	{NULL, "rx_graph router", "OK: rx_graph=router", 0},
	{NULL, "rx_graph firewall", "OK: rx_graph=firewall", 0},
	{NULL, "rx_graph tap", "OK: rx_graph=tap", 0},
	{NULL, "rx_graph drop", "OK: rx_graph=drop", 0},
	{NULL, "rx_graph tap,eth,vlan,mpls,ip6,ip4,other,acl,fib,local",
		"OK: rx_graph=tap,eth,vlan,mpls,ip6,ip4,other,acl,fib,local", 0},
	{NULL, "rx_graph eth,vlan,xdp", "OK: rx_graph=eth,vlan,xdp", 0},
	{NULL, "rx_graph eth,mpls,|vlan,drop", NULL, EINVAL},
	{NULL, "rx_graph eth,ip4,|xdp", NULL, EINVAL},
	{NULL, "rx_graph tap,|acl,drop", NULL, EINVAL},
	{NULL, "rx_graph tap,|ip4,drop", NULL, EINVAL},
	{NULL, "rx_graph eth,|fib,drop", NULL, EINVAL},
	{NULL, "rx_graph eth,|local", NULL, EINVAL},
	{NULL, "rx_graph eth,ip4,tap,|eth,drop", NULL, EINVAL},
	{NULL, "rx_graph tap,eth|", NULL, EINVAL},
	{NULL, "rx_graph tap,|tap,eth,drop", NULL, EINVAL},
	// Routes, rules, the tap's reader.
	{NULL, "rx_routes 0", "OK: rx_routes=0", 0},
	{NULL, "rx_routes 1000000,100000", "OK: rx_routes=1000000,100000", 0},
	{NULL, "rx_routes |1000001", NULL, ERANGE},
	{NULL, "rx_routes |1,100001", NULL, ERANGE},
	{NULL, "rx_routes |", NULL, EINVAL},
	{NULL, "rx_routes routes.txt", "OK: rx_routes=routes.txt", 0},
	{NULL, "rx_routes 5 |6", NULL, EINVAL},
	{NULL, "rx_rules drop", "OK: rx_rules=drop", 0},
	{NULL, "rx_rules count proto udp dport 1-9; pass src 10.0.0.0/8 dst 10.0.0.1",
		"OK: rx_rules=count proto udp dport 1-9; pass src 10.0.0.0/8 dst 10.0.0.1", 0},
	{NULL, "rx_rules drop proto 17 src fd00::/8 sport 5",
		"OK: rx_rules=drop proto 17 src fd00::/8 sport 5", 0},
	{NULL, "rx_rules my.rules", "OK: rx_rules=my.rules", 0},
	{NULL, "rx_rules |", NULL, EINVAL},
	{NULL, "rx_rules |drop proto nosuch", NULL, EINVAL},
	{NULL, "rx_rules |drop proto 256", NULL, EINVAL},
	{NULL, "rx_rules |drop src 10.0.0.0/33", NULL, EINVAL},
	{NULL, "rx_rules |drop src 10.0.0.0 dst ::1", NULL, EINVAL},
	{NULL, "rx_rules |drop dport 9-8", NULL, EINVAL},
	{NULL, "rx_rules |drop dport 65536", NULL, EINVAL},
	{NULL, "rx_rules |drop dport", NULL, EINVAL},
	{NULL, "rx_rules |drop nosuch 5", NULL, EINVAL},
	{NULL, "rx_rules |pass; nosuch", NULL, EINVAL},
	{NULL, "rx_source inject", "OK: rx_source=inject", 0},
	{NULL, "rx_source port", "OK: rx_source=port", 0},
	{NULL, "rx_source |ring", NULL, EINVAL},
	{NULL, "rx_source |", NULL, EINVAL},
	{"xmit_mode netif_receive;rx_source port", "ratep |5", NULL, EOPNOTSUPP},
	{"xmit_mode netif_receive;rx_source port", "verify |full", NULL, EOPNOTSUPP},
	{"xmit_mode netif_receive;rx_source port", "inject |ring", NULL, EOPNOTSUPP},
	{"xmit_mode netif_receive;rx_source port", "rx_buffers |cold", NULL, EOPNOTSUPP},
	{"xmit_mode netif_receive;inject ring", "rx_source |port", NULL, EOPNOTSUPP},
	{"ratep 5;rx_source port", "xmit_mode |netif_receive", NULL, EOPNOTSUPP},
	{"xmit_mode netif_receive;rx_source port", "burst 5", "OK: burst=5", 0},
	{NULL, "inject direct", "OK: inject=direct", 0},
	{NULL, "inject ring", "OK: inject=ring", 0},
	{NULL, "inject |queue", NULL, EINVAL},
	{NULL, "inject |", NULL, EINVAL},
	{NULL, "inject ring |direct", NULL, EINVAL},
	{NULL, "rx_steer kpktgend_1", "OK: rx_steer=kpktgend_1", 0},
	{NULL, "rx_steer kpktgend_1,kpktgend_0", "OK: rx_steer=kpktgend_1,kpktgend_0", 0},
	{NULL, "rx_steer |kpktgend_1,kpktgend_1", NULL, EINVAL},
	{NULL, "rx_steer |kpktgend_1,", NULL, EINVAL},
	{NULL, "rx_steer |kpktgend_1,1", NULL, EINVAL},
	{NULL, "rx_steer |", NULL, EINVAL},
	{NULL, "rx_rules steer proto udp; drop", "OK: rx_rules=steer proto udp; drop", 0},
	{NULL, "rx_graph steer,eth,ip4,deliver", "OK: rx_graph=steer,eth,ip4,deliver", 0},
	{NULL, "rx_graph eth,ip4,steer,fib,local", "OK: rx_graph=eth,ip4,steer,fib,local", 0},
	{NULL, "rx_graph tap,steer,eth,ip4,drop", "OK: rx_graph=tap,steer,eth,ip4,drop", 0},
	{NULL, "rx_graph eth,|steer,ip4,drop", NULL, EINVAL},
	{NULL, "rx_graph steer,|tap,eth,ip4,drop", NULL, EINVAL},
	{NULL, "rx_graph eth,ip4,steer|", NULL, EINVAL},
	{NULL, "rx_thread kpktgend_1", "OK: rx_thread=kpktgend_1", 0},
	{NULL, "rx_thread kpktgend_0", "OK: rx_thread=kpktgend_0", 0},
	{NULL, "rx_thread |1", NULL, EINVAL},
	{NULL, "rx_thread |kpktgend_", NULL, EINVAL},
	{NULL, "rx_thread |kpktgend_01", NULL, EINVAL},
	{NULL, "rx_thread |kpktgend_1x", NULL, EINVAL},
	{NULL, "rx_thread |kpktgend_9999", NULL, EINVAL},
	{NULL, "rx_thread |", NULL, EINVAL},
	{NULL, "rx_buffers fresh", "OK: rx_buffers=fresh", 0},
	{NULL, "rx_buffers cold", "OK: rx_buffers=cold", 0},
	{NULL, "rx_buffers hot", "OK: rx_buffers=hot", 0},
	{NULL, "rx_buffers |warm", NULL, EINVAL},
	{NULL, "rx_buffers |", NULL, EINVAL},
	{NULL, "rx_buffers cold |fresh", NULL, EINVAL},
	{NULL, "rx_filter udp port 9", "OK: rx_filter=udp port 9", 0},
	{NULL, "rx_filter \"ip6 or (tcp and greater 100)\"",
		"OK: rx_filter=ip6 or (tcp and greater 100)", 0},
	{NULL, "rx_filter ether[12:2] & 0xff00 = 0x0800",
		"OK: rx_filter=ether[12:2] & 0xff00 = 0x0800", 0},
	{NULL, "rx_filter |", NULL, EINVAL},
	{NULL, "rx_filter |udp port", NULL, EINVAL},
	{NULL, "rx_filter |udp port 65536", NULL, EINVAL},
	{NULL, "rx_filter |udp)", NULL, EINVAL},
	{NULL, "rx_filter |(udp", NULL, EINVAL},
	{NULL, "rx_bpf program.o", "OK: rx_bpf=program.o", 0},
	{NULL, "rx_bpf my/program.o xdp/drop", "OK: rx_bpf=my/program.o xdp/drop", 0},
	{NULL, "rx_bpf \"program.o .text\"", "OK: rx_bpf=program.o .text", 0},
	{NULL, "rx_bpf |", NULL, EINVAL},
	{NULL, "rx_bpf |program.o xdp more", NULL, EINVAL},
	{NULL, "rx_graph filter,eth,ip4,|filter,deliver", NULL, EINVAL},
	{NULL, "rx_graph bpf,null", "OK: rx_graph=bpf,null", 0},
	{NULL, "rx_graph filter,bpf,eth,ip4,deliver", "OK: rx_graph=filter,bpf,eth,ip4,deliver", 0},
	{NULL, "rx_graph eth,ip4,bpf,drop", "OK: rx_graph=eth,ip4,bpf,drop", 0},
	{NULL, "rx_graph eth,|bpf,ip4,deliver", NULL, EINVAL},
	{NULL, "rx_graph bpf,eth,ip4,|bpf,deliver", NULL, EINVAL},
	{NULL, "rx_graph filter,null", "OK: rx_graph=filter,null", 0},
	{NULL, "rx_graph tap,filter,eth,ip4,deliver", "OK: rx_graph=tap,filter,eth,ip4,deliver", 0},
	{NULL, "rx_graph eth,ip4,filter,local", "OK: rx_graph=eth,ip4,filter,local", 0},
	{NULL, "rx_graph eth,|filter,ip4,deliver", NULL, EINVAL},
	{NULL, "rx_counters percpu", "OK: rx_counters=percpu", 0},
	{NULL, "rx_counters atomic", "OK: rx_counters=atomic", 0},
	{NULL, "rx_counters |both", NULL, EINVAL},
	{NULL, "rx_counters |", NULL, EINVAL},
	{NULL, "rx_counters atomic |percpu", NULL, EINVAL},
	{NULL, "rx_verify off", "OK: rx_verify=off", 0},
	{NULL, "rx_verify sampled", "OK: rx_verify=sampled", 0},
	{NULL, "rx_verify full", "OK: rx_verify=full", 0},
	{NULL, "rx_verify |on", NULL, EINVAL},
	{NULL, "rx_verify |", NULL, EINVAL},
	{NULL, "rx_tap ring", "OK: rx_tap=ring", 0},
	{NULL, "rx_tap tap.pcapng", "OK: rx_tap=tap.pcapng", 0},
	{NULL, "rx_tap |", NULL, EINVAL},
	{NULL, "rx_tap a |b", NULL, EINVAL},
	{"flag !SHARED", "clone_skb |1", NULL, EINVAL},
	{"flag !SHARED", "burst |2", NULL, EINVAL},
	{"flag !SHARED", "burst 1", "OK: burst=1", 0},
	// A memory node that there is. Nobody has thirty-two.
	{NULL, "node 0", "OK: node=0", 0},
	{NULL, "node |31", NULL, EINVAL},
	{NULL, "node |32", NULL, ERANGE},
	// Words of the kernel's document that its code does not know.
	{NULL, "|dstmac 90:e2:ba:ff:ff:ff", NULL, EINVAL},
	{NULL, "|srcmac 90:e2:ba:ff:ff:ff", NULL, EINVAL},
	{NULL, "|svlan 5", NULL, EINVAL},
	{NULL, "|spi 5", NULL, EINVAL},
	// Not of the kernel: read packets back.
	{NULL, "verify off", "OK: verify=off", 0},
	{NULL, "verify full", "OK: verify=full", 0},
	{NULL, "verify sampled 2", "OK: verify=sampled 2", 0},
	{NULL, "verify sampled 1000000000", "OK: verify=sampled 1000000000", 0},
	{NULL, "verify |sampled 1", NULL, ERANGE},
	{NULL, "verify |sampled 1000000001", NULL, ERANGE},
	{NULL, "verify |sampled", NULL, EINVAL},
	{NULL, "verify |sampled x", NULL, EINVAL},
	{NULL, "verify |samplednine", NULL, EINVAL},
	{NULL, "verify |off 5", NULL, EINVAL},
	{NULL, "verify |1", NULL, EINVAL},
	{NULL, "verify |", NULL, EINVAL},
	// Labels (4.3).
	{NULL, "mpls 0001000a", "OK: mpls=0001000a", 0},
	{NULL, "mpls 123", "OK: mpls=00000123", 0},
	{NULL, "mpls 0001000A,ffffffff", "OK: mpls=0001000a,ffffffff", 0},
	{NULL, "mpls 0", "OK: mpls=", 0},
	{NULL, "mpls " LABELS_16,
		"OK: mpls=00000001,00000002,00000003,00000004,00000005,00000006,00000007,00000008,"
		"00000009,0000000a,0000000b,0000000c,0000000d,0000000e,0000000f,00000010",
		0},
	{NULL, "mpls |" LABELS_16 ",11", NULL, E2BIG},
	{NULL, "mpls |", NULL, EINVAL},
	{NULL, "mpls |1,", NULL, EINVAL},
	{NULL, "mpls |,1", NULL, EINVAL},
	{NULL, "mpls |1,0", NULL, EINVAL},
	{NULL, "mpls |x", NULL, EINVAL},
	{NULL, "mpls |0x10", NULL, EINVAL},
	{NULL, "mpls |123456789", NULL, EINVAL},
	{NULL, "mpls 1 |2", NULL, EINVAL},
	// Tags: off has no reply; nothing without the tag that it belongs to.
	{"vlan_id 5", "vlan_id 4096", "", 0},
	{NULL, "vlan_id |4097", NULL, ERANGE},
	{"vlan_id 5;svlan_id 6", "svlan_id 4096", "", 0},
	{"vlan_id 5", "svlan_id |4097", NULL, ERANGE},
	{NULL, "vlan_p |1", NULL, EINVAL},
	{NULL, "vlan_cfi |1", NULL, EINVAL},
	{NULL, "svlan_id |1", NULL, EINVAL},
	{"vlan_id 5", "svlan_p |1", NULL, EINVAL},
	{"vlan_id 5", "svlan_cfi |1", NULL, EINVAL},
	{"vlan_id 5;mpls 1", "vlan_p |1", NULL, EINVAL},
	{"vlan_id 5;svlan_id 6;vlan_id 4096", "svlan_p |1", NULL, EINVAL},
	// Two hexadecimal digits.
	{NULL, "tos 00", "OK: tos=0x00", 0},
	{NULL, "tos ff", "OK: tos=0xff", 0},
	{NULL, "tos B8", "OK: tos=0xb8", 0},
	{NULL, "tos |f", NULL, EINVAL},
	{NULL, "tos |0ff", NULL, EINVAL},
	{NULL, "tos |0g", NULL, EINVAL},
	{NULL, "tos |0x", NULL, EINVAL},
	{NULL, "tos |", NULL, EINVAL},
	{NULL, "tos b8 |b8", NULL, EINVAL},
	{NULL, "traffic_class 00", "OK: traffic_class=0x00", 0},
	{NULL, "traffic_class ff", "OK: traffic_class=0xff", 0},
	{NULL, "traffic_class |f", NULL, EINVAL},
	{NULL, "traffic_class |0ff", NULL, EINVAL},
	{NULL, "traffic_class |zz", NULL, EINVAL},
	{NULL, "traffic_class |", NULL, EINVAL},
	// Names that the kernel's documentation has and its code does not.
	{NULL, "|dstmac 90:e2:ba:ff:ff:ff", NULL, EINVAL},
	{NULL, "|srcmac 90:e2:ba:ff:ff:ff", NULL, EINVAL},
	{NULL, "|svlan 5", NULL, EINVAL},
	{NULL, "|Count 5", NULL, EINVAL},
	{NULL, "|countt 5", NULL, EINVAL},
	{NULL, "|nosuch", NULL, EINVAL},
};

static void
test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < DIM(lines); i++) {
		if (lines[i].code != 0)
			door_refuses(lines[i].before, lines[i].line, lines[i].code);
		else
			door_accepts(lines[i].before, lines[i].line, lines[i].reply);
	}
}

// Does a line of `lines` begin with this name?
static bool
has_line(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < DIM(lines); i++) {
		if (strncmp(lines[i].line, name, length) == 0 &&
			strchr(" ", lines[i].line[length]) != NULL)
			return true;
	}
	return false;
}

static bool
has_case(const char *name)
{
	for (size_t i = 0; i < DIM(numbers); i++) {
		if (strcmp(numbers[i].name, name) == 0)
			return true;
	}
	for (size_t i = 0; i < DIM(ip4_rows); i++) {
		if (strcmp(ip4_rows[i].name, name) == 0)
			return true;
	}
	for (size_t i = 0; i < DIM(ip6_rows); i++) {
		if (strcmp(ip6_rows[i].name, name) == 0)
			return true;
	}
	for (size_t i = 0; i < DIM(mac_rows); i++) {
		if (strcmp(mac_rows[i].name, name) == 0)
			return true;
	}
	return has_line(name);
}

// Nothing that Linux has is left out: flags have a test of their own.
static void
test_every_row(void **state)
{
	(void)state;
	for (size_t l = 0; l < app_ncommands; l++) {
		for (size_t i = 0; i < app_commands[l]->count; i++) {
			const struct pg_command *row = &app_commands[l]->rows[i];

			if (row->target == PG_TARGET_DEVICE &&
				!(row->flags & PG_COMMAND_EXTENSION) &&
				strcmp(row->name, "flag") != 0)
				CHECK(has_case(row->name), "no test here for '%s'", row->name);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_no_numbers),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_every_row),
	};

	return cmocka_run_group_tests_name("reference rows", tests, NULL, NULL);
}
