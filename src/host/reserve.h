/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the locks of a plan: all of them or none, in ascending order, without blocking
 * while any is held. Locks are dropped by release() or with the process.
 */
#ifndef KTSTR_HOST_RESERVE_H
#define KTSTR_HOST_RESERVE_H

#include "host/lock_holders.h"
#include "host/plan.h"

struct reserve_request {
	enum run_mode mode;
	/*
	 * The virtual machine, in performance and default mode. A tcg or sim VM is a single
	 * busy thread: with is_single it needs one CPU, whatever its shape.
	 */
	struct plan_shape shape;
	bool is_single;
	size_t budget; /* number of CPUs in budgeted mode */
	enum plan_preference preference;
	/* How long to queue for busy CPUs. 0 = give up after a few tries. */
	uint64_t timeout_ns;
	const struct topology *topology;
	const struct cpulist *allowed;
	const char *lock_dir;  /* NULL = KTSTR_LOCK_DIR or /tmp */
	bool is_whole_machine; /* spanning several nodes is expected, so do not warn */
	/*
	 * Called once if CPUs have to be waited for that are held outside of this run
	 * (processes with the same parent belong to the run). NULL = write to the log.
	 */
	void (*waits)(void *ctx);
	void *ctx;
};

struct reservation {
	struct plan plan;
	int *fds;
	size_t fd_count;
	enum skip_reason skip; /* after an error: why the run is to be skipped */
};

/*
 * Plans and locks. Returns -EBUSY (skip: contention) with a message that names the holders,
 * -EOPNOTSUPP (skip: performance mode unavailable), -ERANGE (skip: the test's budget is too
 * large), or another negative errno, which is a failure. Warnings about the plan are
 * logged.
 */
int reservation_acquire(struct reservation *r, const struct reserve_request *request);

/* Releases everything; a zeroed reservation holds nothing. */
void reservation_release(struct reservation *r);

#define _reservation_ _cleanup_(reservation_release)

/*
 * Appends the holders of CPUs or LLCs, except for children of a process: "pid 12 (make
 * -j2)". Appends nothing if there are none.
 */
int reserve_add_holders(const struct topology *t, const char *lock_dir, pid_t parent,
			struct str *out);

/* {KTSTR_LOCK_DIR or /tmp} */
const char *reserve_lock_dir(void);

/*
 * queue.c: first come, first served among processes that wait for CPUs.
 *
 * A waiting process holds a numbered ticket: a regular file in a common directory, locked
 * as long as the process lives. A ticket that another process can lock is that of a dead
 * process and is removed, so kill -9 loses only the victim's turn. A ticket enters the
 * directory with its lock already held and with a number above all living ones: it never
 * looks dead, and no later process gets in front.
 */

#define QUEUE_DIR "ktstr-queue"
#define QUEUE_TICKET "ticket-"

struct queue_ticket {
	int fd;	    /* -1 = no ticket */
	int dir;    /* the queue, kept open: its name may be reused */
	char *path; /* for messages */
	uint64_t number;
};

/*
 * Joins the end of the queue of a lock directory. Returns -EOPNOTSUPP if the file system
 * cannot create unnamed files, -ENOTDIR if the queue's name is a link, -EPERM if it is
 * another user's private directory, -ERANGE if there is no number after the last ticket;
 * then processes wait without an order. Returns -EINTR if the process was asked to stop.
 */
int queue_join(struct queue_ticket *t, const char *lock_dir);

/* Number of living tickets in front of this one (0 = its turn), or a negative errno. */
int queue_position(const struct queue_ticket *t);

/* Appends their processes: "pid 12 (ktstr test)". */
void queue_add_front(const struct queue_ticket *t, struct str *out);

/* Number of living tickets; 0 if there is no queue. */
int queue_length(const char *lock_dir);

/* Returns the ticket. */
void queue_leave(struct queue_ticket *t);

#define QUEUE_TICKET_NONE           \
	{                           \
		.fd = -1, .dir = -1 \
	}
#define _queue_ticket_ _cleanup_(queue_leave)

/*
 * locks_scan.c: all lock files of ktstr on this machine and their holders, without taking
 * any lock; shown by `ktstr locks`.
 */

enum lock_kind {
	LOCK_LLC,
	LOCK_CPU,
	LOCK_CACHE,
	LOCK_RUN,
	LOCK_QUEUE, /* tickets of waiting processes; the key is the ticket's number */
	LOCK_KINDS,
};

struct lock_row {
	char *key; /* number of the LLC or CPU, or key of the entry */
	uint64_t number;
	bool has_node;
	unsigned int node;
	char *lockfile;
	bool is_stale; /* deleted, but a process still holds a lock on it */
	bool has_age;  /* held, and the time of the last acquisition is known */
	uint64_t age_ns;
	struct lock_holders holders;
};

struct lock_rows {
	struct lock_row *items;
	size_t count, cap;
};

struct locks_scan {
	struct lock_rows kinds[LOCK_KINDS];
};

/* Directories of lock files; NULL = not searched. */
struct lock_places {
	char *dirs[LOCK_KINDS];
};

int lock_places_from_env(struct lock_places *places);
void lock_places_finish(struct lock_places *places);

/* t, if known, provides the nodes. A missing directory has no lock files. */
int locks_scan(struct locks_scan *s, const struct lock_places *places, const struct roots *roots,
	       const struct topology *t);
void locks_scan_finish(struct locks_scan *s);

#define _locks_scan_ _cleanup_(locks_scan_finish)

#endif
