// SPDX-License-Identifier: GPL-2.0-only
/*
 * Without this check, a mistyped cgroup in an operation would only be found when the run
 * reaches it. First all names that a file creates are gathered, then every use is compared
 * with them. The file was read before: every node is of the kind that its reader expects.
 */
#include "scenfile/fields.h"

struct names {
	const char **items;
	size_t count, cap;
};

static const struct tree_node *member_of(const struct tree_node *map, const char *key)
{
	for (const struct tree_node *m = map->first; m; m = m->next)
		if (str_eq(m->key, key))
			return m;
	return NULL;
}

static int add_name(struct names *n, const struct tree_node *node)
{
	return node ? vec_push(n, node->text) : 0;
}

static int gather_cgroups(struct names *n, const struct tree_node *list)
{
	int rc = 0;

	for (const struct tree_node *c = list ? list->first : NULL; rc == 0 && c; c = c->next)
		rc = add_name(n, member_of(c, "name"));
	return rc;
}

static int gather_ops(struct names *n, const struct tree_node *list)
{
	int rc = 0;

	for (const struct tree_node *op = list ? list->first : NULL; rc == 0 && op; op = op->next) {
		const struct tree_node *def = member_of(op, "add_cgroup_def");

		rc = add_name(n, member_of(op, "add_cgroup"));
		if (rc == 0 && def)
			rc = add_name(n, member_of(def, "name"));
	}
	return rc;
}

/* Gathers the cgroups and operations of the whole file, or of one step. */
static int gather(struct names *n, const struct tree_node *map)
{
	return gather_cgroups(n, member_of(map, "cgroups")) ?: gather_ops(n, member_of(map, "ops"));
}

/* True if the cgroup is created, by itself or as parent of another. */
static bool is_made(const struct names *n, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < n->count; i++)
		if (!strncmp(n->items[i], name, len) &&
		    (n->items[i][len] == '\0' || n->items[i][len] == '/'))
			return true;
	return false;
}

static int check_use(const struct scenfile_reader *r, const struct names *n,
		     const struct tree_node *use)
{
	if (!use || is_made(n, use->text))
		return 0;
	return unknown_word(r, use, "cgroup", use->text, n->items);
}

static int check_op(const struct scenfile_reader *r, const struct names *n,
		    const struct tree_node *op)
{
	/* Operations whose value is the cgroup's name. */
	static const char *const plain[] = { "remove_cgroup",	    "clear_cpuset",
					     "stop_cgroup",	    "freeze_cgroup",
					     "unfreeze_cgroup",	    "core_cookie",
					     "sigstop_cgroup",	    "sigcont_cgroup",
					     "capture_cgroup_procs" };
	const struct tree_node *value = op->first;
	int rc = 0;

	if (!value)
		return 0; /* a word alone */
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (str_eq(plain[i], value->key))
			return check_use(r, n, value);
	if (value->kind == TREE_MAP)
		return check_use(r, n, member_of(value, "cgroup"));
	for (const struct tree_node *item = value->first; rc == 0 && item; item = item->next)
		rc = check_use(r, n, item);
	return rc;
}

static int check_ops(const struct scenfile_reader *r, const struct names *n,
		     const struct tree_node *map)
{
	const struct tree_node *list = member_of(map, "ops");
	int rc = 0;

	for (const struct tree_node *op = list ? list->first : NULL; rc == 0 && op; op = op->next)
		rc = check_op(r, n, op);
	return rc;
}

int names_check(const struct scenfile_reader *r, const struct tree_node *root)
{
	_vec_ struct names n = {};
	const struct tree_node *steps = member_of(root, "steps");
	const struct tree_node *first = steps ? steps->first : NULL;
	int rc = gather(&n, root);

	for (const struct tree_node *s = first; rc == 0 && s; s = s->next)
		rc = gather(&n, s);
	/* Lists of candidates end with NULL. */
	rc = rc ?: vec_push(&n, NULL);
	if (rc < 0)
		return rc;
	n.count--;
	rc = check_ops(r, &n, root);
	for (const struct tree_node *s = first; rc == 0 && s; s = s->next)
		rc = check_ops(r, &n, s);
	return rc;
}
