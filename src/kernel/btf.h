/* SPDX-License-Identifier: GPL-2.0-only */
/* sched_ext in the BTF of a kernel, and the BTF of a vmlinux. */
#ifndef KTSTR_KERNEL_BTF_H
#define KTSTR_KERNEL_BTF_H

#include "base/base.h"
#include "base/btf.h"

/*
 * Checks the BTF of a kernel: does it contain sched_ext, and can BPF programs call its kfuncs?
 *
 * Kernels from 7.1 on have kfuncs with an implicit last argument `aux`. Programs are checked
 * against a prototype without it, so BTF must contain two functions: NAME without and NAME_impl
 * with it. If pahole was too old to split them, NAME has `aux` and there is no NAME_impl; then no
 * declaration in a program matches.
 */
struct btf_facts {
	bool has_scx;		 /* has struct sched_ext_ops */
	uint32_t unsound_kfuncs; /* number of such scx_bpf_* functions */
};

/* -EINVAL with a message if the data is not BTF. */
int btf_look(const void *data, size_t len, struct btf_facts *out);

/* BTF of a kernel, from its vmlinux. */
struct btf_file {
	struct map_file file;
	struct btf types;
};

/* Returns a negative errno with a message on error; vmlinux may be NULL, which is an error. */
int btf_file_open(struct btf_file *f, const char *vmlinux);
void btf_file_close(struct btf_file *f);

#define _btf_file_ _cleanup_(btf_file_close)

#endif
