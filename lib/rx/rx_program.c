/* SPDX-License-Identifier: BSD-3-Clause */
/* Users' programs, made ready to run. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_log.h>
#include <rte_malloc.h>

#include "pg_rx.h"
#include "rx_program.h"

#define SNAPLEN 262144 // libpcap's largest: no frame is cut
// Steps along all ways through a program, which rte_bpf is sure to take in less than a second.
#define STEPS_SURE (UINT64_C(1) << 22)
#define TRIAL_S    1 // of CPU, for programs with more

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

static void
add(uint64_t *ways, uint32_t n, int64_t to, uint64_t more)
{
	if (to >= 0 && to < n)
		ways[to] = RTE_MIN(ways[to] + more, STEPS_SURE);
}

// rte_bpf goes all ways through a program, and their number may double with each branch: how many
// steps are that at most? Jumps go forward only; any other program it refuses at once.
static uint64_t
count_steps(const struct ebpf_insn *ins, uint32_t n)
{
	uint64_t *ways = calloc(n, sizeof(ways[0])), steps = 0;

	if (ways == NULL)
		return STEPS_SURE;
	add(ways, n, 0, 1);
	for (uint32_t i = 0; i < n && steps < STEPS_SURE; i++) {
		uint8_t op = BPF_OP(ins[i].code);
		bool jumps = BPF_CLASS(ins[i].code) == BPF_JMP && op != EBPF_CALL;

		steps += ways[i];
		if (jumps && op != EBPF_EXIT && ins[i].off >= 0)
			add(ways, n, (int64_t)i + 1 + ins[i].off, ways[i]);
		if (!jumps || (op != BPF_JA && op != EBPF_EXIT))
			add(ways, n, i + 1, ways[i]);
	}
	free(ways);
	return steps;
}

// Many ways it knows to be like others, but not all: it is tried where it can be ended.
static bool
takes_long(const struct rte_bpf_prm *prm)
{
	const struct rlimit limit = {TRIAL_S, TRIAL_S};
	pid_t child, ended;
	int status;

	if (count_steps(prm->ins, prm->nb_ins) < STEPS_SURE)
		return false;
	child = fork();
	if (child == 0) {
		rte_log_set_global_level(RTE_LOG_EMERG);
		if (setrlimit(RLIMIT_CPU, &limit) == 0)
			rte_bpf_load(prm);
		_exit(0);
	}
	do
		ended = child > 0 ? waitpid(child, &status, 0) : -1;
	while (ended < 0 && child > 0 && errno == EINTR);
	return ended < 0 || !WIFEXITED(status);
}

// The first line that was said, without the function that said it.
static void
quote(const char *said, int rc, char *why, size_t size)
{
	size_t name = strcspn(said, ":( \n");

	if (said[name] == '(')
		name += strcspn(said + name, ")\n") + 1;
	said += RTE_MIN(name, strlen(said));
	said += strspn(said, ": ");
	snprintf(why, size, "%.*s", (int)strcspn(said, ";\n"), said);
	if (why[0] == '\0')
		snprintf(why, size, "%s", rte_strerror(rc));
}

// What rte_bpf has against a program it says in its log alone. The stream stays for good, since
// another thread may be about to write to it.
static struct rte_bpf *
load(const struct rte_bpf_prm *prm, char *why, size_t size)
{
	static char said[400];
	static FILE *log;
	FILE *usual = rte_log_get_stream();
	struct rte_bpf *bpf;
	int rc;

	if (log == NULL)
		log = fmemopen(said, sizeof(said), "w");
	if (log != NULL) {
		rewind(log);
		memset(said, 0, sizeof(said));
		rte_openlog_stream(log);
	}
	bpf = rte_bpf_load(prm);
	rc = rte_errno;
	if (log != NULL) {
		rte_openlog_stream(usual);
		fflush(log);
		said[sizeof(said) - 1] = '\0';
	}
	if (bpf == NULL)
		quote(said, rc, why, size);
	return bpf;
}

int
rx_program_load(const struct rte_bpf_prm *prm, struct rx_program *program, char *why, size_t size)
{
	memset(program, 0, sizeof(*program));
	if (takes_long(prm)) {
		snprintf(why, size, "it branches too often to be verified");
		return -E2BIG;
	}
	program->bpf = load(prm, why, size);
	if (program->bpf == NULL)
		return -EINVAL;
	if (!is_compiled_wrong(prm->ins, prm->nb_ins))
		find_native(program);
	return 0;
}

int
rx_program_filter(const char *text, struct rx_program *program, struct pg_error *err)
{
	char why[160] = "it cannot be translated";
	struct bpf_program code;
	struct rte_bpf_prm *prm;
	int rc = rx_filter_compile(text, &code, err);

	if (rc < 0)
		return rc;
	prm = rte_bpf_convert(&code);
	pcap_freecode(&code);
	rc = -EINVAL;
	if (prm != NULL) {
		index_bytes((struct ebpf_insn *)(uintptr_t)prm->ins, prm->nb_ins);
		rc = rx_program_load(prm, program, why, sizeof(why));
	}
	rte_free(prm);
	if (rc < 0)
		return pg_error_set(err, PG_FAULT_INPUT, -rc,
			"rx_filter '%.100s' is nothing that rte_bpf can run: %s",
			text != NULL ? text : "", why);
	return 0;
}

void
rx_program_fini(struct rx_program *program)
{
	rte_bpf_destroy(program->bpf);
	program->bpf = NULL;
}
