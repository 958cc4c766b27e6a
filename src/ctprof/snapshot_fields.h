/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the snapshot's reader and writer, for each other only. An object
 * of the document is a table of fields, by which it is both read and written.
 * snapshot_load.c gets the text out of a file and snapshot_write.c puts it into
 * one, snapshot_json.c has the tables, snapshot_load_thread.c and
 * snapshot_json_threads.c the threads, which are nearly all of it.
 */
#ifndef KTSTR_CTPROF_SNAPSHOT_FIELDS_H
#define KTSTR_CTPROF_SNAPSHOT_FIELDS_H

#include "ctprof/group.h"

struct thread_loader;

struct loader {
	struct json_reader r;
	struct snapshot *s;
	int rc;		     /* what stopped the reader, if it was not bad JSON */
	struct intern texts; /* equal strings, kept once */
	VEC(struct thread_record) threads;
	VEC(struct cgroup_record) cgroups;
	VEC(struct named_u64) list; /* being read */
	struct named_list last_list;
	struct thread_loader *thread;
};

struct saver {
	struct json j;
	bool zero_fill;
};

/* One member of an object: where it is in memory. Tables end with a NULL key. */
struct snap_field {
	const char *key;
	const struct snap_kind *kind;
	size_t offset;
	size_t has;			 /* of a bool that tells whether it is there */
	const struct snap_field *fields; /* of an object within */
};

/* How a field is read and written. read() is false for null and for what does not fit. */
struct snap_kind {
	bool (*read)(struct loader *l, const struct snap_field *f, void *base);
	void (*write)(struct saver *w, const struct snap_field *f, const void *base); /* or NULL */
};

#define SNAP(type, key, kind, member, ...)                                      \
	{                                                                       \
		key, &snap_##kind, offsetof(struct type, member), ##__VA_ARGS__ \
	}

extern const struct snap_kind snap_u64, snap_u32, snap_bool, snap_text, snap_list;
extern const struct snap_kind snap_opt;	     /* struct opt_u64 */
extern const struct snap_kind snap_counter;  /* the same; 0 instead of null under --zero-fill */
extern const struct snap_kind snap_i64;	     /* with has */
extern const struct snap_kind snap_opt_list; /* a list that is never empty where it was read */
extern const struct snap_kind snap_object;   /* always there if has is 0 */
extern const struct snap_kind snap_whole;    /* an object that is there if all its members are */
extern const struct snap_kind snap_threads;

/* Halves of kinds, for those that differ in the other half. */
bool snap_read_opt(struct loader *l, const struct snap_field *f, void *base);
void snap_write_opt(struct saver *w, const struct snap_field *f, const void *base);
bool snap_read_bool(struct loader *l, const struct snap_field *f, void *base);

/* Ends the reading with an error that has been set. */
void load_stop(struct loader *l, int rc);

/* Ends it because the value read last is of another kind than expected. */
void load_wrong_type(struct loader *l, enum json_kind kind, const char *expected);

/* A copy of the text that lives as long as the snapshot. NULL when out of memory. */
const char *load_text(struct loader *l, const char *s);

/*
 * The next value as a number. False when it is null or does not fit, which is
 * counted; and when it is something else, which ends the reading.
 */
bool load_unsigned(struct loader *l, uint64_t max, uint64_t *value);
bool load_signed(struct loader *l, int64_t *value);
bool load_bool(struct loader *l, bool *value);

/* The next value as a string; false when it is null. */
bool load_string(struct loader *l, struct json_value *v);

/* Whether the next value is an object, which is then entered; null is none. */
bool load_enter(struct loader *l);

/* The same for an array; its items come from json_read_item(). */
bool load_enter_array(struct loader *l);

/*
 * The members of an entered object; those that are in no table are passed over.
 * Returns a bit for each field of the table that was read.
 */
uint64_t load_members(struct loader *l, const struct snap_field *fields, void *base);

/* The members of an object that is open. */
void save_members(struct saver *w, const struct snap_field *fields, const void *base);

/*
 * The document in pieces, so that it never has to be in memory as a whole: up to
 * and with the bracket that opens the threads, threads first to end - 1 with the
 * commas between them and in front of them, and from the bracket that closes them.
 */
void snapshot_json_head(const struct snapshot *s, struct str *out);
void snapshot_json_threads(const struct snapshot *s, size_t first, size_t end, bool zero_fill,
			   struct str *out);
void snapshot_json_tail(const struct snapshot *s, bool zero_fill, struct str *out);

#endif
