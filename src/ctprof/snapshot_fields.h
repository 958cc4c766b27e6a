/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files that read and write snapshots; internal. snapshot_load.c reads the text from
 * a file and snapshot_write.c writes it. snapshot_json.c has the document as tables of fields
 * (base/json_fields.h), snapshot_load_thread.c and snapshot_json_threads.c the threads, which are
 * nearly all of it. Threads have a separate reader: with that of the tables, show takes 1.8 times
 * as long.
 */
#ifndef KTSTR_CTPROF_SNAPSHOT_FIELDS_H
#define KTSTR_CTPROF_SNAPSHOT_FIELDS_H

#include "base/json_fields.h"
#include "ctprof/group.h"

struct thread_loader;

struct loader {
	struct json_load load; /* must be first: see loader_of() */
	struct json_reader r;
	struct snapshot *s;
	int rc;		     /* error that stopped the reader, other than invalid JSON */
	struct intern texts; /* deduplicated strings */
	VEC(struct thread_record) threads;
	VEC(struct cgroup_record) cgroups;
	VEC(struct named_u64) list; /* the list that is being read */
	struct named_list last_list;
	struct thread_loader *thread;
};

/* Stops reading, with an error whose message is set. */
void load_stop(struct loader *l, int rc);

/* Stops reading, because the last value is of another kind than expected. */
void load_wrong_type(struct loader *l, enum json_kind kind, const char *expected);

/* Copies the text into the snapshot; NULL if out of memory. */
const char *load_text(struct loader *l, const char *s);

/*
 * Reads the next value as a number. False if it is null, or does not fit, which is counted. Any
 * other kind of value stops reading.
 */
bool load_unsigned(struct loader *l, uint64_t max, uint64_t *value);
bool load_signed(struct loader *l, int64_t *value);
bool load_bool(struct loader *l, bool *value);

/* Reads the next value as a string; false if it is null. */
bool load_string(struct loader *l, struct json_value *v);

/* Enters the next value, an object or array; false if it is null. */
bool load_enter(struct loader *l);
bool load_enter_array(struct loader *l);

/* Reads the members of an entered object as a list. */
void load_list(struct loader *l, struct named_list *list);

/* Reads the document's array of threads; v: its opening bracket. */
bool load_threads(struct json_load *load, const struct json_value *v, void *member);

/*
 * Append parts of the document, so that it is never completely in memory: the head up to the
 * opening bracket of the threads; threads first to end - 1 with commas before and between them; and
 * the tail from the closing bracket on.
 */
void snapshot_json_head(const struct snapshot *s, struct str *out);
void snapshot_json_threads(const struct snapshot *s, size_t first, size_t end, bool zero_fill,
			   struct str *out);
void snapshot_json_tail(const struct snapshot *s, bool zero_fill, struct str *out);

#endif
