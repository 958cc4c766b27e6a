/* SPDX-License-Identifier: GPL-2.0-only */
/* One task of the guest, out of its struct task_struct. */
#ifndef KTSTR_WATCH_TASK_H
#define KTSTR_WATCH_TASK_H

#include "watch/queues.h"

/* False = there is none that could be read. */
bool task_read(struct task_view *t, struct space *space, uint64_t address, uint64_t now_ns);

#endif
