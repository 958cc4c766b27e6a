// SPDX-License-Identifier: GPL-2.0-only
/* Finds renamed cgroups by their threads, and joins their groups. */
#include "ctprof/report.h"

/* All groups of one cgroup: a stretch of the sorted groups. */
struct stretch {
	const char *path, *shown;
	size_t first, end;
	bool has_match;
	uint32_t types[SIDES]; /* groups seen there = distinct types */
};

struct type_user {
	uint32_t type, stretch;
};

/* A cgroup of the candidate and the matching one of the baseline. */
struct pick {
	const struct stretch *sides[SIDES];
	uint32_t overlap, in_all;
};

struct finder {
	struct fudge *fudge;
	struct grouping *grouping;
	struct stretch *stretches;
	size_t count;
	struct id_map types; /* (pcomm, comm) → type */
	uint32_t *type_of;   /* by group */
	struct intern paths; /* cgroup path → index of its stretch */
	/* Baseline cgroups by the types they run; those of type t start at first_user[t]. */
	struct type_user *users;
	size_t user_count;
	size_t *first_user;
	uint32_t *shared; /* by stretch: number of types in common with the current candidate */
	VEC(struct pick) picks;
};

static void finder_finish(struct finder *f)
{
	free(f->stretches);
	free(f->type_of);
	free(f->users);
	free(f->first_user);
	free(f->shared);
	free(f->picks.items);
	id_map_finish(&f->types);
	intern_finish(&f->paths);
}

static bool has_unmatched(const struct grouping *g, enum side side)
{
	for (size_t i = 0; i < g->count; i++)
		if (group_is_only_in(&g->groups[i], side))
			return true;
	return false;
}

static void add_to_stretch(struct stretch *s, const struct group *g)
{
	s->end++;
	s->has_match |= group_is_matched(g);
	for (enum side side = BASELINE; side < SIDES; side++)
		s->types[side] += g->sides[side] != NULL;
}

static int find_stretches(struct finder *f)
{
	struct stretch *s = NULL;

	f->stretches = calloc(f->grouping->count + 1, sizeof(*f->stretches));
	f->type_of = calloc(f->grouping->count + 1, sizeof(*f->type_of));
	if (!f->stretches || !f->type_of)
		return err_no_memory();
	for (size_t i = 0; i < f->grouping->count; i++) {
		const struct group *g = &f->grouping->groups[i];
		uint32_t path = NO_ID;
		int rc = id_map_add(&f->types, id_pair(g->pcomm_key, g->comm_key), &f->type_of[i]);

		rc = rc ?: intern_add(&f->paths, g->cgroup, &path);
		if (rc < 0)
			return rc;
		if (!s || path == f->count) {
			s = &f->stretches[f->count++];
			*s = (struct stretch){
				.path = g->cgroup, .shown = g->cgroup_shown, .first = i, .end = i
			};
		}
		add_to_stretch(s, g);
	}
	return 0;
}

static int compare_users(const void *a, const void *b)
{
	const struct type_user *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->stretch < y->stretch ? -1 : x->stretch > y->stretch;
}

/* Only cgroups without any matched group take part. */
static bool is_searched(const struct stretch *s, enum side side)
{
	return !s->has_match && s->types[side] >= FUDGE_MIN_TYPES;
}

static int index_baseline(struct finder *f)
{
	f->users = calloc(f->grouping->count + 1, sizeof(*f->users));
	f->first_user = calloc(f->types.count + 2, sizeof(*f->first_user));
	f->shared = calloc(f->count + 1, sizeof(*f->shared));
	if (!f->users || !f->first_user || !f->shared)
		return err_no_memory();
	for (size_t s = 0; s < f->count; s++) {
		const struct stretch *stretch = &f->stretches[s];

		for (size_t i = stretch->first; i < stretch->end; i++)
			if (is_searched(stretch, BASELINE) &&
			    f->grouping->groups[i].sides[BASELINE])
				f->users[f->user_count++] =
					(struct type_user){ f->type_of[i], (uint32_t)s };
	}
	qsort(f->users, f->user_count, sizeof(*f->users), compare_users);
	for (size_t i = 0; i < f->user_count; i++)
		f->first_user[f->users[i].type + 1]++;
	for (size_t t = 1; t <= f->types.count; t++)
		f->first_user[t] += f->first_user[t - 1];
	return 0;
}

static void count_shared(struct finder *f, const struct stretch *candidate)
{
	memset(f->shared, 0, f->count * sizeof(*f->shared));
	for (size_t i = candidate->first; i < candidate->end; i++) {
		uint32_t type = f->type_of[i];

		if (!f->grouping->groups[i].sides[CANDIDATE])
			continue;
		for (size_t u = f->first_user[type]; u < f->first_user[type + 1]; u++)
			f->shared[f->users[u].stretch]++;
	}
}

/* The baseline cgroup with the largest Jaccard index; of equal ones the first in byte order. */
static struct pick pick_baseline(struct finder *f, const struct stretch *candidate)
{
	struct pick pick = { .sides[CANDIDATE] = candidate, .in_all = 1 };

	count_shared(f, candidate);
	for (size_t s = 0; s < f->count; s++) {
		uint64_t shared = f->shared[s];
		uint64_t all =
			f->stretches[s].types[BASELINE] + candidate->types[CANDIDATE] - shared;

		if (shared < FUDGE_MIN_TYPES || shared * 100 < all * FUDGE_MIN_JACCARD_PERCENT)
			continue;
		if (pick.sides[BASELINE] && shared * pick.in_all <= pick.overlap * all)
			continue;
		pick.sides[BASELINE] = &f->stretches[s];
		pick.overlap = (uint32_t)shared;
		pick.in_all = (uint32_t)all;
	}
	return pick;
}

/* All picks are made before any group is joined, so their order does not matter. */
static int pick_all(struct finder *f)
{
	for (size_t s = 0; s < f->count; s++) {
		struct pick pick = {};
		int rc = 0;

		if (is_searched(&f->stretches[s], CANDIDATE))
			pick = pick_baseline(f, &f->stretches[s]);
		if (pick.sides[BASELINE])
			rc = vec_push(&f->picks, pick);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Returns whether the group is one-sided, or was joined by an earlier candidate. */
static bool is_claimable(const struct group *g)
{
	return group_is_only_in(g, BASELINE) || (g->sides[BASELINE] && g->fudge_pair != NOT_FUDGED);
}

static int move_values(struct finder *f, struct aggregate **to, struct aggregate **from)
{
	int rc = 0;

	if (*to && *from)
		rc = aggregate_merge(*to, *from, &f->grouping->arena);
	else if (*from)
		*to = *from;
	*from = NULL;
	return rc;
}

/* Moves the candidate's merged values to the baseline's group. */
static int join_groups(struct finder *f, struct group *baseline, struct group *candidate,
		       uint32_t pair)
{
	int rc = move_values(f, &baseline->sides[CANDIDATE], &candidate->sides[CANDIDATE]);

	for (enum fate fate = 0; rc == 0 && fate < FATES; fate++)
		rc = move_values(f, &baseline->fates[fate], &candidate->fates[fate]);
	baseline->unplaced += candidate->unplaced;
	if (rc < 0 || baseline->fudge_pair != NOT_FUDGED)
		return rc;
	baseline->fudge_pair = pair;
	baseline->fudged_from = basename(baseline->cgroup_shown);
	baseline->cgroup_shown = candidate->cgroup_shown;
	baseline->cgroups_most = candidate->cgroups_most;
	return 0;
}

static int order_types(const struct group *a, const struct group *b)
{
	int order = strcmp(a->pcomm, b->pcomm);

	return order ? order : strcmp(a->comm, b->comm);
}

/* Both stretches are sorted by type: one walk over both finds the partners. */
static int join_stretches(struct finder *f, const struct stretch *baseline,
			  const struct stretch *candidate, uint32_t pair, uint32_t *joined)
{
	struct group *groups = f->grouping->groups;
	size_t b = baseline->first, c = candidate->first;

	while (b < baseline->end && c < candidate->end) {
		int order = order_types(&groups[b], &groups[c]);

		if (order == 0 && is_claimable(&groups[b]) &&
		    group_is_only_in(&groups[c], CANDIDATE)) {
			int rc = join_groups(f, &groups[b], &groups[c], pair);

			if (rc < 0)
				return rc;
			++*joined;
		}
		b += order <= 0;
		c += order >= 0;
	}
	return 0;
}

/* Length of the longest common tail that consists of whole path segments. */
static size_t common_tail(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b), same = 0, tail = 0;

	while (same < a_len && same < b_len && a[a_len - 1 - same] == b[b_len - 1 - same]) {
		same++;
		if (a[a_len - same] == '/')
			tail = same;
	}
	return tail;
}

static size_t count_slashes(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '/';
	return count;
}

/* The displayed path has as many segments as its key, but with other lengths. */
static char *strip_segments(struct fudge *f, const char *path, size_t segments)
{
	size_t len = strlen(path);

	while (segments && len)
		segments -= path[--len] == '/';
	return len ? arena_copy(&f->arena, path, len) : arena_copy(&f->arena, "/", 1);
}

/* The rest of a path after the root; NULL if the path is not at or below it. */
static const char *below(const char *path, const char *root, size_t root_len)
{
	if (strncmp(path, root, root_len) != 0 || (path[root_len] && path[root_len] != '/'))
		return NULL;
	return path + root_len;
}

/* Joins the groups elsewhere below the roots that have the same relative path. */
static int cascade(struct finder *f, const struct pick *pick, uint32_t pair, uint32_t *joined)
{
	const char *baseline = pick->sides[BASELINE]->path;
	const char *candidate = pick->sides[CANDIDATE]->path;
	size_t tail = common_tail(baseline, candidate);
	_str_ struct str partner = {};

	for (size_t s = 0; s < f->count; s++) {
		const char *relative =
			below(f->stretches[s].path, candidate, strlen(candidate) - tail);
		uint32_t found;
		int rc;

		if (!relative)
			continue;
		str_reset(&partner);
		str_addn(&partner, baseline, strlen(baseline) - tail);
		str_add(&partner, relative);
		found = intern_find(&f->paths, str_get(&partner));
		if (found == NO_ID)
			continue;
		rc = join_stretches(f, &f->stretches[found], &f->stretches[s], pair, joined);
		if (rc < 0)
			return rc;
	}
	return str_check(&partner);
}

static int add_residual(struct finder *f, struct fudge_pair *pair, const struct pick *pick,
			enum side side)
{
	const struct stretch *s = pick->sides[side];

	for (size_t i = s->first; i < s->end; i++) {
		const struct group *g = &f->grouping->groups[i];
		int rc = 0;

		if (group_is_only_in(g, side))
			rc = vec_push(&pair->residual[side],
				      (struct thread_type){ g->pcomm, g->comm });
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int describe_pair(struct finder *f, const struct pick *pick, struct fudge_pair *pair)
{
	const char *path = pick->sides[BASELINE]->path;
	size_t tail = common_tail(path, pick->sides[CANDIDATE]->path);
	size_t segments = count_slashes(path + strlen(path) - tail);

	*pair = (struct fudge_pair){ .overlap = pick->overlap,
				     .in_all = pick->in_all,
				     .has_own_roots = tail > 0 };
	for (enum side side = BASELINE; side < SIDES; side++) {
		pair->cgroups[side] = pick->sides[side]->shown;
		pair->roots[side] = strip_segments(f->fudge, pair->cgroups[side], segments);
		if (!pair->roots[side])
			return err_no_memory();
	}
	return 0;
}

static int join_picks(struct finder *f)
{
	struct fudge *fudge = f->fudge;
	uint32_t joined = 0;
	int rc = 0;

	fudge->pairs = calloc(f->picks.count + 1, sizeof(*fudge->pairs));
	if (!fudge->pairs)
		return err_no_memory();
	for (; rc == 0 && fudge->count < f->picks.count; fudge->count++) {
		const struct pick *pick = &f->picks.items[fudge->count];

		rc = describe_pair(f, pick, &fudge->pairs[fudge->count]);
		if (rc == 0)
			rc = join_stretches(f, pick->sides[BASELINE], pick->sides[CANDIDATE],
					    (uint32_t)fudge->count, &joined);
	}
	for (uint32_t i = 0; rc == 0 && i < fudge->count; i++)
		rc = cascade(f, &f->picks.items[i], i, &fudge->pairs[i].cascaded);
	for (size_t i = 0; rc == 0 && i < fudge->count * SIDES; i++)
		rc = add_residual(f, &fudge->pairs[i / SIDES], &f->picks.items[i / SIDES],
				  (enum side)(i % SIDES));
	return rc;
}

/* Removes groups whose values were moved to other groups. */
static void drop_empty(struct grouping *g)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->count; i++)
		if (g->groups[i].sides[BASELINE] || g->groups[i].sides[CANDIDATE])
			g->groups[kept++] = g->groups[i];
	g->count = kept;
}

int fudge_join(struct fudge *f, struct grouping *g)
{
	_cleanup_(finder_finish) struct finder finder = { .fudge = f, .grouping = g };
	int rc;

	if (!has_unmatched(g, BASELINE) || !has_unmatched(g, CANDIDATE))
		return 0;
	rc = find_stretches(&finder) ?: index_baseline(&finder) ?: pick_all(&finder);
	if (rc == 0 && finder.picks.count)
		rc = join_picks(&finder);
	drop_empty(g);
	return rc;
}

void fudge_finish(struct fudge *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->pairs[i].residual[BASELINE].items);
		free(f->pairs[i].residual[CANDIDATE].items);
	}
	free(f->pairs);
	arena_finish(&f->arena);
	*f = (struct fudge){};
}
