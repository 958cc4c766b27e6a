/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of a capture, for each other only. */
#ifndef KTSTR_CTPROF_CAPTURE_PARTS_H
#define KTSTR_CTPROF_CAPTURE_PARTS_H

#include "ctprof/capture.h"
#include "ctprof/taskstats.h"

/*
 * Which threads there are, and reading them all.
 *
 * The list is made first; then workers take ranges of it. Ranges of threads, not
 * processes: one process may own the whole crowd.
 */

struct walk_thread {
	uint32_t tgid, tid;
};

struct walk_list {
	struct walk_thread *items;
	size_t count, cap;
	size_t hidden; /* processes whose threads we may not list */
};

/* Processes ascending, threads ascending within. */
int walk_list_threads(struct walk_list *list, const struct capture_opts *opts, int proc_fd);
void walk_list_finish(struct walk_list *list);

/*
 * Fills s->threads, s->parse and s->taskstats, and counts in s->unread the values
 * that were below zero. gates is NULL when delay accounting is not asked for.
 */
int walk_read_threads(struct snapshot *s, const struct capture_opts *opts,
		      const struct walk_list *list, int proc_fd,
		      const struct taskstats_gates *gates, unsigned int worker_count);

/* Reading one thread: all its files, into one record. One reader per worker. */

/* Like the previous value more often than not: then its copy is used again. */
struct last_string {
	const char *copy; /* NULL = none yet */
	size_t len;
};

struct thread_reader {
	const struct capture_opts *opts;
	bool is_live; /* system calls on these thread numbers make sense */
	struct arena arena;
	char *buffer;
	int proc_fd;

	/* The process whose threads are being read. */
	uint32_t tgid; /* 0 = none */
	int task_fd;
	const char *pcomm; /* NULL until it was read */
	const char *home;  /* the cgroup of all its threads; NULL if it is not known, or several */
	const char *asked_about; /* the cgroup that the last process was found in ... */
	bool is_home;		 /* ... and whether one keeps all threads of its processes */

	struct last_string last_comm, last_cgroup;
	unsigned char last_mask[1024];
	size_t last_mask_len;
	const char *last_cpus;

	uint64_t tids_walked, vanished;
	uint64_t negatives[METRIC_COUNT]; /* times below zero, dropped */
	uint64_t failures[SNAPSHOT_FILES];
};

enum thread_fate {
	THREAD_KEPT,
	THREAD_GONE,	 /* exited before anything could be read */
	THREAD_FILTERED, /* not asked for */
};

/* proc_fd stays the caller's. 0, or a negative errno with a message. */
int thread_reader_init(struct thread_reader *r, const struct capture_opts *opts, int proc_fd);
void thread_reader_finish(struct thread_reader *r);

/* Closes the present process, in the thread that read it: its files may be its own. */
void thread_reader_leave(struct thread_reader *r);

/* Fills the record, which is zeroed or has the numbers of schedstat. An enum thread_fate, or -ENOMEM. */
int thread_read(struct thread_reader *r, uint32_t tgid, uint32_t tid, struct thread_record *t);

/* The part of a capture that stops threads: jemalloc's counters of every thread that has them. */

/* Fills the jemalloc metrics and s->probe. Only running out of memory is an error. */
int probe_threads(struct snapshot *s, const struct jemalloc_limits *limits,
		  unsigned int worker_count);

/* What is missing from a finished capture, and why. */

/* Fills s->unread and the verdicts of s->parse. */
void capture_find_reasons(struct snapshot *s, const struct capture_opts *o);

/*
 * Times that cannot be. Kernels report delays longer than the thread has lived;
 * such a value says nothing, and in a sum it hides what the others say.
 */

#define IMPOSSIBLE_REASON "longer than the thread's life: a fault in the kernel's accounting"

/*
 * Makes them and the counts that belong to them absent, and tallies them by
 * metric. Returns how many times they were: none where the snapshot does not tell how old its threads are.
 */
uint64_t impossible_drop(struct snapshot *s, uint64_t dropped[static METRIC_COUNT]);

/* The same for a snapshot that was written with them: tallied, with the reason. */
void impossible_forget(struct snapshot *s);

#endif
