// SPDX-License-Identifier: GPL-2.0-only
/* One small file per fact. */
#include "base/file_memo.h"

#include "base/base.h"

static char *place_of(const char *dir, const struct stat *st, const char *kind)
{
	return str_fmt("%s/%s-%llx-%llx-%llx-%llx.%lx-%llx.%lx", dir, kind, ULL(st->st_dev),
		       ULL(st->st_ino), ULL(st->st_size), ULL(st->st_mtim.tv_sec),
		       (unsigned long)st->st_mtim.tv_nsec, ULL(st->st_ctim.tv_sec),
		       (unsigned long)st->st_ctim.tv_nsec);
}

int file_memo_get(const struct stat *st, const char *kind, struct str *out)
{
	_free_ char *dir = path_cache_part(FILE_MEMO_PART);
	_free_ char *path = dir ? place_of(dir, st, kind) : NULL;

	return path && file_read_regular(path, out) == 0 && out->len ? 0 : -ENOENT;
}

struct answer {
	char *name;
	struct timespec time;
};

struct answers {
	VEC(struct answer) items;
};

static void answers_finish(struct answers *a)
{
	vec_release(&a->items, each, free(each->name));
}

static int compare_age(const void *a, const void *b)
{
	const struct timespec *x = &((const struct answer *)a)->time;
	const struct timespec *y = &((const struct answer *)b)->time;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

static int list_answers(DIR *dir, struct answers *out)
{
	struct dirent *entry;
	int rc = 0;

	while (rc == 0 && (entry = readdir(dir))) {
		struct answer a = {};
		struct stat st;

		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		a.time = st.st_mtim;
		a.name = strdup(entry->d_name);
		rc = a.name ? vec_push(&out->items, a) : -ENOMEM;
	}
	return rc;
}

static size_t count_answers(DIR *dir)
{
	size_t count = 0;

	while (readdir(dir))
		count++;
	rewinddir(dir);
	return count;
}

/* Limits their number: nothing reports that a file whose fact is cached has been removed. */
static void bound_answers(const char *path)
{
	_cleanup_(answers_finish) struct answers all = {};
	_closedir_ DIR *dir = opendir(path);

	if (!dir || count_answers(dir) <= FILE_MEMO_MAX || list_answers(dir, &all) < 0 ||
	    all.items.count <= FILE_MEMO_MAX)
		return;
	vec_sort(&all.items, compare_age);
	for (size_t i = 0; i < all.items.count - FILE_MEMO_MAX / 2; i++)
		unlinkat(dirfd(dir), all.items.items[i].name, 0);
}

void file_memo_put(const struct stat *st, const char *kind, const char *answer)
{
	_free_ char *dir = path_cache_part(FILE_MEMO_PART);
	_free_ char *path = dir ? place_of(dir, st, kind) : NULL;
	int rc = path ? file_make_dirs(dir, 0755) : -ENOENT;

	rc = rc ?: file_replace(path, answer, strlen(answer), 0644);
	if (rc == 0)
		bound_answers(dir);
	if (rc < 0)
		log_debug("base", "an answer about a file is not kept: %s", err_text(rc));
}
