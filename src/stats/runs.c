// SPDX-License-Identifier: GPL-2.0-only
/* Finds runs and reads their records. */
#include "stats/runs.h"

#include "run/campaign.h"

/* No record directories are nested deeper; also ends a loop of bind mounts. */
#define MAX_DEPTH 32

static bool is_sidecar_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && strstr(name, ".ktstr.") && len > 5 &&
	       str_eq(name + len - 5, ".json");
}

static bool is_directory(const char *path, uint64_t *mtime_ns)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	*mtime_ns = (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
	return true;
}

/* ---- listing ---- */

static int add_run(struct runs *runs, const char *name, const char *path, uint64_t mtime_ns)
{
	struct run run = { .name = strdup(name), .path = strdup(path), .mtime_ns = mtime_ns };
	int rc = run.name && run.path ? vec_push(&runs->items, run) : err_no_memory();

	if (rc < 0) {
		free(run.name);
		free(run.path);
	}
	return rc;
}

/* Returns whether the directory or one level below has sidecars. */
static bool has_sidecars(const char *path, int levels)
{
	_closedir_ DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_free_ char *below = NULL;
		uint64_t mtime;

		if (entry->d_name[0] == '.')
			continue;
		if (is_sidecar_name(entry->d_name))
			return true;
		if (levels == 0 || entry->d_type == DT_REG)
			continue;
		below = str_fmt("%s/%s", path, entry->d_name);
		if (below && is_directory(below, &mtime) && has_sidecars(below, levels - 1))
			return true;
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int list_directory(struct runs *runs, DIR *dir)
{
	struct dirent *entry;
	uint64_t mtime;
	int rc = 0;

	while (rc == 0 && (entry = readdir(dir))) {
		_free_ char *path = NULL;

		if (entry->d_name[0] == '.')
			continue;
		path = str_fmt("%s/%s", runs->root, entry->d_name);
		if (!path)
			return err_no_memory();
		if (is_directory(path, &mtime) && has_sidecars(path, 1))
			rc = add_run(runs, entry->d_name, path, mtime);
	}
	if (rc == 0 && has_sidecars(runs->root, 0) && is_directory(runs->root, &mtime))
		rc = add_run(runs, base_name(runs->root), runs->root, mtime);
	return rc;
}

static int newest_first(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->mtime_ns != y->mtime_ns)
		return x->mtime_ns < y->mtime_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

int runs_list(struct runs *runs, const char *dir)
{
	_closedir_ DIR *stream = NULL;
	int rc;

	*runs = (struct runs){ .root = dir ? strdup(dir) : run_root(), .is_archive = dir != NULL };
	if (!runs->root)
		return err_no_memory();
	stream = opendir(runs->root);
	if (!stream && errno == ENOENT && !dir)
		return 0;
	if (!stream)
		return err_sys(errno, "read %s", runs->root);
	rc = list_directory(runs, stream);
	vec_sort(&runs->items, newest_first);
	return rc;
}

/* A directory below a run, such as that of a second kernel, gets the run's name. */
static int collect_runs(struct runs *runs, const char *path, const char *name, int depth)
{
	_closedir_ DIR *dir = opendir(path);
	bool has_records = has_sidecars(path, 0);
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return err_sys(errno, "read %s", path);
	if (!name && has_records)
		name = base_name(path);
	if (has_records) {
		rc = add_run(runs, name, path, 0);
		if (rc == 0)
			runs->items.items[runs->items.count - 1].is_flat = true;
	}
	while (rc == 0 && depth < MAX_DEPTH && (entry = readdir(dir))) {
		_free_ char *below = str_fmt("%s/%s", path, entry->d_name);
		struct stat st;

		if (!below)
			return err_no_memory();
		/* Links at deeper levels are not followed: they may lead back up. */
		if (entry->d_name[0] != '.' &&
		    (depth ? lstat(below, &st) : stat(below, &st)) == 0 && S_ISDIR(st.st_mode))
			rc = collect_runs(runs, below, name, depth + 1);
	}
	return rc;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct run *)a)->path, ((const struct run *)b)->path);
}

int runs_collect(struct runs *runs, const char *dir)
{
	int rc;

	*runs = (struct runs){ .root = strdup(dir) };
	rc = runs->root ? collect_runs(runs, dir, NULL, 0) : err_no_memory();
	if (rc == 0 && runs->items.count)
		vec_sort(&runs->items, by_path);
	return rc;
}

/* ---- loading ---- */

static int collect_names(const char *path, int levels, struct texts *names)
{
	_closedir_ DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t mtime;
	int rc = 0;

	if (!dir)
		return err_sys(errno, "read %s", path);
	while (rc == 0 && (entry = readdir(dir))) {
		_free_ char *below = NULL;

		if (entry->d_name[0] == '.')
			continue;
		below = str_fmt("%s/%s", path, entry->d_name);
		if (!below)
			return err_no_memory();
		if (is_sidecar_name(entry->d_name))
			rc = texts_take(names, take_ptr(&below));
		else if (levels && entry->d_type != DT_REG && is_directory(below, &mtime))
			rc = collect_names(below, levels - 1, names);
	}
	return rc;
}

static int add_problem(struct run *run, const char *path, int rc)
{
	struct run_problem problem = { .path = strdup(path),
				       .error = strdup(err_text(rc)),
				       .is_io = rc != -EINVAL };
	int pushed = problem.path && problem.error ? vec_push(&run->problems, problem) :
						     err_no_memory();

	if (pushed < 0) {
		free(problem.path);
		free(problem.error);
	}
	return pushed;
}

static int add_sidecar(struct run *run, const char *path)
{
	struct sidecar *s = malloc(sizeof(*s));
	char *kept = strdup(path);
	int rc = s && kept ? sidecar_read(s, path) : err_no_memory();

	rc = rc ?: vec_reserve(&run->paths, run->paths.count + 1);
	rc = rc ?: vec_push(&run->sidecars, s);
	if (rc == 0) {
		run->paths.items[run->paths.count++] = kept;
		return 0;
	}
	free(s);
	free(kept);
	return rc == -ENOMEM ? rc : add_problem(run, path, rc);
}

int run_load(struct run *run)
{
	_texts_ struct texts names = {};
	int rc = collect_names(run->path, run->is_flat ? 0 : 1, &names);

	if (rc < 0)
		return rc;
	texts_sort(&names);
	run->walked = names.count;
	for (size_t i = 0; i < names.count && rc == 0; i++)
		rc = add_sidecar(run, names.items[i]);
	return rc;
}

static void mark_archived(struct run *run)
{
	for (size_t i = 0; i < run->sidecars.count; i++)
		run->sidecars.items[i]->run_source = "archive";
}

int runs_load(struct runs *runs)
{
	int rc = 0;

	for (size_t i = 0; i < runs->items.count && rc == 0; i++) {
		rc = run_load(&runs->items.items[i]);
		if (runs->is_archive)
			mark_archived(&runs->items.items[i]);
	}
	return rc;
}

/* ---- selecting ---- */

/* Finds the run of that name; NULL with a message that suggests the closest. */
static struct run *runs_find(struct runs *runs, const char *name)
{
	_free_ const char **names = calloc(runs->items.count + 1, sizeof(*names));
	const char *closest;

	for (size_t i = 0; i < runs->items.count; i++) {
		if (str_eq(runs->items.items[i].name, name))
			return &runs->items.items[i];
		if (names)
			names[i] = runs->items.items[i].name;
	}
	closest = names ? text_closest(name, names, runs->items.count) : NULL;
	if (closest)
		err_set(ENOENT, "no run '%s' in %s; did you mean '%s'?", name, runs->root, closest);
	else
		err_set(ENOENT, "no run '%s' in %s; 'stats list' shows what is there", name,
			runs->root);
	return NULL;
}

static int open_directory(struct runs *runs, const char *path, struct run **run)
{
	uint64_t mtime;
	int rc;

	*runs = (struct runs){ .root = strdup(path) };
	if (!runs->root)
		return err_no_memory();
	if (!is_directory(path, &mtime))
		return err_set(ENOENT, "%s is not a run directory", path);
	rc = add_run(runs, base_name(path), path, mtime);
	if (rc < 0)
		return rc;
	*run = &runs->items.items[0];
	return run_load(*run);
}

/* Returns whether the first readable record belongs to the run with this ID. */
static bool is_of_run(const struct run *run, const char *id)
{
	_texts_ struct texts names = {};
	bool is = false;

	if (collect_names(run->path, 1, &names) < 0)
		return false;
	for (size_t i = 0; i < names.count; i++) {
		struct sidecar s;

		if (sidecar_read(&s, names.items[i]) < 0)
			continue;
		is = s.run_id && str_eq(s.run_id, id);
		sidecar_finish(&s);
		break;
	}
	return is;
}

static int take_over(struct run *to, struct run *from)
{
	char *name = str_fmt("%s, %s", to->name, from->name);
	int rc = name ? 0 : err_no_memory();

	if (rc < 0)
		return rc;
	free(to->name);
	to->name = name;
	rc = vec_reserve(&to->sidecars, to->sidecars.count + from->sidecars.count);

	rc = rc ?: vec_reserve(&to->paths, to->paths.count + from->paths.count);
	rc = rc ?: vec_reserve(&to->problems, to->problems.count + from->problems.count);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < from->sidecars.count; i++) {
		to->sidecars.items[to->sidecars.count++] = from->sidecars.items[i];
		to->paths.items[to->paths.count++] = from->paths.items[i];
	}
	for (size_t i = 0; i < from->problems.count; i++)
		to->problems.items[to->problems.count++] = from->problems.items[i];
	to->walked += from->walked;
	from->sidecars.count = from->paths.count = from->problems.count = 0;
	return 0;
}

/* A run on several kernels has a directory for each of them. */
static int join_kernels(struct runs *runs)
{
	struct run *first = &runs->items.items[0];
	const char *id = first->sidecars.count ? first->sidecars.items[0]->run_id : NULL;
	int rc = 0;

	for (size_t i = 1; id && i < runs->items.count && rc == 0; i++) {
		struct run *other = &runs->items.items[i];

		if (!is_of_run(other, id))
			continue;
		rc = run_load(other) ?: take_over(first, other);
	}
	return rc;
}

int runs_open_latest(struct runs *runs, const char *dir, struct run **run)
{
	const char *sidecars = env_get("KTSTR_SIDECAR_DIR");
	int rc;

	if (!dir && sidecars)
		return open_directory(runs, sidecars, run);
	rc = runs_list(runs, dir);
	if (rc < 0)
		return rc;
	if (!runs->items.count)
		return err_set(ENOENT, "no runs in %s; 'ktstr test' makes one", runs->root);
	*run = &runs->items.items[0];
	rc = run_load(*run);
	return rc ?: join_kernels(runs);
}

int runs_open(struct runs *runs, const char *dir, const char *name, struct run **run)
{
	uint64_t mtime;
	int rc;

	if (!dir && strchr(name, '/') && is_directory(name, &mtime))
		return open_directory(runs, name, run);
	rc = runs_list(runs, dir);
	if (rc < 0)
		return rc;
	*run = runs_find(runs, name);
	return *run ? run_load(*run) : -ENOENT;
}

void run_warn_about_problems(const struct run *run)
{
	const struct run_problem *first = run->problems.items;

	if (!run->problems.count)
		return;
	log_warn("stats", "%zu of %zu sidecars in %s cannot be used; the first: %s: %s",
		 run->problems.count, run->walked, run->path, base_name(first->path), first->error);
}

int runs_load_all(struct runs *runs, const char *dir)
{
	int rc = runs_list(runs, dir) ?: runs_load(runs);

	vec_each_while(const struct run, run, &runs->items, rc == 0)
		run_warn_about_problems(run);
	return rc;
}

/* ---- the end ---- */

static void run_finish(struct run *run)
{
	for (size_t i = 0; i < run->sidecars.count; i++) {
		sidecar_finish(run->sidecars.items[i]);
		free(run->sidecars.items[i]);
		free(run->paths.items[i]);
	}
	for (size_t i = 0; i < run->problems.count; i++) {
		free(run->problems.items[i].path);
		free(run->problems.items[i].error);
	}
	free(run->sidecars.items);
	free(run->paths.items);
	free(run->problems.items);
	free(run->name);
	free(run->path);
}

void runs_finish(struct runs *runs)
{
	vec_release(&runs->items, each, run_finish(each));
	free(runs->root);
	*runs = (struct runs){};
}
