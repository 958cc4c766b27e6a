/* Stand-in until the reader of jemalloc is merged: finds none. */
#include "ctprof/jemalloc.h"

#include <stdlib.h>

#include "base/err.h"

struct jemalloc_probe {
	uint64_t max_stop_ns;
};

int jemalloc_probe_create(struct jemalloc_probe **out, uint64_t max_stop_ns)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return err_set(ENOMEM, "out of memory");
	(*out)->max_stop_ns = max_stop_ns;
	return 0;
}

void jemalloc_probe_destroy(struct jemalloc_probe *p)
{
	free(p);
}

const char *jemalloc_resolve(struct jemalloc_probe *p, pid_t tgid, struct jemalloc_target **target)
{
	(void)p;
	(void)tgid;
	*target = NULL;
	return "jemalloc-not-found";
}

const char *jemalloc_read(struct jemalloc_probe *p, struct jemalloc_target *target, pid_t tid,
			  uint64_t *allocated, uint64_t *deallocated)
{
	(void)p;
	(void)target;
	(void)tid;
	*allocated = *deallocated = 0;
	return "jemalloc-not-found";
}

void jemalloc_stops(const struct jemalloc_probe *p, struct jemalloc_stops *out)
{
	(void)p;
	*out = (struct jemalloc_stops){};
}

void jemalloc_detach_all(void)
{
}
