// SPDX-License-Identifier: GPL-2.0-only
/* The generic part of reading a scenario file: tables, words, lists. */
#include "scenfile/fields.h"

int fail_at(const struct scenfile_reader *r, const struct tree_node *node, const char *fmt, ...)
{
	_str_ struct str text = {};

	str_add_rest(&text, fmt);
	return err_set(EINVAL, "%s:%u: %s", r->name, node->line, str_get(&text));
}

int expect_kind(const struct scenfile_reader *r, const struct tree_node *node, enum tree_kind kind,
		const char *what)
{
	if (node->kind == kind)
		return 0;
	return fail_at(r, node, "%s must be %s, not %s", node->key ? node->key : what,
		       tree_kind_name(kind), tree_kind_name(node->kind));
}

/* Returns the candidate that the word is a prefix of, or NULL. */
static const char *longer(const char *word, const char *const *candidates)
{
	for (; *candidates; candidates++)
		if (str_starts(*candidates, word))
			return *candidates;
	return NULL;
}

int unknown_word(const struct scenfile_reader *r, const struct tree_node *node, const char *what,
		 const char *word, const char *const *candidates)
{
	_str_ struct str known = {};
	const char *closest;
	size_t count = 0;

	for (; candidates[count]; count++)
		str_addf(&known, "%s%s", count ? ", " : "", candidates[count]);
	closest = text_closest(word, candidates, count);
	if (!closest)
		closest = longer(word, candidates);
	if (closest)
		return fail_at(r, node, "unknown %s '%s'; did you mean '%s'?", what, word, closest);
	return fail_at(r, node, "unknown %s '%s'; there are: %s", what, word, str_get(&known));
}

int read_word(const struct scenfile_reader *r, const struct tree_node *node, const char *what,
	      const char *const *words)
{
	int rc = expect_kind(r, node, TREE_SCALAR, what);

	if (rc < 0)
		return rc;
	for (int i = 0; words[i]; i++)
		if (str_eq(words[i], node->text))
			return i;
	return unknown_word(r, node, what, node->text, words);
}

#define MAX_FIELDS 64

static int unknown_key(const struct scenfile_reader *r, const struct tree_node *member,
		       const struct scenfile_field *fields, const char *what)
{
	const char *keys[MAX_FIELDS + 1] = {};
	_free_ char *label = str_fmt("key of %s", what);

	for (size_t i = 0; i < MAX_FIELDS && fields[i].key; i++)
		keys[i] = fields[i].key;
	return label ? unknown_word(r, member, label, member->key, keys) : err_no_memory();
}

static int read_member(const struct scenfile_reader *r, const struct tree_node *member,
		       const struct scenfile_field *fields, void *out, const char *what)
{
	for (const struct scenfile_field *f = fields; f->key; f++)
		if (str_eq(f->key, member->key))
			return f->read(r, member, (char *)out + f->offset);
	return unknown_key(r, member, fields, what);
}

int read_fields(const struct scenfile_reader *r, const struct tree_node *node,
		const struct scenfile_field *fields, void *out, const char *what)
{
	int rc = expect_kind(r, node, TREE_MAP, what);

	for (const struct tree_node *m = node->first; rc == 0 && m; m = m->next)
		rc = read_member(r, m, fields, out, what);
	return rc;
}

int read_list(const struct scenfile_reader *r, const struct tree_node *node, const char *what,
	      size_t size, read_fn *read, void **items)
{
	char *array = arena_alloc(r->arena, (node->count + 1) * size);
	int rc = expect_kind(r, node, TREE_LIST, what);
	size_t i = 0;

	if (!array)
		return err_no_memory();
	for (const struct tree_node *item = node->first; rc == 0 && item; item = item->next)
		rc = read(r, item, array + i++ * size);
	*items = array;
	return rc;
}

int read_single(const struct scenfile_reader *r, const struct tree_node *node, const char *what,
		const struct tree_node **member)
{
	int rc = expect_kind(r, node, TREE_MAP, what);

	if (rc == 0 && node->count != 1)
		rc = fail_at(r, node, "%s must have exactly one key, not %zu", what, node->count);
	*member = node->first;
	return rc;
}

static int read_required(const struct scenfile_reader *r, const struct tree_node *node,
			 const struct scenfile_form *form, void *out)
{
	int rc = read_fields(r, node, form->fields, out, form->what ? form->what : node->key);

	for (size_t i = 0; rc == 0 && i < form->required; i++) {
		const struct tree_node *m = node->first;

		while (m && !str_eq(m->key, form->fields[i].key))
			m = m->next;
		if (!m)
			rc = fail_at(r, node, "%s needs %s", node->key, form->fields[i].key);
	}
	return rc;
}

static bool is_alone(const struct scenfile_form *form)
{
	return !form->read && !form->fields;
}

/* Suggests the forms that are written in the same way. */
static int unknown_form(const struct scenfile_reader *r, const struct tree_node *node,
			const struct forms *f, bool is_word)
{
	const char *keys[MAX_FIELDS + 1] = {};
	size_t count = 0;

	for (const struct scenfile_form *row = f->rows; row->key && count < MAX_FIELDS; row++)
		if (is_alone(row) == is_word)
			keys[count++] = row->key;
	return unknown_word(r, node, is_word ? f->word : f->key, is_word ? node->text : node->key,
			    keys);
}

int read_form(const struct scenfile_reader *r, const struct tree_node *node, const struct forms *f,
	      void *out)
{
	bool is_word = node->kind == TREE_SCALAR;
	const struct tree_node *member = node;
	int rc = is_word ? 0 : read_single(r, node, f->name, &member);

	if (rc < 0)
		return rc;
	for (const struct scenfile_form *row = f->rows; row->key; row++) {
		if (is_alone(row) != is_word ||
		    !str_eq(row->key, is_word ? node->text : member->key))
			continue;
		*(int *)out = row->kind;
		if (row->fields)
			rc = read_required(r, member, row, out);
		return rc == 0 && row->read ? row->read(r, member, (char *)out + row->offset) : rc;
	}
	return unknown_form(r, member, f, is_word);
}
