// SPDX-License-Identifier: GPL-2.0-only
/* The reader limits the depth of a text; the number of values is limited here. */
#include "base/json_tree.h"

#include "base/base.h"

struct growth {
	struct json_reader r;
	struct arena *arena;
	size_t left; /* remaining number of nodes */
};

static struct json_node *read_node(struct growth *g, const char *key)
{
	struct json_node *n = g->left ? arena_alloc(g->arena, sizeof(*n)) : NULL;
	struct json_node **end;
	struct json_value name = {};

	if (!n) {
		json_read_fail(&g->r, g->left ? "out of memory" : "there are too many values");
		return NULL;
	}
	g->left--;
	n->key = key;
	json_read_value(&g->r, &n->value);
	for (end = &n->first; n->value.kind == JSON_ARRAY  ? json_read_item(&g->r) :
			      n->value.kind == JSON_OBJECT ? json_read_key(&g->r, &name) :
							     false;) {
		*end = read_node(g, n->value.kind == JSON_OBJECT ? name.s : NULL);
		if (!*end)
			break;
		end = &(*end)->next;
	}
	return n;
}

struct json_node *json_tree_read(struct arena *arena, char *text, size_t len)
{
	struct growth g = { .arena = arena, .left = JSON_TREE_MAX_NODES };
	struct json_node *root;

	json_read_init(&g.r, text, len);
	root = read_node(&g, NULL);
	if (json_read_end(&g.r))
		return root;
	err_set(EINVAL, "byte %zu: %s", g.r.problem_at, g.r.problem);
	return NULL;
}

const struct json_node *json_get(const struct json_node *node, const char *key)
{
	if (!node || node->value.kind != JSON_OBJECT)
		return NULL;
	for (const struct json_node *n = node->first; n; n = n->next)
		if (str_eq(n->key, key))
			return n;
	return NULL;
}

const char *json_get_text(const struct json_node *node, const char *key)
{
	const struct json_node *n = json_get(node, key);

	return n && n->value.kind == JSON_STRING ? n->value.s : NULL;
}

bool json_get_u64(const struct json_node *node, const char *key, uint64_t *value)
{
	const struct json_node *n = json_get(node, key);
	bool is_number = n && n->value.kind == JSON_UNSIGNED;

	*value = is_number ? n->value.u : 0;
	return is_number;
}

bool json_get_true(const struct json_node *node, const char *key)
{
	const struct json_node *n = json_get(node, key);

	return n && n->value.kind == JSON_TRUE;
}

const struct json_node *json_get_first(const struct json_node *node, const char *key)
{
	const struct json_node *n = json_get(node, key);

	return n ? n->first : NULL;
}
