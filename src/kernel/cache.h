/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel cache: directories of an image, its vmlinux and metadata.json.
 *
 *	{root}/{key}/metadata.json, bzImage (or Image), vmlinux, config
 *	{root}/.locks/{key}.lock
 *	{root}/.tmp-*      being written; swept when its writer is gone
 */
#ifndef KTSTR_KERNEL_CACHE_H
#define KTSTR_KERNEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "kernel/kernel.h"
#include "kernel/metadata.h"

/* "x86_64" or "aarch64", "bzImage" or "Image": this machine's. */
const char *cache_arch(void);
const char *cache_image_name(void);

/* KTSTR_CACHE_DIR, or ktstr/kernels below XDG_CACHE_HOME or ~/.cache. To be freed. */
int cache_root(char **root);

struct cache_entry {
	char *key;
	char *path;
	enum cache_fault fault;
	char *reason;		 /* of the fault, in words */
	struct kernel_meta meta; /* when there is no fault */
};

/* Loads and checks one entry. 0 also for a corrupt one; -ENOENT when there is none. */
int cache_entry_load(const char *root, const char *key, struct cache_entry *out);
void cache_entry_finish(struct cache_entry *entry);

struct cache_list {
	struct cache_entry *items;
	size_t count, cap;
};

/* Every entry, newest first, corrupt ones last. A root that is not there is empty. */
int cache_list_read(const char *root, struct cache_list *out);
void cache_list_finish(struct cache_list *list);

/* Takes the entry for use, holding its shared lock. -ENOENT for none and for a corrupt one. */
int cache_open(const char *root, const char *key, struct kernel_image *out);

/* Removes an entry that nobody uses. */
int cache_remove(const char *root, const char *key);

enum kconfig_status {
	KCONFIG_MATCHES,
	KCONFIG_STALE,	   /* built with another fragment */
	KCONFIG_UNTRACKED, /* built with we do not know what */
	KCONFIG_NOT_OURS,  /* a distribution's */
};

enum kconfig_status cache_kconfig_status(const struct kernel_meta *meta);
const char *kconfig_status_text(enum kconfig_status status);

/* Whether the entry may stand in when no kernel was named. */
bool cache_is_usable(const struct cache_entry *entry);

#define _cache_entry_ _cleanup_(cache_entry_finish)
#define _cache_list_ _cleanup_(cache_list_finish)

#endif
