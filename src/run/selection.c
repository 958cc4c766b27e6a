// SPDX-License-Identifier: GPL-2.0-only
/* Features and costs of tests, and the greedy selection within a budget. */
#include "run/parts.h"

#include <math.h>

/* First bit of each group; all groups are one-hot except those of flags. */
enum {
	BIT_SCHEDULER = 0,
	BIT_REQUIRED = 4,
	BIT_EXCLUDED = 10,
	BIT_ACTIVE = 16,
	BIT_CPUS = 22,
	BIT_LLCS = 27,
	BIT_SMT = 32,
	BIT_PERFORMANCE = 33,
	BIT_HOST_ONLY = 34,
	BIT_EXPECTS_ERROR = 35,
	BIT_DURATION = 36,
	BIT_WORKERS = 39,
	BIT_GAUNTLET = 40,
	BIT_NAME = 41,
	BIT_NODES = 45,
};

#define HASH_BUCKETS 4
#define BOOT_S 10.0
#define END_S 2.0
#define PERFORMANCE_S 3.0

static const char *const known_flags[] = { "llc",   "borrow",	  "steal",
					   "rebal", "reject-pin", "no-ctrl" };

unsigned int selection_flag(const char *name)
{
	int i = str_index(known_flags, ARRAY_SIZE(known_flags), name);

	return i < 0 ? 0 : 1U << i;
}

static uint32_t djb2(const char *text)
{
	uint32_t hash = 5381;

	for (; *text; text++)
		hash = hash * 33 + (unsigned char)*text;
	return hash;
}

/* Bit of the bucket of a value, by ascending upper bounds; the last bucket has no bound. */
static uint64_t bucket(unsigned int first_bit, double value, const unsigned int *bounds,
		       size_t count)
{
	size_t i = 0;

	while (i < count && value > bounds[i])
		i++;
	return UINT64_C(1) << (first_bit + i);
}

#define BUCKET(bit, value, ...)                                   \
	bucket(bit, value, (const unsigned int[]){ __VA_ARGS__ }, \
	       ARRAY_SIZE(((const unsigned int[]){ __VA_ARGS__ })))

uint64_t selection_features(const struct selection_item *i)
{
	uint64_t bits = UINT64_C(1) << (BIT_SCHEDULER + djb2(i->scheduler) % HASH_BUCKETS);

	bits |= UINT64_C(1) << (BIT_NAME + djb2(i->hashed_name) % HASH_BUCKETS);
	bits |= (uint64_t)i->required_flags << BIT_REQUIRED;
	bits |= (uint64_t)i->excluded_flags << BIT_EXCLUDED;
	bits |= (uint64_t)i->active_flags << BIT_ACTIVE;
	bits |= BUCKET(BIT_CPUS, i->cpus, 8, 16, 64, 128);
	bits |= BUCKET(BIT_LLCS, i->llcs, 1, 2, 4, 8);
	bits |= BUCKET(BIT_NODES, i->nodes, 1, 2, 4);
	bits |= BUCKET(BIT_DURATION, i->duration_s, 2, 10);
	bits |= (uint64_t)(i->threads > 1) << BIT_SMT;
	bits |= (uint64_t)i->is_performance << BIT_PERFORMANCE;
	bits |= (uint64_t)i->is_host_only << BIT_HOST_ONLY;
	bits |= (uint64_t)i->expects_error << BIT_EXPECTS_ERROR;
	bits |= (uint64_t)(i->workers > 2) << BIT_WORKERS;
	bits |= (uint64_t)i->is_gauntlet << BIT_GAUNTLET;
	return bits;
}

double selection_cost(const struct selection_item *i)
{
	if (i->is_host_only)
		return i->duration_s + END_S;
	return BOOT_S + (i->cpus > 16 ? (i->cpus - 16) / 10 : 0) + i->duration_s + END_S +
	       (i->is_performance ? PERFORMANCE_S : 0);
}

static double gain(uint64_t features, uint64_t covered, double cost)
{
	int new_bits = __builtin_popcountll(features & ~covered);

	return cost > 0 ? new_bits / cost : new_bits * 1e6;
}

/* Index of the best test that is left, or count. */
static size_t best_of(const struct selection_item *items, size_t count, const bool *is_chosen,
		      uint64_t covered, double left_s)
{
	size_t best = count;
	double best_gain = 0;

	for (size_t i = 0; i < count; i++) {
		double cost = selection_cost(&items[i]);
		double value = gain(selection_features(&items[i]), covered, cost);

		if (is_chosen[i] || cost > left_s || value <= 0 || value < best_gain)
			continue;
		if (value == best_gain && strcmp(items[i].name, items[best].name) >= 0)
			continue;
		best = i;
		best_gain = value;
	}
	return best;
}

void selection_by_budget(const struct selection_item *items, size_t count, double budget_s,
			 bool *is_chosen, struct selection_summary *summary)
{
	uint64_t covered = 0, coverable = 0;
	size_t best;

	*summary = (struct selection_summary){ .total = count, .budget_s = budget_s };
	for (size_t i = 0; i < count; i++) {
		is_chosen[i] = false;
		coverable |= selection_features(&items[i]);
	}
	while ((best = best_of(items, count, is_chosen, covered, budget_s - summary->used_s)) <
	       count) {
		is_chosen[best] = true;
		covered |= selection_features(&items[best]);
		summary->used_s += selection_cost(&items[best]);
		summary->chosen++;
	}
	summary->covered = (unsigned int)__builtin_popcountll(covered);
	summary->coverable = (unsigned int)__builtin_popcountll(coverable);
}

bool selection_budget_parse(const char *text, double *seconds)
{
	char *end;

	errno = 0;
	*seconds = strtod(text, &end);
	return end != text && !*end && errno == 0 && isfinite(*seconds) && *seconds > 0;
}
