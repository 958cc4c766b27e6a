/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest of a few instructions that shows whether KVM can run a kernel here. */
#ifndef KTSTR_VM_KVM_PROBE_H
#define KTSTR_VM_KVM_PROBE_H

#include <stdint.h>

#include "base/clock.h"
#include "base/str.h"
#include "vm/spec.h"

enum kvm_state {
	KVM_WORKS,
	KVM_MISSING,   /* there is no device */
	KVM_FORBIDDEN, /* it may not be opened */
	KVM_BROKEN,    /* the guest cannot run */
	KVM_BUSY, /* it cannot run at the moment: somebody else has the processor's extensions */
	KVM_SLOW, /* it did not end in time */
};

/* A busy machine, or one that is emulated itself, takes its time: less says nothing. */
#define KVM_PROBE_LIMIT_NS (20 * NSEC_PER_SEC)

/* Whether a state is the same at the next look: what is forbidden or slow may not be. */
bool kvm_state_is_lasting(enum kvm_state state);

/* KVM_WORKS when the device can be opened; else with the reason appended to why. */
enum kvm_state kvm_look(const char *device, struct str *why);

/*
 * Takes a fraction of a second where there is hardware for it. The reason (a sentence without a
 * full stop) is appended to why.
 */
enum kvm_state kvm_probe(const char *qemu, enum vm_arch arch, uint64_t limit_ns, struct str *why);

#endif
