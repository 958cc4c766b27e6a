/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernels: from what the user wrote to files that can be booted.
 *
 *	struct kernel_image k = {};
 *	rc = kernel_resolve("7.0", NULL, &k);      // cache, distribution image, or a build
 *	... boot k.vmlinux or k.image ...
 *	kernel_image_finish(&k);
 *
 * Everything that starts a VM goes through kernel_resolve(). What it returns
 * is a checked, complete image; a corrupt cache entry is never returned.
 */
#ifndef KTSTR_KERNEL_KERNEL_H
#define KTSTR_KERNEL_KERNEL_H

#include "base/base.h"

/* Where the vmlinux of images that came alone is kept: see path_cache_part(). */
#define KERNEL_VMLINUX_PART "vmlinux"

enum kernel_answer { KERNEL_UNKNOWN, KERNEL_NO, KERNEL_YES };

enum kernel_btf {
	KERNEL_BTF_UNKNOWN, /* no vmlinux to look into */
	KERNEL_BTF_NONE,
	KERNEL_BTF_OK,
	KERNEL_BTF_UNSOUND, /* kfuncs whose BTF no BPF program can match */
};

struct kernel_image {
	char *image;		  /* bzImage or Image */
	char *vmlinux;		  /* ELF with .BTF, or NULL */
	bool vmlinux_is_bootable; /* it has its code, and on x86 a PVH entry; else see bzimage_extract() */
	char *config;		  /* the kernel's .config, or NULL */
	char *version;		  /* "7.0.13", or NULL */
	char *release;		  /* as uname -r says it in the guest, or NULL */
	char *key;		  /* of the cache entry, or NULL */
	char *source_tree;	  /* where it was built and still is, or NULL */
	enum kernel_answer has_scx;
	enum kernel_btf btf;
	uint32_t unsound_kfuncs; /* how many, when btf says so */
	int lock_fd;		 /* shared lock on the cache entry; <= 0: none */
};

struct kernel_resolve_opts {
	const char *label;	/* of progress lines: "ktstr" (default) or "cargo ktstr" */
	bool allow_raw_image;	/* a path may be a kernel image (cargo ktstr shell) */
	bool fetch_when_absent; /* id NULL and nothing found: announce, get the latest stable */
	size_t cpu_cap;		/* for a build; 0 = the default budget */
};

/*
 * One kernel. id as in --kernel; NULL is implicit discovery (kernel_discover(),
 * and with fetch_when_absent the newest kernel that can be had). A range or list
 * has to come down to exactly one kernel. opts may be NULL.
 */
int kernel_resolve(const char *id, const struct kernel_resolve_opts *opts,
		   struct kernel_image *out);

/*
 * Looks at KTSTR_TEST_KERNEL, KTSTR_KERNEL, the cache, ./linux and this
 * machine's own kernel. Only reads: it never builds, downloads or stores.
 * -ENOENT with "no kernel found" and hints.
 */
int kernel_discover(struct kernel_image *out);

/* 0, or -ENOTSUP with the sentence why no sched_ext scheduler can be loaded in it. */
int kernel_require_scx(const struct kernel_image *k);

/* "ok", "unsound: 3 kfuncs", "none", "-". */
#define KERNEL_BTF_TEXT_SIZE 40
void kernel_btf_format(enum kernel_btf btf, uint32_t unsound_kfuncs,
		       char out[static KERNEL_BTF_TEXT_SIZE]);

/* "yes", "no", "-". */
const char *kernel_answer_text(enum kernel_answer answer);

void kernel_image_finish(struct kernel_image *k);

#define _kernel_image_ _cleanup_(kernel_image_finish)

/* config.c: The configuration of a kernel, from the best source that there is. */

/*
 * Appends the text: the .config that came with the kernel, the one embedded in
 * its image, or what the image proves (config_facts.h), which the first line
 * says. What had to be found out is kept in the cache entry, if the kernel has one.
 */
int kernel_config_read(const struct kernel_image *k, struct str *out);

/* module.c: Modules of a kernel, for guests that cannot do without one. */

/*
 * Appends the module, unpacked. name is its path below the kernel's directory of
 * modules without the ending: "drivers/block/virtio_blk". It is looked for where the
 * kernel was built, below /lib/modules of this machine and in the cache entry; that of
 * a distribution's image is fetched from the archive and then kept there. -ENOENT and
 * other errors say why there is none.
 */
int kernel_module_get(const struct kernel_image *k, const char *name, const char *label,
		      struct str *out);

#endif
