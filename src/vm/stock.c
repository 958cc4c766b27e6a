// SPDX-License-Identifier: GPL-2.0-only
/* Removes items from the cache, and frees space in it. */
#include "vm/stock.h"

#include <sys/file.h>

#include "host/lock_holders.h"

/* Kinds whose temporary names start with a dot: see cache_temp_make(). */
#define DOT_LEFTOVERS (1U << STOCK_KERNEL | 1U << STOCK_APT | 1U << STOCK_PROGRAM)
#define DEFAULT_LIMIT (20ULL << 30)
#define LOADED_PART 4

const char *const stock_kind_names[STOCK_KINDS + 1] = {
	[STOCK_KERNEL] = "kernel",   [STOCK_TEMPLATE] = "template", [STOCK_INITRAMFS] = "initramfs",
	[STOCK_PROGRAM] = "program", [STOCK_SYMBOLS] = "symbols",   [STOCK_MODEL] = "model",
	[STOCK_APT] = "apt",	     [STOCK_ANSWERS] = "answers",   [STOCK_LEFTOVER] = "leftover",
};

/*
 * Returns a descriptor with an exclusive lock, -ENOENT if the item has no lock file (then it has no
 * user), or -EWOULDBLOCK.
 */
static int lock_item(const struct stock_item *item)
{
	_close_ int fd = item->lock ? open(item->lock, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -ENOENT;
	_str_ struct str users = {};

	if (fd < 0)
		return -ENOENT;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return take_fd(&fd);
	lock_holders_describe(item->lock, &users);
	return err_set(EWOULDBLOCK, "%s %s is in use by %s", stock_kind_names[item->kind],
		       item->name, str_get(&users));
}

/* Temporary name that counts as a leftover, in case this process is killed during the removal. */
static char *doomed_path(const struct stock_item *item)
{
	const char *name = strrchr(item->path, '/');

	if (!name || !(DOT_LEFTOVERS >> item->kind & 1))
		return str_fmt("%s.tmp-%d", item->path, (int)getpid());
	return str_fmt("%.*s/.tmp-removed-%s-%d", (int)(name - item->path), item->path, name + 1,
		       (int)getpid());
}

int stock_remove(const struct stock_item *item)
{
	_free_ char *doomed = doomed_path(item);
	_close_ int lock = lock_item(item);

	if (lock == -EWOULDBLOCK)
		return lock;
	if (!doomed)
		return err_no_memory();
	/* Renamed first: other processes never see a partly removed item. */
	if (rename(item->path, doomed) < 0)
		return err_sys(errno, "remove %s", item->path);
	return tree_remove(doomed);
}

int stock_limit(uint64_t *bytes)
{
	const char *text = env_get("KTSTR_CACHE_LIMIT");

	*bytes = DEFAULT_LIMIT;
	if (text && parse_size_iec(text, bytes) < 0)
		return err_set(EINVAL,
			       "KTSTR_CACHE_LIMIT is '%s'; it takes a size such as 512mib or 20gib",
			       text);
	return 0;
}

int stock_compare_use(const void *a, const void *b)
{
	const struct stock_item *x = a, *y = b;

	return x->used_ns < y->used_ns ? -1 : x->used_ns > y->used_ns;
}

/* loaded: consider templates with a scheduler only. Sets bytes of removed items to 0. */
static void make_room(struct stock *s, uint64_t limit, bool loaded)
{
	uint64_t total = 0;

	for (size_t i = 0; i < s->count; i++)
		total += !loaded || s->items[i].is_loaded ? s->items[i].bytes : 0;
	vec_each(struct stock_item, item, s) {
		if ((loaded && !item->is_loaded) || (item->is_loaded && !item->bytes) ||
		    (item->kind != STOCK_LEFTOVER && total <= limit))
			continue;
		if (stock_remove(item) < 0) {
			log_debug("vm", "%s", err_text(0));
			continue;
		}
		total -= item->bytes;
		item->bytes = 0;
		log_info("vm", "removed %s %s from the cache (%s), to make room",
			 stock_kind_names[item->kind], item->name, item->what);
	}
}

void stock_trim(void)
{
	_stock_ struct stock s = {};
	uint64_t limit;
	int rc = stock_limit(&limit);

	if (rc == 0)
		rc = stock_read(&s, 1U << STOCK_TEMPLATE | 1U << STOCK_INITRAMFS |
					    1U << STOCK_PROGRAM | 1U << STOCK_LEFTOVER);
	if (rc < 0) {
		log_warn("vm", "the cache is not kept small: %s", err_text(rc));
		return;
	}
	vec_sort(&s, stock_compare_use);
	make_room(&s, limit / LOADED_PART, true);
	make_room(&s, limit, false);
}
