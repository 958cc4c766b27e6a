/* SPDX-License-Identifier: GPL-2.0-only */
/* Thresholds, how they merge, and judging the workers of one cgroup by them. */
#ifndef KTSTR_CHECK_CHECK_H
#define KTSTR_CHECK_CHECK_H

#include <ktstr/ktstr.h>

#include "check/result.h"
#include "host/topology.h"
#include "observe/observer.h"

/* Per field the last value that is not 0 (inherit) wins. */
void assert_merge(struct ktstr_assert *into, const struct ktstr_assert *over);
extern const struct ktstr_assert assert_defaults;
/* NaN, infinities, negative fractions: -EINVAL naming the field. */
int assert_validate(const struct ktstr_assert *a);

/* The workers of one cgroup at their end. */
struct judged_cgroup {
	const char *name;
	const struct worker_report *const *reports;
	size_t count;
	/* The cpuset all of its life, for isolation and NUMA checks; NULL = none or it changed. */
	const struct worker_cpus *cpuset;
	const struct topology *topology;
	/* The test gave its workers different CPUs: their shares differ, and not by the scheduler. */
	bool is_pinned_apart;
	/* In every phase its workers were compared with all who competed with them, and were fair. */
	bool has_fair_shares;
	/* What whole tasks on CPUs explain of a spread, where others disturbed a comparison. */
	double luck_pct;
	/* A shorter life cannot tell unfairness from load balancing under way; 0 = any can. */
	uint64_t fair_after_ns;
	/* Its workers were stopped before the scenario was over. */
	bool ends_early;
	/* An error ended the scenario: who had no time to work is not starved for that. */
	bool was_cut_short;
	/* The test froze its cgroup for some time: what its workers did not do says nothing. */
	bool was_frozen;
	/* Scheduling events by phase, and after workers were told to stop; NULL = not recorded. */
	const struct observed *seen;
	size_t seen_count;
	const struct observed *after;
	uint64_t start_ns; /* of the test */
};

/*
 * Gap and spread are part of not_starved with limits that depend on how the test
 * was built: 2000 ms and 15 % with optimisation, 3000 ms and 35 % without. As the
 * library itself was built until told otherwise.
 */
void check_set_release(bool is_release);
bool check_is_release(void);

/* In sim a rate of iterations is judged per second of CPU time. Not in sim until told so. */
void check_set_sim(bool is_sim);

/*
 * Adds statistics and details of the cgroup to the result, also to each phase that
 * the result has. A worker that was lost fails the run whatever is checked.
 */
void check_cgroup(const struct judged_cgroup *cgroup, const struct ktstr_assert *checks,
		  struct ktstr_result *res);

/* Why thresholds of a kind are not judged; NULL = they are. */
struct assert_reasons {
	const char *monitor, *events;
};

/* The lines of `show-thresholds`, one per field in the spec's order. */
void assert_print(const struct ktstr_assert *a, const struct assert_reasons *reasons,
		  struct str *out);

/* The first threshold of scheduling events that is another than the default; NULL = none. */
const char *assert_custom_event(const struct ktstr_assert *a);

#endif
