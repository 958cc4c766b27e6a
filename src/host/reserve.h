/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taking what a plan says: all of its locks or none, in ascending order, without
 * blocking while any is held. The locks go with release() or with the process.
 */
#ifndef KTSTR_HOST_RESERVE_H
#define KTSTR_HOST_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/roots.h"
#include "base/str.h"
#include "host/plan.h"

struct reserve_request {
	enum run_mode mode;
	/*
	 * The virtual machine, in performance and default mode. A tcg or sim VM is
	 * one busy thread: is_single makes it one CPU whatever the shape.
	 */
	struct plan_shape shape;
	bool is_single;
	size_t budget; /* CPUs, in budgeted mode */
	enum plan_preference preference;
	/* How long to queue for busy CPUs. 0 = give up after a few tries. */
	uint64_t timeout_ns;
	const struct topology *topology;
	const struct cpulist *allowed;
	const char *lock_dir;  /* NULL = KTSTR_LOCK_DIR or /tmp */
	bool is_whole_machine; /* that it spans nodes is no news */
	/*
	 * Called once when CPUs have to be waited for that are held outside of this run:
	 * processes that have our parent are of the run. NULL = the log is told.
	 */
	void (*waits)(void *ctx);
	void *ctx;
};

struct reservation {
	struct plan plan;
	int *fds;
	size_t fd_count;
	enum skip_reason skip; /* after a failure: the run is to be skipped for this */
};

/*
 * Plans and locks. -EBUSY (skip: contention) with a message that names the
 * holders, -EOPNOTSUPP (skip: performance mode unavailable), -ERANGE (skip: a
 * test's budget that is too large), or another negative errno, which is a
 * failure. Warnings about the plan go to the log.
 */
int reservation_acquire(struct reservation *r, const struct reserve_request *request);

/* Gives everything back; a reservation of zeroes holds nothing. */
void reservation_release(struct reservation *r);

#define _reservation_ _cleanup_(reservation_release)

/*
 * Appends who holds CPUs or LLCs, but for the children of a process: "pid 12 (make -j2)".
 * Nothing where nobody else does.
 */
int reserve_add_holders(const struct topology *t, const char *lock_dir, pid_t parent,
			struct str *out);

/* {KTSTR_LOCK_DIR or /tmp} */
const char *reserve_lock_dir(void);

/* The lock file of an LLC or a CPU; free(). NULL when out of memory. */
char *reserve_llc_path(const char *lock_dir, size_t llc);
char *reserve_cpu_path(const char *lock_dir, unsigned int cpu);

#endif
