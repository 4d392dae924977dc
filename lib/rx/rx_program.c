/* SPDX-License-Identifier: BSD-3-Clause */
/* Users' programs, made ready to run. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "pg_rx.h"
#include "rx_program.h"

#define SNAPLEN 262144 // libpcap's largest: no frame is cut

int
rx_filter_compile(const char *text, struct bpf_program *out, struct pg_error *err)
{
	pcap_t *pcap = pcap_open_dead(DLT_EN10MB, SNAPLEN);
	int rc;

	memset(out, 0, sizeof(*out));
	if (pcap == NULL)
		return pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	rc = pcap_compile(pcap, out, text != NULL ? text : "", true, PCAP_NETMASK_UNKNOWN);
	if (rc < 0) {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "no filter: %.120s", pcap_geterr(pcap));
		pg_error_expect(err, "an expression as tcpdump takes it, pcap-filter(7)");
	}
	pcap_close(pcap);
	return rc < 0 ? -EINVAL : 0;
}

int
pg_rx_filter_check(const char *text, struct pg_error *err)
{
	struct bpf_program code;
	int rc;

	if (*text == '\0') {
		pg_error_set(err, PG_FAULT_INPUT, EINVAL, "no filter");
		return pg_error_expect(err, "an expression as tcpdump takes it, pcap-filter(7)");
	}
	rc = rx_filter_compile(text, &code, err);
	if (rc == 0)
		pcap_freecode(&code);
	return rc;
}

// The compiler for x86 in DPDK 22.11 writes a test against a short constant in too few bytes, and
// what follows is garbage. The interpreter does it right.
static bool
is_compiled_wrong(const struct ebpf_insn *ins, uint32_t n)
{
	bool wrong = false;

	for (uint32_t i = 0; i < n; i++)
		wrong |= ins[i].code == (BPF_JMP | BPF_JSET | BPF_K) &&
			 ins[i].imm == (int8_t)ins[i].imm;
	return wrong;
}

// rte_bpf_convert() of DPDK 22.11 takes the wrong register as the index of a byte that is loaded;
// the right one, X, it keeps here.
static void
index_bytes(struct ebpf_insn *ins, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (ins[i].code == (BPF_LD | BPF_IND | BPF_B))
			ins[i].src_reg = EBPF_REG_7;
	}
}

static void
find_native(struct rx_program *program)
{
	struct rte_bpf_jit jit = {.func = NULL};

	program->native = rte_bpf_get_jit(program->bpf, &jit) == 0 ? jit.func : NULL;
}

int
rx_program_filter(const char *text, struct rx_program *program, struct pg_error *err)
{
	struct bpf_program code;
	struct rte_bpf_prm *prm;
	int rc = rx_filter_compile(text, &code, err);

	if (rc < 0)
		return rc;
	prm = rte_bpf_convert(&code);
	pcap_freecode(&code);
	if (prm != NULL) {
		index_bytes((struct ebpf_insn *)(uintptr_t)prm->ins, prm->nb_ins);
		program->bpf = rte_bpf_load(prm);
	}
	rc = rte_errno;
	if (program->bpf != NULL && !is_compiled_wrong(prm->ins, prm->nb_ins))
		find_native(program);
	rte_free(prm);
	if (program->bpf == NULL)
		return pg_error_set(err, PG_FAULT_INPUT, rc,
			"rx_filter '%.100s' is nothing that rte_bpf can run: %s",
			text != NULL ? text : "", rte_strerror(rc));
	return 0;
}

void
rx_program_fini(struct rx_program *program)
{
	rte_bpf_destroy(program->bpf);
}
