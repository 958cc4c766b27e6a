// SPDX-License-Identifier: GPL-2.0-only
/* Where the sides are built, and where their records are. */
#include "delta/fresh.h"

#include "delta/parts.h"
#include "run/campaign.h"

#define DELTA_DIR ".delta"
#define PLACE "tree"

static const char *const names[] = { "a", "b" };

/* ---- work trees ---- */

/* Moves the tree of this side to the common path, and that of the other one away. */
static int put_in_place(struct fresh *f, int side)
{
	_free_ char *place = NULL, *away = NULL;
	int rc = 0;

	if (!f->scratch || f->in_place == side)
		return 0;
	place = str_fmt("%s/" PLACE, f->scratch);
	away = str_fmt("%s/%s", f->scratch, names[!side]);
	if (!place || !away)
		return err_no_memory();
	if (f->in_place >= 0)
		rc = worktree_move(&f->trees[f->in_place], away);
	f->in_place = -1;
	if (rc == 0 && f->trees[side].path)
		rc = worktree_move(&f->trees[side], place);
	else if (rc == 0)
		rc = worktree_make(&f->trees[side], place, f->request->sides[side].commit);
	if (rc == 0)
		f->in_place = side;
	return rc;
}

static int build(struct fresh *f, int side)
{
	const struct fresh_request *r = f->request;
	int rc = put_in_place(f, side);

	if (rc < 0 || !r->build)
		return rc;
	rc = worktree_build(&f->trees[side], r->build);
	return rc > 0 ? err_set(EINVAL, "side %s (%.12s): '%s' failed with status %d",
				side ? "B" : "A", r->sides[side].commit, r->build, rc) :
			rc;
}

static int make_trees(struct fresh *f)
{
	int rc = 0;

	if (!f->request->sides[0].commit)
		return 0;
	f->scratch = worktree_scratch("ktstr-delta");
	if (!f->scratch)
		return -EIO;
	for (int side = 0; side < 2 && rc == 0; side++)
		rc = build(f, side);
	return rc;
}

/* ---- records ---- */

static int make_records(struct fresh *f)
{
	_free_ char *root = run_root(), *path = NULL;
	int rc;

	path = root ? str_fmt("%s/" DELTA_DIR, root) : NULL;
	if (!path)
		return err_no_memory();
	rc = tree_remove(path) ?: file_make_dirs(path, 0755);
	if (rc < 0)
		return rc;
	/* Absolute, because the runs have another working directory. */
	f->records = realpath(path, NULL);
	return f->records ? 0 : err_sys(errno, "use %s", path);
}

int fresh_open(struct fresh *f, const struct fresh_request *r)
{
	int rc;

	*f = (struct fresh){ .request = r, .in_place = -1 };
	rc = make_records(f);
	return rc ?: make_trees(f);
}

static int run_batch(struct fresh *f, int side, uint64_t seed, size_t count)
{
	_free_ char *records = str_fmt("%s/%s", f->records, names[side]);
	int rc = records ? put_in_place(f, side) : err_no_memory();

	return rc < 0 ? rc :
			fresh_run_batch(f->request, side, f->scratch ? f->trees[side].path : NULL,
					records, seed, count);
}

int fresh_run(struct fresh *f, uint64_t first_seed, size_t count)
{
	/*
	 * If the host's clock counts, disturbances have to hit both sides alike: they take
	 * turns, and alternate in which is first, as load may come and go with the same
	 * period.
	 */
	size_t batch = f->request->is_sim ? count : 1;
	int rc = 0;

	for (size_t done = 0; done < count && rc == 0; done += batch)
		for (size_t turn = 0; turn < 2 && rc == 0; turn++)
			rc = run_batch(f, (int)((done + turn) % 2), first_seed + done, batch);
	return rc;
}

static int load_side(const char *path, struct runs *runs, delta_side *to)
{
	int rc = runs_collect(runs, path) ?: runs_load(runs);

	vec_each_while(const struct run, run, &runs->items, rc == 0) {
		run_warn_about_problems(run);
		for (size_t k = 0; k < run->sidecars.count && rc == 0; k++)
			rc = vec_push(to, run->sidecars.items[k]);
	}
	return rc;
}

int fresh_load(const struct fresh *f, struct runs runs[static 2], delta_side sides[static 2])
{
	int rc = 0;

	for (int side = 0; side < 2 && rc == 0; side++) {
		_free_ char *path = str_fmt("%s/%s", f->records, names[side]);

		rc = path ? load_side(path, &runs[side], &sides[side]) : err_no_memory();
	}
	return rc;
}

void fresh_finish(struct fresh *f)
{
	worktree_finish(&f->trees[0]);
	worktree_finish(&f->trees[1]);
	if (f->scratch && tree_remove(f->scratch) < 0)
		log_note("%s: %s stays: %s", log_label(), f->scratch, err_text(-EINVAL));
	free(f->scratch);
	free(f->records);
	*f = (struct fresh){};
}
