/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's PID 1, carried inside of this program so that it stays one file. */
#ifndef KTSTR_VM_GUEST_PROGRAM_H
#define KTSTR_VM_GUEST_PROGRAM_H

#include <stddef.h>

const void *guest_program(size_t *len);

#endif
