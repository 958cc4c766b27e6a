/* SPDX-License-Identifier: GPL-2.0-only */
/* The cache of kernels. */
#ifndef KTSTR_KERNEL_CACHE_H
#define KTSTR_KERNEL_CACHE_H

#include "kernel/kernel.h"

/* metadata.c: metadata.json, the description of a cache entry. */

enum kernel_source {
	KERNEL_SOURCE_TARBALL,
	KERNEL_SOURCE_GIT,
	KERNEL_SOURCE_LOCAL,
	KERNEL_SOURCE_DISTRO,
	KERNEL_SOURCE_INSTALLED,
};

/* Strings are in the arena; NULL is null in the file. */
struct kernel_meta {
	struct arena arena;
	const char *version;
	enum kernel_source source;
	const char *git_hash;	     /* git, local */
	const char *git_ref;	     /* git */
	const char *source_tree;     /* local */
	const char *package;	     /* distro */
	const char *package_version; /* distro */
	const char *suite;	     /* distro */
	const char *image_path;	     /* installed */
	const char *arch;
	const char *image_name;
	const char *config_hash;
	const char *built_at;
	const char *kconfig_hash; /* of the fragment used for its build */
	const char *extra_kconfig_hash;
	bool has_vmlinux;
	bool vmlinux_stripped;
	bool has_vmlinux_origin; /* the next two are valid */
	uint64_t source_vmlinux_size;
	uint64_t source_vmlinux_mtime_secs;
	/* Facts from vmlinux; unknown for entries that were written without them. */
	const char *release;
	enum kernel_answer has_scx;
	enum kernel_btf btf;
	uint32_t unsound_kfuncs;
};

/* Why an entry cannot be used. The tokens are part of `kernel list --json`. */
enum cache_fault {
	CACHE_OK,
	CACHE_MISSING,
	CACHE_UNREADABLE,
	CACHE_SCHEMA_DRIFT,
	CACHE_MALFORMED,
	CACHE_TRUNCATED,
	CACHE_PARSE_ERROR,
	CACHE_IMAGE_MISSING,
	CACHE_UNKNOWN,
};

const char *cache_fault_token(enum cache_fault fault);

/*
 * Parses metadata.json. If it is invalid, appends the problem to reason. text[len] must be NUL; the
 * text is modified.
 */
enum cache_fault kernel_meta_parse(char *text, size_t len, struct kernel_meta *meta,
				   struct str *reason);

void kernel_meta_write(const struct kernel_meta *meta, struct str *out);
void kernel_meta_finish(struct kernel_meta *meta);

/* Copies the text into the arena of meta; NULL for NULL or if out of memory. */
const char *kernel_meta_text(struct kernel_meta *meta, const char *text);

/* Built by others, with a configuration of their own. */
static inline bool kernel_source_is_ready_made(enum kernel_source source)
{
	return source == KERNEL_SOURCE_DISTRO || source == KERNEL_SOURCE_INSTALLED;
}

/* "tarball", "git", "local", "debian", "installed": the SOURCE column. */
const char *kernel_source_text(enum kernel_source source);

#define _kernel_meta_ _cleanup_(kernel_meta_finish)

/*
 * cache.c: the kernel cache: a directory per kernel with image, vmlinux and metadata.json.
 *
 *         {root}/{key}/metadata.json, bzImage (or Image), vmlinux, config
 *         {root}/.locks/{key}.lock
 *         {root}/.tmp-*      being written; removed when its writer has ended
 */

/* For this machine: "x86_64" or "aarch64", "bzImage" or "Image". */
const char *cache_arch(void);
const char *cache_image_name(void);

/* KTSTR_CACHE_DIR, or ktstr/kernels below XDG_CACHE_HOME or ~/.cache. To be freed. */
int cache_root(char **root);

struct cache_entry {
	char *key;
	char *path;
	enum cache_fault fault;
	char *reason;		 /* description of the fault */
	struct kernel_meta meta; /* valid if there is no fault */
};

/* Loads and checks one entry. Returns 0 for a corrupt one, too; -ENOENT if there is none. */
int cache_entry_load(const char *root, const char *key, struct cache_entry *out);
void cache_entry_finish(struct cache_entry *entry);

struct cache_list {
	struct cache_entry *items;
	size_t count, cap;
};

/* Lists all entries, newest first, corrupt ones last. A missing root counts as empty. */
int cache_list_read(const char *root, struct cache_list *out);
void cache_list_finish(struct cache_list *list);

/* Opens the entry for use, with a shared lock. -ENOENT for a missing or corrupt one. */
int cache_open(const char *root, const char *key, struct kernel_image *out);

/* Removes an entry that is not in use. */
int cache_remove(const char *root, const char *key);

enum kconfig_status {
	KCONFIG_MATCHES,
	KCONFIG_STALE,	   /* built with another fragment */
	KCONFIG_UNTRACKED, /* built with an unknown fragment */
	KCONFIG_NOT_OURS,  /* of a distribution */
};

enum kconfig_status cache_kconfig_status(const struct kernel_meta *meta);
const char *kconfig_status_text(enum kconfig_status status);

/* Returns whether the entry may be used if no kernel was named. */
bool cache_is_usable(const struct cache_entry *entry);

#define _cache_entry_ _cleanup_(cache_entry_finish)
#define _cache_list_ _cleanup_(cache_list_finish)

/*
 * cache_store.c: stores a kernel: writes everything into a temporary directory, and renames it to
 * its key atomically.
 */

/* A directory below the root that is removed with its owner, even if that was killed. */
struct cache_temp {
	char *path;
	int fd; /* locked as long as the owner lives */
};

/* Also removes orphaned ones. */
int cache_temp_make(struct cache_temp *t, const char *root);
void cache_temp_finish(struct cache_temp *t);

/* Removes directories of writers that were killed. */
void cache_temp_sweep(const char *root);

/*
 * Turns the directory into the entry of that key: writes meta as metadata.json, takes the entry's
 * lock and exchanges the names. On success t is empty.
 */
int cache_store(struct cache_temp *t, const char *root, const char *key,
		const struct kernel_meta *meta);

#define _cache_temp_ _cleanup_(cache_temp_finish)

#endif
