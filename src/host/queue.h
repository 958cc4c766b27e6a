/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First come, first served among processes that wait for CPUs.
 *
 * Who waits holds a numbered ticket: a regular file in a common directory, locked
 * for as long as its process lives. A ticket that can be locked by another is a
 * dead one's and is removed, so kill -9 loses no turn but the victim's. A ticket
 * enters the directory with its lock already held and with a number above every
 * living one: no moment exists in which it looks dead, and nobody who comes
 * later gets in front.
 */
#ifndef KTSTR_HOST_QUEUE_H
#define KTSTR_HOST_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/str.h"

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

#endif
