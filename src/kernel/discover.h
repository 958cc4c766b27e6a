/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernel_discover() looks on the machine, so that tests can move it. */
#ifndef KTSTR_KERNEL_DISCOVER_H
#define KTSTR_KERNEL_DISCOVER_H

#include "kernel/kernel.h"

struct discover_places {
	const char *here;    /* "." */
	const char *modules; /* "/lib/modules" */
	const char *boot;    /* "/boot" */
	const char *release; /* as uname -r says it */
};

int discover_in(const struct discover_places *places, struct kernel_image *out);

/* The name under which the kernel that runs here is asked for. */
#define KERNEL_OF_HOST "host"

/* Where distributions keep its image. -ENOENT with a message that names the places. */
int discover_running_in(const struct discover_places *places, struct kernel_image *out);
int discover_running(struct kernel_image *out);

#endif
