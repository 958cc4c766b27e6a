/* SPDX-License-Identifier: GPL-2.0-only */
/* Parsers for files of procfs and cgroups. */
#ifndef KTSTR_CTPROF_PROC_PARSE_H
#define KTSTR_CTPROF_PROC_PARSE_H

#include "ctprof/snapshot.h"

/* Shared by the parsers of procfs and cgroup text. */

/* Lines and numbers, inlined. */

#define TEXT_SAFE_DIGITS 19 /* as many always fit into 64 bits */

/* Parses a decimal number at *p and advances p. False: no digit, or more than 64 bits. */
static inline bool text_take_u64(const char **p, uint64_t *value)
{
	const char *s = *p;
	uint64_t v = 0;

	while ((unsigned char)(*s - '0') < 10)
		v = v * 10 + (uint64_t)(*s++ - '0');
	if (s == *p)
		return false;
	if (s - *p > TEXT_SAFE_DIGITS)
		return parse_digits(p, value) == 0;
	*p = s;
	*value = v;
	return true;
}

/* Returns whether a value may end before c. */
static inline bool text_is_end(char c)
{
	return c == '\n' || c == '\0' || c == ' ' || c == '\t';
}

static inline const char *text_skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* End of the line at p: its newline, or the end of the text. */
static inline const char *text_line_end(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));

	return newline ? newline : end;
}

static inline void thread_put_u64(struct thread_record *t, int id, uint64_t value)
{
	t->values[id].u = value;
	thread_set_measured(t, (enum metric_id)id);
}

/* Stores the number at p as the metric's kind requires. A value that does not fit stays absent. */
static inline void thread_put_number(struct thread_record *t, int id, const char *p)
{
	bool is_negative = *p == '-' && metrics[id].kind == METRIC_I64;
	uint64_t v;

	p += is_negative;
	if (!text_take_u64(&p, &v) || !text_is_end(*p))
		return;
	if (metrics[id].kind == METRIC_I64) {
		if (v > INT64_MAX)
			return;
		t->values[id].i = is_negative ? -(int64_t)v : (int64_t)v;
		thread_set_measured(t, (enum metric_id)id);
	} else {
		thread_put_u64(t, id, metrics[id].kind == METRIC_BOOL ? v != 0 : v);
	}
}

/* A small, fixed map from the keys of a text file to numbers, optimized for millions of lookups. */

#define KEY_TABLE_SLOTS 256 /* a power of two, at least twice the keys of any table */

struct key_table {
	struct {
		const char *key; /* NULL = free */
		size_t len;
		int value;
	} slots[KEY_TABLE_SLOTS];
	bool starts[256]; /* first bytes of keys: rules out most lines */
};

static inline unsigned int key_table_hash(const char *key, size_t len)
{
	const unsigned char *k = (const unsigned char *)key;

	return (unsigned int)len * 31 + k[0] * 7U + k[len / 2] * 5U + k[len - 1] * 3U;
}

static inline bool key_table_starts(const struct key_table *t, char c)
{
	return t->starts[(unsigned char)c];
}

/* -1 if there is no such key. */
static inline int key_table_find(const struct key_table *t, const char *key, size_t len)
{
	if (len == 0)
		return -1;
	for (unsigned int i = key_table_hash(key, len);; i++) {
		unsigned int slot = i % KEY_TABLE_SLOTS;

		if (!t->slots[slot].key)
			return -1;
		if (t->slots[slot].len == len && memcmp(t->slots[slot].key, key, len) == 0)
			return t->slots[slot].value;
	}
}

/* The key is not copied. An existing key keeps its value. */
void key_table_add(struct key_table *t, const char *key, int value);

/*
 * Parsers of the per-thread files of procfs: text in, values of a thread record out. They are pure,
 * accept any bytes, and follow the metric registry: a new row there is parsed without a change
 * here. Text must be NUL-terminated at text[len].
 *
 * Those for whole files return 0, or a negative errno if the text is not such a file.
 */

#define PROC_FLAG_KTHREAD 0x00200000u

/* Fields of stat besides the metrics. comm points into the text. */
struct proc_stat {
	const char *comm;
	size_t comm_len;
	char state; /* 0 = unknown */
	uint64_t flags;
	struct opt_u64 parent;
	struct opt_u64 children_ticks; /* user and system time of children waited for */
};

int proc_parse_stat(const char *text, size_t len, struct arena *arena, struct thread_record *t,
		    struct proc_stat *out);

/*
 * First line of /proc/stat: ticks that all CPUs spent on threads, and on interrupts if these count
 * as time of threads. -EBADMSG if it is another line.
 */
int proc_parse_cpu_busy(const char *line, bool with_interrupts, uint64_t *ticks);

int proc_parse_schedstat(const char *text, struct thread_record *t);

/* allowed is set to the value of Cpus_allowed_list, or left alone. */
struct proc_slice {
	const char *text;
	size_t len;
};
int proc_parse_status(const char *text, size_t len, struct thread_record *t,
		      struct proc_slice *allowed);

/*
 * Returns whether status would add anything. stat, sched and a system call contain the same values,
 * and status is the most expensive file.
 */
bool proc_needs_status(const struct thread_record *t);

int proc_parse_io(const char *text, size_t len, struct thread_record *t);

/* Negative times from the kernel, caused by clock skew: a bit per metric. */
struct proc_negatives {
	uint64_t bits[MEASURED_WORDS];
};
int proc_parse_sched(const char *text, size_t len, struct thread_record *t,
		     struct proc_negatives *negatives);

/* Path in the v2 hierarchy. */
int proc_parse_cgroup(const char *text, size_t len, struct proc_slice *path);

int proc_parse_smaps(const char *text, size_t len, struct arena *arena, struct named_list *out);

/* Lines "key value": cpu.stat, memory.stat, memory.events. */
int proc_parse_flat(const char *text, size_t len, struct arena *arena, struct named_list *out);

/*
 * io.stat of a cgroup as six sums over its devices, all zero for an empty file. If a number is
 * invalid there are no sums, because they would be too small.
 */
int proc_parse_io_stat(const char *text, size_t len, struct arena *arena, struct named_list *out);

/* A pressure file of the host or of a cgroup. Missing lines stay unknown. */
void proc_parse_psi(const char *text, size_t len, struct psi_line *some, struct psi_line *full);

/* MS.NNNNNN as nanoseconds. -EDOM for a negative artefact, -EINVAL for garbage. */
int proc_parse_dotted(const char *text, uint64_t *ns);

/* Files of a cgroup, pressure of host and cgroups, and the state of sched_ext. */

/*
 * Where cgroup v2 is mounted: the configured root if it is one, else the first cgroup2 in
 * mountinfo, else the configured root. The result is in the arena.
 */
const char *cgroup_find_root(const struct roots *roots, struct arena *arena);

/*
 * Returns whether all threads of a process are in the same cgroup as one of them, so that the
 * others need not be read. Only threaded cgroups can separate them. False if unknown. root is where
 * cgroup v2 is mounted.
 */
bool cgroup_keeps_together(const char *root, const char *path);

/* Returns whether cgroup v2 is mounted there. */
bool cgroup_is_v2(const char *root);

/* Fills the record except for its path. Only -ENOMEM is an error. */
int cgroup_record_read(const char *root, const char *path, struct arena *arena,
		       struct cgroup_record *out);

/* Reads the files base/PREFIX + resource + SUFFIX. */
void psi_read(const char *base, const char *prefix, const char *suffix, struct psi *out);
bool psi_is_known(const struct psi *psi);

/* False if the kernel has no sched_ext. */
bool sched_ext_read(const char *sys, struct arena *arena, struct sched_ext_record *out);

#endif
