/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the guest's program finds its scenario. */
#ifndef KTSTR_FUZZ_PROGRAM_SCENARIO_H
#define KTSTR_FUZZ_PROGRAM_SCENARIO_H

#define FUZZ_SCENARIO "scenario.yaml"
#define FUZZ_GUEST_SCENARIO "/include-files/" FUZZ_SCENARIO

#endif
