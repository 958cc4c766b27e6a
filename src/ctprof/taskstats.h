/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the kernel for delay accounting of threads, over generic netlink. */
#ifndef KTSTR_CTPROF_TASKSTATS_H
#define KTSTR_CTPROF_TASKSTATS_H

#include "ctprof/snapshot.h"

/*
 * The kernel's struct taskstats, by version.
 *
 * Fields were only ever appended, with one exception: version 15 put longest
 * and shortest delay right behind each count and total, which moved everything
 * after the first of them; version 16 moved them to the end. Both are 560 bytes
 * long, so only the version field tells them apart. A payload that ends before
 * a field does not have it.
 */

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

/* Requests that are under way at a time; their answers fit the socket's buffer. */
#define TASKSTATS_BATCH 64

struct taskstats_client;

/* One client per thread. 0, or a negative errno with a message. */
int taskstats_open(struct taskstats_client **out);
void taskstats_close(struct taskstats_client *c);

/*
 * Asks for up to TASKSTATS_BATCH threads at once and calls answer() once for
 * each, in any order. reply->error says why there is no payload; ETIMEDOUT is
 * an answer that did not come within a second.
 */
typedef void (*taskstats_answer)(void *context, size_t index, const struct taskstats_reply *reply);
void taskstats_ask(struct taskstats_client *c, const uint32_t *tids, size_t count,
		   taskstats_answer answer, void *context);

/*
 * What this kernel accounts for. Asking for our own thread tells what is built
 * in: whoever asks has run and has memory, so a zero was never counted. What
 * cannot be told counts as present.
 */
void taskstats_find_gates(struct taskstats_client *c, const struct roots *roots,
			  struct taskstats_gates *gates);

/*
 * One question about ourselves: does it answer at all? 0 and the version of the
 * kernel's struct; -ENOENT when the kernel has no taskstats, -EPERM without
 * CAP_NET_ADMIN, or another negative errno. No message.
 */
int taskstats_probe_self(int *version);

#endif
