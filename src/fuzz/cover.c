// SPDX-License-Identifier: GPL-2.0-only
/* A set of features, as hashes. */
#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/util.h"
#include "fuzz/fuzz.h"

#define FIRST_SIZE 4096 /* a power of two */

static bool add(uint64_t *slots, size_t size, uint64_t hash)
{
	size_t i = hash & (size - 1);

	for (; slots[i]; i = (i + 1) & (size - 1))
		if (slots[i] == hash)
			return false;
	slots[i] = hash;
	return true;
}

static int grow(struct fuzz_cover *c)
{
	size_t size = c->size ? 2 * c->size : FIRST_SIZE;
	uint64_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return err_no_memory();
	for (size_t i = 0; i < c->size; i++)
		if (c->slots[i])
			add(slots, size, c->slots[i]);
	free(c->slots);
	c->slots = slots;
	c->size = size;
	return 0;
}

/* Where, and what of it. */
struct feature {
	uint64_t function;
	uint32_t line, column, at, what;
};

static int add_feature(struct fuzz_cover *c, const struct feature *f, size_t *new)
{
	uint64_t hash = siphash(f, sizeof(*f), (struct siphash_key){}, 1, 3);
	int rc = 2 * (c->count + 1) > c->size ? grow(c) : 0;

	if (rc == 0 && add(c->slots, c->size, hash ? hash : 1)) {
		c->count++;
		++*new;
	}
	return rc;
}

/* Often or seldom makes a difference, how often exactly does not. */
static uint32_t bucket_of(uint64_t count)
{
	return (uint32_t)(64 - __builtin_clzll(count)) / 3;
}

enum { LINE, TAKEN = 64, PASSED, KERNEL, PAIR };

static uint64_t hash_name(const char *name)
{
	return siphash(name, strlen(name), (struct siphash_key){}, 1, 3);
}

static int add_function(struct fuzz_cover *c, const struct cover_function *f, size_t *new)
{
	struct feature what = { .function = hash_name(f->name) };
	int rc = 0;

	for (size_t i = 0; i < f->lines.count && rc == 0; i++) {
		const struct cover_line *l = &f->lines.items[i];

		what.line = l->line;
		what.what = LINE + (l->count ? bucket_of(l->count) : 0);
		if (l->count)
			rc = add_feature(c, &what, new);
	}
	for (size_t i = 0; i < f->branches.count && rc == 0; i++) {
		const struct cover_branch *b = &f->branches.items[i];

		what = (struct feature){ .function = what.function,
					 .line = b->line,
					 .column = b->column,
					 .at = b->at,
					 .what = TAKEN };
		if (b->is_taken)
			rc = add_feature(c, &what, new);
		what.what = PASSED;
		if (rc == 0 && b->is_passed)
			rc = add_feature(c, &what, new);
	}
	return rc;
}

static int add_pair(struct fuzz_cover *c, const struct bpf_cover *run, const struct cover_pair *p,
		    size_t *new)
{
	const struct cover_function *f = run->functions.items;
	/* Who was first makes a difference. */
	struct feature what = { .function = 31 * hash_name(f[p->first_function].name) +
					    hash_name(f[p->second_function].name),
				.line = p->first_line,
				.at = p->second_line,
				.what = PAIR };

	return add_feature(c, &what, new);
}

/*
 * Blocks of the kernel begin wherever a turn of a CPU began, so that places tell what is new and
 * blocks do not.
 */
#define PLACE 16U /* bytes */

static int add_kernel(struct fuzz_cover *c, const struct cover_kernel *k, size_t *new)
{
	struct feature what = { .function = hash_name(k->name), .what = KERNEL };
	int rc = 0;

	for (size_t i = 0; i < k->blocks.count && rc == 0; i++) {
		const struct cover_block *b = &k->blocks.items[i];

		for (what.at = b->at / PLACE; what.at * PLACE < b->at + b->bytes && rc == 0;
		     what.at++)
			rc = add_feature(c, &what, new);
	}
	return rc;
}

int fuzz_cover_add(struct fuzz_cover *c, const struct bpf_cover *run, double wait_us, size_t *new)
{
	int rc = 0;

	*new = 0;
	for (size_t i = 0; i < run->functions.count && rc == 0; i++)
		rc = add_function(c, &run->functions.items[i], new);
	for (size_t i = 0; i < run->pairs.count && rc == 0; i++)
		rc = add_pair(c, run, &run->pairs.items[i], new);
	for (size_t i = 0; i < run->kernel.count && rc == 0; i++)
		rc = add_kernel(c, &run->kernel.items[i], new);
	/* By a fifth at least: every run has another longest wait. */
	if (wait_us > 1.2 * c->worst_wait_us) {
		c->worst_wait_us = wait_us;
		++*new;
	}
	return rc;
}

void fuzz_cover_finish(struct fuzz_cover *c)
{
	free(c->slots);
	*c = (struct fuzz_cover){};
}
