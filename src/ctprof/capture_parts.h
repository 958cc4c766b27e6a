/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps of a capture; internal. */
#ifndef KTSTR_CTPROF_CAPTURE_PARTS_H
#define KTSTR_CTPROF_CAPTURE_PARTS_H

#include "ctprof/capture.h"
#include "ctprof/taskstats.h"

/*
 * Lists the threads, and reads them all.
 *
 * The list is complete before workers take ranges of it. A range consists of threads, not of
 * processes: one process may have most of the threads.
 */

struct walk_thread {
	uint32_t tgid, tid;
};

struct walk_list {
	struct walk_thread *items;
	size_t count, cap;
	size_t hidden; /* processes whose threads we may not list */
};

/* Ordered by process, then by thread. */
int walk_list_threads(struct walk_list *list, const struct capture_opts *opts, int proc_fd);
void walk_list_finish(struct walk_list *list);

/*
 * Fills s->threads, s->parse and s->taskstats, and counts negative values in s->unread. gates is
 * NULL if delay accounting was not requested.
 */
int walk_read_threads(struct snapshot *s, const struct capture_opts *opts,
		      const struct walk_list *list, int proc_fd,
		      const struct taskstats_gates *gates, unsigned int worker_count);

/* Reads one thread: all its files, into one record. One reader per worker. */

/* Often equal to the previous value: then its copy is reused. */
struct last_string {
	const char *copy; /* NULL = none yet */
	size_t len;
};

struct thread_reader {
	const struct capture_opts *opts;
	bool is_live; /* system calls on these thread IDs make sense */
	struct arena arena;
	char *buffer;
	int proc_fd;

	/* The process whose threads are being read. */
	uint32_t tgid; /* 0 = none */
	int task_fd;
	const char *pcomm;	 /* NULL until it is read */
	const char *home;	 /* cgroup of all its threads; NULL if unknown, or several */
	const char *asked_about; /* cgroup of the previous process ... */
	bool is_home;		 /* ... and whether it contains all threads of its processes */

	struct last_string last_comm, last_cgroup;
	unsigned char last_mask[1024];
	size_t last_mask_len;
	const char *last_cpus;

	uint64_t tids_walked, vanished;
	uint64_t negatives[METRIC_COUNT]; /* negative times, dropped */
	uint64_t failures[SNAPSHOT_FILES];
};

enum thread_fate {
	THREAD_KEPT,
	THREAD_GONE,	 /* exited before anything could be read */
	THREAD_FILTERED, /* not selected */
};

/* proc_fd stays owned by the caller. 0, or a negative errno with a message. */
int thread_reader_init(struct thread_reader *r, const struct capture_opts *opts, int proc_fd);
void thread_reader_finish(struct thread_reader *r);

/* Closes the current process, in the thread that read it: its files may belong to that thread. */
void thread_reader_leave(struct thread_reader *r);

/*
 * Fills the record, which must be zeroed or contain the numbers of schedstat. Returns an enum
 * thread_fate, or -ENOMEM.
 */
int thread_read(struct thread_reader *r, uint32_t tgid, uint32_t tid, struct thread_record *t);

/*
 * The part of a capture that stops threads: reads the jemalloc counters of threads that have them.
 */

/* Fills the jemalloc metrics and s->probe. Only -ENOMEM is an error. */
int probe_threads(struct snapshot *s, const struct jemalloc_limits *limits,
		  unsigned int worker_count);

/* Determines what is missing in a finished capture, and why. */

/* Fills s->unread and the verdicts of s->parse. */
void capture_find_reasons(struct snapshot *s, const struct capture_opts *o);

/*
 * Impossible times. Kernels report delays longer than the life of the thread; such a value is
 * meaningless, and in a sum it hides the others.
 */

#define IMPOSSIBLE_REASON "longer than the thread's life: a fault in the kernel's accounting"

/*
 * Makes these values and the related counts absent, and tallies them by metric. Returns their
 * number; 0 if the snapshot does not contain the age of its threads.
 */
uint64_t impossible_drop(struct snapshot *s, uint64_t dropped[static METRIC_COUNT]);

/* The same for a snapshot that was written with them: tallied, with the reason. */
void impossible_forget(struct snapshot *s);

#endif
