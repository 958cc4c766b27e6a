// SPDX-License-Identifier: GPL-2.0-only
/*
 * What libelf.a of elfutils 0.192 (Debian 13) wants of a library that no package has: a tree whose root
 * is the first member of the struct, without the lock behind it, as a loader has one thread. Where
 * libelf has its own these are not used.
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
