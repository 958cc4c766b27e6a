/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsers of the per-thread files of procfs: text in, values of a thread record
 * out. They are pure, take any bytes, and follow the metric registry: a new row
 * there is read without a change here. Text must end with a NUL at text[len].
 *
 * The whole ones return 0, or a negative errno when the text is not such a file.
 */
#ifndef KTSTR_CTPROF_PROC_PARSE_H
#define KTSTR_CTPROF_PROC_PARSE_H

#include "ctprof/snapshot.h"

#define PROC_FLAG_KTHREAD 0x00200000u

/* What stat says beside the metrics. comm points into the text. */
struct proc_stat {
	const char *comm;
	size_t comm_len;
	char state; /* 0 = unknown */
	uint64_t flags;
	struct opt_u64 children_ticks; /* user and system time of those waited for */
};

int proc_parse_stat(const char *text, size_t len, struct arena *arena, struct thread_record *t,
		    struct proc_stat *out);

/* The first line of /proc/stat: what all CPUs did for threads. -EBADMSG if it is none. */
int proc_parse_cpu_busy(const char *line, uint64_t *ticks);

int proc_parse_schedstat(const char *text, struct thread_record *t);

/* allowed is set to the value of Cpus_allowed_list, or left alone. */
struct proc_slice {
	const char *text;
	size_t len;
};
int proc_parse_status(const char *text, size_t len, struct thread_record *t,
		      struct proc_slice *allowed);

/*
 * Whether status would tell anything new. stat, sched and a system call hold the
 * same values, and status is the dearest file of all.
 */
bool proc_needs_status(const struct thread_record *t);

int proc_parse_io(const char *text, size_t len, struct thread_record *t);

/* Times that the kernel wrote below zero, which clock skew does: a bit per metric. */
struct proc_negatives {
	uint64_t bits[MEASURED_WORDS];
};
int proc_parse_sched(const char *text, size_t len, struct thread_record *t,
		     struct proc_negatives *negatives);

/* The path of the v2 hierarchy. */
int proc_parse_cgroup(const char *text, size_t len, struct proc_slice *path);

int proc_parse_smaps(const char *text, size_t len, struct arena *arena, struct named_list *out);

/* "key value" lines: cpu.stat, memory.stat, memory.events. */
int proc_parse_flat(const char *text, size_t len, struct arena *arena, struct named_list *out);

/*
 * io.stat of a cgroup as six sums over its devices, which are all zero for an empty
 * file. A number that cannot be read leaves no sums, for they would be too small.
 */
int proc_parse_io_stat(const char *text, size_t len, struct arena *arena, struct named_list *out);

/* A pressure file of the host or of a cgroup. Lines that are not there stay unknown. */
void proc_parse_psi(const char *text, size_t len, struct psi_line *some, struct psi_line *full);

/* MS.NNNNNN as nanoseconds. -EDOM for a negative artefact, -EINVAL for garbage. */
int proc_parse_dotted(const char *text, uint64_t *ns);

#endif
