/* SPDX-License-Identifier: GPL-2.0-only */
/* What a worker is called: "cg_0/2", in sentences and, as its comm, in the kernel's messages. */
#ifndef KTSTR_WORK_NAME_H
#define KTSTR_WORK_NAME_H

#include <stddef.h>

#define WORKER_NAME_SIZE 128
#define WORKER_COMM_SIZE 16 /* of the kernel, with the NUL */

/* The group's name and the index in it; a name that is too long loses its beginning. Returns out. */
char *worker_name(char *out, size_t size, const char *group, unsigned int index);

#endif
