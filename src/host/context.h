/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must be known about a machine to interpret its figures later: kernel, CPU, memory,
 * tunables. The same structure is used for show-host, snapshots and run records. A string
 * that is NULL, or a number that is not known, could not be read.
 */
#ifndef KTSTR_HOST_CONTEXT_H
#define KTSTR_HOST_CONTEXT_H

#include "base/base.h"
#include "base/json_fields.h"

struct host_number {
	bool is_known;
	uint64_t value;
};

struct host_pair {
	char *key;
	char *value;
};

struct host_pairs {
	struct host_pair *items;
	size_t count, cap;
	bool is_known; /* its source exists; with count 0: empty */
};

struct host_context {
	char *kernel_name;
	char *kernel_release;
	char *arch;
	char *cpu_model;
	char *cpu_vendor;
	struct host_number total_memory_kb;
	struct host_number hugepages_total;
	struct host_number hugepages_free;
	struct host_number hugepages_size_kb;
	struct host_number online_cpus;
	struct host_number numa_nodes;
	struct host_pairs numa_layout; /* key: node0; its CPUs, memory and distances to all nodes */
	char *thp_enabled;
	char *thp_defrag;
	char *kernel_cmdline;
	struct host_pairs cpufreq_governor; /* key: cpu0, in CPU order */
	struct host_pairs sched_tunables;   /* key: sched_..., sorted */
	char *heap_state;		    /* of this program's own heap */
};

/* The first value after "key:" or "key\t:" at the start of a line, to be freed; NULL if missing. */
char *host_line_value(const char *text, const char *key);

/* Fails only if out of memory; what cannot be read stays unknown. */
int host_context_read(struct host_context *h, const struct roots *roots);

/* By name: texts, 64-bit numbers, and struct host_pairs as maps. */
extern const struct json_field host_context_fields[];

/* Adds a text or a number as it is printed; (unknown) if there is none. */
void host_field_add(const struct host_context *h, const struct json_field *f, struct str *out);

/* Adds its fields to the open JSON object; unknown ones are left out. */
void host_context_put_fields(const struct host_context *h, struct json *j);

/* The same as an object of its own. */
void host_context_to_json(const struct host_context *h, struct json *j);

/*
 * Reads its fields from the current JSON object, up to its end; others are skipped. A field
 * of a wrong type makes the text malformed, see json_read_fail(). h must be empty. Fails
 * only if out of memory.
 */
int host_context_load(struct host_context *h, struct json_reader *r);

/* Adds `key: value` lines, with (unknown) and (empty) where appropriate. */
void host_context_to_text(const struct host_context *h, struct str *out);

void host_context_finish(struct host_context *h);

#define _host_context_ _cleanup_(host_context_finish)

#endif
