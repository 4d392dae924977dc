/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_LANG_H
#define PG_LANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <rte_ether.h>

#include "pg_address.h"
#include "pg_error.h"
#include "pg_units.h"

/* The language: lines `TARGET COMMAND [ARGUMENT]`, `[TARGET]` sections and `#` comments; one table
 * of commands with typed arguments, from which parsing, error texts, help and lists derive. */

#define PG_TARGET_MAX   64   /**< a target's name with its NUL */
#define PG_TEXT_MAX     512  /**< a text argument (device arguments, a name) with its NUL */
#define PG_REPLY_MAX    512  /**< pktgen's result buffer */
#define PG_SETTINGS_MAX 4096 /**< the largest settings object a change is tried on */

enum pg_target_kind {
	PG_TARGET_CONTROL, /**< pgctrl */
	PG_TARGET_THREAD,  /**< kpktgend_N */
	PG_TARGET_DEVICE,  /**< a device added by add_device */
	PG_TARGET_KINDS,
};

/** What a line is addressed to, found by the world's target_find(). */
struct pg_target {
	enum pg_target_kind kind;
	void *object;         /**< borrowed; NULL while lines are only checked */
	void *settings;       /**< borrowed; the object that settings rows write to */
	size_t settings_size; /**< at most PG_SETTINGS_MAX */
	bool busy;            /**< the target runs: rows without PG_COMMAND_ANYTIME are refused */
};

/** One named value of an argument, with its own help. */
struct pg_word {
	const char *name;
	uint64_t value;
	const char *help;
	bool second;     /**< a second name of a value, not listed in errors */
	bool clear_only; /**< a flag that other commands set */
	bool inverted;   /**< a flag whose name says the opposite: setting it clears the bit */
};

union pg_value {
	uint64_t u64;
	struct rte_ether_addr mac;
	struct pg_ip4 ip4;
	struct pg_ip6 ip6;
	struct pg_rate rate;
	struct pg_late late;
	struct pg_moment moment;
	struct pg_hex_list list;
	struct pg_pairs pairs;
	struct pg_stream stream;
	struct {
		uint64_t mask;
		bool clear;
	} flag;
	const char *string; /**< kept for the life of the process; NULL: not set */
	char text[PG_TEXT_MAX];
};

struct pg_type;

/** What may follow a number. */
enum pg_suffix {
	PG_SUFFIX_NONE,
	PG_SUFFIX_METRIC, /**< k, M, G: thousands */
	PG_SUFFIX_TIME,   /**< ns, us, ms, s; a bare number is ns */
};

/** What a text argument may name, for completion. */
enum pg_complete {
	PG_COMPLETE_NOTHING,
	PG_COMPLETE_TARGETS, /**< pgctrl, threads and devices */
	PG_COMPLETE_DEVICES, /**< that were added */
	PG_COMPLETE_PORTS,   /**< that could be added */
	PG_COMPLETE_THREADS,
	PG_COMPLETE_ETHDEVS,
	PG_COMPLETE_FILES,
	PG_COMPLETE_USER_NODES, /**< nodes of a user's own for the receive graph */
	PG_COMPLETE_HELP,       /**< commands, and the words they take; the language knows them */
};

/** One thing that may stand where a line ends. help may be NULL. */
typedef void (*pg_offer_fn)(void *ctx, const char *text, const char *help);

/** The argument of a command. */
struct pg_arg {
	const struct pg_type *type;  /**< NULL: the command takes no argument */
	uint64_t min, max;           /**< bounds of a number */
	const char *unit;            /**< "packets", "bytes", "ns"; NULL: none */
	const struct pg_word *words; /**< named values, ended by a NULL name */
	uint8_t width;               /**< bytes of the field that a number is stored in */
	uint8_t suffix;              /**< of a number: enum pg_suffix */
	bool optional;               /**< may be left out; the value is then all zero */
	char separator;              /**< of several words in one argument; 0: it is one */
	uint8_t complete;            /**< of a text: enum pg_complete */
	/** Of a string: look at it; refuse by an error, whose column counts from 0 within it.
	 *  NULL: any will do. */
	int (*valid)(const char *text, struct pg_error *err);
	/* How a control file reads a number (reference 1.1 and 4.1). */
	bool is_signed;       /**< the reply shows it as an int */
	uint8_t digits;       /**< that are looked at; 0: ten */
	uint64_t least, most; /**< what lies outside becomes this; 0: it is cut to the width */
};

/** What is left of a write to a control file. */
struct pg_scan {
	const char *at, *end;
};

/** A type supplies parse, format and storage once for all rows that use it. */
struct pg_type {
	const char *name;
	bool rest; /**< takes the rest of the line, blanks included, not one token */
	/** Parse a whole token. Errors: -EINVAL, -ERANGE with text; position is the caller's. */
	int (*parse)(const struct pg_arg *arg, const char *token, union pg_value *value,
		struct pg_error *err);
	/** Read a value as the kernel does: cuts where parse() refuses, stops where it likes.
	 *  Errors: -EINVAL, -E2BIG without text; the value then holds what was read so far (a
	 *  word or flag: the word itself, in value->text). */
	int (*scan)(const struct pg_arg *arg, struct pg_scan *scan, union pg_value *value);
	/** How scan() reads, for the manual. NULL: as parse(). */
	const char *scanned;
	/** Write the value as the language writes it. */
	void (*format)(
		const struct pg_arg *arg, const union pg_value *value, char *out, size_t size);
	/** Say what is expected: "a number of packets from 0 to 10". */
	void (*expect)(const struct pg_arg *arg, char *out, size_t size);
	/** Bytes of a field that holds such a value; 0: the row's width. */
	size_t size;
	/** Put a value into a settings field when that is more than copying it. */
	void (*store)(const struct pg_arg *arg, void *field, const union pg_value *value);
};

/** Put a value into a settings field, and read it back. */
void pg_arg_store(const struct pg_arg *arg, void *field, const union pg_value *value);
void pg_arg_load(const struct pg_arg *arg, const void *field, union pg_value *value);

/** Write the names of a list of words, "a, b, c"; second names are left out. */
void pg_words_list(const struct pg_word *words, char *out, size_t size);

extern const struct pg_type pg_type_number;
extern const struct pg_type pg_type_rate;
extern const struct pg_type pg_type_late;   /**< catchup [TIME], skip, stretch: its words */
extern const struct pg_type pg_type_moment; /**< +TIME, or a time of day */
extern const struct pg_type pg_type_share;  /**< N%, as 10^-6 % */
extern const struct pg_type pg_type_mac;
extern const struct pg_type pg_type_ip4;
extern const struct pg_type pg_type_word;
extern const struct pg_type pg_type_flag;
extern const struct pg_type pg_type_ip6;
extern const struct pg_type pg_type_pairs; /**< SIZE,WEIGHT ... to the end of the line */
extern const struct pg_type pg_type_hex;
extern const struct pg_type pg_type_hex_list;
extern const struct pg_type pg_type_stream; /**< NAME PART/PARTS */
extern const struct pg_type pg_type_sample; /**< off, sampled N, full: 0, N, 1 */
extern const struct pg_type pg_type_text;   /**< one token */
extern const struct pg_type pg_type_line;   /**< the rest of the line */
extern const struct pg_type pg_type_string; /**< one token, kept: a setting */
extern const struct pg_type pg_type_string_line;

struct pg_reply {
	char text[PG_REPLY_MAX];
};

/** A command being run. */
struct pg_call {
	void *ctx; /**< the world's */
	const struct pg_command *command;
	const struct pg_target *target;
	const union pg_value *value;
	struct pg_reply *reply;
	struct pg_error *err;
};

enum pg_command_flags {
	PG_COMMAND_ANYTIME = 1 << 0,   /**< allowed while the target runs */
	PG_COMMAND_DECLARES = 1 << 1,  /**< its text argument names a device from here on */
	PG_COMMAND_REMOVES = 1 << 3,   /**< removes the devices of its thread; pgctrl's: all */
	PG_COMMAND_EXTENSION = 1 << 2, /**< not a word of Linux pktgen */
};

/** One row of the command table: a setting (offset) or an action (run). */
struct pg_command {
	enum pg_target_kind target;
	const char *name;
	struct pg_arg arg;
	uint32_t flags;
	/* A setting: where its value lives, its default as text, and how it may refuse. */
	size_t offset;
	const char *def;
	/** Put the value into the copy of the settings when more than one field moves;
	 *  NULL: the type's store at offset. */
	void (*apply)(void *settings, const union pg_value *value);
	/** Look at the changed copy; refuse by an error. NULL: nothing can be wrong. */
	int (*check)(const void *settings, struct pg_error *err);
	/** May the target be changed so now? Asked before anything changes. NULL: always. */
	int (*admit)(const struct pg_call *call);
	/** An action, or what else happens once a setting is committed. 0 or -errno. */
	int (*run)(const struct pg_call *call);
	/** What the reply says before the argument. NULL: "OK: <name>=". */
	const char *reply;
	/** The whole reply, for the manual, where run() makes another. */
	const char *answer;
	/** How the command differs from Linux on purpose (DESIGN 8). NULL: it does not. */
	const char *differs;
	/* Through a control file, where the kernel does more than store what it read. */
	/** What a refused value is answered with; the write succeeds. NULL: the error. */
	const char *refusal;
	/** Instead of store, checks, run and reply. `scanned` is what type->scan() returned.
	 *  0 or -errno; a reply is kept either way, an empty one leaves the old. */
	int (*write)(const struct pg_call *call, int scanned);
	/** What has to be said before this row, so that saved settings come back: "pkt_size 60".
	 *  False: nothing. NULL: never anything. */
	bool (*lead)(const void *settings, char *line, size_t size);
	const char *help;
	const char *example;
};

/** Put a value into a settings object, the row's own way. */
void pg_command_store(const struct pg_command *row, void *settings, const union pg_value *value);

/** Reply to a call with its value, as its row says. */
void pg_call_reply(const struct pg_call *call);

/** A word that is not of the language, though documents use it, and what to say. */
struct pg_instead {
	const char *word;
	const char *expected; /**< completes "expected ..." */
};

/** A slice of the table, one per module; app/ gathers them (STYLE 1). */
struct pg_command_list {
	const struct pg_command *rows;
	size_t count;
	/** Look at the whole changed settings object after any change to a target of kind
	 *  `checked`, whichever list the row is of. NULL: nothing to check. */
	int (*check)(const void *settings, struct pg_error *err);
	/** Told of any such change once it is committed. NULL: nobody is. */
	void (*changed)(const struct pg_call *call);
	enum pg_target_kind checked;
	const struct pg_instead *instead; /**< ended by a NULL word; NULL: none */
};

/** What the language is spoken to. Callbacks borrow their arguments. */
struct pg_world {
	void *ctx;
	/** 0, or -ENOENT if no such target exists now. */
	int (*target_find)(void *ctx, const char *name, struct pg_target *target);
	/** Could a device of this name be added at all? Asked while lines are only checked.
	 *  0, or -errno with text. May be NULL. */
	int (*device_probe)(void *ctx, const char *name, struct pg_error *err);
	size_t device_settings_size; /**< of the settings objects of devices */
	/** Text for "expected": the targets that exist. */
	void (*target_list)(void *ctx, char *out, size_t size);
	/** A committed command's reply, to be kept as the target's `Result:`; not called for one
	 *  that has none. May be NULL. */
	void (*replied)(void *ctx, const struct pg_target *target, const char *reply);
	/** Offer what there is of a kind; it may leave out what does not begin with prefix.
	 *  May be NULL. */
	void (*offer)(
		void *ctx, enum pg_complete what, const char *prefix, pg_offer_fn fn, void *fn_ctx);
};

/** One speaker: the table, the world, the current section. */
struct pg_lang;

/** Shape:   lists[count] is borrowed and must outlive the speaker.
 *  Errors:  NULL with errno. */
struct pg_lang *pg_lang_create(
	const struct pg_command_list *const *lists, size_t count, const struct pg_world *world);
void pg_lang_destroy(struct pg_lang *lang);

/** Forget the current section: every source starts without one. */
void pg_lang_rewind(struct pg_lang *lang);

/** Let a command of pgctrl stand without its target where no other is meant, as at a prompt. */
void pg_lang_imply_control(struct pg_lang *lang);

/** The current section; empty: none. */
const char *pg_lang_section(const struct pg_lang *lang);

/** Where a line that is being typed can go on. */
struct pg_completion {
	size_t start;                 /**< of the word being typed, from 0 */
	const struct pg_command *row; /**< whose argument it is; NULL: it is none */
};

/** Offer everything that the word at the end of a line may become. */
struct pg_completion pg_lang_complete(
	const struct pg_lang *lang, const char *line, pg_offer_fn fn, void *ctx);

/** Check one line without running it: the words, the values and that the target exists or is
 *  declared by an earlier checked line. Errors: as pg_lang_run(). */
int pg_lang_check(struct pg_lang *lang, const char *line, struct pg_error *err);

/** Run one line.
 *  Errors:  -errno with a positioned error; then nothing has changed. reply->text is empty if the
 *           line held no command. */
int pg_lang_run(
	struct pg_lang *lang, const char *line, struct pg_reply *reply, struct pg_error *err);

/** Run one write to the control file of a target, with the kernel's parsing, cuts, return values
 *  and texts; commands that the kernel does not have are read strictly (DESIGN 8).
 *  Shape:   bytes[size] as handed to write(); they may hold NULs and several lines.
 *  Errors:  size, or -errno: what write() returns. The Result is kept by world->replied().
 *  Context: any thread that may call the world; the current section is not used. */
ssize_t pg_lang_write(struct pg_lang *lang, const char *target, const void *bytes, size_t size);

/** Print an error with position, the offending line and a caret:
 *  `NAME:LINE:COLUMN: what is wrong; expected ...`. */
void pg_lang_print_error(
	FILE *out, const char *name, size_t number, const char *line, const struct pg_error *err);

/** Print the command table for people, or as JSON. */
void pg_lang_list_text(const struct pg_command_list *const *lists, size_t count, FILE *out);
int pg_lang_list_json(const struct pg_command_list *const *lists, size_t count, FILE *out);

/** Print the help of the commands and named values of this name, or an overview of all.
 *  Errors:  -EINVAL with text: there is none. */
int pg_lang_help(const struct pg_command_list *const *lists, size_t count, const char *word,
	FILE *out, struct pg_error *err);
void pg_lang_help_all(const struct pg_command_list *const *lists, size_t count, FILE *out);

/** Find a row. NULL: no such command for that kind of target. */
const struct pg_command *pg_lang_find(
	const struct pg_lang *lang, enum pg_target_kind kind, const char *name);

/** Write every default of a kind's settings rows into a zeroed settings object; an empty default
 *  leaves the field zero: not set.
 *  Errors:  -EINVAL with text if a row's default does not parse (a fault of the table). */
int pg_lang_defaults(const struct pg_command_list *const *lists, size_t count,
	enum pg_target_kind kind, void *settings, struct pg_error *err);

/** Write the lines, without a target, that turn one settings object of a kind into another.
 *  Shape:   from[size], settings[size], size <= PG_SETTINGS_MAX.
 *  Errors:  what no line can say (a control file takes more) stands as a comment. */
void pg_lang_save(const struct pg_command_list *const *lists, size_t count,
	enum pg_target_kind kind, const void *from, const void *settings, size_t size, FILE *out);

/** The name of a kind of target as the language writes it: "pgctrl", "kpktgend_N", "DEVICE". */
const char *pg_lang_kind_name(enum pg_target_kind kind);

#endif
