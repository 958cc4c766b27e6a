/* SPDX-License-Identifier: GPL-2.0-only */
/* The two command lines of a VM, QEMU's and the guest kernel's, as pure functions. */
#ifndef KTSTR_VM_MACHINE_H
#define KTSTR_VM_MACHINE_H

#include "base/str.h"
#include "vm/spec.h"

/* argv for QEMU, NULL-terminated. */
struct vm_argv {
	char **items;
	size_t count, cap;
	bool failed;
};

/*
 * 0, or -ENOTSUP with a message: in x2APIC mode timers are set with wrmsr, where QEMU that counts
 * instructions does not know the time and ends.
 */
int vm_machine_check(const struct vm_spec *spec);

/* 0, or -ENOMEM. */
int vm_machine_argv(const struct vm_spec *spec, struct vm_argv *out);
void vm_argv_finish(struct vm_argv *argv);

/*
 * Appends argv with a word in place of each file, a line each: paths of memory files
 * are numbers that differ from run to run.
 */
int vm_machine_identity(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out);

/* Appends the guest kernel's command line. */
void vm_kernel_cmdline(const struct vm_spec *spec, struct str *out);

#endif
