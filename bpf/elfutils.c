// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that libelf.a of elfutils 0.192 (Debian 13) needs from a library that no package
 * contains: a search tree. Its root is the first member of a struct; the lock that follows is not
 * used, because a loader has a single thread. Weak: a libelf that defines them uses its own.
 */
#include <search.h>
#include <stddef.h>

#define WEAK __attribute__((weak))

typedef int compare_function(const void *a, const void *b);

WEAK void eu_search_tree_init(void **root);
WEAK void *eu_tsearch(const void *key, void **root, compare_function *compare);
WEAK void eu_search_tree_fini(void **root, void (*free_node)(void *node));

WEAK void eu_search_tree_init(void **root)
{
	*root = NULL;
}

WEAK void *eu_tsearch(const void *key, void **root, compare_function *compare)
{
	return tsearch(key, root, compare);
}

WEAK void eu_search_tree_fini(void **root, void (*free_node)(void *node))
{
	tdestroy(*root, free_node);
}
