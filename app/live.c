/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run does while it goes on: on a terminal some lines that are drawn anew once a second and
 * erased at the end, elsewhere a few lines every ten seconds. Counters are read as they are; the
 * workers do not notice. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live.h"
#include "terminal.h"

#define DRAW_NS  PG_NS_PER_S
#define PLAIN_NS (10 * PG_NS_PER_S)

/** Owner: the thread of the view, but for what is under lock. Taken after the control lock. */
static struct {
	struct app *app;
	pthread_t thread;
	bool started, terminal;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* under lock */
	bool run, quit;
	uint64_t began_ns;  /**< the run */
	unsigned int drawn; /**< lines on the terminal */
	struct live_sample *samples;
	size_t nsamples;
	struct live_drops drops;
	uint64_t drops_ns; /**< when they were read; 0: not in this run */
} live = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
erase(void)
{
	if (live.drawn > 0) {
		fprintf(live.app->out, "\033[%uA\r\033[J", live.drawn);
		fflush(live.app->out);
	}
	live.drawn = 0;
}

static void
look_at_drops(uint64_t now_ns)
{
	uint64_t packets[PG_RX_PROTOCOLS] = {0};
	const struct pg_device *device;
	bool any = false;

	TAILQ_FOREACH(device, pg_engine_devices(live.app->engine), in_engine)
	{
		if (device->task == NULL)
			continue;
		any |= pg_rx_profile_protocols(&device->profile, packets);
		for (unsigned int i = 0; i < device->nreceivers; i++)
			any |= pg_rx_profile_protocols(&device->receivers[i].profile, packets);
	}
	live_drops(&live.drops, packets, any,
		now_ns - (live.drops_ns != 0 ? live.drops_ns : live.began_ns));
	live.drops_ns = now_ns;
}

// Read all devices; what they did since they were read last.
static bool
look(uint64_t now_ns, struct live_sum *all, struct live_row **rows)
{
	const struct pg_device_list *devices = pg_engine_devices(live.app->engine);
	struct live_sample *samples;
	struct pg_device *device;
	size_t n = 0;

	TAILQ_FOREACH(device, devices, in_engine)
	n++;
	samples = calloc(n + 1, sizeof(*samples));
	*rows = calloc(n + 1, sizeof(**rows));
	if (samples == NULL || *rows == NULL) {
		free(samples);
		return false;
	}
	look_at_drops(now_ns);
	*all = (struct live_sum){.began_ns = live.began_ns, .now_ns = now_ns, .drops = &live.drops};
	TAILQ_FOREACH(device, devices, in_engine)
	{
		const struct live_sample *last = NULL;
		size_t i = all->n;

		// The same device, unless some were added or removed meanwhile.
		if (i < live.nsamples && strcmp(live.samples[i].name, device->name) == 0)
			last = &live.samples[i];
		if (device->task == NULL)
			continue;
		live_read(device, last, now_ns, live.began_ns, &samples[i], &(*rows)[i]);
		live_add(all, &(*rows)[i]);
	}
	free(live.samples);
	live.samples = samples;
	live.nsamples = all->n;
	return true;
}

static void
draw(const struct live_sum *all, const struct live_row *rows)
{
	unsigned int lines, columns;
	char *text = NULL;
	size_t size = 0;
	FILE *memory;

	app_terminal_size(fileno(live.app->out), &lines, &columns);
	memory = open_memstream(&text, &size);
	if (memory == NULL)
		return;
	live_table(all, rows, lines, columns, memory);
	fclose(memory);
	erase();
	for (const char *c = text; (c = strchr(c, '\n')) != NULL; c++)
		live.drawn++;
	fputs(text, live.app->out);
	fflush(live.app->out);
	free(text);
}

static void
show(void)
{
	uint64_t now_ns = pg_clock_monotonic_ns();
	struct live_row *rows = NULL;
	struct live_sum all;

	if (!look(now_ns, &all, &rows) || all.n == 0) {
		free(rows);
		return;
	}
	if (live.terminal) {
		draw(&all, rows);
	} else {
		live_plain(&all, rows, live.app->out);
		fflush(live.app->out);
	}
	free(rows);
}

// Under live.lock; until something changes, or the time has come (true).
static bool
nap(uint64_t until_ns)
{
	const struct timespec until = {
		(time_t)(until_ns / PG_NS_PER_S), (long)(until_ns % PG_NS_PER_S)};

	if (!live.run)
		pthread_cond_wait(&live.wake, &live.lock);
	else
		return pthread_cond_timedwait(&live.wake, &live.lock, &until) == ETIMEDOUT;
	return false;
}

static void *
live_main(void *arg)
{
	uint64_t step_ns = live.terminal ? DRAW_NS : PLAIN_NS, next_ns = 0;

	(void)arg;
	pthread_mutex_lock(&live.lock);
	while (!live.quit) {
		if (!nap(next_ns)) {
			next_ns = live.began_ns + step_ns;
			continue;
		}
		// Devices are read with the control lock, which comes first.
		pthread_mutex_unlock(&live.lock);
		pg_engine_lock(live.app->engine);
		pthread_mutex_lock(&live.lock);
		if (live.run && !live.quit && pg_clock_monotonic_ns() >= next_ns) {
			show();
			next_ns += step_ns;
		}
		pthread_mutex_unlock(&live.lock);
		pg_engine_unlock(live.app->engine);
		pthread_mutex_lock(&live.lock);
	}
	pthread_mutex_unlock(&live.lock);
	return NULL;
}

int
app_live_start(struct app *app)
{
	pthread_condattr_t attr;
	int rc;

	if (app->options.quiet || app->options.dry_run != NULL)
		return 0;
	live.app = app;
	live.terminal = app->out == stdout && isatty(fileno(app->out));
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&live.wake, &attr);
	pthread_condattr_destroy(&attr);
	rc = pthread_create(&live.thread, NULL, live_main, NULL);
	live.started = rc == 0;
	return rc;
}

void
app_live_stop(void)
{
	if (!live.started)
		return;
	pthread_mutex_lock(&live.lock);
	live.quit = true;
	pthread_cond_signal(&live.wake);
	pthread_mutex_unlock(&live.lock);
	pthread_join(live.thread, NULL);
	free(live.samples);
	live.started = false;
}

void
app_live_stay_on(const cpu_set_t *cpus)
{
	if (live.started)
		(void)pthread_setaffinity_np(live.thread, sizeof(*cpus), cpus);
}

void
app_live_run(bool run)
{
	if (!live.started)
		return;
	pthread_mutex_lock(&live.lock);
	erase();
	free(live.samples);
	live.samples = NULL;
	live.nsamples = 0;
	live.drops = (struct live_drops){.any = false};
	live.drops_ns = 0;
	live.began_ns = pg_clock_monotonic_ns();
	live.run = run;
	pthread_cond_signal(&live.wake);
	pthread_mutex_unlock(&live.lock);
}

void
app_live_hide(void)
{
	if (!live.started)
		return;
	pthread_mutex_lock(&live.lock);
	erase();
	pthread_mutex_unlock(&live.lock);
}
