// SPDX-License-Identifier: GPL-2.0-only
/* Memoised normalisation of names. */
#include "ctprof/group.h"

static const char *known(const char *name)
{
	return name ? name : "?";
}

void naming_init(struct naming *n, const struct report_options *o)
{
	*n = (struct naming){ .flatten = &o->flatten, .is_cgroup_literal = o->is_cgroup_literal };
}

static void memo_finish(struct key_memo *m)
{
	intern_finish(&m->raw);
	free(m->keys.items);
}

void naming_finish(struct naming *n)
{
	vec_release(&n->tighteners, each, name_tightener_finish(each));
	memo_finish(&n->names);
	memo_finish(&n->cgroups);
	intern_finish(&n->keys);
	*n = (struct naming){};
}

int naming_literal(struct naming *n, const char *name, uint32_t *key)
{
	return intern_add(&n->keys, known(name), key);
}

/* Finds the key of the raw name; if *is_new, the caller has to set it with memo_set(). */
static int memo_get(struct key_memo *m, const char *raw, uint32_t *key, bool *is_new)
{
	uint32_t id;
	int rc = intern_add(&m->raw, raw, &id);

	*is_new = rc == 0 && id == m->keys.count;
	if (rc == 0 && !*is_new)
		*key = m->keys.items[id];
	return rc;
}

static int memo_set(struct naming *n, struct key_memo *m, const struct str *text, uint32_t *key)
{
	int rc = str_check(text) ?: intern_add_copy(&n->keys, str_get(text), key);

	return rc ?: vec_push(&m->keys, *key);
}

int naming_skeleton(struct naming *n, const char *name, uint32_t *key)
{
	_str_ struct str skeleton = {};
	bool is_new;
	int rc = memo_get(&n->names, known(name), key, &is_new);

	if (rc < 0 || !is_new)
		return rc;
	name_skeleton(known(name), &skeleton);
	return memo_set(n, &n->names, &skeleton, key);
}

static int tighten(struct naming *n, uint32_t key, const char *path)
{
	while (n->tighteners.count <= key) {
		int rc = vec_push(&n->tighteners, (struct name_tightener){});

		if (rc < 0)
			return rc;
	}
	return name_tightener_add(&n->tighteners.items[key], path);
}

int naming_cgroup(struct naming *n, const char *path, uint32_t *key)
{
	_str_ struct str flat = {}, skeleton = {};
	bool is_new;
	int rc = memo_get(&n->cgroups, known(path), key, &is_new);

	if (rc < 0 || !is_new)
		return rc;
	cgroup_flatten(known(path), n->flatten->items, n->flatten->count, &flat);
	if (n->is_cgroup_literal)
		return memo_set(n, &n->cgroups, &flat, key);
	cgroup_skeleton(str_get(&flat), &skeleton);
	rc = memo_set(n, &n->cgroups, &skeleton, key);
	return rc ?: tighten(n, *key, str_get(&flat));
}

void naming_add_cgroup_display(const struct naming *n, uint32_t key, struct str *out)
{
	if (!n->is_cgroup_literal && key < n->tighteners.count && n->tighteners.items[key].first)
		name_tightener_text(&n->tighteners.items[key], out);
	else
		str_add(out, naming_text(n, key));
}
