/* SPDX-License-Identifier: GPL-2.0-only */
/* Command lines of QEMU and of the guest kernel, as pure functions of a spec. */
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
 * Returns 0, or -ENOTSUP with a message for a machine in x2APIC mode in sim: there timers are set
 * with wrmsr, at which QEMU's instruction counting has no valid time and aborts.
 */
int vm_machine_check(const struct vm_spec *spec);

/* 0, or -ENOMEM. */
int vm_machine_argv(const struct vm_spec *spec, struct vm_argv *out);
void vm_argv_finish(struct vm_argv *argv);

/*
 * Appends argv, one argument per line, with a placeholder for each file: paths of memory files
 * contain numbers that differ between runs.
 */
int vm_machine_identity(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out);
/* The same as one shell command line for users, with the paths of QEMU and of the kernel. */
int vm_machine_command(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out);

/* Appends the guest kernel's command line. */
void vm_kernel_cmdline(const struct vm_spec *spec, struct str *out);

/* numa.c: NUMA nodes of a VM: uniform, or described one by one. */

#define VM_NUMA_LOCAL 10
#define VM_NUMA_REMOTE 20 /* default distance between different nodes */

/* Returns 0, or -EINVAL with a message: a node without memory, no LLCs, invalid distances. */
int vm_numa_check(const struct vm_topology *t, const struct vm_numa *numa);

/* Returns whether QEMU needs -numa options at all. */
bool vm_numa_is_described(const struct vm_spec *s);

/* Returns whether a node has a latency or a bandwidth. */
bool vm_numa_has_speeds(const struct vm_spec *s);

unsigned int vm_numa_llcs(const struct vm_spec *s, unsigned int node);
uint64_t vm_numa_memory_mib(const struct vm_spec *s, unsigned int node);
unsigned int vm_numa_distance(const struct vm_spec *s, unsigned int from, unsigned int to);

/* Maximum number of LLCs per socket such that no socket spans two nodes. */
unsigned int vm_numa_llcs_per_socket(const struct vm_spec *s);

/* Nearest node with CPUs; the node itself if it has CPUs. */
unsigned int vm_numa_initiator(const struct vm_spec *s, unsigned int node);

/* Appends the settings that guest init compares, as words of the kernel command line. */
void vm_numa_settings(const struct vm_spec *s, struct str *out);

/* sizing.c: defaults shared by all callers that start VMs. */

/* Initializes the spec with kernel, accelerator and machine. */
void vm_fill_spec(struct vm_spec *spec, const struct vm_qemu *qemu, enum vm_accel accel,
		  const struct kernel_image *kernel, const struct vm_topology *topology);

/* Minimum memory in MiB for kernel and files to boot. */
int vm_memory_floor(const struct kernel_image *kernel, const struct initramfs_base *base,
		    const struct initramfs_run *run, uint64_t *floor_mib);

/* Default memory of a VM in MiB: rounded up, so that similar runs share a template. */
uint64_t vm_memory_default(uint64_t floor_mib, const struct vm_topology *topology);

/*
 * Wall-clock timeout for booting a kernel, sized for emulation on a busy host; KTSTR_BOOT_TIMEOUT
 * overrides it.
 */
uint64_t vm_boot_limit_ns(const struct vm_topology *topology);

/* KTSTR_ATTACH_TIMEOUT in s: time for a scheduler to attach; 0 = not set. */
uint64_t vm_attach_limit_s(void);

#endif
