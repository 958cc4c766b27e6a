/* SPDX-License-Identifier: GPL-2.0-only */
/* Delay accounting of threads from the kernel, over generic netlink. */
#ifndef KTSTR_CTPROF_TASKSTATS_H
#define KTSTR_CTPROF_TASKSTATS_H

#include "ctprof/snapshot.h"

/*
 * The kernel's struct taskstats, by version.
 *
 * New fields are appended, with one exception: version 15 inserted the longest and shortest delay
 * after each count and total, and version 16 moved them to the end. Both have 560 bytes, so only
 * the version field distinguishes them. A payload that ends before a field lacks the field.
 */

/* A reply: statistics of one thread, or an error of the kernel. */
struct taskstats_reply {
	uint32_t seq;
	int error; /* positive errno; 0 = there is a payload */
	uint32_t pid;
	const void *payload; /* points into the message */
	size_t len;
};

/* Returns whether it is a complete netlink message. */
bool taskstats_is_message(const void *message, size_t len);

/* Parses a netlink message. -EBADMSG if it is not a reply to a request. */
int taskstats_parse_reply(const void *message, size_t len, struct taskstats_reply *out);

/* 0 if the payload is too short. */
unsigned int taskstats_version(const void *payload, size_t len);

/* Fields that the running kernel fills in. */
struct taskstats_gates {
	bool cpu_delay;	  /* CONFIG_TASK_DELAY_ACCT */
	bool delay_block; /* also enabled: the other seven kinds of delay */
	bool xacct;	  /* CONFIG_TASK_XACCT */
	bool irq;	  /* CONFIG_IRQ_TIME_ACCOUNTING: without it, this delay is always 0 */
};

/*
 * Sets the metrics of the payload that the kernel fills in according to gates. If the kernel did
 * not count delays for this thread, omits them and clears delay_block_active. is_kernel_thread must
 * be set.
 */
void taskstats_fill(const void *payload, size_t len, const struct taskstats_gates *gates,
		    struct thread_record *t);

/*
 * Sets the three metrics of the thread's schedstat file, which the payload has, too. False if it
 * lacks them or the kernel did not fill them in: then the file has to be read.
 */
bool taskstats_fill_schedstat(const void *payload, size_t len, struct thread_record *t);

/* Reads a single field of a payload. False if it is not there. */
bool taskstats_field(const void *payload, size_t len, enum metric_id id, uint64_t *value);

/* Maximum number of pending requests; the replies fit into the buffer of the socket. */
#define TASKSTATS_BATCH 64

struct taskstats_client;

/* One client per thread. 0, or a negative errno with a message. */
int taskstats_open(struct taskstats_client **out);
void taskstats_close(struct taskstats_client *c);

/*
 * Queries up to TASKSTATS_BATCH threads at once, and calls answer() once for each, in any order.
 * reply->error: why there is no payload; ETIMEDOUT = no reply within a second.
 */
typedef void (*taskstats_answer)(void *context, size_t index, const struct taskstats_reply *reply);
void taskstats_ask(struct taskstats_client *c, const uint32_t *tids, size_t count,
		   taskstats_answer answer, void *context);

/*
 * Determines what this kernel accounts, by a query for the calling thread: it has run and has
 * memory, so a value of 0 means that the kernel does not count it. If unknown, true.
 */
void taskstats_find_gates(struct taskstats_client *c, const struct roots *roots,
			  struct taskstats_gates *gates);

/*
 * Checks whether taskstats works, by a query for this process. Returns 0 and the version of the
 * kernel's struct; -ENOENT if the kernel has no taskstats, -EPERM without CAP_NET_ADMIN, or another
 * negative errno. No message.
 */
int taskstats_probe_self(int *version);

#endif
