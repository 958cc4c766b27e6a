/* Reading the per-thread counters of jemalloc out of other processes. */
#ifndef KTSTR_CTPROF_JEMALLOC_H
#define KTSTR_CTPROF_JEMALLOC_H

#include <stdint.h>
#include <sys/types.h>

struct jemalloc_probe; /* caches per executable; thread-safe for concurrent jemalloc_resolve() */

int jemalloc_probe_create(struct jemalloc_probe **out, uint64_t max_stop_ns /* 0 = no limit */);
void jemalloc_probe_destroy(struct jemalloc_probe *p);

/*
 * Phase 1, per tgid, callable from several threads: NULL = found (target
 * filled), else the failure tag ("jemalloc-not-found", ...).
 */
struct jemalloc_target; /* opaque, owned by the probe until destroy */
const char *jemalloc_resolve(struct jemalloc_probe *p, pid_t tgid, struct jemalloc_target **target);

/* Phase 2, per tid, from ONE thread (ptrace): NULL = ok, else failure tag. */
const char *jemalloc_read(struct jemalloc_probe *p, struct jemalloc_target *target, pid_t tid,
			  uint64_t *allocated, uint64_t *deallocated);

/* How often and how long targets were held. */
struct jemalloc_stops {
	uint64_t stops, total_ns, longest_ns, median_ns;
};
void jemalloc_stops(const struct jemalloc_probe *p, struct jemalloc_stops *out);

/* For signal handlers: detaches whatever is attached right now. */
void jemalloc_detach_all(void);

#endif
