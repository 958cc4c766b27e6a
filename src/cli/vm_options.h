/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that start VMs share between their options and the engine. */
#ifndef KTSTR_CLI_VM_OPTIONS_H
#define KTSTR_CLI_VM_OPTIONS_H

#include "host/reserve.h"
#include "host/sandbox.h"
#include "kernel/kernel.h"
#include "vm/accel.h"
#include "vm/initramfs.h"
#include "vm/spec.h"

struct cli_call;

/* Kernel, accelerator and machine into a spec. */
void vm_fill_spec(struct vm_spec *spec, const struct vm_qemu *qemu, enum vm_accel accel,
		  const struct kernel_image *kernel, const struct vm_topology *topology);

/* The least memory with which kernel and files can boot, in MiB. */
int vm_memory_floor(const struct kernel_image *kernel, const struct initramfs_base *base,
		    const struct initramfs_run *run, uint64_t *floor_mib);

/* What a VM gets when nobody says: rounded up, so that similar runs share a template. */
uint64_t vm_memory_default(uint64_t floor_mib, const struct vm_topology *topology);

/* Wall-clock time in which a kernel must have booted, without KVM on a busy host. */
uint64_t vm_boot_limit_ns(const struct vm_topology *topology);

/* An empty disk in memory: nothing is left behind. */
struct vm_disk {
	uint64_t bytes; /* 0 = none */
	int fd;
	char path[64];
};
int vm_disk_parse(struct vm_disk *d, const char *text);
int vm_disk_use(struct vm_disk *d, const struct kernel_image *kernel, struct vm_spec *spec);
void vm_disk_finish(struct vm_disk *d);

/* The host CPUs of a VM, by --no-perf-mode, --cpu-cap and their variables. */
struct vm_reservation {
	struct topology topology;
	struct cpulist allowed;
	struct reservation reservation;
	struct sandbox sandbox;
};
int vm_reservation_take(struct vm_reservation *r, const struct cli_call *call, enum vm_accel accel,
			const struct vm_topology *topology);
void vm_reservation_finish(struct vm_reservation *r);

/* Each line of text as "warning: ..." on stderr. */
void vm_print_warnings(const struct str *lines);

#endif
