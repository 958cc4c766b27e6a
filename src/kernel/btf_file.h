/* SPDX-License-Identifier: GPL-2.0-only */
/* The types of a kernel from its vmlinux. */
#ifndef KTSTR_KERNEL_BTF_FILE_H
#define KTSTR_KERNEL_BTF_FILE_H

#include "base/map_file.h"
#include "kernel/btf_types.h"

struct btf_file {
	struct map_file file;
	struct btf types;
};

/* A negative errno with a message; vmlinux may be NULL: there is none. */
int btf_file_open(struct btf_file *f, const char *vmlinux);
void btf_file_close(struct btf_file *f);

#define _btf_file_ _cleanup_(btf_file_close)

#endif
