/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf(2) for programs without libbpf. */
#ifndef KTSTR_BASE_BPF_CALL_H
#define KTSTR_BASE_BPF_CALL_H

#include <linux/bpf.h>

/* Returns the result of the system call, or a negative errno. */
int bpf_call(enum bpf_cmd command, union bpf_attr *attr);

/* Returns the descriptor of a pinned program or map, or a negative errno. */
int bpf_open_pinned(const char *path);

/* ID of the next program after this one (start with 0); 0 = none, or no permission. */
unsigned int bpf_program_next(unsigned int id);

/* Information about the program with this ID; -1 = none, or no permission. */
int bpf_program_info(unsigned int id, struct bpf_prog_info *info);

#endif
