/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of workers, and what the checks make of it. */
#ifndef KTSTR_TESTS_CHECK_RUN_H
#define KTSTR_TESTS_CHECK_RUN_H

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "report_maker.h"

/* One run: quiet workers, spoilt by spoil(), judged by checks. */
struct run {
	struct made_cgroup made;
	struct ktstr_assert checks;
	struct ktstr_result res;
};

static inline void run_init(struct run *r, size_t workers)
{
	made_init(&r->made, workers);
	r->checks = assert_defaults;
	result_init(&r->res);
	check_set_release(true);
}

static inline void run_judge(struct run *r)
{
	check_cgroup(&r->made.cgroup, &r->checks, &r->res);
	result_close(&r->res);
}

static inline void run_finish(struct run *r)
{
	made_finish(&r->made);
	result_finish(&r->res);
}

/* The verdict is this one because of exactly this detail. */
static inline void expect_only(struct run *r, enum ktstr_verdict verdict, enum detail_kind kind,
			       const char *message)
{
	run_judge(r);
	assert_string_equal(only_detail(&r->res, kind), message);
	assert_int_equal(r->res.details.count, 1);
	assert_int_equal(r->res.verdict, verdict);
	run_finish(r);
}

/* The same, a failure that is about so much time: a host that withheld as much explains it. */
static inline void expect_timed(struct run *r, enum detail_kind kind, uint64_t ns,
				const char *message)
{
	run_judge(r);
	assert_string_equal(only_detail(&r->res, kind), message);
	assert_int_equal(r->res.details.count, 1);
	assert_int_equal(r->res.details.items[0].time_ns, ns);
	assert_int_equal(r->res.verdict, KTSTR_FAILED);
	run_finish(r);
}

static inline void expect_quiet(struct run *r)
{
	run_judge(r);
	if (r->res.details.count)
		fail_msg("unexpected: %s", r->res.details.items[0].message);
	assert_int_equal(r->res.verdict, KTSTR_PASSED);
	run_finish(r);
}

#endif
