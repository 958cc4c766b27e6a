/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps that builds from every source share. */
#ifndef KTSTR_KERNEL_BUILD_STEPS_H
#define KTSTR_KERNEL_BUILD_STEPS_H

#include "base/str.h"
#include "kernel/build.h"
#include "kernel/kconfig.h"
#include "kernel/metadata.h"
#include "kernel/source_tree.h"

/* One build on its way. */
struct build {
	const char *root;
	const struct kernel_build_opts *opts;
	struct str extra;		    /* text of --extra-kconfig */
	char extra_hash[KCONFIG_HASH_SIZE]; /* "" without one */
};

int build_init(struct build *b, const char *root, const struct kernel_build_opts *opts);
void build_finish(struct build *b);

/* A cached kernel that was built with today's fragment; never with --force. */
bool build_find_cached(const struct build *b, const char *key, struct kernel_image *out);

/* Checks the tools, reserves CPUs, configures, compiles. */
int build_compile(const struct build *b, const struct source_tree *tree, bool persists);

/* Puts what was compiled into the cache. The source in meta is the caller's to fill in. */
int build_store(const struct build *b, const struct source_tree *tree, const char *key,
		struct kernel_meta *meta, struct kernel_image *out);

#define _build_ _cleanup_(build_finish)

#endif
