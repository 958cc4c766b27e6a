// SPDX-License-Identifier: GPL-2.0-only
/* Run directories: names, locks, and removal of old records. */
#include "run/parts.h"

#include "base/file_memo.h"
#include "base/git.h"
#include "host/lock_holders.h"

#define LOCK_LIMIT_NS (30 * NSEC_PER_SEC)
#define EPOCH_FILE ".epoch"
#define LIVE_FILE ".running" /* locked (shared) by processes that write to the run */
#define COMMIT_SHORT "--short=7"

int project_commit_read(struct project_commit *c)
{
	static const char *const head[] = { "git", "rev-parse", COMMIT_SHORT, "HEAD", NULL };
	static const char *const changes[] = { "git", "status", "--porcelain",
					       "--untracked-files=no", NULL };
	const char *given = env_get("KTSTR_PROJECT_COMMIT");
	_str_ struct str commit = {}, status = {};

	*c = (struct project_commit){};
	if (given) {
		c->text = strdup(given);
		return c->text ? 0 : err_no_memory();
	}
	if (!git_quietly(&commit, head) || !commit.len)
		return 0;
	if (git_quietly(&status, changes) && status.len)
		str_add(&commit, "-dirty");
	c->text = str_take(&commit);
	return c->text ? 0 : err_no_memory();
}

void project_commit_finish(struct project_commit *c)
{
	free(c->text);
	*c = (struct project_commit){};
}

char *run_root(void)
{
	const char *root = env_get("KTSTR_RUNS_ROOT"), *target = env_get("CARGO_TARGET_DIR");

	if (root)
		return strdup(root);
	return str_fmt("%s/ktstr", target ? target : "target");
}

char *run_epoch(void)
{
	const char *given = env_get("KTSTR_RUN_EPOCH");

	if (given)
		return strdup(given);
	return str_fmt("%llx-%x", ULL(clock_wall_ns()), (unsigned int)getpid());
}

/* Removes path/name with everything below it. */
static int remove_below(const char *path, const char *name)
{
	_free_ char *below = str_fmt("%s/%s", path, name);

	return below ? tree_remove(below) : err_no_memory();
}

bool run_dir_is_record(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SIDECAR_SUFFIX);

	return len > suffix && str_eq(name + len - suffix, SIDECAR_SUFFIX);
}

/* Removes the directory of one seed; adds the number of its records to *count. */
static int clear_seed(const char *path, const char *name, size_t *count)
{
	_free_ char *below = str_fmt("%s/%s", path, name);
	_closedir_ DIR *dir = below ? opendir(below) : NULL;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		*count += run_dir_is_record(e->d_name);
	return below ? tree_remove(below) : err_no_memory();
}

/* Returns whether it is a dump or report, to be removed with the records of a previous run. */
static bool is_left_over(const char *name)
{
	return dump_files_is_one(name) || str_eq(name, RUN_JUNIT_FILE);
}

static int clear_records(const char *path, size_t *count)
{
	_closedir_ DIR *dir = opendir(path);
	struct dirent *e;
	int rc = 0;

	if (!dir)
		return err_sys(errno, "open %s", path);
	while (rc == 0 && (e = readdir(dir))) {
		if (str_starts(e->d_name, RUN_SEED_DIR))
			rc = clear_seed(path, e->d_name, count);
		if (!run_dir_is_record(e->d_name) && !is_left_over(e->d_name))
			continue;
		if (unlinkat(dirfd(dir), e->d_name, 0) < 0 && errno != ENOENT)
			return err_sys(errno, "remove %s/%s", path, e->d_name);
		*count += run_dir_is_record(e->d_name);
	}
	return rc;
}

static bool is_same_epoch(const char *path, const char *epoch)
{
	_free_ char *file = str_fmt("%s/" EPOCH_FILE, path);
	_str_ struct str text = {};

	return file && file_read_at(AT_FDCWD, file, &text) == 0 && str_eq(str_get(&text), epoch);
}

static int write_epoch(const char *path, const char *epoch)
{
	_free_ char *file = str_fmt("%s/" EPOCH_FILE, path);

	return file ? file_replace(file, epoch, strlen(epoch), 0644) : err_no_memory();
}

/* Returns whether the run in this directory tested a scheduler that is not in `schedulers`. */
static bool has_other_scheduler(const char *path, const char *schedulers)
{
	_free_ char *file = str_fmt("%s/" RUN_SCHEDULERS_FILE, path);
	_str_ struct str text = {};
	char *save = NULL;

	if (!file || file_read_at(AT_FDCWD, file, &text) < 0 || !text.len)
		return false;
	for (char *line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, " ")] = '\0';
		if (!schedulers || !strstr(schedulers, line))
			return true;
	}
	return false;
}

/* Runs of the same epoch share the directory: their schedulers are appended. */
static int write_schedulers(const char *path, const char *schedulers, bool is_same_epoch)
{
	_free_ char *file = str_fmt("%s/" RUN_SCHEDULERS_FILE, path);
	_str_ struct str text = {};

	if (!file)
		return err_no_memory();
	if (is_same_epoch && file_read_at(AT_FDCWD, file, &text) < 0)
		str_reset(&text);
	str_add(&text, schedulers ? schedulers : "");
	if (str_check(&text) < 0)
		return -ENOMEM;
	return file_replace(file, str_get(&text), text.len, 0644);
}

/* ---- other runs in progress ---- */

static int take_live(const char *path, bool exclusive)
{
	_free_ char *file = str_fmt("%s/" LIVE_FILE, path);

	return file ? lockfile_take(file, exclusive, 0) : err_no_memory();
}

/* Returns whether a process is still writing to the run directory. */
static bool is_live(const char *path)
{
	_close_ int fd = access(path, F_OK) == 0 ? take_live(path, true) : -ENOENT;

	if (fd == -EWOULDBLOCK)
		err_clear();
	return fd == -EWOULDBLOCK;
}

/* ---- the previous run ---- */

/* Appends a time to the path of a run directory. CI artifacts must not have colons in names. */
static char *name_beside(const char *path, uint64_t wall_ns)
{
	char when[CLOCK_TEXT_SIZE];

	clock_format_utc(wall_ns, 3, when);
	for (char *colon = when; (colon = strchr(colon, ':')); colon++)
		*colon = '-';
	return str_fmt("%s@%s", path, when);
}

/* Renames the previous run; its name gets the time of its last modification. */
static int move_aside(const char *path, char **kept)
{
	_free_ char *to = NULL;
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_sys(errno, "look at %s", path);
	to = name_beside(path,
			 (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec);
	if (!to)
		return err_no_memory();
	if (rename(path, to) < 0)
		return err_sys(errno, "keep the run %s", path);
	*kept = take_ptr(&to);
	return 0;
}

/* Removes the oldest of the earlier runs; their names sort by time. */
static int drop_old(const char *root, const char *key, unsigned int keep)
{
	_closedir_ DIR *dir = opendir(root);
	_free_ char *prefix = str_fmt("%s@", key);
	_texts_ struct texts found = {};
	struct dirent *e;
	int rc = 0;

	while (dir && prefix && (e = readdir(dir)) && rc == 0)
		if (str_starts(e->d_name, prefix))
			rc = texts_take(&found, str_fmt("%s/%s", root, e->d_name));
	texts_sort(&found);
	for (size_t i = 0; rc == 0 && i + keep < found.count; i++) {
		if (is_live(found.items[i]))
			continue;
		rc = tree_remove(found.items[i]);
		log_note("%s: removed the earlier run %s: --keep-history is %u", log_label(),
			 found.items[i], keep);
	}
	return rc;
}

/* Removes or keeps the previous run, as requested. */
static int put_away(const struct run_dir_request *r, const char *root, const char *key,
		    const char *path)
{
	bool is_other = has_other_scheduler(path, r->schedulers);
	_free_ char *kept = NULL;
	size_t replaced = 0;
	int rc = 0;

	if (r->history || is_other)
		rc = move_aside(path, &kept);
	if (rc == 0 && r->history)
		rc = drop_old(root, key, r->history);
	rc = rc ?: file_make_dirs(path, 0755);
	rc = rc ?: clear_records(path, &replaced);
	rc = rc ?: remove_below(path, RUN_ATTEMPTS_DIR);
	if (rc < 0)
		return rc;
	if (is_other && kept)
		log_note("%s: the run before this one had another scheduler program: it is kept as "
			 "%s",
			 log_label(), kept);
	if (replaced)
		log_note("%s: this run replaces %zu record%s of the one before in %s; "
			 "`ktstr test --keep-history N` keeps N runs",
			 log_label(), replaced, replaced == 1 ? "" : "s", path);
	return 0;
}

/* Chooses a separate directory, because another run is still writing to this one. */
static int step_aside(char **path)
{
	_free_ char *beside = name_beside(*path, clock_wall_ns());
	int rc = beside ? file_make_dirs(beside, 0755) : err_no_memory();

	if (rc < 0)
		return rc;
	log_note("%s: another run is writing to %s: the records of this one are in %s", log_label(),
		 *path, beside);
	free(*path);
	*path = take_ptr(&beside);
	return 0;
}

static int prepare(const struct run_dir_request *r, const char *root, const char *key, char **path)
{
	bool is_same = is_same_epoch(*path, r->epoch);
	int rc = 0;

	if (!is_same)
		rc = is_live(*path) ? step_aside(path) : put_away(r, root, key, *path);
	rc = rc ?: write_schedulers(*path, r->schedulers, is_same);
	return rc < 0 || is_same ? rc : write_epoch(*path, r->epoch);
}

static int open_locked(const struct run_dir_request *r, const char *root, const char *key,
		       struct run_dir *d)
{
	_free_ char *lock = str_fmt("%s/.locks/%s.lock", root, key);
	_close_ int fd = -1;
	int rc;

	if (!lock)
		return err_no_memory();
	fd = lockfile_take(lock, true, LOCK_LIMIT_NS);
	rc = fd < 0 ? fd : prepare(r, root, key, &d->path);
	if (rc == 0)
		rc = d->live_fd = take_live(d->path, false);
	return MIN(rc, 0);
}

/* Kernel and project versions are external input; the directory must stay below the root. */
static int check_key(const char *key)
{
	_str_ struct str shown = {};

	text_add_printable(&shown, key);
	if (*key != '.' && !strchr(key, '/') && str_eq(str_get(&shown), key))
		return 0;
	return err_set(EINVAL,
		       "'%s' cannot be the name of a run: the versions of the kernel and of the "
		       "project (KTSTR_PROJECT_COMMIT) may hold no '/' and no control characters",
		       str_get(&shown));
}

int run_dir_open(const struct run_dir_request *r, struct run_dir *out)
{
	const char *given = env_get("KTSTR_SIDECAR_DIR");
	_free_ char *root = run_root();
	const char *mark = r->label ? r->label : "";
	_free_ char *key = str_fmt("%s%s%s-%s", r->kernel ? r->kernel : "unknown", *mark ? "_" : "",
				   mark, r->project_commit ? r->project_commit : "unknown");
	int rc;

	*out = (struct run_dir){ .live_fd = -1 };
	if (!root || !key)
		return err_no_memory();
	rc = check_key(key);
	if (rc < 0)
		return rc;
	out->path = given ? str_fmt("%s%s%s", given, *mark ? "/" : "", mark) :
			    str_fmt("%s/%s", root, key);
	if (!out->path)
		return err_no_memory();
	rc = given ? file_make_dirs(out->path, 0755) : open_locked(r, root, key, out);
	if (rc < 0)
		run_dir_finish(out);
	return rc;
}

int run_dir_of_attempt(const char *dir, unsigned int attempt, char **path)
{
	_free_ char *from = str_fmt("%s/" RUN_PROGRAMS_FILE, dir), *to = NULL;
	int rc;

	*path = str_fmt("%s/" RUN_ATTEMPTS_DIR "/%u", dir, attempt);
	to = *path ? str_fmt("%s/" RUN_PROGRAMS_FILE, *path) : NULL;
	if (!from || !to)
		return err_no_memory();
	rc = file_make_dirs(*path, 0755);
	return rc ?: file_copy(from, to, 0644);
}

void run_dir_finish(struct run_dir *d)
{
	if (d->path && d->live_fd >= 0)
		close(d->live_fd);
	free(d->path);
	*d = (struct run_dir){};
}

#define OURS "our-run"

void run_programs_mark(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		file_memo_put(&st, OURS, "yes");
}

/* Also checks the owner: the cache may be shared with other users. */
bool run_programs_are_ours(const char *path)
{
	_str_ struct str answer = {};
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       file_memo_get(&st, OURS, &answer) == 0;
}
