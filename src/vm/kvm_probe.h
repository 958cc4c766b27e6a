/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest of a few instructions that shows whether KVM can run a kernel here. */
#ifndef KTSTR_VM_KVM_PROBE_H
#define KTSTR_VM_KVM_PROBE_H

#include "base/str.h"
#include "vm/spec.h"

/* Takes a fraction of a second. False with the reason appended to why. */
bool kvm_probe(const char *qemu, enum vm_arch arch, struct str *why);

#endif
