/* SPDX-License-Identifier: GPL-2.0-only */
/* What everything that starts VMs decides in the same way. */
#ifndef KTSTR_VM_SIZING_H
#define KTSTR_VM_SIZING_H

#include <stdint.h>

#include "kernel/kernel.h"
#include "vm/accel.h"
#include "vm/initramfs.h"
#include "vm/spec.h"

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
