// SPDX-License-Identifier: GPL-2.0-only
/* The list of scenarios, and suggestions for mistyped names. */
#include "hostmode/execute.h"

#include "scenario/catalog.h"
#include "scenario/ctx.h"

/*
 * Workers start where fork() put them, and balancing an uneven load takes some hundred
 * milliseconds, after each change again. With this lifetime, that is small compared with
 * the limits of spread.
 */
#define FAIR_AFTER_NS (10 * NSEC_PER_SEC)

static int run_row(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	ctx->fair_after_ns = FAIR_AFTER_NS;
	return catalog_run(what, ctx, res);
}

int host_scenarios_add_catalog(struct host_scenarios *s)
{
	for (const struct catalog_category *c = catalog_categories; c->name; c++)
		for (const struct catalog_row *row = c->rows; row->name; row++) {
			int rc = vec_push(&s->list,
					  (struct host_scenario){ .name = row->name,
								  .category = c->name,
								  .description = row->description,
								  .required = row->needs,
								  .excluded = row->excludes,
								  .run = run_row,
								  .what = row });

			if (rc < 0)
				return rc;
		}
	return 0;
}

int host_scenarios_check(const struct host_scenarios *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		const struct host_scenario *one = &s->list.items[i];
		uint64_t both = one->required & one->excluded;

		if (both)
			return err_set(EINVAL, "scenario '%s': flag '%s' is required and excluded",
				       one->name, host_flags()->items[__builtin_ctzll(both)].name);
		for (size_t k = 0; k < i; k++)
			if (str_eq(s->list.items[k].name, one->name))
				return err_set(EINVAL, "there are two scenarios '%s'", one->name);
	}
	return 0;
}

void host_scenarios_finish(struct host_scenarios *s)
{
	free(s->list.items);
	arena_finish(&s->arena);
}

struct nearest_word {
	const char *word;
	const char *found;
	size_t distance; /* of found; initially one more than is allowed */
};

static void nearest_try(struct nearest_word *n, const char *candidate)
{
	size_t distance = text_distance(n->word, candidate);

	if (distance < n->distance) {
		n->distance = distance;
		n->found = candidate;
	}
}

/* Filters often are a word of a name rather than the whole name. */
static void nearest_try_words(struct nearest_word *n, const char *name, struct arena *arena)
{
	while (*name) {
		size_t len = strcspn(name, "_");
		const char *word = len > 3 ? arena_copy(arena, name, len) : NULL;

		if (word)
			nearest_try(n, word);
		name += len;
		name += *name == '_';
	}
}

const char *host_scenarios_closest(const struct host_scenarios *s, const char *word)
{
	struct nearest_word n = { .word = word, .distance = MAX(strlen(word) / 3, (size_t)3) + 1 };
	/* The words are freed with the list. */
	struct arena *arena = (struct arena *)&s->arena;

	for (size_t i = 0; i < s->list.count; i++)
		nearest_try(&n, s->list.items[i].name);
	/* Short words resemble each other, so the limit is tighter for them. */
	n.distance = MIN(n.distance, strlen(word) / 3 + 1);
	for (size_t i = 0; i < s->list.count; i++)
		nearest_try_words(&n, s->list.items[i].name, arena);
	return n.found;
}
