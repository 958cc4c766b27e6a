/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that start VMs share between their options and the engine. */
#ifndef KTSTR_CLI_VM_OPTIONS_H
#define KTSTR_CLI_VM_OPTIONS_H

#include "host/budget.h"
#include "host/reserve.h"
#include "host/sandbox.h"
#include "kernel/kernel.h"
#include "vm/accel.h"
#include "vm/initramfs.h"
#include "vm/sizing.h"
#include "vm/spec.h"

struct cli_call;

/* VM_SIM_SLICE_UNSET where it is not given. */
uint64_t vm_sim_slice_option(const struct cli_call *call);
/* --sim-shift and what else is of sim, but for the seed; -EINVAL with the reason. */
int vm_sim_options(const struct cli_call *call, struct vm_sim *out);

/* A warning for each of them, and for --seed, that was given to a guest of another accelerator. */
void vm_sim_options_warn(const struct cli_call *call, enum vm_accel accel);

/* An empty disk in memory: nothing is left behind. */
struct vm_disk {
	uint64_t bytes; /* 0 = none */
	int fd;
	char path[64];
	struct str driver; /* virtio_blk, where the kernel has it as a module */
	struct initramfs_file driver_file;
};
int vm_disk_parse(struct vm_disk *d, const char *text);

/* Fills in the disk of the spec; driver_file, when it has a path, has to be among the run's files. */
int vm_disk_use(struct vm_disk *d, const struct kernel_image *kernel, struct vm_spec *spec);
void vm_disk_finish(struct vm_disk *d);

/* The host CPUs of a VM, by --no-perf-mode, --cpu-cap and their variables. */
struct vm_reservation {
	struct topology topology;
	struct cpulist allowed;
	struct reservation reservation;
	struct sandbox sandbox;
	struct cpu_cap cap;
	bool no_perf_mode;
};

/* What the options say, before anything is fetched or started; then the CPUs themselves. */
int vm_reservation_read(struct vm_reservation *r, const struct cli_call *call);
int vm_reservation_take(struct vm_reservation *r, enum vm_accel accel,
			const struct vm_topology *topology);
void vm_reservation_finish(struct vm_reservation *r);

/* Each line of text as "warning: ..." on stderr. */
void vm_print_warnings(const struct str *lines);

#endif
