/* SPDX-License-Identifier: GPL-2.0-only */
/* The uncompressed kernel: what it says about itself, and a small copy of it. */
#ifndef KTSTR_KERNEL_VMLINUX_H
#define KTSTR_KERNEL_VMLINUX_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"

struct vmlinux_facts {
	enum kernel_answer has_scx;
	enum kernel_btf btf;
	uint32_t unsound_kfuncs;
};

/* -EINVAL with a message when it is no 64-bit ELF file or its BTF is damaged. */
int vmlinux_look(const void *data, size_t len, struct vmlinux_facts *out);
int vmlinux_look_file(const char *path, struct vmlinux_facts *out);

/*
 * Whether the file is a whole ELF file, by its headers alone: the last thing in it
 * is the table of sections. -ENOENT, -EINVAL and others with a message.
 */
int vmlinux_check_file(const char *path);

/*
 * Writes a copy in which symbols, BTF and read-only data are left and code and
 * debug information are not.
 */
int vmlinux_strip(const char *from, const char *to);

#endif
