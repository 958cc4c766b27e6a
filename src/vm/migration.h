/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving a guest's devices to a file and restoring them, over QEMU's control connection. */
#ifndef KTSTR_VM_MIGRATION_H
#define KTSTR_VM_MIGRATION_H

#include "vm/qmp.h"

/* Into DIR/state; until it is done. -EPIPE when QEMU is gone. */
int migration_save(struct qmp *q, const char *dir, uint64_t timeout_ns);

/* From there: the commands, whose replies are owed, and then the end of it. */
int migration_send_restore(struct qmp *q, const char *dir);
int migration_await_restore(struct qmp *q, uint64_t timeout_ns);

#endif
