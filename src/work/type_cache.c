// SPDX-License-Identifier: GPL-2.0-only
/* Work on memory that should stay in a cache. */

#include "work/types.h"

#define CACHE_TOUCHES 1024

struct cache {
	unsigned char *bytes;
	size_t size, stride, at;
};

int cache_create(struct ktstr_worker *w, uint64_t kib, uint64_t stride)
{
	struct cache *c = worker_state(w, sizeof(*c));

	if (!c)
		return -ENOMEM;
	if (kib <= SIZE_MAX / 1024)
		c->bytes = calloc(kib, 1024);
	if (!c->bytes)
		return worker_problem(w, ENOMEM, "%llu KiB of memory", ULL(kib));
	c->size = kib * 1024;
	c->stride = stride % c->size;
	return 0;
}

/* Aligned like every hot loop: see unit.c. */
__attribute__((noinline, aligned(64))) static void touch(struct cache *c, uint64_t times)
{
	unsigned char *bytes = c->bytes;
	size_t at = c->at, size = c->size, stride = c->stride;

	while (times--) {
		bytes[at]++;
		at += stride;
		if (at >= size)
			at -= size;
	}
	c->at = at;
}

void cache_touch(struct ktstr_worker *w, uint64_t times)
{
	while (times > CACHE_TOUCHES && !worker_should_stop(w)) {
		touch(w->state, CACHE_TOUCHES);
		worker_progress(w, CACHE_TOUCHES);
		times -= CACHE_TOUCHES;
	}
	times = MIN(times, CACHE_TOUCHES);
	touch(w->state, times);
	w->work_units += times;
}

int cache_pressure_prepare(struct ktstr_worker *w)
{
	return cache_create(w, w->args[0], w->args[1]);
}

void cache_pressure_iterate(struct ktstr_worker *w)
{
	cache_touch(w, CACHE_TOUCHES);
}

void cache_yield_iterate(struct ktstr_worker *w)
{
	cache_touch(w, CACHE_TOUCHES);
	worker_yield(w);
}
