/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernels: from an identifier to files that can be booted.
 *
 *         struct kernel_image k = {};
 *         rc = kernel_resolve("7.0", NULL, &k);      // cache, distribution image, or a build
 *         ... boot k.vmlinux or k.image ...
 *         kernel_image_finish(&k);
 *
 * Everything that starts a VM uses kernel_resolve(). It returns a checked, complete image, never a
 * corrupt cache entry.
 */
#ifndef KTSTR_KERNEL_KERNEL_H
#define KTSTR_KERNEL_KERNEL_H

#include "base/base.h"

/* Cache part with vmlinux files extracted from images without one: see path_cache_part(). */
#define KERNEL_VMLINUX_PART "vmlinux"

enum kernel_answer { KERNEL_UNKNOWN, KERNEL_NO, KERNEL_YES };

enum kernel_btf {
	KERNEL_BTF_UNKNOWN, /* no vmlinux to inspect */
	KERNEL_BTF_NONE,
	KERNEL_BTF_OK,
	KERNEL_BTF_UNSOUND, /* has kfuncs whose BTF no BPF program can match */
};

struct kernel_image {
	char *image;		  /* bzImage or Image */
	char *vmlinux;		  /* ELF with .BTF, or NULL */
	bool vmlinux_is_bootable; /* has code, and on x86 a PVH entry; else see bzimage_extract() */
	char *config;		  /* the kernel's .config, or NULL */
	char *version;		  /* "7.0.13", or NULL */
	char *release;		  /* as reported by uname -r in the guest, or NULL */
	char *key;		  /* of the cache entry, or NULL */
	char *source_tree;	  /* the tree it was built in, if that still exists; or NULL */
	enum kernel_answer has_scx;
	enum kernel_btf btf;
	uint32_t unsound_kfuncs; /* number of such kfuncs, if btf says so */
	int lock_fd;		 /* shared lock on the cache entry; <= 0: none */
};

struct kernel_resolve_opts {
	const char *label;	/* prefix of progress lines: "ktstr" (default) or "cargo ktstr" */
	bool allow_raw_image;	/* a path may be a kernel image (cargo ktstr shell) */
	bool fetch_when_absent; /* id NULL and nothing found: fetch the latest stable */
	size_t cpu_cap;		/* CPUs of a build; 0 = the default budget */
};

/*
 * Resolves one kernel. id as in --kernel; NULL = implicit discovery (kernel_discover(), and with
 * fetch_when_absent the newest available kernel). A range or list must resolve to exactly one
 * kernel. opts may be NULL.
 */
int kernel_resolve(const char *id, const struct kernel_resolve_opts *opts,
		   struct kernel_image *out);

/*
 * Searches KTSTR_TEST_KERNEL, KTSTR_KERNEL, the cache, ./linux and the kernel of this machine.
 * Read-only: never builds, downloads or stores. -ENOENT with "no kernel found" and hints.
 */
int kernel_discover(struct kernel_image *out);

/* Returns 0, or -ENOTSUP with a message why no sched_ext scheduler can be loaded in it. */
int kernel_require_scx(const struct kernel_image *k);

/* "ok", "unsound: 3 kfuncs", "none", "-". */
#define KERNEL_BTF_TEXT_SIZE 40
void kernel_btf_format(enum kernel_btf btf, uint32_t unsound_kfuncs,
		       char out[static KERNEL_BTF_TEXT_SIZE]);

/* "yes", "no", "-". */
const char *kernel_answer_text(enum kernel_answer answer);

void kernel_image_finish(struct kernel_image *k);

#define _kernel_image_ _cleanup_(kernel_image_finish)

/* config.c: the configuration of a kernel, from the best source available. */

/*
 * Appends the .config of the kernel, the one embedded in its image, or what can be derived from the
 * image (config_facts.c); the first line says so. Results that were not in a file are stored in the
 * cache entry, if there is one.
 */
int kernel_config_read(const struct kernel_image *k, struct str *out);

/* module.c: kernel modules, for guests that need one. */

/*
 * Appends the module, uncompressed. name is its path below the kernel's module directory without
 * suffix: "drivers/block/virtio_blk". Searches where the kernel was built, /lib/modules of this
 * machine and the cache entry; for a distribution's image it is downloaded from the archive and
 * stored in the cache entry. -ENOENT and other errors say why there is none.
 */
int kernel_module_get(const struct kernel_image *k, const char *name, const char *label,
		      struct str *out);

/* source_lines.c: source locations of kernel functions, from the debug information of vmlinux. */

struct source_lines {
	int fd;	    /* file descriptor + 1; 0 = none */
	void *info; /* Dwarf; NULL = no debug information */
};

struct source_line {
	const char *file; /* valid as long as the debug information; NULL = unknown */
	uint32_t line;
};

/*
 * dir: build directory of the kernel. An error with a message if vmlinux has no debug information.
 */
int source_lines_open(struct source_lines *s, const char *dir);

/*
 * Searches the build directory of a kernel, and where distributions install debug information. Only
 * accepts a file with the kernel's build ID. True = found.
 */
bool source_lines_search(struct source_lines *s, const struct kernel_image *k);

/* Finds all functions in one pass. Names are without compiler suffixes (".isra.0"). */
void source_lines_find(const struct source_lines *s, const char *const *functions, size_t count,
		       struct source_line *out);
void source_lines_finish(struct source_lines *s);

#endif
