/* SPDX-License-Identifier: GPL-2.0-only */
/* metadata.json: what a cache entry says about itself. */
#ifndef KTSTR_KERNEL_METADATA_H
#define KTSTR_KERNEL_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "kernel/kernel.h"

enum kernel_source {
	KERNEL_SOURCE_TARBALL,
	KERNEL_SOURCE_GIT,
	KERNEL_SOURCE_LOCAL,
	KERNEL_SOURCE_DISTRO,
};

/* Strings live in the arena; NULL is null in the file. */
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
	const char *arch;
	const char *image_name;
	const char *config_hash;
	const char *built_at;
	const char *kconfig_hash; /* of the fragment it was built with */
	const char *extra_kconfig_hash;
	bool has_vmlinux;
	bool vmlinux_stripped;
	bool has_vmlinux_origin; /* the next two are known */
	uint64_t source_vmlinux_size;
	uint64_t source_vmlinux_mtime_secs;
	/* What a look into vmlinux told; unknown where an entry was written without it. */
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
 * Appends to reason what is wrong, in words, when the text is no valid document.
 * text[len] must be a NUL; the text is changed.
 */
enum cache_fault kernel_meta_parse(char *text, size_t len, struct kernel_meta *meta,
				   struct str *reason);

void kernel_meta_write(const struct kernel_meta *meta, struct str *out);
void kernel_meta_finish(struct kernel_meta *meta);

/* A copy of the text that lives as long as meta; NULL for NULL or when out of memory. */
const char *kernel_meta_text(struct kernel_meta *meta, const char *text);

/* "tarball", "git", "local", "debian": the SOURCE column. */
const char *kernel_source_text(enum kernel_source source);

#define _kernel_meta_ _cleanup_(kernel_meta_finish)

#endif
