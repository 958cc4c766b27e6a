/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the snapshot reader, for each other only. snapshot_load.c gets
 * the text out of a file, snapshot_load_json.c takes the document apart by
 * tables of fields, snapshot_load_thread.c reads the threads, which are nearly
 * all of it.
 */
#ifndef KTSTR_CTPROF_SNAPSHOT_LOAD_H
#define KTSTR_CTPROF_SNAPSHOT_LOAD_H

#include "base/json_read.h"
#include "base/vec.h"
#include "ctprof/snapshot.h"

/* Equal strings, kept once. */
struct pool_entry {
	const char *s;
	uint32_t len, hash;
};

struct pool {
	struct pool_entry *slots;
	size_t slot_count, count;
};

struct thread_loader;

struct loader {
	struct json_reader r;
	struct snapshot *s;
	int rc; /* what stopped the reader, if it was not bad JSON */
	struct pool pool;
	VEC(struct thread_record) threads;
	VEC(struct cgroup_record) cgroups;
	VEC(struct named_u64) list; /* being read */
	struct named_list last_list;
	struct thread_loader *thread;
};

/* One member of an object: where it goes and who reads it. Tables end with a NULL key. */
struct load_field {
	const char *key;
	void (*read)(struct loader *l, const struct load_field *f, void *base);
	size_t offset;
	const struct load_field *fields; /* of an object within */
};

static inline void *load_field_at(const struct load_field *f, void *base)
{
	return (char *)base + f->offset;
}

/* Ends the reading with an error that has been set. */
void load_stop(struct loader *l, int rc);

/* Ends it because the value read last is of another kind than expected. */
void load_wrong_type(struct loader *l, enum json_kind kind, const char *expected);

/* A copy of the text that lives as long as the snapshot. NULL when out of memory. */
const char *load_text(struct loader *l, const char *s, size_t len);

/*
 * The next value as a number. False when it is null or does not fit, which is
 * counted; and when it is something else, which ends the reading.
 */
bool load_unsigned(struct loader *l, uint64_t max, uint64_t *value);

/* The next value as a string; false when it is null. */
bool load_string(struct loader *l, struct json_value *v);

/* Whether the next value is an object, which is then entered; null is none. */
bool load_enter(struct loader *l);

/* The same for an array; its items come from json_read_item(). */
bool load_enter_array(struct loader *l);

/* The members of an entered object; those that are in no table are passed over. */
void load_members(struct loader *l, const struct load_field *fields, void *base);

/* The next value as name → number; null is empty. */
struct named_list load_list(struct loader *l);

/* Readers for tables. What is null or out of range leaves its place as it was. */
void load_u64(struct loader *l, const struct load_field *f, void *base);
void load_opt(struct loader *l, const struct load_field *f, void *base);
void load_bool(struct loader *l, const struct load_field *f, void *base);
void load_pooled(struct loader *l, const struct load_field *f, void *base);
void load_named(struct loader *l, const struct load_field *f, void *base);
void load_object(struct loader *l, const struct load_field *f, void *base);
/* A structure that starts with a bool is_known. */
void load_known_object(struct loader *l, const struct load_field *f, void *base);
void load_threads(struct loader *l, const struct load_field *f, void *base);

/* The text of a file: the decompressed frames with a NUL behind. */
int snapshot_read_text(const char *path, char **text, size_t *len);

#endif
