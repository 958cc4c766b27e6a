/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario's world for tests: a cgroup tree of plain files, a machine on paper. */
#ifndef TESTS_UNIT_SCENARIO_FIXTURE_H
#define TESTS_UNIT_SCENARIO_FIXTURE_H

#include "check/check.h"
#include "fake_cgroup.h"
#include "scenario/ctx.h"
#include "scenario/run.h"

extern struct fake_cgroup fake;
extern struct topology topology;
extern struct ktstr_ctx ctx;
extern struct ktstr_result res;

extern const struct ktstr_assert lenient, isolated;

#define BRIEFLY KTSTR_FIXED_MS(20)

struct ctx_options options(void);

/* Set-up of a test: the tree alone, or with a context; and the end of both. */
int start_bare(void **state);
int start(void **state);
int stop(void **state);
void start_with(struct ctx_options o);

#define WITH(f) cmocka_unit_test_setup_teardown(f, start, stop)
#define BARE(f) cmocka_unit_test_setup_teardown(f, start_bare, stop)

bool has_detail(enum detail_kind kind, const char *text);
void expect_verdict(enum ktstr_verdict verdict);
/* The scenario failed with this sentence and nothing else. */
void expect_failure(const char *text);
void expect_logged(const char *text);
void expect_nothing_left(void);
void run_steps(const struct ktstr_step *steps);

#endif
