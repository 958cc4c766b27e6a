// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guidance: how the next inputs are made, which inputs are changed further, and on which
 * machines guests run. Ways and places are chosen by their recent yield: at first every new
 * input reaches something, later changing kept ones leads further.
 */
#include "fuzz/parts.h"

#define ANY 4	 /* one choice in ANY ignores the yield */
#define HERE 4.0 /* factor for entries that were found on the same machine */
#define MEMORY 0.97

static double random_part(struct fuzz_random *r, double of)
{
	return (double)(fuzz_random_next(r) >> 11) * 0x1p-53 * of;
}

/* ---- yields ---- */

static void note(struct fuzz_yield *yields, unsigned int count, unsigned int which, size_t features)
{
	/* Let old yields fade: all ways find less over time, so recent runs count more. */
	for (unsigned int i = 0; i < count; i++) {
		yields[i].runs *= MEMORY;
		yields[i].features *= MEMORY;
	}
	yields[which].runs += 1;
	yields[which].features += (double)features;
}

static double average(const struct fuzz_yield *yields, unsigned int count)
{
	struct fuzz_yield all = {};

	for (unsigned int i = 0; i < count; i++) {
		all.runs += yields[i].runs;
		all.features += yields[i].features;
	}
	return (all.features + 1) / (all.runs + 1);
}

/* An option that was not tried lately is rated as the average. */
static double promise(const struct fuzz_yield *yields, unsigned int count, unsigned int which)
{
	return (yields[which].features + average(yields, count)) / (yields[which].runs + 1);
}

static unsigned int choose(struct fuzz_random *r, const struct fuzz_yield *yields,
			   unsigned int count)
{
	unsigned int chosen = 0;
	double sum = 0, at;

	for (unsigned int i = 0; i < count; i++)
		sum += promise(yields, count, i);
	at = random_part(r, sum);
	while (chosen + 1 < count && (at -= promise(yields, count, chosen)) >= 0)
		chosen++;
	return chosen;
}

/* ---- inputs ---- */

/*
 * Prefers entries that reach rare features, were found on the same machine, and were picked
 * rarely or with success.
 */
static double energy(const struct fuzz *f, const struct fuzz_entry *e,
		     const struct fuzz_input *place)
{
	double rarity = fuzz_cover_rarity(&f->cover, e->own) + 1e-3;

	return (e->input.machine == place->machine ? HERE : 1.0) * rarity * (1.0 + e->success) /
	       (1.0 + e->picks);
}

static size_t pick(struct fuzz *f, const struct fuzz_input *place)
{
	struct fuzz_entry *entries = f->corpus.entries.items;
	size_t chosen = 0;
	double sum = 0, at;

	for (size_t i = 0; i < f->corpus.entries.count; i++)
		sum += energy(f, &entries[i], place);
	at = random_part(&f->random, sum);
	while (chosen + 1 < f->corpus.entries.count &&
	       (at -= energy(f, &entries[chosen], place)) >= 0)
		chosen++;
	entries[chosen].picks++;
	return chosen;
}

static enum fuzz_way next_way(struct fuzz *f)
{
	if (f->options->is_uniform)
		return FUZZ_ANEW;
	if (!f->corpus.entries.count)
		return FUZZ_RICH;
	if (fuzz_random_below(&f->random, ANY) == 0)
		return fuzz_random_below(&f->random, FUZZ_WAYS);
	return choose(&f->random, f->ways, FUZZ_WAYS);
}

/* True if the input is made from nothing. A rich one has as many operations as fit. */
static bool is_new(enum fuzz_way way)
{
	return way == FUZZ_ANEW || way == FUZZ_RICH;
}

struct fuzz_origin fuzz_next_input(struct fuzz *f, const struct fuzz_input *place,
				   struct fuzz_input *in)
{
	const struct fuzz_entry *entries = f->corpus.entries.items;
	struct fuzz_origin origin = { .way = next_way(f) };

	if (is_new(origin.way)) {
		fuzz_input_make(in, &f->random);
		if (origin.way == FUZZ_RICH)
			fuzz_input_enrich(in, &f->random);
	} else {
		origin.parent = pick(f, place);
		*in = entries[origin.parent].input;
		if (origin.way == FUZZ_SPLICED)
			fuzz_input_splice(in, &entries[pick(f, place)].input, &f->random);
		fuzz_input_mutate(in, &f->random);
	}
	in->machine = place->machine;
	in->strategy = place->strategy;
	fuzz_input_repair(in);
	return origin;
}

void fuzz_note_origin(struct fuzz *f, const struct fuzz_origin *origin, size_t features)
{
	double usual = average(f->ways, FUZZ_WAYS);

	if (!is_new(origin->way))
		f->corpus.entries.items[origin->parent].success += (double)features / usual;
	note(f->ways, FUZZ_WAYS, origin->way, features);
}

/* ---- places ---- */

void fuzz_note_place(struct fuzz *f, const struct fuzz_input *in, size_t features)
{
	note(f->places, FUZZ_PLACES, fuzz_place_number(in), features);
}

void fuzz_next_place(struct fuzz *f, struct fuzz_input *place)
{
	if (f->options->is_uniform || fuzz_random_below(&f->random, ANY) == 0)
		fuzz_place_make(place, &f->random);
	else
		fuzz_place_set(place, choose(&f->random, f->places, fuzz_place_count()));
}
