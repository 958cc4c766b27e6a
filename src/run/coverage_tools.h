/* SPDX-License-Identifier: GPL-2.0-only */
/* llvm-profdata and llvm-cov, which come in versions that do not read each other's files. */
#ifndef KTSTR_RUN_COVERAGE_TOOLS_H
#define KTSTR_RUN_COVERAGE_TOOLS_H

#include <stddef.h>

/* One of each, of the same version. */
struct coverage_tools {
	char *profdata, *cov;
};

/*
 * The i-th pair that is installed: LLVM_PROFDATA and LLVM_COV, those without a number
 * in their names, then from the newest on. -ENOENT when there are no more.
 */
int coverage_tools_nth(size_t i, struct coverage_tools *out);
void coverage_tools_finish(struct coverage_tools *t);

#endif
