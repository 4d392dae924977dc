/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs as `clang -target bpf` writes them. DPDK's own loader knows no default section, looks
 * names up in the wrong table where there are two, takes a kernel helper's number for one of our
 * functions, and says of all that is wrong only that it is. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rx_object.h"

#define FILE_MAX 16777216 // bytes of an object
#define PLAIN                                                                                     \
	"a program as clang -O2 -target bpf -mcpu=v2 makes it, without loops, maps, global data " \
	"and functions that are not inlined"

enum mark {
	LINKED = 1, /**< it calls what there is */
	HALF = 2,   /**< it is the second half of the one before it */
};

/** What is being read. */
struct reading {
	const char *file;
	char *bytes;
	size_t size;
	Elf *elf;
	size_t names; /**< the section with the sections' names */
	const struct rte_bpf_xsym *xsym;
	uint32_t nxsym;
	struct rx_object *out;
	uint8_t *marks; /**< of each instruction */
	struct pg_error *err;
};

__attribute__((format(printf, 2, 3))) static int
refuse(const struct reading *r, const char *fmt, ...)
{
	char what[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return pg_error_set(r->err, PG_FAULT_INPUT, EINVAL, "%.100s: %s", r->file, what);
}

// The same of what is right, but not for rte_bpf.
#define LACKS(r, ...) (refuse(r, __VA_ARGS__), pg_error_expect((r)->err, PLAIN))

static int
cut_short(const struct reading *r)
{
	return refuse(r, "the object is cut short, or damaged");
}

static int
no_memory(const struct reading *r)
{
	return pg_error_set(r->err, PG_FAULT_ENV, ENOMEM, "out of memory");
}

// Whatever the name stands for, reading it comes to an end.
static int
read_bytes(struct reading *r)
{
	int fd = open(r->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC), rc = 0;
	struct stat is;
	ssize_t n;

	if (fd < 0 || fstat(fd, &is) < 0) {
		rc = pg_error_set(r->err, PG_FAULT_INPUT, errno,
			"cannot read the program %.100s: %s", r->file, strerror(errno));
	} else if (!S_ISREG(is.st_mode)) {
		rc = refuse(r, "no file");
	} else if (is.st_size > FILE_MAX) {
		rc = refuse(r, "more than %d bytes", FILE_MAX);
	} else if ((r->bytes = malloc((size_t)is.st_size + 1)) == NULL) {
		rc = no_memory(r);
	}
	while (rc == 0 && r->size < (size_t)is.st_size) {
		n = read(fd, r->bytes + r->size, (size_t)is.st_size - r->size);
		if (n <= 0)
			break;
		r->size += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

static int
open_object(struct reading *r)
{
	const Elf64_Ehdr *header = NULL;

	if (r->size < SELFMAG || memcmp(r->bytes, ELFMAG, SELFMAG) != 0)
		return LACKS(r, "no ELF object");
	if (r->size < sizeof(Elf64_Ehdr))
		return cut_short(r);
	if (elf_version(EV_CURRENT) != EV_NONE)
		r->elf = elf_memory(r->bytes, r->size);
	if (r->elf != NULL)
		header = elf64_getehdr(r->elf);
	if (header == NULL || header->e_ident[EI_DATA] != ELFDATA2LSB ||
		header->e_machine != EM_BPF || header->e_type != ET_REL)
		return LACKS(r, "no eBPF object");
	if (header->e_shoff > r->size || header->e_shoff % alignof(Elf64_Shdr) != 0 ||
		(r->size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum ||
		elf_getshdrstrndx(r->elf, &r->names) < 0)
		return cut_short(r);
	return 0;
}

static const char *
name_of(const struct reading *r, Elf_Scn *section)
{
	const Elf64_Shdr *header = elf64_getshdr(section);
	const char *name = header != NULL ? elf_strptr(r->elf, r->names, header->sh_name) : NULL;

	return name != NULL ? name : "";
}

static bool
is_code(Elf_Scn *section)
{
	const Elf64_Shdr *header = elf64_getshdr(section);

	return header != NULL && header->sh_type == SHT_PROGBITS &&
	       (header->sh_flags & SHF_EXECINSTR) && header->sh_size > 0;
}

static int
no_section(const struct reading *r, const char *wanted)
{
	Elf_Scn *section = NULL;
	char list[200];
	size_t used = 0;

	if (wanted == NULL)
		return LACKS(r, "no section with code");
	list[0] = '\0';
	while ((section = elf_nextscn(r->elf, section)) != NULL && used < sizeof(list)) {
		if (is_code(section))
			used += snprintf(list + used, sizeof(list) - used, "%s%.40s",
				used > 0 ? ", " : "", name_of(r, section));
	}
	refuse(r, "no section '%.60s' with code", wanted);
	return pg_error_expect(r->err, "%s%s", used > 0 ? "one of " : "", used > 0 ? list : PLAIN);
}

static int
take_code(struct reading *r, Elf_Scn *section)
{
	const Elf_Data *data = elf_rawdata(section, NULL);
	struct rx_object *out = r->out;

	if (data == NULL || data->d_buf == NULL || data->d_size != elf64_getshdr(section)->sh_size)
		return cut_short(r);
	snprintf(out->section, sizeof(out->section), "%s", name_of(r, section));
	if (data->d_size % sizeof(out->ins[0]) != 0)
		return refuse(r, "section '%.60s' holds no eBPF code", out->section);
	out->n = (uint32_t)(data->d_size / sizeof(out->ins[0]));
	out->ins = malloc(data->d_size);
	r->marks = calloc(out->n, sizeof(r->marks[0]));
	if (out->ins == NULL || r->marks == NULL)
		return no_memory(r);
	memcpy(out->ins, data->d_buf, data->d_size);
	return 0;
}

// The number of the section that the code is from, or an error.
static int
find_code(struct reading *r, const char *wanted)
{
	Elf_Scn *section = NULL;
	int rc;

	while ((section = elf_nextscn(r->elf, section)) != NULL) {
		if (!is_code(section) ||
			(wanted != NULL && strcmp(name_of(r, section), wanted) != 0))
			continue;
		rc = take_code(r, section);
		return rc < 0 ? rc : (int)elf_ndxscn(section);
	}
	return no_section(r, wanted);
}

static bool
is_call(const struct ebpf_insn *ins)
{
	return ins->code == (BPF_JMP | EBPF_CALL);
}

// What lies in the object beside the code, or what it leaves to others.
static int
refuse_symbol(const struct reading *r, const GElf_Sym *symbol, const char *name, bool call)
{
	Elf_Scn *section =
		symbol->st_shndx == SHN_UNDEF ? NULL : elf_getscn(r->elf, symbol->st_shndx);
	const char *where = section != NULL ? name_of(r, section) : "";

	if (section == NULL) {
		refuse(r, "'%.60s', which it %s, is nothing that there is here", name,
			call ? "calls" : "uses");
		return pg_error_expect(r->err, "pg_len() or pg_count(i)");
	}
	if (call)
		return LACKS(r, "it calls a function in '%.60s', and rte_bpf has no calls", where);
	if (strcmp(where, "maps") == 0 || strcmp(where, ".maps") == 0)
		return LACKS(r, "it uses the map '%.60s', and rte_bpf has no maps", name);
	return LACKS(r, "it uses data in '%.60s', and rte_bpf has none", where);
}

static int
link_one(struct reading *r, const GElf_Rel *rel, const GElf_Sym *symbol, const char *name)
{
	struct ebpf_insn *ins = &r->out->ins[rel->r_offset / sizeof(*ins)];

	for (uint32_t i = 0; i < r->nxsym && is_call(ins) && symbol->st_shndx == SHN_UNDEF; i++) {
		if (strcmp(r->xsym[i].name, name) != 0)
			continue;
		ins->src_reg = EBPF_REG_0;
		ins->imm = (int32_t)i;
		r->marks[ins - r->out->ins] |= LINKED;
		return 0;
	}
	return refuse_symbol(r, symbol, name, is_call(ins));
}

static int
link_section(struct reading *r, Elf_Scn *section)
{
	const Elf64_Shdr *header = elf64_getshdr(section), *table;
	Elf_Scn *symbols = elf_getscn(r->elf, header->sh_link);
	Elf_Data *rels = elf_getdata(section, NULL), *syms = elf_getdata(symbols, NULL);
	int rc = 0;

	table = symbols != NULL ? elf64_getshdr(symbols) : NULL;
	if (rels == NULL || syms == NULL || table == NULL || table->sh_type != SHT_SYMTAB)
		return cut_short(r);
	for (size_t i = 0; rc == 0 && i < rels->d_size / sizeof(Elf64_Rel); i++) {
		const char *name = NULL;
		GElf_Sym symbol;
		GElf_Rel rel;

		if (gelf_getrel(rels, (int)i, &rel) != NULL &&
			gelf_getsym(syms, (int)GELF_R_SYM(rel.r_info), &symbol) != NULL)
			name = elf_strptr(r->elf, table->sh_link, symbol.st_name);
		if (name == NULL || rel.r_offset / sizeof(r->out->ins[0]) >= r->out->n)
			return cut_short(r);
		rc = link_one(r, &rel, &symbol, name);
	}
	return rc;
}

static int
link_code(struct reading *r, size_t code)
{
	Elf_Scn *section = NULL;
	int rc = 0;

	while (rc == 0 && (section = elf_nextscn(r->elf, section)) != NULL) {
		const Elf64_Shdr *header = elf64_getshdr(section);

		if (header != NULL && header->sh_type == SHT_REL && header->sh_info == code)
			rc = link_section(r, section);
	}
	return rc;
}

static bool
is_wide(const struct ebpf_insn *ins)
{
	return ins->code == (BPF_LD | BPF_IMM | EBPF_DW);
}

static bool
is_jump(const struct ebpf_insn *ins)
{
	uint8_t op = BPF_OP(ins->code);

	return BPF_CLASS(ins->code) == BPF_JMP && op != EBPF_CALL && op != EBPF_EXIT;
}

// rte_bpf of DPDK 22.11 follows a program to where no instruction is.
static int
look_where(const struct reading *r, uint32_t i)
{
	const struct ebpf_insn *ins = &r->out->ins[i];
	int64_t to = (int64_t)i + 1 + ins->off, next = (int64_t)i + 1 + is_wide(ins);
	bool goes_on = ins->code != (BPF_JMP | EBPF_EXIT) && ins->code != (BPF_JMP | BPF_JA);

	if (is_jump(ins) && ins->off < 0)
		return LACKS(r, "a loop, from instruction %u back to %d, and rte_bpf has none", i,
			(int)to);
	if ((goes_on && next >= r->out->n) || (is_jump(ins) && to >= r->out->n))
		return refuse(r, "instruction %u leaves the program without an exit", i);
	if (is_jump(ins) && (r->marks[to] & HALF))
		return refuse(r, "instruction %u jumps into the middle of another", i);
	return 0;
}

// What rte_bpf lacks, or would take for something else, has a name here.
static int
look_at(struct reading *r, uint32_t i)
{
	const struct ebpf_insn *ins = &r->out->ins[i];
	uint8_t class = BPF_CLASS(ins->code);

	if (is_call(ins) && !(r->marks[i] & LINKED))
		return ins->src_reg == EBPF_PSEUDO_CALL
			       ? LACKS(r,
					 "instruction %u calls a function, and rte_bpf has no "
					 "calls",
					 i)
			       : LACKS(r,
					 "instruction %u calls helper %d of the kernel, which does "
					 "not exist here",
					 i, ins->imm);
	if (class == BPF_RET) // JMP32 since version 3
		return LACKS(r, "instruction %u is of version 3, which rte_bpf does not know", i);
	if (is_wide(ins) && i + 1 < r->out->n && ins[1].code != 0)
		return refuse(r, "instruction %u has no second half", i);
	r->out->stores |= (class == BPF_ST || class == BPF_STX) && ins->dst_reg != EBPF_REG_10;
	return look_where(r, i);
}

static int
look_through(struct reading *r)
{
	const struct rx_object *out = r->out;
	int rc = 0;

	for (uint32_t i = 0; i + 1 < out->n; i++) {
		if (is_wide(&out->ins[i]))
			r->marks[++i] |= HALF;
	}
	for (uint32_t i = 0; rc == 0 && i < out->n; i++) {
		if (!(r->marks[i] & HALF))
			rc = look_at(r, i);
	}
	return rc;
}

int
rx_object_read(const char *file, const char *section, const struct rte_bpf_xsym *xsym,
	uint32_t nxsym, struct rx_object *out, struct pg_error *err)
{
	struct reading r = {.file = file, .xsym = xsym, .nxsym = nxsym, .out = out, .err = err};
	int rc, code;

	memset(out, 0, sizeof(*out));
	rc = read_bytes(&r);
	if (rc == 0)
		rc = open_object(&r);
	if (rc == 0) {
		code = find_code(&r, section);
		rc = code < 0 ? code : link_code(&r, (size_t)code);
	}
	if (rc == 0)
		rc = look_through(&r);
	elf_end(r.elf);
	free(r.marks);
	free(r.bytes);
	if (rc < 0)
		rx_object_fini(out);
	return rc;
}

void
rx_object_fini(struct rx_object *object)
{
	free(object->ins);
	object->ins = NULL;
}
