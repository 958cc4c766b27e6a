/* SPDX-License-Identifier: GPL-2.0-only */
/* What the samples of a run come to: figures, and the limits that they broke. */
#ifndef KTSTR_WATCH_MONITOR_H
#define KTSTR_WATCH_MONITOR_H

#include "check/check.h"
#include "watch/series.h"

/* Growth of a counter over the run, of all CPUs together. */
struct monitor_counter {
	bool is_known;
	uint64_t total;
	double per_s;
};

struct monitor_summary {
	size_t total_samples, valid_samples;
	double max_imbalance, mean_imbalance;
	uint32_t max_depth;
	double mean_running, mean_depth; /* per CPU and sample */
	size_t stall_count;		 /* CPUs between two samples */
	double seconds;			 /* between the first and the last sample */
	uint64_t max_fallback_burst;	 /* between two samples */
	bool has_fallen;		 /* a counter went back: it counts as not grown */
	struct monitor_counter events[SCX_COUNTERS];
	struct monitor_counter stats[SCHEDSTAT_COUNT];
	struct monitor_counter switches;
};

enum monitor_state {
	MONITOR_OK,
	MONITOR_FAILED,
	MONITOR_NO_SAMPLES,
	MONITOR_NOT_INITIALIZED,
};

#define MONITOR_MAX_DETAILS 16
#define MONITOR_SETTLING 20 /* samples that a longer run is not judged by */

struct monitor_detail {
	const char *field; /* of struct ktstr_assert */
	char text[160];
};

struct monitor_verdict {
	enum monitor_state state;
	struct monitor_detail details[MONITOR_MAX_DETAILS];
	size_t detail_count, violation_count;
};

/* max(nr_running) / max(1, min(nr_running)); 1 without CPUs. */
double monitor_imbalance(const struct guest_sample *s);

/* The deepest local DSQ, and whose it is. */
uint32_t monitor_depth(const struct guest_sample *s, unsigned int *cpu);

/* Whether the CPU's clock stood still between two samples though it had something to run. */
bool monitor_is_stalled(const struct cpu_sample *before, const struct cpu_sample *after);

void monitor_summarize(const struct series *s, struct monitor_summary *out);

/* Holds the samples against the limits; those that are off are not looked at. */
void monitor_judge(const struct series *s, const struct ktstr_assert *limits,
		   struct monitor_verdict *out);

/*
 * While the guest runs, after each sample: whether imbalance, depth or a stall has just lasted long enough
 * to be a violation, and which. settles: the run will be so long that its first samples do not count.
 */
bool monitor_is_sustained(const struct series *s, const struct ktstr_assert *limits, bool settles,
			  struct monitor_detail *what);

/* "monitor OK", "monitor FAILED: 2 violation(s)", "no monitor samples", ... */
void monitor_add_verdict(const struct monitor_verdict *v, struct str *out);

/* The lines of the block "--- monitor ---". */
void monitor_add_block(const struct series *s, const struct monitor_summary *m,
		       const struct monitor_verdict *v, struct str *out);

#endif
