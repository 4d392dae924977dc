/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for every template, tried on templates at random over every setting: the same packets
 * on every run, out of bursts of any size, out of buffers that keep the image, alone, and with
 * either instruction set; and every packet is one that a receiver accepts. */
#include "support.h"

#include <rte_common.h>

#include "support_prog.h"
#include "support_template.h"

#define TEMPLATES 4000
#define PACKETS   700
#define MEMORY    (PACKETS * 2048) // bytes of the frames of one template
#define WALL_NS   UINT64_C(1717171717123456789)
#define GAP_NS    1234567

/** The packets of one template, as the first pass made them. */
static struct {
	uint8_t memory[MEMORY];
	const uint8_t *frame[PACKETS];
	uint32_t length[PACKETS];
	unsigned int n;
} packets;

static struct template_case sample;
static uint64_t number; // of the sample
static bool paced;

/** How a pass makes the packets. */
struct pass {
	const char *name;
	bool portable, image_kept, mbuf_kept;
	uint8_t rubbish;    // what buffers hold before
	unsigned int split; // 0: a burst for all of them, as far as bursts go; else at most so many
};

#define SAME(condition, format, ...)                                                              \
	CHECK(condition, format ", template %llu: %s", ##__VA_ARGS__, (unsigned long long)number, \
		sample.commands)

static struct pg_prog *
compile(const struct pass *pass)
{
	const struct pg_prog_config config = {.flow = &sample.flow,
		.stream = sample.stream,
		.seed = sample.seed,
		.copies = sample.copies,
		.image_kept = pass->image_kept,
		.mbuf_kept = pass->mbuf_kept,
		.paced = paced,
		.portable = pass->portable};

	return rig_compile(&config);
}

static uint64_t
stamp_of(unsigned int at)
{
	return WALL_NS + (paced ? (uint64_t)GAP_NS * at : 0);
}

// Rubbish all over the frames, so that what a program leaves out is seen.
static void
fill(const struct pass *pass, const struct pg_prog *prog, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++) {
		struct rte_mbuf *m = buffers.mbuf[k];

		memset(m, pass->rubbish, PROG_DATA_DELTA + pg_prog_frame_max(prog));
		m->next = NULL;
	}
}

static void
prepare(const struct pass *pass, const struct pg_prog *prog)
{
	for (unsigned int k = 0; pass->image_kept && k < PG_BURST_MAX; k++) {
		memset(buffers.mbuf[k], 0, sizeof(*buffers.mbuf[k])); // as a pool makes them
		pg_prog_prepare(prog, buffers.mbuf[k]);
	}
	pg_prog_seek(prog, &buffers.state, sample.first);
	buffers.state.wall_ns = WALL_NS;
	buffers.state.wall_cycles = 1ull << 50;
	buffers.state.ns_per_cycle = paced ? 1ull << 56 : 0; // a counter of 1 ns
}

static void
burst(const struct pass *pass, const struct pg_prog *prog, unsigned int at, unsigned int n)
{
	if (!pass->image_kept)
		fill(pass, prog, n);
	for (unsigned int k = 0; k < n; k++)
		buffers.state.scratch->due[k] =
			buffers.state.wall_cycles + (uint64_t)GAP_NS * (at + k);
	pg_prog_run(prog, &buffers.state, buffers.mbuf, n);
}

static unsigned int
next_burst(const struct pass *pass, unsigned int left)
{
	unsigned int n = pass->split == 0 ? PG_BURST_MAX : 1 + template_below(&sample, pass->split);

	return RTE_MIN(n, left);
}

// The packets as any program makes them first, kept for the passes that follow.
static void
keep_reference(void)
{
	static const struct pass pass = {"first", .portable = true, .rubbish = 0xa5, .split = 64};
	struct pg_prog *prog = compile(&pass);
	uint32_t room = RTE_ALIGN_CEIL(pg_prog_frame_max(prog), 64);

	packets.n = RTE_MIN(MEMORY / room, number % 16 == 0 ? PACKETS : 100u);
	prepare(&pass, prog);
	for (unsigned int at = 0, n; at < packets.n; at += n) {
		n = next_burst(&pass, packets.n - at);
		burst(&pass, prog, at, n);
		for (unsigned int k = 0; k < n; k++) {
			uint8_t *frame = packets.memory + (size_t)room * (at + k);

			packets.length[at + k] = buffers.mbuf[k]->pkt_len;
			assert_true(buffers.mbuf[k]->pkt_len <= room);
			memcpy(frame, rig_frame(&buffers, k), buffers.mbuf[k]->pkt_len);
			packets.frame[at + k] = frame;
		}
	}
	pg_prog_destroy(prog);
}

static void
check_pass(const struct pass *pass)
{
	struct pg_prog *prog = compile(pass);

	prepare(pass, prog);
	for (unsigned int at = 0, n; at < packets.n; at += n) {
		n = next_burst(pass, packets.n - at);
		burst(pass, prog, at, n);
		for (unsigned int k = 0; k < n; k++) {
			const struct rte_mbuf *m = buffers.mbuf[k];
			uint32_t length = packets.length[at + k];

			SAME(m->pkt_len == length && m->data_len == length && m->nb_segs == 1 &&
					m->data_off == RTE_PKTMBUF_HEADROOM && m->ol_flags == 0,
				"the metadata of packet %u, %s", at + k, pass->name);
			SAME(memcmp(rig_frame(&buffers, k), packets.frame[at + k], length) == 0,
				"packet %u differs, %s", at + k, pass->name);
		}
	}
	SAME(buffers.state.index == sample.first + packets.n, "the next packet, %s", pass->name);
	pg_prog_destroy(prog);
}

// (a) Run twice, the same bytes: nothing comes from what a buffer held, nor from a clock.
static void
check_twice(void)
{
	check_pass(&(struct pass){"again", .portable = true, .rubbish = 0x5a, .split = 64});
}

// (b) Any split into bursts, the same packets in the same order; with kept images too.
static void
check_splits(void)
{
	static const struct pass passes[] = {
		{"in bursts of one", .portable = true, .rubbish = 0x3c, .split = 1},
		{"in the largest bursts", .portable = true, .rubbish = 0x3c, .split = 0},
		{"in any bursts", .portable = true, .rubbish = 0x3c, .split = PG_BURST_MAX},
		{"in kept images", .portable = true, .image_kept = true, .split = 40},
		{"in kept buffers", .portable = true, .image_kept = true, .mbuf_kept = true,
			.split = 40},
	};

	check_pass(&passes[number % DIM(passes)]);
}

// (e) Both instruction sets make the same bytes.
static void
check_instruction_sets(void)
{
	static const struct pass passes[] = {
		{"other instructions", .rubbish = 0x96, .split = 100},
		{"other instructions, largest bursts", .rubbish = 0x69},
		{"other instructions, kept images", .image_kept = true, .split = 100},
	};

	check_pass(&passes[number % DIM(passes)]);
}

// (c) A packet alone is the one of the stream: no packet needs those before it.
static void
check_alone(void)
{
	struct pg_prog *prog = compile(&(struct pass){.portable = number % 2});
	static uint8_t frame[TEMPLATE_FRAME_MAX];

	for (unsigned int i = 0; i < 12; i++) {
		unsigned int at = template_below(&sample, packets.n);
		int length =
			pg_prog_packet(prog, sample.first + at, stamp_of(at), frame, sizeof(frame));

		SAME(length == (int)packets.length[at], "%d bytes of packet %u alone", length, at);
		SAME(memcmp(frame, packets.frame[at], packets.length[at]) == 0, "packet %u alone",
			at);
	}
	pg_prog_destroy(prog);
}

static uint32_t
read_be16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

// RFC 1071, as simple as can be: all words, then all carries; an odd byte is the upper half.
static uint64_t
words(const uint8_t *at, uint32_t bytes)
{
	uint64_t total = 0;

	for (; bytes >= 2; at += 2, bytes -= 2)
		total += read_be16(at);
	return total + (bytes > 0 ? (uint32_t)at[0] << 8 : 0);
}

static bool
holds(uint64_t total)
{
	while (total > 0xffff)
		total = (total >> 16) + (total & 0xffff);
	return total == 0xffff;
}

// Where layer 3 begins, from the frame's own type fields and bottom of stack.
static const uint8_t *
find_ip(const uint8_t *frame)
{
	const uint8_t *type = frame + 12;
	uint32_t labels = 0;

	while (read_be16(type) == 0x8100)
		type += 4;
	if (read_be16(type) != 0x8847)
		return type + 2;
	for (type += 2; !(type[2] & 1) && labels < PG_MPLS_MAX; labels++)
		type += 4;
	SAME(labels < PG_MPLS_MAX, "no bottom of the stack");
	return type + 4;
}

// (d) What a receiver checks, told nothing but the frame: lengths and checksums.
static void
check_receiver(unsigned int at)
{
	const uint8_t *ip = find_ip(packets.frame[at]);
	uint32_t bytes = (uint32_t)(packets.frame[at] + packets.length[at] - ip);
	bool ip4 = ip[0] >> 4 == 4, wanted = !ip4 || sample.flow.flags & PG_FLAG_UDPCSUM;
	const uint8_t *udp = ip + (ip4 ? 20 : 40);
	uint32_t udp_bytes = bytes - (ip4 ? 20 : 40);
	uint64_t pseudo = 17 + udp_bytes + (ip4 ? words(ip + 12, 8) : words(ip + 8, 32));

	SAME(ip4 != !!(sample.flow.flags & PG_FLAG_IPV6), "the version of packet %u", at);
	if (ip4) {
		SAME(ip[0] == 0x45 && ip[9] == 17, "the header of packet %u", at);
		SAME(read_be16(ip + 2) == bytes, "IPv4's length of packet %u", at);
		SAME(holds(words(ip, 20)), "IPv4's checksum of packet %u", at);
	} else {
		SAME(ip[6] == 17 && read_be16(ip + 4) == udp_bytes, "the header of packet %u", at);
	}
	SAME(read_be16(udp + 4) == udp_bytes, "UDP's length of packet %u", at);
	SAME((read_be16(udp + 6) != 0) == wanted, "UDP's checksum of packet %u: %04x", at,
		read_be16(udp + 6));
	SAME(!wanted || holds(pseudo + words(udp, udp_bytes)), "UDP's checksum of packet %u", at);
}

// Fields in sequence are arithmetic, random ones lie in their range. With flows some count flows.
static void
check_fields(unsigned int at, const struct packet *packet)
{
	const struct pg_flow *flow = &sample.flow;

	for (int f = 0; f < PG_FIELD_IP6_SRC; f++) {
		const struct pg_range *r = &flow->field[f];
		uint32_t least = f == PG_FIELD_SIZE ? flow->frame_min : 0;
		uint32_t in_turn = RTE_MAX(packet_linear(r, packet->index), least);
		uint32_t value = packet->value[f];

		if ((f == PG_FIELD_IP_SRC || f == PG_FIELD_IP_DST) && flow->flags & PG_FLAG_IPV6)
			continue;
		if (f == PG_FIELD_SIZE && flow->imix.count > 0)
			continue;
		SAME(value >= r->lo && value <= RTE_MAX(r->hi, least), "field %d of packet %u", f,
			at);
		SAME(r->random || value == in_turn || (flow->flows > 0 && f <= PG_FIELD_IP_DST),
			"field %d of packet %u: %u, not %u", f, at, value, in_turn);
	}
}

// And what the second implementation makes of the same fields, to the byte.
static void
check_naive(unsigned int at)
{
	struct packet packet = {
		.index = sample.first + at, .copies = sample.copies, .stamp_ns = stamp_of(at)};
	static uint8_t want[TEMPLATE_FRAME_MAX];
	uint32_t length;

	packet_read(&sample.flow, packets.frame[at], packets.length[at], &packet);
	check_fields(at, &packet);
	length = packet_build(&sample.flow, &packet, want);
	SAME(length == packets.length[at], "%u bytes, not %u, of packet %u", packets.length[at],
		length, at);
	SAME(memcmp(want, packets.frame[at], length) == 0, "a byte of packet %u", at);
}

static void
check_packets(void)
{
	for (unsigned int at = 0; at < packets.n; at++) {
		check_receiver(at);
		check_naive(at);
	}
}

static void
for_all(void (*check)(void))
{
	for (number = 0; number < TEMPLATES; number++) {
		template_draw(&sample, number);
		paced = number % 3 == 0;
		keep_reference();
		check();
	}
}

static void
test_twice(void **state)
{
	(void)state;
	for_all(check_twice);
}

static void
test_splits(void **state)
{
	(void)state;
	for_all(check_splits);
}

static void
test_alone(void **state)
{
	(void)state;
	for_all(check_alone);
}

static void
test_packets(void **state)
{
	(void)state;
	for_all(check_packets);
}

static void
test_instruction_sets(void **state)
{
	struct pg_prog *prog;
	bool same;

	(void)state;
	template_draw(&sample, 0);
	prog = compile(&(struct pass){.portable = false});
	same = strcmp(pg_prog_isa(prog), "portable") == 0;
	pg_prog_destroy(prog);
	if (same)
		skip(); // this CPU has only one
	for_all(check_instruction_sets);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_splits),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_instruction_sets),
	};

	return cmocka_run_group_tests_name("prog_properties", tests, rig_start, rig_stop);
}
