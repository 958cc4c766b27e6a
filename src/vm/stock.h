/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contents of the cache that can be recreated: kind, size, time of last use, and whether it is in
 * use.
 *
 * Kernels are removed only on request: building one is expensive. Templates, initramfs bases and
 * compiled tests change with every scheduler or test, so the least recently used ones are removed
 * automatically (stock_trim()).
 */
#ifndef KTSTR_VM_STOCK_H
#define KTSTR_VM_STOCK_H

#include "base/base.h"

enum stock_kind {
	STOCK_KERNEL,
	STOCK_TEMPLATE,
	STOCK_INITRAMFS,
	STOCK_PROGRAM, /* compiled tests */
	STOCK_SYMBOLS, /* of kernels, for traces */
	STOCK_MODEL,
	STOCK_APT,	/* lists of the private apt */
	STOCK_ANSWERS,	/* hashes and versions of files */
	STOCK_LEFTOVER, /* temporary files of killed processes */
	STOCK_KINDS,
};
extern const char *const stock_kind_names[STOCK_KINDS + 1]; /* ends with NULL */

/* Subdirectories used by other modules, see path_cache_part(). */
#define STOCK_PROGRAM_PART "programs"
#define STOCK_SYMBOLS_PART "symbols"

#define STOCK_ALL ((1U << STOCK_KINDS) - 1)

struct stock_item {
	enum stock_kind kind;
	char *name;
	char *path;
	char *what;	  /* description for users */
	char *lock;	  /* lock file held by users of the item; may be the item itself, or NULL */
	uint64_t bytes;	  /* disk usage, without holes */
	uint64_t used_ns; /* wall-clock time of the last use */
	bool is_used;	  /* currently in use */
	bool is_loaded;	  /* a template with a loaded scheduler */
};

struct stock {
	struct stock_item *items; /* by kind, then least recently used first */
	size_t count, cap;
};

/* kinds is a bit mask: 1 << STOCK_KERNEL and so on. Takes no lock. */
int stock_read(struct stock *s, unsigned int kinds);
void stock_finish(struct stock *s);

/* For vec_sort(): the least recently used first, of all kinds together. */
int stock_compare_use(const void *a, const void *b);

/* -EWOULDBLOCK with a message that names the users while it is in use. */
int stock_remove(const struct stock_item *item);

/*
 * KTSTR_CACHE_LIMIT, or 20 GiB: limit for templates, initramfs bases and compiled tests together.
 */
int stock_limit(uint64_t *bytes);

/*
 * Frees space after something was stored: removes leftovers of killed processes, then the least
 * recently used items until the rest fits into the limit. Items in use are kept. Never fails: a
 * full cache is only logged. Templates with a scheduler are limited to a quarter: each build of a
 * scheduler makes new ones, and they are quick to recreate.
 */
void stock_trim(void);

#define _stock_ _cleanup_(stock_finish)

#endif
