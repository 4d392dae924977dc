/* SPDX-License-Identifier: BSD-3-Clause */
/* Users' eBPF programs: objects that are written here by hand, whole and damaged, over frames of
 * every shape; and the manual's example, compiled for the machine too. */
#include "support.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "rx_bpf.h"
#include "rx_run.h"
#include "support_eal.h"

// The example, as the machine's compiler reads it.
int decide(const unsigned char *frame);
#include "../../doc/bpf_program.c"

#define ROOM    512
#define BUFFERS 1023
#define OBJECT  "test_rx_bpf.o"
#define SECTION "xdp"

/* RFC 9669: opcodes, and the form of an instruction. */
#define MOV_K  0xb7
#define MOV_X  0xbf
#define LD_DW  0x18
#define LDX_B  0x71
#define STX_B  0x73
#define JLT_K  0xa5
#define JA     0x05
#define CALL   0x85
#define EXIT   0x95
#define PSEUDO 1 /* the source register of a call that the linker resolves */

struct code {
	uint8_t op, regs;
	int16_t off;
	int32_t imm;
};

#define INS(op, dst, src, off, imm)              \
	{                                        \
		op, (dst) | (src) << 4, off, imm \
	}

/** Calls at which the object says that a symbol has to be put in. */
struct call {
	unsigned int at;
	const char *name; /**< "pg_len"; NULL: the section with data */
};

static struct rte_mempool *pool, *narrow;
static uint64_t native_length, native_counter[RX_BPF_COUNTERS + 1];

unsigned long long
pg_len(void)
{
	return native_length;
}

unsigned long long
pg_count(unsigned long long i)
{
	native_counter[RTE_MIN(i, (unsigned long long)RX_BPF_COUNTERS)]++;
	return 0;
}

/** An object in the making. */
struct object {
	uint8_t bytes[4096];
	size_t size;
};

static size_t
append(struct object *o, const void *bytes, size_t n)
{
	size_t at = RTE_ALIGN_CEIL(o->size, 8);

	assert_true(at + n <= sizeof(o->bytes));
	memcpy(o->bytes + at, bytes, n);
	o->size = at + n;
	return at;
}

static Elf64_Shdr
part(struct object *o, Elf64_Word name, Elf64_Word type, Elf64_Xword flags, const void *bytes,
	size_t n)
{
	return (Elf64_Shdr){.sh_name = name,
		.sh_type = type,
		.sh_flags = flags,
		.sh_offset = append(o, bytes, n),
		.sh_size = n,
		.sh_addralign = 8};
}

// ELF-64: header, then sections names, code, relocations, symbols, data, then their headers.
static void
make_object(struct object *o, const struct code *code, unsigned int n, const struct call *calls,
	unsigned int ncalls)
{
	static const char names[] = "\0.strtab\0" SECTION "\0.rel\0.symtab\0maps\0pg_len\0pg_count";
	Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = EM_BPF,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 6,
		.e_shstrndx = 1};
	Elf64_Sym symbol[8] = {{0}};
	Elf64_Rel rel[8];
	Elf64_Shdr section[6] = {{0}};

	memset(o, 0, sizeof(*o));
	o->size = sizeof(header);
	for (unsigned int i = 0; i < ncalls; i++) {
		symbol[i + 1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
		symbol[i + 1].st_shndx = calls[i].name != NULL ? SHN_UNDEF : 5;
		symbol[i + 1].st_name = calls[i].name == NULL                  ? 26
					: strcmp(calls[i].name, "pg_len") == 0 ? 31
									       : 38;
		rel[i].r_offset = calls[i].at * sizeof(code[0]);
		rel[i].r_info = ELF64_R_INFO(i + 1, 10);
	}
	section[1] = part(o, 1, SHT_STRTAB, 0, names, sizeof(names));
	section[2] = part(o, 9, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, n * sizeof(code[0]));
	section[3] = part(o, 13, SHT_REL, 0, rel, ncalls * sizeof(rel[0]));
	section[3].sh_link = 4;
	section[3].sh_info = 2;
	section[3].sh_entsize = sizeof(rel[0]);
	section[4] = part(o, 18, SHT_SYMTAB, 0, symbol, (ncalls + 1) * sizeof(symbol[0]));
	section[4].sh_link = 1;
	section[4].sh_entsize = sizeof(symbol[0]);
	section[5] = part(o, 26, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, names, 8);
	header.e_shoff = append(o, section, sizeof(section));
	memcpy(o->bytes, &header, sizeof(header));
}

static void
write_file(const char *name, const void *bytes, size_t n)
{
	FILE *file = fopen(name, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

static void
write_object(const struct code *code, unsigned int n, const struct call *calls, unsigned int ncalls)
{
	struct object o;

	make_object(&o, code, n, calls, ncalls);
	write_file(OBJECT, o.bytes, o.size);
}

static struct pg_rx_graph *
create(const char *chain, const char *program)
{
	static unsigned int number;
	const struct pg_rx_config config = {.graph = chain, .bpf = program};
	struct pg_error err = {0};
	struct pg_rx_graph *rx;
	char name[16];

	snprintf(name, sizeof(name), "bpf_%u", number++);
	rx = pg_rx_graph_create(name, &config, SOCKET_ID_ANY, &err);
	CHECK(rx != NULL, "%s: %s", program, err.text);
	pg_rx_graph_begin(rx);
	return rx;
}

static struct rte_mbuf *
buffer(struct rte_mempool *from, const void *bytes, uint16_t n)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(from);

	assert_non_null(m);
	memset(m->buf_addr, 0xa5, m->buf_len); // what an earlier packet left there
	memcpy(rte_pktmbuf_append(m, n), bytes, n);
	return m;
}

static uint64_t
ended(const struct pg_rx_profile *profile, const char *name)
{
	for (unsigned int i = 0; i < profile->nnodes; i++) {
		if (strcmp(profile->node[i].name, name) == 0)
			return profile->node[i].packets;
	}
	fail_msg("the profile has no '%s'", name);
	return 0;
}

// The one packet ends there.
static void
check_end(struct pg_rx_graph *rx, struct rte_mbuf *m, const char *end)
{
	struct pg_rx_profile profile = {.nnodes = 0};

	assert_int_equal(pg_rx_profile_begin(rx, &profile), 0);
	pg_rx_inject(rx, &m, 1, 0);
	pg_rx_profile_collect(rx, &profile);
	CHECK_U64(ended(&profile, end), 1, "%s", end);
	pg_rx_profile_fini(&profile);
}

// It returns byte 300 of the frame: zero behind the end, what is in it before.
static const struct code byte_300[] = {INS(LDX_B, 0, 1, 300, 0), INS(EXIT, 0, 0, 0, 0)};

static void
test_zeros(void **state)
{
	uint8_t frame[ROOM];
	struct pg_rx_graph *rx;

	(void)state;
	write_object(byte_300, DIM(byte_300), NULL, 0);
	rx = create("bpf,null", OBJECT);
	memset(frame, 2, sizeof(frame));
	for (uint16_t n = 0; n <= 320; n++)
		check_end(rx, buffer(pool, frame, n), n > 300 ? "null" : "bpf: aborted");
	pg_rx_graph_destroy(rx);
	assert_true(rte_mempool_full(pool));
}

static void
test_facts(void **state)
{
	static const struct code stores[] = {
		INS(MOV_K, 2, 0, 0, 7), INS(STX_B, 1, 2, 5, 0), INS(EXIT, 0, 0, 0, 0)};
	static const struct code nothing[] = {INS(MOV_K, 0, 0, 0, 2), INS(EXIT, 0, 0, 0, 0)};
	struct pg_rx_config config = {.graph = "bpf,null", .bpf = OBJECT};

	(void)state;
	write_object(byte_300, DIM(byte_300), NULL, 0);
	CHECK_U64(pg_rx_config_reach(&config), 301, "byte 300");
	assert_true(pg_rx_config_writes(&config, 300) && !pg_rx_config_writes(&config, 301));
	config.graph = "eth,vlan,mpls,ip4,bpf,deliver";
	CHECK_U64(pg_rx_config_reach(&config), 301 + 2 * 4 + 16 * 4, "behind tags and labels");
	config.graph = "host";
	CHECK_U64(pg_rx_config_reach(&config), 0, "without the word");
	config.graph = "bpf,null";
	config.bpf = OBJECT " " SECTION;
	write_object(nothing, DIM(nothing), NULL, 0);
	CHECK_U64(pg_rx_config_reach(&config), 0, "an empty program");
	assert_false(pg_rx_config_writes(&config, 0));
	config.bpf = OBJECT "  " SECTION;
	write_object(stores, DIM(stores) - 1, NULL, 0); // without an end: refused
	assert_true(pg_rx_config_writes(&config, 1000));
	config.bpf = "no such file";
	assert_true(pg_rx_config_writes(&config, 1000));
}

// In pieces: they are put together.
static void
test_segments(void **state)
{
	uint8_t frame[ROOM];
	struct pg_rx_graph *rx;

	(void)state;
	write_object(byte_300, DIM(byte_300), NULL, 0);
	rx = create("bpf,null", OBJECT);
	memset(frame, 2, sizeof(frame));
	for (uint16_t n = 1; n <= 350; n += 7) {
		struct rte_mbuf *m = buffer(pool, frame, n);

		assert_int_equal(rte_pktmbuf_chain(m, buffer(pool, frame, 40)), 0);
		assert_int_equal(rte_pktmbuf_chain(m, buffer(pool, frame, 60)), 0);
		check_end(rx, m, n > 200 ? "null" : "bpf: aborted");
	}
	pg_rx_graph_destroy(rx);
	assert_true(rte_mempool_full(pool));
}

// Whoever brings buffers that are too small does not let the program look beyond them.
static void
test_no_room(void **state)
{
	uint8_t frame[64] = {0};
	struct pg_rx_graph *rx;
	struct rte_mbuf *m;

	(void)state;
	write_object(byte_300, DIM(byte_300), NULL, 0);
	rx = create("bpf,null", OBJECT);
	check_end(rx, buffer(narrow, frame, 60), "bpf: no room");
	m = buffer(pool, frame, 60);
	rte_pktmbuf_prepend(m, m->data_off - (m->buf_len - 301)); // the last place that will do
	m->data_off = m->buf_len - 301;
	check_end(rx, m, "bpf: aborted");
	m = buffer(pool, frame, 60);
	m->data_off = m->buf_len - 300;
	check_end(rx, m, "bpf: no room");
	pg_rx_graph_destroy(rx);
	assert_true(rte_mempool_full(pool) && rte_mempool_full(narrow));
}

// A program that writes does so to frames that nobody else looks at.
static void
test_held(void **state)
{
	static const struct code mark[] = {INS(MOV_K, 2, 0, 0, 7), INS(STX_B, 1, 2, 5, 0),
		INS(MOV_K, 0, 0, 0, 2), INS(EXIT, 0, 0, 0, 0)};
	struct rte_mbuf *held[BUFFERS], *m;
	uint8_t frame[64];
	struct pg_rx_graph *rx;
	unsigned int n = 0;

	(void)state;
	write_object(mark, DIM(mark), NULL, 0);
	rx = create("bpf,null", OBJECT);
	memset(frame, 0x11, sizeof(frame));
	for (int shared = 0; shared < 2; shared++) {
		m = buffer(pool, frame, sizeof(frame));
		rte_mbuf_refcnt_update(m, (int16_t)shared);
		check_end(rx, m, "null");
		assert_int_equal(rte_pktmbuf_mtod(m, uint8_t *)[5], shared ? 0x11 : 7);
		if (shared)
			rte_pktmbuf_free(m);
	}
	m = buffer(pool, frame, sizeof(frame));
	rte_mbuf_refcnt_update(m, 1);
	while ((held[n] = rte_pktmbuf_alloc(pool)) != NULL)
		n++;
	check_end(rx, m, "bpf: no room"); // not even for a copy
	assert_int_equal(rte_pktmbuf_mtod(m, uint8_t *)[5], 0x11);
	rte_pktmbuf_free_bulk(held, n);
	rte_pktmbuf_free(m);
	pg_rx_graph_destroy(rx);
	assert_true(rte_mempool_full(pool));
}

static const struct code calling[] = {INS(MOV_X, 6, 1, 0, 0), INS(CALL, 0, PSEUDO, 0, -1),
	INS(JLT_K, 0, 0, 3, 60), INS(LDX_B, 1, 6, 3, 0), INS(CALL, 0, PSEUDO, 0, -1),
	INS(JA, 0, 0, 0, 0), INS(MOV_K, 0, 0, 0, 2), INS(EXIT, 0, 0, 0, 0)};
static const struct call calls[] = {{1, "pg_len"}, {4, "pg_count"}};

static int
load(struct pg_error *err)
{
	struct rx_bpf bpf;
	int rc;

	memset(err, 0, sizeof(*err));
	rc = rx_bpf_load(OBJECT, &bpf, err);
	if (rc == 0)
		rx_bpf_fini(&bpf);
	else
		CHECK(err->text[0] != '\0' && err->fault == PG_FAULT_INPUT, "%d: '%s'", rc,
			err->text);
	return rc;
}

// Cut at every length: refused; with any byte wrong: refused, or another program.
static void
test_damaged(void **state)
{
	struct pg_error err;
	struct object o;
	unsigned int refused = 0;

	(void)state;
	make_object(&o, calling, DIM(calling), calls, DIM(calls));
	write_file(OBJECT, o.bytes, o.size);
	CHECK(load(&err) == 0, "%s", err.text);
	for (size_t n = 0; n < o.size; n++) {
		write_file(OBJECT, o.bytes, n);
		CHECK(load(&err) < 0, "%zu of %zu bytes", n, o.size);
	}
	for (size_t at = 0; at < o.size; at++) {
		static const uint8_t wrong[] = {0x01, 0x80, 0xff};

		for (size_t i = 0; i < DIM(wrong); i++) {
			o.bytes[at] ^= wrong[i];
			write_file(OBJECT, o.bytes, o.size);
			refused += load(&err) < 0;
			o.bytes[at] ^= wrong[i];
		}
	}
	assert_true(refused > 100);
}

// Calls that nobody resolves would be taken for the functions that stand at their number.
static void
test_unlinked(void **state)
{
	const struct call map = {1, NULL};
	struct pg_error err;

	(void)state;
	write_object(calling, DIM(calling), calls, 1);
	assert_int_equal(load(&err), -EINVAL);
	assert_non_null(strstr(err.text, "instruction 4 calls a function"));
	write_object(calling, DIM(calling), &map, 1);
	assert_int_equal(load(&err), -EINVAL);
	assert_non_null(strstr(err.text, "it calls a function in 'maps'"));
}

// rte_bpf would follow a program to where no instruction is.
static void
test_astray(void **state)
{
	static const struct {
		struct code code[4];
		unsigned int n;
		const char *why;
	} cases[] = {
		{{INS(MOV_K, 0, 0, 0, 2)}, 1, "instruction 0 leaves the program without an exit"},
		{{INS(MOV_K, 0, 0, 0, 2), INS(JLT_K, 0, 0, 1, 5), INS(EXIT, 0, 0, 0, 0)}, 3,
			"instruction 1 leaves the program without an exit"},
		{{INS(MOV_K, 0, 0, 0, 2), INS(JA, 0, 0, 32767, 0), INS(EXIT, 0, 0, 0, 0)}, 3,
			"instruction 1 leaves the program without an exit"},
		{{INS(MOV_K, 0, 0, 0, 2), INS(JLT_K, 0, 0, 0, 5)}, 2,
			"instruction 1 leaves the program without an exit"},
		{{INS(MOV_K, 0, 0, 0, 2), INS(LD_DW, 1, 0, 0, 5)}, 2,
			"instruction 1 leaves the program without an exit"},
		{{INS(LD_DW, 0, 0, 0, 5), INS(0, 0, 0, 0, 0)}, 2,
			"instruction 0 leaves the program without an exit"},
		{{INS(JA, 0, 0, 1, 0), INS(LD_DW, 0, 0, 0, 5), INS(0, 0, 0, 0, 0),
			 INS(EXIT, 0, 0, 0, 0)},
			4, "instruction 0 jumps into the middle of another"},
		{{INS(LD_DW, 0, 0, 0, 5), INS(EXIT, 0, 0, 0, 0), INS(EXIT, 0, 0, 0, 0)}, 3,
			"instruction 0 has no second half"},
		{{INS(MOV_K, 0, 0, 0, 2), INS(JA, 0, 0, -1, 0), INS(EXIT, 0, 0, 0, 0)}, 3,
			"a loop, from instruction 1 back to 1"},
	};
	struct pg_error err;

	(void)state;
	for (size_t i = 0; i < DIM(cases); i++) {
		write_object(cases[i].code, cases[i].n, NULL, 0);
		CHECK(load(&err) < 0 && strstr(err.text, cases[i].why) != NULL, "%s: %s",
			cases[i].why, err.text);
	}
}

// UDP to few ports, as often as not, and every length.
static uint16_t
draw_frame(uint64_t *seed, uint8_t *frame)
{
	static const uint8_t like[] = {8, 0, 0x45};
	uint64_t draw = support_draw(seed);
	uint16_t length = draw & 3 ? (uint16_t)(draw >> 8 & 63) : (uint16_t)(draw >> 8 & 255);

	for (uint16_t i = 0; i < length; i++)
		frame[i] = (uint8_t)support_draw(seed);
	memset(frame + length, 0, ROOM - length);
	for (unsigned int i = 0; i < sizeof(like); i++) {
		if (12 + i < length && draw >> (16 + i) & 15)
			frame[12 + i] = like[i];
	}
	if (23 < length && draw >> 24 & 15)
		frame[23] = 17;
	if (36 < length && draw >> 28 & 15)
		frame[36] = 0;
	return length;
}

// What the example decides of random frames is what it decides as a part of this program.
static void
test_example(void **state)
{
	static const char *const end[] = {"bpf: aborted", "bpf: drop", "null", "tx"};
	const char *object = getenv("PG_BPF_PROGRAM");
	struct pg_rx_profile profile = {.nnodes = 0};
	uint64_t want[DIM(end)] = {0}, seed = 7;
	struct pg_rx_graph *rx;

	(void)state;
	if (object == NULL)
		skip();
	rx = create("bpf,null", object);
	memset(native_counter, 0, sizeof(native_counter));
	assert_int_equal(pg_rx_profile_begin(rx, &profile), 0);
	for (unsigned int walks = 0; walks < 2000; walks++) {
		uint16_t n = (uint16_t)(1 + support_draw(&seed) % PG_RX_BURST_MAX);
		struct rte_mbuf *pkts[PG_RX_BURST_MAX];

		for (uint16_t k = 0; k < n; k++) {
			uint8_t frame[ROOM];

			native_length = draw_frame(&seed, frame);
			want[decide(frame)]++;
			pkts[k] = buffer(pool, frame, (uint16_t)native_length);
		}
		pg_rx_inject(rx, pkts, n, 0);
		pg_rx_profile_collect(rx, &profile);
		for (size_t i = 0; i < DIM(end); i++)
			CHECK_U64(ended(&profile, end[i]), want[i], "%s", end[i]);
	}
	for (size_t i = 0; i < DIM(end); i++)
		CHECK(want[i] > 1000, "%s: only %llu", end[i], (unsigned long long)want[i]);
	for (unsigned int i = 0; i <= RX_BPF_COUNTERS; i++)
		CHECK_U64(profile.counter[i], native_counter[i], "counter %u", i);
	pg_rx_profile_fini(&profile);
	pg_rx_graph_destroy(rx);
	assert_true(rte_mempool_full(pool));
}

static int
setup(void **state)
{
	if (support_eal_start(state) != 0)
		return -1;
	pool = rte_pktmbuf_pool_create(
		"pool", BUFFERS, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	narrow = rte_pktmbuf_pool_create(
		"narrow", 63, 0, 0, RTE_PKTMBUF_HEADROOM + 64, SOCKET_ID_ANY);
	return pool != NULL && narrow != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	unlink(OBJECT);
	return support_eal_stop(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_unlinked),
		cmocka_unit_test(test_astray),
		cmocka_unit_test(test_example),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
