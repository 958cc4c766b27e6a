// SPDX-License-Identifier: GPL-2.0-only
/* Shards: tests in order of descending cost, each to the machine with the least cost so far. */
#include "run/parts.h"

#define MAX_SHARDS 100000

int shard_parse(const char *text, struct shard *out)
{
	const char *p = text;
	uint64_t index, count;

	if (parse_digits(&p, &index) < 0 || *p++ != '/' || parse_digits(&p, &count) < 0 || *p)
		return err_set(EINVAL, "invalid shard '%s': expected K/N, such as 2/5", text);
	if (index < 1 || index > count || count > MAX_SHARDS)
		return err_set(EINVAL, "invalid shard '%s': K goes from 1 to N, N up to %d", text,
			       MAX_SHARDS);
	*out = (struct shard){ .index = (unsigned int)index - 1,
			       .count = (unsigned int)count,
			       .source = "--shard" };
	return 0;
}

/* Variables in which CI systems pass index and number of a parallel job. */
static const struct {
	const char *index, *count;
	unsigned int first;
} systems[] = {
	{ "CI_NODE_INDEX", "CI_NODE_TOTAL", 1 }, /* GitLab */
	{ "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0 },
	{ "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0 },
};

static int read_variable(const char *name, uint64_t *value)
{
	const char *text = env_get(name);

	if (!text)
		return err_set(EINVAL, "%s is not set; use --shard K/N", name);
	if (parse_u64(text, value) < 0 || *value > UINT32_MAX)
		return err_set(EINVAL, "%s is '%s', which is not a number; use --shard K/N", name,
			       text);
	return 0;
}

static int set_shard(struct shard *out, const char *source, uint64_t index, uint64_t count)
{
	if (count < 1 || count > MAX_SHARDS || index >= count)
		return err_set(EINVAL, "%s names part %llu of %llu; use --shard K/N", source,
			       ULL(index) + 1, ULL(count));
	*out = (struct shard){ .index = (unsigned int)index,
			       .count = (unsigned int)count,
			       .source = source };
	return 0;
}

/* Task IDs of an array may start anywhere and have gaps, as with --array=4-20:4. */
static int from_slurm(struct shard *out)
{
	uint64_t id = 0, min = 0, step = 1, count = 0;
	int rc = read_variable("SLURM_ARRAY_TASK_ID", &id);

	rc = rc ?: read_variable("SLURM_ARRAY_TASK_MIN", &min);
	rc = rc ?: read_variable("SLURM_ARRAY_TASK_COUNT", &count);
	if (rc == 0 && env_get("SLURM_ARRAY_TASK_STEP"))
		rc = read_variable("SLURM_ARRAY_TASK_STEP", &step);
	if (rc < 0)
		return rc;
	if (step == 0 || id < min || (id - min) % step)
		return err_set(EINVAL,
			       "SLURM_ARRAY_TASK_ID %llu is not one of an even series; "
			       "say --shard K/N",
			       ULL(id));
	return set_shard(out, "SLURM_ARRAY_TASK_ID", (id - min) / step, count);
}

int shard_from_environment(struct shard *out)
{
	*out = (struct shard){};
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		uint64_t index = 0, count = 0;
		int rc;

		if (!env_get(systems[i].index) || !env_get(systems[i].count))
			continue;
		rc = read_variable(systems[i].index, &index);
		rc = rc ?: read_variable(systems[i].count, &count);
		if (rc < 0)
			return rc;
		return set_shard(out, systems[i].index, index - systems[i].first, count);
	}
	return env_get("SLURM_ARRAY_TASK_ID") ? from_slurm(out) : 0;
}

struct costed {
	const struct selection_item *item;
	size_t index;
	double cost;
};

static int by_cost(const void *a, const void *b)
{
	const struct costed *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return strcmp(x->item->name, y->item->name);
}

static size_t least_loaded(const double *loads, size_t count)
{
	size_t least = 0;

	for (size_t i = 1; i < count; i++)
		if (loads[i] < loads[least])
			least = i;
	return least;
}

int shard_apply(const struct shard *shard, const struct selection_item *items, size_t count,
		bool *is_chosen)
{
	_free_ struct costed *sorted = calloc(count ? count : 1, sizeof(*sorted));
	_free_ double *loads = calloc(shard->count ? shard->count : 1, sizeof(*loads));
	size_t chosen = 0;

	if (!sorted || !loads)
		return err_no_memory();
	if (shard->count == 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (is_chosen[i])
			sorted[chosen++] =
				(struct costed){ &items[i], i, selection_cost(&items[i]) };
	qsort(sorted, chosen, sizeof(*sorted), by_cost);
	for (size_t i = 0; i < chosen; i++) {
		size_t machine = least_loaded(loads, shard->count);

		loads[machine] += sorted[i].cost;
		is_chosen[sorted[i].index] = machine == shard->index;
	}
	return 0;
}
