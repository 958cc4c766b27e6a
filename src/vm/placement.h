/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a KVM guest runs on the host: its memory before the start, its vCPU threads
 * after it, by the ids that QEMU tells. Under tcg and sim one thread carries all
 * vCPUs and stays where this process may run.
 */
#ifndef KTSTR_VM_PLACEMENT_H
#define KTSTR_VM_PLACEMENT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/roots.h"
#include "host/plan.h"
#include "vm/qmp.h"
#include "vm/spec.h"

/*
 * For performance mode: huge pages where enough are free, memory bound to the plan's
 * nodes where the host has several, and warnings about what will disturb figures.
 */
void vm_placement_prepare(struct vm_spec *spec, const struct plan *plan, const struct roots *roots);

/* The thread of each vCPU, in the order of vCPUs; fewer than count is an error. */
int vm_vcpu_threads(struct qmp *qmp, pid_t *tids, size_t count, uint64_t timeout_ns);

/* The same from QEMU's reply. */
int vm_vcpu_threads_parse(struct str *reply, pid_t *tids, size_t count);

/*
 * Pins or masks the vCPUs' threads by the plan, with its priority; the other threads of that
 * QEMU go to the service CPU of performance mode.
 */
int vm_placement_apply(struct qmp *qmp, pid_t qemu, const struct plan *plan, size_t vcpus,
		       uint64_t timeout_ns);

/*
 * In performance mode the calling process watches the guest from a CPU that runs no
 * vCPU, above their priority, until it ends. QEMU is started before that.
 */
void vm_placement_serve(const struct plan *plan);

#endif
