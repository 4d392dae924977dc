/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a dry run: pcap with nanoseconds, written by libpcap. */
#include <errno.h>

#include <pcap/pcap.h>

#include "app.h"
#include "pg_units.h"

#define SNAP_BYTES 262144

static int
write_packet(void *ctx, uint64_t ns, const uint8_t *frame, uint32_t bytes)
{
	const struct app *app = ctx;
	struct pcap_pkthdr header = {.caplen = bytes, .len = bytes};

	// Nanosecond files keep nanoseconds where the field's name says microseconds.
	header.ts.tv_sec = (time_t)(ns / PG_NS_PER_S);
	header.ts.tv_usec = (suseconds_t)(ns % PG_NS_PER_S);
	pcap_dump((u_char *)app->dumper, &header, frame);
	return ferror(pcap_dump_file(app->dumper)) ? -errno : 0;
}

int
app_dry_open(struct app *app)
{
	app->dry = (struct pg_dry_sink){.write = write_packet, .ctx = app};
	app->pcap = pcap_open_dead_with_tstamp_precision(
		DLT_EN10MB, SNAP_BYTES, PCAP_TSTAMP_PRECISION_NANO);
	if (app->pcap != NULL)
		app->dumper = pcap_dump_open(app->pcap, app->options.dry_run);
	if (app->dumper != NULL)
		return -1;
	fprintf(stderr, "pmdgen: cannot write %s\n",
		app->pcap != NULL ? pcap_geterr(app->pcap) : app->options.dry_run);
	return APP_BAD_ENVIRONMENT;
}

int
app_dry_close(struct app *app, int status)
{
	bool failed = app->dumper != NULL && pcap_dump_flush(app->dumper) != 0;

	if (app->dumper != NULL)
		pcap_dump_close(app->dumper);
	if (app->pcap != NULL)
		pcap_close(app->pcap);
	if (!failed)
		return status;
	fprintf(stderr, "pmdgen: cannot write %s\n", app->options.dry_run);
	return status != APP_OK ? status : APP_BAD_ENVIRONMENT;
}
