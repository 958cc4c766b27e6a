/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions that only QEMU's monitor for people answers. */
#ifndef KTSTR_VM_ASK_H
#define KTSTR_VM_ASK_H

#include "base/base.h"

struct vm;

/* Appends the answer to a line such as "info mtree -f". */
int vm_ask(struct vm *vm, const char *line, uint64_t limit_ns, struct str *out);

#endif
