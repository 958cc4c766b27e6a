// SPDX-License-Identifier: GPL-2.0-only
/* Cache of files by device and inode, and of answers of libraries by build ID. */
#include "ctprof/jemalloc_parts.h"

#include <pthread.h>

#define BUCKETS 1024

/*
 * A file stays unknown if it could not be opened, or if the path in one process is not trusted: it
 * may be accessible through another process.
 */
enum entry_state { ENTRY_UNKNOWN, ENTRY_BUSY, ENTRY_KNOWN };

struct entry {
	struct entry *next;
	dev_t device;
	ino_t inode;
	bool is_executable;
	enum entry_state state;
	const char *tag;
	struct jemalloc_layout layout;
};

struct jemalloc_cache {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* an entry is no longer busy */
	struct entry *buckets[BUCKETS];
	VEC(struct jemalloc_known) known;
};

struct jemalloc_cache *jemalloc_cache_create(void)
{
	struct jemalloc_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	return c;
}

void jemalloc_cache_destroy(struct jemalloc_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		while (c->buckets[i]) {
			struct entry *e = c->buckets[i];

			c->buckets[i] = e->next;
			free(e);
		}
	}
	free(c->known.items);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static bool recall(void *context, struct jemalloc_known *known)
{
	struct jemalloc_cache *c = context;
	bool is_found = false;

	pthread_mutex_lock(&c->lock);
	vec_each_while(const struct jemalloc_known, k, &c->known, !is_found) {
		is_found = k->id_len == known->id_len && !memcmp(k->id, known->id, k->id_len);
		if (is_found)
			known->counters = k->counters;
	}
	pthread_mutex_unlock(&c->lock);
	return is_found;
}

static void remember(void *context, const struct jemalloc_known *known)
{
	struct jemalloc_cache *c = context;

	pthread_mutex_lock(&c->lock);
	vec_push(&c->known, *known); /* if out of memory, it will be asked again */
	pthread_mutex_unlock(&c->lock);
}

static struct entry *find_entry(struct jemalloc_cache *c, const struct mapped_file *f)
{
	bool is_executable = f->end == 0;
	struct entry **bucket = &c->buckets[(f->inode ^ f->device) % BUCKETS];
	struct entry *e;

	for (e = *bucket; e; e = e->next)
		if (e->inode == f->inode && e->device == f->device &&
		    e->is_executable == is_executable)
			return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->device = f->device;
	e->inode = f->inode;
	e->is_executable = is_executable;
	e->next = *bucket;
	*bucket = e;
	return e;
}

/* The entry is marked busy: no other thread uses it. */
static const char *fill_entry(struct jemalloc_cache *c, struct entry *e,
			      const struct mapped_file *f)
{
	_close_ int fd = maps_open(f);
	struct jemalloc_lookup lookup = {
		.fd = fd,
		.tgid = f->tgid,
		.path = f->path,
		.is_executable = e->is_executable,
		.recall = recall,
		.remember = remember,
		.context = c,
	};

	return fd < 0 ? TAG_MAPS_READ : jemalloc_examine(&lookup, &e->layout);
}

static bool is_final(const char *tag)
{
	return !tag || (!str_eq(tag, TAG_MAPS_READ) && !str_eq(tag, TAG_UNTRUSTED));
}

const char *jemalloc_cache_get(struct jemalloc_cache *c, const struct mapped_file *f,
			       const struct jemalloc_layout **out)
{
	const char *tag = TAG_MAPS_READ;
	struct entry *e;

	pthread_mutex_lock(&c->lock);
	e = find_entry(c, f);
	while (e && e->state == ENTRY_BUSY)
		pthread_cond_wait(&c->changed, &c->lock);
	if (e && e->state == ENTRY_UNKNOWN) {
		e->state = ENTRY_BUSY;
		pthread_mutex_unlock(&c->lock);
		tag = fill_entry(c, e, f);
		pthread_mutex_lock(&c->lock);
		e->tag = tag;
		e->state = is_final(tag) ? ENTRY_KNOWN : ENTRY_UNKNOWN;
		pthread_cond_broadcast(&c->changed);
	} else if (e) {
		tag = e->tag;
	}
	pthread_mutex_unlock(&c->lock);
	if (!tag)
		*out = &e->layout;
	return tag;
}
