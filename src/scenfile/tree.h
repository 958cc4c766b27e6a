/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * YAML as a tree that remembers its lines. Only what a scenario needs: one document
 * of maps, lists and scalars. Anchors, aliases and tags are refused, so that a small
 * file cannot stand for a huge one.
 */
#ifndef KTSTR_SCENFILE_TREE_H
#define KTSTR_SCENFILE_TREE_H

#include <stddef.h>

#include "base/arena.h"

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP };

struct tree_node {
	enum tree_kind kind;
	unsigned int line; /* from 1; of a member of a map: of its key */
	const char *key;   /* of a member of a map, or NULL */
	const char *text;  /* of a scalar */
	struct tree_node *first, *next;
	size_t count; /* of children */
};

/* Parses text; name is for messages, "NAME:LINE: what". Everything is in the arena. */
int tree_parse(const char *name, const char *text, size_t len, struct arena *arena,
	       struct tree_node **root);

/* "a map", "a list", "a value": for messages. */
const char *tree_kind_name(enum tree_kind kind);

#endif
