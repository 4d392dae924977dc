/* SPDX-License-Identifier: BSD-3-Clause */
/* Linux's pktgen as it was recorded (test/data/linux-pktgen), replayed through the control files'
 * semantics: what the parts of test_replay share. */
#ifndef SUPPORT_REPLAY_H
#define SUPPORT_REPLAY_H

#include <jansson.h>
#include <pthread.h>

#include "app.h"

#define REPLAY_STARTERS  4
#define REPLAY_FILES_MAX 40
#define REPLAY_TEXT_MAX  4096

/** What of a step can differ. */
enum replay_kind {
	REPLAY_RETURN = 1, /**< return value and errno of a write */
	REPLAY_RESULT = 2, /**< the Result text after it */
	REPLAY_LINE = 4,   /**< another line of a file */
	REPLAY_PACKET = 8, /**< a packet, or how many there are */
};

/** A process that has written `start` and waits. */
struct replay_starter {
	struct replay *replay;
	pthread_t thread;
	struct pg_lang *lang;
	bool used;
	bool done; /**< atomic */
	ssize_t ret;
};

/** An interface of the guest. */
struct guest_port {
	char name[IF_NAMESIZE];
	struct rte_ether_addr mac;
	const char *peer; /**< NULL: none; down: no carrier here */
	bool shares;      /**< its driver allows shared packets */
	bool foreign;     /**< not Ethernet */
	uint16_t txqs;
	bool exists, down; /**< as the shell steps have it */
	uint32_t ip4;
	struct pg_ip6 ip6;
	uint32_t frame_max;
};

/** A file as the recorder saw it last. */
struct replay_seen {
	char file[PG_DEVICE_NAME_MAX];
	char text[REPLAY_TEXT_MAX];
};

struct replay_counts {
	unsigned int agree, purpose, absent, failed;
};

/** One boot of the guest: an engine, the program's world, and the step at hand. */
struct replay {
	struct app app;
	struct pg_clock clock;
	struct pg_lang *lang;
	struct replay_starter starter[REPLAY_STARTERS];
	pthread_t worker[2];
	json_t *steps;   /**< all; owned */
	json_t *packets; /**< by the step of their start, in order; owned */
	size_t at;       /**< index of the step at hand */
	struct replay_seen seen[REPLAY_FILES_MAX];
	/* The step at hand. */
	json_t *written; /**< of a shell's write, the step as it would be; owned */
	const char *id, *section, *file, *command, *error;
	unsigned int differences; /**< that nothing in the list covers */
	bool purpose;             /**< the list covers one */
	bool restore;             /**< go on from what the kernel had */
	/* The device that a section pkt-* is about. */
	char device[PG_DEVICE_NAME_MAX];
	const json_t *settings; /**< of the last case; borrowed */
	size_t nsettings;       /**< of its settings in the packets file, how many are written */
	struct replay_counts commands, reads, packet_cases;
};

/* support_replay.c: boot, files */
json_t *replay_load(const char *path);
void replay_boot(struct replay *replay, const struct pg_dry_sink *dry);
void replay_halt(struct replay *replay);
/** One write(); `after` is what stands behind the bytes. Returns what the kernel's write() would.
 */
ssize_t replay_write(struct replay *replay, struct pg_lang *lang, const char *file,
	const char *bytes, size_t size, const char *after);
/** A file as read; false: there is no such file. Shape: text[REPLAY_TEXT_MAX]. */
bool replay_read(struct replay *replay, const char *file, char *text);
/** What follows "Result: ", without the last newline. Shape: as replay_read(). */
void replay_result(const char *text, char *result);
struct pg_device *replay_device(struct replay *replay, const char *name);
const char *replay_text(const json_t *step, const char *key);

/* replay_guest.c: the interfaces */
extern const struct pg_port_ops replay_ports;
void guest_init(void);
void guest_fini(void);
/** From the next add_device on: can veth0's link be lost? */
void guest_links(bool on);
/** Wait until no buffer is under way: pools that still miss some cannot be freed. */
void guest_settle(void);
void guest_reset(void);
struct guest_port *guest_find(const char *name);
/** Do what a shell step does to the interfaces; false: nothing that matters here. */
bool guest_shell(struct replay *replay, const char *shell);

/* replay_purpose.c: the list */
/** The step at hand differs. Covered by the list, or the test fails. */
void replay_differ(struct replay *replay, enum replay_kind kind, const char *subject,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/** Does the list say that a step does not apply? */
bool replay_absent(struct replay *replay, const json_t *step);
/** Count a command of the guest's shell that nothing stands for. */
void replay_skip_shell(struct replay_counts *counts);
/** Begin a step, and count how it ended. */
void replay_begin(struct replay *replay, const json_t *step);
void replay_end(struct replay *replay, struct replay_counts *counts);
/** Print how often each entry was used. Returns how many never were. */
unsigned int replay_print_purposes(void);

/* replay_text.c: a file, line by line */
/** whole: what `got` is a part of; it has the ranges of what is drawn at random. */
void replay_compare_text(
	struct replay *replay, const char *want, const char *got, const char *whole, bool running);

/* replay_shell.c */
/** A shell's echo into a control file, as the step of a write; NULL: it is none. Owner: caller. */
json_t *replay_shell_write(const json_t *step);
/** Compare a listing of the control files; false: it is none. */
bool replay_listing(struct replay *replay, const json_t *step);

/* replay_steps.c, replay_runs.c, replay_packets.c */
void replay_steps(struct replay *replay);
void replay_start(struct replay *replay, const json_t *step);
void replay_wait(struct replay *replay, const json_t *step);
/** Write the settings of a packets case that its device does not have yet, at most so many. */
void replay_settings(struct replay *replay, const json_t *packets, bool fresh, size_t most);
bool replay_second_start(struct replay *replay, const char *shell);
void replay_packets(struct replay *replay);

#endif
