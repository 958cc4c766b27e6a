/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's struct taskstats, by version.
 *
 * Fields were only ever appended, with one exception: version 15 put longest
 * and shortest delay right behind each count and total, which moved everything
 * after the first of them; version 16 moved them to the end. Both are 560 bytes
 * long, so only the version field tells them apart. A payload that ends before
 * a field does not have it.
 */
#ifndef KTSTR_CTPROF_TASKSTATS_LAYOUT_H
#define KTSTR_CTPROF_TASKSTATS_LAYOUT_H

#include "ctprof/snapshot.h"

/* A reply as it came: the statistics of one thread, or the kernel's refusal. */
struct taskstats_reply {
	uint32_t seq;
	int error; /* positive errno, 0 = payload is there */
	uint32_t pid;
	const void *payload; /* points into the message */
	size_t len;
};

/* Whether a netlink message with its whole contents is there. */
bool taskstats_is_message(const void *message, size_t len);

/* One netlink message. -EBADMSG when it is none that answers a request. */
int taskstats_parse_reply(const void *message, size_t len, struct taskstats_reply *out);

/* 0 when the payload is too short to tell. */
unsigned int taskstats_version(const void *payload, size_t len);

/* Which fields the running kernel fills in at all. */
struct taskstats_gates {
	bool cpu_delay;	  /* CONFIG_TASK_DELAY_ACCT is built in */
	bool delay_block; /* and switched on: the other seven kinds of delay */
	bool xacct;	  /* CONFIG_TASK_XACCT is built in */
	bool irq;	  /* CONFIG_IRQ_TIME_ACCOUNTING is: without it, that delay stays 0 */
};

/*
 * Sets the metrics that the payload holds and the gates let through, except for
 * what the kernel has not counted for this thread: then delay_block_active is
 * cleared. Whether it is a kernel thread must be known.
 */
void taskstats_fill(const void *payload, size_t len, const struct taskstats_gates *gates,
		    struct thread_record *t);

/*
 * Sets what the thread's file schedstat holds, of which the payload has the same
 * three numbers. False when it does not have them, or the kernel has not filled
 * them in: then the file has to be read.
 */
bool taskstats_fill_schedstat(const void *payload, size_t len, struct thread_record *t);

/* One field of a payload, for those who look at a single one. False when it is not there. */
bool taskstats_field(const void *payload, size_t len, enum metric_id id, uint64_t *value);

#endif
