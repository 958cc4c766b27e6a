/* SPDX-License-Identifier: GPL-2.0-only */
/* Thresholds, how they merge, and the checks of the workers of one cgroup. */
#ifndef KTSTR_CHECK_CHECK_H
#define KTSTR_CHECK_CHECK_H

#include <ktstr/ktstr.h>

#include "check/result.h"
#include "host/topology.h"
#include "observe/observer.h"

/* For each field, the last value that is not 0 (inherit) wins. */
void assert_merge(struct ktstr_assert *into, const struct ktstr_assert *over);
extern const struct ktstr_assert assert_defaults;
/* Returns -EINVAL and names the field if a value is NaN, infinite or a negative fraction. */
int assert_validate(const struct ktstr_assert *a);

/* The fields of struct ktstr_assert as a table, for code that visits all of them. */

struct assert_field {
	const char *name;
	enum { ASSERT_SWITCH, ASSERT_INTEGER, ASSERT_NUMBER } kind;
	size_t offset;
	bool is_of_monitor;   /* judges the scheduler's queues, not workers */
	bool is_of_events;    /* judges scheduling events, of workers and of all other tasks */
	bool is_of_scheduler; /* judges the scheduler's own process, so there must be one */
};

#define ASSERT_FIELDS 35
extern const struct assert_field assert_fields[ASSERT_FIELDS];

/* The value as stored in the struct, including KTSTR_ZERO and KTSTR_OFF. */
double assert_raw(const struct ktstr_assert *a, const struct assert_field *f);

/* Returns true if the raw value sets a limit, and stores that limit (KTSTR_ZERO becomes 0). */
bool limit_of(double raw, double *limit);

/* The workers of one cgroup at the end of their run. */
struct judged_cgroup {
	const char *name;
	const struct worker_report *const *reports;
	size_t count;
	/*
	 * The cpuset that it had all of its life, for isolation and NUMA checks; NULL =
	 * none, or it changed.
	 */
	const struct worker_cpus *cpuset;
	const struct topology *topology;
	/* The test pinned its workers to different CPUs, so their shares differ by design. */
	bool is_pinned_apart;
	/*
	 * In every phase its workers were compared with all their competitors and got fair
	 * shares.
	 */
	bool has_fair_shares;
	/*
	 * Part of the spread (percent) that placing whole tasks on CPUs explains, where
	 * other tasks took some of the CPUs.
	 */
	double luck_pct;
	/*
	 * With a shorter life, unfairness cannot be told from unfinished load balancing; 0
	 * = no minimum.
	 */
	uint64_t fair_after_ns;
	/* Its workers were stopped before the scenario was over. */
	bool ends_early;
	/*
	 * An error ended the scenario: workers that had no time to work are not reported as
	 * starved.
	 */
	bool was_cut_short;
	/*
	 * The test froze the cgroup for some time: missing progress of its workers proves
	 * nothing.
	 */
	bool was_frozen;
	/*
	 * Scheduling events by phase, and after the workers were told to stop; NULL = not
	 * recorded.
	 */
	const struct observed *seen;
	size_t seen_count;
	const struct observed *after;
	uint64_t start_ns; /* of the test */
};

/*
 * Gap and spread are part of not_starved. Their default limits depend on how the test was
 * built: 2000 ms and 15 % with optimisation, 3000 ms and 35 % without. Until this is
 * called, the limits are those for the way in which the library itself was built.
 */
void check_set_release(bool is_release);
bool check_is_release(void);

/* In the simulator, iteration rates are per second of CPU time. The default is false. */
void check_set_sim(bool is_sim);

/*
 * Adds statistics and details of the cgroup to the result and to each of its phases. A lost
 * worker fails the run, whichever checks are enabled.
 */
void check_cgroup(const struct judged_cgroup *cgroup, const struct ktstr_assert *checks,
		  struct ktstr_result *res);

/* Why thresholds of a kind are not judged; NULL = they are judged. */
struct assert_reasons {
	const char *monitor, *events;
};

/* Prints the lines of `show-thresholds`, one per field, in the order of assert_fields. */
void assert_print(const struct ktstr_assert *a, const struct assert_reasons *reasons,
		  struct str *out);

/*
 * Returns the first enabled threshold of scheduling events that differs from its default,
 * or NULL.
 */
const char *assert_custom_event(const struct ktstr_assert *a);

#endif
