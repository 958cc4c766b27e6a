// SPDX-License-Identifier: GPL-2.0-only
/* Merges run directories. */
#include "stats/stats.h"

struct entry {
	const char *run, *file; /* identity of the record */
	const char *path;
	const struct sidecar *s;
	size_t order; /* of the sources: of equal age, the last one wins */
};

struct merge {
	VEC(struct runs) sources;
	VEC(struct entry) entries;
	struct str *notes;
	struct merge_result *result;
};

/* A run's name becomes a directory name. */
static bool is_safe_name(const char *name)
{
	return *name && name[0] != '.' && !strchr(name, '/');
}

static int add_run(struct merge *m, const struct run *run)
{
	for (size_t i = 0; i < run->sidecars.count; i++) {
		const struct sidecar *s = run->sidecars.items[i];
		const char *id = s->run_id && is_safe_name(s->run_id) ? s->run_id : run->name;
		struct entry e = { id, basename(run->paths.items[i]), run->paths.items[i], s,
				   m->entries.count };
		int rc = vec_push(&m->entries, e);

		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < run->problems.count; i++)
		str_addf(m->notes, "cannot use %s: %s\n", run->problems.items[i].path,
			 run->problems.items[i].error);
	m->result->unusable += run->problems.count;
	return 0;
}

static int add_source(struct merge *m, const char *dir)
{
	struct runs runs;
	int rc = runs_collect(&runs, dir) ?: vec_push(&m->sources, runs);

	if (rc < 0) {
		runs_finish(&runs);
		return rc;
	}
	for (size_t i = 0; i < runs.items.count && rc == 0; i++) {
		rc = run_load(&runs.items.items[i]) ?: add_run(m, &runs.items.items[i]);
	}
	return rc;
}

static const char *kernel_of(const struct entry *e)
{
	const char *version = e->s->kernel_version;

	return version && is_safe_name(version) ? version : "unknown";
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->run, y->run);

	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = strcmp(kernel_of(x), kernel_of(y));
	/* Newest first; ISO 8601 sorts as text. */
	if (!order)
		order = strcmp(y->s->timestamp ? y->s->timestamp : "",
			       x->s->timestamp ? x->s->timestamp : "");
	if (!order)
		order = ORDER(y->order, x->order);
	return order;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool has_same_bytes(const char *a, const char *b)
{
	_str_ struct str x = {}, y = {};

	return file_read(a, &x) == 0 && file_read(b, &y) == 0 && x.len == y.len &&
	       memcmp(str_get(&x), str_get(&y), x.len) == 0;
}

/* A record that is already in place, or a copy of it, is not reported as a duplicate. */
static void note_duplicate(struct merge *m, const struct entry *kept, const struct entry *other)
{
	if (is_same_file(kept->path, other->path) || has_same_bytes(kept->path, other->path))
		return;
	m->result->duplicates++;
	str_addf(m->notes, "%s in %s was there twice; kept that of %s, not that of %s\n",
		 kept->file, kept->run, kept->s->timestamp ? kept->s->timestamp : "an unknown time",
		 other->s->timestamp ? other->s->timestamp : "an unknown time");
}

static int copy_entry(const struct entry *e, bool is_below, const char *into)
{
	_free_ char *dir = str_fmt("%s/%s%s%s", into, e->run, is_below ? "/" : "",
				   is_below ? kernel_of(e) : "");
	_free_ char *path = dir ? str_fmt("%s/%s", dir, e->file) : NULL;
	_str_ struct str text = {};
	int rc;

	if (!path)
		return err_no_memory();
	if (is_same_file(e->path, path))
		return 0;
	rc = file_make_dirs(dir, 0755) ?: file_read(e->path, &text);
	return rc ?: file_replace(path, str_get(&text), text.len, 0644);
}

static bool is_same_record(const struct entry *a, const struct entry *b)
{
	return str_eq(a->run, b->run) && str_eq(a->file, b->file);
}

/* The record that gets the top level of the run: the one already there, else the first. */
static const struct entry *owner_of(const struct entry *begin, const struct entry *end,
				    const char *into)
{
	_free_ char *top = str_fmt("%s/%s/%s", into, begin->run, begin->file);

	for (const struct entry *e = begin; top && e < end; e++)
		if (is_same_file(e->path, top))
			return e;
	return begin;
}

/*
 * Copies records with the same file name: the newest per kernel. A test has the same file name on
 * all kernels; records of further kernels go one level down, where readers of runs also look.
 */
static int copy_group(struct merge *m, const struct entry *begin, const struct entry *end,
		      const char *into)
{
	const struct entry *owner = owner_of(begin, end, into), *kept = NULL;
	int rc = 0;

	for (const struct entry *e = begin; e < end && rc == 0; e++) {
		if (kept && str_eq(kernel_of(kept), kernel_of(e))) {
			note_duplicate(m, kept, e);
			continue;
		}
		m->result->records++;
		kept = e;
		rc = copy_entry(e, !str_eq(kernel_of(owner), kernel_of(e)), into);
	}
	return rc;
}

static int copy_entries(struct merge *m, const char *into)
{
	const struct entry *end, *previous = NULL, *next;
	int rc = 0;

	if (!m->entries.count)
		return 0;
	end = m->entries.items + m->entries.count;
	vec_sort(&m->entries, compare_entries);
	for (const struct entry *e = m->entries.items; e < end && rc == 0; e = next) {
		for (next = e + 1; next < end && is_same_record(e, next);)
			next++;
		m->result->runs += !previous || !str_eq(previous->run, e->run);
		previous = e;
		rc = copy_group(m, e, next, into);
	}
	return rc;
}

static void merge_finish(struct merge *m)
{
	vec_release(&m->sources, each, runs_finish(each));
	free(m->entries.items);
}

int merge_runs(const char *const *sources, size_t count, const char *into,
	       struct merge_result *result, struct str *notes)
{
	_cleanup_(merge_finish) struct merge m = { .notes = notes, .result = result };
	struct stat st;
	int rc = 0;

	*result = (struct merge_result){};
	/* Existing records take part, so merging twice gives the same result. */
	if (stat(into, &st) == 0)
		rc = add_source(&m, into);
	for (size_t i = 0; i < count && rc == 0; i++)
		if (!is_same_file(sources[i], into))
			rc = add_source(&m, sources[i]);
	rc = rc ?: copy_entries(&m, into);
	return rc ?: str_check(notes);
}
