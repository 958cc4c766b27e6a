/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processor that KVM guests see. Linux finds out from vendor, family and model
 * where a CPU's last-level cache begins and ends, so those decide what -cpu needs.
 */
#ifndef KTSTR_VM_HOST_CPU_H
#define KTSTR_VM_HOST_CPU_H

#include "base/roots.h"

#define VM_CPU_VENDOR_SIZE 16

struct vm_host_cpu {
	char vendor[VM_CPU_VENDOR_SIZE]; /* "AuthenticAMD"; "" = not known */
	unsigned int family, model;
};

/* The first CPU of /proc/cpuinfo. */
void vm_host_cpu_read(const struct roots *roots, struct vm_host_cpu *out);

/* What -cpu host has to be followed by: "" or ",NAME=VALUE...". */
const char *vm_host_cpu_options(const struct vm_host_cpu *cpu);

/*
 * Appends what a saved guest's state depends on: the processor with its stepping, microcode and
 * features, and the kernel whose KVM it was. A line each; what the host does not tell is left out.
 */
void vm_host_cpu_identity(const struct roots *roots, struct str *out);

#endif
