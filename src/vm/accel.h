/* SPDX-License-Identifier: GPL-2.0-only */
/* Which QEMU there is, whether KVM works under it, and which accelerator a VM gets. */
#ifndef KTSTR_VM_ACCEL_H
#define KTSTR_VM_ACCEL_H

#include "base/str.h"
#include "vm/kvm_probe.h"
#include "vm/spec.h"

struct vm_qemu {
	char *path;
	unsigned int major, minor;
	char *version_text; /* its own words: a distribution's patches count too */
	bool has_sandbox;   /* it was built with seccomp */
};

enum vm_arch vm_arch_host(void);

/*
 * The QEMU for guests of this architecture: KTSTR_QEMU, else by name in PATH.
 * -ENOENT when there is none, -ENOTSUP when it is older than 7.2.
 */
int vm_qemu_find(enum vm_arch arch, struct vm_qemu *out);
void vm_qemu_finish(struct vm_qemu *q);

#define KVM_DEVICE "/dev/kvm"

/*
 * Whether a guest runs under KVM: a device file alone does not say so. Starts a
 * tiny guest the first time after a boot; that it works, or cannot, is remembered.
 * Where it does not work the reason (a sentence without a full stop) is in why.
 */
enum kvm_state vm_kvm_state(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why);

/* The same without a look at the device. */
enum kvm_state vm_kvm_ask(const struct vm_qemu *qemu, enum vm_arch arch, uint64_t limit_ns,
			  struct str *why);

/*
 * From what the user said (NULL = nothing; then KTSTR_ACCEL), or kvm where it works,
 * else fallback with one line on stderr. Asking for kvm where it does not work is an
 * error; so is a name that is none. Why it fell back is appended to no_kvm (may be NULL).
 */
int vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
		    enum vm_accel fallback, enum vm_accel *out, struct str *no_kvm);

/* An option of sim ("--sim-jitter") was given: a warning where it is none. */
void vm_accel_check_sim_option(enum vm_accel accel, const char *option);

#endif
