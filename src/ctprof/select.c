// SPDX-License-Identifier: GPL-2.0-only
/* Filters, and the join of threads across two snapshots. */
#include "ctprof/select.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/intern.h"

static bool any_matches(const struct glob_list *globs, const char *text)
{
	for (size_t i = 0; text && i < globs->count; i++)
		if (fnmatch(globs->items[i], text, FNM_NOESCAPE) == 0)
			return true;
	return false;
}

bool filter_passes_cgroup(const struct thread_filter *filter, const char *path)
{
	return !filter->cgroups.count || any_matches(&filter->cgroups, path);
}

static bool passes_pid(const struct thread_filter *filter, uint32_t tgid)
{
	for (size_t i = 0; i < filter->pids.count; i++)
		if (filter->pids.items[i] == tgid)
			return true;
	return !filter->pids.count;
}

static bool passes(const struct thread_filter *filter, const struct thread_record *t)
{
	return passes_pid(filter, t->tgid) && filter_passes_cgroup(filter, t->cgroup) &&
	       (!filter->comms.count || any_matches(&filter->comms, t->comm) ||
		any_matches(&filter->comms, t->pcomm));
}

static int select_thread(struct selection *s, enum side side, const struct thread_filter *filter,
			 const struct thread_record *thread, const struct thread_record *named_by)
{
	if (!passes(filter, named_by))
		return 0;
	return vec_push(&s->sides[side], (struct member){ thread, named_by });
}

int select_all(struct selection *s, const struct snapshot_pair *pair,
	       const struct thread_filter *filter)
{
	for (enum side side = BASELINE; side < SIDES; side++) {
		const struct snapshot *snapshot = pair->sides[side];

		for (size_t i = 0; snapshot && i < snapshot->thread_count; i++) {
			const struct thread_record *t = &snapshot->threads[i];
			int rc = select_thread(s, side, filter, t, t);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* Thread numbers are used again; the start time tells two owners apart. */
static int thread_identity(struct id_map *starts, struct id_map *threads,
			   const struct thread_record *t, uint32_t *id)
{
	uint64_t start = t->start_ticks.is_known ? t->start_ticks.value : UINT64_MAX;
	uint32_t start_id = NO_ID;
	int rc = id_map_add(starts, start, &start_id);

	return rc < 0 ? rc : id_map_add(threads, id_pair(t->tid, start_id), id);
}

struct join {
	const struct snapshot *baseline;
	struct id_map starts, threads;
	uint32_t *twins; /* threads of the baseline, by identity; NO_ID once found */
	size_t twin_count;
};

static void join_finish(struct join *j)
{
	id_map_finish(&j->starts);
	id_map_finish(&j->threads);
	free(j->twins);
}

static int join_baseline(struct join *j, const struct snapshot *baseline)
{
	j->twins = calloc(baseline->thread_count + 1, sizeof(*j->twins));
	if (!j->twins)
		return err_no_memory();
	for (size_t i = 0; i < baseline->thread_count; i++) {
		uint32_t id = NO_ID;
		int rc = thread_identity(&j->starts, &j->threads, &baseline->threads[i], &id);

		if (rc < 0)
			return rc;
		j->twins[id] = (uint32_t)i;
	}
	j->twin_count = j->threads.count;
	return 0;
}

static int join_candidate(struct join *j, struct fates *f, const struct thread_record *t,
			  const struct thread_filter *filter)
{
	uint32_t id = NO_ID, twin = NO_ID;
	int rc = thread_identity(&j->starts, &j->threads, t, &id);

	if (rc < 0)
		return rc;
	if (id < j->twin_count) {
		twin = j->twins[id];
		j->twins[id] = NO_ID;
	}
	if (twin == NO_ID)
		return select_thread(&f->born, CANDIDATE, filter, t, t);
	rc = select_thread(&f->survived, BASELINE, filter, &j->baseline->threads[twin], t);
	return rc < 0 ? rc : select_thread(&f->survived, CANDIDATE, filter, t, t);
}

static int select_died(struct fates *f, const struct thread_record *t,
		       const struct thread_filter *filter)
{
	return select_thread(&f->died, BASELINE, filter, t, t);
}

static int check_one_boot(const struct snapshot *baseline, const struct snapshot *candidate)
{
	if (!baseline->boot_id || !candidate->boot_id)
		return err_set(EINVAL,
			       "--match tid: the %s does not say which boot it is from; "
			       "capture it again with this ktstr, or use --match name",
			       baseline->boot_id ? "candidate" : "baseline");
	if (!str_eq(baseline->boot_id, candidate->boot_id))
		return err_set(EINVAL,
			       "--match tid: the snapshots are of different boots (%s and "
			       "%s), so no thread can be in both; use --match name",
			       baseline->boot_id, candidate->boot_id);
	return 0;
}

int select_by_fate(struct fates *f, const struct snapshot_pair *pair,
		   const struct thread_filter *filter)
{
	const struct snapshot *baseline = pair->sides[BASELINE];
	const struct snapshot *candidate = pair->sides[CANDIDATE];
	_cleanup_(join_finish) struct join j = { .baseline = baseline };
	int rc = check_one_boot(baseline, candidate);

	f->survived.is_paired = true;
	if (rc == 0)
		rc = join_baseline(&j, baseline);
	for (size_t i = 0; rc == 0 && i < candidate->thread_count; i++)
		rc = join_candidate(&j, f, &candidate->threads[i], filter);
	for (size_t i = 0; rc == 0 && i < j.twin_count; i++)
		if (j.twins[i] != NO_ID)
			rc = select_died(f, &baseline->threads[j.twins[i]], filter);
	return rc;
}

void selection_finish(struct selection *s)
{
	free(s->sides[BASELINE].items);
	free(s->sides[CANDIDATE].items);
	*s = (struct selection){};
}

void fates_finish(struct fates *f)
{
	selection_finish(&f->survived);
	selection_finish(&f->born);
	selection_finish(&f->died);
}
