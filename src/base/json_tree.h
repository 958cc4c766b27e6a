/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A whole JSON text as a tree, for random access. To read a text once from start to end use
 * json_read.h.
 */
#ifndef KTSTR_BASE_JSON_TREE_H
#define KTSTR_BASE_JSON_TREE_H

#include "base/arena.h"
#include "base/json_read.h"

#define JSON_TREE_MAX_NODES (4UL << 20)

struct json_node {
	const char *key; /* of an object's member; else NULL */
	struct json_value value;
	struct json_node *first, *next; /* of an array's items or an object's members */
};

/*
 * text[len] must be NUL; the text is modified and must outlive the tree. NULL with a message if it
 * is malformed or has too many values.
 */
struct json_node *json_tree_read(struct arena *arena, char *text, size_t len);

/* A member; NULL if there is none, or if node is NULL or not an object. */
const struct json_node *json_get(const struct json_node *node, const char *key);

/* String value of a member; NULL if it is not a string. */
const char *json_get_text(const struct json_node *node, const char *key);

/* Returns whether a member is an unsigned number; *value is 0 if not. */
bool json_get_u64(const struct json_node *node, const char *key, uint64_t *value);

bool json_get_true(const struct json_node *node, const char *key);

/* The first item or member, NULL for none; continue with node->next. */
const struct json_node *json_get_first(const struct json_node *node, const char *key);

#endif
