/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of your own for rx_bpf: decides by the port that UDP packets go to.
 *   clang -O2 -target bpf -mcpu=v2 -c bpf_program.c
 *   pmdgen FILE, with `rx_graph bpf,eth,ip4,deliver` and `rx_bpf bpf_program.o` in it */

/* What pmdgen has: the length of the frame, and counters that the profile shows. */
extern unsigned long long pg_len(void);
extern unsigned long long pg_count(unsigned long long i);

enum verdict { ABORTED, DROP, PASS, TX, REDIRECT }; /* XDP's codes */
enum counter { NOT_UDP, SHORT, HIGH };

#define UDP_BYTES 42 /* of Ethernet, IPv4 without options, and UDP */

/* Bytes behind the frame's end may be looked at, and are zero. */
__attribute__((section("xdp"), used)) int
decide(const unsigned char *frame)
{
	unsigned int port = frame[36] << 8 | frame[37];

	if (frame[12] != 8 || frame[13] != 0 || frame[14] != 0x45 || frame[23] != 17) {
		pg_count(NOT_UDP);
		return PASS;
	}
	if (pg_len() < UDP_BYTES) {
		pg_count(SHORT);
		return ABORTED;
	}
	if (port < 19)
		return DROP;
	if (port < 59)
		return TX;
	if (port >= 99)
		pg_count(HIGH);
	return PASS;
}
