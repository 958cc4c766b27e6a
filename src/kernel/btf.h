/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BTF of a kernel tells about sched_ext, and the types of a vmlinux. */
#ifndef KTSTR_KERNEL_BTF_H
#define KTSTR_KERNEL_BTF_H

#include "base/base.h"
#include "base/btf.h"

/*
 * A look into BTF, the type information of a kernel: does it know sched_ext, and
 * can BPF programs call its kfuncs?
 *
 * Kernels from 7.1 on have kfuncs with an implicit last argument `aux`. Programs
 * are checked against a prototype without it, and BTF must therefore hold two
 * functions: NAME without and NAME_impl with it. Where the tool that wrote the
 * BTF was too old to split them, NAME has `aux` and no _impl twin exists; the
 * loader then finds no function that fits, whatever the program declares.
 */
struct btf_facts {
	bool has_scx;		 /* struct sched_ext_ops is a type */
	uint32_t unsound_kfuncs; /* scx_bpf_* functions as above */
};

/* -EINVAL with a message when the bytes are no BTF. */
int btf_look(const void *data, size_t len, struct btf_facts *out);

/* The types of a kernel from its vmlinux. */
struct btf_file {
	struct map_file file;
	struct btf types;
};

/* A negative errno with a message; vmlinux may be NULL: there is none. */
int btf_file_open(struct btf_file *f, const char *vmlinux);
void btf_file_close(struct btf_file *f);

#define _btf_file_ _cleanup_(btf_file_close)

#endif
