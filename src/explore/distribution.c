// SPDX-License-Identifier: GPL-2.0-only
/* Samples by name, and their summaries. */
#include "explore/explore.h"

#include "record/sidecar.h"

/* Numbers of CPUs are not quantities. */
static const char *const not_quantities[] = { "total_cpus", "worst_gap_cpu" };

static struct distribution *find(struct distributions *d, const char *name)
{
	return vec_find(&d->items, name, name);
}

static int add_name(struct distributions *d, const char *name)
{
	struct distribution fresh = { .name = strdup(name) };
	int rc = fresh.name ? vec_push(&d->items, fresh) : err_no_memory();

	if (rc < 0)
		free(fresh.name);
	return rc;
}

int distributions_add(struct distributions *d, const char *name, uint64_t seed, double value)
{
	struct distribution *one = find(d, name);
	int rc = one ? 0 : add_name(d, name);

	if (rc < 0)
		return rc;
	one = find(d, name);
	return vec_push(&one->samples, (struct seed_sample){ .value = value, .seed = seed });
}

static int add_known(struct distributions *d, uint64_t seed, const char *name,
		     const struct sidecar_number *n)
{
	if (!n->is_known)
		return 0;
	return str_index(not_quantities, ARRAY_SIZE(not_quantities), name) >= 0 ?
		       0 :
		       distributions_add(d, name, seed, n->value);
}

/* NOLINTNEXTLINE(readability-function-size): of macros */
int distributions_add_result(struct distributions *d, uint64_t seed, const struct ktstr_result *r)
{
	_sidecar_ struct sidecar s;
	int rc;

	sidecar_init(&s);
	rc = sidecar_set_result(&s, r);
#define X(name)      \
	if (rc == 0) \
		rc = add_known(d, seed, #name, &s.stats.name);
	SIDECAR_TOTAL_NUMBERS(X)
#undef X
	for (size_t i = 0; i < s.metric_count && rc == 0; i++)
		rc = distributions_add(d, s.metrics[i].name, seed, s.metrics[i].value);
	return rc;
}

static int by_value(const void *a, const void *b)
{
	const struct seed_sample *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return ORDER(x->seed, y->seed);
}

/* The smallest value that at least that percentage of the samples does not exceed; of one or more. */
static double percentile(const struct seed_sample *samples, size_t count, unsigned int percent)
{
	size_t rank = (count * percent + 99) / 100;

	return samples[rank - 1].value;
}

void distribution_summarize(struct distribution *d, struct distribution_summary *out)
{
	struct seed_sample *samples = d->samples.items;
	size_t count = d->samples.count, first_max = count - 1;

	qsort(samples, count, sizeof(*samples), by_value);
	while (first_max && samples[first_max - 1].value >= samples[count - 1].value)
		first_max--;
	*out = (struct distribution_summary){ .count = count,
					      .min = samples[0].value,
					      .p50 = percentile(samples, count, 50),
					      .p90 = percentile(samples, count, 90),
					      .max = samples[count - 1].value,
					      .max_seed = samples[first_max].seed };
}

void distributions_finish(struct distributions *d)
{
	vec_release(&d->items, each, free(each->name), free(each->samples.items));
	*d = (struct distributions){};
}
