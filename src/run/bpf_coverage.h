/* SPDX-License-Identifier: GPL-2.0-only */
/* Coverage of BPF programs: each run in sim leaves a file in a directory, and they add up. */
#ifndef KTSTR_RUN_BPF_COVERAGE_H
#define KTSTR_RUN_BPF_COVERAGE_H

#include "watch/bpf_blocks.h"

/* Where `ktstr coverage` has them: to be freed; NULL with a message. */
char *bpf_coverage_dir(void);

/* What one run executed, in a file of its own. */
int bpf_coverage_keep(const char *dir, const struct bpf_blocks *blocks);

/* Where the parts of a run are that marks its parts (watch/mark.h): to be freed, or NULL. */
char *bpf_coverage_part(const char *dir, uint32_t part);

/* All that are in the directory. -ENOENT with a message when there is none. */
int bpf_coverage_load(const char *dir, struct bpf_cover *out);

/* Removes them and nothing else. */
int bpf_coverage_clean(const char *dir);

#endif
