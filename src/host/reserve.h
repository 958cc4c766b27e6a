/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taking what a plan says: all of its locks or none, in ascending order, without
 * blocking while any is held. The locks go with release() or with the process.
 */
#ifndef KTSTR_HOST_RESERVE_H
#define KTSTR_HOST_RESERVE_H

#include "host/lock_holders.h"
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

/*
 * queue.c: First come, first served among processes that wait for CPUs.
 *
 * Who waits holds a numbered ticket: a regular file in a common directory, locked
 * for as long as its process lives. A ticket that can be locked by another is a
 * dead one's and is removed, so kill -9 loses no turn but the victim's. A ticket
 * enters the directory with its lock already held and with a number above every
 * living one: no moment exists in which it looks dead, and nobody who comes
 * later gets in front.
 */

#define QUEUE_DIR "ktstr-queue"
#define QUEUE_TICKET "ticket-"

struct queue_ticket {
	int fd;	    /* -1 = no ticket */
	int dir;    /* the queue, held open: its name may change its meaning */
	char *path; /* for messages */
	uint64_t number;
};

/*
 * Joins the end of the queue of a lock directory. -EOPNOTSUPP where the file
 * system cannot make nameless files, -ENOTDIR where a link has the queue's name,
 * -EPERM where another user's private directory has it, -ERANGE where nobody can
 * get behind the last ticket; waiting goes without an order then. -EINTR when the
 * process was asked to stop.
 */
int queue_join(struct queue_ticket *t, const char *lock_dir);

/* Living tickets in front of ours, 0 = it is our turn; or a negative errno. */
int queue_position(const struct queue_ticket *t);

/* Appends who they are: "pid 12 (ktstr test)". */
void queue_add_front(const struct queue_ticket *t, struct str *out);

/* Living tickets in all; 0 where nobody ever queued. */
int queue_length(const char *lock_dir);

/* Gives the ticket back. */
void queue_leave(struct queue_ticket *t);

#define QUEUE_TICKET_NONE           \
	{                           \
		.fd = -1, .dir = -1 \
	}
#define _queue_ticket_ _cleanup_(queue_leave)

/*
 * locks_scan.c: Every lock file of ktstr on this machine and who holds it, without taking any
 * lock: what `ktstr locks` shows.
 */

enum lock_kind {
	LOCK_LLC,
	LOCK_CPU,
	LOCK_CACHE,
	LOCK_RUN,
	LOCK_QUEUE, /* tickets of those who wait; the key is the ticket's number */
	LOCK_KINDS,
};

struct lock_row {
	char *key; /* the LLC's or CPU's number, or the key of the entry */
	uint64_t number;
	bool has_node;
	unsigned int node;
	char *lockfile;
	bool is_stale; /* deleted, but somebody still holds a lock on what it was */
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

/* Where the lock files are; a NULL directory is not looked at. */
struct lock_places {
	char *dirs[LOCK_KINDS];
};

int lock_places_from_env(struct lock_places *places);
void lock_places_finish(struct lock_places *places);

/* The topology, if known, tells the nodes. A missing directory has no lock files. */
int locks_scan(struct locks_scan *s, const struct lock_places *places, const struct roots *roots,
	       const struct topology *t);
void locks_scan_finish(struct locks_scan *s);

#define _locks_scan_ _cleanup_(locks_scan_finish)

#endif
