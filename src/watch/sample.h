/* SPDX-License-Identifier: GPL-2.0-only */
/* One look at all run queues of a guest. */
#ifndef KTSTR_WATCH_SAMPLE_H
#define KTSTR_WATCH_SAMPLE_H

#include "watch/space.h"

/* Counters of sched_ext, in the order of the reports; X(member of the layout, name in JSON). */
/* clang-format off */
#define SCX_COUNTER_ROWS(X) \
	X(EV_FALLBACK, select_cpu_fallback) \
	X(EV_OFFLINE, dispatch_local_dsq_offline) \
	X(EV_KEEP_LAST, dispatch_keep_last) \
	X(EV_SKIP_EXITING, enq_skip_exiting) \
	X(EV_SKIP_MIGRATION, enq_skip_migration_disabled) \
	X(EV_REENQ_IMMED, reenq_immed) \
	X(EV_REENQ_LOCAL, reenq_local_repeat) \
	X(EV_REFILL_SLICE, refill_slice_dfl) \
	X(EV_BYPASS_ACTIVATE, bypass_activate) \
	X(EV_BYPASS_DISPATCH, bypass_dispatch) \
	X(EV_BYPASS_DURATION, bypass_duration) \
	X(EV_NOT_OWNED, insert_not_owned) \
	X(EV_SUB_BYPASS, sub_bypass_dispatch)

/* The same for schedstat. */
#define SCHEDSTATS(X) \
	X(RQ_RUN_DELAY, run_delay) \
	X(RQ_PCOUNT, pcount) \
	X(RQ_SCHED_COUNT, sched_count) \
	X(RQ_YLD_COUNT, yld_count) \
	X(RQ_GOIDLE, sched_goidle) \
	X(RQ_TTWU_COUNT, ttwu_count) \
	X(RQ_TTWU_LOCAL, ttwu_local)
/* clang-format on */

enum scx_counter {
#define X(member, name) SCX_##member,
	SCX_COUNTER_ROWS(X)
#undef X
		SCX_COUNTERS,
};

enum schedstat {
#define X(member, name) STAT_##member,
	SCHEDSTATS(X)
#undef X
		SCHEDSTAT_COUNT,
};

struct cpu_sample {
	bool is_known; /* the run queue could be read */
	bool has_scx;  /* the kernel has sched_ext */
	uint32_t nr_running, scx_nr_running, local_dsq_depth, scx_flags;
	uint64_t clock_ns, switches;
	/*
	 * CPU time of the vCPU's thread on the host; 0 = not known. It is asked for only where the clock stands
	 * still beside work, which the host may be the reason of.
	 */
	uint64_t vcpu_ns;
	uint32_t known_events, known_stats; /* bits: which of those below are there */
	int64_t events[SCX_COUNTERS];
	uint64_t stats[SCHEDSTAT_COUNT];
};

struct guest_sample {
	uint64_t time_ns;   /* of the clock that the watcher goes by */
	bool has_scheduler; /* a sched_ext scheduler was loaded */
	size_t cpu_count;
	struct cpu_sample *cpus;
};

/* Reads cpu_count CPUs into s->cpus, which the caller has. What cannot be read is absent. */
void sample_take(struct guest_sample *s, struct space *space);

extern const char *const scx_counter_names[SCX_COUNTERS];
extern const char *const schedstat_names[SCHEDSTAT_COUNT];

#endif
