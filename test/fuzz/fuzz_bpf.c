/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as an eBPF object: refused with a text, or a program whose reach is known. */
#include "fuzz_world.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "rx_bpf.h"
#include "support_eal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static int file;
static char text[32];

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	FUZZ_REQUIRE(support_eal_start(NULL) == 0, "EAL did not start");
	file = memfd_create("object", 0);
	FUZZ_REQUIRE(file >= 0, "no file in memory");
	snprintf(text, sizeof(text), "/proc/self/fd/%d", file);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pg_error err = {0};
	struct rx_bpf bpf;

	FUZZ_REQUIRE(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size,
		"the file in memory is full");
	if (rx_bpf_load(text, &bpf, &err) < 0) {
		FUZZ_REQUIRE(err.code != 0 && err.text[0] != '\0', "refused without a text");
		return 0;
	}
	FUZZ_REQUIRE(bpf.reach <= RX_BPF_REACH, "a reach of %u", bpf.reach);
	rx_bpf_fini(&bpf);
	return 0;
}
