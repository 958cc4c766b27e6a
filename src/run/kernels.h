/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernels of a run: what the user named, resolved, with a label for each. */
#ifndef KTSTR_RUN_KERNELS_H
#define KTSTR_RUN_KERNELS_H

#include "base/vec.h"
#include "kernel/kernel.h"
#include "vm/initramfs.h"

struct run_kernel {
	struct kernel_image image;
	char *label;		    /* "kernel_7_0" */
	struct initramfs_base base; /* what its guests start with, once there is to be one */
};

struct run_kernels {
	VEC(struct run_kernel) items;
	const char **labels; /* of all, in order */
};

struct run_kernels_request {
	const char *const *ids; /* as given to --kernel; none = the newest one at hand */
	size_t count;
	bool include_eol;
	bool only_labels;  /* nothing is downloaded or built; there are no images then */
	const char *label; /* of progress lines */
};

/* Ranges become one kernel for each version. Two kernels of one label are an error. */
int run_kernels_resolve(const struct run_kernels_request *r, struct run_kernels *out);
void run_kernels_finish(struct run_kernels *k);

#endif
