/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the kernel for delay accounting of threads, over generic netlink. */
#ifndef KTSTR_CTPROF_TASKSTATS_H
#define KTSTR_CTPROF_TASKSTATS_H

#include "ctprof/taskstats_layout.h"

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
