/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From sources to a cached kernel: get them, reserve CPUs, configure, compile,
 * check, store. Each function gives back the kernel, from the cache where it
 * already was there.
 */
#ifndef KTSTR_KERNEL_BUILD_H
#define KTSTR_KERNEL_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/ident.h"
#include "kernel/kernel.h"

struct kernel_build_opts {
	const char *label;	   /* of progress lines */
	const char *extra_kconfig; /* path of a file, or NULL */
	size_t cpu_cap;		   /* 0 = the default share */
	bool force;		   /* build even when it is cached */
	bool clean;		   /* make mrproper first */
	bool skip_sha256;
	bool is_verbose;
};

/* A version, or the newest of a series, from kernel.org. */
int kernel_build_version(const char *root, const struct kernel_version *version,
			 const struct kernel_build_opts *opts, struct kernel_image *out);

int kernel_build_git(const char *root, const struct kernel_id *id,
		     const struct kernel_build_opts *opts, struct kernel_image *out);

/* A source tree. Only a clean git checkout is cached; others are used in place. */
int kernel_build_tree(const char *root, const char *path, const struct kernel_build_opts *opts,
		      struct kernel_image *out);

#endif
