/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jemalloc's per-thread allocated and deallocated bytes, read from outside.
 *
 * jemalloc keeps both counters in thread-local storage. Phase 1 finds their offset in the TLS
 * block, once per executable or library. Phase 2 stops a thread for some tens of microseconds to
 * read its thread pointer, and copies the two words when the thread runs again. Nothing is written
 * to the target.
 *
 * Functions that return a tag return NULL for success. The tags are fixed
 * strings, to be compared with strcmp():
 *
 *	jemalloc-not-found	the process does not use jemalloc
 *	readlink-failure	the executable is inaccessible: kernel thread, zombie, no rights
 *	pid-missing		the process or thread has exited, or executed another program
 *	maps-read-failure	its list of mappings, or a file in it, cannot be read
 *	jemalloc-in-dso		in a library whose counters cannot be located
 *	untrusted-library	the same; other users can modify the library, so it was not
 *				loaded to ask it
 *	arch-mismatch		the file is for another architecture
 *	dwarf-parse-failure	in the executable, without usable debug information
 *	ptrace-seize, ptrace-interrupt, waitpid, get-regset, process-vm-readv
 *				that call failed for the thread
 *	tls-arithmetic		the thread's TLS block was not found at the expected address
 *	stop-limit		the thread was stopped for longer than allowed before it could
 *				be inspected: it was released unread
 *	stop-unbounded		stops are limited, but without CAP_SYS_NICE a stop could last
 *				longer: the thread was not stopped
 *	stop-budget		the limit for the sum of all stops was reached
 */
#ifndef KTSTR_CTPROF_JEMALLOC_H
#define KTSTR_CTPROF_JEMALLOC_H

#include "base/base.h"

struct jemalloc_probe;	/* caches by executable; jemalloc_resolve() is thread-safe */
struct jemalloc_target; /* opaque, owned by the probe until destroy */

/* Limits on stopping targets; 0 = no limit. */
struct jemalloc_limits {
	uint64_t one_stop_ns, all_stops_ns;
};

int jemalloc_probe_create(struct jemalloc_probe **out, const struct jemalloc_limits *limits);
void jemalloc_probe_destroy(struct jemalloc_probe *p);

/* Phase 1, per tgid, thread-safe: NULL = found, and target is set. */
const char *jemalloc_resolve(struct jemalloc_probe *p, pid_t tgid, struct jemalloc_target **target);

/* Phase 2, per tid, one call at a time. */
const char *jemalloc_read(struct jemalloc_probe *p, struct jemalloc_target *target, pid_t tid,
			  uint64_t *allocated, uint64_t *deallocated);

/* How long threads were stopped, each from its stop to its release. */
struct jemalloc_stops {
	uint64_t stops, total_ns, longest_ns, median_ns;
};
void jemalloc_stops(const struct jemalloc_probe *p, struct jemalloc_stops *out);

/*
 * For signal handlers that end the program: returns when the currently stopped thread runs again.
 * (When a tracer dies the kernel detaches its tracees, pending signals included; this just does it
 * in an orderly way.)
 */
void jemalloc_detach_all(void);

#endif
