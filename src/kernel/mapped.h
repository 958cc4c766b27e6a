/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole file as memory. */
#ifndef KTSTR_KERNEL_MAPPED_H
#define KTSTR_KERNEL_MAPPED_H

#include <stddef.h>

#include "base/cleanup.h"

struct mapped {
	void *data;
	size_t size;
};

/* Regular files only; an empty one is an error. */
int mapped_open(struct mapped *m, const char *path);
void mapped_finish(struct mapped *m);

#define _mapped_ _cleanup_(mapped_finish)

#endif
