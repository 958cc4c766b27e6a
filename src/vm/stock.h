/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that is kept in the cache and could be made again: what it is, how
 * large, when it was last used, and whether it is in use now.
 *
 * Kernels are removed only when asked for: one may have cost a compile. Templates,
 * initramfs bases and compiled tests come and go with every change of a scheduler or
 * a test, so the least recently used ones make room by themselves (stock_trim()).
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
	STOCK_LEFTOVER, /* of processes that were killed */
	STOCK_KINDS,
};
extern const char *const stock_kind_names[STOCK_KINDS + 1]; /* ends with NULL */

/* Where others keep what is listed here: see path_cache_part(). */
#define STOCK_PROGRAM_PART "programs"
#define STOCK_SYMBOLS_PART "symbols"

#define STOCK_ALL ((1U << STOCK_KINDS) - 1)

struct stock_item {
	enum stock_kind kind;
	char *name;
	char *path;
	char *what;	  /* in words */
	char *lock;	  /* held by whoever uses it; may be the thing itself, or NULL */
	uint64_t bytes;	  /* on disk: holes do not count */
	uint64_t used_ns; /* wall clock of the last use */
	bool is_used;	  /* now */
	bool is_loaded;	  /* a template in which a scheduler is loaded */
};

struct stock {
	struct stock_item *items; /* by kind, the least recently used first */
	size_t count, cap;
};

/* The kinds are a set of bits, 1 << STOCK_KERNEL and so on. Takes no lock. */
int stock_read(struct stock *s, unsigned int kinds);
void stock_finish(struct stock *s);

/* For vec_sort(): the least recently used first, of all kinds together. */
int stock_compare_use(const void *a, const void *b);

/* -EWOULDBLOCK with a message that names the users while it is in use. */
int stock_remove(const struct stock_item *item);

/* KTSTR_CACHE_LIMIT, or 20 GiB: for templates, initramfs bases and compiled tests together. */
int stock_limit(uint64_t *bytes);

/*
 * Makes room after something new was stored: what killed processes left goes, then
 * the least recently used, until the rest fits. What is in use stays. Never fails:
 * a full cache is told, it is not the run's problem. Templates with a scheduler have
 * a quarter of the limit: each build of it makes new ones, and they are soon made.
 */
void stock_trim(void);

#define _stock_ _cleanup_(stock_finish)

#endif
