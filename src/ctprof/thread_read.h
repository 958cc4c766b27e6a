/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading one thread: all its files, into one record. One reader per worker. */
#ifndef KTSTR_CTPROF_THREAD_READ_H
#define KTSTR_CTPROF_THREAD_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "ctprof/capture.h"
#include "ctprof/snapshot.h"

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

#endif
