/* SPDX-License-Identifier: GPL-2.0-only */
/* A failure that is a wait: whose it was, and when it began. */
#ifndef KTSTR_REPRO_WAIT_H
#define KTSTR_REPRO_WAIT_H

#include "base/base.h"
#include "vm/session.h"

/*
 * The task that the message of a check is about, by its id: "cg_0/2 (tid 171)",
 * "kworker/1:0 (kernel thread 44)", "init (pid 1)", "tid 171 starved", the first of them; 0 = about
 * nobody.
 */
uint32_t repro_task_in(const char *message);

/*
 * Runs the session, which is of sim, and follows the task: when its longest wait began, by the
 * guest's clock. -ENOENT with a sentence when it did not wait at all.
 */
int repro_find_wait(const struct vm_session *session, const char *vmlinux, uint32_t pid,
		    uint64_t *from_ns);

#endif
