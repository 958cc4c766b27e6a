// SPDX-License-Identifier: GPL-2.0-only
/* A set of features, as hashes. */
#include "base/hash.h"
#include "fuzz/fuzz.h"

#define FIRST_SIZE 4096 /* a power of two */

struct fuzz_slot {
	uint64_t hash; /* 0 = free */
	uint32_t runs; /* number of runs with this feature */
	uint32_t last; /* the last of these runs */
};

/* Returns the slot of the hash, or the free slot where it belongs. */
static struct fuzz_slot *find(struct fuzz_slot *slots, size_t size, uint64_t hash)
{
	size_t i = hash & (size - 1);

	while (slots[i].hash && slots[i].hash != hash)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static int grow(struct fuzz_cover *c)
{
	size_t size = c->size ? 2 * c->size : FIRST_SIZE;
	struct fuzz_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return err_no_memory();
	for (size_t i = 0; i < c->size; i++)
		if (c->slots[i].hash)
			*find(slots, size, c->slots[i].hash) = c->slots[i];
	free(c->slots);
	c->slots = slots;
	c->size = size;
	return 0;
}

/* A place, and what happened there. */
struct feature {
	uint64_t function;
	uint32_t line, column, at, what;
};

enum { LINE, TAKEN = 64, PASSED, KERNEL, PAIR };

const char *const fuzz_kind_names[FUZZ_KINDS] = { "lines", "branches", "kernel", "pairs" };

static enum fuzz_kind kind_of(const struct feature *f)
{
	return f->what < TAKEN	? FUZZ_LINES :
	       f->what < KERNEL ? FUZZ_BRANCHES :
	       f->what < PAIR	? FUZZ_KERNEL :
				  FUZZ_PAIRS;
}

static void take_new(struct fuzz_cover *c, struct fuzz_slot *slot, uint64_t hash,
		     struct fuzz_news *news)
{
	slot->hash = hash;
	c->count++;
	if (news->count < FUZZ_OWN)
		news->own[news->count] = hash;
	news->count++;
}

static int add_feature(struct fuzz_cover *c, const struct feature *f, struct fuzz_news *news)
{
	uint64_t hash = siphash(f, sizeof(*f), (struct siphash_key){}, 1, 3);
	int rc = 2 * (c->count + 1) > c->size ? grow(c) : 0;
	struct fuzz_slot *slot;

	if (rc < 0)
		return rc;
	hash = hash ? hash : 1;
	slot = find(c->slots, c->size, hash);
	if (!slot->hash) {
		take_new(c, slot, hash, news);
		c->kinds[kind_of(f)]++;
	}
	slot->runs += slot->last != c->runs;
	slot->last = c->runs;
	return 0;
}

/* The order of magnitude of a count makes a difference, the exact count does not. */
static uint32_t bucket_of(uint64_t count)
{
	return (uint32_t)(64 - __builtin_clzll(count)) / 3;
}

static uint64_t hash_name(const char *name)
{
	return siphash(name, strlen(name), (struct siphash_key){}, 1, 3);
}

static int add_function(struct fuzz_cover *c, const struct cover_function *f,
			struct fuzz_news *news)
{
	struct feature what = { .function = hash_name(f->name) };
	int rc = 0;

	vec_each_while(const struct cover_line, l, &f->lines, rc == 0) {
		what.line = l->line;
		what.what = LINE + (l->count ? bucket_of(l->count) : 0);
		if (l->count)
			rc = add_feature(c, &what, news);
	}
	vec_each_while(const struct cover_branch, b, &f->branches, rc == 0) {
		what = (struct feature){ .function = what.function,
					 .line = b->line,
					 .column = b->column,
					 .at = b->at,
					 .what = TAKEN };
		if (b->is_taken)
			rc = add_feature(c, &what, news);
		what.what = PASSED;
		if (rc == 0 && b->is_passed)
			rc = add_feature(c, &what, news);
	}
	return rc;
}

static int add_pair(struct fuzz_cover *c, const struct bpf_cover *run, const struct cover_pair *p,
		    struct fuzz_news *news)
{
	const struct cover_function *f = run->functions.items;
	/* The order of the two makes a difference. */
	struct feature what = { .function = 31 * hash_name(f[p->first_function].name) +
					    hash_name(f[p->second_function].name),
				.line = p->first_line,
				.at = p->second_line,
				.what = PAIR };

	return add_feature(c, &what, news);
}

/*
 * Blocks of the kernel begin wherever a CPU's turn began, so blocks vary between equal
 * runs. Fixed places do not.
 */
#define PLACE 16U /* bytes */

static int add_kernel(struct fuzz_cover *c, const struct cover_kernel *k, struct fuzz_news *news)
{
	struct feature what = { .function = hash_name(k->name), .what = KERNEL };
	int rc = 0;

	vec_each_while(const struct cover_block, b, &k->blocks, rc == 0) {
		for (what.at = b->at / PLACE; what.at * PLACE < b->at + b->bytes && rc == 0;
		     what.at++)
			rc = add_feature(c, &what, news);
	}
	return rc;
}

int fuzz_cover_add(struct fuzz_cover *c, const struct bpf_cover *run, double wait_us,
		   struct fuzz_news *news)
{
	int rc = 0;

	*news = (struct fuzz_news){};
	c->runs++;
	for (size_t i = 0; i < run->functions.count && rc == 0; i++)
		rc = add_function(c, &run->functions.items[i], news);
	for (size_t i = 0; i < run->pairs.count && rc == 0; i++)
		rc = add_pair(c, run, &run->pairs.items[i], news);
	for (size_t i = 0; i < run->kernel.count && rc == 0; i++)
		rc = add_kernel(c, &run->kernel.items[i], news);
	/* Only if it is longer by a fifth at least: every run has a different longest wait. */
	if (wait_us > 1.2 * c->worst_wait_us) {
		c->worst_wait_us = wait_us;
		news->count++;
	}
	return rc;
}

double fuzz_cover_rarity(const struct fuzz_cover *c, const uint64_t own[FUZZ_OWN])
{
	double sum = 0;

	for (size_t i = 0; i < FUZZ_OWN && own[i] && c->size; i++) {
		const struct fuzz_slot *slot = find(c->slots, c->size, own[i]);

		sum += slot->runs ? 1.0 / slot->runs : 0;
	}
	return sum;
}

void fuzz_cover_finish(struct fuzz_cover *c)
{
	free(c->slots);
	*c = (struct fuzz_cover){};
}
