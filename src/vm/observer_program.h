/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KTSTR_VM_OBSERVER_PROGRAM_H
#define KTSTR_VM_OBSERVER_PROGRAM_H

#include <stddef.h>

/* The loader of the observer; *len is 0 where it could not be built (no BPF compiler). */
const void *observer_program(size_t *len);

#endif
