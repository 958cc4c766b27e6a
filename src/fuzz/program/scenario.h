/* SPDX-License-Identifier: GPL-2.0-only */
/* Input of the test program in the guest, and the metrics by which it reports results. */
#ifndef KTSTR_FUZZ_PROGRAM_SCENARIO_H
#define KTSTR_FUZZ_PROGRAM_SCENARIO_H

/* Concatenated scenarios; each begins with this line, which ends with its seed. */
#define FUZZ_SCENARIO "scenario.yaml"
#define FUZZ_SEED_LINE "# ktstr fuzz: seed "
/* Precedes the first scenario if the scheduler ignores weights. */
#define FUZZ_UNWEIGHED_LINE "# ktstr fuzz: weights are not judged\n"

/*
 * Names of metrics: one metric per completed scenario, in order; the value is the longest wait in
 * us. A scenario that fails is the last one; it has no metric, and its result is the test's.
 */
#define FUZZ_PASSED "passed"
#define FUZZ_SKIPPED "skipped"
#define FUZZ_INVALID "invalid"

#endif
