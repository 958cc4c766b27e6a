/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf(2) for those who carry no libbpf. */
#ifndef KTSTR_BASE_BPF_CALL_H
#define KTSTR_BASE_BPF_CALL_H

#include <linux/bpf.h>

/* What the call returns, or a negative errno. */
int bpf_call(enum bpf_cmd command, union bpf_attr *attr);

/* The descriptor of a pinned program or map, or a negative errno. */
int bpf_open_pinned(const char *path);

/* The number of the next program behind this one, which 0 begins; 0 = there is none, or one may not know. */
unsigned int bpf_program_next(unsigned int id);

/* What the kernel knows of the program with that number; -1 = there is none, or it is not told. */
int bpf_program_info(unsigned int id, struct bpf_prog_info *info);

#endif
