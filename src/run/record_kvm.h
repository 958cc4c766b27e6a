/* SPDX-License-Identifier: GPL-2.0-only */
/* What KVM counted, as the result's kvm_stats. */
#ifndef KTSTR_RUN_RECORD_KVM_H
#define KTSTR_RUN_RECORD_KVM_H

#include "base/roots.h"
#include "check/sidecar.h"
#include "vm/session.h"

/* Nothing where no vCPU told anything; and of each figure nothing that was not told. */
void record_kvm(struct sidecar *s, const struct vm_exit_stats *exits, const struct roots *roots);

#endif
