/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies in a directory of coverage. */
#ifndef KTSTR_RUN_COVERAGE_FILES_H
#define KTSTR_RUN_COVERAGE_FILES_H

#include "base/vec.h"

#define COVERAGE_OBJECTS "objects"
#define COVERAGE_MERGED "merged.profdata"
#define COVERAGE_HTML_DIR "html"

struct coverage_files {
	VEC(char *) items;
};

/* Where LLVM_PROFILE_FILE, which is set, has its profiles: absolute, to be freed. */
char *coverage_profile_dir(void);

/*
 * The raw profiles in the directory, and in that of LLVM_PROFILE_FILE where it is
 * another. A directory that is not there has none.
 */
int coverage_files_list(const char *dir, struct coverage_files *out);
void coverage_files_finish(struct coverage_files *f);

#endif
