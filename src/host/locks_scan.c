// SPDX-License-Identifier: GPL-2.0-only
/* Searches the directories of lock files. */
#include "host/reserve.h"

/* Names of lock files: what precedes and follows the key. */
static const struct {
	const char *prefix, *suffix;
	bool is_numbered;
} patterns[LOCK_KINDS] = {
	[LOCK_LLC] = { "ktstr-llc-", ".lock", true }, [LOCK_CPU] = { "ktstr-cpu-", ".lock", true },
	[LOCK_CACHE] = { "", ".lock", false },	      [LOCK_RUN] = { "", ".lock", false },
	[LOCK_QUEUE] = { QUEUE_TICKET, "", true },
};

/* Returns NULL if there is no cache, and so no locks of it. */
static char *cache_locks_dir(void)
{
	_free_ char *dir = path_kernel_cache();

	return dir ? str_fmt("%s/.locks", dir) : NULL;
}

static char *runs_locks_dir(void)
{
	const char *dir = env_get("KTSTR_RUNS_ROOT");

	if (dir)
		return str_fmt("%s/.locks", dir);
	dir = env_get("CARGO_TARGET_DIR");
	return str_fmt("%s/ktstr/.locks", dir ? dir : "target");
}

int lock_places_from_env(struct lock_places *places)
{
	const char *lock_dir = reserve_lock_dir();

	*places = (struct lock_places){ .dirs = {
						[LOCK_LLC] = strdup(lock_dir),
						[LOCK_CPU] = strdup(lock_dir),
						[LOCK_CACHE] = cache_locks_dir(),
						[LOCK_RUN] = runs_locks_dir(),
						[LOCK_QUEUE] = str_fmt("%s/" QUEUE_DIR, lock_dir),
					} };
	if (places->dirs[LOCK_LLC] && places->dirs[LOCK_CPU] && places->dirs[LOCK_RUN] &&
	    places->dirs[LOCK_QUEUE])
		return 0;
	lock_places_finish(places);
	return err_no_memory();
}

void lock_places_finish(struct lock_places *places)
{
	for (size_t i = 0; i < LOCK_KINDS; i++)
		free(places->dirs[i]);
	*places = (struct lock_places){};
}

static void row_finish(struct lock_row *row)
{
	free(row->key);
	free(row->lockfile);
	lock_holders_finish(&row->holders);
}

/* The key in a lock file's name, to be freed; NULL if it is not one of this kind. */
static char *key_of(enum lock_kind kind, const char *name)
{
	size_t before = strlen(patterns[kind].prefix), behind = strlen(patterns[kind].suffix);
	size_t len = strlen(name);

	if (len <= before + behind || !str_starts(name, patterns[kind].prefix) ||
	    !str_eq(name + len - behind, patterns[kind].suffix))
		return NULL;
	return strndup(name + before, len - before - behind);
}

static bool is_key_good(enum lock_kind kind, struct lock_row *row)
{
	return !patterns[kind].is_numbered || parse_u64(row->key, &row->number) == 0;
}

static void find_node(enum lock_kind kind, struct lock_row *row, const struct topology *t)
{
	if (kind == LOCK_LLC && row->number < t->llc_count) {
		row->has_node = true;
		row->node = t->llcs[row->number].node;
	}
	for (size_t i = 0; kind == LOCK_CPU && i < t->cpu_count; i++) {
		if (t->cpus[i].id != row->number)
			continue;
		row->has_node = true;
		row->node = t->cpus[i].node;
	}
}

/* Taking a lock sets the file's modification time. */
static void find_age(struct lock_row *row)
{
	uint64_t now = clock_wall_ns(), then;
	struct stat st;

	if (!row->holders.count || stat(row->lockfile, &st) < 0)
		return;
	then = (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
	row->has_age = true;
	row->age_ns = now > then ? now - then : 0;
}

struct scan {
	struct locks_scan *out;
	const struct lock_places *places;
	const struct topology *topology;
	const struct lock_table *table;
};

/* Takes ownership of the row's contents. */
static int add_row(const struct scan *s, enum lock_kind kind, struct lock_row *row)
{
	int rc;

	if (s->topology)
		find_node(kind, row, s->topology);
	rc = vec_push(&s->out->kinds[kind], *row);
	if (rc < 0)
		row_finish(row);
	return rc;
}

/* Returns 1 if it is the name of a lock of this kind, 0 if not, or a negative errno. */
static int row_init(struct lock_row *row, const struct scan *s, enum lock_kind kind,
		    const char *name)
{
	*row = (struct lock_row){ .key = key_of(kind, name) };
	if (!row->key || !is_key_good(kind, row)) {
		row_finish(row);
		return 0;
	}
	row->lockfile = str_fmt("%s/%s", s->places->dirs[kind], name);
	if (row->lockfile)
		return 1;
	row_finish(row);
	return err_no_memory();
}

/* deleted: the lock of a deleted file; NULL = the file exists. */
static int add_file(const struct scan *s, enum lock_kind kind, const char *name,
		    const struct lock_entry *deleted)
{
	struct lock_row row;
	int rc = row_init(&row, s, kind, name);

	if (rc <= 0)
		return rc;
	row.is_stale = deleted;
	rc = deleted ? lock_table_find_id(s->table, deleted, &row.holders) :
		       lock_table_find(s->table, row.lockfile, &row.holders);
	if (rc < 0) {
		row_finish(&row);
		return rc;
	}
	if (!deleted)
		find_age(&row);
	return add_row(s, kind, &row);
}

static int scan_place(const struct scan *s, enum lock_kind kind)
{
	_closedir_ DIR *dir = opendir(s->places->dirs[kind]);
	struct dirent *entry;
	int rc = 0;

	if (!dir && errno != ENOENT)
		log_warn("host", "%s: %s; its locks are not shown", s->places->dirs[kind],
			 strerror(errno));
	while (dir && rc == 0 && (entry = readdir(dir)))
		rc = add_file(s, kind, entry->d_name, NULL);
	return rc;
}

/* The name of the deleted lock file of this kind that a link in /proc/PID/fd refers to, or NULL. */
static char *deleted_name(const struct scan *s, enum lock_kind kind, const char *target)
{
	static const char mark[] = " (deleted)";
	_free_ char *place = s->places->dirs[kind] ? realpath(s->places->dirs[kind], NULL) : NULL;
	size_t len = strlen(target), place_len = place ? strlen(place) : 0;

	if (!place || len <= place_len + strlen(mark) + 1 ||
	    !str_eq(target + len - strlen(mark), mark))
		return NULL;
	if (strncmp(target, place, place_len) != 0 || target[place_len] != '/')
		return NULL;
	target += place_len + 1;
	return strchr(target, '/') ? NULL : strndup(target, strlen(target) - strlen(mark));
}

/* True if the open file behind the link is the one that the entry locks. */
static bool is_entry_file(int dir, const char *name, const struct lock_entry *entry)
{
	struct stat st;

	return fstatat(dir, name, &st, 0) == 0 && st.st_ino == entry->inode && st.st_nlink == 0;
}

/* Searches the open files of a lock's holder for a deleted lock file of ktstr. */
static int find_deleted(const struct scan *s, const struct lock_entry *entry)
{
	_free_ char *path = str_fmt("%s/%d/fd", s->table->roots.proc, entry->pid);
	_closedir_ DIR *dir = path ? opendir(path) : NULL;
	struct dirent *link;

	while (dir && (link = readdir(dir))) {
		char target[PATH_MAX];
		ssize_t len = readlinkat(dirfd(dir), link->d_name, target, sizeof(target) - 1);

		if (len < 0 || !is_entry_file(dirfd(dir), link->d_name, entry))
			continue;
		target[len] = '\0';
		for (enum lock_kind kind = 0; kind < LOCK_QUEUE; kind++) {
			_free_ char *name = deleted_name(s, kind, target);
			_free_ char *key = name ? key_of(kind, name) : NULL;

			/* Several kinds are in one directory. */
			if (key)
				return add_file(s, kind, name, entry);
		}
	}
	return 0;
}

static bool is_same_file(const struct lock_entry *a, const struct lock_entry *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

/* Handles each locked file once, by its first entry. */
static int find_all_deleted(const struct scan *s)
{
	const struct lock_table *t = s->table;
	int rc = 0;

	for (size_t i = 0; i < t->entries.count && rc == 0; i++) {
		size_t first = 0;

		while (!is_same_file(&t->entries.items[first], &t->entries.items[i]))
			first++;
		if (first == i)
			rc = find_deleted(s, &t->entries.items[i]);
	}
	return rc;
}

static int compare_rows(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (!str_eq(x->key, y->key))
		return strcmp(x->key, y->key);
	return x->is_stale - y->is_stale;
}

int locks_scan(struct locks_scan *s, const struct lock_places *places, const struct roots *roots,
	       const struct topology *t)
{
	_lock_table_ struct lock_table table = {};
	struct scan scan = { .out = s, .places = places, .topology = t, .table = &table };
	int rc = lock_table_read(&table, roots);

	for (enum lock_kind kind = 0; kind < LOCK_KINDS && rc == 0; kind++) {
		if (places->dirs[kind])
			rc = scan_place(&scan, kind);
	}
	rc = rc ?: find_all_deleted(&scan);
	for (enum lock_kind kind = 0; kind < LOCK_KINDS && rc == 0; kind++) {
		vec_sort(&s->kinds[kind], compare_rows);
	}
	return rc;
}

void locks_scan_finish(struct locks_scan *s)
{
	for (enum lock_kind kind = 0; kind < LOCK_KINDS; kind++) {
		for (size_t i = 0; i < s->kinds[kind].count; i++)
			row_finish(&s->kinds[kind].items[i]);
		free(s->kinds[kind].items);
	}
	*s = (struct locks_scan){};
}
