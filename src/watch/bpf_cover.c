// SPDX-License-Identifier: GPL-2.0-only
/* Adds up coverage. */
#include "watch/parts.h"

/* Copies a string; NULL = out of memory, with a message. */
static const char *keep(struct bpf_cover *c, const char *text)
{
	const char *copy = arena_copy(&c->arena, text, strlen(text));

	if (!copy)
		err_no_memory();
	return copy;
}

size_t bpf_cover_file(struct bpf_cover *c, const char *name)
{
	int found = str_index(c->files.items, c->files.count, name);
	const char *copy = found < 0 ? keep(c, name) : NULL;

	if (found >= 0)
		return (size_t)found;
	return copy && vec_push(&c->files, copy) == 0 ? c->files.count - 1 : SIZE_MAX;
}

struct cover_function *bpf_cover_function(struct bpf_cover *c, const char *program,
					  const char *name)
{
	struct cover_function f = {};

	vec_each(struct cover_function, known, &c->functions)
		if (str_eq(known->program, program) && str_eq(known->name, name))
			return known;
	f.program = keep(c, program);
	f.name = keep(c, name);
	return f.program && f.name && vec_push(&c->functions, f) == 0 ?
		       &c->functions.items[c->functions.count - 1] :
		       NULL;
}

int bpf_cover_line(struct bpf_cover *c, struct cover_function *f, const struct cover_line *line)
{
	struct cover_line l = *line;

	vec_each(struct cover_line, known, &f->lines)
		if (known->line == l.line && known->file == l.file) {
			known->count += l.count;
			return 0;
		}
	l.text = keep(c, l.text);
	return l.text ? vec_push(&f->lines, l) : -ENOMEM;
}

int bpf_cover_branch(struct cover_function *f, const struct cover_branch *branch)
{
	vec_each(struct cover_branch, b, &f->branches) {
		if (b->line != branch->line || b->file != branch->file ||
		    b->column != branch->column || b->at != branch->at)
			continue;
		b->is_taken |= branch->is_taken;
		b->is_passed |= branch->is_passed;
		return 0;
	}
	return vec_push(&f->branches, *branch);
}

int bpf_cover_pair(struct bpf_cover *c, const struct cover_pair *pair)
{
	vec_each(const struct cover_pair, p, &c->pairs)
		if (memcmp(p, pair, sizeof(*p)) == 0)
			return 0;
	return vec_push(&c->pairs, *pair);
}

struct cover_kernel *bpf_cover_kernel(struct bpf_cover *c, const char *name, uint32_t bytes)
{
	struct cover_kernel k = { .bytes = bytes };

	vec_each(struct cover_kernel, known, &c->kernel)
		if (known->bytes == bytes && str_eq(known->name, name))
			return known;
	k.name = keep(c, name);
	return k.name && vec_push(&c->kernel, k) == 0 ? &c->kernel.items[c->kernel.count - 1] :
							NULL;
}

static bool is_before(const struct cover_block *a, const struct cover_block *b)
{
	return a->at < b->at || (a->at == b->at && a->bytes < b->bytes);
}

int bpf_cover_block(struct cover_kernel *k, const struct cover_block *block)
{
	struct cover_block *items = k->blocks.items;
	size_t i = k->blocks.count;
	int rc;

	while (i > 0 && !is_before(&items[i - 1], block))
		i--;
	if (i < k->blocks.count && !is_before(block, &items[i])) {
		items[i].count += block->count;
		return 0;
	}
	rc = vec_push(&k->blocks, *block);
	items = k->blocks.items;
	if (rc == 0) {
		memmove(&items[i + 1], &items[i], (k->blocks.count - 1 - i) * sizeof(*items));
		items[i] = *block;
	}
	return rc;
}

static int add_function(struct bpf_cover *c, const struct bpf_cover *from,
			const struct cover_function *f)
{
	struct cover_function *to = bpf_cover_function(c, f->program, f->name);
	int rc = to ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->lines.count && rc == 0; i++) {
		struct cover_line line = f->lines.items[i];
		size_t file = bpf_cover_file(c, from->files.items[line.file]);

		line.file = (uint32_t)file;
		rc = file == SIZE_MAX ? -ENOMEM : bpf_cover_line(c, to, &line);
	}
	for (size_t i = 0; i < f->branches.count && rc == 0; i++) {
		struct cover_branch branch = f->branches.items[i];
		size_t file = bpf_cover_file(c, from->files.items[branch.file]);

		branch.file = (uint32_t)file;
		rc = file == SIZE_MAX ? -ENOMEM : bpf_cover_branch(to, &branch);
	}
	return rc;
}

/* Index of the function in c; SIZE_MAX = out of memory. */
static size_t number_of(struct bpf_cover *c, const struct cover_function *f)
{
	const struct cover_function *to = bpf_cover_function(c, f->program, f->name);

	return to ? (size_t)(to - c->functions.items) : SIZE_MAX;
}

static int add_pair(struct bpf_cover *c, const struct bpf_cover *from,
		    const struct cover_pair *pair)
{
	struct cover_pair p = *pair;
	size_t first = number_of(c, &from->functions.items[p.first_function]);
	size_t second = number_of(c, &from->functions.items[p.second_function]);

	if (first == SIZE_MAX || second == SIZE_MAX)
		return -ENOMEM;
	p.first_function = (uint32_t)first;
	p.second_function = (uint32_t)second;
	return bpf_cover_pair(c, &p);
}

static int add_kernel(struct bpf_cover *c, const struct cover_kernel *k)
{
	struct cover_kernel *to = bpf_cover_kernel(c, k->name, k->bytes);
	int rc = to ? 0 : -ENOMEM;

	for (size_t i = 0; i < k->blocks.count && rc == 0; i++)
		rc = bpf_cover_block(to, &k->blocks.items[i]);
	return rc;
}

int bpf_cover_add(struct bpf_cover *c, const struct bpf_cover *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->functions.count && rc == 0; i++)
		rc = add_function(c, from, &from->functions.items[i]);
	for (size_t i = 0; i < from->pairs.count && rc == 0; i++)
		rc = add_pair(c, from, &from->pairs.items[i]);
	for (size_t i = 0; i < from->kernel.count && rc == 0; i++)
		rc = add_kernel(c, &from->kernel.items[i]);
	c->runs += from->runs;
	c->is_cut |= from->is_cut;
	return rc;
}

void bpf_cover_finish(struct bpf_cover *c)
{
	vec_release(&c->kernel, each, free(each->blocks.items));
	vec_release(&c->functions, each, free(each->lines.items), free(each->branches.items));
	free(c->pairs.items);
	free(c->files.items);
	arena_finish(&c->arena);
	*c = (struct bpf_cover){};
}
