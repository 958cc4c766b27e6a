/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From sources to a cached kernel: fetch, reserve CPUs, configure, compile, check, store. Each
 * function returns the kernel, from the cache if it is there.
 */
#ifndef KTSTR_KERNEL_BUILD_H
#define KTSTR_KERNEL_BUILD_H

#include "host/reserve.h"
#include "host/sandbox.h"
#include "host/topology.h"
#include "kernel/ident.h"
#include "kernel/kernel.h"

struct kernel_build_opts {
	const char *label;	   /* prefix of progress lines */
	const char *extra_kconfig; /* path of a file, or NULL */
	size_t cpu_cap;		   /* 0 = the default share */
	bool force;		   /* build even if it is cached */
	bool clean;		   /* make mrproper first */
	bool skip_sha256;
	bool is_verbose;
};

/* Builds a version, or the newest of a series, from kernel.org. */
int kernel_build_version(const char *root, const struct kernel_version *version,
			 const struct kernel_build_opts *opts, struct kernel_image *out);

int kernel_build_git(const char *root, const struct kernel_id *id,
		     const struct kernel_build_opts *opts, struct kernel_image *out);

/* Builds a source tree. Only a clean git checkout is cached; other trees are used in place. */
int kernel_build_tree(const char *root, const char *path, const struct kernel_build_opts *opts,
		      struct kernel_image *out);

/* build_cpus.c: CPUs of a build: reserved against other runs, and enforced. */

struct build_cpus {
	struct cpulist allowed;
	struct topology topology;
	struct reservation reservation;
	struct sandbox sandbox;
	size_t count;
};

/* Checks --cpu-cap (NULL: not given) and KTSTR_CPU_CAP without reserving anything. 0 = no cap. */
int build_cpus_parse_cap(const char *flag, size_t *cap);

/* Reserves cap CPUs; 0: the default share of the allowed CPUs. */
int build_cpus_take(struct build_cpus *b, size_t cap);
void build_cpus_finish(struct build_cpus *b);

#define _build_cpus_ _cleanup_(build_cpus_finish)

/* source_tree.c: a kernel source tree on disk: validation, version, and git state. */

enum tree_state {
	TREE_CLEAN, /* index = HEAD, files = index; untracked files are ignored */
	TREE_DIRTY,
	TREE_NOT_GIT,
};

struct source_tree {
	char *path; /* canonical */
	enum tree_state state;
	char hash[41]; /* HEAD; "" outside of git */
	bool has_version;
	struct kernel_version version; /* from its Makefile */
};

/* -EINVAL "not a kernel source tree" unless Makefile and Kconfig exist. */
int source_tree_open(struct source_tree *tree, const char *path);

/* Queries git again; true if the tree is still clean at the same commit. */
bool source_tree_is_unchanged(const struct source_tree *tree);

void source_tree_finish(struct source_tree *tree);

/* VERSION, PATCHLEVEL, SUBLEVEL and EXTRAVERSION of a kernel's Makefile. */
bool source_tree_parse_version(const char *makefile, struct kernel_version *out);

#define _source_tree_ _cleanup_(source_tree_finish)

/* make.c: configures and compiles a source tree with its own Makefile. */

struct make_job {
	const char *tree;
	const char *label;	   /* prefix of progress lines */
	const char *extra_kconfig; /* text appended to the fragment, or NULL */
	size_t cpus;
	bool is_verbose; /* print make's output */
};

/* make mrproper. */
int make_clean(const struct make_job *job);

/* Adds the required options to .config; -EINVAL naming options that Kconfig rules dropped. */
int make_configure(const struct make_job *job);

/* Compiles the kernel. Output is shown only if it fails. */
int make_compile(const struct make_job *job);

/* Writes compile_commands.json for editors; errors are ignored, no kernel needs it. */
void make_compile_commands(const struct make_job *job);

/*
 * Checks whether the installed tools can build this version. -ENOTSUP naming one that is too old.
 */
int make_check_tools(const struct source_tree *tree);

/* "v1.26" or "1.26" gives 126; -1 for anything else. */
int make_parse_pahole(const char *text);

/* kconfig.c: the options that ktstr requires in kernels it builds, and checks of a .config. */

#define KCONFIG_HASH_SIZE 9

/* The fragment ktstr.kconfig, embedded when this program was built. */
const char *kconfig_fragment(size_t *len);

/* CRC-32 of the fragment in hexadecimal: the kc part of cache keys. */
const char *kconfig_hash(void);

void kconfig_hash_text(const char *text, size_t len, char out[static KCONFIG_HASH_SIZE]);

/* Returns whether the .config contains every setting of the fragment. */
bool kconfig_has_all(const char *config, const char *fragment);

/* Value of CONFIG_name in a .config: "y", "m", "1000"; false if it is not set. */
bool kconfig_value(const char *config, const char *name, struct str *value);

/*
 * Checks that the indispensable options survived the Kconfig rules. -EINVAL naming all that did
 * not, each with a hint.
 */
int kconfig_check(const char *config);

#endif
