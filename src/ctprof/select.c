// SPDX-License-Identifier: GPL-2.0-only
/* Filters threads, joins those of two snapshots, and computes the time between the snapshots. */
#include "ctprof/group.h"

#include <fnmatch.h>
#include <math.h>

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

/* Thread IDs are reused, so the start time is part of the identity. */
static int thread_identity(struct id_map *starts, struct id_map *threads,
			   const struct thread_record *t, uint32_t *id)
{
	uint64_t start = t->start_ticks.is_known ? t->start_ticks.value : UINT64_MAX;
	uint32_t start_id = NO_ID;
	int rc = id_map_add(starts, start, &start_id);

	return rc ?: id_map_add(threads, id_pair(t->tid, start_id), id);
}

struct join {
	const struct snapshot_pair *pair;
	struct id_map starts, threads;
	uint32_t *found;	/* baseline threads by identity; NO_ID = none, or already joined */
	uint32_t *twins[SIDES]; /* by thread: its index on the other side, or NO_ID */
};

static void join_finish(struct join *j)
{
	id_map_finish(&j->starts);
	id_map_finish(&j->threads);
	free(j->found);
	free(j->twins[BASELINE]);
	free(j->twins[CANDIDATE]);
}

static int join_init(struct join *j)
{
	for (enum side side = BASELINE; side < SIDES; side++) {
		size_t count = j->pair->sides[side]->thread_count;

		j->twins[side] = malloc((count + 1) * sizeof(*j->twins[side]));
		if (!j->twins[side])
			return err_no_memory();
		memset(j->twins[side], 0xff, count * sizeof(*j->twins[side]));
	}
	j->found = calloc(j->pair->sides[BASELINE]->thread_count + 1, sizeof(*j->found));
	return j->found ? 0 : err_no_memory();
}

static int join_baseline(struct join *j)
{
	const struct snapshot *s = j->pair->sides[BASELINE];

	for (size_t i = 0; i < s->thread_count; i++) {
		uint32_t id = NO_ID;
		int rc = thread_identity(&j->starts, &j->threads, &s->threads[i], &id);

		if (rc < 0)
			return rc;
		j->found[id] = (uint32_t)i;
	}
	return 0;
}

static int join_candidate(struct join *j)
{
	const struct snapshot *s = j->pair->sides[CANDIDATE];
	size_t known = j->threads.count;

	for (size_t i = 0; i < s->thread_count; i++) {
		uint32_t id = NO_ID;
		int rc = thread_identity(&j->starts, &j->threads, &s->threads[i], &id);

		if (rc < 0)
			return rc;
		if (id >= known || j->found[id] == NO_ID)
			continue;
		j->twins[CANDIDATE][i] = j->found[id];
		j->twins[BASELINE][j->found[id]] = (uint32_t)i;
		j->found[id] = NO_ID;
	}
	return 0;
}

static bool is_one_boot(const struct snapshot_pair *pair)
{
	const struct snapshot *a = pair->sides[BASELINE], *b = pair->sides[CANDIDATE];

	return a && b && a->boot_id && b->boot_id && str_eq(a->boot_id, b->boot_id);
}

static int select_thread(struct selection *s, enum side side, const struct thread_filter *filter,
			 const struct thread_record *thread, const struct thread_record *twin)
{
	const struct thread_record *named_by = side == BASELINE && twin ? twin : thread;

	/* A renamed thread matches by its old or its new name. */
	if (!passes(filter, thread) && !(twin && passes(filter, twin)))
		return 0;
	return vec_push(&s->sides[side], (struct member){ thread, named_by, twin });
}

static int select_side(struct selection *s, const struct join *j, enum side side,
		       const struct thread_filter *filter)
{
	const struct snapshot *own = j->pair->sides[side], *other = j->pair->sides[!side];
	int rc = 0;

	for (size_t i = 0; rc == 0 && own && i < own->thread_count; i++) {
		bool has_twin = j->twins[side] && j->twins[side][i] != NO_ID;

		rc = select_thread(s, side, filter, &own->threads[i],
				   has_twin ? &other->threads[j->twins[side][i]] : NULL);
	}
	return rc;
}

int select_all(struct selection *s, const struct snapshot_pair *pair,
	       const struct thread_filter *filter)
{
	_cleanup_(join_finish) struct join j = { .pair = pair };
	int rc = 0;

	s->is_joined = is_one_boot(pair);
	if (s->is_joined)
		rc = join_init(&j);
	if (rc == 0 && s->is_joined)
		rc = join_baseline(&j);
	if (rc == 0 && s->is_joined)
		rc = join_candidate(&j);
	rc = rc ?: select_side(s, &j, BASELINE, filter);
	return rc ?: select_side(s, &j, CANDIDATE, filter);
}

static int check_one_boot(const struct snapshot *baseline, const struct snapshot *candidate)
{
	if (!baseline->boot_id || !candidate->boot_id)
		return err_set(EINVAL,
			       "--match tid: the %s does not contain a boot ID; "
			       "capture it again with this ktstr, or use --match name",
			       baseline->boot_id ? "candidate" : "baseline");
	if (!str_eq(baseline->boot_id, candidate->boot_id))
		return err_set(EINVAL,
			       "--match tid: the snapshots are of different boots (%s and "
			       "%s), so no thread can be in both; use --match name",
			       baseline->boot_id, candidate->boot_id);
	return 0;
}

static int select_survivor(struct selection *s, const struct member *m)
{
	int rc = vec_push(&s->sides[BASELINE], (struct member){ m->twin, m->thread, m->thread });

	return rc ?: vec_push(&s->sides[CANDIDATE], *m);
}

int select_by_fate(struct fates *f, const struct snapshot_pair *pair, const struct selection *all)
{
	int rc = check_one_boot(pair->sides[BASELINE], pair->sides[CANDIDATE]);

	f->survived.is_paired = true;
	f->survived.is_joined = f->born.is_joined = f->died.is_joined = true;
	vec_each_while(const struct member, m, &all->sides[CANDIDATE], rc == 0) {
		rc = m->twin ? select_survivor(&f->survived, m) :
			       vec_push(&f->born.sides[CANDIDATE], *m);
	}
	for (size_t i = 0; rc == 0 && i < all->sides[BASELINE].count; i++)
		if (!all->sides[BASELINE].items[i].twin)
			rc = vec_push(&f->died.sides[BASELINE], all->sides[BASELINE].items[i]);
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

static double ticks_between(const struct snapshot *from, const struct snapshot *to)
{
	const struct opt_u64 *a = &from->uptime_clock_ticks, *b = &to->uptime_clock_ticks;

	return a->is_known && b->is_known && b->value > a->value ? (double)(b->value - a->value) :
								   0;
}

static double seconds_between(const struct snapshot *from, const struct snapshot *to)
{
	const struct opt_u64 *a = &from->captured_at_unix_ns, *b = &to->captured_at_unix_ns;

	if (!a->is_known || !b->is_known || b->value <= a->value)
		return 0;
	return (double)(b->value - a->value) / (double)NSEC_PER_SEC;
}

struct window window_between(const struct snapshot_pair *pair)
{
	const struct snapshot *from = pair->sides[BASELINE], *to = pair->sides[CANDIDATE];
	struct window w = {};

	if (!from || !to)
		return w;
	if (from->boot_id && to->boot_id) {
		w.is_one_boot = str_eq(from->boot_id, to->boot_id);
		w.is_other_boot = !w.is_one_boot;
	}
	w.has_other_ticks = from->user_hz.is_known && to->user_hz.is_known &&
			    from->user_hz.value != to->user_hz.value;
	if (from->user_hz.is_known && to->user_hz.is_known && !w.has_other_ticks)
		w.user_hz = (double)to->user_hz.value;
	w.seconds = seconds_between(from, to);
	if (w.is_one_boot && !w.has_other_ticks) {
		w.interval_ticks = ticks_between(from, to);
		w.now_ticks = (double)to->uptime_clock_ticks.value;
	}
	/* Wall clocks can be changed; the clock since boot cannot. */
	if (w.interval_ticks > 0 && to->user_hz.is_known && to->user_hz.value)
		w.seconds = w.interval_ticks / (double)to->user_hz.value;
	return w;
}

/*
 * Tolerance: clocks differ slightly, a tick is 10 ms, and threads are read one after the other, so
 * the time between the two readings of a thread differs by the duration of a capture at most. The
 * window is the duration of a capture and the pause between captures.
 */
#define SLACK_SHARE 0.05
#define SLACK_WALK 0.2
#define SLACK_TICKS 0.02
#define SLACK_SECONDS 1

double window_longest_seconds(const struct window *w)
{
	if (!w->is_one_boot || !(w->seconds > 0))
		return INFINITY;
	return w->seconds * (1 + SLACK_SHARE) +
	       fmin(SLACK_SECONDS, w->seconds * SLACK_WALK + SLACK_TICKS);
}

bool window_has_start(const struct window *w, const struct thread_record *t)
{
	return t->start_ticks.is_known &&
	       (double)t->start_ticks.value + 1 >= w->now_ticks - w->interval_ticks;
}

double window_alive(const struct window *w, uint64_t start_ticks)
{
	double age = w->now_ticks - (double)start_ticks;

	if (age <= 0 || w->interval_ticks <= 0)
		return 0;
	return MIN(age, w->interval_ticks) / w->interval_ticks;
}
