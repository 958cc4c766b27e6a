/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernels available from kernel.org and from distributions. */
#ifndef KTSTR_KERNEL_DISTRO_H
#define KTSTR_KERNEL_DISTRO_H

#include "kernel/ident.h"

/* releases.c: the release index of kernel.org, and selection from it. */

struct kernel_release {
	struct kernel_version version;
	bool is_stable; /* moniker stable or longterm; else mainline */
};

/* Without linux-next, and without rows that lack a version. */
struct kernel_releases {
	struct kernel_release *items;
	size_t count, cap;
};

/*
 * -EINVAL with a message if the text is not a release index. text[len] must be NUL; the text is
 * modified.
 */
int kernel_releases_parse(char *text, size_t len, struct kernel_releases *out);

/*
 * Fetches the index once per process: later calls return the same list or the same error. The list
 * is owned by this module. -ENETUNREACH when offline.
 */
int kernel_releases_get(const struct kernel_releases **out);

/*
 * The newest stable or longterm release with a patch level of at least 8. -ENOENT with a message.
 */
int kernel_releases_latest(const struct kernel_releases *r, struct kernel_version *out);

/* The newest release of a series, of any kind. NULL if the series is not listed. */
const struct kernel_release *kernel_releases_newest(const struct kernel_releases *r,
						    const struct kernel_version *series);

void kernel_releases_finish(struct kernel_releases *r);

#define _kernel_releases_ _cleanup_(kernel_releases_finish)

/*
 * distro.c: prebuilt kernels of a distribution: seconds instead of a compilation.
 *
 * Debian has the image alone in linux-binary-* (from 6.19 on) and with its modules in linux-image-*
 * (before); the configuration is in linux-base-* or linux-image-*. Versions change, so no names are
 * built in: candidates are read from the archive's index.
 */

struct distro_package {
	const char *name;    /* linux-binary-7.0.13+deb13-cloud-amd64 */
	const char *version; /* 7.0.13-1~bpo13+1 */
	const char *suite;   /* trixie-backports */
	uint64_t size;
};

/* An available kernel. */
struct distro_kernel {
	struct kernel_version version;
	const char *flavour; /* cloud, generic, rt */
	struct distro_package image;
	struct distro_package base; /* contains the config; no name: there is none */
};

struct distro_list {
	struct arena arena;
	struct distro_kernel *items;
	size_t count, cap;
};

/*
 * Builds a list from lines `NAME VERSION SUITE SIZE`: per version the best package (cloud before
 * generic before rt, the image alone before one with modules), newest version first. Ignores lines
 * that are not kernels.
 */
int distro_list_parse(const char *text, const char *arch, struct distro_list *out);
void distro_list_finish(struct distro_list *list);

/* Appends one such line for every kernel package of a package index. */
int distro_index_read(const char *path, const char *suite, struct str *lines);

/*
 * Kernels of the archive, from a list that is at most a day old. -ENOTSUP: not on this machine;
 * -ENETUNREACH: offline and no list.
 */
int distro_list_get(const char *root, const char *label, struct distro_list *out);

/*
 * Puts an image of the wanted version (NULL: any) into the cache and returns its key. Of a series
 * the newest sound image is used: newer ones with unsound BTF are skipped with a note, and used
 * only if there is no other. -ENOENT naming the nearest versions if the archive has none.
 */
int distro_fetch(const char *root, const struct kernel_version *wanted, bool force,
		 const char *label, char **key);

/*
 * installed.c: like distro_fetch(); without an archive, or if it lacks this version, uses a kernel
 * on the disk of this machine: in lib/modules or boot below KTSTR_INSTALLED_ROOT.
 */
int kernel_fetch(const char *root, const struct kernel_version *wanted, bool force,
		 const char *label, char **key);

#define _distro_list_ _cleanup_(distro_list_finish)

#endif
