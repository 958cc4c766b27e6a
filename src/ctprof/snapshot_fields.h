/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the snapshot's reader and writer, for each other only.
 * snapshot_load.c gets the text out of a file and snapshot_write.c puts it into
 * one, snapshot_json.c has the document as tables of fields (base/json_fields.h),
 * snapshot_load_thread.c and snapshot_json_threads.c the threads, which are nearly
 * all of it. Threads have a reader of their own: with that of the tables, show takes
 * 1.8 times as long.
 */
#ifndef KTSTR_CTPROF_SNAPSHOT_FIELDS_H
#define KTSTR_CTPROF_SNAPSHOT_FIELDS_H

#include "base/json_fields.h"
#include "ctprof/group.h"

struct thread_loader;

struct loader {
	struct json_load load; /* first: what tables call finds the rest by it */
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

/* Whether the next value is an object or array, which is then entered; null is none. */
bool load_enter(struct loader *l);
bool load_enter_array(struct loader *l);

/* The members of an entered object as a list. */
void load_list(struct loader *l, struct named_list *list);

/* The document's array of threads, whose first value was just read. */
bool load_threads(struct json_load *load, const struct json_value *v, void *member);

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
