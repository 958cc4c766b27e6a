/* SPDX-License-Identifier: GPL-2.0-only */
/* The two command lines of a VM, QEMU's and the guest kernel's, as pure functions. */
#ifndef KTSTR_VM_MACHINE_H
#define KTSTR_VM_MACHINE_H

#include "kernel/kernel.h"
#include "vm/accel.h"
#include "vm/initramfs.h"

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
/* The same for people, as one line for a shell: with the paths of QEMU and of the kernel. */
int vm_machine_command(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out);

/* Appends the guest kernel's command line. */
void vm_kernel_cmdline(const struct vm_spec *spec, struct str *out);

/* numa.c: What NUMA nodes a VM has: all alike, or each as it is described. */

#define VM_NUMA_LOCAL 10
#define VM_NUMA_REMOTE 20 /* distance between different nodes, where nobody says */

/* 0, or -EINVAL with a message: a node without memory, no LLCs, distances that cannot be. */
int vm_numa_check(const struct vm_topology *t, const struct vm_numa *numa);

/* Whether QEMU has to be told of nodes at all. */
bool vm_numa_is_described(const struct vm_spec *s);

/* Whether a node has a latency or a bandwidth. */
bool vm_numa_has_speeds(const struct vm_spec *s);

unsigned int vm_numa_llcs(const struct vm_spec *s, unsigned int node);
uint64_t vm_numa_memory_mib(const struct vm_spec *s, unsigned int node);
unsigned int vm_numa_distance(const struct vm_spec *s, unsigned int from, unsigned int to);

/* The most LLCs that a socket can have, so that none is shared by two nodes. */
unsigned int vm_numa_llcs_per_socket(const struct vm_spec *s);

/* The node with CPUs that is nearest to this one; itself, if it has some. */
unsigned int vm_numa_initiator(const struct vm_spec *s, unsigned int node);

/* What guest init compares, as words of the kernel's command line. */
void vm_numa_settings(const struct vm_spec *s, struct str *out);

/* sizing.c: What everything that starts VMs decides in the same way. */

/* Kernel, accelerator and machine into a spec. */
void vm_fill_spec(struct vm_spec *spec, const struct vm_qemu *qemu, enum vm_accel accel,
		  const struct kernel_image *kernel, const struct vm_topology *topology);

/* The least memory with which kernel and files can boot, in MiB. */
int vm_memory_floor(const struct kernel_image *kernel, const struct initramfs_base *base,
		    const struct initramfs_run *run, uint64_t *floor_mib);

/* What a VM gets when nobody says: rounded up, so that similar runs share a template. */
uint64_t vm_memory_default(uint64_t floor_mib, const struct vm_topology *topology);

/*
 * Wall-clock time in which a kernel must have booted, without KVM on a busy host;
 * KTSTR_BOOT_TIMEOUT is another one.
 */
uint64_t vm_boot_limit_ns(const struct vm_topology *topology);

/* KTSTR_ATTACH_TIMEOUT: the time in which a scheduler must be attached; 0 = not set. */
uint64_t vm_attach_limit_s(void);

#endif
