/* SPDX-License-Identifier: GPL-2.0-only */
/* What the guest's program is given, and how it says what became of it. */
#ifndef KTSTR_FUZZ_PROGRAM_SCENARIO_H
#define KTSTR_FUZZ_PROGRAM_SCENARIO_H

/* Scenarios one behind the other; each begins with this line, and its seed. */
#define FUZZ_SCENARIO "scenario.yaml"
#define FUZZ_SEED_LINE "# ktstr fuzz: seed "
/* Above the first, if the scheduler ignores weights. */
#define FUZZ_UNWEIGHED_LINE "# ktstr fuzz: weights are not judged\n"

/*
 * A metric for each scenario that ended, in their order: its value is the longest wait in
 * us. The first that fails is the last one, has none, and its result is that of the test.
 */
#define FUZZ_PASSED "passed"
#define FUZZ_SKIPPED "skipped"
#define FUZZ_INVALID "invalid"

#endif
