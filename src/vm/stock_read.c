// SPDX-License-Identifier: GPL-2.0-only
/* Lists the cache: one function per kind. */
#include "base/file_memo.h"
#include "host/lock_holders.h"
#include "kernel/cache.h"
#include "vm/stock.h"
#include "vm/template.h"

#define MODEL_PART "models"

struct scan {
	struct stock *out;
	const struct lock_table *locks;
	unsigned int kinds;
};

static bool wants(const struct scan *s, enum stock_kind kind)
{
	return s->kinds >> kind & 1;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), tail = strlen(end);

	return len > tail && str_eq(text + len - tail, end);
}

static uint64_t time_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * NSEC_PER_SEC + (uint64_t)t->tv_nsec;
}

/* Time of last use: when the lock file was last taken, or the file last read. */
static uint64_t last_use(const struct stock_item *item)
{
	uint64_t latest = 0;
	struct stat st;

	if (stat(item->path, &st) == 0)
		latest = S_ISDIR(st.st_mode) ? time_of(&st.st_mtim) :
					       MAX(time_of(&st.st_atim), time_of(&st.st_mtim));
	if (item->lock && stat(item->lock, &st) == 0)
		latest = MAX(latest, time_of(&st.st_mtim));
	return latest;
}

static void item_finish(struct stock_item *item)
{
	free(item->name);
	free(item->path);
	free(item->what);
	free(item->lock);
}

/* Determines size, use and lock state of the item; takes over its strings. */
static int add(struct scan *s, struct stock_item item)
{
	_lock_holders_ struct lock_holders users = {};
	int rc = item.name && item.path && item.what ? 0 : err_no_memory();

	if (rc == 0 && item.lock)
		rc = lock_table_find(s->locks, item.lock, &users);
	if (rc == 0) {
		item.is_used = users.count > 0;
		item.bytes = tree_bytes(item.path);
		item.used_ns = last_use(&item);
		if (item.kind == STOCK_LEFTOVER && item.is_used) {
			free(item.what);
			item.what = strdup("is being made");
		}
		rc = item.what ? vec_push(s->out, item) : err_no_memory();
	}
	if (rc < 0)
		item_finish(&item);
	return rc;
}

/* Calls look() for each entry of a directory; a missing directory counts as empty. */
static int each_entry(struct scan *s, char *dir,
		      int (*look)(struct scan *s, const char *dir, const char *name))
{
	_free_ __attribute__((unused)) char *owned = dir;
	_closedir_ DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return -EINVAL;
	if (!d)
		return errno == ENOENT ? 0 : err_sys(errno, "read %s", dir);
	while (rc == 0 && (entry = readdir(d)))
		if (!str_eq(entry->d_name, ".") && !str_eq(entry->d_name, ".."))
			rc = look(s, dir, entry->d_name);
	return rc;
}

static char *describe_kernel(const struct cache_entry *e)
{
	if (e->fault != CACHE_OK)
		return str_fmt("corrupt: %s", e->reason ? e->reason : cache_fault_token(e->fault));
	return str_fmt("Linux %s%s", e->meta.version ? e->meta.version : "of a source tree",
		       e->meta.has_scx == KERNEL_YES ? ", sched_ext" : "");
}

static int look_at_kernels(struct scan *s)
{
	_cache_list_ struct cache_list list = {};
	_free_ char *root = path_kernel_cache();
	int rc = root ? cache_list_read(root, &list) : -EINVAL;

	for (size_t i = 0; i < list.count && rc == 0; i++)
		rc = add(s, (struct stock_item){ .kind = STOCK_KERNEL,
						 .name = strdup(list.items[i].key),
						 .path = strdup(list.items[i].path),
						 .what = describe_kernel(&list.items[i]),
						 .lock = str_fmt("%s/.locks/%s.lock", root,
								 list.items[i].key) });
	return rc;
}

/* "KEY.tmp-PID": its lock is that of KEY, with the string between them. */
static int add_leftover(struct scan *s, const char *dir, const char *name, const char *lock)
{
	return add(s, (struct stock_item){ .kind = STOCK_LEFTOVER,
					   .name = strdup(name),
					   .path = str_fmt("%s/%s", dir, name),
					   .what = strdup("of a process that was killed"),
					   .lock = lock ? str_fmt("%s/%s", dir, lock) : NULL });
}

static int look_at_temporary(struct scan *s, const char *dir, const char *name)
{
	const char *end = strstr(name, ".tmp-");
	_free_ char *lock = end ? str_fmt("%.*s.lock", (int)(end - name), name) : NULL;

	if (!end)
		return 0;
	return lock ? add_leftover(s, dir, name, lock) : err_no_memory();
}

/* Temporary directories of kernels and programs are themselves locked by their creators. */
static int look_at_held_temporary(struct scan *s, const char *dir, const char *name)
{
	return str_starts(name, ".tmp-") ? add_leftover(s, dir, name, name) : 0;
}

static int look_at_leftovers(struct scan *s)
{
	int rc = each_entry(s, path_kernel_cache(), look_at_held_temporary);

	rc = rc ?: each_entry(s, path_cache_part(STOCK_PROGRAM_PART), look_at_held_temporary);
	rc = rc ?: each_entry(s, vm_template_root(), look_at_temporary);
	return rc < 0 ? rc : each_entry(s, initramfs_root(), look_at_temporary);
}

static int look_at_template(struct scan *s, const char *dir, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	_free_ char *lock = str_fmt("%s/%s.lock", dir, name);
	_str_ struct str what = {};
	struct stat st;
	bool is_loaded;

	if (!path || !lock)
		return err_no_memory();
	if (strchr(name, '.') || stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	is_loaded = vm_template_describe(path, &what);
	return add(s, (struct stock_item){ .kind = STOCK_TEMPLATE,
					   .is_loaded = is_loaded,
					   .name = strdup(name),
					   .what = str_take(&what),
					   .lock = take_ptr(&lock),
					   .path = take_ptr(&path) });
}

static int look_at_base(struct scan *s, const char *dir, const char *name)
{
	if (!ends_with(name, ".cpio"))
		return 0;
	return add(s, (struct stock_item){ .kind = STOCK_INITRAMFS,
					   .name = strndup(name, strlen(name) - strlen(".cpio")),
					   .path = str_fmt("%s/%s", dir, name),
					   .what = strdup("files of the guest"),
					   .lock = str_fmt("%s/%s", dir, name) });
}

/* Describes the item by the program in its directory. */
static char *describe_program(const char *path)
{
	_closedir_ DIR *d = opendir(path);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			return str_fmt("compiled test %s", entry->d_name);
	return strdup("not complete");
}

static int look_at_program(struct scan *s, const char *dir, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	struct stat st;

	if (!path)
		return err_no_memory();
	if (name[0] == '.' || lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	return add(s, (struct stock_item){ .kind = STOCK_PROGRAM,
					   .name = strdup(name),
					   .what = describe_program(path),
					   .lock = strdup(path),
					   .path = strdup(path) });
}

static int look_at_symbols(struct scan *s, const char *dir, const char *name)
{
	return add(s, (struct stock_item){ .kind = STOCK_SYMBOLS,
					   .name = strdup(name),
					   .path = str_fmt("%s/%s", dir, name),
					   .what = strdup("symbols of a kernel") });
}

static int look_at_vmlinux(struct scan *s, const char *dir, const char *name)
{
	return add(s, (struct stock_item){ .kind = STOCK_SYMBOLS,
					   .name = strdup(name),
					   .path = str_fmt("%s/%s", dir, name),
					   .what = strdup("types of a kernel image") });
}

static int look_at_model(struct scan *s, const char *dir, const char *name)
{
	return add(s, (struct stock_item){ .kind = STOCK_MODEL,
					   .name = strdup(name),
					   .path = str_fmt("%s/%s", dir, name),
					   .what = strdup("language model that reads metrics"),
					   .lock = str_fmt("%s/%s", dir, name) });
}

static int look_at_apt(struct scan *s, const char *dir, const char *name)
{
	if (!str_eq(name, ".apt"))
		return 0;
	return add(s, (struct stock_item){ .kind = STOCK_APT,
					   .name = strdup("archive"),
					   .path = str_fmt("%s/.apt", dir),
					   .what = strdup("package lists of the Debian archive"),
					   .lock = str_fmt("%s/.locks/apt-archive.lock", dir) });
}

static int look_at_answers(struct scan *s)
{
	_free_ char *path = path_cache_part(FILE_MEMO_PART);
	struct stat st;

	if (!path)
		return -EINVAL;
	if (stat(path, &st) < 0)
		return 0;
	return add(s, (struct stock_item){ .kind = STOCK_ANSWERS,
					   .name = strdup("files"),
					   .path = take_ptr(&path),
					   .what = strdup("hashes and versions of files") });
}

static int scan_all(struct scan *s)
{
	int rc = wants(s, STOCK_KERNEL) ? look_at_kernels(s) : 0;

	if (rc == 0 && wants(s, STOCK_TEMPLATE))
		rc = each_entry(s, vm_template_root(), look_at_template);
	if (rc == 0 && wants(s, STOCK_INITRAMFS))
		rc = each_entry(s, initramfs_root(), look_at_base);
	if (rc == 0 && wants(s, STOCK_PROGRAM))
		rc = each_entry(s, path_cache_part(STOCK_PROGRAM_PART), look_at_program);
	if (rc == 0 && wants(s, STOCK_SYMBOLS))
		rc = each_entry(s, path_cache_part(STOCK_SYMBOLS_PART), look_at_symbols) ?:
			     each_entry(s, path_cache_part(KERNEL_VMLINUX_PART), look_at_vmlinux);
	if (rc == 0 && wants(s, STOCK_MODEL))
		rc = each_entry(s, path_cache_part(MODEL_PART), look_at_model);
	if (rc == 0 && wants(s, STOCK_APT))
		rc = each_entry(s, path_kernel_cache(), look_at_apt);
	if (rc == 0 && wants(s, STOCK_ANSWERS))
		rc = look_at_answers(s);
	if (rc == 0 && wants(s, STOCK_LEFTOVER))
		rc = look_at_leftovers(s);
	return rc;
}

static int compare_items(const void *a, const void *b)
{
	const struct stock_item *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->used_ns != y->used_ns)
		return x->used_ns < y->used_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

int stock_read(struct stock *s, unsigned int kinds)
{
	_lock_table_ struct lock_table locks = {};
	struct scan scan = { .out = s, .locks = &locks, .kinds = kinds };
	int rc = lock_table_read(&locks, &roots_live);

	*s = (struct stock){};
	rc = rc ?: scan_all(&scan);
	if (rc < 0)
		stock_finish(s);
	else if (s->count)
		vec_sort(s, compare_items);
	return rc;
}

void stock_finish(struct stock *s)
{
	vec_release(s, each, item_finish(each));
	*s = (struct stock){};
}
