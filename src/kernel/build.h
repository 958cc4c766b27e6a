/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From sources to a cached kernel: get them, reserve CPUs, configure, compile,
 * check, store. Each function gives back the kernel, from the cache where it
 * already was there.
 */
#ifndef KTSTR_KERNEL_BUILD_H
#define KTSTR_KERNEL_BUILD_H

#include "host/reserve.h"
#include "host/sandbox.h"
#include "host/topology.h"
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

/* build_cpus.c: The CPUs of a build: reserved against other runs, and kept to. */

struct build_cpus {
	struct cpulist allowed;
	struct topology topology;
	struct reservation reservation;
	struct sandbox sandbox;
	size_t count;
};

/*
 * Checks --cpu-cap (NULL: not given) and KTSTR_CPU_CAP without taking anything.
 * 0 CPUs = no cap.
 */
int build_cpus_parse_cap(const char *flag, size_t *cap);

/* Takes so many CPUs; 0: the default share of those that we may use. */
int build_cpus_take(struct build_cpus *b, size_t cap);
void build_cpus_finish(struct build_cpus *b);

#define _build_cpus_ _cleanup_(build_cpus_finish)

/*
 * source_tree.c: A kernel source tree on disk: is it one, which version, and does a commit
 * name it?
 */

enum tree_state {
	TREE_CLEAN, /* index = HEAD, files = index; untracked files do not count */
	TREE_DIRTY,
	TREE_NOT_GIT,
};

struct source_tree {
	char *path; /* canonical */
	enum tree_state state;
	char hash[41]; /* HEAD; "" outside of git */
	bool has_version;
	struct kernel_version version; /* as its Makefile says */
};

/* -EINVAL "not a kernel source tree" unless Makefile and Kconfig are there. */
int source_tree_open(struct source_tree *tree, const char *path);

/* Looks at git again; true when the tree is still clean at the same commit. */
bool source_tree_is_unchanged(const struct source_tree *tree);

void source_tree_finish(struct source_tree *tree);

/* VERSION, PATCHLEVEL, SUBLEVEL and EXTRAVERSION of a kernel's Makefile. */
bool source_tree_parse_version(const char *makefile, struct kernel_version *out);

#define _source_tree_ _cleanup_(source_tree_finish)

/* make.c: Configuring and compiling a source tree with its own Makefile. */

struct make_job {
	const char *tree;
	const char *label;	   /* of progress lines */
	const char *extra_kconfig; /* text appended behind the fragment, or NULL */
	size_t cpus;
	bool is_verbose; /* let make's output through */
};

/* make mrproper. */
int make_clean(const struct make_job *job);

/* Makes .config have what tests need; -EINVAL naming what the tree's own rules took away. */
int make_configure(const struct make_job *job);

/* Compiles. The output is shown only when it fails. */
int make_compile(const struct make_job *job);

/* compile_commands.json, for editors: no kernel needs it, so it may fail. */
void make_compile_commands(const struct make_job *job);

/* Whether the tools can build this version. -ENOTSUP naming the one that is too old. */
int make_check_tools(const struct source_tree *tree);

/* "v1.26" or "1.26" to 126; -1 for anything else. */
int make_parse_pahole(const char *text);

/* kconfig.c: The configuration that ktstr asks of a kernel it builds, and what became of it. */

#define KCONFIG_HASH_SIZE 9

/* The fragment ktstr.kconfig as it was when this program was built. */
const char *kconfig_fragment(size_t *len);

/* Its CRC-32 in hexadecimal: the kc part of cache keys. */
const char *kconfig_hash(void);

void kconfig_hash_text(const char *text, size_t len, char out[static KCONFIG_HASH_SIZE]);

/* Whether every setting of the fragment stands in the .config, comments aside. */
bool kconfig_has_all(const char *config, const char *fragment);

/* The value of CONFIG_name in a .config: "y", "m", "1000"; false when it is not set. */
bool kconfig_value(const char *config, const char *name, struct str *value);

/*
 * Checks that the options without which nothing can be tested survived the
 * kernel's own rules. -EINVAL naming all that did not, each with a hint.
 */
int kconfig_check(const char *config);

#endif
