/* SPDX-License-Identifier: GPL-2.0-only */
/* This host as a place for VMs: what struct run_world points at. */
#ifndef KTSTR_RUN_MACHINE_H
#define KTSTR_RUN_MACHINE_H

#include "run/job.h"

struct run_machine {
	struct topology topology;
	struct cpulist allowed;
	struct vm_qemu qemu;
	struct str no_kvm;
};

/* CPUs, and how many of them may be used. Fills host, allowed, cap and no_perf_mode of the world. */
int run_machine_read(struct run_machine *m, bool no_perf_mode, struct run_world *w);

/* QEMU, accelerator (by name; NULL = the best there is) and what the guests of each kernel start with. */
int run_machine_prepare_vm(struct run_machine *m, const char *accel, struct run_kernels *kernels,
			   struct run_world *w);

void run_machine_finish(struct run_machine *m);

#endif
