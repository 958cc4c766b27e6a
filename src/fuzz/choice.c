// SPDX-License-Identifier: GPL-2.0-only
/* Guidance: which inputs are changed further, and on which machines guests run. */
#include "fuzz/parts.h"

#define FRESH 8	 /* one of so many inputs is made anew */
#define SPLICE 3 /* and one of so many has a part of another */
#define ANY 4	 /* one of so many guests is anywhere */
#define HERE 4.0 /* as likely are those that were found on the same machine */
#define MEMORY 0.97

/* ---- inputs ---- */

/* Who reaches what few do, where it will run, and was not tried often. */
static double energy(const struct fuzz *f, const struct fuzz_entry *e,
		     const struct fuzz_input *place)
{
	double rarity = fuzz_cover_rarity(&f->cover, e->own) + 1e-3;

	return (e->input.machine == place->machine ? HERE : 1.0) * rarity / (1.0 + e->picks);
}

static double random_part(struct fuzz_random *r, double of)
{
	return (double)(fuzz_random_next(r) >> 11) * 0x1p-53 * of;
}

static struct fuzz_entry *pick(struct fuzz *f, const struct fuzz_input *place)
{
	struct fuzz_entry *chosen = f->corpus.entries.items;
	const struct fuzz_entry *last = chosen + f->corpus.entries.count - 1;
	double sum = 0, at;

	for (size_t i = 0; i < f->corpus.entries.count; i++)
		sum += energy(f, &f->corpus.entries.items[i], place);
	at = random_part(&f->random, sum);
	while (chosen < last && (at -= energy(f, chosen, place)) >= 0)
		chosen++;
	chosen->picks++;
	return chosen;
}

void fuzz_next_input(struct fuzz *f, const struct fuzz_input *place, struct fuzz_input *in)
{
	bool is_fresh = fuzz_random_below(&f->random, FRESH) == 0;

	if (f->options->is_uniform || !f->corpus.entries.count || is_fresh) {
		fuzz_input_make(in, &f->random);
	} else {
		*in = pick(f, place)->input;
		if (fuzz_random_below(&f->random, SPLICE) == 0)
			fuzz_input_splice(in, &pick(f, place)->input, &f->random);
		fuzz_input_mutate(in, &f->random);
	}
	in->machine = place->machine;
	in->strategy = place->strategy;
	fuzz_input_repair(in);
}

/* ---- places ---- */

void fuzz_note_yield(struct fuzz *f, const struct fuzz_input *in, size_t features)
{
	struct fuzz_yield *y = &f->yields[fuzz_place_number(in)];

	/* What is there to be found gets less everywhere. */
	for (size_t i = 0; i < FUZZ_PLACES; i++) {
		f->yields[i].runs *= MEMORY;
		f->yields[i].features *= MEMORY;
	}
	y->runs += 1;
	y->features += (double)features;
}

/* One that has not been tried lately is as good as the average. */
static double promise(const struct fuzz *f, unsigned int place)
{
	struct fuzz_yield all = {}, own = f->yields[place];

	for (size_t i = 0; i < FUZZ_PLACES; i++) {
		all.runs += f->yields[i].runs;
		all.features += f->yields[i].features;
	}
	return (own.features + (all.features + 1) / (all.runs + 1)) / (own.runs + 1);
}

void fuzz_next_place(struct fuzz *f, struct fuzz_input *place)
{
	unsigned int count = fuzz_place_count(), chosen = 0;
	double sum = 0, at;

	if (f->options->is_uniform || fuzz_random_below(&f->random, ANY) == 0) {
		fuzz_place_make(place, &f->random);
		return;
	}
	for (unsigned int i = 0; i < count; i++)
		sum += promise(f, i);
	at = random_part(&f->random, sum);
	while (chosen + 1 < count && (at -= promise(f, chosen)) >= 0)
		chosen++;
	fuzz_place_set(place, chosen);
}
