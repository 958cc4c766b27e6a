/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A whole JSON text as a tree, for those who look at its parts in an order of their own. Who
 * reads a text once, from its beginning to its end, needs json_read.h only.
 */
#ifndef KTSTR_BASE_JSON_TREE_H
#define KTSTR_BASE_JSON_TREE_H

#include "base/arena.h"
#include "base/json_read.h"

#define JSON_TREE_MAX_NODES (4UL << 20)

struct json_node {
	const char *key; /* of a member of an object; else NULL */
	struct json_value value;
	struct json_node *first, *next; /* of an array's items or an object's members */
};

/*
 * text[len] must be a NUL; the text is changed and must outlive the tree. NULL with a message
 * when it is malformed or has too many values.
 */
struct json_node *json_tree_read(struct arena *arena, char *text, size_t len);

/* A member; NULL when there is none, or when node is NULL or no object. */
const struct json_node *json_get(const struct json_node *node, const char *key);

/* The text of a member; NULL when it is not a string. */
const char *json_get_text(const struct json_node *node, const char *key);

/* Whether a member is an unsigned number, and which; 0 when it is not. */
bool json_get_u64(const struct json_node *node, const char *key, uint64_t *value);

bool json_get_true(const struct json_node *node, const char *key);

/* The first item or member, NULL for none: to go on with node->next. */
const struct json_node *json_get_first(const struct json_node *node, const char *key);

#endif
