/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs that sched_ext schedulers consist of, with what the verifier and the kernel's
 * statistics (kernel.bpf_stats_enabled) counted of them.
 */
#ifndef KTSTR_WATCH_PROGRAMS_H
#define KTSTR_WATCH_PROGRAMS_H

#include "watch/space.h"

#define PROGRAMS_NAME 16

struct program_view {
	char name[PROGRAMS_NAME + 1];
	uint32_t id, verified_insns;
	uint64_t start, end;	   /* of its code; both 0 = not known */
	bool has_insns, has_stats; /* the kernel counts, and all CPUs could be read */
	uint64_t calls, ns, misses;
	uint64_t stats; /* per-CPU address of the counters */
};

struct programs {
	VEC(struct program_view) items;
	bool is_cut; /* there are more, or one of them cannot be read */
};

/* -ENOMEM only; what cannot be read is not there, or not known. */
int programs_read(struct programs *p, struct space *space, unsigned int cpu_count);
void programs_finish(struct programs *p);

/*
 * The same again and again. As long as the scheduler is the same and no program was loaded only the
 * counters are read, and where they are is remembered.
 */
struct program_follow {
	struct programs now;
	uint64_t instance, next_id;   /* of the scheduler, and of the next program */
	VEC(struct vm_read) counters; /* of all CPUs, program by program; empty = not known */
	char *bytes;
};

int program_follow_read(struct program_follow *f, struct space *space, unsigned int cpu_count);
void program_follow_finish(struct program_follow *f);

/* Members "programs", an array, and "programs_truncated" of the object that is being written. */
void programs_put_json(const struct programs *p, struct json *j);

#endif
